/* SPDX-License-Identifier: MIT */
/*
 * An oracle from outside: what hosts asked their boards for, and what they got back.
 *
 * It knows what paper 000 and host/emp/libemp.h promise a program, and nothing else: no frame, no
 * acknowledgement, no state of the protocol. So it finds what is wrong in the spec itself. It
 * shares no code with generator, spec or models.
 *
 * What it demands:
 *   - A receive gets the bytes of the message that it must match: messages of one source match
 *     receives that accept them in the order in which both were posted, each exactly once. A
 *     cancelled receive matches nothing, a cancelled send is received nowhere. A receive too short
 * gets the beginning, and is told so.
 *   - A message matches the receive posted first of those that accept it: source and tag agree, but
 *     for what the receive ignores. A receive with wildcards is told source and tag.
 *   - A message is not accepted while an earlier one of the same source has no receive; where
 *     messages may pass (history_let_pass): not into a receive that accepts that one, too.
 *   - When a send has finished, its message is in the receiver's memory.
 *   - After a node has restarted: its peers' unfinished requests end with a reset or properly;
 *     messages under way arrive once or not at all, in order.
 */
#ifndef TESTS_CAMPAIGN_WORLDS_HISTORY_H
#define TESTS_CAMPAIGN_WORLDS_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

enum history_result {
    HISTORY_OK,
    HISTORY_TRUNCATED, /* libemp_test: -EMSGSIZE */
    HISTORY_RESET,     /* -ECONNRESET */
    HISTORY_CANCELLED  /* -ECANCELED */
};

enum history_finding {
    HISTORY_FINE,
    HISTORY_LOST,       /* a message that never arrived */
    HISTORY_DUPLICATED, /* one that arrived again, or that nobody sent */
    HISTORY_CORRUPTED,  /* bytes, length or result are wrong */
    HISTORY_MISORDERED,
    HISTORY_FINDINGS
};

struct history;

#define HISTORY_ANY_SOURCE UINT32_MAX

/* What the hosts' memory holds. `bytes` are valid until the next call. */
struct history_memory {
    void *owner;
    /* A message as it was posted. */
    const uint8_t *(*sent)(void *owner, uint32_t source, uint32_t destination, uint64_t number,
                           uint32_t bytes);
    /* The first bytes of an open receive's memory, as they are now. */
    const uint8_t *(*present)(void *owner, uint32_t node, uint32_t request, uint32_t bytes);
};

/* `nodes` and `tags` are numbers of both, counted from 0. Ends the process without memory. */
struct history *history_create(uint32_t nodes, uint32_t tags, const struct history_memory *memory);
void history_free(struct history *history);
/* From now on messages may pass one that no receive accepts, as in the profile `modern`. */
void history_let_pass(struct history *history);

/* Messages of a source to a destination are numbered from 0, in order of posting. */
void history_send(struct history *history, uint32_t source, uint32_t destination, uint32_t tag,
                  uint32_t bytes);
void history_cancel_send(struct history *history, uint32_t source, uint32_t destination,
                         uint64_t number);
void history_send_ended(struct history *history, uint32_t source, uint32_t destination,
                        uint64_t number, enum history_result result);

/* `request` names a receive among the open ones of its node. It accepts messages of `source`, or of
 * any, whose tags differ from `tag` in bits of `ignored` only. */
void history_receive(struct history *history, uint32_t node, uint32_t source, uint32_t tag,
                     uint32_t ignored, uint32_t capacity, uint32_t request);
void history_cancel(struct history *history, uint32_t node, uint32_t request);
/* Its memory is looked at within the call. With a message, source and tag are those of the message,
 * as the host was told them. */
void history_receive_ended(struct history *history, uint32_t node, uint32_t request,
                           enum history_result result, uint32_t bytes, uint32_t source,
                           uint32_t tag);

/* All requests of the node are gone, on the host too. */
void history_restart(struct history *history, uint32_t node);

/* Nothing happens any more, and all requests have ended. */
void history_end(struct history *history);

/* The first finding, and a sentence about it: what was expected, what was seen. */
enum history_finding history_verdict(const struct history *history, const char **text);
const char *history_name(enum history_finding finding);

#endif
