/* SPDX-License-Identifier: MIT */
/*
 * Trace ring; see trace.h.
 */
#include "fw-runtime/trace.h"

#if NIC_TRACE
#if NIC_LEADS
uint32_t nic_trace_ring[NIC_TRACE_ENTRIES][2];

volatile uint32_t *nic_trace_next NIC_TRACE_PLACE;
uint32_t nic_trace_count NIC_TRACE_PLACE;

NIC_COLD void nic_trace_start(volatile uint32_t *next) {
    nic_trace_next = next;
    *next = 0;
}
#endif

#ifndef NIC_PORT_TRACE
#if NIC_PROCESSORS > 1
#define nic_trace_lock()   nic_lock()
#define nic_trace_unlock() nic_unlock()
#else
#define nic_trace_lock()   ((void)0)
#define nic_trace_unlock() ((void)0)
#endif

NIC_HOT void nic_trace(uint32_t transition, uint32_t argument) {
    uint32_t *record;
    nic_trace_lock();
    record = nic_trace_ring[nic_trace_count & (NIC_TRACE_ENTRIES - 1)];
    record[0] = nic_clock();
    record[1] = transition << 16 | (argument & 0xFFFF);
    *nic_trace_next = ++nic_trace_count;
    nic_trace_unlock();
}
#endif
#endif
