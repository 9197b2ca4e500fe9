/* SPDX-License-Identifier: MIT */
/* What programs of both sides of a pair need: memory with its content at hand, and each other's
 * progress. */
#ifndef TESTS_END_TO_END_SIDE_H
#define TESTS_END_TO_END_SIDE_H

#include "host/emp/libemp.h"
#include "tests/end_to_end/need.h"

/* Waits until the peer's program has counted to `least`. */
static inline int side_wait_for(struct pair_side *side, const unsigned *count, unsigned least) {
    while (*count < least && !pair_peer_failed(side))
        tigon_host_sleep_ns(side->host, 20000);
    need(*count >= least);
    return 0;
}

/* Allocates and registers memory for one message. `*memory` lives as long as the board. */
static inline int side_memory(struct pair_side *side, size_t bytes, uint8_t **memory,
                              struct libemp_piece *piece) {
    *memory = libemp_allocate(side->board, bytes);
    *piece = (struct libemp_piece){.length = bytes};
    need(*memory && libemp_register(side->board, *memory, bytes, &piece->memory) == 0);
    return 0;
}

#endif
