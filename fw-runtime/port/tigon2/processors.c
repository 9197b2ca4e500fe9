/* SPDX-License-Identifier: MIT */
/*
 * The part of either processor in an image for two; see processors.h.
 */
#include "fw-runtime/port.h"
#include "fw-runtime/port/tigon2/processors.h"

uint32_t tigon2_lock_depth NIC_FAST;
struct nic_processor_counters nic_processor_counters;

NIC_COLD void tigon2_count_wait(void) {
    nic_processor_counters.lock_waits++;
}

/* Event 27. The bit goes first: what comes after it is signalled again, and what came before is
 * seen by nic_on_signal. */
#if NIC_PROCESSOR == 0
NIC_ENTRY NIC_HOT void tigon2_on_signal(void) {
#else
NIC_ENTRY NIC_HOT void tigon2_second_on_signal(void) {
#endif
    tigon2_withdraw(TIGON2_EVENT_SIGNAL);
    nic_processor_counters.wake_ups++;
    nic_on_signal();
}
