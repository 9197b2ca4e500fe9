/* SPDX-License-Identifier: MIT */
/* Applications that share a board: what each has, sees, and leaves behind. */
#include "tests/host/check.h"

#include "tests/driver/shared_board.h"
#include "tests/end_to_end/need.h"

#include <string.h>

enum { TAG = 7, BYTES = 5000, LONG_BYTES = 200000, PORTS = 4, ROUNDS = 24 };

#define WAIT_NS  UINT64_C(100000000)
#define SHORT_NS UINT64_C(20000000)
#define LIMIT_NS UINT64_C(60000000000)

#define SILENCE_US 10000

static struct shared_board boards[2];
static const struct endpoint_limits limits = {.ports = PORTS, .linger_ns = 5000000};

/* Runs one program on each side. */
static void run_with(pair_program left, pair_program right, void *argument) {
    assert_int_equal(shared_run(boards, NULL, left, argument, right, argument, LIMIT_NS), 0);
    assert_int_equal(boards[0].stray + boards[1].stray, 0);
    assert_true(boards[0].transfers > 0);
}

static void run(pair_program left, pair_program right) {
    run_with(left, right, NULL);
}

static int idle(struct pair_side *side, void *argument) {
    (void)side;
    (void)argument;
    return 0;
}

/* ---------------------------------------------------------------------------------- Messages */

static bool all(const struct shared_memory *memory, size_t from, size_t to, uint8_t value) {
    for (size_t i = from; i < to; i++)
        if (memory->bytes[i] != value)
            return false;
    return true;
}

/* Two applications use the same tag. Each message goes to its port, even past a receive of another
 * one that takes every tag of every source and was posted first. */
static int sends_on_two_ports(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[0];
    static struct endpoint endpoint[2];
    uint32_t request[2];
    struct emp_ioctl_entry end;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    for (uint32_t port = 0; port < 2; port++) {
        need(endpoint_open(&own->table, &endpoint[port], port) == 0);
        struct shared_memory *memory = shared_register(own, &endpoint[port], 100, BYTES);
        need(memory);
        memset(memory->bytes, (int)port + 1, BYTES);
        need(shared_post(own, &endpoint[port], EMP_IOCTL_SEND, 1, TAG, memory, 0, BYTES,
                         &request[port]) == 0);
    }
    for (uint32_t port = 0; port < 2; port++) {
        need(shared_wait(own, &endpoint[port], request[port], WAIT_NS, &end) == 0);
        need(end.length == BYTES && end.peer == 1 && end.tag == TAG);
    }
    return 0;
}

static int receives_on_two_ports(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[1];
    static struct endpoint endpoint[2];
    struct shared_memory *memory[2];
    uint32_t request[2];
    struct emp_ioctl_entry end;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    for (uint32_t port = 2; port-- > 0;) {
        struct emp_ioctl_piece piece;
        struct emp_ioctl_entry any = {.kind = EMP_IOCTL_RECEIVE,
                                      .peer = EMP_IOCTL_ANY_SOURCE,
                                      .piece_count = 1,
                                      .ignored = (UINT64_C(1) << EMP_IOCTL_TAG_BITS) - 1};
        need(endpoint_open(&own->table, &endpoint[port], port) == 0);
        memory[port] = shared_register(own, &endpoint[port], 8, BYTES + 100);
        need(memory[port]);
        piece = (struct emp_ioctl_piece){memory[port]->handle, BYTES + 50, 50};
        need(shared_submit(own, &endpoint[port], &any, &piece) == 0);
        request[port] = any.request;
    }
    for (uint32_t port = 0; port < 2; port++) {
        need(shared_wait(own, &endpoint[port], request[port], WAIT_NS, &end) == 0);
        need(end.length == BYTES && end.peer == 0 && end.tag == TAG);
        need(all(memory[port], 0, 50, SHARED_POISON));
        need(all(memory[port], 50, 50 + BYTES, (uint8_t)(port + 1)));
        need(all(memory[port], 50 + BYTES, 50 + BYTES + 50, SHARED_POISON));
        need(endpoint[port].outstanding == 0 && memory[port]->region.uses == 0);
    }
    return 0;
}

static void messages_stay_in_their_port(void **state) {
    (void)state;
    run(sends_on_two_ports, receives_on_two_ports);
}

/* ---------------------------------------------------------------------------------- Refusals */

static int entry_error(struct endpoint *endpoint, struct emp_ioctl_entry entry,
                       struct emp_ioctl_piece piece) {
    return shared_submit(&boards[0], endpoint, &entry, &piece);
}

/* Everything that names what the program does not have. */
static int asks_for_too_much(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[0];
    static struct endpoint one, other;
    const struct emp_ioctl_entry send = {
        .kind = EMP_IOCTL_SEND, .peer = 1, .piece_count = 1, .tag = TAG};
    const struct emp_ioctl_entry receive = {
        .kind = EMP_IOCTL_RECEIVE, .peer = 1, .piece_count = 1, .tag = TAG};
    struct emp_ioctl_entry entry;
    struct endpoint_region *region;
    uint32_t request, foreign;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &one, PORTS) == -EINVAL);
    need(endpoint_open(&own->table, &one, 1) == 0);
    need(endpoint_open(&own->table, &other, 1) == -EBUSY);
    need(endpoint_open(&own->table, &other, 2) == 0);
    struct shared_memory *memory = shared_register(own, &one, 4000, BYTES);
    need(memory && memory->handle == 0);
    need(entry_error(&one, send, (struct emp_ioctl_piece){1, 4, 0}) == -EINVAL);
    need(entry_error(&one, send, (struct emp_ioctl_piece){UINT32_MAX, 4, 0}) == -EINVAL);
    need(entry_error(&one, send, (struct emp_ioctl_piece){0, BYTES + 1, 0}) == -EINVAL);
    need(entry_error(&one, send, (struct emp_ioctl_piece){0, 1, BYTES}) == -EINVAL);
    need(entry_error(&one, send, (struct emp_ioctl_piece){0, 2, UINT64_MAX}) == -EINVAL);
    need(entry_error(&one, send, (struct emp_ioctl_piece){0, UINT32_MAX, 1}) == -EINVAL);
    need(entry_error(&other, send, (struct emp_ioctl_piece){0, 4, 0}) == -EINVAL);
    entry = send;
    entry.peer = 0; /* itself */
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry.peer = EMP_BOARD_LIMIT;
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry.peer = EMP_IOCTL_ANY_SOURCE;
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry = receive;
    entry.tag = UINT64_C(1) << EMP_IOCTL_TAG_BITS; /* of another port */
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry.tag = 0;
    entry.ignored = UINT64_C(1) << 63; /* and any port */
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry = send;
    entry.ignored = 1;
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry = receive;
    entry.kind = EMP_IOCTL_PEEK; /* takes no memory */
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    entry.kind = EMP_IOCTL_COLLECT + 1;
    need(entry_error(&one, entry, (struct emp_ioctl_piece){0}) == -EINVAL);
    /* Requests of its own alone, and of today. */
    need(shared_post(own, &one, EMP_IOCTL_RECEIVE, 1, TAG, memory, 0, 4, &request) == 0);
    need(shared_post(own, &other, EMP_IOCTL_RECEIVE, 1, TAG, NULL, 0, 0, &foreign) == 0);
    entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_CANCEL, .request = request};
    need(shared_submit(own, &other, &entry, NULL) == 0); /* which has a request of this number */
    need(!own->table.slots[own->table.shares[1].first].posted.cancelled);
    need(shared_wait(own, &other, foreign, WAIT_NS, &entry) == -ECANCELED);
    need(endpoint_remove_region(&one, 0, &region) == -EBUSY);
    need(endpoint_remove_region(&one, 1, &region) == -EINVAL);
    need(endpoint_remove_region(&one, UINT32_MAX, &region) == -EINVAL);
    entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_COLLECT, .request = request};
    need(shared_submit(own, &one, &entry, NULL) == -EAGAIN);
    entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_COLLECT, .request = request + 0x10000};
    need(shared_submit(own, &one, &entry, NULL) == -EINVAL);
    entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_COLLECT, .request = UINT16_MAX};
    need(shared_submit(own, &one, &entry, NULL) == -EINVAL);
    entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_CANCEL, .request = request};
    need(shared_submit(own, &one, &entry, NULL) == 0);
    need(shared_wait(own, &one, request, WAIT_NS, &entry) == -ECANCELED);
    need(shared_submit(own, &one, &entry, NULL) == -EINVAL); /* collected */
    need(endpoint_remove_region(&one, 0, &region) == 0 && region == &memory->region);
    need(entry_error(&one, send, (struct emp_ioctl_piece){0, 4, 0}) == -EINVAL);
    return 0;
}

static void what_a_program_does_not_have_is_refused(void **state) {
    (void)state;
    run(asks_for_too_much, idle);
}

/* ------------------------------------------------------------------------------------ Shares */

/* Takes all that it can get; another application still gets all of its own. */
static int takes_its_share(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[0];
    static struct endpoint greedy, modest;
    const uint32_t share =
        EMP_DESCRIPTOR_LIMIT / ENDPOINT_ENDS_PER_PAGE / PORTS * (uint32_t)ENDPOINT_ENDS_PER_PAGE;
    uint32_t request, posted = 0;
    int error;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &greedy, 0) == 0);
    need(endpoint_open(&own->table, &modest, 3) == 0);
    /* Nodes that do not exist: these records stay occupied. */
    for (uint32_t peer = 2; peer < EMP_BOARD_LIMIT; peer++)
        (void)shared_post(own, &greedy, EMP_IOCTL_SEND, peer, TAG, NULL, 0, 0, &request);
    need(own->table.shares[0].sends == EMP_SEND_LIMIT / PORTS);
    while ((error = shared_post(own, &greedy, EMP_IOCTL_RECEIVE, 1, TAG, NULL, 0, 0, &request)) ==
           0)
        posted++;
    need(error == -EAGAIN && posted > share / 2 && own->table.shares[0].free == 0);
    for (uint32_t i = 0; i < share - 2; i++)
        need(shared_post(own, &modest, EMP_IOCTL_RECEIVE, 1, TAG, NULL, 0, 0, &request) == 0);
    need(shared_post(own, &modest, EMP_IOCTL_SEND, 1, TAG, NULL, 0, 0, &request) == 0);
    need(own->table.shares[0].refused > 0 && own->table.shares[3].refused == 0);
    /* The modest one's send is not behind the greedy one's. */
    struct emp_ioctl_entry end;
    need(shared_wait(own, &modest, request, SHORT_NS, &end) == 0);
    return 0;
}

static int receives_one(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[1];
    static struct endpoint endpoint;
    struct emp_ioctl_entry end;
    uint32_t request;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &endpoint, 3) == 0);
    need(shared_post(own, &endpoint, EMP_IOCTL_RECEIVE, 0, TAG, NULL, 0, 0, &request) == 0);
    need(shared_wait(own, &endpoint, request, LIMIT_NS, &end) == 0);
    return 0;
}

static void an_application_cannot_take_more_than_its_share(void **state) {
    (void)state;
    run(takes_its_share, receives_one);
}

/* ------------------------------------------------------------------------------------- Death */

struct deaths {
    bool in_step;              /* nothing is sent on port 1 until both boards have drained it */
    uint64_t longest_drain_ns; /* of the side that is left */
};

/* A receive whose sender left amid the message ends with the sender's next message, or when the
 * board has looked for twice the silence time in vain. */
static int drain_what_was_left(struct pair_side *side, struct deaths *deaths, unsigned rounds) {
    struct shared_board *own = &boards[1];
    const uint64_t start = board_now_ns(own->board);
    need(shared_drain(own, 2 * SILENCE_US * UINT64_C(1000) + SHORT_NS) == 0);
    const uint64_t taken = board_now_ns(own->board) - start;
    if (deaths->longest_drain_ns < taken)
        deaths->longest_drain_ns = taken;
    need(own->drained == rounds);
    return 0;
}

static int wait_for_other(struct pair_side *side, unsigned rounds) {
    for (uint64_t waited = 0; boards[1 - side->index].drained < rounds; waited += 10000) {
        need(waited < WAIT_NS);
        tigon_host_sleep_ns(side->host, 10000);
    }
    return 0;
}

/* Sends and receives long messages on port 0 for good; amid that, port 1 is closed and opened. */
static int dies_again_and_again(struct pair_side *side, void *argument) {
    struct deaths *deaths = argument;
    struct shared_board *own = &boards[side->index];
    static struct endpoint endpoints[2][ROUNDS + 1];
    struct endpoint *mine = endpoints[side->index];
    struct emp_ioctl_entry end;
    uint32_t requests[2], request;
    need(libemp_set_parameter(side->board, (size_t)libemp_find_parameter("silence_timeout"),
                              SILENCE_US) == 0);
    need(shared_open(own, side, &limits) == 0);
    struct endpoint *good = &mine[ROUNDS];
    need(endpoint_open(&own->table, good, 0) == 0);
    struct shared_memory *sent = shared_register(own, good, 0, LONG_BYTES);
    struct shared_memory *got = shared_register(own, good, 0, LONG_BYTES);
    need(sent && got);
    memset(sent->bytes, 3, LONG_BYTES);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        struct endpoint *mortal = &mine[round];
        need(shared_post(own, good, EMP_IOCTL_RECEIVE, side->peer, round, got, 0, LONG_BYTES,
                         &requests[0]) == 0);
        need(endpoint_open(&own->table, mortal, 1) == 0);
        struct shared_memory *memory = shared_register(own, mortal, 17, LONG_BYTES);
        need(memory);
        memset(memory->bytes, 9, LONG_BYTES);
        for (uint32_t i = 0; i < 3; i++) {
            need(shared_post(own, mortal, EMP_IOCTL_RECEIVE, side->peer, TAG, memory, 0,
                             LONG_BYTES / 2, &request) == 0);
            if (i < 2) /* a receive is there for each */
                need(shared_post(own, mortal, EMP_IOCTL_SEND, side->peer, TAG, memory,
                                 LONG_BYTES / 2, LONG_BYTES / 2 - i, &request) == 0);
        }
        need(shared_post(own, good, EMP_IOCTL_SEND, side->peer, round, sent, 0, LONG_BYTES,
                         &requests[1]) == 0);
        /* From a few microseconds to the time of all messages. */
        tigon_host_sleep_ns(side->host, 1000 + UINT64_C(170000) * round);
        if (side->index == 0) {
            shared_lock(own);
            endpoint_close(mortal, board_now_ns(own->board));
            shared_unlock(own);
            need(shared_drain(own, SHORT_NS * 2) == 0);
        }
        need(shared_wait(own, good, requests[1], WAIT_NS, &end) == 0);
        need(shared_wait(own, good, requests[0], WAIT_NS, &end) == 0);
        need(all(got, 0, LONG_BYTES, 3));
        memset(got->bytes, SHARED_POISON, LONG_BYTES);
        if (side->index == 1) {
            shared_lock(own);
            endpoint_close(mortal, board_now_ns(own->board));
            shared_unlock(own);
            need(drain_what_was_left(side, deaths, round + 1) == 0);
        }
        need(own->drained == round + 1);
        need(all(memory, 0, LONG_BYTES, SHARED_POISON));
        need(own->table.shares[1].free == own->table.shares[1].count);
        need(own->table.shares[1].sends == 0);
        if (deaths->in_step)
            need(wait_for_other(side, round + 1) == 0);
    }
    /* What died long ago stays untouched. */
    for (size_t i = 0; i < own->memories; i++)
        need(own->memory[i].owner || all(&own->memory[i], 0, LONG_BYTES, SHARED_POISON));
    return 0;
}

static void memory_of_the_dead_is_left_alone(void **state) {
    (void)state;
    struct deaths deaths = {.in_step = false};
    run_with(dies_again_and_again, dies_again_and_again, &deaths);
    assert_true(boards[0].table.shares[1].abandoned > 0);
}

static void memory_of_the_dead_comes_back_without_another_message(void **state) {
    (void)state;
    struct deaths deaths = {.in_step = true};
    run_with(dies_again_and_again, dies_again_and_again, &deaths);
    assert_true(boards[0].table.shares[1].abandoned > 0);
    assert_true(deaths.longest_drain_ns > SILENCE_US * UINT64_C(1000)); /* there was such a one */
}

/* The board is stopped amid a message, and started again. */
static int restarts(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[0];
    static struct endpoint endpoint, dead;
    struct emp_ioctl_entry end;
    uint32_t request[2], later;
    uint8_t address[6];
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &endpoint, 0) == 0);
    need(endpoint_open(&own->table, &dead, 1) == 0);
    struct shared_memory *memory = shared_register(own, &endpoint, 0, LONG_BYTES);
    struct shared_memory *lost = shared_register(own, &dead, 0, LONG_BYTES);
    need(memory && lost);
    need(shared_post(own, &endpoint, EMP_IOCTL_SEND, 1, TAG, memory, 0, LONG_BYTES, &request[0]) ==
         0);
    need(shared_post(own, &endpoint, EMP_IOCTL_RECEIVE, 1, TAG, memory, 0, 100, &request[1]) == 0);
    need(shared_post(own, &dead, EMP_IOCTL_SEND, 1, TAG, lost, 0, LONG_BYTES, &later) == 0);
    const uint64_t paid_until = own->table.shares[1].paid_until_ns[ENDPOINT_PROCESSOR];
    endpoint_close(&dead, board_now_ns(own->board));
    need(own->table.shares[1].paid_until_ns[ENDPOINT_PROCESSOR] > paid_until);
    need(board_stop(own->board) == 0);
    endpoint_table_end_all(&own->table, false);
    need(endpoint_has_ended(&endpoint));
    need(!endpoint_table_reap(&own->table, board_now_ns(own->board)) && own->drained == 1);
    need(shared_post(own, &endpoint, EMP_IOCTL_SEND, 1, TAG, memory, 0, 4, &later) == -ENODEV);
    need(shared_wait(own, &endpoint, request[1], 0, &end) == -ECONNRESET);
    need(board_start(own->board, side->pair->image,
                     &(struct board_start_options){.protocol_hash = EMP_PROTOCOL_HASH}) == 0);
    const uint32_t peers = BOARD_CONTROL_ADDRESS + EMP_OBJECTS_AT + 4 * EMP_OBJECTS_PEERS_WORD;
    const uint32_t right = board_get_word(own->board, peers);
    board_set_word(own->board, peers, UINT32_MAX); /* as a board that has died answers */
    need(endpoint_table_adopt(&own->table) == -EPROTO);
    board_set_word(own->board, peers, right);
    need(endpoint_table_adopt(&own->table) == 0);
    own->scratch_bus = (uint64_t)board_control_word(own->board, BOARD_CONTROL_SCRATCH_HIGH_WORD)
                           << 32 |
                       board_control_word(own->board, BOARD_CONTROL_SCRATCH_LOW_WORD);
    tigon_board_mac_address(side->pair->side[1].hardware, address);
    endpoint_table_set_peer(&own->table, 1, address);
    /* The number of the request that has not been collected is not given to another one. */
    need(shared_post(own, &endpoint, EMP_IOCTL_SEND, 1, TAG + 1, memory, 0, LONG_BYTES, &later) ==
         0);
    need(later != request[0]);
    need(shared_wait(own, &endpoint, request[0], 0, &end) == -ECONNRESET);
    need(!endpoint_has_ended(&endpoint));
    need(shared_wait(own, &endpoint, later, UINT64_C(3000000000), &end) == 0);
    /* And at last the card is pulled out. */
    need(shared_post(own, &endpoint, EMP_IOCTL_RECEIVE, 1, TAG, memory, 0, 100, &later) == 0);
    need(board_stop(own->board) == 0);
    endpoint_table_end_all(&own->table, true);
    need(*endpoint_end(&own->table, later & UINT16_MAX) == UINT32_MAX);
    need(endpoint.outstanding == 0 && memory->region.uses == 0);
    endpoint_close(&endpoint, board_now_ns(own->board));
    need(!endpoint_table_reap(&own->table, board_now_ns(own->board)) && own->drained == 2);
    return 0;
}

static int receives_after_restart(struct pair_side *side, void *argument) {
    struct shared_board *own = &boards[1];
    static struct endpoint endpoint;
    struct emp_ioctl_entry end;
    uint32_t request;
    (void)argument;
    need(shared_open(own, side, &limits) == 0);
    need(endpoint_open(&own->table, &endpoint, 0) == 0);
    struct shared_memory *memory = shared_register(own, &endpoint, 0, LONG_BYTES);
    need(memory);
    need(shared_post(own, &endpoint, EMP_IOCTL_RECEIVE, 0, TAG + 1, memory, 0, LONG_BYTES,
                     &request) == 0);
    need(shared_wait(own, &endpoint, request, LIMIT_NS, &end) == 0);
    return 0;
}

static void requests_end_with_their_board(void **state) {
    (void)state;
    run(restarts, receives_after_restart);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_stay_in_their_port),
        cmocka_unit_test(what_a_program_does_not_have_is_refused),
        cmocka_unit_test(an_application_cannot_take_more_than_its_share),
        cmocka_unit_test(memory_of_the_dead_is_left_alone),
        cmocka_unit_test(memory_of_the_dead_comes_back_without_another_message),
        cmocka_unit_test(requests_end_with_their_board),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
