/* SPDX-License-Identifier: MIT */
/* tigon2.md 15.5: both engines driven by hand; the host checks what arrives. ARGUMENT(0) is the bus
 * address of the source, ARGUMENT(1) of the destination, with 64 bytes for each transfer. */
#include "tests/acceptance/firmware/dma.h"

static const uint8_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 21};

static uint32_t all(uint32_t read_state, uint32_t write_state, uint32_t *place) {
    uint32_t sum = 0, odd = 0;
    for (uint32_t host = 0; host < 4; host++)
        for (uint32_t local = 0; local < 4; local++)
            for (uint32_t i = 0; i < sizeof lengths; i++, *place += 64) {
                const uint32_t buffer = 0x30000u + local;
                odd |= transfer(READ, ARGUMENT(0) + *place + host, buffer, lengths[i], read_state);
                check("local address after a read", HW(0x0B4), buffer + lengths[i]);
                sum ^= sum_of(buffer, lengths[i]);
                odd |= transfer(WRITE, ARGUMENT(1) + *place + 8 + (3 - host), buffer, lengths[i],
                                write_state);
            }
    check("attention bits", odd & 0xEF000000u, 0);
    return sum;
}

void main_a(void) {
    uint32_t place = 0;
    set_up_buffers();
    say("bytes in, bytes out", all(0x84, 0x20084, &place));
    say("words in, bytes out", all(0x86, 0x20084, &place));
    say("bytes in, words out", all(0x84, 0x20086, &place));
    say("words in, words out", all(0x86, 0x20086, &place));
    say("transfers", place / 64);

    /* The checksum of one read in three pieces is that of the whole. */
    (void)transfer(READ, ARGUMENT(0), 0x30000, 60, 0xE84);
    const uint32_t whole = HW(0x0B8);
    (void)transfer(READ, ARGUMENT(0), 0x30000, 20, 0x684);
    (void)transfer(READ, ARGUMENT(0) + 20, 0x30014, 20, 0x284);
    (void)transfer(READ, ARGUMENT(0) + 40, 0x30028, 20, 0x284);
    say("checksum", whole);
    check("checksum in pieces", HW(0x0B8), whole);

    /* Nothing behind this address: master abort, event, and the error cleared by bit 0. */
    const uint32_t failed = transfer(READ, 0xF0000000u, 0x30000, 8, 0x84);
    say("read of no memory: state", failed);
    say("and event", HW(0x060) & 1u << 20);
    say("and PCI status", HW(0x004) >> 16);
    HW(0x004) = HW(0x004);
    say("PCI status once written back", HW(0x004) >> 16);
    HW(0x0B0) = 1;
    say("after reset: state", HW(0x0B0));
    say("and event", HW(0x060) & 1u << 20);
}
