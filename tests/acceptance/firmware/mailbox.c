/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.10 and 4: mailboxes and the interrupt. The host acts on PHASE. */
#include "tests/acceptance/firmware/mac.h"

static void clear(void) {
    HW(0x064) = 0xFFFFFFFFu;
    HW(0x074) = 0xFFFFFFFFu;
}

static void next(uint32_t phase) {
    MEMORY(PHASE) = phase;
    while (MEMORY(PHASE) == phase)
        ;
}

void main_a(void) {
    clear();
    say("event before", HW(0x060) & 1u << 22);
    MEMORY(PHASE) = 1; /* mailbox 5 */
    while (!(HW(0x060) & 1u << 22))
        ;
    say("mailbox event A", HW(0x064));
    say("mailbox event B", HW(0x074));
    say("word of mailbox 5", MEMORY(0x104 + 8 * 5));
    HW(0x060) = 0; /* a level: writing the event word changes nothing */
    say("event after a write of the event word", HW(0x060) & 1u << 22);
    HW(0x064) = ~(1u << 5);
    say("other bits written", HW(0x064));
    HW(0x064) = 1u << 5;
    say("cleared by writing 1: A", HW(0x064));
    say("and B, not cleared", HW(0x074));
    say("event of A", HW(0x060) & 1u << 22);
    say("event of B", HW(0x070) & 1u << 22);
    clear();

    next(2); /* every mailbox, last first */
    say("all 32", HW(0x064));
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < 32; i++)
        wrong += MEMORY(0x104 + 8 * i) != (0xAB00u | i);
    check("words of the mailboxes that are wrong", wrong, 0);
    clear();

    next(3); /* high words; low words through the window; the same by DMA */
    (void)transfer(READ, ARGUMENT(0), 0x100, 256, 0x86);
    say("after high words, window and DMA", HW(0x064));
    say("though they are there", MEMORY(0x104 + 8 * 7));

    HW(0x044) = 0x204; /* interrupt */
    say("interrupt pending", HW(0x040) & 1u);
    next(4); /* the host writes mailbox 1 */
    say("after mailbox 1", HW(0x040) & 1u);
    next(5); /* ... and mailbox 0 */
    say("after mailbox 0", HW(0x040) & 1u);
    HW(0x044) = 0x204;
    next(6); /* ... bit 1 of HW[040] */
    say("after bit 1 of HW[040]", HW(0x040) & 1u);
    HW(0x044) = 0x204;
    HW(0x044) = 0x202;
    say("after bit 1 of HW[044]", HW(0x044) & 1u);
    next(7); /* ... masks it */
    HW(0x044) = 0x204;
    next(8);
    say("masked, still pending", HW(0x040) & 0x41u);
}
