/* SPDX-License-Identifier: MIT */
/*
 * Core B: in place of the DMA assist it feeds both engines from the rings (tigon2.md 5.5), and
 * reminds A that the host should hear of what has happened. With the hardware assist it only does
 * the latter.
 *
 * Bits 8, 11, 12 and 15 of HW[11C] tell what the engines and rings do; a finished transfer moves
 * the ring's consumer, which raises event 15 or 14 of A.
 */
#include "tests/ethernet/firmware/chip.h"

#define ASSIST __attribute__((section(".assist")))

#define TIMER_US 5u

ASSIST void assist(void);

IN_SRAM volatile struct shared shared;

/* Software events of A are set by both cores: never without the semaphore (tigon2.md 3.4). */
ASSIST static void raise_for_a(uint32_t event) {
    do
        HW(SEMAPHORE_B) = 1;
    while (HW(SEMAPHORE_B) == 0);
    HW(EVENT_A) |= 1u << event;
    HW(SEMAPHORE_B) = 1;
}

ASSIST static void remind(volatile struct untold *untold, uint32_t now, uint32_t event) {
    if (untold->waiting == 0 || (int32_t)(now - untold->until) < 0)
        return;
    untold->waiting = 0;
    raise_for_a(event);
}

ASSIST static void look_at_time(void) {
    const uint32_t now = HW(TIMER);
    HW(TIMER_REFERENCE_B) = now + TIMER_US;
    remind(&shared.returns, now, EVENT_TELL_RETURNS);
    remind(&shared.sends, now, EVENT_TELL_SENDS);
}

/* An engine, by its register offsets: constants wherever this is used. */
struct engine {
    uint32_t host, local, length, state, sum, ring;
    uint32_t busy, waiting;
    uint32_t below_transmit;
};

static const struct engine reader = {.host = READ_HOST_HIGH,
                                     .local = READ_LOCAL,
                                     .length = READ_LENGTH,
                                     .state = READ_STATE,
                                     .sum = READ_SUM,
                                     .ring = READ_RING_PRODUCER,
                                     .busy = ASSIST_READ_BUSY,
                                     .waiting = ASSIST_READ_WAITING,
                                     .below_transmit = READ_RING};
static const struct engine writer = {.host = WRITE_HOST_HIGH,
                                     .local = WRITE_LOCAL,
                                     .length = WRITE_LENGTH,
                                     .state = WRITE_STATE,
                                     .sum = WRITE_SUM,
                                     .ring = WRITE_RING_PRODUCER,
                                     .busy = ASSIST_WRITE_BUSY,
                                     .waiting = ASSIST_WRITE_WAITING,
                                     .below_transmit = WRITE_RING};

struct work {
    volatile struct dma *now; /* the transfer under way, or NULL */
    uint32_t state;           /* of its descriptor */
    uint32_t tries;
};

#define INLINE static inline __attribute__((always_inline))

INLINE void begin(const struct engine *engine, struct work *work) {
    volatile struct dma *dma = (volatile struct dma *)HW(engine->ring + 4);
    HW(engine->host) = dma->host_high;
    HW(engine->host + 4) = dma->host_low;
    HW(engine->local) = dma->local;
    HW(engine->length) = dma->length;
    work->state = dma->state;
    HW(engine->state) = work->state;
    work->now = dma;
}

/* True: again, the descriptor stays. */
INLINE bool recover(const struct engine *engine, struct work *work, uint32_t state) {
    const bool bad = dma_failed(state, HW(engine->length) & 0xFFFF);
    HW(engine->state) = DMA_RESET;
    if (bad) {
        shared.failed++;
        if (++work->tries < DMA_TRIES)
            return true;
    }
    return false;
}

INLINE void end(const struct engine *engine, struct work *work) {
    volatile struct dma *dma = work->now;
    const uint32_t state = HW(engine->state);
    work->now = 0;
    if ((state & DMA_ATTENTIONS) != 0 && recover(engine, work, state))
        return;
    work->tries = 0;
    if ((work->state & DMA_SUM_STORE) != 0)
        SRAM_HALF(dma->sum_address) = (uint16_t)HW(engine->sum);
    if (engine->state == READ_STATE && (work->state & DMA_READ_LAST) != 0)
        HW(TRANSMIT_PRODUCER) = HW(READ_LOCAL);
    const uint32_t ring = shared.transmit_base - engine->below_transmit;
    const uint32_t next = (uint32_t)dma + DMA_BYTES_EACH;
    HW(engine->ring + 4) = next == ring + DMA_RING_BYTES ? ring : next;
}

ASSIST void assist(void) {
    struct work reads = {0};
    struct work writes = {0};
    HW(TIMER_REFERENCE_B) = HW(TIMER) + TIMER_US;
    while (shared.assist == 0)
        if ((HW(EVENT_B) & 1u << EVENT_TIMER) != 0)
            look_at_time();
    for (;;) {
        const uint32_t state = HW(ASSIST_STATE);
        if (writes.now && (state & writer.busy) == 0)
            end(&writer, &writes);
        else if (!writes.now && (state & writer.waiting) != 0)
            begin(&writer, &writes);
        if (reads.now && (state & reader.busy) == 0)
            end(&reader, &reads);
        else if (!reads.now && (state & reader.waiting) != 0)
            begin(&reader, &reads);
        if ((HW(EVENT_B) & 1u << EVENT_TIMER) != 0)
            look_at_time();
    }
}
