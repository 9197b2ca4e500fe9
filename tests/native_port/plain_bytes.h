/* SPDX-License-Identifier: MIT */
/*
 * Bytes copied and compared where the address sanitizer does not look, and by nothing that a
 * compiler turns into a call of memcpy or memcmp. Between the objects of a node lie zones that the
 * sanitizer forbids, also to memcpy; and its checks of long ranges took a fifth of a fuzzer's time.
 */
#ifndef TESTS_NATIVE_PORT_PLAIN_BYTES_H
#define TESTS_NATIVE_PORT_PLAIN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__attribute__((no_sanitize("address", "undefined"))) static inline void
plain_copy(unsigned char *to, const unsigned char *from, size_t bytes) {
#if defined __x86_64__
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
    for (size_t at = 0; at < bytes; at++) {
        to[at] = from[at];
        __asm__ volatile("" ::: "memory");
    }
#endif
}

__attribute__((no_sanitize("address", "undefined"))) static inline bool
plain_equal(const uint32_t *left, const uint32_t *right, size_t words) {
    uint32_t differing = 0;
    for (size_t word = 0; word < words; word++)
        differing |= left[word] ^ right[word];
    return differing == 0;
}

#endif
