/* SPDX-License-Identifier: MIT */
/* Long messages on two boards. Both ways at once, with loss: every byte, messages that are too
 * long, and ordinary messages of the same peer between the segments. Cancelled at one end or at
 * both, at any moment: both ends end, and the nodes exchange messages as before. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include "host/emp/descriptor.h"

#include <errno.h>
#include <string.h>

enum {
    MEBIBYTE = 1 << 20,
    ROOM = 2 * MEBIBYTE + 4096,
    ODD_OFFSET = 33,
    LONG_TAG = 5,
    SHORT_TAG = 6,
    LOOK_NS = 20000
};

/* The room of a receive may be less than the message. */
static const struct {
    size_t bytes, room;
} messages[] = {
    {0, ROOM / 2},
    {1, 1},
    {0, 0},
    {MEBIBYTE, MEBIBYTE},
    {2 * MEBIBYTE + 3, 2 * MEBIBYTE + 3},
    {1500, 1499},
    {MEBIBYTE + 4096, 4095},
};
enum { MESSAGES = sizeof messages / sizeof *messages };

static uint8_t byte_at(unsigned node, size_t message, size_t offset) {
    return (uint8_t)(node * 151 + message * 31 + offset * 7 + (offset >> 12));
}

/* One long message each way, and a short one that is posted behind the segments of the long one. */
static int swap(struct pair_side *side, struct libemp_memory *memory, uint8_t *bytes,
                size_t message) {
    const size_t length = messages[message].bytes, room = messages[message].room;
    const struct libemp_piece out = {memory, ODD_OFFSET, length}, in = {memory, ROOM, room};
    const struct libemp_piece brief = {memory, 0, 2}, answer = {memory, 8, 2};
    const unsigned own = side->peer == 0;
    libemp_transfer sent, received;
    libemp_request request[2];
    uint64_t sent_bytes = 1, received_bytes = 1;
    int result[2] = {-EAGAIN, -EAGAIN};
    for (size_t i = 0; i < length; i++)
        bytes[ODD_OFFSET + i] = byte_at(own, message, i);
    memset(bytes + ROOM, 0xEE, ROOM);
    bytes[0] = bytes[1] = (uint8_t)(message + 1);
    bytes[8] = 0;
    need(libemp_receive_long(side->board, side->peer, LONG_TAG, &in, &received) == 0);
    need(libemp_post_receive(side->board, side->peer, SHORT_TAG, &answer, 1, &request[0]) == 0);
    need(libemp_send_long(side->board, side->peer, LONG_TAG, &out, &sent) == 0);
    need(libemp_post_send(side->board, side->peer, SHORT_TAG, &brief, 1, &request[1]) == 0);
    while (result[0] == -EAGAIN || result[1] == -EAGAIN) {
        if (result[0] == -EAGAIN)
            result[0] = libemp_test_long(side->board, sent, &sent_bytes);
        if (result[1] == -EAGAIN)
            result[1] = libemp_test_long(side->board, received, &received_bytes);
        board_sleep_ns(libemp_hardware(side->board), LOOK_NS);
    }
    need(result[0] == 0 && sent_bytes == length);
    need(result[1] == (length > room ? -EMSGSIZE : 0) && received_bytes == length);
    need(libemp_wait_all(side->board, request, 2, LIBEMP_FOREVER, NULL, NULL) == 0);
    need(bytes[8] == message + 1);
    for (size_t i = 0; i < ROOM; i++)
        need(bytes[ROOM + i] == (i < length && i < room ? byte_at(!own, message, i) : 0xEE));
    return 0;
}

static int swap_all(struct pair_side *side, void *argument) {
    uint8_t *bytes = libemp_allocate(side->board, 2 * ROOM);
    struct libemp_memory *memory;
    (void)argument;
    need(libemp_register(side->board, bytes, 2 * ROOM, &memory) == 0);
    for (size_t message = 0; message < MESSAGES; message++) {
        const int error = swap(side, memory, bytes, message);
        if (error)
            return error;
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    need(libemp_deregister(memory) == 0);
    return 0;
}

static void long_messages__both_ways(void **state) {
    (void)state;
    exchange_programs(swap_all, swap_all, NULL, 1, 0);
}

static void long_messages__over_loss(void **state) {
    (void)state;
    exchange_programs(swap_all, swap_all, NULL, 2, 0.05);
}

/* ------------------------------------------------------------------------------------- Cancels */

enum { CANCELLED_BYTES = 5 * MEBIBYTE, MOMENTS = 40, LATER = 20 };
#define SECOND_NS UINT64_C(1000000000)
#define STEP_NS   UINT64_C(1200000) /* 40 of them: 5 MiB take 45 ms on the wire */
#define NEVER     UINT64_MAX

/* What both sides do, the first of which sends, and how far they have come. */
struct cancelling {
    uint64_t after_ns[2]; /* when each cancels */
    bool unreceived;      /* nothing is posted for the message */
    bool idle;            /* the sender does nothing until the receiver has ended */
    unsigned begun[2], ended[2], done[2];
    int result[2];
};

/* Waits until the other side has counted as far. */
static int wait_for_other(struct pair_side *side, const unsigned counts[2]) {
    while (counts[side->peer] < counts[side->index] && !pair_peer_failed(side))
        tigon_host_sleep_ns(side->host, LOOK_NS);
    need(counts[side->peer] >= counts[side->index]);
    return 0;
}

static int meet(struct pair_side *side, unsigned counts[2]) {
    counts[side->index]++;
    return wait_for_other(side, counts);
}

/* The segments that are left when a receive has ended alone, until the sender has ended, too. */
static int take_the_rest(struct pair_side *side, const struct cancelling *all) {
    libemp_request request;
    while (all->ended[0] < all->ended[1]) {
        need(libemp_post_receive(side->board, side->peer, LONG_TAG, NULL, 0, &request) == 0);
        int error = libemp_wait(side->board, request, SECOND_NS / 10, NULL);
        if (error == -ETIMEDOUT) {
            need(libemp_cancel(side->board, request) == 0);
            error = libemp_wait(side->board, request, SECOND_NS, NULL);
        }
        need(error == -EMSGSIZE || error == -ECANCELED);
    }
    return 0;
}

static int cancel_one(struct pair_side *side, struct cancelling *all,
                      const struct libemp_piece *place, int *result) {
    const uint64_t after_ns = all->after_ns[side->index];
    const bool sends = side->index == 0;
    libemp_transfer transfer;
    need((sends ? libemp_send_long : libemp_receive_long)(side->board, side->peer, LONG_TAG, place,
                                                          &transfer) == 0);
    *result = -ETIMEDOUT;
    if (sends && all->idle)
        while (all->ended[1] <= all->ended[0] && !pair_peer_failed(side))
            tigon_host_sleep_ns(side->host, LOOK_NS);
    else if (after_ns != NEVER)
        *result = libemp_wait_long(side->board, transfer, after_ns, NULL);
    if (*result == -ETIMEDOUT && after_ns != NEVER) {
        const int error = libemp_cancel_long(side->board, transfer);
        need(error == (sends && !EMP_CANCELS_SENDS ? -EOPNOTSUPP : 0));
        need(libemp_cancel_long(side->board, transfer) == error);
    }
    if (*result == -ETIMEDOUT)
        *result = libemp_wait_long(side->board, transfer, 20 * SECOND_NS, NULL);
    return 0;
}

static int exchange_later(struct pair_side *side, struct libemp_memory *memory, uint8_t *bytes) {
    const bool sends = side->index == 0;
    libemp_request request[LATER];
    for (unsigned i = 0; i < LATER; i++) {
        const struct libemp_piece piece = {memory, i, 1};
        bytes[i] = (uint8_t)(sends ? 3 * i : 0xEE);
        need((sends ? libemp_post_send : libemp_post_receive)(side->board, side->peer, SHORT_TAG,
                                                              &piece, 1, &request[i]) == 0);
    }
    need(libemp_wait_all(side->board, request, LATER, SECOND_NS, NULL, NULL) == 0);
    for (unsigned i = 0; i < LATER; i++)
        need(bytes[i] == (uint8_t)(3 * i));
    return 0;
}

/* One transfer, and that nothing of it is left behind. */
static int cancel_and_go_on(struct pair_side *side, struct cancelling *all,
                            struct libemp_memory *memory, uint8_t *bytes) {
    const struct libemp_piece place = {memory, 0, CANCELLED_BYTES};
    const bool sends = side->index == 0;
    if (meet(side, all->begun))
        return -EBADMSG;
    if ((sends || !all->unreceived) && cancel_one(side, all, &place, &all->result[side->index]))
        return -EBADMSG;
    all->ended[side->index]++;
    if (!sends && all->idle && !EMP_CANCELS_SENDS && take_the_rest(side, all))
        return -EBADMSG;
    if (wait_for_other(side, all->ended) || exchange_later(side, memory, bytes) ||
        meet(side, all->done))
        return -EBADMSG;
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static int make_memory(struct pair_side *side, struct libemp_memory **memory, uint8_t **bytes) {
    *bytes = libemp_allocate(side->board, CANCELLED_BYTES);
    need(*bytes && libemp_register(side->board, *bytes, CANCELLED_BYTES, memory) == 0);
    return 0;
}

/* Not quite at once: the receiver is a few frames later, or ahead. In `paper` nothing ends a send
 * that begins after its receive has been cancelled. */
static int cancel_at_each_moment(struct pair_side *side, void *argument) {
    struct cancelling *all = argument;
    struct libemp_memory *memory;
    uint8_t *bytes;
    if (make_memory(side, &memory, &bytes))
        return -EBADMSG;
    for (unsigned i = 0; i < MOMENTS; i++) {
        all->after_ns[side->index] =
            side->index == 0 ? 50000 + i * STEP_NS
                             : (i || EMP_CANCELS_SENDS ? 0 : 500000) + i % 3 * 50000 + i * STEP_NS;
        if (cancel_and_go_on(side, all, memory, bytes))
            return -EBADMSG;
        const int result = all->result[side->index];
        const bool late = side->index == 0 && !EMP_CANCELS_SENDS;
        need(result == 0 || (!late && result == -ECANCELED));
    }
    need(libemp_deregister(memory) == 0);
    return 0;
}

static void cancel__at_both_ends_at_any_moment(void **state) {
    struct cancelling all = {0};
    (void)state;
    exchange_programs(cancel_at_each_moment, cancel_at_each_moment, &all, 3, 0);
}

static int cancel_once(struct pair_side *side, void *argument) {
    struct libemp_memory *memory;
    uint8_t *bytes;
    return make_memory(side, &memory, &bytes) ? -EBADMSG
                                              : cancel_and_go_on(side, argument, memory, bytes);
}

static void cancel__of_a_send_ends_its_receive(void **state) {
    struct cancelling all = {.after_ns = {10000000, NEVER}};
    (void)state;
    if (!EMP_CANCELS_SENDS)
        skip();
    exchange_programs(cancel_once, cancel_once, &all, 5, 0);
    assert_int_equal(all.result[0], -ECANCELED);
    assert_int_equal(all.result[1], -ECANCELED);
}

/* The receiver looks seldom, and the next message has the same tag: none of the receives that are
 * posted for the first one may take it. */
static int send_again(struct pair_side *side, void *argument) {
    struct libemp_memory *memory;
    uint8_t *bytes;
    (void)argument;
    if (make_memory(side, &memory, &bytes))
        return -EBADMSG;
    for (unsigned i = 0; i < MOMENTS / 4; i++) {
        const struct libemp_piece place = {memory, 0, CANCELLED_BYTES}, next = {memory, i, ROOM};
        libemp_transfer transfer;
        memset(bytes, (int)i, i + ROOM);
        need(libemp_send_long(side->board, side->peer, LONG_TAG, &place, &transfer) == 0);
        need(libemp_wait_long(side->board, transfer, (2 * i + 1) * STEP_NS, NULL) == -ETIMEDOUT);
        need(libemp_cancel_long(side->board, transfer) == 0);
        need(libemp_wait_long(side->board, transfer, SECOND_NS, NULL) == -ECANCELED);
        need(libemp_send_long(side->board, side->peer, LONG_TAG, &next, &transfer) == 0);
        need(libemp_wait_long(side->board, transfer, SECOND_NS, NULL) == 0);
    }
    return 0;
}

static int receive_again(struct pair_side *side, void *argument) {
    struct libemp_memory *memory;
    uint8_t *bytes;
    (void)argument;
    if (make_memory(side, &memory, &bytes))
        return -EBADMSG;
    for (unsigned i = 0; i < 2 * (MOMENTS / 4); i++) {
        const struct libemp_piece place = {memory, 0, CANCELLED_BYTES};
        libemp_transfer transfer;
        int error;
        need(libemp_receive_long(side->board, side->peer, LONG_TAG, &place, &transfer) == 0);
        while ((error = libemp_test_long(side->board, transfer, NULL)) == -EAGAIN)
            tigon_host_sleep_ns(side->host, 5000000);
        need(error == (i % 2 ? 0 : -ECANCELED));
        for (size_t k = 0; i % 2 && k < ROOM; k++)
            need(bytes[k] == i / 2);
    }
    return 0;
}

static void cancel__of_a_send_leaves_no_receive_behind(void **state) {
    (void)state;
    if (!EMP_CANCELS_SENDS)
        skip();
    exchange_programs(send_again, receive_again, NULL, 9, 0);
}

static void cancel__of_a_receive_takes_what_is_sent(void **state) {
    struct cancelling all = {.after_ns = {NEVER, 10000000}};
    (void)state;
    exchange_programs(cancel_once, cancel_once, &all, 6, 0);
    assert_int_equal(all.result[0], 0);
    assert_int_equal(all.result[1], -ECANCELED);
}

static void cancel__of_a_send_without_a_receive_gives_up_the_node(void **state) {
    struct cancelling all = {.after_ns = {10000000, NEVER}, .unreceived = true};
    (void)state;
    if (!EMP_CANCELS_SENDS)
        skip();
    exchange_programs(cancel_once, cancel_once, &all, 7, 0);
    assert_int_equal(all.result[0], -ECANCELED);
}

/* The receive ends first. The sender's segments then wait, in `paper` for receives. */
static void cancel__does_not_wait_for_a_sender_that_does_nothing(void **state) {
    struct cancelling all = {.after_ns = {0, 10000000}, .idle = true};
    (void)state;
    exchange_programs(cancel_once, cancel_once, &all, 8, 0);
    assert_int_equal(all.result[0], EMP_CANCELS_SENDS ? -ECANCELED : 0);
    assert_int_equal(all.result[1], -ECANCELED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_messages__both_ways),
        cmocka_unit_test(long_messages__over_loss),
        cmocka_unit_test(cancel__at_both_ends_at_any_moment),
        cmocka_unit_test(cancel__of_a_send_ends_its_receive),
        cmocka_unit_test(cancel__of_a_send_leaves_no_receive_behind),
        cmocka_unit_test(cancel__of_a_receive_takes_what_is_sent),
        cmocka_unit_test(cancel__of_a_send_without_a_receive_gives_up_the_node),
        cmocka_unit_test(cancel__does_not_wait_for_a_sender_that_does_nothing),
    };
    return cmocka_run_group_tests_name("long messages", tests, NULL, NULL);
}
