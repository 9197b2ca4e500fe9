/*
 * Trace ring; see trace.h.
 */
#include "fw-runtime/trace.h"

#if NIC_TRACE
uint32_t nic_trace_ring[NIC_TRACE_ENTRIES][2];

static volatile uint32_t *next_record NIC_FAST;
static uint32_t traced NIC_FAST;

NIC_COLD void nic_trace_start(volatile uint32_t *next) {
    next_record = next;
    *next = 0;
}

NIC_HOT void nic_trace(uint32_t transition, uint32_t argument) {
    uint32_t *record = nic_trace_ring[traced & (NIC_TRACE_ENTRIES - 1)];
    record[0] = nic_clock();
    record[1] = transition << 16 | (argument & 0xFFFF);
    *next_record = ++traced;
}
#endif
