/* SPDX-License-Identifier: MIT */
/* Long messages both ways at once on two boards, with loss: every byte, messages that are too long,
 * and ordinary messages of the same peer between the segments; and messages that both ends cancel.
 */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include "emp/emp_layout.h"

#include <errno.h>
#include <string.h>

enum {
    MEBIBYTE = 1 << 20,
    ROOM = 2 * MEBIBYTE + 4096,
    ODD_OFFSET = 33,
    LONG_TAG = 5,
    SHORT_TAG = 6,
    LATER_TAG = 7,
    LOOK_NS = 20000,
    MOMENTS = 40, /* of a cancellation, within the time that the message takes */
    MOMENT_NS = 450000,
    LATER_MESSAGES = 20
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

struct cancellation {
    uint64_t moment_ns;
    bool receiver_alone; /* as in a profile that cancels no sends */
};

/* Both ends cancel a message amid it; then ordinary messages of the pair must arrive. */
static int cancel_amid(struct pair_side *side, void *argument) {
    const struct cancellation *cancellation = argument;
    const bool sends = side->peer == 1;
    const bool cancels = !sends || !cancellation->receiver_alone;
    uint8_t *bytes = libemp_allocate(side->board, ROOM);
    struct libemp_piece piece = {NULL, 0, ROOM};
    libemp_transfer transfer;
    need(libemp_register(side->board, bytes, ROOM, &piece.memory) == 0);
    need((sends ? libemp_send_long(side->board, side->peer, LONG_TAG, &piece, &transfer)
                : libemp_receive_long(side->board, side->peer, LONG_TAG, &piece, &transfer)) == 0);
    int error = libemp_wait_long(side->board, transfer, cancellation->moment_ns, NULL);
    need(error == -ETIMEDOUT);
    if (cancels)
        need(libemp_cancel_long(side->board, transfer) == 0);
    error = libemp_wait_long(side->board, transfer, UINT64_C(1000000000), NULL);
    need(error == 0 || (cancels && error == -ECANCELED));
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());

    piece.length = 4;
    for (unsigned i = 0; i < LATER_MESSAGES; i++) {
        libemp_request request;
        need((sends ? libemp_post_send(side->board, side->peer, LATER_TAG, &piece, 1, &request)
                    : libemp_post_receive(side->board, side->peer, LATER_TAG, &piece, 1,
                                          &request)) == 0);
        need(libemp_wait(side->board, request, UINT64_C(1000000000), NULL) == 0);
    }
    return 0;
}

static void long_messages__that_both_ends_cancel_block_nothing(void **state) {
    (void)state;
    for (uint64_t moment = EMP_CANCELS_SENDS ? 0 : 1; moment < MOMENTS; moment++) {
        struct cancellation cancellation = {moment * MOMENT_NS, !EMP_CANCELS_SENDS};
        exchange_programs(cancel_amid, cancel_amid, &cancellation, 3 + moment, 0);
    }
}

/* The receiver's cancellation frees the pair, whether or not the profile cancels sends. */
static void long_messages__that_the_receiver_cancels_block_nothing(void **state) {
    (void)state;
    for (uint64_t moment = 1; moment < MOMENTS; moment += 13) {
        struct cancellation cancellation = {moment * MOMENT_NS, true};
        exchange_programs(cancel_amid, cancel_amid, &cancellation, 3 + moment, 0.01);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_messages__both_ways),
        cmocka_unit_test(long_messages__over_loss),
        cmocka_unit_test(long_messages__that_both_ends_cancel_block_nothing),
        cmocka_unit_test(long_messages__that_the_receiver_cancels_block_nothing),
    };
    return cmocka_run_group_tests_name("long messages", tests, NULL, NULL);
}
