/* SPDX-License-Identifier: MIT */
/* DMA from firmware: engines by hand, descriptors in rings (tigon2.md 5). */
#ifndef ACCEPTANCE_FIRMWARE_DMA_H
#define ACCEPTANCE_FIRMWARE_DMA_H

#include "tests/acceptance/firmware/firmware.h"

/* Where buffers and rings of a test lie: 8 kB of transmit buffer at T, of receive buffer at R, R +
 * 8 kB = the end of the 2 MB space. All of it exists on a 512 kB board too. */
#define T_BASE 0x1FC000u
#define R_BASE 0x1FE000u
#define R_END  0x200000u

enum { READ, WRITE };

struct engine {
    uint32_t host, state, local, length, checksum, ring, busy, ready, event;
};

static const struct engine engines[2] = {
    {0x090, 0x0B0, 0x0B4, 0x09C, 0x0B8, 0x100, 1u << 12, 1u << 15, 1u << 15},
    {0x080, 0x0A0, 0x0A4, 0x0AC, 0x0A8, 0x120, 1u << 8, 1u << 11, 1u << 14},
};

/* Base addresses and pointers of rings, buffers and MAC, all empty, assist off. */
static inline void set_up_buffers(void) {
    HW(0x11C) = 0; /* before the pointers move, or the assist would serve what is not there */
    while (HW(0x11C) & 0x1100u)
        ;
    HW(0x0D0) = T_BASE;
    HW(0x0C0) = R_BASE;
    HW(0x0D4) = HW(0x0D8) = T_BASE;
    HW(0x0C4) = HW(0x0C8) = R_BASE;
    HW(0x0E0) = HW(0x0E4) = HW(0x0E8) = T_BASE - 0x2000u;
    HW(0x0F0) = HW(0x0F4) = HW(0x0F8) = T_BASE - 0x2800u;
    for (uint32_t pointer = 0x100; pointer <= 0x138; pointer += 4)
        if (pointer != 0x11C)
            HW(pointer) = 0;
    HW(0x0EC) = 3;
    HW(0x0A0) = HW(0x0B0) = 1;
}

/* By hand, and waits for it; returns the state word then. */
static inline uint32_t transfer(unsigned number, uint32_t host, uint32_t local, uint32_t length,
                                uint32_t state) {
    const struct engine *engine = &engines[number];
    HW(engine->host) = 0;
    HW(engine->host + 4) = host;
    HW(engine->local) = local;
    HW(engine->length) = length;
    HW(engine->state) = state;
    while (HW(engine->state) & 4u)
        ;
    return HW(engine->state);
}

/* A descriptor at the slot that "next" names, and the producer moved past it. Returns the slot, 0
 * when the ring is full. */
static inline uint32_t queue(unsigned number, uint32_t host, uint32_t local, uint32_t length,
                             uint32_t state) {
    const uint32_t ring = engines[number].ring, slot = HW(ring + 0xC);
    if (!slot)
        return 0;
    MEMORY(slot) = 0;
    MEMORY(slot + 4) = host;
    MEMORY(slot + 8) = local;
    MEMORY(slot + 12) = length;
    MEMORY(slot + 16) = state;
    MEMORY(slot + 20) = slot + 22;
    MEMORY(slot + 24) = 0;
    MEMORY(slot + 28) = 0;
    HW(ring) = slot + 32;
    return slot;
}

/* Until everything queued is done. */
static inline void drain(unsigned number) {
    const uint32_t ring = engines[number].ring;
    while (HW(ring) != HW(ring + 4))
        ;
}

/* What the assist does, done by software (tigon2.md 5.5): looks at the not-empty bits, loads the
 * engine from the descriptor, hands over, moves the consumer. */
static inline void serve(unsigned number) {
    const struct engine *engine = &engines[number];
    const uint32_t state = HW(0x11C);
    if (!(state & engine->ready) || (state & engine->busy))
        return;
    const uint32_t slot = HW(engine->ring + 4), word = MEMORY(slot + 16);
    HW(engine->host) = MEMORY(slot);
    HW(engine->host + 4) = MEMORY(slot + 4);
    HW(engine->local) = MEMORY(slot + 8);
    HW(engine->length) = MEMORY(slot + 12);
    HW(engine->state) = word;
    while (HW(0x11C) & engine->busy)
        ;
    if (number == READ && (word & 1u << 17))
        HW(0x0D4) = HW(0x0B4);
    HW(engine->ring + 4) = slot + 32;
}

/* A sum that tells any two of our buffers apart. */
static inline uint32_t sum_of(uint32_t address, uint32_t length) {
    uint32_t sum = 1;
    for (uint32_t i = 0; i < length; i++)
        sum = (sum << 5 | sum >> 27) ^ *(volatile uint8_t *)(address + i);
    return sum;
}

#endif
