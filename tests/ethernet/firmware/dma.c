/* Core A: the DMA rings. B moves their consumers, A the producers and references. */
#include "tests/ethernet/firmware/core_a.h"

static uint32_t free_slots(uint32_t producer, uint32_t reference) {
    return ((reference - producer - DMA_BYTES_EACH) & (DMA_RING_BYTES - 1)) / DMA_BYTES_EACH;
}

uint32_t read_slots(void) {
    return free_slots(HW(READ_RING_PRODUCER), HW(READ_RING_REFERENCE));
}

uint32_t write_slots(void) {
    return free_slots(HW(WRITE_RING_PRODUCER), HW(WRITE_RING_REFERENCE));
}

static uint32_t after(uint32_t slot, uint32_t ring) {
    const uint32_t next = slot + DMA_BYTES_EACH;
    return next == ring + DMA_RING_BYTES ? ring : next;
}

static void fill(volatile struct dma *slot, uint32_t high, uint32_t low, uint32_t local,
                 uint32_t length, uint32_t state, uint32_t kind, uint32_t index) {
    slot->host_high = high;
    slot->host_low = low;
    slot->local = local;
    slot->length = length;
    slot->state = state;
    slot->checksum_address = (uint32_t)&slot->checksum_address + 2;
    slot->kind = kind;
    slot->index = index;
}

void queue_read(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t state,
                uint32_t kind, uint32_t index) {
    const uint32_t slot = HW(READ_RING_NEXT);
    fill((volatile struct dma *)slot, high, low, local, length, state, kind, index);
    HW(READ_RING_PRODUCER) = after(slot, place.read_ring);
}

void queue_write(uint32_t high, uint32_t low, uint32_t local, uint32_t length, uint32_t state,
                 uint32_t kind, uint32_t index) {
    const uint32_t slot = HW(WRITE_RING_NEXT);
    fill((volatile struct dma *)slot, high, low, local, length, state, kind, index);
    HW(WRITE_RING_PRODUCER) = after(slot, place.write_ring);
}

uint32_t entry_low(const struct host_ring *ring, uint32_t counter) {
    return ring->low + (counter & (ring->entries - 1)) * 4 * ENTRY_WORDS;
}

uint32_t entry_high(const struct host_ring *ring, uint32_t counter) {
    return ring->high + (entry_low(ring, counter) < ring->low ? 1 : 0);
}

void reads_done(void) {
    uint32_t slot = HW(READ_RING_REFERENCE);
    while (slot != HW(READ_RING_CONSUMER)) {
        const volatile struct dma *dma = (const volatile struct dma *)slot;
        const uint32_t kind = dma->kind;
        const uint32_t index = dma->index;
        slot = after(slot, place.read_ring);
        HW(READ_RING_REFERENCE) = slot;
        if (kind == KIND_SENDS)
            sends_fetched(index);
        else if (kind == KIND_BUFFERS)
            buffers_fetched(index);
        else if (kind == KIND_FRAME)
            frame_fetched(index);
    }
}

void writes_done(void) {
    uint32_t slot = HW(WRITE_RING_REFERENCE);
    while (slot != HW(WRITE_RING_CONSUMER)) {
        const volatile struct dma *dma = (const volatile struct dma *)slot;
        const uint32_t kind = dma->kind;
        const uint32_t index = dma->index;
        slot = after(slot, place.write_ring);
        HW(WRITE_RING_REFERENCE) = slot;
        if (kind == KIND_DATA)
            data_delivered(index);
        else if (kind == KIND_RETURN)
            return_delivered();
        else if (kind == KIND_REPORT)
            report_delivered();
    }
}
