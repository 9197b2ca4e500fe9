/* SPDX-License-Identifier: MIT */
/* What an application keeps of the card beside a hostile one: the driver's accounts of card time,
 * host/driver/endpoint_account.c. All figures are of simulated time. */
#include "tests/host/check.h"

#include "tests/driver/shared_board.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST = EMP_MESSAGE_LIMIT,
    HOSTILE_REQUESTS = 48,
    HONEST_REQUESTS = 8,
    PORT_HONEST = 0,
    PORT_HOSTILE = 1,
    TURN_NS = 1000
};

#define WARM_UP_NS UINT64_C(15000000)
/* The table in docs/driver.md is of SHARE_ALL. */
#define MEASURED_NS (getenv("SHARE_ALL") ? UINT64_C(81000000) : UINT64_C(40000000))
#define LIMIT_NS    UINT64_C(60000000000)

static struct shared_board boards[2];

/* What one application does, and the same port of the other board with it. */
struct behaviour {
    const char *name;
    uint32_t bytes;
    uint32_t at_once; /* messages */
    bool answered;    /* each by a message of the same size, before the next one goes */
    bool inbound;     /* sent by the other board */
    bool cancels;     /* receives that are cancelled at once, and no messages */
    bool unwanted;    /* messages without a receive */
};

struct application {
    const struct behaviour *behaviour;
    struct shared_board *board;
    struct endpoint endpoint;
    struct shared_memory *memory[2]; /* to send, to receive */
    uint32_t requests[HOSTILE_REQUESTS];
    bool posted[HOSTILE_REQUESTS];

    uint32_t owed; /* messages of a ping-pong that are to be sent */
    uint64_t done; /* requests that ended */
};

struct scene {
    const struct behaviour *honest;
    const struct behaviour *hostile;
    struct endpoint_limits limits;
    bool over;
    uint64_t done;
};

static int begin(struct application *own, struct shared_board *board, uint32_t port,
                 const struct behaviour *behaviour) {
    struct pair_side *side = board->side;
    own->behaviour = behaviour;
    own->board = board;
    own->owed = board->side->index == 0;
    need(endpoint_open(&board->table, &own->endpoint, port) == 0);
    for (unsigned i = 0; i < 2; i++) {
        own->memory[i] = shared_register(board, &own->endpoint, 0, behaviour->bytes);
        need(own->memory[i]);
    }
    return 0;
}

/* Posts the request of this place, unless the driver refuses it until later. */
static int fill(struct application *own, uint32_t place, uint32_t kind) {
    const struct shared_memory *memory = own->memory[kind == EMP_IOCTL_SEND ? 0 : 1];
    if (own->posted[place])
        return 0;
    const int error = shared_post(own->board, &own->endpoint, kind, own->board->side->peer, 0,
                                  memory, 0, own->behaviour->bytes, &own->requests[place]);
    own->posted[place] = error == 0;
    return error == -EAGAIN ? 0 : error;
}

/* Whether the request in this place has ended; it is then collected. */
static int collect(struct application *own, uint32_t place, bool *ended) {
    struct emp_ioctl_entry end;
    *ended = false;
    if (!own->posted[place])
        return 0;
    const int error = shared_wait(own->board, &own->endpoint, own->requests[place], 0, &end);
    if (error == -ETIMEDOUT)
        return 0;
    own->posted[place] = false;
    *ended = true;
    own->done++;
    return error == -ECANCELED ? 0 : error;
}

/* One look of a program that sends, receives or cancels as fast as it may, in `count` places. */
static int flood(struct application *own, uint32_t count, uint32_t kind) {
    for (uint32_t i = 0; i < count; i++) {
        bool ended;
        int error = collect(own, i, &ended);
        if (!error)
            error = fill(own, i, kind);
        if (!error && own->posted[i] && own->behaviour->cancels) {
            struct emp_ioctl_entry cancel = {.kind = EMP_IOCTL_CANCEL, .request = own->requests[i]};
            error = shared_submit(own->board, &own->endpoint, &cancel, NULL);
        }
        if (error && error != -EAGAIN)
            return error;
    }
    return 0;
}

/* A message there, one back. Place 0 holds the receive, place 1 the send. */
static int converse(struct application *own) {
    bool received;
    bool sent;
    int error = collect(own, 0, &received);
    if (!error)
        error = collect(own, 1, &sent);
    if (!error)
        error = fill(own, 0, EMP_IOCTL_RECEIVE);
    own->owed += received;
    if (!error && own->owed && own->posted[0] && !own->posted[1]) {
        error = fill(own, 1, EMP_IOCTL_SEND);
        own->owed -= own->posted[1];
    }
    return error;
}

static int act(struct application *own, bool left) {
    const struct behaviour *behaviour = own->behaviour;
    if (behaviour->answered)
        return converse(own);
    if (!left && (behaviour->cancels || behaviour->unwanted))
        return 0;
    if (behaviour->cancels)
        return flood(own, behaviour->at_once, EMP_IOCTL_RECEIVE);
    return left != behaviour->inbound ? flood(own, behaviour->at_once, EMP_IOCTL_SEND)
                                      : flood(own, 2 * behaviour->at_once, EMP_IOCTL_RECEIVE);
}

static int act_on_both_ports(struct pair_side *side, void *argument) {
    static struct application applications[2][2];
    struct application *own = applications[side->index];
    struct shared_board *board = &boards[side->index];
    struct scene *scene = argument;
    uint64_t before = 0;
    memset(own, 0, sizeof applications[side->index]);
    need(shared_open(board, side, &scene->limits) == 0);
    need(begin(&own[0], board, PORT_HONEST, scene->honest) == 0);
    if (scene->hostile)
        need(begin(&own[1], board, PORT_HOSTILE, scene->hostile) == 0);
    const uint64_t start = board_now_ns(board->board);
    while (!scene->over) {
        const uint64_t now = board_now_ns(board->board) - start;
        need(act(&own[0], side->index == 0) == 0);
        if (scene->hostile)
            need(act(&own[1], side->index == 0) == 0);
        if (now < WARM_UP_NS)
            before = own[0].done;
        if (side->index == 0 && now >= WARM_UP_NS + MEASURED_NS) {
            scene->done = own[0].done - before;
            scene->over = true;
        }
        tigon_host_sleep_ns(side->host, TURN_NS);
    }
    return 0;
}

/* Requests of the honest application that end in MEASURED_NS. */
static uint64_t measure(const struct behaviour *honest, const struct behaviour *hostile,
                        const struct endpoint_limits *limits) {
    struct scene scene = {.honest = honest, .hostile = hostile, .limits = *limits};
    assert_int_equal(
        shared_run(boards, NULL, act_on_both_ports, &scene, act_on_both_ports, &scene, LIMIT_NS),
        0);
    return scene.done;
}

static const struct behaviour honest[] = {
    {.name = "ping-pong of 4 bytes", .bytes = 4, .answered = true},
    {.name = "ping-pong of 64 kB", .bytes = 65536, .answered = true},
    {.name = "stream of 4 kB", .bytes = 4096, .at_once = 4},
    {.name = "stream of 64 kB", .bytes = 65536, .at_once = 4},
    {.name = "received stream of 4 kB", .bytes = 4096, .at_once = 4, .inbound = true},
};
static const struct behaviour hostile[] = {
    {.name = "the longest messages", .bytes = LONGEST, .at_once = 4},
    {.name = "the shortest messages", .bytes = 1, .at_once = 4},
    {.name = "receives and cancels", .bytes = 1, .at_once = HOSTILE_REQUESTS, .cancels = true},
    {.name = "messages of one frame", .bytes = 1400, .at_once = 4},
    {.name = "received longest messages", .bytes = LONGEST, .at_once = 4, .inbound = true},
    {.name = "messages without receives", .bytes = 65536, .at_once = 4, .unwanted = true},
};

static const struct endpoint_limits divided = {
    .ports = 4, .linger_ns = 1000000, .divides_time = true};
static const struct endpoint_limits undivided = {.ports = 4, .linger_ns = 1000000};

enum { HONEST = sizeof honest / sizeof *honest, HOSTILE = sizeof hostile / sizeof *hostile };

static void has_its_share(const struct behaviour *own, uint64_t alone,
                          const struct behaviour *other) {
    const uint64_t beside = measure(own, other, &divided);
    print_message("%s beside %s: %" PRIu64 " %% of %" PRIu64 "\n", own->name, other->name,
                  beside * 100 / alone, alone);
    assert_true(beside * 2 * 10 >= alone * 9);
}

/* Half of the card is the share of each of two applications. SHARE_ALL tries all pairs. */
static void nine_tenths_of_a_share_are_left(void **state) {
    (void)state;
    for (size_t i = 0; i < HONEST; i += getenv("SHARE_ALL") ? 1 : 4) {
        const uint64_t alone = measure(&honest[i], NULL, &divided);
        for (size_t k = 0; k < HOSTILE; k += getenv("SHARE_ALL") ? 1 : 2)
            has_its_share(&honest[i], alone, &hostile[k]);
    }
}

/* What the accounts are for. */
static void without_accounts_less_is_left(void **state) {
    (void)state;
    const uint64_t alone = measure(&honest[0], NULL, &undivided);
    for (size_t k = 0; k < HOSTILE; k += getenv("SHARE_ALL") ? 1 : 2) {
        const uint64_t beside = measure(&honest[0], &hostile[k], &undivided);
        print_message("%s beside %s, accounts off: %" PRIu64 " %%\n", honest[0].name,
                      hostile[k].name, beside * 100 / alone);
        assert_true(beside * 10 < alone * 6 || hostile[k].unwanted);
    }
}

/* Another one that has the file open and posts nothing takes nothing. */
static void an_application_alone_has_all_of_the_card(void **state) {
    static const struct behaviour idle = {.name = "nothing", .bytes = 1};
    (void)state;
    for (size_t i = 0; i < HONEST; i += getenv("SHARE_ALL") ? 1 : 4)
        assert_int_equal(measure(&honest[i], &idle, &divided),
                         measure(&honest[i], NULL, &undivided));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_tenths_of_a_share_are_left),
        cmocka_unit_test(without_accounts_less_is_left),
        cmocka_unit_test(an_application_alone_has_all_of_the_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
