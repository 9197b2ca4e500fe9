/* SPDX-License-Identifier: MIT */
/*
 * Core A: from the host's send ring to the MAC. Entries are fetched in runs, into a copy of the
 * ring at the same index; a frame's pieces are laid end to end in the transmit buffer, and the MAC
 * is told of it before its bytes have arrived (tigon2.md 6.1).
 *
 * A frame that wants checksums is told of later, when all of it is there and they have been put in,
 * and so are those behind it: the MAC takes frames in the order of its ring.
 */
#include "tests/ethernet/firmware/queue.h"

#define COPY         0x2000u /* of the host's ring (tigon2.md 2.2) */
#define ENTRY_BYTES  16u
#define RUN          64u /* entries of one fetch at most */
#define PIECES       32u /* of one frame at most */
#define KEPT_SLOTS   4u  /* of the read ring, for entries and buffers */
#define SHORTEST     14u
#define LONGEST      (JUMBO_BYTES + 4u)
#define UNUSED_BYTES 16u /* the buffer is never filled: equal pointers mean that it is empty */

#define MAC_SLOTS (TO_SEND_BYTES / 8u)

/* Indices in the host's ring. */
static uint32_t produced;
static uint32_t asked;
static uint32_t fetched;
static uint32_t taken;
static uint32_t done;

bool sends_waiting;
static uint32_t local;           /* where the next frame goes */
static uint32_t held;            /* frames that wait for their checksums */
static uint32_t mac_slot;        /* of the next frame, while some are held */
static uint8_t waits[MAC_SLOTS]; /* DESCRIPTOR_*_SUM of a frame that waits */
static uint8_t tell_now[MAC_SLOTS];

static uint32_t mask(void) {
    return settings.sends.length - 1;
}

void sends_produced(uint32_t index) {
    produced = index & mask();
    fetch_sends();
}

void fetch_sends(void) {
    const uint32_t entries =
        smaller(smaller((produced - asked) & mask(), settings.sends.length - asked), RUN);
    if (entries == 0) {
        clear_event(EVENT_FETCH_SENDS);
        return;
    }
    if (reads.free == 0) {
        raise_event(EVENT_FETCH_SENDS);
        return;
    }
    const struct bus_address from = bus_offset(settings.sends.ring, ENTRY_BYTES * asked);
    queue_read((struct transfer){.high = from.high,
                                 .low = from.low,
                                 .local = COPY + ENTRY_BYTES * asked,
                                 .length = ENTRY_BYTES * entries,
                                 .state = DMA_WORDS,
                                 .kind = KIND_SENDS | LAST,
                                 .index = entries});
    asked = (asked + entries) & mask();
    if (asked != produced)
        raise_event(EVENT_FETCH_SENDS);
}

void sends_fetched(uint32_t entries) {
    fetched = (fetched + entries) & mask();
    if (!sends_waiting)
        raise_event(EVENT_SEND);
    sends_waiting = true;
}

static uint32_t transmit_free(void) {
    const uint32_t size = place.receive - place.transmit;
    const uint32_t consumer = HW(TRANSMIT_CONSUMER) & ~7u;
    const uint32_t used = local >= consumer ? local - consumer : local + size - consumer;
    return size - used;
}

static uint32_t mac_slot_after(uint32_t slot) {
    return slot + 8 == place.to_send_ring + TO_SEND_BYTES ? place.to_send_ring : slot + 8;
}

/* Where the MAC's next descriptor goes, or 0. */
static uint32_t free_mac_slot(void) {
    if (held != 0)
        return mac_slot_after(mac_slot) == (HW(TO_SEND_CONSUMER) & ~7u) ? 0 : mac_slot;
    const uint32_t slot = HW(TO_SEND_NEXT);
    if (slot != 0)
        return slot;
    /* "Next" may count from what the MAC has sent or from what software has seen of it. */
    HW(TO_SEND_REFERENCE) = HW(TO_SEND_CONSUMER) & ~7u;
    return HW(TO_SEND_NEXT);
}

/* A frame in the copy of the ring, from `taken` on. */
struct outgoing {
    uint32_t pieces;
    uint32_t length;
    uint32_t flags; /* of all pieces */
    uint32_t tag;
    bool possible;
};

/* False: there is none, or its end is still to come. */
static inline bool look_at(struct outgoing *frame) {
    uint32_t at = taken;
    uint32_t word;
    *frame = (struct outgoing){.possible = true};
    do {
        if (at == fetched)
            return false;
        word = SRAM(COPY + ENTRY_BYTES * at + 8);
        const uint32_t length = word >> 16;
        if (length == 0)
            frame->possible = false;
        if ((word & DESCRIPTOR_TAG) != 0)
            frame->tag = SRAM(COPY + ENTRY_BYTES * at + 12) & 0xFFFF;
        frame->length += length;
        frame->flags |= word & 0xFFFF;
        frame->pieces++;
        at = (at + 1) & mask();
    } while ((word & DESCRIPTOR_END) == 0 && frame->pieces != PIECES);
    if ((word & DESCRIPTOR_END) == 0 || frame->length < SHORTEST || frame->length > LONGEST)
        frame->possible = false;
    return true;
}

static uint32_t wanted_sums(uint32_t flags) {
    uint32_t sums = 0;
    if ((settings.sends.flags & RING_TRANSPORT_SUM) != 0)
        sums |= flags & DESCRIPTOR_TRANSPORT_SUM;
    if ((settings.sends.flags & RING_IP_SUM) != 0)
        sums |= flags & DESCRIPTOR_IP_SUM;
    return sums;
}

/* Queues what brings a frame's bytes. */
static inline void fetch_pieces(const struct outgoing *frame, uint32_t sums, uint32_t index) {
    uint32_t at = local;
    uint32_t state = sums != 0 ? DMA_SUM | DMA_SUM_RESTART : 0;
    for (uint32_t left = frame->pieces; left != 0; left--) {
        const uint32_t entry = COPY + ENTRY_BYTES * taken;
        const uint32_t length = SRAM(entry + 8) >> 16;
        uint32_t kind = KIND_NONE;
        if (left == 1) {
            state |= DMA_READ_LAST;
            kind = sums != 0 ? KIND_SUMMED_FRAME | LAST : KIND_FRAME | LAST;
        }
        taken = (taken + 1) & mask();
        queue_read((struct transfer){.high = SRAM(entry),
                                     .low = SRAM(entry + 4),
                                     .local = at,
                                     .length = length,
                                     .state = state,
                                     .kind = kind,
                                     .index = index | taken});
        state &= ~DMA_SUM_RESTART;
        at += length;
        if (at >= place.receive)
            at -= place.receive - place.transmit;
    }
}

/* What a frame's last transfer carries: the slot of the MAC's ring, the end in the host's. */
#define INDEX_SLOT 16

static void take(const struct outgoing *frame, uint32_t slot) {
    const uint32_t sums = wanted_sums(frame->flags);
    const uint32_t number = (slot - place.to_send_ring) / 8;
    SRAM(slot) = (frame->flags & DESCRIPTOR_TAG) != 0 ? local | TO_SEND_TAG : local;
    SRAM(slot + 4) = frame->tag << 16 | frame->length;
    tell_now[number] = (frame->flags & DESCRIPTOR_NOW) != 0;
    if (sums != 0) {
        held++;
        waits[number] = (uint8_t)sums;
    }
    mac_slot = mac_slot_after(slot);
    if (held == 0)
        HW(TO_SEND_PRODUCER) = slot + 8; /* the chip wraps it */
    fetch_pieces(frame, sums, number << INDEX_SLOT);
    local += (frame->length + 7) & ~7u;
    if (local >= place.receive)
        local -= place.receive - place.transmit;
    count(COUNTER_SENT);
}

enum outcome { NOTHING_THERE, TAKEN, NO_ROOM };

static enum outcome send_one(void) {
    struct outgoing frame;
    if (!look_at(&frame))
        return NOTHING_THERE;
    if (!frame.possible) {
        /* Entries are done in order: what is refused waits for what is on its way. */
        if (done != taken)
            return NO_ROOM;
        taken = (taken + frame.pieces) & mask();
        done = taken;
        sends_consumed(done, true);
        count(COUNTER_SEND_REFUSED);
        return TAKEN;
    }
    if (reads.free < frame.pieces + KEPT_SLOTS || transmit_free() < frame.length + UNUSED_BYTES)
        return NO_ROOM;
    const uint32_t slot = free_mac_slot();
    if (slot == 0)
        return NO_ROOM;
    take(&frame, slot);
    return TAKEN;
}

/* One frame at a time, so that received ones do not wait long. The MAC does not tell when it has
 * room again: this event, the least of all, stays until there is. */
void send_frames(void) {
    if (send_one() != NOTHING_THERE)
        return;
    sends_waiting = false;
    clear_event(EVENT_SEND);
}

void frame_fetched(uint32_t index) {
    const uint32_t number = index >> INDEX_SLOT;
    const uint32_t slot = place.to_send_ring + 8 * number;
    done = index & mask();
    count_frame_out(SRAM(slot) & ~TO_SEND_TAG, SRAM(slot + 4) & 0xFFFF);
    sends_consumed(done, tell_now[number] != 0);
}

void summed_frame_fetched(uint32_t index, uint32_t sum) {
    const uint32_t number = index >> INDEX_SLOT;
    const uint32_t slot = place.to_send_ring + 8 * number;
    const struct frame frame = {.address = SRAM(slot) & ~TO_SEND_TAG,
                                .length = SRAM(slot + 4) & 0xFFFF,
                                .buffer = place.transmit,
                                .buffer_end = place.receive};
    put_sums(&frame, sum, waits[number], (settings.sends.flags & RING_NO_PSEUDO) == 0);
    waits[number] = 0;
    held--;
    /* On to the next that waits. */
    uint32_t next = slot;
    do
        next = mac_slot_after(next);
    while (next != mac_slot && waits[(next - place.to_send_ring) / 8] == 0);
    HW(TO_SEND_PRODUCER) = next;
    frame_fetched(index);
}

RARE void send_begin(void) {
    local = place.transmit;
}
