/* SPDX-License-Identifier: MIT */
/*
 * The port on two processors: what belongs to one of them, and the other one needs to know.
 *
 * The chip has one timer reference and one register with the attentions of the receiving MAC. Both
 * are A's. B's alarm is a word that A looks at together with its own; when it is due, and when the
 * MAC runs out of buffer, A raises event 24 in B's word. B raises it in A's when it has changed its
 * alarm.
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/halves.h"

NIC_COLD void tigon2_tell(void) {
    nic_lock();
    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_TOLD;
    nic_unlock();
}

#if NIC_LEADS
struct tigon2_halves tigon2_halves;

static uint32_t own_alarm;
static bool own_alarmed;

static inline bool is_due(uint32_t deadline, uint32_t now) {
    return (int32_t)(now - deadline) >= 0;
}

/* The reference is the earlier of both deadlines. What has passed raises the event at once, so
 * none is lost (tigon2.md 14 row 5). */
static NIC_COLD void set_reference(void) {
    uint32_t deadline = own_alarm;
    bool alarmed = own_alarmed;
    nic_lock();
    if (tigon2_halves.alarmed != 0 && (!alarmed || (int32_t)(tigon2_halves.alarm - deadline) < 0)) {
        deadline = tigon2_halves.alarm;
        alarmed = true;
    }
    nic_unlock();
    if (alarmed) {
        TIGON2_REGISTER(TIMER_REFERENCE) = deadline;
        tigon2_enable(TIGON2_EVENT_TIMER);
    } else {
        tigon2_disable(TIGON2_EVENT_TIMER);
    }
}

void nic_alarm(uint32_t deadline) {
    own_alarm = deadline;
    own_alarmed = true;
    set_reference();
}

/* Of B's alarm: has it come? Then B has none any more, until it sets one. */
static NIC_COLD bool second_is_due(uint32_t now) {
    bool due;
    nic_lock();
    due = tigon2_halves.alarmed != 0 && is_due(tigon2_halves.alarm, now);
    if (due) {
        tigon2_halves.alarmed = 0;
        tigon2_halves.due++;
    }
    nic_unlock();
    return due;
}

/* Event 28. */
NIC_ENTRY NIC_COLD void tigon2_on_timer(void) {
    uint32_t now = nic_clock();
    if (second_is_due(now))
        tigon2_tell();
    if (own_alarmed && is_due(own_alarm, now)) {
        own_alarmed = false;
        if (!tigon2_alarm_waits())
            nic_on_alarm();
    }
    set_reference();
}

/* Event 24. */
NIC_ENTRY NIC_COLD void tigon2_on_told(void) {
    tigon2_withdraw(TIGON2_EVENT_TOLD);
    set_reference();
}

#if !NIC_TRANSMITS
NIC_COLD void nic_set_scratch(uint32_t high, uint32_t low) {
    tigon2_halves.scratch_high = high;
    tigon2_halves.scratch_low = low;
}
#endif

#if !NIC_WRITES
/* Event 25, as in receive.c; the buffer is B's. */
NIC_ENTRY NIC_COLD void tigon2_on_receive_attention(void) {
    uint32_t state = TIGON2_REGISTER(MAC_RECEIVE_STATE);
    TIGON2_REGISTER(MAC_RECEIVE_STATE) = state;
    if (state & TIGON2_RECEIVE_FATAL)
        nic_panic(TIGON2_PANIC_RECEIVE);
    if (state & TIGON2_RECEIVE_NO_SPACE) {
        tigon2_halves.no_space++;
        tigon2_tell();
    }
    tigon2_link_attention(state);
}
#endif
#else
static uint32_t seen_no_space;
static uint32_t seen_due;

NIC_ENTRY NIC_COLD void tigon2_second_begin(void) {
#if NIC_RECEIVES
    tigon2_receive_start(tigon2_halves.receive, tigon2_halves.transmit - TIGON2_RECEIVE_RING);
    tigon2_enabled |= 1u << TIGON2_EVENT_RECEIVE;
#elif NIC_WRITES
    tigon2_receive_share(tigon2_halves.receive);
#endif
    tigon2_dma_own(tigon2_halves.transmit);
    tigon2_enabled |= (NIC_WRITES ? 1u << TIGON2_EVENT_WRITTEN : 0u) | 1u << TIGON2_EVENT_WORK |
                      1u << TIGON2_EVENT_TOLD | 1u << TIGON2_EVENT_READ_NOTICE;
#if NIC_TRANSMITS
    tigon2_transmit_own(&tigon2_halves);
    tigon2_enabled |= 1u << TIGON2_EVENT_SLOT;
#endif
}

void nic_alarm(uint32_t deadline) {
    nic_lock();
    tigon2_halves.alarm = deadline;
    tigon2_halves.alarmed = 1;
    nic_unlock();
    tigon2_tell();
}

/* Event 24. An alarm that B has replaced meanwhile comes early, which is allowed. */
NIC_ENTRY NIC_COLD void tigon2_second_on_told(void) {
    uint32_t no_space, due;
    tigon2_withdraw(TIGON2_EVENT_TOLD);
    no_space = tigon2_halves.no_space;
    due = tigon2_halves.due;
#if NIC_HANDS_OVER
    tigon2_receive_settle();
#endif
#if NIC_WRITES
    if (no_space != seen_no_space)
        tigon2_receive_without_space();
#endif
    seen_no_space = no_space;
    if (due != seen_due && !tigon2_alarm_waits())
        nic_on_alarm();
    seen_due = due;
}
#endif
