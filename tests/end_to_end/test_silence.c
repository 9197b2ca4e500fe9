/* SPDX-License-Identifier: MIT */
/* Peers that fall silent amid messages, in EMP's profile modern: requests end, with a result that
 * says so, and messages flow again when the peer returns. The profile paper waits for ever. */
#include "tests/host/check.h"

#include "tests/end_to_end/need.h"
#include "tests/end_to_end/side.h"

#include "host/demo/crowd.h"
#include "host/demo/piece.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* More rounds than there are records of either kind: none may be lost. */
enum { ROUNDS = 18, AT_ONCE = 3, LONG_BYTES = 100000, SHORT_BYTES = 20000, SILENCE_US = 5000 };

#define SILENCE_NS (UINT64_C(1000) * SILENCE_US)
#define POLL_NS    UINT64_C(20000)
#define LIMIT_NS   UINT64_C(30000000000)
#define CUT_AFTER  UINT64_C(300000) /* amid the messages: their bytes take 2.4 ms */

enum outage {
    NOTHING, /* gets through */
    DATA,    /* is lost, answers are not */
    ANSWERS, /* are lost, data is not */
    OUTAGES
};

struct world {
    enum outage outage;
    bool lasts;       /* now */
    bool patient;     /* silence_timeout is 0 */
    unsigned posted;  /* rounds whose receives are posted */
    unsigned ended;   /* rounds in which the sender has given up */
    unsigned noticed; /* ... and in which the receiver has */
    unsigned healed;
    unsigned given_up; /* receives that ended so */
};

static bool has_silence_timeout(void) {
    return libemp_find_parameter("silence_timeout") >= 0;
}

static int set_silence(struct libemp_board *board, uint32_t microseconds) {
    return libemp_set_parameter(board, (size_t)libemp_find_parameter("silence_timeout"),
                                microseconds);
}

static enum tigon_fate lose(void *context, const struct tigon_frame_view *frame) {
    const struct world *world = context;
    const bool data = frame->from_side == 0;
    if (!world->lasts || world->outage == (data ? ANSWERS : DATA))
        return TIGON_FATE_DELIVER;
    return TIGON_FATE_LOSE;
}

static uint8_t content(unsigned round, size_t offset) {
    return (uint8_t)(round * 41 + offset * 7);
}

/* One round: three messages go out, the third waits for the window, and the peer falls silent. */
static int send_in_vain(struct pair_side *side, struct world *world, unsigned round,
                        const struct libemp_piece *piece) {
    libemp_request request[AT_ONCE];
    for (unsigned i = 0; i < AT_ONCE; i++)
        need(libemp_post_send(side->board, side->peer, (uint16_t)(2 * round), piece, 1,
                              &request[i]) == 0);
    tigon_host_sleep_ns(side->host, CUT_AFTER);
    world->lasts = true;
    const uint64_t begun = tigon_world_now_ns(side->pair->world);
    for (unsigned i = 0; i < AT_ONCE; i++)
        need(libemp_wait(side->board, request[i], 10 * SILENCE_NS, NULL) == -EHOSTUNREACH);
    const uint64_t passed = tigon_world_now_ns(side->pair->world) - begun;
    need(passed + UINT64_C(500000) >= SILENCE_NS && passed <= 4 * SILENCE_NS);
    world->ended++;
    return 0;
}

static int sender(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece, small;
    libemp_request request;
    uint8_t *memory, *small_memory;
    need(set_silence(side->board, SILENCE_US) == 0);
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    need(side_memory(side, SHORT_BYTES, &small_memory, &small) == 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (side_wait_for(side, &world->posted, round + 1) ||
            send_in_vain(side, world, round, &piece) ||
            side_wait_for(side, &world->noticed, round + 1))
            return -EBADMSG;
        world->lasts = false;
        for (size_t i = 0; i < SHORT_BYTES; i++)
            small_memory[i] = content(round, i);
        need(libemp_post_send(side->board, side->peer, (uint16_t)(2 * round + 1), &small, 1,
                              &request) == 0);
        need(libemp_wait(side->board, request, SILENCE_NS * 100, NULL) == 0);
        if (side_wait_for(side, &world->healed, round + 1))
            return -EBADMSG;
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

/* The first two have been met by messages and end with them; the third is still the host's to
 * cancel. */
static int receive_in_vain(struct pair_side *side, struct world *world, unsigned round,
                           libemp_request *request) {
    for (unsigned i = 0; i + 1 < AT_ONCE; i++) {
        const int error = libemp_wait(side->board, request[i], 10 * SILENCE_NS, NULL);
        need(error == -EHOSTUNREACH);
        world->given_up++;
    }
    if (side_wait_for(side, &world->ended, round + 1))
        return -EBADMSG;
    need(libemp_test(side->board, request[AT_ONCE - 1], NULL) == -EAGAIN);
    need(libemp_cancel(side->board, request[AT_ONCE - 1]) == 0);
    need(libemp_wait(side->board, request[AT_ONCE - 1], SILENCE_NS, NULL) == -ECANCELED);
    world->noticed++;
    return 0;
}

static int receiver(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece, small;
    libemp_request request[AT_ONCE];
    uint8_t *memory, *small_memory;
    need(set_silence(side->board, SILENCE_US) == 0);
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    need(side_memory(side, SHORT_BYTES, &small_memory, &small) == 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < AT_ONCE; i++)
            need(libemp_post_receive(side->board, side->peer, (uint16_t)(2 * round), &piece, 1,
                                     &request[i]) == 0);
        world->posted++;
        if (receive_in_vain(side, world, round, request))
            return -EBADMSG;
        memset(small_memory, 0, SHORT_BYTES);
        need(libemp_post_receive(side->board, side->peer, (uint16_t)(2 * round + 1), &small, 1,
                                 &request[0]) == 0);
        need(libemp_wait(side->board, request[0], SILENCE_NS * 100, NULL) == 0);
        for (size_t i = 0; i < SHORT_BYTES; i++)
            need(small_memory[i] == content(round, i));
        world->healed++;
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static void run_pair(pair_program left, pair_program right, struct world *world) {
    struct pair_options options;
    struct pair pair;
    pair_options_defaults(&options);
    assert_int_equal(pair_open(&pair, &options), 0);
    tigon_wire_set_filter(pair.wire, lose, world);
    const int error = pair_run(&pair, left, world, right, world, LIMIT_NS);
    if (error)
        fail_msg("outage %u: %d\nleft: %s\nright: %s", world->outage, error, pair.side[0].message,
                 pair.side[1].message);
    pair_close(&pair);
}

static void silence__ends_what_has_begun(void **state) {
    (void)state;
    if (!has_silence_timeout())
        skip();
    for (enum outage outage = NOTHING; outage < OUTAGES; outage++) {
        struct world world = {.outage = outage};
        run_pair(sender, receiver, &world);
        assert_int_equal(world.given_up, ROUNDS * (AT_ONCE - 1));
    }
}

/* A receiver without a receive answers; with silence_timeout 0 nothing is ever given up. */
static int send_patiently(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    libemp_request request;
    uint8_t *memory;
    need(set_silence(side->board, world->patient ? 0 : SILENCE_US) == 0);
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    if (side_wait_for(side, &world->posted, world->patient))
        return -EBADMSG;
    need(libemp_post_send(side->board, side->peer, 1, &piece, 1, &request) == 0);
    tigon_host_sleep_ns(side->host, CUT_AFTER);
    world->lasts = world->patient;
    tigon_host_sleep_ns(side->host, 20 * SILENCE_NS);
    need(libemp_test(side->board, request, NULL) == -EAGAIN);
    world->ended++;
    world->lasts = false;
    need(libemp_wait(side->board, request, 20 * SILENCE_NS, NULL) == 0);
    return 0;
}

static int receive_patiently(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    libemp_request request;
    uint8_t *memory;
    need(set_silence(side->board, world->patient ? 0 : SILENCE_US) == 0);
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    if (!world->patient && side_wait_for(side, &world->ended, 1))
        return -EBADMSG;
    need(libemp_post_receive(side->board, side->peer, 1, &piece, 1, &request) == 0);
    world->posted++;
    need(libemp_wait(side->board, request, 100 * SILENCE_NS, NULL) == 0);
    return 0;
}

static void silence__of_a_host_is_none(void **state) {
    struct world world = {.patient = false};
    (void)state;
    if (!has_silence_timeout())
        skip();
    run_pair(send_patiently, receive_patiently, &world);
}

static void silence__is_borne_for_ever_if_so_set(void **state) {
    struct world world = {.patient = true};
    (void)state;
    if (!has_silence_timeout())
        skip();
    run_pair(send_patiently, receive_patiently, &world);
}

/* A program that ends takes back sends that a living node refuses, some of them begun. */
static int give_up_sends(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    libemp_request request[AT_ONCE];
    uint8_t *memory;
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < AT_ONCE; i++)
            need(libemp_post_send(side->board, side->peer, 1, &piece, 1, &request[i]) == 0);
        tigon_host_sleep_ns(side->host, CUT_AFTER);
        for (unsigned i = 0; i < AT_ONCE; i++) {
            int error = -EAGAIN;
            for (unsigned looks = 0; error == -EAGAIN && looks < 1000; looks++) {
                need(libemp_give_up(side->board, request[i]) == 0);
                tigon_host_sleep_ns(side->host, POLL_NS);
                error = libemp_test(side->board, request[i], NULL);
            }
            need(error == -EHOSTUNREACH || (i > 0 && error == -ECANCELED));
            need(libemp_give_up(side->board, request[i]) == -EINVAL);
        }
        need(libemp_post_send(side->board, side->peer, 2, &piece, 1, &request[0]) == 0);
        need(libemp_wait(side->board, request[0], 100 * SILENCE_NS, NULL) == 0);
        world->ended++;
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static int receive_others(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct libemp_piece piece;
    libemp_request request;
    uint8_t *memory;
    need(side_memory(side, LONG_BYTES, &memory, &piece) == 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        need(libemp_post_receive(side->board, side->peer, 2, &piece, 1, &request) == 0);
        need(libemp_wait(side->board, request, 100 * SILENCE_NS, NULL) == 0);
        if (side_wait_for(side, &world->ended, round + 1))
            return -EBADMSG;
    }
    return 0;
}

static void silence__may_be_declared(void **state) {
    struct world world = {.outage = NOTHING};
    (void)state;
    if (!has_silence_timeout())
        skip();
    run_pair(give_up_sends, receive_others, &world);
    assert_int_equal(world.ended, ROUNDS);
}

/* A node that is not there, beside two that are: they get no less. */
enum { BOARDS = 3, ABSENT = 9, OUTSTANDING = 4, BYTES = 20000, AHEAD = 8 };

#define MEASURED_NS UINT64_C(100000000)

struct neighbours {
    bool sends_to_absent;
    uint64_t delivered; /* to the two */
    uint64_t ended;     /* sends to the absent one */
    int surprise;       /* another end of one of these */
};

static uint16_t number(unsigned index) {
    return (uint16_t)index;
}

static bool knows(unsigned index, unsigned other) {
    return index == 0 || other == 0;
}

static int send_to_all(struct crowd_member *member, struct neighbours *neighbours) {
    static const uint8_t nowhere[6] = {0x02, 0, 0, 0, 0, ABSENT};
    static const uint16_t peers[BOARDS] = {1, 2, ABSENT};
    libemp_request request[BOARDS][OUTSTANDING];
    struct libemp_piece piece;
    int error = piece_make(member->board, BYTES, &piece);
    if (!error)
        error = set_silence(member->board, 4 * SILENCE_US);
    if (!error)
        error = libemp_set_peer(member->board, ABSENT, nowhere);
    /* A board that has not started is silent, too. */
    while (member->crowd->ready < BOARDS - 1 || !tigon_switch_port_up(member->crowd->box, 1) ||
           !tigon_switch_port_up(member->crowd->box, 2) ||
           !tigon_switch_port_up(member->crowd->box, 0))
        tigon_host_sleep_ns(member->host, POLL_NS);
    const size_t used = neighbours->sends_to_absent ? BOARDS : BOARDS - 1;
    for (size_t i = 0; i < used * OUTSTANDING && !error; i++)
        error = libemp_post_send(member->board, peers[i % used], 1, &piece, 1,
                                 &request[i % used][i / used]);
    crowd_ready(member);
    for (size_t i = 0; !error; i = (i + 1) % (used * OUTSTANDING)) {
        libemp_request *oldest = &request[i % used][i / used];
        const uint16_t peer = peers[i % used];
        const int found = libemp_test(member->board, *oldest, NULL);
        if (found == -EAGAIN)
            continue;
        if (peer == ABSENT && found == -EHOSTUNREACH)
            neighbours->ended++;
        else if (peer == ABSENT)
            neighbours->surprise = found ? found : -EBADMSG;
        else if (found)
            return found;
        else
            neighbours->delivered++;
        error = libemp_post_send(member->board, peer, 1, &piece, 1, oldest);
    }
    return error;
}

static int receive_all(struct crowd_member *member) {
    libemp_request request[AHEAD];
    struct libemp_piece piece;
    int error = piece_make(member->board, BYTES, &piece);
    for (size_t i = 0; i < AHEAD && !error; i++)
        error = libemp_post_receive(member->board, 0, 1, &piece, 1, &request[i]);
    crowd_ready(member);
    for (size_t i = 0; !error; i = (i + 1) % AHEAD) {
        error = libemp_wait(member->board, request[i], LIBEMP_FOREVER, NULL);
        if (!error)
            error = libemp_post_receive(member->board, 0, 1, &piece, 1, &request[i]);
    }
    return error;
}

static int neighbour(struct crowd_member *member, void *argument) {
    return member->index == 0 ? send_to_all(member, argument) : receive_all(member);
}

static void measure(struct neighbours *neighbours) {
    static struct crowd crowd;
    struct crowd_options options;
    crowd_options_defaults(&options);
    options.boards = BOARDS;
    options.node = number;
    options.knows = knows;
    options.program = neighbour;
    options.argument = neighbours;
    assert_int_equal(crowd_open(&crowd, &options), 0);
    int error = crowd_run_until_ready(&crowd, LIMIT_NS);
    if (!error)
        error = crowd_run_for(&crowd, 2 * SILENCE_NS);
    const uint64_t before = neighbours->delivered;
    if (!error)
        error = crowd_run_for(&crowd, MEASURED_NS);
    if (error)
        fail_msg("%d: %s", error, crowd.message);
    neighbours->delivered -= before;
    crowd_close(&crowd);
}

static void silence__of_one_node_costs_the_others_nothing(void **state) {
    struct neighbours alone = {.sends_to_absent = false};
    struct neighbours beside = {.sends_to_absent = true};
    (void)state;
    if (!has_silence_timeout())
        skip();
    measure(&alone);
    measure(&beside);
    print_message("%llu messages in 100 ms beside an absent node, %llu without; %llu given up\n",
                  (unsigned long long)beside.delivered, (unsigned long long)alone.delivered,
                  (unsigned long long)beside.ended);
    assert_int_equal(beside.surprise, 0);
    assert_true(beside.ended >= 2 * OUTSTANDING);
    assert_true(alone.delivered > 100);
    assert_true(10 * beside.delivered >= 9 * alone.delivered);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silence__ends_what_has_begun),
        cmocka_unit_test(silence__of_a_host_is_none),
        cmocka_unit_test(silence__is_borne_for_ever_if_so_set),
        cmocka_unit_test(silence__may_be_declared),
        cmocka_unit_test(silence__of_one_node_costs_the_others_nothing),
    };
    return cmocka_run_group_tests_name("silence", tests, NULL, NULL);
}
