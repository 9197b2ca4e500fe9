/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.9 and 6.2 to 6.4, 7: receive. ARGUMENT(1) is where frames go in host memory; the
 * host puts frames on the wire when PHASE says so. */
#include "tests/acceptance/firmware/mac.h"

static uint32_t host_place;

/* Takes the frame at HW[0E4]; hands it to the host with bit 19, so that its space is free. */
static void take(uint32_t quiet) {
    while (!(HW(0x060) & 1u << 6))
        ;
    const uint32_t slot = HW(0x0E4), address = MEMORY(slot), word = MEMORY(slot + 4);
    const uint32_t length = (word & 0xFFFFu) - 4u;
    (void)queue(WRITE, ARGUMENT(1) + host_place, address, length, 0xA0084);
    drain(WRITE);
    HW(0x128) = HW(0x124);
    if (!quiet) {
        say("frame at R +", address - R_BASE);
        say("   length and status", word);
        say("   free from", HW(0x0C8) - R_BASE);
    }
    host_place += 2048;
    const uint32_t next = slot + 8 < T_BASE - 0x1000u ? slot + 8 : T_BASE - 0x2000u;
    HW(0x0E4) = next;
    HW(0x0E8) = next;
}

static uint32_t waiting(void) {
    return ((HW(0x0E0) - HW(0x0E8)) >> 3) & 511u;
}

static void statistics(void) {
    static const char *const names[] = {"dropped unicast",   "dropped multicast", "dropped PAUSE",
                                        "dropped for space", "collisions",        "kept broadcast",
                                        "kept multicast",    "kept unicast"};
    say("MAC statistics: CRC errors", MEMORY(0x080 + 4 * 18));
    for (uint32_t i = 0; i < 8; i++)
        say(names[i], MEMORY(0x080 + 4 * (24 + i)));
}

void main_a(void) {
    set_up_mac();
    await_link();

    MEMORY(PHASE) = 1; /* ten frames of 1000 bytes and more */
    for (uint32_t i = 0; i < 10; i++)
        take(0);
    say("event 6 with all taken", HW(0x060) & 1u << 6);

    MEMORY(PHASE) = 2; /* a CRC error, a short frame */
    take(0);
    take(0);

    MEMORY(PHASE) = 3; /* more than fit; we send PAUSE */
    HW(0x200) = 0x1E2u;
    while (!(HW(0x060) & 1u << 25))
        ;
    wait_us(200);
    say("attention", HW(0x220) & 0xF7000000u);
    say("frames in the buffer", waiting());
    HW(0x220) = 0x01000802u; /* another bit: nothing is cleared */
    say("another bit written", HW(0x220) & 0xF7000000u);
    HW(0x220) = 0x40000802u;
    say("cleared by writing 1", HW(0x220) & 0xF7000000u);
    say("event 25", HW(0x060) & 1u << 25);
    while (waiting())
        take(1);
    say("all given back: HW[0C4]", HW(0x0C4) - R_BASE);
    say("and HW[0C8]", HW(0x0C8) - R_BASE);
    wait_us(50);
    HW(0x200) = 0xE2u;

    MEMORY(PHASE) =
        4; /* who gets in: not ours, ours, broadcast, multicast without and with its bit */
    take(0);
    take(0);
    HW(0x228) = HW(0x22C) = HW(0x230) = HW(0x234) = 0xFFFFFFFFu;
    MEMORY(PHASE) = 5;
    take(0);
    HW(0x220) = 0x0000080Au;
    MEMORY(PHASE) = 6; /* promiscuous: somebody else's */
    take(0);
    statistics();

    MEMORY(PHASE) = 7; /* PAUSE for 195 quanta of 512 ns, 100 us */
    HW(0x220) = 0x00010802u;
    while (MEMORY(0x080 + 4 * 26) < 1u)
        ;
    const uint32_t start = HW(0x054);
    post(T_BASE, 64);
    (void)queue(READ, ARGUMENT(0), T_BASE, 64, 0x20084);
    while (transmit_pending())
        ;
    const uint32_t held = HW(0x054) - start;
    say("held back for 95 to 101 us", held >= 95 && held <= 101);

    MEMORY(PHASE) = 8; /* receiver off: nothing comes in */
    HW(0x220) = 0x00000800u;
    wait_us(50);
    MEMORY(PHASE) = 9;
    wait_us(100);
    say("frames received while disabled", waiting());
}
