/* SPDX-License-Identifier: MIT */
/* Tags of 64 bits, ignored bits and any source on two boards: which receive a message takes, and
 * what its completion tells. Peeks, claims, and cancels of sends. In a profile without all this:
 * that the library says so. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <string.h>

#define FIRST  UINT64_C(0x0123456789ABCDEF)
#define SECOND (FIRST ^ TOP)
#define TOP    (UINT64_C(1) << 63)

enum { BYTES = 64, RECEIVES = 6 };

static int make_memory(struct pair_side *side, uint8_t **bytes, struct libemp_piece *piece) {
    *bytes = libemp_allocate(side->board, 4096);
    *piece = (struct libemp_piece){.length = BYTES};
    return *bytes ? libemp_register(side->board, *bytes, 4096, &piece->memory) : -ENOMEM;
}

static int send_all(struct pair_side *side, void *argument) {
    static const uint64_t tags[] = {FIRST, FIRST, SECOND, SECOND, SECOND};
    enum { COUNT = sizeof tags / sizeof *tags };
    libemp_request request[COUNT];
    struct libemp_completion completion;
    (void)argument;
    for (unsigned i = 0; i < COUNT; i++) {
        struct libemp_piece piece;
        uint8_t *bytes;
        need(make_memory(side, &bytes, &piece) == 0);
        memset(bytes, 'a' + (int)i, BYTES);
        need(libemp_post_send(side->board, side->peer, tags[i], &piece, 1, &request[i]) == 0);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, &completion) == 0);
        need(completion.peer == side->peer && completion.tag == tags[i]);
    }
    return 0;
}

/* Which message each receive gets, in order of posting; ' ' none. */
static const struct {
    uint64_t tag, ignored;
    bool any;
    uint8_t gets;
} receives[RECEIVES] = {
    {FIRST ^ 1, TOP, true, ' '}, /* differs in a bit that counts */
    {SECOND, 0, true, 'c'},      {FIRST, 0, false, 'a'},
    {FIRST, TOP, false, 'b'}, /* older than what follows, and for both tags */
    {0, UINT64_MAX, true, 'd'},  {SECOND, 0, false, 'e'},
};

static int receive_all(struct pair_side *side, void *argument) {
    libemp_request request[RECEIVES];
    struct libemp_completion completion;
    uint8_t *bytes[RECEIVES];
    (void)argument;
    for (unsigned i = 0; i < RECEIVES; i++) {
        struct libemp_piece piece;
        need(make_memory(side, &bytes[i], &piece) == 0);
        need(libemp_post_receive_matching(
                 side->board, receives[i].any ? LIBEMP_ANY_SOURCE : side->peer, receives[i].tag,
                 receives[i].ignored, &piece, 1, &request[i]) == 0);
    }
    for (unsigned i = 1; i < RECEIVES; i++) {
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, &completion) == 0);
        need(bytes[i][0] == receives[i].gets && bytes[i][BYTES - 1] == receives[i].gets);
        need(completion.length == BYTES && completion.peer == side->peer);
        need(completion.tag == (receives[i].gets < 'c' ? FIRST : SECOND));
    }
    need(libemp_test(side->board, request[0], NULL) == -EAGAIN);
    need(libemp_cancel(side->board, request[0]) == 0);
    need(libemp_wait(side->board, request[0], LIBEMP_FOREVER, &completion) == -ECANCELED);
    need(completion.peer == LIBEMP_ANY_SOURCE && completion.tag == receives[0].tag);
    need(bytes[0][0] == 0);
    return 0;
}

/* --------------------------------------------------------------------------------- Peeks */

enum { PEEKED = 6, LATE_NS = 3000000 };

static uint64_t peeked_tag(unsigned i) {
    return i % 3 == 0 ? FIRST : SECOND + i;
}

static int send_to_peeks(struct pair_side *side, void *argument) {
    libemp_request request[PEEKED];
    uint8_t *bytes = libemp_allocate(side->board, 8192);
    struct libemp_piece piece = {0};
    (void)argument;
    need(libemp_register(side->board, bytes, 8192, &piece.memory) == 0);
    for (unsigned i = 0; i < PEEKED; i++) {
        piece.length = 1000 * i;
        need(libemp_post_send(side->board, side->peer, peeked_tag(i), &piece, 1, &request[i]) == 0);
    }
    for (unsigned i = 0; i < PEEKED; i++)
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

/* Each message is peeked at, and then received into memory of its length. */
static int peek_and_receive(struct pair_side *side, void *argument) {
    struct libemp_completion completion, received;
    libemp_request request, other, idle;
    uint8_t *bytes = libemp_allocate(side->board, 8192);
    struct libemp_piece piece = {0};
    (void)argument;
    need(libemp_register(side->board, bytes, 8192, &piece.memory) == 0);
    need(libemp_post_peek(side->board, side->peer, FIRST ^ 1, 0, &other) == 0);
    for (unsigned i = 0; i < PEEKED; i++) {
        need(libemp_post_peek(side->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX, &request) == 0);
        need(libemp_wait(side->board, request, LIBEMP_FOREVER, &completion) == 0);
        need(completion.length == 1000 * i && completion.peer == side->peer);
        need(completion.tag == peeked_tag(i));
        piece.length = completion.length;
        need(libemp_post_receive(side->board, completion.peer, completion.tag, &piece, 1,
                                 &request) == 0);
        need(libemp_wait(side->board, request, LIBEMP_FOREVER, &received) == 0);
        need(received.length == completion.length && received.tag == completion.tag);
    }
    need(libemp_post_peek(side->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX, &idle) == 0);
    need(libemp_wait(side->board, idle, LATE_NS, NULL) == -ETIMEDOUT);
    need(libemp_cancel(side->board, idle) == 0);
    need(libemp_wait(side->board, idle, LIBEMP_FOREVER, NULL) == -ECANCELED);
    need(libemp_cancel(side->board, other) == 0);
    need(libemp_wait(side->board, other, LIBEMP_FOREVER, NULL) == -ECANCELED);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

/* --------------------------------------------------------------------------------- Claims */

enum { CLAIMED = 40, CLAIM_ROOM = 4096 };

static size_t claimed_length(unsigned i) {
    return 97 * i % CLAIM_ROOM;
}

static int send_to_claims(struct pair_side *side, void *argument) {
    libemp_request request[CLAIMED];
    uint8_t *bytes = libemp_allocate(side->board, (size_t)CLAIMED * CLAIM_ROOM);
    struct libemp_piece piece = {0};
    (void)argument;
    need(libemp_register(side->board, bytes, (size_t)CLAIMED * CLAIM_ROOM, &piece.memory) == 0);
    for (unsigned i = 0; i < CLAIMED; i++) {
        piece.offset = (size_t)i * CLAIM_ROOM;
        piece.length = claimed_length(i);
        memset(bytes + piece.offset, (int)i + 1, piece.length);
        need(libemp_post_send(side->board, side->peer, peeked_tag(i), &piece, 1, &request[i]) == 0);
    }
    for (unsigned i = 0; i < CLAIMED; i++)
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

/* Has this request received just this message? */
static int expect_message(struct pair_side *side, libemp_request request, unsigned i,
                          const uint8_t *bytes) {
    struct libemp_completion completion;
    need(libemp_wait(side->board, request, LIBEMP_FOREVER, &completion) == 0);
    need(completion.length == claimed_length(i) && completion.tag == peeked_tag(i));
    for (size_t at = 0; at < completion.length; at++)
        need(bytes[at] == i + 1);
    return 0;
}

/* What is done with message `i`, by turns: it is claimed; claimed, while a receive that accepts
 * everything is posted right behind; not to be claimed, because such a receive was posted in
 * between, or right behind the peek. Messages come in order whatever took them. */
static int claim_and_receive(struct pair_side *side, void *argument) {
    struct libemp_completion met;
    libemp_request peek, claim, other;
    struct libemp_piece piece[2] = {{.length = CLAIM_ROOM}, {.length = CLAIM_ROOM}};
    uint8_t *bytes = libemp_allocate(side->board, (size_t)2 * CLAIM_ROOM);
    (void)argument;
    need(libemp_register(side->board, bytes, (size_t)2 * CLAIM_ROOM, &piece[0].memory) == 0);
    piece[1].memory = piece[0].memory;
    piece[1].offset = CLAIM_ROOM;
    for (unsigned i = 0, turn = 0; i < CLAIMED; i++, turn++) {
        const bool between = turn % 4 == 2, behind = turn % 4 == 3;
        memset(bytes, 0, (size_t)2 * CLAIM_ROOM);
        need(libemp_post_peek(side->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX, &peek) == 0);
        if (!behind) {
            need(libemp_wait(side->board, peek, LIBEMP_FOREVER, &met) == 0);
            need(met.length == claimed_length(i) && met.tag == peeked_tag(i));
        }
        if (between || behind) {
            need(libemp_post_receive_matching(side->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX,
                                              &piece[1], 1, &other) == 0);
            need(expect_message(side, other, i, bytes + CLAIM_ROOM) == 0);
            if (behind) {
                need(libemp_cancel(side->board, peek) == 0);
                if (libemp_wait(side->board, peek, LIBEMP_FOREVER, NULL) == -ECANCELED)
                    continue;
            }
            need(libemp_post_claim(side->board, peek, piece, 1, &claim) == -ENOMSG);
            continue;
        }
        piece[0].length = met.length;
        need(libemp_post_claim(side->board, peek, piece, 1, &claim) == 0);
        if (turn % 4 == 1 && i + 1 < CLAIMED) {
            need(libemp_post_receive_matching(side->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX,
                                              &piece[1], 1, &other) == 0);
            need(expect_message(side, other, i + 1, bytes + CLAIM_ROOM) == 0);
            need(expect_message(side, claim, i, bytes) == 0);
            i++;
        } else {
            need(expect_message(side, claim, i, bytes) == 0);
        }
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

/* ------------------------------------------------------------------------- Cancels of sends */

enum { SENDS = 40, LAST = 'z' };

static bool is_cancelled(unsigned i) {
    return i % 5 == 1 || i == 2 || i >= SENDS - 2;
}

/* The board cannot have begun more than two messages, because no receive is posted yet. The message
 * after all others tells the receiver to end. */
static int send_and_cancel(struct pair_side *side, void *argument) {
    libemp_request request[SENDS], last;
    uint8_t *bytes = libemp_allocate(side->board, 4096);
    struct libemp_piece piece = {.length = BYTES};
    (void)argument;
    need(libemp_register(side->board, bytes, 4096, &piece.memory) == 0);
    for (unsigned i = 0; i < SENDS; i++) {
        piece.offset = (size_t)i * BYTES;
        memset(bytes + piece.offset, (int)i, BYTES);
        need(libemp_post_send(side->board, side->peer, FIRST, &piece, 1, &request[i]) == 0);
    }
    for (unsigned i = 0; i < SENDS; i++)
        if (is_cancelled(i))
            need(libemp_cancel(side->board, request[i]) == 0);
    piece.offset = (size_t)SENDS * BYTES;
    memset(bytes + piece.offset, LAST, BYTES);
    need(libemp_post_send(side->board, side->peer, FIRST, &piece, 1, &last) == 0);
    for (unsigned i = 0; i < SENDS; i++)
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) ==
             (is_cancelled(i) && i >= 2 ? -ECANCELED : 0));
    need(libemp_wait(side->board, last, LIBEMP_FOREVER, NULL) == 0);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

/* All that was not cancelled in time comes, in order. */
static int receive_late(struct pair_side *side, void *argument) {
    libemp_request request;
    struct libemp_piece piece;
    uint8_t *bytes;
    (void)argument;
    need(make_memory(side, &bytes, &piece) == 0);
    need(libemp_post_receive(side->board, side->peer, SECOND, &piece, 1, &request) == 0);
    need(libemp_wait(side->board, request, LATE_NS, NULL) == -ETIMEDOUT);
    need(libemp_cancel(side->board, request) == 0);
    need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == -ECANCELED);
    for (unsigned i = 0; i <= SENDS; i++) {
        if (i >= 2 && i < SENDS && is_cancelled(i))
            continue;
        need(libemp_post_receive(side->board, side->peer, FIRST, &piece, 1, &request) == 0);
        need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == 0);
        need(bytes[0] == (i < SENDS ? i : LAST) && bytes[BYTES - 1] == bytes[0]);
    }
    return 0;
}

/* ------------------------------------------------------------- Messages that pass a late one */

/* As many as the numbers of messages in the window leave room for (message_span), and one more. */
enum { PASSING = 7, BEHIND = PASSING + 1 };

/* The first message makes the contact; its answer says that all receives but the late one are
 * posted. */
static int send_past_late(struct pair_side *side, void *argument) {
    libemp_request hello, ready, late, behind[BEHIND];
    struct libemp_piece piece;
    uint8_t *bytes;
    (void)argument;
    need(make_memory(side, &bytes, &piece) == 0);
    need(libemp_post_receive(side->board, side->peer, FIRST, NULL, 0, &ready) == 0);
    need(libemp_post_send(side->board, side->peer, FIRST, NULL, 0, &hello) == 0);
    need(libemp_wait(side->board, hello, LIBEMP_FOREVER, NULL) == 0);
    need(libemp_wait(side->board, ready, LIBEMP_FOREVER, NULL) == 0);
    need(libemp_post_send(side->board, side->peer, FIRST, &piece, 1, &late) == 0);
    for (unsigned i = 0; i < BEHIND; i++)
        need(libemp_post_send(side->board, side->peer, SECOND + i, &piece, 1, &behind[i]) == 0);
    for (unsigned i = 0; i < PASSING; i++)
        need(libemp_wait(side->board, behind[i], LIBEMP_FOREVER, NULL) == 0);
    need(libemp_test(side->board, late, NULL) == -EAGAIN);
    need(libemp_wait(side->board, late, LIBEMP_FOREVER, NULL) == 0);
    need(libemp_wait(side->board, behind[PASSING], LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

/* The last receive accepts the late message and any behind it. It must get the late one, which was
 * sent first. */
static int receive_past_late(struct pair_side *side, void *argument) {
    libemp_request hello, ready, late, behind[BEHIND];
    struct libemp_completion completion;
    struct libemp_piece piece;
    uint8_t *bytes;
    (void)argument;
    need(make_memory(side, &bytes, &piece) == 0);
    need(libemp_post_receive(side->board, side->peer, FIRST, NULL, 0, &hello) == 0);
    need(libemp_wait(side->board, hello, LIBEMP_FOREVER, NULL) == 0);
    for (unsigned i = 0; i < BEHIND; i++) {
        const uint16_t source = i & 1 ? LIBEMP_ANY_SOURCE : side->peer;
        need(libemp_post_receive_matching(side->board, source, SECOND + i, 0, &piece, 1,
                                          &behind[i]) == 0);
    }
    need(libemp_post_send(side->board, side->peer, FIRST, NULL, 0, &ready) == 0);
    need(libemp_wait(side->board, ready, LIBEMP_FOREVER, NULL) == 0);
    for (unsigned i = 0; i < PASSING; i++)
        need(libemp_wait(side->board, behind[i], LIBEMP_FOREVER, NULL) == 0);
    need(libemp_wait(side->board, behind[PASSING], LATE_NS, NULL) == -ETIMEDOUT);
    need(libemp_post_receive_matching(side->board, side->peer, 0, UINT64_MAX, &piece, 1, &late) ==
         0);
    need(libemp_wait(side->board, late, LIBEMP_FOREVER, &completion) == 0);
    need(completion.tag == FIRST && completion.length == BYTES);
    need(libemp_wait(side->board, behind[PASSING], LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

/* ------------------------------------------------------------------------- */

static int refuse_wildcards(struct pair_side *side, void *argument) {
    libemp_request request;
    (void)argument;
    need(libemp_post_receive_matching(side->board, LIBEMP_ANY_SOURCE, 1, 0, NULL, 0, &request) ==
         -EOPNOTSUPP);
    need(libemp_post_receive_matching(side->board, side->peer, 1, 1, NULL, 0, &request) ==
         -EOPNOTSUPP);
    need(libemp_post_peek(side->board, side->peer, 1, 0, &request) == -EOPNOTSUPP);
    need(libemp_post_receive(side->board, side->peer, 0x10000, NULL, 0, &request) == -EINVAL);
    return 0;
}

static void matching__first_receive_that_accepts(void **state) {
    (void)state;
    if (libemp_tag_bits() < 64) {
        exchange_programs(refuse_wildcards, refuse_wildcards, NULL, 9, 0);
        return;
    }
    exchange_programs(send_all, receive_all, NULL, 9, 0);
    for (uint64_t seed = 10; seed < 20; seed++)
        exchange_programs(send_all, receive_all, NULL, seed, 0.2);
}

static void matching__peeks(void **state) {
    (void)state;
    if (libemp_tag_bits() < 64)
        skip();
    for (uint64_t seed = 20; seed < 25; seed++)
        exchange_programs(send_to_peeks, peek_and_receive, NULL, seed, seed == 20 ? 0 : 0.2);
}

static void matching__peeked_messages_are_claimed(void **state) {
    (void)state;
    if (libemp_tag_bits() < 64)
        skip();
    for (uint64_t seed = 40; seed < 46; seed++)
        exchange_programs(send_to_claims, claim_and_receive, NULL, seed, seed == 40 ? 0 : 0.1);
}

static void matching__sends_are_cancelled(void **state) {
    (void)state;
    if (libemp_tag_bits() < 64)
        skip();
    for (uint64_t seed = 30; seed < 35; seed++)
        exchange_programs(send_and_cancel, receive_late, NULL, seed, seed == 30 ? 0 : 0.2);
}

static void matching__messages_pass_one_whose_receive_is_late(void **state) {
    (void)state;
    if (libemp_tag_bits() < 64)
        skip();
    for (uint64_t seed = 40; seed < 50; seed++)
        exchange_programs(send_past_late, receive_past_late, NULL, seed, seed == 40 ? 0 : 0.2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching__first_receive_that_accepts),
        cmocka_unit_test(matching__peeks),
        cmocka_unit_test(matching__peeked_messages_are_claimed),
        cmocka_unit_test(matching__sends_are_cancelled),
        cmocka_unit_test(matching__messages_pass_one_whose_receive_is_late),
    };
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
