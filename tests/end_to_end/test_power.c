/* SPDX-License-Identifier: MIT */
/* One of two boards loses its power again and again: what it sends or is sent in any of its lives
 * is taken for what it is, a send that ends well has been delivered, and a message sent when the
 * link is up passes at once, also through a switch. */
#include "tests/host/check.h"

#include "tests/end_to_end/need.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    LIVES = 6,
    MOST = 3 /* messages of a life */,
    SENDS = 64,
    STARTS = 3,
    BYTES = 3000,
    AREA = 4096,
    TAG = 1
};

#define PATIENCE_NS UINT64_C(2000000000)
/* With a new contact; without it 0.1 ms. A message that is lost takes 10 ms. */
#define AT_ONCE_NS UINT64_C(1000000)
#define LIMIT_NS   UINT64_C(20000000000)

struct area {
    uint8_t *bytes;
    struct libemp_piece piece;
    libemp_request request;
};

struct world {
    bool survivor_sends;
    unsigned first;             /* messages of the first life */
    bool over;                  /* the board is through with its lives */
    unsigned ended_well[SENDS]; /* by the number of the message */
    unsigned delivered[SENDS];
};

static int make_area(struct pair_side *side, struct area *area) {
    area->bytes = libemp_allocate(side->board, AREA);
    area->piece = (struct libemp_piece){.length = BYTES};
    return area->bytes ? libemp_register(side->board, area->bytes, AREA, &area->piece.memory)
                       : -ENOMEM;
}

static uint8_t content(unsigned number, size_t offset) {
    return offset == 0 ? (uint8_t)number : (uint8_t)(number * 37 + offset * 7);
}

/* Posts a send of a message and waits until it has ended. */
static int send(struct pair_side *side, struct area *area, struct world *world, unsigned number) {
    for (size_t i = 0; i < BYTES; i++)
        area->bytes[i] = content(number, i);
    need(libemp_post_send(side->board, side->peer, TAG, &area->piece, 1, &area->request) == 0);
    int error;
    do
        error = libemp_wait(side->board, area->request, PATIENCE_NS / 100, NULL);
    while (error == -ETIMEDOUT && !world->over);
    if (error == 0)
        world->ended_well[number]++;
    return error;
}

/* Posts a receive and waits for whatever message comes. */
static int receive(struct pair_side *side, struct area *area, struct world *world) {
    memset(area->bytes, 0, BYTES);
    need(libemp_post_receive(side->board, side->peer, TAG, &area->piece, 1, &area->request) == 0);
    int error;
    do
        error = libemp_wait(side->board, area->request, PATIENCE_NS / 100, NULL);
    while (error == -ETIMEDOUT && !world->over);
    if (error)
        return error;
    const unsigned number = area->bytes[0];
    need(number < SENDS);
    for (size_t i = 0; i < BYTES; i++)
        need(area->bytes[i] == content(number, i));
    world->delivered[number]++;
    return 0;
}

static unsigned messages_of(const struct world *world, unsigned life) {
    return life + 1 == LIVES ? MOST : (world->first + life) % (MOST + 1);
}

static int start_anew(struct pair_side *side) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    uint8_t address[6];
    need(libemp_start(side->board, side->pair->image, &start) == 0);
    tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
    need(libemp_set_peer(side->board, side->peer, address) == 0);
    need(board_wait_link(libemp_hardware(side->board), PATIENCE_NS) == 0);
    return 0;
}

static int begin_life(struct pair_side *side) {
    tigon_board_cycle_power(side->hardware);
    return start_anew(side);
}

/* The one without a reliable plug. */
static int unlucky(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct area area;
    unsigned number = 0;
    need(make_area(side, &area) == 0);
    for (unsigned life = 0; life < LIVES; life++) {
        if (life > 0 && begin_life(side))
            return -EBADMSG;
        for (unsigned i = 0; i < messages_of(world, life); i++) {
            if (world->survivor_sends)
                need(receive(side, &area, world) == 0);
            else
                need(send(side, &area, world, number++) == 0);
        }
    }
    world->over = true;
    return 0;
}

/* The other, which does what is to be done until the first is through. */
static int survivor(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct area area;
    need(make_area(side, &area) == 0);
    for (unsigned number = 0; !world->over; number++) {
        need(number < SENDS);
        const int error =
            world->survivor_sends ? send(side, &area, world, number) : receive(side, &area, world);
        need(error == 0 || error == -ECONNRESET || (error == -ETIMEDOUT && world->over));
    }
    return 0;
}

static void run(bool survivor_sends, unsigned first) {
    struct world world = {.survivor_sends = survivor_sends, .first = first};
    struct pair_options options;
    struct pair pair;
    unsigned expected = 0, delivered = 0;
    pair_options_defaults(&options);
    assert_int_equal(pair_open(&pair, &options), 0);
    const int error = pair_run(&pair, unlucky, &world, survivor, &world, LIMIT_NS);
    if (error)
        fail_msg("%s sends, %u messages at first: %d\nleft: %s\nright: %s",
                 survivor_sends ? "survivor" : "unlucky", first, error, pair.side[0].message,
                 pair.side[1].message);
    for (unsigned number = 0; number < SENDS; number++) {
        if (world.ended_well[number] && world.delivered[number] != 1)
            fail_msg(
                "%s sends, %u messages at first: message %u ended well, was delivered %u times",
                survivor_sends ? "survivor" : "unlucky", first, number, world.delivered[number]);
        delivered += world.delivered[number];
    }
    for (unsigned life = 0; life < LIVES; life++)
        expected += messages_of(&world, life);
    assert_int_equal(delivered, expected);
    pair_close(&pair);
}

static void power__of_a_sender(void **state) {
    (void)state;
    for (unsigned first = 0; first <= MOST; first++)
        run(false, first);
}

static void power__of_a_receiver(void **state) {
    (void)state;
    for (unsigned first = 0; first <= MOST; first++)
        run(true, first);
}

/* Speaks as soon as its link is up: after the first start, after a restart alone, after a power
 * failure. */
static int speaker(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct area area;
    need(make_area(side, &area) == 0);
    for (unsigned number = 0; number < STARTS; number++) {
        if (number == 1)
            need(start_anew(side) == 0);
        else if (number == 2)
            need(begin_life(side) == 0);
        const uint64_t posted = tigon_host_now_ns(side->host);
        need(send(side, &area, world, number) == 0);
        const uint64_t took = tigon_host_now_ns(side->host) - posted;
        if (took > AT_ONCE_NS)
            return pair_fail(side, -ETIME, "a message was lost after the link was up");
    }
    world->over = true;
    return 0;
}

/* A port of a switch forwards a link timer after it has begun to receive idle. */
static void power__a_switch_forwards_when_the_link_is_up(void **state) {
    (void)state;
    struct world world = {.survivor_sends = false};
    struct pair_options options;
    struct pair pair;
    pair_options_defaults(&options);
    options.through_switch = true;
    assert_int_equal(pair_open(&pair, &options), 0);
    const int error = pair_run(&pair, speaker, &world, survivor, &world, LIMIT_NS);
    if (error)
        fail_msg("%d\nleft: %s\nright: %s", error, pair.side[0].message, pair.side[1].message);
    for (unsigned number = 0; number < STARTS; number++)
        assert_int_equal(world.delivered[number], 1);
    pair_close(&pair);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(power__of_a_sender),
        cmocka_unit_test(power__of_a_receiver),
        cmocka_unit_test(power__a_switch_forwards_when_the_link_is_up),
    };
    return cmocka_run_group_tests_name("power", tests, NULL, NULL);
}
