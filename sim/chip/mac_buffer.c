/* SPDX-License-Identifier: MIT */
/* See mac_buffer.h. */
#include "sim/chip/mac_buffer.h"

uint32_t tigon_local_end_of_any(const struct tigon_board *board, uint32_t address,
                                uint32_t length) {
    const uint32_t transmit = TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    const uint32_t receive = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    const uint32_t end = address + length;
    if (transmit < receive && address >= transmit && address < receive)
        return end < receive ? end : transmit + (end - receive) % (receive - transmit);
    if (receive && receive < TIGON_SRAM_SPACE_END && address >= receive &&
        address < TIGON_SRAM_SPACE_END)
        return end < TIGON_SRAM_SPACE_END
                   ? end
                   : receive + (end - TIGON_SRAM_SPACE_END) % (TIGON_SRAM_SPACE_END - receive);
    return end;
}

uint32_t tigon_ring_distance_of_any(uint32_t size, uint32_t from, uint32_t to) {
    if (!size)
        return 0;
    return (uint32_t)(((uint64_t)to + size - from % size) % size);
}
