/* SPDX-License-Identifier: MIT */
/* Messages of odd kinds over the whole path, and what the world may do to it amid an exchange. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include "emp/emp_layout.h"
#include "host/board/sim.h"

#include <errno.h>
#include <string.h>

static struct message small_message(size_t index) {
    return (struct message){index % 40, 64, 7};
}

static struct message no_message(size_t index) {
    (void)index;
    return (struct message){0, 0, 0};
}

static const struct plan nothing = {no_message, 0, 1, 1, 1, 0, 0};

static void run(struct exchange *exchange, uint64_t seed, double loss) {
    struct pair_options options;
    exchange_options(&options, seed, loss, 0, 0);
    exchange->seed = (uint32_t)seed;
    exchange_run(exchange, &options);
}

/* More sends than the board has records for, more receives than it can have active. */
static void edges__many_outstanding(void **state) {
    (void)state;
    struct exchange exchange = {
        .plan = {{small_message, 400, 100, 128, 1, 0, 0}, {small_message, 400, 100, 128, 1, 0, 0}}};
    run(&exchange, 1, 0.01);
}

static struct message longest(size_t index) {
    (void)index;
    return (struct message){libemp_message_limit(), libemp_message_limit(), 1};
}

static void edges__longest_message(void **state) {
    (void)state;
    struct exchange exchange = {.plan = {{longest, 2, 1, 1, 1, 0, 0}, nothing}};
    run(&exchange, 2, 0.002);
}

static struct message too_long_for_its_receive(size_t index) {
    static const struct message cases[] = {
        {10, 9, 1},      {1, 0, 1},       {1464, 1463, 1},   {1465, 1464, 1}, {1465, 3, 1},
        {5000, 4096, 1}, {5000, 1464, 1}, {40000, 28672, 1}, {40000, 100, 1}, {65536, 65535, 1}};
    return cases[index % (sizeof cases / sizeof *cases)];
}

static void edges__truncation(void **state) {
    (void)state;
    struct exchange exchange = {.plan = {{too_long_for_its_receive, 20, 3, 5, 1, 0, 0},
                                         {too_long_for_its_receive, 20, 3, 5, 4, 0, 0}}};
    run(&exchange, 3, 0.01);
    assert_int_equal(exchange.truncated[0], 20);
    assert_int_equal(exchange.truncated[1], 20);
}

static struct message empty(size_t index) {
    return (struct message){0, index % 2 ? 100 : 0, 1};
}

static void edges__zero_length(void **state) {
    (void)state;
    struct exchange exchange = {.plan = {{empty, 40, 4, 4, 1, 0, 0}, {empty, 40, 4, 4, 3, 0, 0}}};
    run(&exchange, 4, 0.05);
}

static struct message crumbs(size_t index) {
    return (struct message){30000 + index, 30100, (uint16_t)index};
}

static void edges__gather_and_scatter(void **state) {
    (void)state;
    struct exchange exchange = {
        .plan = {{crumbs, 30, 4, 6, 24, 0, 0}, {crumbs, 30, 4, 6, 24, 0, 0}}};
    run(&exchange, 5, 0.01);
}

static struct message medium(size_t index) {
    return (struct message){20000, 20000, (uint16_t)index};
}

static void change_collection_size(struct pair_side *side) {
    const int index = libemp_find_parameter("collection_size");
    assert_int_equal(libemp_set_parameter(side->board, (size_t)index, side->index ? 1 : 9), 0);
}

static void edges__collection_size_changes_amid_an_exchange(void **state) {
    (void)state;
    struct exchange exchange = {.plan = {{medium, 60, 4, 6, 1, 0, 0}, {medium, 60, 4, 6, 1, 0, 0}},
                                .halfway = change_collection_size};
    run(&exchange, 6, 0.02);
}

/* Past the library, which would refuse it: whatever a live parameter's word holds, messages come.
 */
static uint32_t nonsense;

static void write_nonsense(struct pair_side *side) {
    uint32_t parameters;
    assert_int_equal(board_read_memory(libemp_hardware(side->board),
                                       EMP_CONTROL_ADDRESS + 4 * EMP_CONTROL_PARAMETERS_WORD,
                                       &parameters, 1),
                     0);
    for (uint32_t i = EMP_PARAMETER_COLLECTION_SIZE; i <= EMP_PARAMETER_RETRANSMIT_TIMEOUT; i++)
        tigon_board_poke32(side->hardware, parameters + 4 * i, nonsense);
}

static void edges__nonsense_in_live_parameters(void **state) {
    (void)state;
    static const uint32_t values[] = {0, 16, 17, 255, 256, 0xFFFFFFFF};
    for (unsigned i = 0; i < sizeof values / sizeof *values; i++) {
        struct exchange exchange = {
            .plan = {{medium, 20, 4, 6, 1, 0, 0}, {medium, 20, 4, 6, 1, 0, 0}},
            .halfway = write_nonsense};
        nonsense = values[i];
        run(&exchange, 20 + i, 0.02);
        assert_int_equal(exchange_counter(&exchange, 0, "frames_malformed"), 0);
    }
}

static void plug_in(void *context) {
    tigon_wire_set_cut(context, false);
}

static void unplug(struct pair_side *side) {
    if (side->index != 0)
        return;
    tigon_wire_set_cut(side->pair->wire, true);
    tigon_world_call_at(side->pair->world, tigon_world_now_ns(side->pair->world) + 30000000,
                        plug_in, side->pair->wire);
}

static void edges__unplugged_amid_an_exchange(void **state) {
    (void)state;
    struct exchange exchange = {.plan = {{medium, 40, 4, 6, 1, 0, 0}, {medium, 40, 4, 6, 1, 0, 0}},
                                .halfway = unplug};
    run(&exchange, 7, 0);
}

static void edges__same_seed_same_world(void **state) {
    (void)state;
    struct exchange exchange[2];
    for (unsigned i = 0; i < 2; i++) {
        exchange[i] =
            (struct exchange){.plan = {{medium, 10, 4, 6, 3, 0, 0}, {crumbs, 10, 4, 6, 3, 0, 0}}};
        run(&exchange[i], 8, 0.03);
    }
    assert_memory_equal(&exchange[0].traffic, &exchange[1].traffic, sizeof exchange[0].traffic);
    assert_memory_equal(exchange[0].counter, exchange[1].counter, sizeof exchange[0].counter);
}

/* Other hosts and boards: addresses above and across a 4 GB line, a narrow slow bus, the smallest
 * and the largest memory. */
static void edges__other_hosts_and_boards(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"host_memory_base", "0x1000"},
                                           {"host_memory_base", "0x1ffff0000"},
                                           {"host_memory_base", "0x123400000000"},
                                           {"bus_kind", "32/33"},
                                           {"bus_kind", "64/33"},
                                           {"sram_bytes", "512K"},
                                           {"sram_bytes", "2M"},
                                           {"transmit_cut_through", "off"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pair_options options;
        struct exchange exchange = {
            .plan = {{crumbs, 12, 4, 6, 5, 0, 0}, {medium, 12, 4, 6, 1, 0, 0}}, .seed = 20};
        exchange_options(&options, 20 + i, 0.02, 0, 0.02);
        assert_int_equal(tigon_knobs_set(&options.knobs, cases[i][0], cases[i][1]), 0);
        exchange_run(&exchange, &options);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Programs of their own */

static int make_memory(struct pair_side *side, uint8_t **bytes, struct libemp_piece *piece) {
    *bytes = libemp_allocate(side->board, 4096);
    *piece = (struct libemp_piece){.length = 64};
    return *bytes ? libemp_register(side->board, *bytes, 4096, &piece->memory) : -ENOMEM;
}

static int post(struct pair_side *side, bool send, uint16_t tag, const struct libemp_piece *piece,
                libemp_request *request) {
    return (send ? libemp_post_send : libemp_post_receive)(side->board, side->peer, tag, piece, 1,
                                                           request);
}

/* Matching: messages of one tag in order, tags independent of the order of posting. */
static int send_three(struct pair_side *side, void *argument) {
    libemp_request request[3];
    struct libemp_piece piece[3];
    uint8_t *bytes[3];
    (void)argument;
    for (unsigned i = 0; i < 3; i++) {
        need(make_memory(side, &bytes[i], &piece[i]) == 0);
        memset(bytes[i], 'a' + (int)i, 64);
        need(post(side, true, i == 1 ? 8 : 9, &piece[i], &request[i]) == 0);
    }
    for (unsigned i = 0; i < 3; i++)
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) == 0);
    return 0;
}

static int receive_three(struct pair_side *side, void *argument) {
    static const uint16_t tags[] = {5, 9, 9, 8}; /* nobody sends tag 5 */
    static const uint8_t expected[] = {0, 'a', 'c', 'b'};
    libemp_request request[4];
    struct libemp_piece piece[4];
    uint8_t *bytes[4];
    (void)argument;
    for (unsigned i = 0; i < 4; i++) {
        need(make_memory(side, &bytes[i], &piece[i]) == 0);
        need(post(side, false, tags[i], &piece[i], &request[i]) == 0);
    }
    for (unsigned i = 1; i < 4; i++) {
        need(libemp_wait(side->board, request[i], LIBEMP_FOREVER, NULL) == 0);
        need(bytes[i][0] == expected[i] && bytes[i][63] == expected[i] && bytes[i][64] == 0);
    }
    need(libemp_test(side->board, request[0], NULL) == -EAGAIN);
    need(bytes[0][0] == 0);
    return 0;
}

static void edges__matching_by_tag(void **state) {
    (void)state;
    exchange_programs(send_three, receive_three, NULL, 9, 0);
    exchange_programs(send_three, receive_three, NULL, 10, 0.2);
}

/* A send that nobody receives stays posted, and does so quietly. */
static int send_unwanted(struct pair_side *side, void *argument) {
    libemp_request request;
    struct libemp_piece piece;
    uint8_t *bytes;
    (void)argument;
    need(make_memory(side, &bytes, &piece) == 0);
    need(post(side, true, 1, &piece, &request) == 0);
    need(libemp_wait(side->board, request, 50000000, NULL) == -ETIMEDOUT);
    return 0;
}

static int receive_other(struct pair_side *side, void *argument) {
    libemp_request request;
    struct libemp_piece piece;
    uint8_t *bytes;
    uint32_t refused = 0;
    (void)argument;
    need(make_memory(side, &bytes, &piece) == 0);
    need(post(side, false, 2, &piece, &request) == 0);
    need(libemp_wait(side->board, request, 40000000, NULL) == -ETIMEDOUT);
    for (unsigned i = 0; i < 4096; i++)
        need(bytes[i] == 0); /* dropped without touching memory (EF8) */
    need(libemp_counter(side->board, (size_t)libemp_find_counter("receiver_not_ready"), &refused) ==
         0);
    need(refused > 10);
    return 0;
}

static void edges__nobody_receives(void **state) {
    (void)state;
    exchange_programs(send_unwanted, receive_other, NULL, 11, 0);
}

/* One board is loaded anew amid everything; messages of its new life are new (G14). */
static int restart_and_send(struct pair_side *side, void *argument) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    struct board_status status;
    uint8_t address[6];
    (void)argument;
    for (unsigned life = 1; life <= 3; life++) {
        libemp_request request;
        struct libemp_piece piece;
        uint8_t *bytes;
        need(board_status(libemp_hardware(side->board), &status) == 0);
        need(status.epoch == life);
        need(make_memory(side, &bytes, &piece) == 0);
        memset(bytes, (int)life, 64);
        need(post(side, true, 1, &piece, &request) == 0);
        need(libemp_wait(side->board, request, 1000000000, NULL) == 0);
        if (life == 3)
            break;
        need(libemp_start(side->board, side->pair->image, &start) == 0);
        tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
        need(libemp_set_peer(side->board, side->peer, address) == 0);
        need(board_wait_link(libemp_hardware(side->board), 1000000000) == 0);
    }
    return 0;
}

static int receive_lives(struct pair_side *side, void *argument) {
    (void)argument;
    for (unsigned life = 1; life <= 3; life++) {
        libemp_request request;
        struct libemp_piece piece;
        uint8_t *bytes;
        need(make_memory(side, &bytes, &piece) == 0);
        need(post(side, false, 1, &piece, &request) == 0);
        need(libemp_wait(side->board, request, 2000000000, NULL) == 0);
        need(bytes[0] == life && bytes[63] == life);
    }
    return 0;
}

static void edges__peer_restarts(void **state) {
    (void)state;
    exchange_programs(restart_and_send, receive_lives, NULL, 12, 0);
}

enum { LONG_BYTES = 1 << 20 };

static int make_long(struct pair_side *side, struct libemp_piece *piece) {
    void *bytes = libemp_allocate(side->board, LONG_BYTES);
    *piece = (struct libemp_piece){.length = LONG_BYTES};
    return bytes ? libemp_register(side->board, bytes, LONG_BYTES, &piece->memory) : -ENOMEM;
}

/* The same in the middle of two messages: their receives must not wait for ever. */
static int restart_halfway(struct pair_side *side, void *argument) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    libemp_request request[2];
    struct libemp_piece piece;
    uint8_t address[6], *bytes;
    (void)argument;
    need(make_long(side, &piece) == 0);
    tigon_host_sleep_ns(side->host, 2000000); /* until both receives are posted */
    for (unsigned i = 0; i < 2; i++)
        need(post(side, true, 1, &piece, &request[i]) == 0);
    tigon_host_sleep_ns(side->host, 3000000);
    need(libemp_test(side->board, request[0], NULL) == -EAGAIN);
    need(libemp_stop(side->board) == 0);
    need(libemp_start(side->board, side->pair->image, &start) == 0);
    tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
    need(libemp_set_peer(side->board, side->peer, address) == 0);
    need(board_wait_link(libemp_hardware(side->board), 1000000000) == 0);
    need(make_memory(side, &bytes, &piece) == 0);
    memset(bytes, 7, 64);
    need(post(side, true, 1, &piece, &request[0]) == 0);
    need(libemp_wait(side->board, request[0], 1000000000, NULL) == 0);
    return 0;
}

static int receive_halves(struct pair_side *side, void *argument) {
    libemp_request request[3];
    struct libemp_piece piece[3];
    uint8_t *bytes;
    (void)argument;
    for (unsigned i = 0; i < 2; i++) {
        need(make_long(side, &piece[i]) == 0);
        need(post(side, false, 1, &piece[i], &request[i]) == 0);
    }
    need(make_memory(side, &bytes, &piece[2]) == 0);
    need(post(side, false, 1, &piece[2], &request[2]) == 0);
    for (unsigned i = 0; i < 2; i++)
        need(libemp_wait(side->board, request[i], 2000000000, NULL) == -ECONNRESET);
    need(libemp_wait(side->board, request[2], 2000000000, NULL) == 0);
    need(bytes[0] == 7 && bytes[63] == 7 && bytes[64] == 0);
    return 0;
}

static void edges__peer_restarts_halfway(void **state) {
    (void)state;
    exchange_programs(restart_halfway, receive_halves, NULL, 13, 0);
    exchange_programs(restart_halfway, receive_halves, NULL, 14, 0.05);
}

/* The receiving board restarts in the middle of two messages: both sends end and say so, and
 * messages to its new life flow without the sender being started again. */
static int send_to_lives(struct pair_side *side, void *argument) {
    libemp_request request[3];
    struct libemp_piece piece;
    uint8_t *bytes;
    (void)argument;
    need(make_long(side, &piece) == 0);
    tigon_host_sleep_ns(side->host, 2000000); /* until both receives are posted */
    for (unsigned i = 0; i < 3; i++)          /* the third waits for the window */
        need(post(side, true, 1, &piece, &request[i]) == 0);
    for (unsigned i = 0; i < 3; i++)
        need(libemp_wait(side->board, request[i], 2000000000, NULL) == -ECONNRESET);
    need(make_memory(side, &bytes, &piece) == 0);
    for (unsigned i = 0; i < 5; i++) {
        memset(bytes, 7 + (int)i, 64);
        need(post(side, true, 1, &piece, &request[0]) == 0);
        need(libemp_wait(side->board, request[0], 2000000000, NULL) == 0);
    }
    return 0;
}

static int restart_receiving(struct pair_side *side, void *argument) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    libemp_request request[2];
    struct libemp_piece piece[2];
    uint8_t address[6], *bytes;
    (void)argument;
    for (unsigned i = 0; i < 2; i++) {
        need(make_long(side, &piece[i]) == 0);
        need(post(side, false, 1, &piece[i], &request[i]) == 0);
    }
    tigon_host_sleep_ns(side->host, 5000000);
    need(libemp_test(side->board, request[0], NULL) == -EAGAIN);
    need(libemp_stop(side->board) == 0);
    need(libemp_start(side->board, side->pair->image, &start) == 0);
    tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
    need(libemp_set_peer(side->board, side->peer, address) == 0);
    need(board_wait_link(libemp_hardware(side->board), 1000000000) == 0);
    need(make_memory(side, &bytes, &piece[0]) == 0);
    for (unsigned i = 0; i < 5; i++) {
        need(post(side, false, 1, &piece[0], &request[0]) == 0);
        need(libemp_wait(side->board, request[0], 2000000000, NULL) == 0);
        need(bytes[0] == 7 + i && bytes[63] == 7 + i && bytes[64] == 0);
    }
    return 0;
}

static void edges__receiver_restarts_halfway(void **state) {
    (void)state;
    exchange_programs(send_to_lives, restart_receiving, NULL, 15, 0);
    exchange_programs(send_to_lives, restart_receiving, NULL, 16, 0.05);
}

/* A tool looks at a board that somebody else has started and uses. */
static int look_from_outside(struct pair_side *side, void *argument) {
    struct libemp_options options;
    struct libemp_board *tool;
    struct board_status status;
    libemp_request request;
    uint8_t address[6];
    uint32_t value = 0;
    (void)argument;
    need(libemp_post_receive(side->board, side->peer, 3, NULL, 0, &request) == 0);
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = side->pair->world;
    need(libemp_open(&tool, side->index ? "sim:1" : "sim:0", &options) == 0);
    need(board_link(libemp_hardware(tool)) == -ENODEV); /* not attached yet */
    need(libemp_attach(tool) == 0);
    need(libemp_descriptors_free(tool) == libemp_descriptor_limit() - 1);
    need(board_status(libemp_hardware(tool), &status) == 0);
    need(status.running && status.link && status.node == side->index);
    tigon_board_mac_address(side->hardware, address); /* the loader found it in the EEPROM */
    need(memcmp(status.mac_address, address, 6) == 0);
    need(libemp_parameter(tool, (size_t)libemp_find_parameter("collection_size"), &value) == 0);
    need(value == 3); /* EQ17 */
    need(libemp_counter(tool, (size_t)libemp_find_counter("frames_malformed"), &value) == 0);
    need(value == 0);
    need(libemp_close(tool) == 0);
    need(board_link(libemp_hardware(side->board)) == 1); /* the board runs on */
    return 0;
}

static void edges__looking_from_outside(void **state) {
    (void)state;
    exchange_programs(look_from_outside, look_from_outside, NULL, 13, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges__many_outstanding),
        cmocka_unit_test(edges__longest_message),
        cmocka_unit_test(edges__truncation),
        cmocka_unit_test(edges__zero_length),
        cmocka_unit_test(edges__gather_and_scatter),
        cmocka_unit_test(edges__collection_size_changes_amid_an_exchange),
        cmocka_unit_test(edges__nonsense_in_live_parameters),
        cmocka_unit_test(edges__unplugged_amid_an_exchange),
        cmocka_unit_test(edges__same_seed_same_world),
        cmocka_unit_test(edges__other_hosts_and_boards),
        cmocka_unit_test(edges__matching_by_tag),
        cmocka_unit_test(edges__nobody_receives),
        cmocka_unit_test(edges__peer_restarts),
        cmocka_unit_test(edges__peer_restarts_halfway),
        cmocka_unit_test(edges__receiver_restarts_halfway),
        cmocka_unit_test(edges__looking_from_outside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
