/* SPDX-License-Identifier: MIT */
/*
 * Timers over one alarm; see timers.h.
 */
#include "fw-runtime/timers.h"

struct nic_timers nic_timers NIC_FAST;
uint32_t nic_timer_deadlines[NIC_TIMERS];

static void set_alarm(uint32_t deadline) {
    nic_timers.alarm = deadline;
    nic_timers.alarmed = true;
    nic_alarm(deadline);
}

void nic_timer_arm(uint32_t timer, uint32_t microseconds) {
    uint32_t deadline = nic_clock() + microseconds;
    nic_timer_deadlines[timer] = deadline;
    nic_timers.armed[timer >> 5] |= 1u << (timer & 31);
    if (!nic_timers.alarmed || (int32_t)(deadline - nic_timers.alarm) < 0)
        set_alarm(deadline);
}

#if NIC_ALARM_LOOKS
#define FIRE_DUE static NIC_COLD void fire_due
#else
#define FIRE_DUE NIC_COLD void nic_on_alarm
#endif

/* Armed timers of a word are found by their bits: everything else waits meanwhile, a frame that has
 * come too. A timer that fires may arm and cancel others, so each bit is looked at again when its
 * turn comes; one armed meanwhile is left for the next alarm. */
FIRE_DUE(void) {
    uint32_t now = nic_clock();
    uint32_t earliest = 0;
    bool any = false;
    nic_timers.alarmed = false;
    for (uint32_t word = 0; word < NIC_TIMER_WORDS; word++) {
        for (uint32_t left = nic_timers.armed[word]; left != 0;) {
            uint32_t place = nic_highest_bit(left);
            uint32_t timer = 32 * word + place;
            left &= ~(1u << place);
            if ((nic_timers.armed[word] & 1u << place) &&
                (int32_t)(now - nic_timer_deadlines[timer]) >= 0) {
                nic_timers.armed[word] &= ~(1u << place);
                nic_on_timer(timer);
            }
        }
    }
    for (uint32_t word = 0; word < NIC_TIMER_WORDS; word++) {
        for (uint32_t left = nic_timers.armed[word]; left != 0;) {
            uint32_t place = nic_highest_bit(left);
            uint32_t deadline = nic_timer_deadlines[32 * word + place];
            left &= ~(1u << place);
            if (!any || (int32_t)(deadline - earliest) < 0)
                earliest = deadline;
            any = true;
        }
    }
    if (any && (!nic_timers.alarmed || earliest != nic_timers.alarm))
        set_alarm(earliest);
}

#if NIC_ALARM_LOOKS
/* Where timers are short, most alarms find that what they were set for has been cancelled. */
NIC_HOT void nic_on_alarm(void) {
    uint32_t now = nic_clock();
    uint32_t soonest = 0;
    bool any = false;
    for (uint32_t word = 0; word < NIC_TIMER_WORDS; word++) {
        for (uint32_t left = nic_timers.armed[word]; left != 0;) {
            uint32_t place = nic_highest_bit(left);
            uint32_t wait = nic_timer_deadlines[32 * word + place] - now;
            left &= ~(1u << place);
            if ((int32_t)wait <= 0) {
                fire_due();
                return;
            }
            if (!any || wait < soonest)
                soonest = wait;
            any = true;
        }
    }
    nic_timers.alarmed = false;
    if (any)
        set_alarm(now + soonest);
}
#endif
