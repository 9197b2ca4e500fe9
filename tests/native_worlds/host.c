/* SPDX-License-Identifier: MIT */
/*
 * The program of a host: posts sends and receives, looks for results, cancels. Which message comes
 * next, its tag, length and content follow from the seed and its number.
 */
#include <stddef.h>
#include <string.h>

#include "tests/native_worlds/world.h"

#define GAP          16u /* between pieces */
#define WORDS        (EMP_DESCRIPTOR_BYTES / 4u)
#define DESCRIPTORS  4u /* of a request */
#define PAGE         EMP_PAGE_BYTES
#define CONTENT_WORD 8u
#define CONTENT_ROOM (WORLD_LONGEST + 16u)

_Static_assert(2 * WORLD_REQUESTS * DESCRIPTORS <= EMP_DESCRIPTOR_LIMIT,
               "each request has its own");

/* A host's memory lies across a 4 GB line. */
const uint64_t host_base = 0x100000000u - 0x20000u;

static uint8_t sent_content[CONTENT_ROOM], present_content[CONTENT_ROOM];

/* ----------------------------------------------------------------------------------- Messages */

static uint64_t message_hash(const struct world *world, uint32_t source, uint32_t destination,
                             uint64_t number) {
    struct tigon_random random =
        tigon_random_for(world->plan.seed, 1 + source * WORLD_NODES + destination, number);
    return tigon_random_next(&random);
}

static uint32_t message_tag(const struct world *world, uint32_t source, uint32_t destination,
                            uint64_t number) {
    return (uint32_t)(message_hash(world, source, destination, number) >> 56) % world->plan.tags;
}

static uint32_t message_bytes(const struct world *world, uint32_t source, uint32_t destination,
                              uint64_t number) {
    uint32_t part = (uint32_t)(message_hash(world, source, destination, number) >> 20);
    uint32_t longest = world->plan.longest;
    /* After a restart, or a cancelled send, content alone tells which message came. */
    uint32_t shortest =
        world->plan.restarts != 0 || world->plan.cancel_send_chance != 0 ? CONTENT_WORD : 0;
    if (part % 4 == 0 && longest > 64)
        longest = 64;
    return shortest + (part >> 2) % (longest + 1 - shortest);
}

/* Every eight bytes differ from those of other places and other messages. */
static const uint8_t *message_content(const struct world *world, uint32_t source,
                                      uint32_t destination, uint64_t number, uint32_t bytes) {
    uint64_t word = message_hash(world, source, destination, number);
    for (uint32_t at = 0; at < bytes; at += CONTENT_WORD) {
        uint64_t mixed = word ^ word >> 29;
        memcpy(&sent_content[at], &mixed, sizeof mixed);
        word += UINT64_C(0x9E3779B97F4A7C15);
    }
    return sent_content;
}

/* ------------------------------------------------------------------------------------- Memory */

/* Of one request's memory. A page of addresses may not cross a 4 GB line: whole pages. */
static uint32_t stride(const struct world *world) {
    return (2 * PAGE - 1 + world->plan.longest + (WORLD_PIECES + 1) * GAP) / PAGE * PAGE;
}

uint32_t host_memory_bytes(void) {
    return 2 * WORLD_REQUESTS * (2 * PAGE + WORLD_LONGEST + (WORLD_PIECES + 1) * GAP);
}

static struct request *request_of(struct world_node *node, uint32_t slot) {
    return slot < WORLD_REQUESTS ? &node->sends[slot] : &node->receives[slot - WORLD_REQUESTS];
}

bool host_may_write(const struct world_node *node, uint64_t offset, uint32_t bytes) {
    uint64_t slot = offset / stride(node->world);
    uint32_t within = (uint32_t)(offset % stride(node->world));
    const struct request *request;
    if (slot < WORLD_REQUESTS || slot >= 2 * WORLD_REQUESTS)
        return false;
    request = &node->receives[slot - WORLD_REQUESTS];
    if ((node->open_receives >> (slot - WORLD_REQUESTS) & 1) == 0)
        return false;
    for (uint32_t i = 0; i < request->pieces; i++)
        if (within >= request->piece[i].offset &&
            within + bytes <= request->piece[i].offset + request->piece[i].bytes)
            return true;
    return false;
}

static void copy_message(struct world_node *node, uint32_t slot, uint8_t *message, uint32_t bytes,
                         bool out) {
    const struct request *request = request_of(node, slot);
    uint8_t *memory = node->memory + (size_t)slot * stride(node->world);
    for (uint32_t i = 0; i < request->pieces && bytes != 0; i++) {
        uint32_t part = request->piece[i].bytes < bytes ? request->piece[i].bytes : bytes;
        if (out)
            memcpy(memory + request->piece[i].offset, message, part);
        else
            memcpy(message, memory + request->piece[i].offset, part);
        message += part;
        bytes -= part;
    }
}

static const uint8_t *sent(void *owner, uint32_t source, uint32_t destination, uint64_t number,
                           uint32_t bytes) {
    return message_content(owner, source, destination, number, bytes);
}

static const uint8_t *present(void *owner, uint32_t node, uint32_t request, uint32_t bytes) {
    struct world *world = owner;
    copy_message(&world->nodes[node], WORLD_REQUESTS + request, present_content, bytes, false);
    return present_content;
}

struct history_memory host_history_memory(struct world *world) {
    return (struct history_memory){.owner = world, .sent = sent, .present = present};
}

/* ------------------------------------------------------------------------------------ Posting */

static void enter(struct world_node *node, uint32_t entry) {
    node->objects.ring[node->posted++ % EMP_POSTING_RING_ENTRIES] = entry;
    node->node->nic->ring(EMP_POSTING_MAILBOX, node->posted);
}

static void put_address(volatile uint32_t *words, uint64_t address) {
    words[0] = (uint32_t)(address >> 32);
    words[1] = (uint32_t)address;
}

/* Cuts the request's bytes into pieces with gaps between them. */
static void cut(struct world_node *node, struct request *request) {
    uint32_t pieces = tigon_random_below(&node->random, 2)
                          ? 1
                          : 1 + (uint32_t)tigon_random_below(&node->random, WORLD_PIECES);
    uint32_t offset = PAGE, left = request->bytes;
    request->pieces = pieces;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t bytes =
            i + 1 == pieces ? left : (uint32_t)tigon_random_below(&node->random, left + 1);
        offset += (uint32_t)tigon_random_below(&node->random, GAP);
        request->piece[i].offset = offset;
        request->piece[i].bytes = bytes;
        offset += bytes;
        left -= bytes;
    }
}

static void put_page(struct world_node *node, uint32_t slot, const struct request *request) {
    uint64_t base = host_base + (uint64_t)slot * stride(node->world);
    uint32_t page[PAGE / 4];
    memset(page, 0, sizeof page);
    for (uint32_t i = 0; i < request->pieces; i++) {
        put_address(&page[2 * i], base + request->piece[i].offset);
        page[2 * EMP_INDIRECT_ENTRIES + i / 2] |= request->piece[i].bytes << (i & 1 ? 0 : 16);
    }
    memcpy(node->memory + (size_t)slot * stride(node->world), page, sizeof page);
}

static void put_chain(struct world_node *node, uint32_t slot, struct request *request,
                      uint32_t *continuations) {
    uint64_t base = host_base + (uint64_t)slot * stride(node->world);
    volatile uint32_t *words = &node->objects.descriptors[(size_t)slot * DESCRIPTORS * WORDS];
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
static void get_matching(const struct world_node *node, uint32_t slot,
                         const struct request *receive, uint32_t *source, uint32_t *tag) {
    *source = receive->peer;
    *tag = receive->tag;
#if EMP_TAG_BITS == 64
    const volatile uint32_t *words = &node->objects.descriptors[(size_t)slot * DESCRIPTORS * WORDS];
    if (receive->peer == HISTORY_ANY_SOURCE || receive->ignored != 0) {
        *source = words[EMP_DESCRIPTOR_PEER_WORD] >> EMP_DESCRIPTOR_PEER_SHIFT;
        *tag = words[EMP_DESCRIPTOR_TAG_WORD];
        if (words[EMP_DESCRIPTOR_TAG_HIGH_WORD] != (*tag ^ HALVES))
            *tag = UINT32_MAX;
    }
#else
    (void)node, (void)slot;
#endif
}

static void post(struct world_node *node, uint32_t slot, uint32_t direction) {
    struct request *request = request_of(node, slot);
    volatile uint32_t *words = &node->objects.descriptors[(size_t)slot * DESCRIPTORS * WORDS];
    uint64_t base = host_base + (uint64_t)slot * stride(node->world);
    uint32_t continuations = 0, format = EMP_FORMAT_SHORT;
    uint64_t address = base + request->piece[0].offset;
    uint32_t length = request->piece[0].bytes;
    if (tigon_random_below(&node->random, 4) == 0) {
        format = EMP_FORMAT_INDIRECT;
        put_page(node, slot, request);
        address = base;
        length = request->pieces;
    } else if (request->pieces > 1) {
        format = EMP_FORMAT_CHAIN;
        put_chain(node, slot, request, &continuations);
    }
    put_address(&words[EMP_DESCRIPTOR_ADDRESS_HIGH_WORD], address);
    words[EMP_DESCRIPTOR_LENGTH_WORD] = length;
    put_matching(words, request);
    words[EMP_DESCRIPTOR_OWNER_WORD] = request->bytes << EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT |
                                       continuations << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT |
                                       format << EMP_DESCRIPTOR_FORMAT_SHIFT |
                                       direction << EMP_DESCRIPTOR_DIRECTION_SHIFT |
                                       (uint32_t)EMP_OWNER_NIC << EMP_DESCRIPTOR_OWNER_SHIFT;
    enter(node, slot * DESCRIPTORS);
}

static uint32_t take_slot(uint64_t *open) {
    uint32_t slot = (uint32_t)__builtin_ctzll(~*open);
    *open |= UINT64_C(1) << slot;
    return slot;
}

static void post_send(struct world_node *node, uint32_t peer) {
    struct world *world = node->world;
    uint32_t slot = take_slot(&node->open_sends);
    struct request *send = &node->sends[slot];
    *send = (struct request){.peer = peer, .number = node->peer[peer].sent++};
    send->tag = message_tag(world, node->index, peer, send->number);
    send->bytes = message_bytes(world, node->index, peer, send->number);
    (void)message_content(world, node->index, peer, send->number, send->bytes);
    cut(node, send);
    copy_message(node, slot, sent_content, send->bytes, true);
    history_send(world->history, node->index, peer, send->tag, send->bytes);
    world->posted++;
    post(node, slot, EMP_DIRECTION_SEND);
}

static uint32_t incast_to(const struct world_node *node) {
    return node->index - node->index % WORLD_INCAST;
}

static bool sends_to(const struct world_node *node, uint32_t peer) {
    const struct plan *plan = &node->world->plan;
    const uint32_t ahead = (peer + plan->nodes - node->index) % plan->nodes;
    if (peer == node->index)
        return false;
    if (plan->incast)
        return peer == incast_to(node);
    return ahead <= WORLD_REACH || plan->nodes - ahead <= WORLD_REACH;
}

/* Any of those it may send to. */
static uint32_t draw_peer(struct world_node *node) {
    const struct plan *plan = &node->world->plan;
    const uint32_t others = plan_partners(plan);
    uint32_t ahead;
    if (plan->incast)
        return incast_to(node);
    ahead = 1 + (uint32_t)tigon_random_below(&node->random, others);
    if (ahead > WORLD_REACH)
        ahead += plan->nodes - 1 - others;
    ahead += node->index;
    return ahead < plan->nodes ? ahead : ahead - plan->nodes;
}

void host_greet(struct world_node *node) {
    for (uint32_t peer = 0; peer < node->world->plan.nodes; peer++)
        if (sends_to(node, peer))
            post_send(node, peer);
}

/* Which message the next receive is for: mostly in order, some pairs the other way round. */
static uint64_t next_receive(struct world_node *node, uint32_t source) {
    uint64_t number;
    if (node->peer[source].again_count != 0)
        return node->peer[source].again[--node->peer[source].again_count];
    number = node->peer[source].received++;
    return number ^ (message_hash(node->world, source, node->index, number >> 1) & 1);
}

static void hand_over_receive(struct world_node *node, uint32_t slot) {
    const struct request *receive = &node->receives[slot];
    history_receive(node->world->history, node->index, receive->peer, receive->tag,
                    receive->ignored, receive->bytes, slot);
    post(node, WORLD_REQUESTS + slot, EMP_DIRECTION_RECEIVE);
}

static void post_receive(struct world_node *node, uint32_t source) {
    struct world *world = node->world;
    const struct plan *plan = &world->plan;
    uint32_t slot = take_slot(&node->open_receives);
    struct request *receive = &node->receives[slot];
    *receive = (struct request){.peer = source,
                                .made_for = source,
                                .number = next_receive(node, source),
                                .bytes = plan->longest};
    receive->tag = message_tag(world, source, node->index, receive->number);
    if (plan->restarts == 0)
        receive->bytes = message_bytes(world, source, node->index, receive->number);
    if (tigon_random_below(&node->random, 1000000) < plan->short_chance)
        receive->bytes = (uint32_t)tigon_random_below(&node->random, receive->bytes + 1);
    cut(node, receive);
    if (tigon_random_below(&node->random, 1000000) < plan->wildcard_chance) {
        uint32_t how = (uint32_t)tigon_random_below(&node->random, 16);
        receive->ignored = how & 7;
        if (how & 8)
            receive->peer = HISTORY_ANY_SOURCE;
    }
    hand_over_receive(node, slot);
    node->peer[source].receives++;
}

/* Where receives have wildcards, one for a certain message may be taken by another one, and where
 * sends are cancelled, its message may never come. So behind all others there is always one that
 * accepts every message, as programs have it for messages that they do not expect. */
static void post_catch_all(struct world_node *node) {
    uint32_t slot;
    if (node->catch_all || ~node->open_receives == 0)
        return;
    slot = take_slot(&node->open_receives);
    node->receives[slot] = (struct request){.peer = HISTORY_ANY_SOURCE,
                                            .ignored = UINT32_MAX,
                                            .any = true,
                                            .bytes = node->world->plan.longest};
    cut(node, &node->receives[slot]);
    hand_over_receive(node, slot);
    node->catch_all = true;
}

/* ------------------------------------------------------------------------------------- Results */

/* False while the board has it. */
static bool ended(struct world_node *node, uint32_t slot, enum history_result *result,
                  uint32_t *bytes) {
    uint32_t word =
        node->objects.descriptors[(size_t)slot * DESCRIPTORS * WORDS + EMP_DESCRIPTOR_OWNER_WORD];
    uint32_t code = word >> EMP_DESCRIPTOR_RESULT_SHIFT & EMP_DESCRIPTOR_RESULT_MASK;
    *bytes = word >> EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT & EMP_DESCRIPTOR_TOTAL_LENGTH_MASK;
    switch (code) {
    case EMP_RESULT_PENDING:
        return false;
    case EMP_RESULT_OK:
        *result = HISTORY_OK;
        break;
    case EMP_RESULT_TRUNCATED:
        *result = HISTORY_TRUNCATED;
        break;
    case EMP_RESULT_PEER_RESTARTED:
        *result = HISTORY_RESET;
        break;
    case EMP_RESULT_CANCELLED:
        *result = HISTORY_CANCELLED;
        break;
    default:
        world_fail(node->world, WORLD_STOPPED, "node %u: a request ended with result %u",
                   node->index, code);
        return false;
    }
    node->world->progress_ns = node->world->now_ns;
    return true;
}

void host_look_at_sends(struct world_node *node) {
    enum history_result result;
    uint32_t bytes;
    for (uint64_t left = node->open_sends; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const struct request *send = &node->sends[slot];
        if (!ended(node, slot, &result, &bytes))
            continue;
        history_send_ended(node->world->history, node->index, send->peer, send->number, result);
        node->open_sends &= ~(UINT64_C(1) << slot);
        node->world->ended++;
    }
}

static void look_at_receives(struct world_node *node) {
    struct world *world = node->world;
    enum history_result result;
    uint32_t bytes;
    for (uint64_t left = node->open_receives; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const struct request *receive = &node->receives[slot];
        uint32_t source, tag;
        if (!ended(node, WORLD_REQUESTS + slot, &result, &bytes))
            continue;
        get_matching(node, WORLD_REQUESTS + slot, receive, &source, &tag);
        /* A reset of an earlier message was there before this one came. */
        if (world->plan.restarts != 0)
            host_look_at_sends(&world->nodes[source]);
        history_receive_ended(world->history, node->index, slot, result, bytes, source, tag);
        node->open_receives &= ~(UINT64_C(1) << slot);
        if (receive->any) {
            node->catch_all = false;
            continue;
        }
        node->peer[receive->made_for].receives--;
        if (result == HISTORY_CANCELLED && !world->closing && world->plan.restarts == 0 &&
            world->plan.wildcard_chance == 0)
            node->peer[source].again[node->peer[source].again_count++] = receive->number;
    }
}

static bool has_catch_all(const struct plan *plan) {
    return plan->wildcard_chance != 0 || plan->cancel_send_chance != 0;
}

static void cancel_send(struct world_node *node, uint32_t slot) {
    struct request *send = &node->sends[slot];
    if ((node->open_sends >> slot & 1) == 0 || send->cancelling)
        return;
    send->cancelling = true;
    history_cancel_send(node->world->history, node->index, send->peer, send->number);
    enter(node, EMP_CANCEL_REQUEST | slot * DESCRIPTORS);
}

static void cancel(struct world_node *node, uint32_t slot) {
    struct request *receive = &node->receives[slot];
    if ((node->open_receives >> slot & 1) == 0 || receive->cancelling)
        return;
    receive->cancelling = true;
    history_cancel(node->world->history, node->index, slot);
    enter(node, EMP_CANCEL_REQUEST | (WORLD_REQUESTS + slot) * DESCRIPTORS);
}

void host_look(struct world_node *node) {
    struct world *world = node->world;
    const struct plan *plan = &world->plan;
    host_look_at_sends(node);
    look_at_receives(node);
    if (world->closing) {
        for (uint32_t slot = 0; slot < WORLD_REQUESTS; slot++)
            cancel(node, slot);
    } else {
        if (tigon_random_below(&node->random, 1000000) < plan->cancel_chance)
            cancel(node, (uint32_t)tigon_random_below(&node->random, WORLD_REQUESTS));
        for (uint32_t source = 0; source < plan->nodes; source++)
            while (sends_to(&world->nodes[source], node->index) &&
                   node->peer[source].receives < plan->receives_ahead)
                post_receive(node, source);
        if (has_catch_all(plan))
            post_catch_all(node);
        if (tigon_random_below(&node->random, 1000000) < plan->cancel_send_chance)
            cancel_send(node, (uint32_t)tigon_random_below(&node->random, WORLD_REQUESTS));
        while ((uint32_t)__builtin_popcountll(node->open_sends) < plan->sends_ahead &&
               world->posted < plan->messages && (!plan->incast || node->index != incast_to(node)))
            post_send(node, draw_peer(node));
    }
    node->look_ns = world->closing && node->open_receives == 0
                        ? WORLD_NEVER
                        : world->now_ns + 1 + tigon_random_below(&node->random, 2 * plan->look_ns);
}

/* The board starts anew: no request is left. */
void host_forget(struct world_node *node) {
    for (uint32_t peer = 0; peer < WORLD_NODES; peer++)
        node->peer[peer].receives = node->peer[peer].again_count = 0;
    node->world->ended += (uint32_t)__builtin_popcountll(node->open_sends);
    node->open_sends = node->open_receives = 0;
    node->catch_all = false;
    node->posted = 0;
}
