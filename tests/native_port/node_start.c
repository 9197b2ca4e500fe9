/* SPDX-License-Identifier: MIT */
#include "tests/native_port/node_start.h"

#include <string.h>

#include "fw-runtime/port.h"

#define SCRATCH 0x40u

void node_address(uint8_t address[6], uint32_t number) {
    static const uint8_t base[6] = {0x02, 0x45, 0x4D, 0x50, 0x00, 0x10};
    memcpy(address, base, 6);
    address[5] = (uint8_t)(address[5] + number);
}

static void node_address_words(uint32_t number, uint32_t *high, uint32_t *low) {
    uint8_t address[6];
    node_address(address, number);
    *high = (uint32_t)address[0] << 8 | address[1];
    *low = (uint32_t)address[2] << 24 | (uint32_t)address[3] << 16 | (uint32_t)address[4] << 8 |
           address[5];
}

static void find_objects(const struct native_nic *nic, struct node_objects *objects) {
    volatile uint32_t *control = nic->control();
    volatile uint32_t *names = control + EMP_OBJECTS_AT / 4;
    objects->descriptors = nic->object(names[EMP_OBJECTS_DESCRIPTORS_WORD]);
    objects->ring = nic->object(names[EMP_OBJECTS_POSTING_RING_WORD]);
    objects->peers = nic->object(names[EMP_OBJECTS_PEERS_WORD]);
    objects->parameters = nic->object(control[EMP_CONTROL_PARAMETERS_WORD]);
    objects->counters = nic->object(control[EMP_CONTROL_RUNTIME_COUNTERS_WORD]);
}

void node_start(const struct node *node, uint32_t number, uint32_t epoch, uint32_t clock_us,
                const struct native_surroundings *around, struct node_objects *objects) {
    const struct native_nic *nic = node->nic;
    volatile uint32_t *control = nic->control();
    uint32_t high, low;
    node_spoil_unset(node);
    node_address_words(number, &high, &low);
    control[EMP_CONTROL_NODE_WORD] = number;
    control[EMP_CONTROL_EPOCH_WORD] = epoch;
    control[EMP_CONTROL_MAC_HIGH_WORD] = high;
    control[EMP_CONTROL_MAC_LOW_WORD] = low;
    control[EMP_CONTROL_SCRATCH_HIGH_WORD] = 0;
    control[EMP_CONTROL_SCRATCH_LOW_WORD] = SCRATCH;
    nic->set_clock(clock_us);
    nic->start(around);
    find_objects(nic, objects);
    for (uint32_t peer = 0; peer < EMP_NODE_LIMIT; peer++) {
        node_address_words(peer, &high, &low);
        objects->peers[2 * peer] = high;
        objects->peers[2 * peer + 1] = low;
    }
    (void)nic->link(NIC_LINK_SYNCHRONISED, 0);
    (void)nic->link(NIC_LINK_CONFIGURATION, EMP_LINK_ABILITY);
    (void)nic->link(NIC_LINK_CONFIGURATION, EMP_LINK_ABILITY | EMP_LINK_ACKNOWLEDGE);
}
