/* SPDX-License-Identifier: MIT */
/*
 * The program of a host: posts sends and receives, looks for results, cancels. Which message comes
 * next, its tag, length and content follow from the seed and its number.
 */
#include "tests/campaign_worlds/host.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GAP          16u /* between pieces */
#define PAGE         EMP_PAGE_BYTES
#define CONTENT_WORD 8u
#define CONTENT_ROOM (WORLD_LONGEST + 16u)
/* Without a result: stuck. Where boards look for silent peers, they rest after two looks at last.
 */
#define SILENCE_S  (EMP_GIVES_UP_PEERS ? 13u : 3u)
#define SILENCE_NS (SILENCE_S * UINT64_C(1000000000))

static uint8_t sent_content[CONTENT_ROOM], present_content[CONTENT_ROOM];

/* ----------------------------------------------------------------------------------- Messages */

static uint64_t message_hash(const struct hosts *hosts, uint32_t source, uint32_t destination,
                             uint64_t number) {
    struct tigon_random random =
        tigon_random_for(hosts->plan.seed, 1 + source * WORLD_NODES + destination, number);
    return tigon_random_next(&random);
}

static uint32_t message_tag(const struct hosts *hosts, uint32_t source, uint32_t destination,
                            uint64_t number) {
    return (uint32_t)(message_hash(hosts, source, destination, number) >> 56) % hosts->plan.tags;
}

static uint32_t message_bytes(const struct hosts *hosts, uint32_t source, uint32_t destination,
                              uint64_t number) {
    uint32_t part = (uint32_t)(message_hash(hosts, source, destination, number) >> 20);
    uint32_t longest = hosts->plan.longest;
    /* After a restart, or a cancelled send, content alone tells which message came. */
    uint32_t shortest =
        hosts->plan.restarts != 0 || hosts->plan.cancel_send_chance != 0 ? CONTENT_WORD : 0;
    if (part % 4 == 0 && longest > 64)
        longest = 64;
    return shortest + (part >> 2) % (longest + 1 - shortest);
}

/* Every eight bytes differ from those of other places and other messages. */
static const uint8_t *message_content(const struct hosts *hosts, uint32_t source,
                                      uint32_t destination, uint64_t number, uint32_t bytes) {
    uint64_t word = message_hash(hosts, source, destination, number);
    for (uint32_t at = 0; at < bytes; at += CONTENT_WORD) {
        uint64_t mixed = word ^ word >> 29;
        memcpy(&sent_content[at], &mixed, sizeof mixed);
        word += UINT64_C(0x9E3779B97F4A7C15);
    }
    return sent_content;
}

/* ------------------------------------------------------------------------------------- Memory */

/* A page of addresses may not cross a 4 GB line: whole pages. */
uint32_t host_slot_bytes(const struct plan *plan) {
    return (2 * PAGE - 1 + plan->longest + (WORLD_PIECES + 1) * GAP) / PAGE * PAGE;
}

uint32_t host_memory_bytes(const struct plan *plan) {
    return 2 * WORLD_REQUESTS * host_slot_bytes(plan);
}

struct request *host_request(struct host *host, uint32_t slot) {
    return slot < WORLD_REQUESTS ? &host->sends[slot] : &host->receives[slot - WORLD_REQUESTS];
}

bool host_may_write(const struct host *host, uint64_t offset, uint32_t bytes) {
    uint64_t slot = offset / host_slot_bytes(&host->all->plan);
    uint32_t within = (uint32_t)(offset % host_slot_bytes(&host->all->plan));
    const struct request *request;
    if (slot < WORLD_REQUESTS || slot >= 2 * WORLD_REQUESTS)
        return false;
    request = &host->receives[slot - WORLD_REQUESTS];
    if ((host->open_receives >> (slot - WORLD_REQUESTS) & 1) == 0)
        return false;
    for (uint32_t i = 0; i < request->pieces; i++)
        if (within >= request->piece[i].offset &&
            within + bytes <= request->piece[i].offset + request->piece[i].bytes)
            return true;
    return false;
}

static void copy_message(struct host *host, uint32_t slot, uint8_t *message, uint32_t bytes,
                         bool out) {
    const struct request *request = host_request(host, slot);
    uint8_t *memory = host->memory + (size_t)slot * host_slot_bytes(&host->all->plan);
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
    struct hosts *hosts = owner;
    copy_message(&hosts->host[node], WORLD_REQUESTS + request, present_content, bytes, false);
    return present_content;
}

/* ------------------------------------------------------------------------------------ Posting */

/* Cuts the request's bytes into pieces with gaps between them. */
static void cut(struct host *host, struct request *request) {
    uint32_t pieces = tigon_random_below(&host->random, 2)
                          ? 1
                          : 1 + (uint32_t)tigon_random_below(&host->random, WORLD_PIECES);
    uint32_t offset = PAGE, left = request->bytes;
    request->pieces = pieces;
    for (uint32_t i = 0; i < pieces; i++) {
        uint32_t bytes =
            i + 1 == pieces ? left : (uint32_t)tigon_random_below(&host->random, left + 1);
        offset += (uint32_t)tigon_random_below(&host->random, GAP);
        request->piece[i].offset = offset;
        request->piece[i].bytes = bytes;
        offset += bytes;
        left -= bytes;
    }
}

static uint32_t take_slot(uint64_t *open) {
    uint32_t slot = (uint32_t)__builtin_ctzll(~*open);
    *open |= UINT64_C(1) << slot;
    return slot;
}

static void post_send(struct host *host, uint32_t peer) {
    struct hosts *hosts = host->all;
    uint32_t slot = take_slot(&host->open_sends);
    struct request *send = &host->sends[slot];
    *send = (struct request){.peer = peer, .number = host->peer[peer].sent++};
    send->tag = message_tag(hosts, host->index, peer, send->number);
    send->bytes = message_bytes(hosts, host->index, peer, send->number);
    (void)message_content(hosts, host->index, peer, send->number, send->bytes);
    cut(host, send);
    copy_message(host, slot, sent_content, send->bytes, true);
    history_send(hosts->history, host->index, peer, send->tag, send->bytes);
    hosts->posted++;
    boards_post(host, slot);
}

static uint32_t incast_to(const struct host *host) {
    return host->index - host->index % WORLD_INCAST;
}

static bool sends_to(const struct host *host, uint32_t peer) {
    const struct plan *plan = &host->all->plan;
    const uint32_t ahead = (peer + plan->nodes - host->index) % plan->nodes;
    if (peer == host->index)
        return false;
    if (plan->incast)
        return peer == incast_to(host);
    return ahead <= WORLD_REACH || plan->nodes - ahead <= WORLD_REACH;
}

/* Any of those it may send to. */
static uint32_t draw_peer(struct host *host) {
    const struct plan *plan = &host->all->plan;
    const uint32_t others = plan_partners(plan);
    uint32_t ahead;
    if (plan->incast)
        return incast_to(host);
    ahead = 1 + (uint32_t)tigon_random_below(&host->random, others);
    if (ahead > WORLD_REACH)
        ahead += plan->nodes - 1 - others;
    ahead += host->index;
    return ahead < plan->nodes ? ahead : ahead - plan->nodes;
}

void host_greet(struct host *host) {
    for (uint32_t peer = 0; peer < host->all->plan.nodes; peer++)
        if (sends_to(host, peer))
            post_send(host, peer);
}

/* Which message the next receive is for: mostly in order, some pairs the other way round. */
static uint64_t next_receive(struct host *host, uint32_t source) {
    uint64_t number;
    if (host->peer[source].again_count != 0)
        return host->peer[source].again[--host->peer[source].again_count];
    number = host->peer[source].received++;
    return number ^ (message_hash(host->all, source, host->index, number >> 1) & 1);
}

static void hand_over_receive(struct host *host, uint32_t slot) {
    const struct request *receive = &host->receives[slot];
    history_receive(host->all->history, host->index, receive->peer, receive->tag, receive->ignored,
                    receive->bytes, slot);
    boards_post(host, WORLD_REQUESTS + slot);
}

static void post_receive(struct host *host, uint32_t source) {
    struct hosts *hosts = host->all;
    const struct plan *plan = &hosts->plan;
    uint32_t slot = take_slot(&host->open_receives);
    struct request *receive = &host->receives[slot];
    *receive = (struct request){.peer = source,
                                .made_for = source,
                                .number = next_receive(host, source),
                                .bytes = plan->longest};
    receive->tag = message_tag(hosts, source, host->index, receive->number);
    if (plan->restarts == 0)
        receive->bytes = message_bytes(hosts, source, host->index, receive->number);
    if (tigon_random_below(&host->random, 1000000) < plan->short_chance)
        receive->bytes = (uint32_t)tigon_random_below(&host->random, receive->bytes + 1);
    cut(host, receive);
    if (tigon_random_below(&host->random, 1000000) < plan->wildcard_chance) {
        uint32_t how = (uint32_t)tigon_random_below(&host->random, 16);
        receive->ignored = how & 7;
        if (how & 8)
            receive->peer = HISTORY_ANY_SOURCE;
    }
    hand_over_receive(host, slot);
    host->peer[source].receives++;
}

/* Where receives have wildcards, one for a certain message may be taken by another one, and where
 * sends are cancelled, its message may never come. So behind all others there is always one that
 * accepts every message, as programs have it for messages that they do not expect. */
static void post_catch_all(struct host *host) {
    uint32_t slot;
    if (host->catch_all || ~host->open_receives == 0)
        return;
    slot = take_slot(&host->open_receives);
    host->receives[slot] = (struct request){.peer = HISTORY_ANY_SOURCE,
                                            .ignored = UINT32_MAX,
                                            .any = true,
                                            .bytes = host->all->plan.longest};
    cut(host, &host->receives[slot]);
    hand_over_receive(host, slot);
    host->catch_all = true;
}

/* ------------------------------------------------------------------------------------- Results */

void host_look_at_sends(struct host *host) {
    struct hosts *hosts = host->all;
    struct host_end end;
    for (uint64_t left = host->open_sends; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const struct request *send = &host->sends[slot];
        if (!boards_ended(host, slot, &end))
            continue;
        history_send_ended(hosts->history, host->index, send->peer, send->number, end.result);
        host->open_sends &= ~(UINT64_C(1) << slot);
        hosts->ended++;
    }
}

static void note_end(struct host *host, const struct request *receive, enum history_result result) {
    struct deeds *deeds = &host->all->deeds;
    const bool met = result == HISTORY_OK || result == HISTORY_TRUNCATED;
    deeds->cancel |= result == HISTORY_CANCELLED && !host->all->closing;
    deeds->truncated |= result == HISTORY_TRUNCATED;
    deeds->wildcard |= met && (receive->peer == HISTORY_ANY_SOURCE || receive->ignored != 0);
}

static void look_at_receives(struct host *host) {
    struct hosts *hosts = host->all;
    const struct plan *plan = &hosts->plan;
    struct host_end end;
    for (uint64_t left = host->open_receives; left != 0; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(left);
        const struct request *receive = &host->receives[slot];
        if (!boards_ended(host, WORLD_REQUESTS + slot, &end))
            continue;
        if (plan->restarts != 0 && !boards_sends_seen(host, WORLD_REQUESTS + slot, end.source))
            continue;
        history_receive_ended(hosts->history, host->index, slot, end.result, end.bytes, end.source,
                              end.tag);
        boards_release(host, WORLD_REQUESTS + slot, end.bytes);
        host->open_receives &= ~(UINT64_C(1) << slot);
        note_end(host, receive, end.result);
        if (receive->any) {
            host->catch_all = false;
            continue;
        }
        host->peer[receive->made_for].receives--;
        if (end.result == HISTORY_CANCELLED && !hosts->closing && plan->restarts == 0 &&
            plan->wildcard_chance == 0)
            host->peer[end.source].again[host->peer[end.source].again_count++] = receive->number;
    }
}

static bool has_catch_all(const struct plan *plan) {
    return plan->wildcard_chance != 0 || plan->cancel_send_chance != 0;
}

static void cancel_send(struct host *host, uint32_t slot) {
    struct request *send = &host->sends[slot];
    if ((host->open_sends >> slot & 1) == 0 || send->cancelling)
        return;
    send->cancelling = true;
    history_cancel_send(host->all->history, host->index, send->peer, send->number);
    boards_cancel(host, slot);
}

static void cancel(struct host *host, uint32_t slot) {
    struct request *receive = &host->receives[slot];
    if ((host->open_receives >> slot & 1) == 0 || receive->cancelling)
        return;
    receive->cancelling = true;
    history_cancel(host->all->history, host->index, slot);
    boards_cancel(host, WORLD_REQUESTS + slot);
}

void host_look(struct host *host) {
    struct hosts *hosts = host->all;
    const struct plan *plan = &hosts->plan;
    host_look_at_sends(host);
    look_at_receives(host);
    if (hosts->closing) {
        for (uint32_t slot = 0; slot < WORLD_REQUESTS; slot++)
            cancel(host, slot);
    } else {
        if (tigon_random_below(&host->random, 1000000) < plan->cancel_chance)
            cancel(host, (uint32_t)tigon_random_below(&host->random, WORLD_REQUESTS));
        for (uint32_t source = 0; source < plan->nodes; source++)
            while (sends_to(&hosts->host[source], host->index) &&
                   host->peer[source].receives < plan->receives_ahead)
                post_receive(host, source);
        if (has_catch_all(plan))
            post_catch_all(host);
        if (tigon_random_below(&host->random, 1000000) < plan->cancel_send_chance)
            cancel_send(host, (uint32_t)tigon_random_below(&host->random, WORLD_REQUESTS));
        while ((uint32_t)__builtin_popcountll(host->open_sends) < plan->sends_ahead &&
               hosts->posted < hosts->may_post && (!plan->incast || host->index != incast_to(host)))
            post_send(host, draw_peer(host));
    }
}

uint64_t host_pause_ns(struct host *host) {
    return 1 + tigon_random_below(&host->random, 2 * host->all->plan.look_ns);
}

void host_forget(struct host *host) {
    for (uint32_t peer = 0; peer < WORLD_NODES; peer++)
        host->peer[peer].receives = host->peer[peer].again_count = 0;
    host->all->ended += (uint32_t)__builtin_popcountll(host->open_sends);
    host->open_sends = host->open_receives = 0;
    host->catch_all = false;
}

/* ------------------------------------------------------------------------------- All of them */

void hosts_begin(struct hosts *hosts, const struct plan *plan) {
    const struct history_memory memory = {.owner = hosts, .sent = sent, .present = present};
    hosts->plan = *plan;
    hosts->posted = hosts->ended = hosts->progress_ns = 0;
    hosts->may_post = plan->messages;
    hosts->restarted = 0;
    hosts->closing = false;
    hosts->deeds = (struct deeds){0};
    hosts->failed = WORLD_RUNNING;
    hosts->history = history_create(plan->nodes, plan->tags, &memory);
    if (EMP_TAG_BITS == 64)
        history_let_pass(hosts->history);
    for (uint32_t i = 0; i < plan->nodes; i++) {
        struct host *host = &hosts->host[i];
        host->all = hosts;
        host->index = i;
        host->random = tigon_random_for(plan->seed, 0xCB, i);
        host->open_sends = 0;
        host_forget(host);
        memset(host->peer, 0, sizeof host->peer);
    }
}

void hosts_fail(struct hosts *hosts, enum world_failure failed, const char *format, ...) {
    va_list arguments;
    if (hosts->failed != WORLD_RUNNING)
        return;
    hosts->failed = failed;
    va_start(arguments, format);
    (void)vsnprintf(hosts->failure, sizeof hosts->failure, format, arguments);
    va_end(arguments);
}

bool hosts_go_on(const struct hosts *hosts) {
    const char *text;
    return hosts->failed == WORLD_RUNNING && history_verdict(hosts->history, &text) == HISTORY_FINE;
}

void hosts_check_progress(struct hosts *hosts, uint64_t now_ns) {
    if (now_ns > hosts->progress_ns + SILENCE_NS)
        hosts_fail(hosts, WORLD_STUCK, "%llu of %llu sends have not ended, nothing for %u s",
                   (unsigned long long)(hosts->posted - hosts->ended),
                   (unsigned long long)hosts->posted, SILENCE_S);
}

struct host *hosts_restart_due(struct hosts *hosts) {
    const struct plan *plan = &hosts->plan;
    if (hosts->restarted >= plan->restarts ||
        hosts->posted * (plan->restarts + 1) < (uint64_t)plan->messages * (hosts->restarted + 1))
        return NULL;
    hosts->restarted++;
    return &hosts->host[tigon_random_below(&hosts->host[0].random, plan->nodes)];
}

bool hosts_all_sent(const struct hosts *hosts) {
    return !hosts->closing && hosts->posted >= hosts->plan.messages &&
           hosts->ended == hosts->posted;
}
