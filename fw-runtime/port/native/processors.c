/* SPDX-License-Identifier: MIT */
/*
 * What each of two processors has in the native port: a signal that a test delivers.
 */
#define NIC_PROCESSORS 2 /* there is no other use for this */

#include <stdio.h>
#include <stdlib.h>

#include "fw-runtime/port.h"
#include "fw-runtime/port/native/native.h"

uint32_t native_lock_depth;
struct nic_processor_counters nic_processor_counters;

static bool native_is_signalled(void) {
    return native_signalled[NIC_PROCESSOR];
}

static bool native_give_signal(void) {
    if (!native_is_signalled())
        return false;
    native_signalled[NIC_PROCESSOR] = false;
    nic_processor_counters.wake_ups++;
    nic_on_signal();
    if (native_lock_depth != 0) {
        (void)fprintf(stderr, "an event ends with the lock of fw-runtime/port.h\n");
        abort();
    }
    return true;
}

const struct native_processor
#if NIC_PROCESSOR == 0
    native_first
#else
    native_second
#endif
    = {
#if NIC_PROCESSOR != 0
        .start = nic_on_second_start,
#endif
        .signalled = native_is_signalled,
        .signal = native_give_signal,
        .counters = &nic_processor_counters,
};
