/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.1: dispatch by PRI and JOFF, and a handler replaced by rewriting the table. */
#include "tests/acceptance/firmware/firmware.h"

void main_a(void) {
    say("nothing pending", dispatch(0, 0xFFFFFFFF));
    for (uint32_t bit = 0; bit < 32; bit++)
        check("bit alone", dispatch(1u << bit, 0xFFFFFFFF), bit + 1);
    for (uint32_t high = 1; high < 32; high++)
        for (uint32_t low = 0; low < high; low++)
            check("higher of two", dispatch(1u << high | 1u << low, 0xFFFFFFFF), high + 1);
    say("all pending", dispatch(0xFFFFFFFF, 0xFFFFFFFF));
    say("all pending, 22 and 6 enabled", dispatch(0xFFFFFFFF, 1u << 22 | 1u << 6));
    say("the same without 22", dispatch(0xFFBFFFFF, 1u << 22 | 1u << 6));
    say("pending but not enabled", dispatch(0x00400040, 0xFFBFFFBF));
    say("delay slots executed", dispatch_slots);
    /* addiu $2, $0, 0x77 in place of 1: seen at once, without any cache instruction. */
    dispatch_entry_1[1] = 0x24020077;
    say("patched handler of bit 0", dispatch(1, 1));
}
