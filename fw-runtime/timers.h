/* SPDX-License-Identifier: MIT */
/*
 * Many timers over one hardware compare.
 *
 * Timers are numbers below NIC_TIMERS. Arming and cancelling are a few stores: the alarm is only
 * moved forward to an earlier deadline, never searched for; an alarm that finds nothing due,
 * because what it was set for has been cancelled or re-armed, looks for the next deadline then.
 */
#ifndef FW_RUNTIME_TIMERS_H
#define FW_RUNTIME_TIMERS_H

#include "fw-runtime/port.h"

#define NIC_TIMERS      64u
#define NIC_TIMER_WORDS (NIC_TIMERS / 32u)

struct nic_timers {
    uint32_t armed[NIC_TIMER_WORDS]; /* bit mask */
    uint32_t alarm;                  /* deadline the hardware has */
    bool alarmed;                    /* ... if it has one */
};

extern struct nic_timers nic_timers NIC_FAST;
extern uint32_t nic_timer_deadlines[NIC_TIMERS]; /* written often, read only by an alarm */

/* (Re)starts a timer: nic_on_timer(timer) once after `microseconds`, which must be below 2^31. */
void nic_timer_arm(uint32_t timer, uint32_t microseconds);

/* No nic_on_timer(timer) comes after this, not even one that is due already. */
static inline void nic_timer_cancel(uint32_t timer) {
    nic_timers.armed[timer >> 5] &= ~(1u << (timer & 31));
}

/* By the protocol's glue. The timer is no longer armed and may be armed again. */
void nic_on_timer(uint32_t timer);

#endif
