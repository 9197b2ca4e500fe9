/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.1: branch-likely, and values just loaded used by the very next instruction. */
#include "tests/acceptance/firmware/firmware.h"

#define MINUS 0xFFFFFFFFu

static const struct {
    const char *name;
    uint32_t which, taken[2], not_taken[2];
} cases[] = {
    {"BEQL slots, taken and not", 0, {5, 5}, {5, 6}},
    {"BNEL slots, taken and not", 1, {5, 6}, {5, 5}},
    {"BLEZL slots, taken and not", 2, {0, 0}, {1, 0}},
    {"BGTZL slots, taken and not", 3, {1, 0}, {0, 0}},
    {"BLTZL slots, taken and not", 4, {MINUS, 0}, {0, 0}},
    {"BGEZL slots, taken and not", 5, {0, 0}, {MINUS, 0}},
};

/* A chain through memory, each load used at once. */
static uint32_t chain(const volatile uint32_t *start, uint32_t links) {
    uint32_t at = (uint32_t)(uintptr_t)start;
    while (links--)
        __asm__ volatile(".set noreorder\n\tlw %0, 0(%0)\n\taddiu %0, %0, 4\n\t.set reorder"
                         : "+r"(at));
    return at;
}

/* 1000 loads from the scratchpad, with their result used at once or an instruction later, in
 * microseconds; the loop itself costs the same. */
FAST static uint32_t measure(uint32_t used_at_once) {
    const uint32_t start = HW(0x054);
    uint32_t count = 1000, word = 0x00C00000, sum = 0;
    if (used_at_once)
        __asm__ volatile(
            ".set noreorder\n"
            "1:\tlw $8, 0(%2)\n\taddu %1, %1, $8\n\tnop\n\taddiu %0, %0, -1\n\tbnez %0, 1b\n\tnop\n"
            "\t.set reorder"
            : "+r"(count), "+r"(sum)
            : "r"(word)
            : "$8");
    else
        __asm__ volatile(
            ".set noreorder\n"
            "1:\tlw $8, 0(%2)\n\tnop\n\taddu %1, %1, $8\n\taddiu %0, %0, -1\n\tbnez %0, 1b\n\tnop\n"
            "\t.set reorder"
            : "+r"(count), "+r"(sum)
            : "r"(word)
            : "$8");
    return HW(0x054) - start;
}

void main_a(void) {
    static uint32_t links[4];
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++)
        say(cases[i].name,
            likely(cases[i].which, cases[i].taken[0], cases[i].taken[1]) << 4 |
                likely(cases[i].which, cases[i].not_taken[0], cases[i].not_taken[1]));
    for (unsigned i = 0; i < 4; i++)
        links[i] = (uint32_t)(uintptr_t)&links[(i + 1) & 3];
    check("chain of loads used at once", chain(links, 1), (uint32_t)(uintptr_t)&links[1] + 4);
    say("1000 loads used at once, us", measure(1));
    say("1000 loads used one later, us", measure(0));
}
