/* SPDX-License-Identifier: MIT */
/* Two sends outstanding, so that a message may reach the receiver before its turn: after first
 * contact, when the receives are posted late, and when the sender has restarted. The stream must be
 * as fast 10 ms later as one that nothing has disturbed. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <string.h>

#define MILLISECOND UINT64_C(1000000)

enum { TAG = 7, OUTSTANDING = 2, POSTED = 24, LONGEST = 100000 };

enum beginning {
    UNDISTURBED, /* a message has been exchanged, and all receives are posted */
    FIRST_CONTACT,
    LATE_RECEIVES,
    RESTART
};

struct stream {
    size_t bytes;
    enum beginning beginning;
    uint64_t begin_ns; /* the stream's; receives counted are those within the window */
    size_t received;
};

static const uint64_t settled_ns = 10 * MILLISECOND;
static const uint64_t end_ns = 40 * MILLISECOND;

static int warm_up(struct pair_side *side, struct libemp_piece *piece, bool send) {
    libemp_request request;
    const struct libemp_piece one = {piece->memory, 0, 4};
    const int error = send ? libemp_post_send(side->board, side->peer, TAG, &one, 1, &request)
                           : libemp_post_receive(side->board, side->peer, TAG, &one, 1, &request);
    return error ? error : libemp_wait(side->board, request, 1000 * MILLISECOND, NULL);
}

static int start_again(struct pair_side *side) {
    uint8_t address[6];
    tigon_board_mac_address(side->pair->side[1 - side->index].hardware, address);
    int error = libemp_stop(side->board);
    if (!error)
        error = libemp_start(side->board, side->pair->image,
                             &(struct board_start_options){.node = (uint16_t)side->index});
    if (!error)
        error = libemp_set_peer(side->board, side->peer, address);
    return error ? error : board_wait_link(libemp_hardware(side->board), 1000 * MILLISECOND);
}

static int send_stream(struct pair_side *side, void *argument) {
    struct stream *stream = argument;
    libemp_request request[OUTSTANDING];
    struct libemp_piece piece = {.length = stream->bytes};
    void *memory = libemp_allocate(side->board, LONGEST);
    int error = libemp_register(side->board, memory, LONGEST, &piece.memory);
    if (!error && stream->beginning != FIRST_CONTACT)
        error = warm_up(side, &piece, true);
    if (!error && stream->beginning == RESTART)
        error = start_again(side);
    if (error)
        return pair_fail(side, error, NULL);
    stream->begin_ns = tigon_host_now_ns(side->host);
    for (size_t posted = 0;; posted++) {
        libemp_request *const next = &request[posted % OUTSTANDING];
        if (posted >= OUTSTANDING &&
            (error = libemp_wait(side->board, *next, 1000 * MILLISECOND, NULL)))
            return pair_fail(side, error, NULL);
        if (tigon_host_now_ns(side->host) > stream->begin_ns + end_ns + MILLISECOND)
            return 0;
        error = libemp_post_send(side->board, side->peer, TAG, &piece, 1, next);
        if (error)
            return pair_fail(side, error, NULL);
    }
}

static int receive_stream(struct pair_side *side, void *argument) {
    struct stream *stream = argument;
    libemp_request request[POSTED];
    struct libemp_piece piece = {.length = stream->bytes};
    void *memory = libemp_allocate(side->board, LONGEST);
    int error = libemp_register(side->board, memory, LONGEST, &piece.memory);
    if (!error && stream->beginning != FIRST_CONTACT)
        error = warm_up(side, &piece, false);
    if (error)
        return pair_fail(side, error, NULL);
    if (stream->beginning == LATE_RECEIVES)
        tigon_host_sleep_ns(side->host, 5 * MILLISECOND);
    for (size_t i = 0; i < POSTED; i++)
        if ((error = libemp_post_receive(side->board, side->peer, TAG, &piece, 1, &request[i])))
            return pair_fail(side, error, NULL);
    for (size_t next = 0;; next = (next + 1) % POSTED) {
        if ((error = libemp_wait(side->board, request[next], 2000 * MILLISECOND, NULL)))
            return pair_fail(side, error, NULL);
        const uint64_t now = tigon_host_now_ns(side->host);
        if (now >= stream->begin_ns + settled_ns)
            stream->received++;
        if (now >= stream->begin_ns + end_ns)
            break;
        error = libemp_post_receive(side->board, side->peer, TAG, &piece, 1, &request[next]);
        if (error)
            return pair_fail(side, error, NULL);
    }
    return 0; /* the receives still posted are for the last sends */
}

static double goodput(size_t bytes, enum beginning beginning) {
    struct stream stream = {bytes, beginning, 0, 0};
    exchange_programs(send_stream, receive_stream, &stream, 1, 0);
    return (double)stream.received * (double)bytes / (double)(end_ns - settled_ns) * 1000.0;
}

static void turns(enum beginning beginning, size_t bytes) {
    const double best = goodput(bytes, UNDISTURBED);
    const double now = goodput(bytes, beginning);
    print_message("%zu bytes: %.1f MB/s, undisturbed %.1f MB/s\n", bytes, now, best);
    assert_true(best > 80);
    assert_true(now >= 0.9 * best);
}

static void turns__first_contact(void **state) {
    (void)state;
    turns(FIRST_CONTACT, 8192);
    turns(FIRST_CONTACT, 16384);
    turns(FIRST_CONTACT, 49152);
    turns(FIRST_CONTACT, LONGEST);
}

static void turns__late_receives(void **state) {
    (void)state;
    turns(LATE_RECEIVES, 16384);
    turns(LATE_RECEIVES, 65536);
}

static void turns__restart_of_the_sender(void **state) {
    (void)state;
    turns(RESTART, 8192);
    turns(RESTART, 49152);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(turns__first_contact),
        cmocka_unit_test(turns__late_receives),
        cmocka_unit_test(turns__restart_of_the_sender),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
