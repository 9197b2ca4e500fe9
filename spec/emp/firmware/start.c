/* SPDX-License-Identifier: MIT */
/*
 * EMP's start: its own words of the control block, and what it tells the host of the impossible.
 */
#include "spec/emp/firmware/glue.h"

static_assert(EMP_OBJECTS_AT == EMP_CONTROL_BYTES, "behind the words all protocols have");

#if NIC_LEADS
void emp_glue_start(volatile uint32_t *control) {
    volatile uint32_t *objects = control + EMP_OBJECTS_AT / 4;
    objects[EMP_OBJECTS_DESCRIPTORS_WORD] = nic_host_name(glue_descriptors);
    objects[EMP_OBJECTS_POSTING_RING_WORD] = nic_host_name(glue_posting_ring);
    objects[EMP_OBJECTS_PEERS_WORD] = nic_host_name(glue_peers);
    control[EMP_CONTROL_RUNTIME_COUNTERS_WORD] = nic_host_name(&glue_counters);
    glue_wire_start(control[EMP_CONTROL_MAC_HIGH_WORD], control[EMP_CONTROL_MAC_LOW_WORD]);
    glue_memory_start();
}
#else
void emp_glue_second_start(void) {
#if NIC_RECEIVES || NIC_TRANSMITS
    volatile uint32_t *control = nic_control();
    glue_wire_start(control[EMP_CONTROL_MAC_HIGH_WORD], control[EMP_CONTROL_MAC_LOW_WORD]);
#endif
    glue_memory_start();
}
#endif

void nic_on_never(void) {
    GLUE_COUNT(never);
}
