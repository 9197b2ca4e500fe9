/* SPDX-License-Identifier: MIT */
/* HW[040] and the interrupt line to the host (tigon2.md 3.2). */
#ifndef SIM_HOST_CONTROL_H
#define SIM_HOST_CONTROL_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_board;

struct tigon_host_control {
    bool interrupt; /* pending, masked or not */
};

#define TIGON_CONTROL_INTERRUPT       (1u << 0)
#define TIGON_CONTROL_CLEAR_INTERRUPT (1u << 1)
#define TIGON_CONTROL_HARD_RESET      (1u << 3)
#define TIGON_CONTROL_BYTE_SWAP       (1u << 4)
#define TIGON_CONTROL_WORD_SWAP       (1u << 5)
#define TIGON_CONTROL_MASK_INTERRUPT  (1u << 6)

/* Raises or drops the pending interrupt. */
void tigon_host_interrupt_set(struct tigon_board *board, bool pending);
/* The line as the host's interrupt controller receives it. */
bool tigon_host_interrupt_line(const struct tigon_board *board);

#endif
