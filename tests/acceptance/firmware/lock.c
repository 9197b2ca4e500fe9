/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.4: the semaphore step by step with the cores taking turns, then as a lock around a
 * counter that both increment. */
#include "tests/acceptance/firmware/firmware.h"

#define TURN  0x3F000u
#define COUNT 0x3F004u
#define DONE  0x3F008u
#define TIMES 300u

static void await(uint32_t turn) {
    while (MEMORY(TURN) != turn)
        ;
}

static void increment(uint32_t face) {
    for (uint32_t i = 0; i < TIMES; i++) {
        do
            HW(face) = 1;
        while (HW(face) == 0);
        const uint32_t before = MEMORY(COUNT);
        HW(0x060) = HW(0x060) ^ 1u << 10; /* what the image holds it for: software events of A */
        MEMORY(COUNT) = before + 1u;
        HW(face) = 1;
    }
}

void main_a(void) {
    say("free: A reads", HW(0x048));
    HW(0x048) = 0x1234;
    say("A locks: A reads", HW(0x048));
    start_core_b();
    MEMORY(TURN) = 1;
    await(2);
    say("after B contended: A reads", HW(0x048));
    HW(0x048) = 1;
    say("A releases: A reads", HW(0x048));
    MEMORY(TURN) = 3;
    await(4);
    HW(0x048) = 1;
    say("A contends: A reads", HW(0x048));
    MEMORY(TURN) = 5;
    await(6);
    increment(0x048);
    while (!MEMORY(DONE))
        ;
    say("both together", MEMORY(COUNT));
    say("event toggled an even number of times", HW(0x060) & 1u << 10);
    say("free again", HW(0x048) | HW(0x04C));
}

void main_b(void) {
    await(1);
    HW(0x04C) = 1;
    say_b("A holds it, B writes: B reads", HW(0x04C));
    MEMORY(TURN) = 2;
    await(3);
    say_b("released: B reads before it writes", HW(0x04C));
    HW(0x04C) = 1;
    say_b("B locks: B reads", HW(0x04C));
    MEMORY(TURN) = 4;
    await(5);
    say_b("after A's foreign write: B reads", HW(0x04C));
    HW(0x04C) = 1;
    MEMORY(TURN) = 6;
    increment(0x04C);
    MEMORY(DONE) = 1;
}
