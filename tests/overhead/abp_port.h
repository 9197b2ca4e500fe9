/* SPDX-License-Identifier: MIT */
/*
 * ABP_PORT_HEADER: the generated code on the runtime of runtime.h. Included by abp.h after its
 * types.
 */
#ifndef TESTS_OVERHEAD_ABP_PORT_H
#define TESTS_OVERHEAD_ABP_PORT_H

#include "tests/overhead/runtime.h"

/* Each member of the state is an object of its own, so that a scratchpad access is one instruction.
 */
extern __typeof__(((struct abp_state *)0)->sender_state_) node_sender_state_ NIC_FAST;
extern __typeof__(((struct abp_state *)0)->receiver_state_) node_receiver_state_ NIC_FAST;
extern __typeof__(((struct abp_state *)0)->bit) node_bit NIC_FAST;
extern __typeof__(((struct abp_state *)0)->pending) node_pending NIC_FAST;
extern __typeof__(((struct abp_state *)0)->expected) node_expected NIC_FAST;
#define ABP_STATE(member) (node_##member)

#define ABP_PARAMETER(name)                          (runtime_##name)
#define ABP_COUNT(counter)                           runtime_count(RUNTIME_REPEATED)
#define ABP_NEVER(process, state, event)             runtime_count_rare(RUNTIME_NEVER)
#define ABP_TIMER_ARM(timer, instance, microseconds) runtime_timer_arm(microseconds)
#define ABP_TIMER_CANCEL(timer, instance)            runtime_timer_cancel()
#ifdef NIC_PORT_HEADER
#define ABP_TRACE(transition, instance) nic_trace(transition, instance)
#endif

#define ABP_PORT_DEVICES
static inline void abp_device_send(const struct abp_frame *f) {
    runtime_send(f->kind, f->bit, f->item);
}
static inline void abp_device_accepted(uint32_t item) {
    runtime_accepted(item);
}
static inline void abp_device_deliver(uint32_t item) {
    runtime_deliver(item);
}

#endif
