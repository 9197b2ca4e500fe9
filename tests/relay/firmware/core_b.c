/* SPDX-License-Identifier: MIT */
/* Core B: frames that come in. Data goes to the host by the low ring; when it is there, the entry
 * of the received ring follows by the high one, so that the host never sees it too early. */
#include "tests/relay/firmware/relay.h"

register uint32_t enabled __asm__("s7");

void initialise_b(void);
void frame_is_there(void);
void buffers_have_come(void);
void low_write_is_done(void);
void time_b(void);

void initialise_b(void) {
    HW(TIMER_REFERENCE_B) = HW(TIMER) + shared.information.statistics_us;
    enabled =
        1u << EVENT_TIMER | 1u << EVENT_LOW_WRITE_DONE | 1u << EVENT_BUFFERS | 1u << EVENT_RECEIVED;
}

void buffers_have_come(void) {
    clear_event(CORE_B, EVENT_BUFFERS, CORE_B);
    enabled |= 1u << EVENT_RECEIVED;
}

/* The buffer up to here is free again. With data on its way that will be said by its last write. */
static void drop(uint32_t address, uint32_t length) {
    uint32_t end = (address + length + 7) & ~7u;
    shared.counts.damaged++;
    if (HW(WRITE_LOW_RING) != HW(WRITE_LOW_RING + 4))
        return;
    if (end >= MEMORY_END)
        end -= MEMORY_END - RECEIVE;
    HW(RECEIVE_CONSUMER) = end;
}

/* False when it must wait. */
static bool pass_on(uint32_t address, uint32_t length) {
    volatile struct cache *buffers = &shared.buffers;
    const uint32_t slot = low_slot(WRITE_LOW_RING);
    if (buffers->used == buffers->have) {
        shared.counts.no_buffer++;
        enabled &= ~(1u << EVENT_RECEIVED);
        set_event(CORE_A, EVENT_BUFFERS, CORE_B);
        return false;
    }
    if (!slot)
        return false;
    volatile struct relay_entry *buffer = &buffers->entry[buffers->used - buffers->base];
    const struct descriptor content = {.host_high = buffer->high,
                                       .host_low = buffer->low,
                                       .local = address,
                                       .length = length - 4, /* not the CRC */
                                       .state = MOVE_BYTES | DMA_WRITE_USUAL | DMA_WRITE_FREE,
                                       .count = buffer->cookie};
    fill(slot, &content);
    HW(WRITE_LOW_RING) = slot + DMA_BYTES_EACH;
    buffers->used++;
    return true;
}

void frame_is_there(void) {
    uint32_t at = HW(RECEIVED_CONSUMER);
    while ((HW(RECEIVED_PRODUCER) & ~7u) != at) {
        const uint32_t address = SRAM(at), word = SRAM(at + 4);
        if (word & RECEIVED_DAMAGED)
            drop(address, word & RECEIVED_LENGTH);
        else if (!pass_on(address, word & RECEIVED_LENGTH))
            return;
        HW(RECEIVED_CONSUMER) = at + 8;
        HW(RECEIVED_REFERENCE) = at + 8;
        at = HW(RECEIVED_CONSUMER);
    }
    if (shared.buffers.used == shared.buffers.have)
        set_event(CORE_A, EVENT_BUFFERS, CORE_B);
}

void low_write_is_done(void) {
    const volatile struct relay_ring *ring = &shared.information.received;
    uint32_t at = HW(WRITE_LOW_RING + 8);
    bool any = false;
    while (at != HW(WRITE_LOW_RING + 4)) {
        const volatile struct descriptor *done = (const volatile struct descriptor *)at;
        const uint32_t index = shared.status.received;
        volatile struct relay_received *entry = &shared.received_entry[index % RECEIVED_ENTRIES];
        entry->cookie = done->count;
        entry->length = done->length & 0xFFFFu;
        entry->microsecond = HW(TIMER);
        entry->index = index;
        if (!write_words(ring->high, ring->low,
                         (index & (ring->entries - 1)) * sizeof(struct relay_received), entry,
                         sizeof(struct relay_received), 0, CORE_B))
            break;
        shared.status.received = index + 1;
        HW(WRITE_LOW_RING + 8) = at + DMA_BYTES_EACH;
        at = HW(WRITE_LOW_RING + 8);
        any = true;
    }
    if (any)
        set_event(CORE_A, EVENT_NEWS, CORE_B);
}

void time_b(void) {
    const uint32_t high = shared.information.statistics_high;
    const uint32_t low = shared.information.statistics_low;
    HW(TIMER_REFERENCE_B) = HW(TIMER) + shared.information.statistics_us;
    (void)write_words(high, low, 0, (const void *)MAC_STATISTICS, 128, 0, CORE_B);
    (void)write_words(high, low, 128, &shared.counts, sizeof(struct relay_counts), 0, CORE_B);
}
