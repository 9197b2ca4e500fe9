/* SPDX-License-Identifier: MIT */
/* Bits of a word by the core's own instruction; the fuzzer's C on the bare core has them, too. */
#ifndef FW_RUNTIME_TIGON2_BITS_H
#define FW_RUNTIME_TIGON2_BITS_H

#include <stdint.h>

/* Index of the most significant set bit plus 1, 0 for none (tigon2.md 1.3). */
static inline uint32_t tigon2_priority(uint32_t value) {
    uint32_t result;
    __asm__("pri %0, %1, %1" : "=r"(result) : "r"(value));
    return result;
}

static inline uint32_t nic_highest_bit(uint32_t word) {
    return tigon2_priority(word) - 1;
}

/* The chip finds the highest bit, not the lowest (tigon2.md 1.3). */
#define hsm_lowest_bit(word) (nic_highest_bit((word) & (0u - (word))))

#endif
