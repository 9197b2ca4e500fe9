/* SPDX-License-Identifier: MIT */
/*
 * Addresses in the two MAC buffers (tigon2.md 5.3, 6): transmit from HW[0D0] to HW[0C0], receive
 * from there to the end of the 2 MB space, each a ring. The fast path for a range in one piece,
 * which nearly all are, is inline here; mac_buffer.c handles all cases, including pointers outside
 * both buffers.
 */
#ifndef SIM_MAC_BUFFER_H
#define SIM_MAC_BUFFER_H

#include "sim/chip/board.h"

#define TIGON_SRAM_SPACE_END 0x200000u

uint32_t tigon_local_end_of_any(const struct tigon_board *board, uint32_t address, uint32_t length)
    __attribute__((cold));

/* Bytes from `from` forward to `to` in a buffer of `size` bytes, in which they are counted modulo
 * its size; 0 when there is none. */
uint32_t tigon_ring_distance_of_any(uint32_t size, uint32_t from, uint32_t to)
    __attribute__((cold));

/* Local address after `length` bytes from `address`, wrapped at the end of its buffer. */
static inline uint32_t tigon_local_end(const struct tigon_board *board, uint32_t address,
                                       uint32_t length) {
    const uint32_t receive = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    const uint32_t end = address + length;
    if (__builtin_expect(end < (address < receive ? receive : TIGON_SRAM_SPACE_END), 1))
        return end; /* no buffer ends before that */
    return tigon_local_end_of_any(board, address, length);
}

static inline uint32_t tigon_transmit_buffer_size(const struct tigon_board *board) {
    const uint32_t base = TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    const uint32_t end = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    return end > base ? end - base : 0;
}

static inline uint32_t tigon_receive_buffer_size(const struct tigon_board *board) {
    const uint32_t base = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    return base < TIGON_SRAM_SPACE_END ? TIGON_SRAM_SPACE_END - base : 0;
}

/* Is this an address in a buffer of `size` bytes at `base`? */
static inline bool tigon_in_ring(uint32_t base, uint32_t size, uint32_t address) {
    return address - base < size;
}

/* Bytes from `from` forward to `to`, both in one buffer of `size` bytes. */
static inline uint32_t tigon_ring_distance(uint32_t size, uint32_t from, uint32_t to) {
    return to >= from ? to - from : to - from + size;
}

#endif
