/* SPDX-License-Identifier: MIT */
/*
 * Trace ring: which transitions were taken, when, by which instance. Two words a record (layout
 * TraceRecord of nic/board.hsm), readable by the host at any time and from a crashed board.
 *
 * Compiled out with NIC_TRACE=0; then nic_trace is nothing and there is no ring.
 */
#ifndef FW_RUNTIME_TRACE_H
#define FW_RUNTIME_TRACE_H

#include "fw-runtime/port.h"

#ifndef NIC_TRACE
#define NIC_TRACE 1
#endif

#define NIC_TRACE_ENTRIES 1024u /* a power of two */

#if NIC_TRACE
#if NIC_PROCESSORS > 1
/* Both processors write the same ring, under the lock: its order is one in which all of it
 * happened. */
#define NIC_TRACE_PLACE NIC_COMMON
#else
#define NIC_TRACE_PLACE NIC_FAST NIC_ENTRY
#endif
extern uint32_t nic_trace_ring[NIC_TRACE_ENTRIES][2] NIC_ENTRY;
extern volatile uint32_t *nic_trace_next NIC_TRACE_PLACE;
extern uint32_t nic_trace_count NIC_TRACE_PLACE; /* records ever written */

/* `next` is kept up to date with the number of records ever written. */
void nic_trace_start(volatile uint32_t *next);
#ifndef NIC_PORT_TRACE /* or an inline function of the port, which keeps the same objects */
void nic_trace(uint32_t transition, uint32_t argument);
#endif
#else
static inline void nic_trace(uint32_t transition, uint32_t argument) {
    (void)transition;
    (void)argument;
}
#endif

#endif
