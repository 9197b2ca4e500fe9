/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.2: the memory size as the genuine image finds it (2.2). */
#include "tests/acceptance/firmware/firmware.h"

#define PATTERN 0x5AA5C33Cu

void main_a(void) {
    uint32_t size = 256u * 1024u;
    while (size < 8u * 1024u * 1024u) {
        MEMORY(size) = PATTERN;
        MEMORY(2u * size) = 0;
        const uint32_t wraps = MEMORY(size) == 0;
        MEMORY(2u * size) = PATTERN;
        if (wraps && MEMORY(size) == PATTERN)
            break;
        size *= 2;
    }
    say("size", size);
    /* Everywhere in the 8 MB window, bytes as well as words. */
    for (uint32_t base = 0; base < 0x800000; base += size) {
        MEMORY(base + 0x30000u) = base | 1u;
        check("word through each image", MEMORY(0x30000u), base | 1u);
        *(volatile uint8_t *)(base + 0x30003u) = (uint8_t)(base >> 16 | 2u);
        check("byte through each image", MEMORY(0x30000u) & 0xFFu, (base >> 16 | 2u) & 0xFFu);
    }
}
