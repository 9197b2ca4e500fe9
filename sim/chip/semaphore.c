/* SPDX-License-Identifier: MIT */
/*
 * Semaphore (tigon2.md 3.4): a write to a core's own face takes the free lock or releases its own.
 * A write by the core that does not hold it has no effect, so a waiter writes again after each zero
 * it reads.
 */
#include "sim/chip/board.h"

static uint32_t face(uint32_t offset) {
    return offset == TIGON_SEMAPHORE_A ? 1 : 2;
}

static void set(struct tigon_board *board, uint32_t holder) {
    board->semaphore.holder = holder;
    tigon_board_signal(board, TIGON_SIGNAL_SEMAPHORE, holder);
}

static void reset(struct tigon_board *board) {
    board->semaphore.waiting[TIGON_CORE_A] = board->semaphore.waiting[TIGON_CORE_B] = false;
    set(board, 0);
}

static void take(struct tigon_board *board, unsigned core) {
    struct tigon_semaphore *semaphore = &board->semaphore;
    struct tigon_core_statistics *statistics = &board->statistics.core[core];
    statistics->locks_taken++;
    if (semaphore->waiting[core])
        statistics->lock_wait_cycles +=
            (board->now - semaphore->since_ticks[core]) / TIGON_TICKS_PER_CYCLE;
    semaphore->waiting[core] = false;
}

static void wait_for_it(struct tigon_board *board, unsigned core) {
    struct tigon_semaphore *semaphore = &board->semaphore;
    if (semaphore->waiting[core])
        return;
    semaphore->waiting[core] = true;
    semaphore->since_ticks[core] = board->now;
    board->statistics.core[core].lock_waits++;
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    return board->semaphore.holder == face(offset);
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    (void)value; /* any value does */
    const unsigned core = face(offset) - 1;
    if (board->semaphore.holder == 0) {
        take(board, core);
        set(board, face(offset));
    } else if (board->semaphore.holder == face(offset)) {
        set(board, 0);
    } else {
        wait_for_it(board, core);
        return;
    }
    tigon_board_changed(board);
}

static const struct tigon_register_description registers[] = {
    {0x048, 2, "semaphore", TIGON_READS_WRITES, 0, 0}, /* 3.4 */
};

const struct tigon_device tigon_semaphore_device = {
    .name = "semaphore",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = reset,
    .read = read_register,
    .write = write_register,
    .steady = true,
};
