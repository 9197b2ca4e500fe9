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

/* A timer that fires may arm and cancel others, so each bit is looked at again when its turn comes;
 * one armed meanwhile with a deadline that has not come is left for the alarm. */
NIC_COLD void nic_on_alarm(void) {
    uint32_t now = nic_clock();
    uint32_t earliest = 0;
    bool any = false;
    nic_timers.alarmed = false;
    for (uint32_t timer = 0; timer < NIC_TIMERS; timer++) {
        uint32_t *armed = &nic_timers.armed[timer >> 5];
        uint32_t bit = 1u << (timer & 31);
        if (*armed == 0) {
            timer |= 31;
            continue;
        }
        if ((*armed & bit) && (int32_t)(now - nic_timer_deadlines[timer]) >= 0) {
            *armed &= ~bit;
            nic_on_timer(timer);
        }
    }
    for (uint32_t timer = 0; timer < NIC_TIMERS; timer++) {
        uint32_t deadline = nic_timer_deadlines[timer];
        if (nic_timers.armed[timer >> 5] == 0) {
            timer |= 31;
            continue;
        }
        if (!(nic_timers.armed[timer >> 5] & 1u << (timer & 31)))
            continue;
        if (!any || (int32_t)(deadline - earliest) < 0)
            earliest = deadline;
        any = true;
    }
    if (any && (!nic_timers.alarmed || earliest != nic_timers.alarm))
        set_alarm(earliest);
}
