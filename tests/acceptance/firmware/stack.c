/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.3 and 2.1: stacks that leave the scratchpad continue in SRAM, each core by its own
 * relocation register. */
#include "tests/acceptance/firmware/firmware.h"

#define SPILL_A 0x3C000u
#define SPILL_B 0x3B000u

/* Pushes `word` on a stack at the very bottom of the scratchpad. */
static void push_at_bottom(uint32_t word) {
    __asm__ volatile(".set noreorder\n\tlui $8, 0x00C0\n\tori $8, $8, 0x0008\n\taddiu $8, $8, -24\n"
                     "\tsw %0, 8($8)\n\tsw %0, 16($8)\n\t.set reorder"
                     :
                     : "r"(word)
                     : "$8", "memory");
}

void main_a(void) {
    HW(0x150) = 0x00BFF000u - SPILL_A;
    HW(0x250) = 0x00BFF000u - SPILL_B;
    MEMORY(0x00BFFFF0) = 0xDEADBEEF;
    say("stored at 0x00BFFFF0", MEMORY((0x00BFFFF0u - HW(0x150)) & 0x1FFFFFu));
    say("and read back there", MEMORY(0x00BFFFF0));
    say("relocation, host address of it", 0x00BFFFF0u - HW(0x150));
    push_at_bottom(0x11223344);
    say("frame: part in SRAM", MEMORY(SPILL_A + 0xFF8u));
    say("frame: part in the scratchpad", MEMORY(0x00C00000));
    *(volatile uint8_t *)0x00BFF001 = 0x99;
    say("byte at the lower end", MEMORY(SPILL_A));
    start_core_b();
    while (!(HW(0x240) & 1u << 18))
        ;
    say("B's own place", MEMORY(SPILL_B + 0xFF0u));
    say("A's is as it was", MEMORY(SPILL_A + 0xFF0u));
    say("lowest address of the window", MEMORY((0x00BF0000u - HW(0x150)) & 0x1FFFFFu));
    MEMORY(0x00BF0000) = 0x01020304;
    say("after a store to 0x00BF0000", MEMORY((0x00BF0000u - HW(0x150)) & 0x1FFFFFu));
}

void main_b(void) {
    MEMORY(0x00BFFFF0) = 0xB0B0B0B0;
    say_b("B reads its own", MEMORY(0x00BFFFF0));
}
