/* SPDX-License-Identifier: MIT */
#include "tests/relay/firmware/relay.h"

volatile struct shared shared __attribute__((aligned(16)));

static const uint32_t face[] = {SEMAPHORE_A, SEMAPHORE_B};
static const uint32_t event_word[] = {EVENT_A, EVENT_B};

static void lock(unsigned core) {
    HW(face[core]) = 1;
    while (!HW(face[core])) {
        shared.counts.lock_waits++;
        HW(face[core]) = 1;
    }
}

static void unlock(unsigned core) {
    HW(face[core]) = 1; /* a second write gives it back */
}

void set_event(unsigned of, unsigned event, unsigned core) {
    lock(core);
    HW(event_word[of]) |= 1u << event;
    unlock(core);
}

void clear_event(unsigned of, unsigned event, unsigned core) {
    lock(core);
    HW(event_word[of]) &= ~(1u << event);
    unlock(core);
}

void fill(uint32_t slot, const struct descriptor *content) {
    volatile uint32_t *to = (volatile uint32_t *)slot;
    const uint32_t *from = (const uint32_t *)content;
    for (unsigned i = 0; i < sizeof *content / 4; i++)
        to[i] = from[i];
}

uint32_t low_slot(uint32_t ring) {
    const uint32_t producer = HW(ring), reference = HW(ring + 8);
    return ((producer + DMA_BYTES_EACH - reference) & (LOW_RING_BYTES - 1)) ? producer : 0;
}

bool write_words(uint32_t high, uint32_t low, uint32_t offset, volatile const void *from,
                 uint32_t bytes, uint32_t alarm, unsigned core) {
    lock(core);
    const uint32_t slot = HW(WRITE_RING_NEXT);
    if (slot) {
        const struct descriptor content = {.host_high = high + (low + offset < low),
                                           .host_low = low + offset,
                                           .local = (uint32_t)from,
                                           .length = bytes,
                                           .state = MOVE_WORDS | DMA_WRITE_USUAL | alarm};
        fill(slot, &content);
        HW(WRITE_RING_PRODUCER) = slot + DMA_BYTES_EACH;
    }
    unlock(core);
    return slot != 0;
}
