/*
 * Core A: from the MAC to the host's buffers. A received frame waits in the MAC's ring until there
 * is a buffer for it; then its bytes and its entry of the return ring are written by DMA.
 */
#include "tests/ethernet/firmware/core_a.h"

#define CACHED 64u
#define STAGED 32u /* more than half of the DMA ring: each frame takes two slots of it */

struct entry {
    uint32_t word[ENTRY_WORDS];
};

static volatile struct entry cache[CACHED];
static uint32_t asked; /* entries of the buffer ring, as in send.c */
static uint32_t fetched;
static uint32_t taken;

static volatile struct entry staged[STAGED]; /* entries of the return ring on their way */
static uint32_t returned;                    /* frames given to the DMA */
static uint32_t delivered;                   /* of those, in the return ring */

static uint32_t under_way; /* frames whose bytes are being written to the host */
static uint32_t dropped;   /* where the last dropped frame ends, if it is not free yet; or 0 */

uint32_t returns_done(void) {
    return delivered;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void fetch_buffers(void) {
    clear_event(EVENT_FETCH_BUFFERS);
    if (asked - taken > CACHED / 2)
        return;
    for (;;) {
        uint32_t entries = settings.buffers.produced - asked;
        entries = smaller(entries, CACHED - (asked - taken));
        entries =
            smaller(entries, settings.buffers.entries - (asked & (settings.buffers.entries - 1)));
        entries = smaller(entries, CACHED - (asked & (CACHED - 1)));
        if (entries == 0 || read_slots() == 0)
            return;
        queue_read(entry_high(&settings.buffers, asked), entry_low(&settings.buffers, asked),
                   (uint32_t)&cache[asked & (CACHED - 1)], entries * sizeof(struct entry),
                   DMA_WORDS, KIND_BUFFERS, entries);
        asked += entries;
    }
}

void buffers_fetched(uint32_t entries) {
    fetched += entries;
    enabled_events |= 1u << EVENT_RECEIVED;
}

/* Where a frame ends in the buffer: frames begin at multiples of 8. */
static uint32_t end_of(uint32_t address, uint32_t length) {
    uint32_t end = (address + length + 7) & ~7u;
    if (end >= MEMORY_END)
        end -= MEMORY_END - place.receive;
    return end;
}

static void drop(uint32_t end, uint32_t counter) {
    count(counter);
    /* Frames before this one may still be on their way to the host; they give back their space
     * first. */
    if (under_way == 0)
        HW(RECEIVE_CONSUMER) = end;
    else
        dropped = end;
}

/* A frame to which there is a buffer and room in the DMA ring. */
static void deliver(uint32_t address, uint32_t length, uint32_t end) {
    const volatile struct entry *buffer = &cache[taken & (CACHED - 1)];
    volatile struct entry *entry = &staged[returned & (STAGED - 1)];
    uint32_t state = DMA_BYTES | DMA_WRITE_USUAL;
    if ((settings.options & OPTION_FREE_BY_HAND) == 0)
        state |= DMA_WRITE_FREE;
    queue_write(buffer->word[ENTRY_HIGH], buffer->word[ENTRY_LOW], address, length, state,
                KIND_DATA, end);
    entry->word[RETURN_COOKIE] = buffer->word[ENTRY_COOKIE];
    entry->word[RETURN_LENGTH] = length;
    entry->word[RETURN_ADDRESS] = address;
    entry->word[RETURN_SEQUENCE] = returned;
    queue_write(entry_high(&settings.returns, returned), entry_low(&settings.returns, returned),
                (uint32_t)entry, sizeof *entry, DMA_WORDS | DMA_WRITE_USUAL, KIND_RETURN, returned);
    taken++;
    returned++;
    under_way++;
    dropped = 0; /* this frame frees all before it */
    count(COUNTER_RECEIVED);
    if (asked != settings.buffers.produced && asked - taken <= CACHED / 2)
        raise_event(EVENT_FETCH_BUFFERS);
}

void take_received(void) {
    const uint32_t slot = HW(RECEIVED_CONSUMER) & ~7u;
    if (slot == (HW(RECEIVED_PRODUCER) & ~7u))
        return;
    const uint32_t address = SRAM(slot);
    const uint32_t word = SRAM(slot + 4);
    const uint32_t with_crc = word & RECEIVED_LENGTH;
    const uint32_t end = end_of(address, with_crc);
    if ((word & RECEIVED_DAMAGED) != 0 || with_crc < 18) {
        drop(end, COUNTER_DAMAGED);
    } else {
        if (taken == fetched || write_slots() < 3) {
            count(COUNTER_STARVED);
            enabled_events &= ~(1u << EVENT_RECEIVED);
            return;
        }
        if (with_crc - 4 > cache[taken & (CACHED - 1)].word[ENTRY_LENGTH])
            drop(end, COUNTER_TOO_LONG);
        else
            deliver(address, with_crc - 4, end);
    }
    const uint32_t next =
        slot + 8 == place.received_ring + RECEIVED_BYTES ? place.received_ring : slot + 8;
    HW(RECEIVED_CONSUMER) = next;
    HW(RECEIVED_REFERENCE) = next;
}

void data_delivered(uint32_t end) {
    if ((settings.options & OPTION_FREE_BY_HAND) != 0)
        HW(RECEIVE_CONSUMER) = end;
    under_way--;
    if (under_way == 0 && dropped != 0) {
        HW(RECEIVE_CONSUMER) = dropped;
        dropped = 0;
    }
}

void return_delivered(void) {
    delivered++;
    unreported();
    enabled_events |= 1u << EVENT_RECEIVED;
}
