/* SPDX-License-Identifier: MIT */
/* See driver.h: rings in host memory, and what goes through them. */
#include "tests/ethernet/driver.h"

#include <stdlib.h>
#include <string.h>

enum {
    GUARD_BYTES = 8, /* around each buffer, which the board must leave alone */
    GUARD = 0xA5,
    REUSED = 0xDB,
    SEND_SLOT_BYTES = ETHERNET_LONGEST + 64,
    RECEIVE_BYTES = 32, /* of a receive descriptor */
    INDEX_BYTES = 16
};

static void put_word(uint8_t *at, uint32_t word) {
    memcpy(at, &word, sizeof word);
}

static void put_address(uint8_t *at, uint64_t address) {
    put_word(at, (uint32_t)(address >> 32));
    put_word(at + 4, (uint32_t)address);
}

static void control(struct ethernet *ethernet, uint32_t offset, uint64_t ring, uint32_t length,
                    uint32_t flags) {
    put_address(ethernet->block + offset, ring);
    put_word(ethernet->block + offset + 8, length << 16 | flags);
}

static bool take(struct ethernet *ethernet, void *memory, size_t bytes, uint64_t *bus) {
    void *found = tigon_host_allocate(ethernet->host, bytes, bus);
    memcpy(memory, &found, sizeof found);
    return found != NULL;
}

static bool make_ring(struct ethernet *ethernet, unsigned number, uint32_t count, uint32_t bytes) {
    static const uint32_t mailboxes[] = {MAILBOX_STANDARD, MAILBOX_JUMBO, MAILBOX_MINI};
    static const uint32_t flags[] = {0, DESCRIPTOR_JUMBO, DESCRIPTOR_MINI};
    struct ethernet_ring *ring = &ethernet->rings[number];
    *ring = (struct ethernet_ring){.count = count,
                                   .bytes = bytes,
                                   .mailbox = mailboxes[number],
                                   .flags = flags[number],
                                   .slot_bytes = (bytes + 2 * GUARD_BYTES + 8 + 7) / 8 * 8};
    if (!take(ethernet, (void *)&ring->entries, (size_t)count * RECEIVE_BYTES, &ring->bus) ||
        !take(ethernet, (void *)&ring->memory, (size_t)count * ring->slot_bytes,
              &ring->memory_bus) ||
        !take(ethernet, (void *)&ring->posted, count, NULL))
        return false;
    memset(ring->memory, GUARD, (size_t)count * ring->slot_bytes);
    return true;
}

static void fill_block(struct ethernet *ethernet) {
    static const uint32_t offsets[] = {INFORMATION_STANDARD, INFORMATION_JUMBO, INFORMATION_MINI};
    static const uint32_t lengths[] = {ETHERNET_STANDARD_BYTES, JUMBO_BYTES + 4,
                                       ETHERNET_MINI_BYTES};
    const struct ethernet_options *options = &ethernet->options;
    control(ethernet, INFORMATION_EVENTS, ethernet->events_bus, 0, 0);
    control(ethernet, INFORMATION_COMMANDS, SHARED_COMMANDS, 0, 0);
    control(ethernet, INFORMATION_SENDS, ethernet->sends_bus, SENDS,
            RING_IN_HOST | options->send_flags);
    for (unsigned i = 0; i < ETHERNET_RINGS; i++)
        control(ethernet, offsets[i], ethernet->rings[i].bus, lengths[i],
                ethernet->rings[i].count != 0 ? options->receive_flags : RING_DISABLED);
    control(ethernet, INFORMATION_RETURNS, ethernet->returns_bus, RETURNS, 0);
    put_address(ethernet->block + INFORMATION_EVENT_PRODUCER, ethernet->indexes_bus);
    put_address(ethernet->block + INFORMATION_RETURN_PRODUCER, ethernet->indexes_bus + INDEX_BYTES);
    put_address(ethernet->block + INFORMATION_SEND_CONSUMER,
                ethernet->indexes_bus + (uint64_t)2 * INDEX_BYTES);
    put_address(ethernet->block + INFORMATION_STATISTICS_AT,
                ethernet->block_bus + INFORMATION_STATISTICS);
}

int ethernet_make_rings(struct ethernet *ethernet) {
    const bool made =
        take(ethernet, (void *)&ethernet->block, INFORMATION_BYTES, &ethernet->block_bus) &&
        take(ethernet, (void *)&ethernet->events, (size_t)EVENTS * 8, &ethernet->events_bus) &&
        take(ethernet, (void *)&ethernet->sends, (size_t)SENDS * 16, &ethernet->sends_bus) &&
        take(ethernet, (void *)&ethernet->returns, (size_t)RETURNS * RECEIVE_BYTES,
             &ethernet->returns_bus) &&
        take(ethernet, (void *)&ethernet->indexes, (size_t)3 * INDEX_BYTES,
             &ethernet->indexes_bus) &&
        take(ethernet, (void *)&ethernet->send_memory, (size_t)SENDS * SEND_SLOT_BYTES,
             &ethernet->send_memory_bus) &&
        make_ring(ethernet, ETHERNET_STANDARD, STANDARDS, ETHERNET_STANDARD_BYTES + 4) &&
        (!ethernet->options.jumbo ||
         make_ring(ethernet, ETHERNET_JUMBO, JUMBOS, JUMBO_BYTES + 8)) &&
        (!ethernet->options.mini || make_ring(ethernet, ETHERNET_MINI, MINIS, ETHERNET_MINI_BYTES));
    if (!made)
        return ethernet_fail(ethernet, "out of host memory");
    fill_block(ethernet);
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Sending */

/* The board says how far it is modulo the ring. */
uint32_t ethernet_unsent(const struct ethernet *ethernet) {
    return (ethernet->sent - ethernet->indexes[8]) % SENDS;
}

bool ethernet_can_send(const struct ethernet *ethernet, unsigned pieces) {
    return ethernet_unsent(ethernet) + pieces < SENDS;
}

void ethernet_reuse(struct ethernet *ethernet) {
    const uint32_t reported = ethernet->sent - ethernet_unsent(ethernet);
    for (; (int32_t)(reported - ethernet->reused) > 0; ethernet->reused++) {
        const uint32_t *words = ethernet->sends + 4 * (size_t)(ethernet->reused % SENDS);
        memset(ethernet->send_memory + (words[1] - (uint32_t)ethernet->send_memory_bus), REUSED,
               words[2] >> 16);
    }
}

bool ethernet_send(struct ethernet *ethernet, const void *frame, const uint32_t *cuts,
                   const uint32_t *places, unsigned pieces, uint32_t flags, uint32_t tag) {
    if (!ethernet_can_send(ethernet, pieces))
        return false;
    ethernet_reuse(ethernet);
    /* Each piece lies in the memory of its own entry. */
    const uint8_t *bytes = frame;
    for (unsigned i = 0; i < pieces; i++) {
        const uint32_t entry = ethernet->sent++ % SENDS;
        const size_t place = (size_t)entry * SEND_SLOT_BYTES + places[i];
        uint8_t *words = (uint8_t *)(ethernet->sends + 4 * (size_t)entry);
        memcpy(ethernet->send_memory + place, bytes, cuts[i]);
        bytes += cuts[i];
        put_address(words, ethernet->send_memory_bus + place);
        put_word(words + 8, cuts[i] << 16 | flags | (i + 1 == pieces ? DESCRIPTOR_END : 0));
        put_word(words + 12, tag);
    }
    return true;
}

void ethernet_push(struct ethernet *ethernet) {
    ethernet_mailbox(ethernet, MAILBOX_SENDS, ethernet->sent % SENDS);
}

/* ------------------------------------------------------------------------------------------------
 * Receiving */

static size_t place_of(const struct ethernet *ethernet, const struct ethernet_ring *ring,
                       uint32_t entry) {
    const uint32_t skew =
        ethernet->options.skew == ETHERNET_ANY_SKEW ? entry % 8 : ethernet->options.skew;
    return (size_t)entry * ring->slot_bytes + GUARD_BYTES + skew;
}

static void post(struct ethernet *ethernet, struct ethernet_ring *ring) {
    const uint32_t entry = ring->producer++ % ring->count;
    const uint32_t sums =
        ethernet->options.receive_flags & (DESCRIPTOR_TRANSPORT_SUM | DESCRIPTOR_IP_SUM);
    uint8_t *words = (uint8_t *)(ring->entries + (size_t)RECEIVE_WORDS * entry);
    memset(words, 0, RECEIVE_BYTES);
    put_address(words, ring->memory_bus + place_of(ethernet, ring, entry));
    put_word(words + 4 * RECEIVE_LENGTH, entry << 16 | ring->bytes);
    put_word(words + 4 * RECEIVE_FLAGS, ring->flags | sums);
    put_word(words + 4 * RECEIVE_COOKIE, ring->flags << 16 | entry);
    ring->posted[entry] = 1;
}

static void post_all(struct ethernet *ethernet, struct ethernet_ring *ring) {
    const uint32_t most = ring->count - 1;
    const uint32_t wanted = ethernet->options.buffers < most ? ethernet->options.buffers : most;
    for (uint32_t i = 0; i < wanted; i++)
        post(ethernet, ring);
    ethernet_mailbox(ethernet, ring->mailbox, ring->producer % ring->count);
}

void ethernet_post_buffers(struct ethernet *ethernet) {
    for (unsigned i = 0; i < ETHERNET_RINGS; i++)
        if (ethernet->rings[i].count != 0)
            post_all(ethernet, &ethernet->rings[i]);
}

void ethernet_renew_jumbo(struct ethernet *ethernet) {
    struct ethernet_ring *ring = &ethernet->rings[ETHERNET_JUMBO];
    memset(ring->posted, 0, ring->count);
    ring->producer = 0;
    ring->owed = 0;
    ethernet_mailbox(ethernet, ring->mailbox, 0);
    post_all(ethernet, ring);
}

static void tell_taken(struct ethernet *ethernet) {
    if (ethernet->taken != ethernet->taken_told)
        ethernet_set_shared(ethernet, SHARED_RETURN_CONSUMER, ethernet->taken % RETURNS);
    ethernet->taken_told = ethernet->taken;
}

/* Has the board kept to the buffer? */
static bool guards_stand(const struct ethernet *ethernet, const struct ethernet_ring *ring,
                         uint32_t entry) {
    const uint8_t *buffer = ring->memory + place_of(ethernet, ring, entry);
    for (size_t i = 0; i < GUARD_BYTES; i++)
        if (buffer[-1 - (ptrdiff_t)i] != GUARD || buffer[ring->bytes + i] != GUARD)
            return false;
    return true;
}

bool ethernet_receive(struct ethernet *ethernet, struct ethernet_frame *frame) {
    if (ethernet->indexes[4] % RETURNS == ethernet->taken % RETURNS) {
        tell_taken(ethernet);
        return false;
    }
    uint32_t words[RECEIVE_WORDS];
    memcpy(words, ethernet->returns + (size_t)RECEIVE_WORDS * (ethernet->taken % RETURNS),
           sizeof words);
    const uint32_t flags = words[RECEIVE_FLAGS] & 0xFFFFu;
    const unsigned number = (flags & DESCRIPTOR_JUMBO) != 0  ? ETHERNET_JUMBO
                            : (flags & DESCRIPTOR_MINI) != 0 ? ETHERNET_MINI
                                                             : ETHERNET_STANDARD;
    const struct ethernet_ring *ring = &ethernet->rings[number];
    *frame = (struct ethernet_frame){.length = words[RECEIVE_LENGTH] & 0xFFFFu,
                                     .flags = flags,
                                     .sums = words[RECEIVE_SUMS],
                                     .tag = words[RECEIVE_TAG] & 0xFFFFu,
                                     .errors = words[RECEIVE_TAG] >> 16,
                                     .ring = number,
                                     .entry = words[RECEIVE_LENGTH] >> 16};
    if (frame->entry >= ring->count || ring->posted[frame->entry] == 0) {
        (void)ethernet_fail(ethernet,
                            "buffer %u of ring %u was returned, which the board does not have",
                            (unsigned)frame->entry, number);
        return false;
    }
    if (words[RECEIVE_COOKIE] != (ring->flags << 16 | frame->entry))
        (void)ethernet_fail(ethernet, "buffer %u of ring %u came with the cookie %08X",
                            (unsigned)frame->entry, number, (unsigned)words[RECEIVE_COOKIE]);
    if (frame->length > ring->bytes || !guards_stand(ethernet, ring, frame->entry))
        (void)ethernet_fail(ethernet, "a frame of %u bytes went beyond buffer %u of ring %u",
                            (unsigned)frame->length, (unsigned)frame->entry, number);
    if (frame->length > ring->bytes)
        frame->length = ring->bytes;
    frame->bytes = ring->memory + place_of(ethernet, ring, frame->entry);
    return true;
}

void ethernet_release(struct ethernet *ethernet, const struct ethernet_frame *frame) {
    struct ethernet_ring *ring = &ethernet->rings[frame->ring];
    ring->posted[frame->entry] = 0;
    ethernet->taken++;
    if (ethernet->taken - ethernet->taken_told >= 32)
        tell_taken(ethernet);
    if (++ring->owed < ethernet->options.refill)
        return;
    for (; ring->owed > 0; ring->owed--)
        post(ethernet, ring);
    ethernet_mailbox(ethernet, ring->mailbox, ring->producer % ring->count);
}
