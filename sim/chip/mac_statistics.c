/* SPDX-License-Identifier: MIT */
/* See mac_statistics.h. */
#include "sim/chip/mac_statistics.h"

#include "sim/chip/board.h"

#define STATISTICS_BASE 0x080u

void tigon_statistic_count(struct tigon_board *board, enum tigon_statistic statistic) {
    const uint32_t address = STATISTICS_BASE + 4u * (uint32_t)statistic;
    tigon_board_before_change(board);
    tigon_memory_store32(&board->memory, address,
                         tigon_memory_read32(&board->memory, address) + 1u);
}
