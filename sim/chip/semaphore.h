/* SPDX-License-Identifier: MIT */
/* The two-party lock HW[048] / HW[04C] (tigon2.md 3.4). */
#ifndef SIM_SEMAPHORE_H
#define SIM_SEMAPHORE_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_board;

struct tigon_semaphore {
    uint32_t holder; /* 0 free, 1 held by the A face, 2 by the B face */
    /* A core has written while the other one held the lock, first at this time, and not taken the
     * lock since. */
    bool waiting[2];
    uint64_t since_ticks[2];
};

#endif
