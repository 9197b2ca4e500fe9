/* SPDX-License-Identifier: MIT */
/* What a message costs the two boards: each byte crosses each host's bus once, and the memory it
 * takes on a board does not grow with its length. */
#include "tests/host/check.h"

#include "emp/emp_layout.h"
#include "sim/observer.h"
#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include <string.h>

enum {
    TAG = 5,
    PAGE = 4096,
    CHAIN_PAGES = 7,      /* of a message whose descriptors hold all addresses */
    FRAME_BYTES = 1520,   /* of a buffer, the longest */
    FRAMES = 4,           /* of a message on a board at once */
    ENTRY_BYTES = 10,     /* of a page of addresses: an address and a length */
    RECEIVE_BASE = 0x0C0, /* registers, tigon2.md 3 */
    RECEIVE_PRODUCER = 0x0C4,
    RECEIVE_CONSUMER = 0x0C8,
    TRANSMIT_BASE = 0x0D0,
    TRANSMIT_PRODUCER = 0x0D4,
    TRANSMIT_CONSUMER = 0x0D8,
    MEMORY_TOP = 0x200000
};

/* Lengths whose bytes no descriptor holds; the last is the longest. */
static const size_t lengths[] = {13, 1400, 4096, 20000, 65536, 300000, EMP_MESSAGE_LIMIT};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

/* Of one message. */
struct cost {
    uint64_t read_bytes;    /* from the sender's host */
    uint64_t written_bytes; /* to the receiver's */
    uint32_t transmit_most; /* bytes in the sender's transmit buffer at once */
    uint32_t receive_most;  /* in the receiver's receive buffer */
};

struct costs {
    struct pair *pair;
    struct cost of[LENGTHS];
    size_t now; /* message under way */
};

static int post(struct pair_side *side, bool sends, struct libemp_memory *memory, size_t length) {
    const struct libemp_piece piece = {memory, 0, length};
    libemp_request request;
    need((sends ? libemp_post_send : libemp_post_receive)(side->board, side->peer, TAG, &piece, 1,
                                                          &request) == 0);
    need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

/* Frames begin at multiples of eight bytes, but the MAC stops behind their last one. */
static uint32_t frame_behind(uint32_t address) {
    return (address + 7u) & ~7u;
}

/* Bytes from consumer to producer in a buffer of `bytes`, round its end. */
static uint32_t held(struct tigon_board *board, uint32_t producer, uint32_t consumer,
                     uint32_t bytes) {
    const uint32_t from = frame_behind(tigon_board_peek_register(board, consumer));
    const uint32_t to = frame_behind(tigon_board_peek_register(board, producer));
    return (to + bytes - from) % bytes;
}

static void keep_most(uint32_t *most, uint32_t value) {
    *most = value > *most ? value : *most;
}

static void changed(void *context, struct tigon_board *board, uint64_t ticks) {
    struct costs *costs = context;
    struct cost *cost = &costs->of[costs->now];
    const uint32_t receive_base = tigon_board_peek_register(board, RECEIVE_BASE);
    (void)ticks;
    if (tigon_board_index(board) == 0)
        keep_most(&cost->transmit_most,
                  held(board, TRANSMIT_PRODUCER, TRANSMIT_CONSUMER,
                       receive_base - tigon_board_peek_register(board, TRANSMIT_BASE)));
    else
        keep_most(&cost->receive_most,
                  held(board, RECEIVE_PRODUCER, RECEIVE_CONSUMER, MEMORY_TOP - receive_base));
}

/* The first message, which no cost counts, makes contact. */
static int exchange_all(struct pair_side *side, struct costs *costs, bool sends) {
    struct libemp_memory *memory;
    void *area = libemp_allocate(side->board, EMP_MESSAGE_LIMIT);
    need(area != NULL);
    need(libemp_register(side->board, area, EMP_MESSAGE_LIMIT, &memory) == 0);
    if (post(side, sends, memory, 20))
        return -EBADMSG;
    const struct tigon_observer observer = {.context = costs, .changed = changed};
    if (sends)
        need(tigon_world_attach(side->pair->world, &observer) == 0);
    for (size_t i = 0; i < LENGTHS; i++) {
        struct tigon_statistics before, after;
        tigon_board_statistics(side->hardware, &before);
        if (sends)
            costs->now = i;
        if (post(side, sends, memory, lengths[i]))
            return -EBADMSG;
        tigon_board_statistics(side->hardware, &after);
        if (sends)
            costs->of[i].read_bytes = after.dma_read.bytes - before.dma_read.bytes;
        else
            costs->of[i].written_bytes = after.dma_write.bytes - before.dma_write.bytes;
    }
    return 0;
}

static int sends_all(struct pair_side *side, void *argument) {
    return exchange_all(side, argument, true);
}

static int receives_all(struct pair_side *side, void *argument) {
    return exchange_all(side, argument, false);
}

static const struct costs *measured(void) {
    static struct costs costs;
    memset(&costs, 0, sizeof costs);
    exchange_programs(sends_all, receives_all, &costs, 1, 0);
    return &costs;
}

/* Besides, the sender's board reads the addresses of the pages where no descriptor holds them. */
static void economy__each_byte_crosses_each_bus_once(void **state) {
    const struct costs *costs = measured();
    (void)state;
    for (size_t i = 0; i < LENGTHS; i++) {
        const size_t pages = (lengths[i] + PAGE - 1) / PAGE;
        const size_t addresses = pages > CHAIN_PAGES ? pages * ENTRY_BYTES : 0;
        assert_int_equal(costs->of[i].read_bytes, lengths[i] + addresses);
        assert_int_equal(costs->of[i].written_bytes, lengths[i]);
    }
}

static void economy__long_messages_take_no_more_of_a_board(void **state) {
    const struct costs *costs = measured();
    (void)state;
    for (size_t i = 0; i < LENGTHS; i++) {
        assert_in_range(costs->of[i].transmit_most, 1, FRAMES * FRAME_BYTES);
        assert_in_range(costs->of[i].receive_most, 1, 2 * FRAME_BYTES);
        if (lengths[i] > 2 * FRAMES * FRAME_BYTES) /* as much as ever, not more */
            assert_int_equal(costs->of[i].transmit_most, costs->of[LENGTHS - 1].transmit_most);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(economy__each_byte_crosses_each_bus_once),
        cmocka_unit_test(economy__long_messages_take_no_more_of_a_board),
    };
    return cmocka_run_group_tests_name("economy", tests, NULL, NULL);
}
