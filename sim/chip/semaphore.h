/* SPDX-License-Identifier: MIT */
/* The two-party lock HW[048] / HW[04C] (tigon2.md 3.4). */
#ifndef SIM_SEMAPHORE_H
#define SIM_SEMAPHORE_H

#include <stdint.h>

struct tigon_board;

struct tigon_semaphore {
    uint32_t holder; /* 0 nobody, 1 the A face, 2 the B face */
};

void tigon_semaphore_reset(struct tigon_board *board);
uint32_t tigon_semaphore_read(struct tigon_board *board, uint32_t offset);
void tigon_semaphore_write(struct tigon_board *board, uint32_t offset, uint32_t value);

#endif
