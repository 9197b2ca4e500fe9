/* SPDX-License-Identifier: MIT */
/*
 * Core A: from the MAC to the host's buffers. A received frame waits in the MAC's ring until there
 * is a buffer for it; then its bytes and its entry of the return ring are written by DMA. With
 * checksums the entry follows when the bytes are through, for it needs the engine's sum.
 *
 * The first bytes of a frame are read where it lies without a thought of the buffer's end: frames
 * begin at multiples of 32 (tigon2.md 16.4).
 */
#include "tests/ethernet/firmware/parameters.h"
#include "tests/ethernet/firmware/queue.h"

#define CACHED      64u /* entries of each ring of buffers */
#define ENTRY_BYTES (4u * RECEIVE_WORDS)
#define STAGED      64u /* more than the DMA ring holds */
#define FRAME_SLOTS 3u  /* of the write ring, that a frame takes */
#define KEPT_SLOTS  3u  /* for indices and events */
#define CRC_BYTES   4u
#define SHORTEST    14u
#define TYPE_AT     12u
#define TYPE_TAG    0x8100u
#define TAG_BYTES   4u
#define UNWRAPPED   30u

struct entry {
    uint32_t word[RECEIVE_WORDS];
};

/* A ring of buffers in host memory; entry n lies at n % CACHED. */
struct buffers {
    uint32_t mask;   /* of indices */
    uint32_t length; /* of each buffer; 0: the ring is not used */
    uint32_t mark;   /* flag in the return ring */
    uint32_t produced;
    uint32_t asked;
    uint32_t fetched;
    uint32_t taken;
    volatile struct entry *cache;
};

static struct buffers buffers[BUFFER_RINGS];
IN_SRAM static volatile struct entry caches[BUFFER_RINGS][CACHED];
IN_SRAM static volatile struct entry staged[STAGED]; /* of the return ring, on their way */

uint32_t writes_reserved;
static uint32_t next_slot;    /* of the MAC's ring */
static uint32_t frames_taken; /* counts entries of the return ring, ahead of host.c's */
static uint32_t under_way;    /* frames whose bytes are being written to the host */
static uint32_t dropped;      /* where the last dropped frame ends, if that is not free yet; or 0 */
static bool hold;             /* no frames until the jumbo ring is reset */

RARE void receive_begin(void) {
    static const struct {
        uint32_t entries;
        uint32_t mark;
    } kinds[BUFFER_RINGS] = {[MINI] = {MINIS, DESCRIPTOR_MINI},
                             [STANDARD] = {STANDARDS, 0},
                             [JUMBO] = {JUMBOS, DESCRIPTOR_JUMBO}};
    for (uint32_t i = 0; i < BUFFER_RINGS; i++) {
        const struct control *control = &settings.buffers[i];
        buffers[i] = (struct buffers){
            .mask = kinds[i].entries - 1, .mark = kinds[i].mark, .cache = caches[i]};
        if ((control->flags & RING_DISABLED) == 0)
            buffers[i].length = control->length;
    }
    next_slot = place.received_ring;
}

void receive_again(void) {
    if (!hold && !settings.refused)
        enabled_events |= 1u << EVENT_RECEIVED;
}

/* Until receive_again(). */
static void wait_for(uint32_t counter) {
    count(counter);
    enabled_events &= ~(1u << EVENT_RECEIVED);
}

/* Buffers of the host */

/* Few DMAs of many entries. False: some are left for which there is no slot. */
static bool fetch(uint32_t number) {
    struct buffers *ring = &buffers[number];
    const uint32_t cached = (ring->asked - ring->taken) & ring->mask;
    uint32_t entries = smaller((ring->produced - ring->asked) & ring->mask, CACHED - cached);
    entries = smaller(entries, CACHED - (ring->asked & (CACHED - 1)));
    if (entries == 0 || cached > CACHED / 2)
        return true;
    if (reads.free == 0)
        return false;
    const struct bus_address from =
        bus_offset(settings.buffers[number].ring, ENTRY_BYTES * ring->asked);
    queue_read((struct transfer){.high = from.high,
                                 .low = from.low,
                                 .local = (uint32_t)&ring->cache[ring->asked & (CACHED - 1)],
                                 .length = ENTRY_BYTES * entries,
                                 .state = DMA_WORDS,
                                 .kind = (KIND_BUFFERS + number) | LAST,
                                 .index = entries});
    ring->asked = (ring->asked + entries) & ring->mask;
    return true;
}

void fetch_buffers(void) {
    bool all = true;
    for (uint32_t i = 0; i < BUFFER_RINGS; i++)
        all &= fetch(i);
    if (all)
        clear_event(EVENT_FETCH_BUFFERS);
}

static inline void fetch_more(uint32_t number) {
    const struct buffers *ring = &buffers[number];
    if (((ring->asked - ring->taken) & ring->mask) <= CACHED / 2 && !fetch(number))
        raise_event(EVENT_FETCH_BUFFERS);
}

void buffers_produced(uint32_t number, uint32_t index) {
    if (buffers[number].length == 0)
        return;
    buffers[number].produced = index & buffers[number].mask;
    fetch_more(number);
}

void buffers_fetched(uint32_t number, uint32_t entries) {
    struct buffers *ring = &buffers[number];
    ring->fetched = (ring->fetched + entries) & ring->mask;
    receive_again();
    fetch_more(number);
}

/* The host takes all buffers of the ring back. */
RARE bool jumbo_reset(void) {
    struct buffers *ring = &buffers[JUMBO];
    hold = under_way != 0 || ring->asked != ring->fetched;
    if (hold) {
        enabled_events &= ~(1u << EVENT_RECEIVED);
        return false;
    }
    ring->produced = ring->asked = ring->fetched = ring->taken = 0;
    receive_again();
    tell_event(EVENT_JUMBO_RESET, 0, 0);
    return true;
}

/* Frames */

/* A frame in the MAC's buffer, as the host is to get it. */
struct incoming {
    struct frame at;
    uint32_t length; /* for the host */
    uint32_t cut;    /* bytes of a tag that is taken out */
    uint32_t flags;  /* DESCRIPTOR_* */
    uint32_t tag;    /* ERROR_* << 16 | tag */
    uint32_t sums;   /* as RECEIVE_SUMS, but for what the engine adds */
};

static uint32_t wrapped(uint32_t address) {
    return address >= MEMORY_END ? address - (MEMORY_END - place.receive) : address;
}

static void drop(uint32_t end) {
    /* Frames before this one may still be on their way to the host; they give back their space
     * first. */
    if (under_way == 0)
        HW(RECEIVE_CONSUMER) = end;
    else
        dropped = end;
}

/* The ring for frames of this length, or BUFFER_RINGS. */
static uint32_t ring_for(uint32_t length) {
    for (uint32_t i = 0; i < BUFFER_RINGS; i++)
        if (length <= buffers[i].length)
            return i;
    return BUFFER_RINGS;
}

/* Of a tagged frame, whose tag is taken out if the ring wants that. */
RARE static uint32_t ring_for_tagged(struct incoming *frame, uint32_t word) {
    const uint32_t number = ring_for(frame->length - TAG_BYTES);
    if (number == BUFFER_RINGS || (settings.buffers[number].flags & RING_VLAN) == 0)
        return ring_for(frame->length);
    frame->length -= TAG_BYTES;
    frame->cut = TAG_BYTES;
    frame->tag |= word & 0xFFFF;
    frame->flags |= DESCRIPTOR_TAG;
    return number;
}

/* What a frame that was cut for want of room has in the buffer: the next begins behind it. */
RARE static uint32_t length_of_truncated(uint32_t address, uint32_t length) {
    const uint32_t producer = HW(RECEIVE_PRODUCER);
    const uint32_t slot =
        next_slot + 8 == place.received_ring + RECEIVED_BYTES ? place.received_ring : next_slot + 8;
    const uint32_t next = slot == (HW(RECEIVED_PRODUCER) & ~7u) ? producer : SRAM(slot);
    const uint32_t size = MEMORY_END - place.receive;
    return smaller(length, next >= address ? next - address : next + size - address);
}

/* What the engine's sum over all that is written to the host has too much of, or too little. */
static void prepare_sums(struct incoming *frame, uint32_t ring_flags) {
    struct ip ip;
    if ((frame->flags & DESCRIPTOR_ERROR) != 0 || !find_ip(&frame->at, &ip))
        return;
    if (CUTS_PADDING && (ring_flags & (RING_IP_SUM | RING_TRANSPORT_SUM)) != 0) {
        frame->at.length = ip.end;
        frame->length = ip.end - frame->cut;
    }
    if ((ring_flags & RING_IP_SUM) != 0) {
        frame->flags |= DESCRIPTOR_IP_SUM;
        frame->sums = ip.header_sum << 16;
    }
    if ((ring_flags & RING_TRANSPORT_SUM) == 0 || ip.protocol == 0)
        return;
    uint32_t sum = 0xFFFF - sum_beside_payload(&frame->at, &ip, frame->cut);
    if ((ring_flags & RING_NO_PSEUDO) == 0)
        sum = fold(sum + pseudo_header(&frame->at, &ip));
    frame->flags |= DESCRIPTOR_TRANSPORT_SUM;
    frame->sums |= sum;
    count(COUNTER_RECEIVED_SUMS);
}

static inline void queue_data(struct bus_address to, uint32_t local, uint32_t length,
                              uint32_t state, uint32_t kind) {
    queue_write((struct transfer){.high = to.high,
                                  .low = to.low,
                                  .local = local,
                                  .length = length,
                                  .state = state | DMA_WRITE_USUAL | DMA_WRITE_FREE,
                                  .kind = kind,
                                  .index = frames_taken});
}

static void queue_return(uint32_t number) {
    const struct bus_address to =
        bus_offset(settings.returns.ring, ENTRY_BYTES * (number & (settings.returns.length - 1)));
    queue_write(
        (struct transfer){.high = to.high,
                          .low = to.low,
                          .local = (uint32_t)&staged[number & (STAGED - 1)],
                          .length = ENTRY_BYTES,
                          .state = DMA_WORDS | DMA_WRITE_USUAL,
                          .kind = settings.summed_returns ? KIND_NONE | LAST : KIND_RETURN | LAST});
    frame_returned();
}

static inline void stage(const struct incoming *frame, const volatile struct entry *buffer) {
    volatile struct entry *entry = &staged[frames_taken & (STAGED - 1)];
    entry->word[RECEIVE_HIGH] = buffer->word[RECEIVE_HIGH];
    entry->word[RECEIVE_LOW] = buffer->word[RECEIVE_LOW];
    entry->word[RECEIVE_LENGTH] = (buffer->word[RECEIVE_LENGTH] & 0xFFFF0000u) | frame->length;
    entry->word[RECEIVE_FLAGS] = (buffer->word[RECEIVE_FLAGS] & 0xFFFF0000u) | frame->flags;
    entry->word[RECEIVE_SUMS] = frame->sums;
    entry->word[RECEIVE_TAG] = frame->tag;
    entry->word[RECEIVE_COOKIE] = buffer->word[RECEIVE_COOKIE];
}

/* A frame to which there is a buffer, and room in all rings. */
static inline void deliver(struct incoming *frame, uint32_t number) {
    struct buffers *ring = &buffers[number];
    const volatile struct entry *buffer = &ring->cache[ring->taken & (CACHED - 1)];
    struct bus_address to = {buffer->word[RECEIVE_HIGH], buffer->word[RECEIVE_LOW]};
    uint32_t local = frame->at.address;
    uint32_t state = 0;
    uint32_t kind = KIND_NONE;
    if (settings.summed_returns) {
        state = DMA_SUM | DMA_SUM_RESTART;
        kind = KIND_SUMMED_DATA | LAST;
        prepare_sums(frame, settings.buffers[number].flags);
        writes_reserved++;
    }
    stage(frame, buffer);
    uint32_t left = frame->length;
    if (frame->cut != 0) {
        queue_data(to, local, TYPE_AT, state, KIND_NONE);
        state &= ~DMA_SUM_RESTART;
        to = bus_offset(to, TYPE_AT);
        local = wrapped(local + TYPE_AT + frame->cut);
        left -= TYPE_AT;
    }
    queue_data(to, local, left, state, kind);
    if (!settings.summed_returns)
        queue_return(frames_taken);
    frames_taken++;
    ring->taken = (ring->taken + 1) & ring->mask;
    under_way++;
    dropped = 0; /* this frame frees all before it */
    count(COUNTER_RECEIVED);
    count_frame_in(frame->flags, frame->length);
    fetch_more(number);
}

void take_received(void) {
    const uint32_t slot = next_slot;
    if (slot == (HW(RECEIVED_PRODUCER) & ~7u))
        return;
    const uint32_t address = SRAM(slot);
    const uint32_t word = SRAM(slot + 4);
    uint32_t with_crc = word & RECEIVED_LENGTH;
    if ((word & RECEIVED_TRUNCATED) != 0)
        with_crc = length_of_truncated(address, with_crc);
    const uint32_t end = wrapped(address + ((with_crc + 7) & ~7u));
    struct incoming frame = {.at = {.address = address,
                                    .length = with_crc - CRC_BYTES,
                                    .buffer = place.receive,
                                    .buffer_end = MEMORY_END,
                                    .unwrapped = UNWRAPPED},
                             .length = with_crc - CRC_BYTES,
                             .flags = DESCRIPTOR_END};
    if (!host_up || with_crc < SHORTEST + CRC_BYTES) {
        count(host_up ? COUNTER_DROPPED_SHORT : COUNTER_DROPPED_DOWN);
        drop(end);
    } else {
        if ((word & RECEIVED_DAMAGED) != 0) {
            frame.flags |= DESCRIPTOR_ERROR;
            frame.tag = word & RECEIVED_DAMAGED;
        }
        const uint32_t cast = cast_of(SRAM(address), SRAM(address + 4));
        const uint32_t type = SRAM(address + TYPE_AT);
        const bool tagged = type >> 16 == TYPE_TAG && frame.length > SHORTEST + TAG_BYTES;
        const uint32_t number = tagged ? ring_for_tagged(&frame, type) : ring_for(frame.length);
        if (cast == 0) {
            drop(end);
        } else if (number == BUFFER_RINGS ||
                   frame.at.length - (tagged ? TAG_BYTES : 0) > SRAM(SHARED_MTU)) {
            count(COUNTER_DROPPED_LONG);
            drop(end);
        } else {
            struct buffers *ring = &buffers[number];
            if (ring->taken == ring->fetched || write_room() < FRAME_SLOTS + KEPT_SLOTS) {
                wait_for(COUNTER_NO_BUFFERS);
                return;
            }
            if (((SRAM(SHARED_RETURN_CONSUMER) - frames_taken - 1) &
                 (settings.returns.length - 1)) == 0) {
                wait_for(COUNTER_NO_RETURNS);
                return;
            }
            if (frame.tag >> 16 != 0)
                count(COUNTER_DAMAGED);
            frame.flags |= cast | ring->mark;
            deliver(&frame, number);
        }
    }
    next_slot = slot + 8 == place.received_ring + RECEIVED_BYTES ? place.received_ring : slot + 8;
    HW(RECEIVED_CONSUMER) = next_slot;
    HW(RECEIVED_REFERENCE) = next_slot;
    /* However fast frames come in, others go out. */
    if (sends_waiting)
        send_frames();
}

/* The bytes of a frame have arrived, and are free by the DMA (bit 19). */
void frame_delivered(void) {
    under_way--;
    if (under_way != 0)
        return;
    if (dropped != 0) {
        HW(RECEIVE_CONSUMER) = dropped;
        dropped = 0;
    }
    if (hold)
        take_commands();
}

void summed_frame_delivered(uint32_t number, uint32_t sum) {
    volatile struct entry *entry = &staged[number & (STAGED - 1)];
    const uint32_t sums = entry->word[RECEIVE_SUMS];
    if ((entry->word[RECEIVE_FLAGS] & DESCRIPTOR_TRANSPORT_SUM) != 0)
        entry->word[RECEIVE_SUMS] = (sums & 0xFFFF0000u) | fold((sums & 0xFFFF) + sum);
    writes_reserved--;
    queue_return(number);
    frame_delivered();
}
