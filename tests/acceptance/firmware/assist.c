/* SPDX-License-Identifier: MIT */
/* tigon2.md 5.2, 5.4, 13.7, 14.10: the assist's modes, low-priority rings, checksums in
 * descriptors, recovery after an error, an interrupt at the end. */
#include "tests/acceptance/firmware/dma.h"

static uint32_t queue_low(uint32_t ring, uint32_t host, uint32_t local, uint32_t length,
                          uint32_t state) {
    const uint32_t slot = HW(ring);
    MEMORY(slot) = 0;
    MEMORY(slot + 4) = host;
    MEMORY(slot + 8) = local;
    MEMORY(slot + 12) = length;
    MEMORY(slot + 16) = state;
    HW(ring) = slot + 32;
    return slot;
}

void main_a(void) {
    set_up_buffers();
    say("low read ring at T -", T_BASE - HW(0x110));
    say("low write ring at T -", T_BASE - HW(0x130));

    /* Paused: one low and two high; the high ones go first. */
    HW(0x11C) = 3;
    (void)queue_low(0x110, ARGUMENT(0), 0x30000, 2000, 0x84);
    say("low ring: HW[11C]", HW(0x11C));
    (void)queue(READ, ARGUMENT(0), 0x31000, 2000, 0x84);
    (void)queue(READ, ARGUMENT(0), 0x32000, 2000, 0x84);
    HW(0x11C) = 1;
    while (HW(0x104) != HW(0x100))
        check("low ring while the high one has work", HW(0x114), HW(0x118));
    while (HW(0x114) != HW(0x110))
        ;
    say("events, high and low", HW(0x060) & 0xF000u);
    HW(0x118) = HW(0x114);
    HW(0x108) = HW(0x104);
    say("events when both caught up", HW(0x060) & 0xF000u);
    check("low transfer", sum_of(0x30000, 2000), sum_of(0x31000, 2000));

    /* One at a time: never both engines. */
    uint32_t both = 0, rounds = 0;
    HW(0x11C) = 7;
    for (uint32_t i = 0; i < 8; i++) {
        (void)queue(READ, ARGUMENT(0), 0x30000, 1000, 0x84);
        (void)queue(WRITE, ARGUMENT(1), 0x31000, 1000, 0x20084);
    }
    HW(0x11C) = 5;
    while (HW(0x100) != HW(0x104) || HW(0x120) != HW(0x124)) {
        both += (HW(0x11C) & 0x1100u) == 0x1100u;
        rounds++;
    }
    check("both engines busy, one at a time", both, 0);
    HW(0x11C) = 3;
    for (uint32_t i = 0; i < 8; i++) {
        (void)queue(READ, ARGUMENT(0), 0x30000, 1000, 0x84);
        (void)queue(WRITE, ARGUMENT(1), 0x31000, 1000, 0x20084);
    }
    HW(0x11C) = 1;
    while (HW(0x100) != HW(0x104) || HW(0x120) != HW(0x124))
        both += (HW(0x11C) & 0x1100u) == 0x1100u;
    say("both engines busy, overlapping", both != 0);

    /* The checksum is stored where word 5 says: in the descriptor itself, as the image does. */
    const uint32_t slot = queue(READ, ARGUMENT(0), 0x30000, 60, 0xE84);
    drain(READ);
    say("checksum in the descriptor", MEMORY(slot + 20));
    say("checksum register", HW(0x0B8));

    /* An index DMAed out of the descriptor itself (tigon2.md 5.3), interrupting the host. */
    const uint32_t next = HW(0x12C);
    HW(0x11C) = 3;
    (void)queue(WRITE, ARGUMENT(1) + 0x100, next + 28, 4, 0x220086);
    MEMORY(next + 28) = 0x1234;
    say("interrupt before", HW(0x040) & 1u);
    HW(0x11C) = 1;
    drain(WRITE);
    say("interrupt after", HW(0x040) & 1u);

    /* A descriptor that fails stops its ring; recovery as the image does it. */
    HW(0x108) = HW(0x104);
    (void)queue(READ, 0xF0000000u, 0x30000, 16, 0x84);
    (void)queue(READ, ARGUMENT(0), 0x32000, 16, 0x84);
    while (!(HW(0x060) & 1u << 20))
        ;
    say("attention", HW(0x0B0) & 0xEF000000u);
    say("descriptors left", (HW(0x100) - HW(0x104)) / 32);
    HW(0x11C) = 3;
    HW(0x0B0) = 1;
    HW(0x104) = HW(0x104) + 32;
    HW(0x11C) = 1;
    drain(READ);
    say("event after recovery", HW(0x060) & (1u << 20 | 1u << 15));
    check("the one behind it", sum_of(0x32000, 16),
          (transfer(READ, ARGUMENT(0), 0x33000, 16, 0x84), sum_of(0x33000, 16)));
}
