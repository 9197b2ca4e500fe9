/* SPDX-License-Identifier: MIT */
/*
 * Included before a node's image (build.mk): instead of writing records of the trace ring, a board
 * marks the rows that it takes, for all boards of the world together.
 */
#ifndef TESTS_NATIVE_WORLDS_ROWS_H
#define TESTS_NATIVE_WORLDS_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#define NIC_PORT_TRACE

extern bool world_rows[]; /* tests/campaign_worlds/world.h */

static inline void nic_trace(uint32_t transition, uint32_t argument) {
    (void)argument;
    world_rows[transition] = true;
}

#endif
