/* SPDX-License-Identifier: MIT */
/*
 * Core A: what follows on transfers. The assist, hardware or core B, moves the consumers of the DMA
 * rings; A the producers (queue.h) and the references.
 */
#include "tests/ethernet/firmware/queue.h"

/* One slot always stays empty. */
#define SLOTS (DMA_RING_BYTES / DMA_BYTES_EACH - 1u)

struct dma_ring reads;
struct dma_ring writes;

RARE void queue_begin(void) {
    reads = (struct dma_ring){.free = SLOTS, .seen = place.read_ring};
    writes = (struct dma_ring){.free = SLOTS, .seen = place.write_ring};
}

void queue_index(struct bus_address to, uint32_t index, uint32_t state, uint32_t kind) {
    const uint32_t slot = HW(WRITE_RING_NEXT);
    queue_write((struct transfer){.high = to.high,
                                  .low = to.low,
                                  .local = slot + (uint32_t) __builtin_offsetof(struct dma, index),
                                  .length = 8,
                                  .state = state | DMA_WORDS | DMA_WRITE_USUAL,
                                  .kind = kind | LAST,
                                  .index = index});
}

/* After a batch has been seen: the event is wanted at the end of the next. Its slots are free only
 * now, because "next" counts from the reference. */
static inline __attribute__((always_inline)) void arm(struct dma_ring *ring, uint32_t registers,
                                                      uint32_t base, uint32_t seen) {
    ring->free += ((seen - ring->seen) & (DMA_RING_BYTES - 1)) / DMA_BYTES_EACH;
    ring->seen = seen;
    ring->tries = 0;
    ring->armed = ring->free != SLOTS;
    uint32_t slot = seen;
    while (ring->armed && (((const volatile struct dma *)slot)->kind & LAST) == 0)
        slot = dma_slot_after(slot, base);
    ring->last = slot;
    HW(registers + 8) = slot;
}

static uint32_t stored_sum(uint32_t slot) {
    return SRAM_HALF(slot + (uint32_t) __builtin_offsetof(struct dma, sum_address) + 2);
}

/* A batch is done as a whole when the event says so; the consumer is never read. */
void reads_done(void) {
    while (reads.armed && (HW(EVENT_A) & 1u << EVENT_READ_DONE) != 0) {
        const uint32_t end = dma_slot_after(reads.last, place.read_ring);
        for (uint32_t slot = reads.seen; slot != end;
             slot = dma_slot_after(slot, place.read_ring)) {
            const volatile struct dma *dma = (const volatile struct dma *)slot;
            const uint32_t kind = dma->kind & ~(uint32_t)LAST;
            if (kind == KIND_FRAME)
                frame_fetched(dma->index);
            else if (kind == KIND_SUMMED_FRAME)
                summed_frame_fetched(dma->index, stored_sum(slot));
            else if (kind == KIND_SENDS)
                sends_fetched(dma->index);
            else if (kind >= KIND_BUFFERS)
                buffers_fetched(kind - KIND_BUFFERS, dma->index);
        }
        arm(&reads, READ_RING_PRODUCER, place.read_ring, end);
    }
}

void writes_done(void) {
    while (writes.armed && (HW(EVENT_A) & 1u << EVENT_WRITE_DONE) != 0) {
        const uint32_t end = dma_slot_after(writes.last, place.write_ring);
        for (uint32_t slot = writes.seen; slot != end;
             slot = dma_slot_after(slot, place.write_ring)) {
            const volatile struct dma *dma = (const volatile struct dma *)slot;
            const uint32_t kind = dma->kind & ~(uint32_t)LAST;
            if (kind == KIND_RETURN)
                frame_delivered();
            else if (kind == KIND_SUMMED_DATA)
                summed_frame_delivered(dma->index, stored_sum(slot));
            else if (kind == KIND_ALARM)
                alarm();
            else if (kind == KIND_STATISTICS)
                statistics_delivered();
        }
        arm(&writes, WRITE_RING_PRODUCER, place.write_ring, end);
    }
    writes_possible();
}

/* A transfer of the hardware assist failed (tigon2.md 13 item 7): again, or on with the next. */
RARE static void recover(struct dma_ring *ring, uint32_t state, uint32_t length, uint32_t consumer,
                         uint32_t base) {
    HW(ASSIST_STATE) = settings.assist | ASSIST_PAUSE;
    const uint32_t slot = HW(consumer);
    const bool bad = dma_failed(HW(state), HW(length) & 0xFFFF);
    const bool again = bad && ++ring->tries < DMA_TRIES;
    if (bad)
        count(COUNTER_DMA_FAILED);
    HW(state) = DMA_RESET;
    /* A transfer to the end of a 4 GB line is complete, and the consumer is past it. */
    HW(consumer) = again || !bad ? slot : dma_slot_after(slot, base);
    HW(ASSIST_STATE) = settings.assist;
}

RARE void read_attention(void) {
    recover(&reads, READ_STATE, READ_LENGTH, READ_RING_CONSUMER, place.read_ring);
}

RARE void write_attention(void) {
    recover(&writes, WRITE_STATE, WRITE_LENGTH, WRITE_RING_CONSUMER, place.write_ring);
}
