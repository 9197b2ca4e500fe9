/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.8 and 6.1, 6.4: transmit. Frame k comes from ARGUMENT(0) + 2048 * k. */
#include "tests/acceptance/firmware/mac.h"

static uint32_t frames, place;

static uint32_t source(uint32_t frame) {
    return ARGUMENT(0) + 2048u * frame;
}

/* The protocol of the image: reserve, post, then the data. */
static void send(uint32_t length, uint32_t flags, uint32_t tag) {
    post(place | flags, length | tag << 16);
    (void)queue(READ, source(frames), place, length, 0x20084);
    place = transmit_step(place, (length + 7u) & ~7u);
    frames++;
}

static void settle(void) {
    while (transmit_pending())
        ;
}

void main_a(void) {
    set_up_mac();
    await_link();
    place = T_BASE;

    post(T_BASE, 100);
    wait_us(50);
    say("posted without data, after 50 us: still there", transmit_pending());
    (void)queue(READ, source(0), T_BASE, 60, 0x84);
    drain(READ);
    wait_us(50);
    say("first fragment read, after 50 us: still there", transmit_pending());
    say("HW[0D4] has not moved", HW(0x0D4) - T_BASE);
    (void)queue(READ, source(0) + 60, T_BASE + 60, 40, 0x20084);
    settle();
    say("last fragment, bit 17: HW[0D4]", HW(0x0D4) - T_BASE);
    say("and HW[0D8]", HW(0x0D8) - T_BASE);
    say("and HW[0F4]", HW(0x0F4) - (T_BASE - 0x2800u));
    place = T_BASE + 104;
    frames = 1;

    /* 8 kB of buffer: the end is passed twice. A frame is posted when there is room for it. */
    for (uint32_t i = 0; i < 14; i++) {
        send(1000 + 37 * i, 0, 0);
        if (i % 4 == 3)
            settle();
    }
    settle();
    say("HW[0D8] after going round", HW(0x0D8) - T_BASE);
    check("as we count", HW(0x0D8), place);

    HW(0x214) = 0x8100241Fu;
    send(64, 1u << 30, 0x0123);
    settle();

    HW(0x200) = 0xE6u; /* stop */
    send(200, 0, 0);
    drain(READ);
    wait_us(50);
    say("stopped, after 50 us: still there", transmit_pending());
    HW(0x200) = 0xE2u;
    settle();
    HW(0x200) = 0xE0u; /* not enabled */
    send(300, 0, 0);
    drain(READ);
    wait_us(50);
    say("disabled, after 50 us: still there", transmit_pending());
    HW(0x200) = 0xE2u;
    settle();

    /* Zero-length and shortest frames are padded. */
    send(14, 0, 0);
    settle();

    uint32_t fit = 0;
    HW(0x200) = 0xE6u;
    while (HW(0x0FC)) {
        post(place, 60);
        fit++;
    }
    say("descriptors that fit the ring", fit);
    say("MAC statistics: underruns", MEMORY(0x080 + 4 * 19));
}
