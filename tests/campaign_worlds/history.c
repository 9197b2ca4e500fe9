/* SPDX-License-Identifier: MIT */
/*
 * Of each source, destination and tag there is a lane of messages in the order sent, and of each
 * node a list of its receives in the order posted. A receive that has got a message is settled when
 * no earlier one that accepts the message is left: then the first message of the lane is its.
 */
#include "tests/campaign_worlds/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, TEXT_BYTES = 256, REMEMBERED = 64 };

struct message {
    uint64_t number;
    uint32_t bytes;
    bool ended;
    bool cancelling; /* its host wants it back: it may never arrive */
    bool doubtful;   /* a restart or a reset: it may never arrive */
};

struct receive {
    uint8_t *content; /* what it got, where it cannot be settled yet */
    uint64_t index;   /* of its node's receives */
    uint32_t source, tag, ignored;
    uint32_t capacity, request;
    uint32_t bytes;
    uint32_t got_source, got_tag;
    enum history_result result;
    bool ended; /* with a message; of other ends it is forgotten */
    bool cancelling;
    bool passed; /* a later one has got a message that this one accepts */
};

/* A queue: `first` is taken next, the room is a power of two. */
struct lane {
    struct message *messages;
    uint32_t first_message, message_count, message_room;
};

/* A receive that was settled, and ignores bits of the tag. */
struct settled {
    struct receive receive;
    uint64_t number;
};

struct node {
    struct receive *receives;
    uint32_t count, room;
    uint64_t posted;
    struct settled settled[REMEMBERED];
    uint64_t settled_count;
};

struct history {
    struct history_memory memory;
    uint32_t nodes, tags;
    bool may_pass;
    struct lane *lanes;
    struct node *node;
    uint64_t *sent;     /* messages of each pair */
    uint32_t *restarts; /* of each node */
    enum history_finding finding;
    char text[TEXT_BYTES];
};

static void *zeroed(size_t count, size_t bytes) {
    void *memory = calloc(count, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

static struct lane *lane_of(struct history *history, uint32_t source, uint32_t destination,
                            uint32_t tag) {
    return &history->lanes[(source * history->nodes + destination) * history->tags + tag];
}

static struct message *message_at(const struct lane *lane, uint32_t place) {
    return &lane->messages[(lane->first_message + place) & (lane->message_room - 1)];
}

static bool accepts(const struct receive *receive, uint32_t source, uint32_t tag) {
    return (receive->source == HISTORY_ANY_SOURCE || receive->source == source) &&
           ((receive->tag ^ tag) & ~receive->ignored) == 0;
}

static bool has_wildcards(const struct receive *receive) {
    return receive->source == HISTORY_ANY_SOURCE || receive->ignored != 0;
}

struct history *history_create(uint32_t nodes, uint32_t tags, const struct history_memory *memory) {
    struct history *history = zeroed(1, sizeof *history);
    history->memory = *memory;
    history->nodes = nodes;
    history->tags = tags;
    history->lanes = zeroed((size_t)nodes * nodes * tags, sizeof *history->lanes);
    history->node = zeroed(nodes, sizeof *history->node);
    history->sent = zeroed((size_t)nodes * nodes, sizeof *history->sent);
    history->restarts = zeroed(nodes, sizeof *history->restarts);
    return history;
}

void history_let_pass(struct history *history) {
    history->may_pass = true;
}

static void forget_receives(struct node *node) {
    for (uint32_t i = 0; i < node->count; i++)
        free(node->receives[i].content);
    node->count = 0;
    node->settled_count = 0;
}

void history_free(struct history *history) {
    for (uint32_t i = 0; i < history->nodes * history->nodes * history->tags; i++)
        free(history->lanes[i].messages);
    for (uint32_t i = 0; i < history->nodes; i++) {
        forget_receives(&history->node[i]);
        free(history->node[i].receives);
    }
    free(history->lanes);
    free(history->node);
    free(history->sent);
    free(history->restarts);
    free(history);
}

/* Keeps the first finding. */
#define find(history, kind, ...)                                                                   \
    ((history)->finding != HISTORY_FINE                                                            \
         ? (void)0                                                                                 \
         : ((history)->finding = (kind),                                                           \
            (void)snprintf((history)->text, sizeof(history)->text, __VA_ARGS__)))

/* ------------------------------------------------------------------------------------ Posting */

void history_send(struct history *history, uint32_t source, uint32_t destination, uint32_t tag,
                  uint32_t bytes) {
    struct lane *lane = lane_of(history, source, destination, tag);
    if (lane->message_count == lane->message_room) {
        uint32_t room = lane->message_room != 0 ? 2 * lane->message_room : FIRST_ROOM;
        struct message *messages = zeroed(room, sizeof *messages);
        for (uint32_t i = 0; i < lane->message_count; i++)
            messages[i] = *message_at(lane, i);
        free(lane->messages);
        lane->messages = messages;
        lane->message_room = room;
        lane->first_message = 0;
    }
    lane->message_count++;
    *message_at(lane, lane->message_count - 1) = (struct message){
        .number = history->sent[source * history->nodes + destination]++, .bytes = bytes};
}

void history_receive(struct history *history, uint32_t node, uint32_t source, uint32_t tag,
                     uint32_t ignored, uint32_t capacity, uint32_t request) {
    struct node *own = &history->node[node];
    if (own->count == own->room) {
        own->room = own->room != 0 ? 2 * own->room : FIRST_ROOM;
        own->receives = realloc(own->receives, own->room * sizeof *own->receives);
        if (own->receives == NULL)
            abort();
    }
    own->receives[own->count++] = (struct receive){.index = own->posted++,
                                                   .source = source,
                                                   .tag = tag,
                                                   .ignored = ignored,
                                                   .capacity = capacity,
                                                   .request = request};
}

static uint32_t open_receive(const struct node *node, uint32_t request) {
    for (uint32_t place = 0; place < node->count; place++)
        if (!node->receives[place].ended && node->receives[place].request == request)
            return place;
    abort(); /* the campaign's own mistake */
}

static void remove_receive(struct node *node, uint32_t place) {
    free(node->receives[place].content);
    node->count--;
    memmove(&node->receives[place], &node->receives[place + 1],
            (node->count - place) * sizeof *node->receives);
}

void history_cancel(struct history *history, uint32_t node, uint32_t request) {
    struct node *own = &history->node[node];
    own->receives[open_receive(own, request)].cancelling = true;
}

/* ------------------------------------------------------------------------------------- Ending */

static bool is_awaited(const struct node *node, uint32_t source, uint32_t tag) {
    for (uint32_t i = 0; i < node->count; i++)
        if (accepts(&node->receives[i], source, tag))
            return true;
    return false;
}

static bool may_be_missing(const struct message *message) {
    return message->doubtful || message->cancelling;
}

/* A message was accepted: so each earlier one of its source must have a receive, or have ended, or,
 * where messages may pass, be none that this receive accepts. */
static void check_order(struct history *history, uint32_t node, const struct receive *receive,
                        uint64_t number) {
    const uint32_t source = receive->got_source;
    for (uint32_t tag = 0; tag < history->tags; tag++) {
        const struct lane *lane = lane_of(history, source, node, tag);
        const struct message *first;
        uint32_t place = 0;
        while (place < lane->message_count && message_at(lane, place)->cancelling)
            place++;
        if (place == lane->message_count)
            continue;
        first = message_at(lane, place);
        if (first->number < number && !first->doubtful &&
            (!history->may_pass || accepts(receive, source, tag)) &&
            !is_awaited(&history->node[node], source, tag))
            find(history, HISTORY_MISORDERED,
                 "node %u has message %" PRIu64 " of node %u, and no receive for message %" PRIu64
                 " of tag %u, which was sent before",
                 node, number, source, first->number, tag);
    }
}

/* Receives that were posted before, accept this message, and got one of the same source, got it
 * before. Those of one tag are in order already. */
static void check_matching(struct history *history, uint32_t node, const struct receive *receive,
                           uint64_t number) {
    struct node *own = &history->node[node];
    for (uint64_t i = 0; i < own->settled_count && i < REMEMBERED; i++) {
        const struct settled *settled = &own->settled[i];
        if (settled->receive.index < receive->index &&
            settled->receive.got_source == receive->got_source &&
            accepts(&settled->receive, receive->got_source, receive->got_tag) &&
            settled->number > number)
            find(history, HISTORY_MISORDERED,
                 "node %u: message %" PRIu64 " of node %u with tag %u has a later receive than "
                 "message %" PRIu64 ", and the earlier receive accepts it",
                 node, number, receive->got_source, receive->got_tag, settled->number);
    }
    if (receive->ignored != 0)
        own->settled[own->settled_count++ % REMEMBERED] =
            (struct settled){.receive = *receive, .number = number};
}

static bool is_message(const struct history *history, uint32_t source, uint32_t node,
                       const struct message *message, const struct receive *receive,
                       const uint8_t *content) {
    uint32_t bytes = message->bytes < receive->capacity ? message->bytes : receive->capacity;
    return message->bytes == receive->bytes &&
           (receive->result == HISTORY_OK) == (message->bytes <= receive->capacity) &&
           memcmp(history->memory.sent(history->memory.owner, source, node, message->number,
                                       message->bytes),
                  content, bytes) == 0;
}

/* Those before it that are doubtful go, too; those that may yet end as cancelled stay. */
static void take_message(struct lane *lane, uint32_t place) {
    uint32_t kept = place + 1;
    for (uint32_t i = place; i-- > 0;)
        if (message_at(lane, i)->cancelling)
            *message_at(lane, --kept) = *message_at(lane, i);
    lane->first_message += kept;
    lane->message_count -= kept;
}

/* The receive has the first message of its lane that may have come. */
static void settle(struct history *history, uint32_t node, const struct receive *receive,
                   const uint8_t *content) {
    const uint32_t source = receive->got_source, tag = receive->got_tag;
    struct lane *lane = lane_of(history, source, node, tag);
    uint32_t skipped = 0;
    struct message found;
    while (skipped < lane->message_count && may_be_missing(message_at(lane, skipped)) &&
           !is_message(history, source, node, message_at(lane, skipped), receive, content))
        skipped++;
    if (skipped == lane->message_count) {
        find(history, HISTORY_DUPLICATED,
             "node %u received %u bytes with tag %u, but node %u has sent no other message", node,
             receive->bytes, tag, source);
        return;
    }
    found = *message_at(lane, skipped);
    if (!is_message(history, source, node, &found, receive, content)) {
        for (uint32_t i = skipped + 1; i < lane->message_count; i++)
            if (is_message(history, source, node, message_at(lane, i), receive, content))
                find(history, HISTORY_MISORDERED,
                     "node %u received message %" PRIu64 " of node %u with tag %u before message "
                     "%" PRIu64,
                     node, message_at(lane, i)->number, source, tag, found.number);
        find(history, HISTORY_CORRUPTED,
             "node %u received message %" PRIu64 " of node %u with tag %u wrongly: expected %u "
             "bytes of %u that fit, seen %u, result %d",
             node, found.number, source, tag, found.bytes, receive->capacity, receive->bytes,
             receive->result);
    }
    take_message(lane, skipped);
    check_order(history, node, receive, found.number);
    check_matching(history, node, receive, found.number);
}

/* Is an earlier receive left that accepts the message? */
static bool is_blocked(const struct node *node, uint32_t place) {
    const struct receive *receive = &node->receives[place];
    for (uint32_t i = 0; i < place; i++)
        if (accepts(&node->receives[i], receive->got_source, receive->got_tag))
            return true;
    return false;
}

static void settle_all(struct history *history, uint32_t node) {
    struct node *own = &history->node[node];
    for (uint32_t place = 0; place < own->count;) {
        struct receive receive = own->receives[place];
        if (!receive.ended || is_blocked(own, place)) {
            place++;
            continue;
        }
        own->receives[place].content = NULL;
        remove_receive(own, place);
        settle(history, node, &receive, receive.content);
        free(receive.content);
    }
}

/* Every earlier receive that accepts the message has met one before: the host may not get it back
 * as cancelled, unless it asked for that. */
static void pass(struct node *node, uint32_t place) {
    const struct receive *receive = &node->receives[place];
    for (uint32_t i = 0; i < place; i++)
        if (!node->receives[i].ended && !node->receives[i].cancelling &&
            accepts(&node->receives[i], receive->got_source, receive->got_tag))
            node->receives[i].passed = true;
}

void history_receive_ended(struct history *history, uint32_t node, uint32_t request,
                           enum history_result result, uint32_t bytes, uint32_t source,
                           uint32_t tag) {
    struct node *own = &history->node[node];
    uint32_t place = open_receive(own, request);
    struct receive *receive = &own->receives[place];
    bool got = result == HISTORY_OK || result == HISTORY_TRUNCATED;
    uint32_t taken = bytes < receive->capacity ? bytes : receive->capacity;
    receive->result = result;
    receive->bytes = bytes;
    receive->got_source = source;
    receive->got_tag = tag;
    if (result == HISTORY_CANCELLED && !receive->cancelling)
        find(history, HISTORY_LOST, "node %u: a receive was cancelled that nobody cancelled", node);
    if (result == HISTORY_CANCELLED && receive->passed)
        find(history, HISTORY_MISORDERED,
             "node %u: a receive was cancelled, and a later one had got a message that it accepts",
             node);
    if (result == HISTORY_RESET && history->restarts[receive->source] == 0)
        find(history, HISTORY_LOST, "node %u: a receive was reset, and node %u never restarted",
             node, receive->source);
    if (got && (source >= history->nodes || tag >= history->tags || source == node ||
                !accepts(receive, source, tag))) {
        find(history, HISTORY_CORRUPTED,
             "node %u: a receive from node %u with tag %u, bits %u ignored, got a message of node "
             "%u with tag %u",
             node, receive->source, receive->tag, receive->ignored, source, tag);
        got = false;
    }
    if (got) {
        pass(own, place);
        receive->ended = true;
        receive->content = malloc(taken + 1);
        if (receive->content == NULL)
            abort();
        memcpy(receive->content,
               history->memory.present(history->memory.owner, node, request, taken), taken);
    } else {
        remove_receive(own, place);
    }
    settle_all(history, node);
}

/* Of the place-th message of a lane: the receive that must have it; NULL where a cancellation or a
 * wildcard leaves that open. */
static const struct receive *receive_of(const struct node *node, uint32_t source, uint32_t tag,
                                        uint32_t place, bool *open) {
    *open = false;
    for (uint32_t i = 0; i < node->count; i++) {
        const struct receive *receive = &node->receives[i];
        if (!accepts(receive, source, tag) ||
            (receive->ended && (receive->got_source != source || receive->got_tag != tag)))
            continue;
        *open |= !receive->ended && (receive->cancelling || has_wildcards(receive));
        if (place-- == 0)
            return receive;
    }
    return NULL;
}

static void check_present(struct history *history, uint32_t source, uint32_t destination,
                          uint32_t tag, uint32_t place) {
    const struct message *message = message_at(lane_of(history, source, destination, tag), place);
    bool open;
    const struct receive *receive =
        receive_of(&history->node[destination], source, tag, place, &open);
    uint32_t bytes;
    if (open)
        return;
    if (receive == NULL) {
        find(history, HISTORY_LOST,
             "the send of message %" PRIu64 " from node %u to node %u has finished, and there is "
             "no receive for it",
             message->number, source, destination);
        return;
    }
    if (receive->ended)
        return; /* compared then or later */
    bytes = message->bytes < receive->capacity ? message->bytes : receive->capacity;
    uint8_t *present = zeroed(bytes + 1, 1);
    memcpy(present,
           history->memory.present(history->memory.owner, destination, receive->request, bytes),
           bytes);
    if (memcmp(present,
               history->memory.sent(history->memory.owner, source, destination, message->number,
                                    message->bytes),
               bytes) != 0)
        find(history, HISTORY_CORRUPTED,
             "the send of message %" PRIu64 " from node %u to node %u has finished, and the "
             "receiver's memory does not hold it",
             message->number, source, destination);
    free(present);
}

/* The receiver restarted after `number` was posted: an earlier message may be lost with it, even
 * where its own result comes later. */
static void doubt_until(struct history *history, uint32_t source, uint32_t destination,
                        uint64_t number) {
    for (uint32_t tag = 0; tag < history->tags; tag++) {
        const struct lane *lane = lane_of(history, source, destination, tag);
        for (uint32_t i = 0; i < lane->message_count; i++)
            if (message_at(lane, i)->number <= number)
                message_at(lane, i)->doubtful = true;
    }
}

static struct message *find_message(struct history *history, uint32_t source, uint32_t destination,
                                    uint64_t number, struct lane **lane, uint32_t *place) {
    for (uint32_t tag = 0; tag < history->tags; tag++) {
        *lane = lane_of(history, source, destination, tag);
        for (*place = 0; *place < (*lane)->message_count; ++*place)
            if (message_at(*lane, *place)->number == number)
                return message_at(*lane, *place);
    }
    return NULL;
}

void history_cancel_send(struct history *history, uint32_t source, uint32_t destination,
                         uint64_t number) {
    struct lane *lane;
    uint32_t place;
    struct message *message = find_message(history, source, destination, number, &lane, &place);
    if (message != NULL) /* else it has been received, and the host does not know yet */
        message->cancelling = true;
}

static void send_cancelled(struct history *history, uint32_t source, uint32_t destination,
                           uint64_t number) {
    struct lane *lane;
    uint32_t place;
    const struct message *message =
        find_message(history, source, destination, number, &lane, &place);
    if (message == NULL) {
        find(history, HISTORY_DUPLICATED,
             "node %u: the send of message %" PRIu64 " to node %u was cancelled, and the message "
             "has been received",
             source, number, destination);
        return;
    }
    if (!message->cancelling)
        find(history, HISTORY_LOST, "node %u: a send was cancelled that nobody cancelled", source);
    for (; place > 0; place--)
        *message_at(lane, place) = *message_at(lane, place - 1);
    lane->first_message++;
    lane->message_count--;
}

void history_send_ended(struct history *history, uint32_t source, uint32_t destination,
                        uint64_t number, enum history_result result) {
    bool restarted = history->restarts[destination] != 0;
    for (uint32_t tag = 0; tag < history->tags; tag++) {
        struct lane *lane = lane_of(history, source, destination, tag);
        bool doubt = false;
        for (uint32_t place = 0; place < lane->message_count; place++) {
            struct message *message = message_at(lane, place);
            if (message->number != number) {
                /* Results come in any order: those that say of a restart may come later. */
                doubt |= may_be_missing(message) ||
                         (message->number < number && !message->ended && restarted);
                continue;
            }
            doubt |= message->doubtful;
            message->ended = true;
            if (result != HISTORY_CANCELLED)
                message->cancelling = false; /* it came too late */
            if (result == HISTORY_OK && !doubt)
                check_present(history, source, destination, tag, place);
        }
    }
    if (result == HISTORY_CANCELLED)
        send_cancelled(history, source, destination, number);
    if (result == HISTORY_RESET)
        doubt_until(history, source, destination, number);
    if (result == HISTORY_RESET && history->restarts[destination] == 0)
        find(history, HISTORY_LOST, "node %u: a send was reset, and node %u never restarted",
             source, destination);
    if (result != HISTORY_OK && result != HISTORY_RESET && result != HISTORY_CANCELLED)
        find(history, HISTORY_CORRUPTED, "node %u: a send ended with result %d", source, result);
}

void history_restart(struct history *history, uint32_t node) {
    history->restarts[node]++;
    forget_receives(&history->node[node]);
    for (uint32_t peer = 0; peer < history->nodes; peer++)
        for (uint32_t tag = 0; tag < history->tags; tag++) {
            struct lane *in = lane_of(history, peer, node, tag);
            struct lane *out = lane_of(history, node, peer, tag);
            for (uint32_t i = 0; i < in->message_count; i++)
                message_at(in, i)->doubtful = true;
            for (uint32_t i = 0; i < out->message_count; i++)
                message_at(out, i)->doubtful = true;
        }
}

void history_end(struct history *history) {
    for (uint32_t source = 0; source < history->nodes; source++)
        for (uint32_t node = 0; node < history->nodes; node++)
            for (uint32_t tag = 0; tag < history->tags; tag++) {
                const struct lane *lane = lane_of(history, source, node, tag);
                for (uint32_t i = 0; i < lane->message_count; i++)
                    if (!message_at(lane, i)->doubtful)
                        find(history, HISTORY_LOST,
                             "message %" PRIu64 " of node %u with tag %u never came to node %u",
                             message_at(lane, i)->number, source, tag, node);
            }
}

enum history_finding history_verdict(const struct history *history, const char **text) {
    *text = history->text;
    return history->finding;
}

const char *history_name(enum history_finding finding) {
    static const char *const names[HISTORY_FINDINGS] = {"fine", "lost", "duplicated", "corrupted",
                                                        "misordered"};
    return names[finding];
}
