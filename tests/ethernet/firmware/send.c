/*
 * Core A: from the host's send ring to the MAC. Entries are fetched in runs; a frame of one to four
 * pieces, laid end to end, is given to the MAC before its bytes have arrived (tigon2.md 6.1).
 */
#include "tests/ethernet/firmware/core_a.h"

#define CACHED 64u

struct entry {
    uint32_t word[ENTRY_WORDS];
};

static volatile struct entry cache[CACHED]; /* entry n of the host's ring lies at n % CACHED */
static uint32_t asked;                      /* entries asked for from the host, so far */
static uint32_t fetched;                    /* of those, arrived */
static uint32_t taken;                      /* of those, made into frames */
static uint32_t done;                       /* of those, out of host memory */
static uint32_t local;                      /* where the next frame goes */

uint32_t sends_done(void) {
    return done;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

void fetch_sends(void) {
    clear_event(EVENT_FETCH_SENDS);
    if (asked - taken > CACHED / 2)
        return; /* again when more are used up: few DMAs of many entries */
    for (;;) {
        uint32_t entries = settings.sends.produced - asked;
        entries = smaller(entries, CACHED - (asked - taken));
        entries = smaller(entries, settings.sends.entries - (asked & (settings.sends.entries - 1)));
        entries = smaller(entries, CACHED - (asked & (CACHED - 1)));
        entries = smaller(entries, CACHED / 2);
        if (entries == 0 || read_slots() == 0)
            return;
        queue_read(entry_high(&settings.sends, asked), entry_low(&settings.sends, asked),
                   (uint32_t)&cache[asked & (CACHED - 1)], entries * sizeof(struct entry),
                   DMA_WORDS, KIND_SENDS, entries);
        asked += entries;
    }
}

void sends_fetched(uint32_t entries) {
    fetched += entries;
    raise_event(EVENT_SEND);
}

static uint32_t transmit_free(void) {
    const uint32_t size = place.receive - place.transmit;
    const uint32_t consumer = HW(TRANSMIT_CONSUMER) & ~7u;
    const uint32_t used = local >= consumer ? local - consumer : local + size - consumer;
    return size - used;
}

/* Puts a frame of this many pieces into the transmit buffer. */
static void take(uint32_t pieces, uint32_t total) {
    uint32_t at = local;
    const uint32_t size = place.receive - place.transmit;
    const uint32_t slot = HW(TO_SEND_NEXT);
    SRAM(slot) = local;
    SRAM(slot + 4) = total;
    HW(TO_SEND_PRODUCER) = slot + 8; /* the chip wraps it */
    for (uint32_t i = 0; i < pieces; i++) {
        const volatile struct entry *entry = &cache[(taken + i) & (CACHED - 1)];
        const uint32_t length = entry->word[ENTRY_LENGTH] & 0xFFFF;
        const bool last = i + 1 == pieces;
        queue_read(entry->word[ENTRY_HIGH], entry->word[ENTRY_LOW], at, length,
                   last ? DMA_BYTES | DMA_READ_LAST : DMA_BYTES, last ? KIND_FRAME : KIND_PIECE,
                   pieces);
        at += length;
        if (at >= place.receive)
            at -= size;
    }
    local += (total + 7) & ~7u;
    if (local >= place.receive)
        local -= size;
}

enum outcome { NOTHING_THERE, DONE, NO_ROOM };

static enum outcome send_one(void) {
    uint32_t total = 0;
    uint32_t pieces = 0;
    bool good = true;
    bool last = false;
    while (!last) {
        if (taken + pieces == fetched)
            return NOTHING_THERE;
        const uint32_t length = cache[(taken + pieces) & (CACHED - 1)].word[ENTRY_LENGTH];
        last = (length & ENTRY_LAST) != 0;
        if ((length & 0xFFFF) == 0)
            good = false;
        total += length & 0xFFFF;
        pieces++;
        if (pieces == CACHED / 2)
            last = true;
    }
    if (!good || total < 14 || total > settings.longest || pieces > PIECES_LIMIT) {
        /* Entries are done in order: what is refused waits for what is on its way. */
        if (done != taken)
            return NO_ROOM;
        taken += pieces;
        done += pieces;
        count(COUNTER_SEND_REFUSED);
        unreported();
        return DONE;
    }
    /* HW[0FC] may count from what the MAC has sent or from what software has seen of it. */
    HW(TO_SEND_REFERENCE) = HW(TO_SEND_CONSUMER) & ~7u;
    /* The buffer is never filled: equal pointers mean that it is empty. */
    if (read_slots() < pieces || HW(TO_SEND_NEXT) == 0 || transmit_free() < total + 16)
        return NO_ROOM;
    take(pieces, total);
    taken += pieces;
    count(COUNTER_SENT);
    return DONE;
}

/* One frame at a time, so that received ones do not wait long. The MAC does not tell when it has
 * room again: this event, the least of all, stays until there is. */
void send_frames(void) {
    const enum outcome outcome = send_one();
    if (outcome == NOTHING_THERE)
        clear_event(EVENT_SEND);
    if (outcome != NO_ROOM && asked != settings.sends.produced && asked - taken <= CACHED / 2)
        raise_event(EVENT_FETCH_SENDS);
}

void frame_fetched(uint32_t pieces) {
    done += pieces;
    unreported();
    if (asked != settings.sends.produced && asked - taken <= CACHED / 2)
        raise_event(EVENT_FETCH_SENDS);
}

void send_begin(void) {
    local = place.transmit;
}
