/* SPDX-License-Identifier: MIT */
/*
 * Of each source, destination and tag there is a lane: messages in the order sent, and receives in
 * the order posted. The first message belongs to the first receive that was not cancelled.
 */
#include "tests/native_worlds/history.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 16, TEXT_BYTES = 256 };

struct message {
    uint64_t number;
    uint32_t bytes;
    bool ended;
    bool doubtful; /* a restart or a reset: it may never arrive */
};

struct receive {
    uint8_t *content; /* what it got, where a receive before it is still open */
    uint32_t capacity, request;
    uint32_t bytes;
    enum history_result result;
    bool ended;
    bool cancelling;
};

/* Queues: `first` is taken next, rooms are powers of two. */
struct lane {
    struct message *messages;
    struct receive *receives;
    uint32_t first_message, message_count, message_room;
    uint32_t first_receive, receive_count, receive_room;
};

struct history {
    struct history_memory memory;
    uint32_t nodes, tags;
    struct lane *lanes;
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

static struct receive *receive_at(const struct lane *lane, uint32_t place) {
    return &lane->receives[(lane->first_receive + place) & (lane->receive_room - 1)];
}

struct history *history_create(uint32_t nodes, uint32_t tags, const struct history_memory *memory) {
    struct history *history = zeroed(1, sizeof *history);
    history->memory = *memory;
    history->nodes = nodes;
    history->tags = tags;
    history->lanes = zeroed((size_t)nodes * nodes * tags, sizeof *history->lanes);
    history->sent = zeroed((size_t)nodes * nodes, sizeof *history->sent);
    history->restarts = zeroed(nodes, sizeof *history->restarts);
    return history;
}

static void forget_receives(struct lane *lane) {
    for (uint32_t i = 0; i < lane->receive_count; i++)
        free(receive_at(lane, i)->content);
    lane->receive_count = 0;
}

void history_free(struct history *history) {
    for (uint32_t i = 0; i < history->nodes * history->nodes * history->tags; i++) {
        forget_receives(&history->lanes[i]);
        free(history->lanes[i].messages);
        free(history->lanes[i].receives);
    }
    free(history->lanes);
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
                     uint32_t capacity, uint32_t request) {
    struct lane *lane = lane_of(history, source, node, tag);
    if (lane->receive_count == lane->receive_room) {
        uint32_t room = lane->receive_room != 0 ? 2 * lane->receive_room : FIRST_ROOM;
        struct receive *receives = zeroed(room, sizeof *receives);
        for (uint32_t i = 0; i < lane->receive_count; i++)
            receives[i] = *receive_at(lane, i);
        free(lane->receives);
        lane->receives = receives;
        lane->receive_room = room;
        lane->first_receive = 0;
    }
    lane->receive_count++;
    *receive_at(lane, lane->receive_count - 1) =
        (struct receive){.capacity = capacity, .request = request};
}

static struct receive *open_receive(const struct lane *lane, uint32_t request, uint32_t *place) {
    for (*place = 0; *place < lane->receive_count; (*place)++)
        if (!receive_at(lane, *place)->ended && receive_at(lane, *place)->request == request)
            return receive_at(lane, *place);
    abort(); /* the campaign's own mistake */
}

void history_cancel(struct history *history, uint32_t node, uint32_t source, uint32_t tag,
                    uint32_t request) {
    uint32_t place;
    open_receive(lane_of(history, source, node, tag), request, &place)->cancelling = true;
}

/* ------------------------------------------------------------------------------------- Ending */

/* A message was accepted: so each earlier one of its source must have a receive, or have ended. */
static void check_order(struct history *history, uint32_t source, uint32_t node, uint64_t number) {
    for (uint32_t tag = 0; tag < history->tags; tag++) {
        const struct lane *lane = lane_of(history, source, node, tag);
        const struct message *first;
        if (lane->message_count == 0 || lane->receive_count != 0)
            continue;
        first = message_at(lane, 0);
        if (first->number < number && !first->doubtful)
            find(history, HISTORY_MISORDERED,
                 "node %u has message %" PRIu64 " of node %u, and no receive for message %" PRIu64
                 " of tag %u, which was sent before",
                 node, number, source, first->number, tag);
    }
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

/* The first receive has got a message. */
static void settle(struct history *history, struct lane *lane, uint32_t source, uint32_t node,
                   uint32_t tag, const struct receive *receive, const uint8_t *content) {
    uint32_t skipped = 0;
    struct message found;
    while (skipped < lane->message_count && message_at(lane, skipped)->doubtful &&
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
    lane->first_message += skipped + 1;
    lane->message_count -= skipped + 1;
    check_order(history, source, node, found.number);
}

void history_receive_ended(struct history *history, uint32_t node, uint32_t source, uint32_t tag,
                           uint32_t request, enum history_result result, uint32_t bytes) {
    struct lane *lane = lane_of(history, source, node, tag);
    uint32_t place;
    struct receive *receive = open_receive(lane, request, &place);
    bool got = result == HISTORY_OK || result == HISTORY_TRUNCATED;
    uint32_t taken = bytes < receive->capacity ? bytes : receive->capacity;
    receive->ended = true;
    receive->result = result;
    receive->bytes = bytes;
    if (result == HISTORY_CANCELLED && !receive->cancelling)
        find(history, HISTORY_LOST, "node %u: a receive was cancelled that nobody cancelled", node);
    if (result == HISTORY_RESET && history->restarts[source] == 0)
        find(history, HISTORY_LOST, "node %u: a receive was reset, and node %u never restarted",
             node, source);
    if (got && place != 0) {
        receive->content = zeroed(taken + 1, 1);
        memcpy(receive->content,
               history->memory.present(history->memory.owner, node, request, taken), taken);
    }
    while (lane->receive_count != 0 && receive_at(lane, 0)->ended) {
        struct receive first = *receive_at(lane, 0);
        lane->first_receive++;
        lane->receive_count--;
        if (first.result == HISTORY_OK || first.result == HISTORY_TRUNCATED)
            settle(history, lane, source, node, tag, &first,
                   first.content != NULL
                       ? first.content
                       : history->memory.present(history->memory.owner, node, request, taken));
        free(first.content);
    }
}

/* Of the place-th message of a lane: the receive that must have it; NULL where a cancellation
 * leaves that open. */
static const struct receive *receive_of(const struct lane *lane, uint32_t place, bool *open) {
    *open = false;
    for (uint32_t i = 0; i < lane->receive_count; i++) {
        const struct receive *receive = receive_at(lane, i);
        bool skipped = receive->ended &&
                       (receive->result == HISTORY_CANCELLED || receive->result == HISTORY_RESET);
        *open |= receive->cancelling && !receive->ended;
        if (!skipped && place-- == 0)
            return receive;
    }
    return NULL;
}

static void check_present(struct history *history, const struct lane *lane, uint32_t source,
                          uint32_t destination, uint32_t place) {
    const struct message *message = message_at(lane, place);
    bool open;
    const struct receive *receive = receive_of(lane, place, &open);
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
                doubt |=
                    message->doubtful || (message->number < number && !message->ended && restarted);
                continue;
            }
            doubt |= message->doubtful;
            message->ended = true;
            if (result == HISTORY_OK && !doubt)
                check_present(history, lane, source, destination, place);
        }
    }
    if (result == HISTORY_RESET)
        doubt_until(history, source, destination, number);
    if (result == HISTORY_RESET && history->restarts[destination] == 0)
        find(history, HISTORY_LOST, "node %u: a send was reset, and node %u never restarted",
             source, destination);
    if (result != HISTORY_OK && result != HISTORY_RESET)
        find(history, HISTORY_CORRUPTED, "node %u: a send ended with result %d", source, result);
}

void history_restart(struct history *history, uint32_t node) {
    history->restarts[node]++;
    for (uint32_t peer = 0; peer < history->nodes; peer++)
        for (uint32_t tag = 0; tag < history->tags; tag++) {
            struct lane *in = lane_of(history, peer, node, tag);
            struct lane *out = lane_of(history, node, peer, tag);
            forget_receives(in);
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
