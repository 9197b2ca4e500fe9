/* SPDX-License-Identifier: MIT */
/*
 * Starting a node as its host does: words of the control block, addresses of all nodes, the link.
 */
#ifndef TESTS_NATIVE_PORT_NODE_START_H
#define TESTS_NATIVE_PORT_NODE_START_H

#include "emp_layout.h"
#include "tests/native_port/node.h"

/* What the host reaches of its board. */
struct node_objects {
    volatile uint32_t *descriptors, *ring, *peers, *parameters, *counters;
};

/* Of a node, as it lies in a frame. Addresses of nodes differ in their last byte only. */
void node_address(uint8_t address[6], uint32_t number);

/* Starts the node. Its partner on the link agrees at once: the link is up when the next alarm has
 * been delivered. */
void node_start(const struct node *node, uint32_t number, uint32_t epoch, uint32_t clock_us,
                const struct native_surroundings *around, struct node_objects *objects);

#endif
