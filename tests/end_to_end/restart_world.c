/* SPDX-License-Identifier: MIT */
#include "tests/end_to_end/restart_world.h"

#include "tests/end_to_end/need.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BYTES = 4000 /* three frames */, AREA = 4096, TAG = 1, GUARD = 0xEE };

#define PATIENCE_NS UINT64_C(2000000000) /* of a program for one request */
#define LIMIT_NS    UINT64_C(20000000000)

struct area {
    uint8_t *bytes;
    struct libemp_piece piece;
    libemp_request request;
};

/* Both programs and what they tell the caller. */
struct world {
    struct restart *restart;
    bool measure; /* nobody restarts */
    uint64_t begin_ns;
    uint64_t end_ns[2];
};

/* A message of a sender in its first or second life; 0: of the first, before the exchange; 3: of
 * one that goes on, after it. */
static uint8_t content(unsigned sender, unsigned life, size_t offset) {
    const uint32_t mixed = (uint32_t)offset * 0x9E3779B1U + life * 7919U + sender * 104729U;
    return (uint8_t)(mixed ^ mixed >> 13);
}

static bool untouched(const struct area *area) {
    for (size_t i = 0; i < AREA; i++)
        if (area->bytes[i] != GUARD)
            return false;
    return true;
}

static bool holds(const struct area *area, unsigned sender, unsigned life) {
    for (size_t i = 0; i < AREA; i++)
        if (area->bytes[i] != (i < BYTES ? content(sender, life, i) : GUARD))
            return false;
    return true;
}

static int make_area(struct pair_side *side, struct area *area) {
    area->bytes = libemp_allocate(side->board, AREA);
    area->piece = (struct libemp_piece){.length = BYTES};
    return area->bytes ? libemp_register(side->board, area->bytes, AREA, &area->piece.memory)
                       : -ENOMEM;
}

static int post_receive(struct pair_side *side, struct area *area) {
    memset(area->bytes, GUARD, AREA);
    return libemp_post_receive(side->board, side->peer, TAG, &area->piece, 1, &area->request);
}

static int post_send(struct pair_side *side, struct area *area, unsigned life) {
    for (size_t i = 0; i < BYTES; i++)
        area->bytes[i] = content(side->index, life, i);
    return libemp_post_send(side->board, side->peer, TAG, &area->piece, 1, &area->request);
}

static int wait_for(struct pair_side *side, const struct area *area) {
    return libemp_wait(side->board, area->request, PATIENCE_NS, NULL);
}

static void sleep_until(const struct pair_side *side, uint64_t ns) {
    const uint64_t now = tigon_host_now_ns(side->host);
    if (now < ns)
        tigon_host_sleep_ns(side->host, ns - now);
}

/* One message each way, so that each board knows which life of the other it talks to. */
static int get_acquainted(struct pair_side *side, struct area *send, struct area *receive) {
    need(post_receive(side, receive) == 0);
    need(post_send(side, send, 0) == 0);
    need(wait_for(side, send) == 0);
    need(wait_for(side, receive) == 0);
    need(holds(receive, side->peer, 0));
    return 0;
}

/* Receives posted, both sides post their sends at the same moment. */
static int begin(struct pair_side *side, struct world *world, struct area *send,
                 struct area *receive) {
    const struct pair *pair = side->pair;
    need(make_area(side, send) == 0);
    need(make_area(side, receive) == 0);
    if (!world->restart->strangers && get_acquainted(side, send, receive))
        return -EBADMSG;
    need(post_receive(side, receive) == 0);
    while (pair->side[0].link_ns == 0 || pair->side[1].link_ns == 0)
        tigon_host_sleep_ns(side->host, 1000000);
    const uint64_t later = pair->side[pair->side[1].link_ns > pair->side[0].link_ns].link_ns;
    world->begin_ns = later + 100000000; /* getting acquainted takes a while on a lossy wire */
    need(tigon_host_now_ns(side->host) < world->begin_ns);
    sleep_until(side, world->begin_ns);
    need(post_send(side, send, 1) == 0);
    return 0;
}

/* The side that is loaded anew. */
static int restart(struct pair_side *side, void *argument) {
    const struct board_start_options start = {.node = (uint16_t)side->index};
    struct world *world = argument;
    struct area send, receive, former;
    uint8_t address[6];
    const int error = begin(side, world, &send, &receive);
    if (error)
        return error;
    sleep_until(side, world->begin_ns + world->restart->moment_ns);
    need(libemp_stop(side->board) == 0);
    need(libemp_start(side->board, side->pair->image, &start) == 0);
    tigon_board_mac_address(side->pair->side[side->peer].hardware, address);
    need(libemp_set_peer(side->board, side->peer, address) == 0);
    need(board_wait_link(libemp_hardware(side->board), PATIENCE_NS) == 0);
    former = receive;
    need(make_area(side, &send) == 0);
    need(make_area(side, &receive) == 0);
    need(post_receive(side, &receive) == 0);
    need(post_send(side, &send, 2) == 0);
    need(wait_for(side, &send) == 0);
    need(wait_for(side, &receive) == 0);
    if (world->restart->strangers && holds(&receive, side->peer, 1)) {
        /* Whoever has not been answered yet sends to the first who answers. It is not taken twice.
         */
        need(untouched(&former));
        world->restart->late = true;
        need(post_receive(side, &receive) == 0);
        need(wait_for(side, &receive) == 0);
    }
    /* Not what was sent to the former life. */
    need(holds(&receive, side->peer, 3));
    return 0;
}

/* The other, which need not know. What it sends afterwards may still be meant for the former life,
 * if it has not heard of the new one; it is told so, and the next is not. */
static int survive(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct restart *told = world->restart;
    struct area send, receive;
    int error = begin(side, world, &send, &receive);
    if (error)
        return error;
    error = wait_for(side, &send);
    need(error == 0 || error == -ECONNRESET);
    told->sent = error ? RESTART_LOST : RESTART_COMPLETE;
    error = wait_for(side, &receive);
    need(error == 0 || error == -ECONNRESET);
    if (error == 0 && holds(&receive, side->peer, 2))
        told->received = RESTART_NEW;
    else
        told->received = error ? RESTART_LOST : RESTART_COMPLETE;
    need(told->received != RESTART_COMPLETE || holds(&receive, side->peer, 1));
    if (told->received != RESTART_NEW)
        need(post_receive(side, &receive) == 0);
    need(post_send(side, &send, 3) == 0);
    error = wait_for(side, &send);
    if (error == -ECONNRESET) {
        need(post_send(side, &send, 3) == 0);
        error = wait_for(side, &send);
    }
    need(error == 0);
    if (told->received != RESTART_NEW) {
        need(wait_for(side, &receive) == 0);
        need(holds(&receive, side->peer, 2));
    }
    return 0;
}

/* Without a restart. */
static int exchange(struct pair_side *side, void *argument) {
    struct world *world = argument;
    struct area send, receive;
    const int error = begin(side, world, &send, &receive);
    if (error)
        return error;
    need(wait_for(side, &send) == 0);
    need(wait_for(side, &receive) == 0);
    need(holds(&receive, side->peer, 1));
    world->end_ns[side->index] = tigon_host_now_ns(side->host) - world->begin_ns;
    return 0;
}

static void run(struct world *world) {
    struct restart *told = world->restart;
    struct pair_options options;
    struct pair pair;
    pair_program programs[2] = {world->measure ? exchange : survive,
                                world->measure ? exchange : survive};
    if (!world->measure)
        programs[told->board] = restart;
    pair_options_defaults(&options);
    options.seed = told->seed;
    options.knobs.wire_loss = told->loss;
    told->error = pair_open(&pair, &options);
    if (!told->error)
        told->error = pair_run(&pair, programs[0], world, programs[1], world, LIMIT_NS);
    if (told->error)
        (void)snprintf(told->report, sizeof told->report,
                       "board %u%s, %" PRIu64 " ns, loss %g, seed %" PRIu64
                       "\nleft: %s\nright: %s\n%.3000s",
                       told->board, told->strangers ? ", strangers" : "", told->moment_ns,
                       told->loss, told->seed, pair.side[0].message, pair.side[1].message,
                       pair.world ? tigon_world_report(pair.world) : "");
    pair_close(&pair);
}

void restart_measure(struct restart *told) {
    struct world world = {.restart = told, .measure = true};
    run(&world);
    told->end_ns = world.end_ns[world.end_ns[1] > world.end_ns[0]];
}

void restart_run(struct restart *told) {
    struct world world = {.restart = told};
    told->report[0] = 0;
    told->late = false;
    run(&world);
}
