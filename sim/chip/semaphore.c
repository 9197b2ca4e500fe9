/* SPDX-License-Identifier: MIT */
/*
 * Semaphore (tigon2.md 3.4): a write to one's own face takes the free lock or releases one's own; a
 * write by the party that does not hold it changes nothing, so a waiter writes again after each
 * zero it reads.
 */
#include "sim/chip/board.h"

static uint32_t face(uint32_t offset) {
    return offset == TIGON_SEMAPHORE_A ? 1 : 2;
}

static void set(struct tigon_board *board, uint32_t holder) {
    board->semaphore.holder = holder;
    tigon_board_signal(board, TIGON_SIGNAL_SEMAPHORE, holder);
}

void tigon_semaphore_reset(struct tigon_board *board) {
    set(board, 0);
}

uint32_t tigon_semaphore_read(struct tigon_board *board, uint32_t offset) {
    return board->semaphore.holder == face(offset);
}

void tigon_semaphore_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    (void)value; /* any value does */
    if (board->semaphore.holder == 0)
        set(board, face(offset));
    else if (board->semaphore.holder == face(offset))
        set(board, 0);
    else
        return;
    tigon_board_changed(board);
}
