/* SPDX-License-Identifier: MIT */
/* Tags of 64 bits, ignored bits and any source on two boards: which receive a message takes, and
 * what its completion tells. In a profile without wildcards: that the library says so. */
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

static int refuse_wildcards(struct pair_side *side, void *argument) {
    libemp_request request;
    (void)argument;
    need(libemp_post_receive_matching(side->board, LIBEMP_ANY_SOURCE, 1, 0, NULL, 0, &request) ==
         -EOPNOTSUPP);
    need(libemp_post_receive_matching(side->board, side->peer, 1, 1, NULL, 0, &request) ==
         -EOPNOTSUPP);
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching__first_receive_that_accepts),
    };
    return cmocka_run_group_tests_name("matching", tests, NULL, NULL);
}
