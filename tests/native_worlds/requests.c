/* SPDX-License-Identifier: MIT */
/*
 * Requests of hosts as a board of the native port finds them: descriptors, pages of addresses,
 * entries of the posting ring. In all formats, also those that libemp would not choose.
 */
#include <stddef.h>
#include <string.h>

#include "tests/native_worlds/native_world.h"

#define WORDS       (EMP_DESCRIPTOR_BYTES / 4u)
#define DESCRIPTORS 4u /* of a request */
#define PAGE        EMP_PAGE_BYTES

_Static_assert(2 * WORLD_REQUESTS * DESCRIPTORS <= EMP_DESCRIPTOR_LIMIT,
               "each request has its own");

const uint64_t host_base = 0x100000000u - 0x20000u;

static uint64_t slot_offset(const struct host *host, uint32_t slot) {
    return (uint64_t)slot * host_slot_bytes(&host->all->plan);
}

static volatile uint32_t *descriptor(const struct host *host, uint32_t slot) {
    return &node_of(host)->objects.descriptors[(size_t)slot * DESCRIPTORS * WORDS];
}

static void enter(struct host *host, uint32_t entry) {
    struct world_node *node = node_of(host);
    node->objects.ring[node->posted++ % EMP_POSTING_RING_ENTRIES] = entry;
    node->node->nic->ring(EMP_POSTING_MAILBOX, node->posted);
}

static void put_address(volatile uint32_t *words, uint64_t address) {
    words[0] = (uint32_t)(address >> 32);
    words[1] = (uint32_t)address;
}

static void put_page(struct host *host, uint32_t slot, const struct request *request) {
    uint64_t base = host_base + slot_offset(host, slot);
    uint32_t page[PAGE / 4];
    memset(page, 0, sizeof page);
    for (uint32_t i = 0; i < request->pieces; i++) {
        put_address(&page[2 * i], base + request->piece[i].offset);
        page[2 * EMP_INDIRECT_ENTRIES + i / 2] |= request->piece[i].bytes << (i & 1 ? 0 : 16);
    }
    memcpy(host->memory + slot_offset(host, slot), page, sizeof page);
}

static void put_chain(struct host *host, uint32_t slot, struct request *request,
                      uint32_t *continuations) {
    uint64_t base = host_base + slot_offset(host, slot);
    volatile uint32_t *words = descriptor(host, slot);
    while (request->pieces % 2 == 0)
        request->piece[request->pieces++] = request->piece[0],
        request->piece[request->pieces - 1].bytes = 0;
    *continuations = request->pieces / 2;
    for (uint32_t i = 1; i < request->pieces; i += 2) {
        words += WORDS;
        put_address(&words[0], base + request->piece[i].offset);
        put_address(&words[2], base + request->piece[i + 1].offset);
        words[EMP_CONTINUATION_FIRST_LENGTH_WORD] = request->piece[i].bytes
                                                        << EMP_CONTINUATION_FIRST_LENGTH_SHIFT |
                                                    request->piece[i + 1].bytes;
    }
}

/* The halves of a tag of 64 bits differ by the same bits in all tags, so that all have the same
 * key. */
#define HALVES 0x5A5A5A00u

static void put_matching(volatile uint32_t *words, const struct request *request) {
#if EMP_TAG_BITS == 64
    bool any = request->peer == HISTORY_ANY_SOURCE;
    uint32_t wildcards =
        (any ? EMP_WILDCARD_SOURCE : 0) | (request->ignored != 0 ? EMP_WILDCARD_TAG : 0);
    words[EMP_DESCRIPTOR_PEER_WORD] =
        (any ? 0 : request->peer) << EMP_DESCRIPTOR_PEER_SHIFT | wildcards;
    words[EMP_DESCRIPTOR_TAG_HIGH_WORD] = request->tag ^ HALVES;
    words[EMP_DESCRIPTOR_TAG_WORD] = request->tag;
    words[EMP_DESCRIPTOR_IGNORED_HIGH_WORD] = words[EMP_DESCRIPTOR_IGNORED_WORD] = request->ignored;
#else
    words[EMP_DESCRIPTOR_PEER_WORD] = request->peer << EMP_DESCRIPTOR_PEER_SHIFT | request->tag;
#endif
}

/* Source and tag of the message that a receive has met. */
static void get_matching(const struct host *host, uint32_t slot, const struct request *receive,
                         uint32_t *source, uint32_t *tag) {
    *source = receive->peer;
    *tag = receive->tag;
#if EMP_TAG_BITS == 64
    const volatile uint32_t *words = descriptor(host, slot);
    if (receive->peer == HISTORY_ANY_SOURCE || receive->ignored != 0) {
        *source = words[EMP_DESCRIPTOR_PEER_WORD] >> EMP_DESCRIPTOR_PEER_SHIFT;
        *tag = words[EMP_DESCRIPTOR_TAG_WORD];
        if (words[EMP_DESCRIPTOR_TAG_HIGH_WORD] != (*tag ^ HALVES))
            *tag = UINT32_MAX;
    }
#else
    (void)host, (void)slot;
#endif
}

#if EMP_INLINE_LIMIT
static void put_bytes(const struct host *host, uint32_t slot, const struct request *request) {
    uint32_t words[EMP_INLINE_DATA_BYTES / 4] = {0};
    uint32_t at = 0;
    for (uint32_t i = 0; i < request->pieces; i++)
        for (uint32_t byte = 0; byte < request->piece[i].bytes; byte++, at++)
            words[at / 4] |=
                (uint32_t)host->memory[slot_offset(host, slot) + request->piece[i].offset + byte]
                << (24 - 8 * (at % 4));
    for (uint32_t i = 0; i < (at + 3) / 4; i++)
        descriptor(host, slot)[i] = words[i];
}
#endif

void boards_post(struct host *host, uint32_t slot) {
    const uint32_t direction = slot < WORLD_REQUESTS ? EMP_DIRECTION_SEND : EMP_DIRECTION_RECEIVE;
    struct request *request = host_request(host, slot);
    volatile uint32_t *words = descriptor(host, slot);
    uint64_t base = host_base + slot_offset(host, slot);
    uint32_t continuations = 0, format = EMP_FORMAT_SHORT;
    uint64_t address = base + request->piece[0].offset;
    uint32_t length = request->piece[0].bytes;
    if (tigon_random_below(&host->random, 4) == 0) {
        format = EMP_FORMAT_INDIRECT;
        put_page(host, slot, request);
        address = base;
        length = request->pieces;
#if EMP_INLINE_LIMIT
    } else if (direction == EMP_DIRECTION_SEND && request->bytes <= EMP_INLINE_LIMIT) {
        format = EMP_FORMAT_INLINE;
#endif
    } else if (request->pieces > 1) {
        format = EMP_FORMAT_CHAIN;
        put_chain(host, slot, request, &continuations);
    }
    put_address(&words[EMP_DESCRIPTOR_ADDRESS_HIGH_WORD], address);
    words[EMP_DESCRIPTOR_LENGTH_WORD] = length;
    put_matching(words, request);
#if EMP_INLINE_LIMIT
    host->all->deeds.in_descriptor |= format == EMP_FORMAT_INLINE;
    if (format == EMP_FORMAT_INLINE)
        put_bytes(host, slot, request);
#endif
    words[EMP_DESCRIPTOR_OWNER_WORD] = request->bytes << EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT |
                                       continuations << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT |
                                       format << EMP_DESCRIPTOR_FORMAT_SHIFT |
                                       direction << EMP_DESCRIPTOR_DIRECTION_SHIFT |
                                       (uint32_t)EMP_OWNER_NIC << EMP_DESCRIPTOR_OWNER_SHIFT;
    enter(host, slot * DESCRIPTORS);
}

void boards_cancel(struct host *host, uint32_t slot) {
    enter(host, EMP_CANCEL_REQUEST | slot * DESCRIPTORS);
}

bool boards_ended(struct host *host, uint32_t slot, struct host_end *end) {
    const struct request *request = host_request(host, slot);
    uint32_t word = descriptor(host, slot)[EMP_DESCRIPTOR_OWNER_WORD];
    uint32_t code = word >> EMP_DESCRIPTOR_RESULT_SHIFT & EMP_DESCRIPTOR_RESULT_MASK;
    end->bytes = word >> EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT & EMP_DESCRIPTOR_TOTAL_LENGTH_MASK;
    switch (code) {
    case EMP_RESULT_PENDING:
        return false;
    case EMP_RESULT_OK:
        end->result = HISTORY_OK;
        break;
    case EMP_RESULT_TRUNCATED:
        end->result = HISTORY_TRUNCATED;
        break;
    case EMP_RESULT_PEER_RESTARTED:
        end->result = HISTORY_RESET;
        break;
    case EMP_RESULT_CANCELLED:
        end->result = HISTORY_CANCELLED;
        break;
    default:
        hosts_fail(host->all, WORLD_STOPPED, "node %u: a request ended with result %u", host->index,
                   code);
        return false;
    }
    host->all->progress_ns = node_of(host)->world->now_ns;
    get_matching(host, slot, request, &end->source, &end->tag);
    return true;
}

bool boards_sends_seen(struct host *host, uint32_t slot, uint32_t source) {
    (void)slot;
    host_look_at_sends(&host->all->host[source]);
    return true;
}

void boards_release(struct host *host, uint32_t slot, uint32_t bytes) {
    (void)host, (void)slot, (void)bytes; /* each write of a board was looked at when it came */
}
