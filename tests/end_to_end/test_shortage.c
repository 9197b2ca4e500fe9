/* SPDX-License-Identifier: MIT */
/* More sends than the board has records of messages. Nodes that never answer leave some to the
 * others, and sends that wait for a record keep their order, can be taken back, and end with their
 * peer. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"
#include "tests/end_to_end/side.h"

#include "host/demo/piece.h"

enum {
    ABSENT = 8,       /* nodes */
    FIRST_ABSENT = 4, /* the node number of one of them */
    MOST_EACH = 20,   /* sends to each: more than a board has records */
    LONG_BYTES = 100000,
    SERVED = 50, /* messages to the node that lives */
    SERVED_BYTES = 8000,
    AT_ONCE = 4,
    TAG = 3,
    SILENCE_US = 5000
};

#define MILLISECOND UINT64_C(1000000)
#define POLL_NS     UINT64_C(20000)
#define LIMIT_NS    (100 * MILLISECOND)

struct world {
    unsigned each;   /* sends to each absent node */
    unsigned posted; /* steps of the receiver that are over */
    unsigned sent;   /* and of the sender */
};

static uint8_t content(unsigned message, size_t offset) {
    return (uint8_t)(message * 29 + offset * 3);
}

static int post_to_absent(struct pair_side *side, unsigned each,
                          libemp_request request[ABSENT][MOST_EACH]) {
    struct libemp_piece piece;
    need(piece_make(side->board, LONG_BYTES, &piece) == 0);
    for (unsigned node = 0; node < ABSENT; node++) {
        const uint8_t nowhere[6] = {0x02, 0, 0, 0, 0x77, (uint8_t)node};
        need(libemp_set_peer(side->board, (uint16_t)(FIRST_ABSENT + node), nowhere) == 0);
        for (unsigned i = 0; i < each; i++)
            need(libemp_post_send(side->board, (uint16_t)(FIRST_ABSENT + node), TAG, &piece, 1,
                                  &request[node][i]) == 0);
    }
    return 0;
}

/* As fast as they go, a few at once, each with content of its own. */
static int send_served(struct pair_side *side) {
    libemp_request request[AT_ONCE];
    struct libemp_piece piece[AT_ONCE];
    uint8_t *memory[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++)
        need(side_memory(side, SERVED_BYTES, &memory[i], &piece[i]) == 0);
    const uint64_t begun = tigon_host_now_ns(side->host);
    for (unsigned i = 0; i < SERVED + AT_ONCE; i++) {
        const unsigned place = i % AT_ONCE;
        if (i >= AT_ONCE) {
            const uint64_t passed = tigon_host_now_ns(side->host) - begun;
            need(passed < LIMIT_NS);
            need(libemp_wait(side->board, request[place], LIMIT_NS - passed, NULL) == 0);
        }
        if (i >= SERVED)
            continue;
        for (size_t offset = 0; offset < SERVED_BYTES; offset++)
            memory[place][offset] = content(i, offset);
        need(libemp_post_send(side->board, side->peer, TAG, &piece[place], 1, &request[place]) ==
             0);
    }
    return 0;
}

static int receive_served(struct pair_side *side) {
    libemp_request request[SERVED];
    struct libemp_piece piece[SERVED];
    uint8_t *memory[SERVED];
    for (unsigned i = 0; i < SERVED; i++) {
        need(side_memory(side, SERVED_BYTES, &memory[i], &piece[i]) == 0);
        need(libemp_post_receive(side->board, side->peer, TAG, &piece[i], 1, &request[i]) == 0);
    }
    for (unsigned i = 0; i < SERVED; i++) {
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) == 0);
        for (size_t offset = 0; offset < SERVED_BYTES; offset++)
            need(memory[i][offset] == content(i, offset));
    }
    return 0;
}

static int send_beside_absent(struct pair_side *side, void *argument) {
    struct world *world = argument;
    libemp_request request[ABSENT][MOST_EACH];
    if (post_to_absent(side, world->each, request))
        return -EBADMSG;
    tigon_host_sleep_ns(side->host, MILLISECOND);
    if (send_served(side))
        return -EBADMSG;
    for (unsigned node = 0; node < ABSENT; node++)
        for (unsigned i = 0; i < world->each; i++)
            need(libemp_test(side->board, request[node][i], NULL) == -EAGAIN);
    return 0;
}

static int only_receive(struct pair_side *side, void *argument) {
    (void)argument;
    return receive_served(side);
}

static void shortage__two_sends_each_to_absent_nodes_leave_records(void **state) {
    struct world world = {.each = 2};
    (void)state;
    exchange_programs(send_beside_absent, only_receive, &world, 1, 0);
}

static void shortage__many_sends_each_to_absent_nodes_leave_records(void **state) {
    struct world world = {.each = MOST_EACH};
    (void)state;
    exchange_programs(send_beside_absent, only_receive, &world, 1, 0);
}

/* All end within the time of silence, not one batch of them in each. */
static int outlast_absent(struct pair_side *side, void *argument) {
    struct world *world = argument;
    libemp_request request[ABSENT][MOST_EACH];
    const int parameter = libemp_find_parameter("silence_timeout");
    need(libemp_set_parameter(side->board, (size_t)parameter, SILENCE_US) == 0);
    if (post_to_absent(side, world->each, request))
        return -EBADMSG;
    const uint64_t begun = tigon_host_now_ns(side->host);
    for (unsigned node = 0; node < ABSENT; node++)
        for (unsigned i = 0; i < world->each; i++)
            need(libemp_wait(side->board, request[node][i], LIMIT_NS, NULL) == -EHOSTUNREACH);
    need(tigon_host_now_ns(side->host) - begun < UINT64_C(4000) * SILENCE_US);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return send_served(side);
}

static void shortage__ends_with_the_silent(void **state) {
    struct world world = {.each = MOST_EACH};
    (void)state;
    if (libemp_find_parameter("silence_timeout") < 0)
        skip();
    exchange_programs(outlast_absent, only_receive, &world, 1, 0);
}

/* Two in the window, some with records behind them, and most without. */
static const unsigned taken_back[] = {19, 4, 12, 7, 13, 8, 18};
enum { TAKEN_BACK = sizeof taken_back / sizeof *taken_back };

static bool is_taken_back(unsigned message) {
    for (unsigned i = 0; i < TAKEN_BACK; i++)
        if (taken_back[i] == message)
            return true;
    return false;
}

static int post_bytes(struct pair_side *side, libemp_request request[MOST_EACH]) {
    struct libemp_piece piece;
    uint8_t *memory;
    if (side_memory(side, MOST_EACH, &memory, &piece))
        return -EBADMSG;
    for (unsigned i = 0; i < MOST_EACH; i++) {
        memory[i] = content(i, 0);
        const struct libemp_piece one = {piece.memory, i, 1};
        need(libemp_post_send(side->board, side->peer, TAG, &one, 1, &request[i]) == 0);
    }
    return 0;
}

static int take_back(struct pair_side *side, void *argument) {
    struct world *world = argument;
    libemp_request request[MOST_EACH];
    if (post_bytes(side, request))
        return -EBADMSG;
    tigon_host_sleep_ns(side->host, MILLISECOND);
    for (unsigned i = 0; i < TAKEN_BACK; i++) {
        need(libemp_cancel(side->board, request[taken_back[i]]) == 0);
        need(libemp_wait(side->board, request[taken_back[i]], MILLISECOND, NULL) == -ECANCELED);
    }
    world->sent = 1;
    for (unsigned i = 0; i < MOST_EACH; i++)
        if (!is_taken_back(i))
            need(libemp_wait(side->board, request[i], LIMIT_NS, NULL) == 0);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static int receive_byte(struct pair_side *side, uint8_t *memory, struct libemp_piece *piece) {
    libemp_request request;
    need(libemp_post_receive(side->board, side->peer, TAG, piece, 1, &request) == 0);
    need(libemp_wait(side->board, request, LIMIT_NS, NULL) == 0);
    return memory[0];
}

static int receive_the_rest(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    uint8_t *memory;
    if (side_memory(side, 1, &memory, &piece) || side_wait_for(side, &world->sent, 1))
        return -EBADMSG;
    for (unsigned i = 0; i < MOST_EACH; i++)
        if (!is_taken_back(i))
            need(receive_byte(side, memory, &piece) == content(i, 0));
    return 0;
}

static void shortage__can_be_taken_back(void **state) {
    struct world world = {.each = 0};
    (void)state;
    if (libemp_find_parameter("silence_timeout") < 0)
        skip(); /* no send is cancelled */
    exchange_programs(take_back, receive_the_rest, &world, 1, 0);
}

static int send_before_and_after(struct pair_side *side, void *argument) {
    struct world *world = argument;
    libemp_request request[MOST_EACH];
    if (post_bytes(side, request))
        return -EBADMSG;
    tigon_host_sleep_ns(side->host, MILLISECOND);
    world->sent = 1;
    for (unsigned i = 0; i < MOST_EACH; i++)
        need(libemp_wait(side->board, request[i], 10000 * MILLISECOND, NULL) == -ECONNRESET);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    world->sent = 2;
    if (post_bytes(side, request))
        return -EBADMSG;
    for (unsigned i = 0; i < MOST_EACH; i++)
        need(libemp_wait(side->board, request[i], LIMIT_NS, NULL) == 0);
    return 0;
}

static int start_again(struct pair_side *side) {
    uint8_t address[6];
    tigon_board_mac_address(side->pair->side[1 - side->index].hardware, address);
    need(libemp_stop(side->board) == 0);
    need(libemp_start(side->board, side->pair->image,
                      &(struct board_start_options){.node = (uint16_t)side->index}) == 0);
    need(libemp_set_peer(side->board, side->peer, address) == 0);
    need(board_wait_link(libemp_hardware(side->board), 1000 * MILLISECOND) == 0);
    return 0;
}

static int restart_once(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    uint8_t *memory;
    if (side_wait_for(side, &world->sent, 1) || start_again(side) ||
        side_wait_for(side, &world->sent, 2) || side_memory(side, 1, &memory, &piece))
        return -EBADMSG;
    for (unsigned i = 0; i < MOST_EACH; i++)
        need(receive_byte(side, memory, &piece) == content(i, 0));
    return 0;
}

static void shortage__ends_with_the_restart_of_a_peer(void **state) {
    struct world world = {.each = 0};
    (void)state;
    exchange_programs(send_before_and_after, restart_once, &world, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortage__two_sends_each_to_absent_nodes_leave_records),
        cmocka_unit_test(shortage__many_sends_each_to_absent_nodes_leave_records),
        cmocka_unit_test(shortage__ends_with_the_silent),
        cmocka_unit_test(shortage__can_be_taken_back),
        cmocka_unit_test(shortage__ends_with_the_restart_of_a_peer),
    };
    return cmocka_run_group_tests_name("shortage", tests, NULL, NULL);
}
