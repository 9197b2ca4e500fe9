/*
 * EMP on the Tigon2: where the protocol's state lies, and what its devices, timers, counters and
 * trace are. Included by the generated emp.h as EMP_PORT_HEADER, after its types.
 *
 * Only this header and the files in emp/ know both EMP and the runtime.
 */
#ifndef FW_RUNTIME_TIGON2_EMP_PORT_H
#define FW_RUNTIME_TIGON2_EMP_PORT_H

#include "fw-runtime/port.h"
#include "fw-runtime/port/tigon2/memory_map.h"
#include "fw-runtime/timers.h"
#include "fw-runtime/trace.h"

/* What the smallest board leaves for the whole image; what else it needs the linker script checks.
 */
#define EMP_STATE_LIMIT TIGON2_IMAGE_LIMIT

/* Every member of the state is an object of its own: in the scratchpad, but for what the spec calls
 * cold. */
#define EMP_MEMBER(member)       __typeof__(((struct emp_state *)0)->member) emp_state_##member
#define EMP_DECLARE_HOT(member)  extern EMP_MEMBER(member) NIC_FAST;
#define EMP_DECLARE_COLD(member) extern EMP_MEMBER(member);
EMP_STATE_MEMBERS(EMP_DECLARE_HOT, EMP_DECLARE_COLD)
#define EMP_STATE(member) (emp_state_##member)

/* Parameters lie in SRAM, where the host writes the live ones; those fixed at start are copied. */
extern volatile struct emp_parameters emp_parameters;
extern uint32_t emp_fixed_node NIC_FAST;
extern uint32_t emp_fixed_epoch NIC_FAST;
#define EMP_PARAMETER_node               emp_fixed_node
#define EMP_PARAMETER_epoch              emp_fixed_epoch
#define EMP_PARAMETER_collection_size    emp_parameters.collection_size
#define EMP_PARAMETER_retransmit_timeout emp_parameters.retransmit_timeout
#define EMP_PARAMETER(name)              (EMP_PARAMETER_##name)

extern uint32_t emp_counters[EMP_COUNTER_COUNT];
/* Everything counted is rare. Out of line, and so known to the compiler as unlikely. */
void glue_count(uint32_t counter) NIC_COLD;
#define EMP_COUNT(counter) glue_count(counter)

/* Timers 0..: one for each SendMessage (reference - 1), then the link's. */
#define EMP_TIMER_NUMBER(timer, instance)                                                          \
    ((timer) == EMP_TIMER_SEND_WAIT_ACK ? (uint32_t)(instance)-1u : EMP_SEND_LIMIT)
#define EMP_TIMER_ARM(timer, instance, microseconds)                                               \
    nic_timer_arm(EMP_TIMER_NUMBER(timer, instance), microseconds)
#define EMP_TIMER_CANCEL(timer, instance) nic_timer_cancel(EMP_TIMER_NUMBER(timer, instance))

#define EMP_TRACE(transition, instance) nic_trace(transition, instance)

/* An event the spec excludes: counted where the host sees it, otherwise ignored. */
void glue_never(void) NIC_COLD;
#define EMP_NEVER(process, state, event) glue_never()

/* The chip finds the highest bit, not the lowest (tigon2.md 1.3). */
#define hsm_lowest_bit(word) (tigon2_priority((word) & (0u - (word))) - 1u)

/* The whole image lies in the scratchpad but for what is marked (firmware.lds.in): helpers that the
 * compiler keeps as functions must lie where their callers do. */
#define EMP_HOT
#define EMP_RARE NIC_RARE
#define EMP_COLD NIC_COLD
#define EMP_ONCE NIC_ONCE

/* An image whose runs are recorded with all that crosses the protocol's border
 * (docs/conformance.md). */
#ifdef EMP_OBSERVED
#include "emp_observed.h"
#endif

#endif
