/* SPDX-License-Identifier: MIT */
/*
 * See measure.h.
 */
#include "tests/firmware/measure.h"

#include <stdlib.h>

#include "tests/firmware/harness.h"

#define TAG      7u
#define STEP     4u /* descriptors apart: a chain takes up to four */
#define MOST     64u
#define AHEAD    6u
#define HELLO    (2 * MOST * STEP)
#define OBSTACLE 36u /* first descriptor of those that no message matches */
#define LIMIT_NS 4000000000u

struct run {
    const char *image;
    uint32_t bytes;
    unsigned count;
    bool both;
    enum measure_walk kind;
    unsigned obstacles;
    bool failed;
    struct side side[2];
    unsigned started;
    struct tigon_statistics before[2], after[2];
    uint64_t begin_ns, end_ns;
};

struct place {
    struct run *run;
    unsigned node;
};

static uint64_t busy(const struct tigon_statistics *statistics) {
    return statistics->core[0].cycles - statistics->core[0].parked_cycles;
}

static void snapshot(struct run *run, struct tigon_statistics *statistics) {
    for (unsigned i = 0; i < 2; i++)
        tigon_board_statistics(run->side[i].board, &statistics[i]);
}

/* Both sides set up before either begins. */
static void meet(struct run *run, struct side *side) {
    run->started++;
    while (run->started < 2)
        tigon_host_sleep_ns(side->host, 1000);
}

static bool run_world(struct run *run, tigon_program program) {
    struct tigon_world *world = tigon_world_create(NULL, 1);
    struct place places[2];
    enum tigon_end end;
    for (unsigned i = 0; i < 2; i++)
        side_create(&run->side[i], tigon_world_add_board(world), i);
    (void)tigon_world_connect(world, run->side[0].board, run->side[1].board);
    for (unsigned i = 0; i < 2; i++) {
        places[i] = (struct place){run, i};
        (void)tigon_host_start(run->side[i].host, "measure", program, &places[i]);
    }
    end = tigon_world_run(world, LIMIT_NS);
    tigon_world_destroy(world);
    return end == TIGON_END_FINISHED && !run->failed;
}

/* ----------------------------------------------------------------------------------- Latency */

/* Receives that every message passes. Bits 8 to 11 of a tag do not count in its hash. */
static void post_obstacles(const struct run *run, struct side *side, unsigned peer) {
    const unsigned tag = TAG ^ 0x100u;
    struct buffer buffer;
    buffer_create(side, &buffer, 4, 0);
    for (unsigned i = 0; i < run->obstacles; i++) {
        if (run->kind == MEASURE_NAMED)
            side_post(side, OBSTACLE + i, EMP_DIRECTION_RECEIVE, peer, tag, &buffer);
        else
            side_post_wildcards(side, OBSTACLE + i, peer, tag, 1, &buffer);
        tigon_host_sleep_ns(side->host, 5000);
    }
    free(buffer.page);
}

static int ping(struct tigon_host *host, void *argument) {
    struct place *place = argument;
    struct run *run = place->run;
    struct side *side = &run->side[place->node];
    unsigned peer = 1 - place->node;
    struct buffer out, in;
    side_start(side, run->image, 2);
    buffer_create(side, &out, run->bytes, 0);
    buffer_create(side, &in, run->bytes, 0);
    buffer_fill(side, &out, 1);
    post_obstacles(run, side, peer);
    side_post(side, 0, EMP_DIRECTION_RECEIVE, peer, TAG, &in);
    meet(run, side);
    tigon_host_sleep_ns(host, 20000);
    for (unsigned turn = 0; turn < run->count + 1; turn++) {
        uint32_t receive = turn % 2 * 4 * STEP, next = (turn + 1) % 2 * 4 * STEP;
        if (place->node == 0) {
            if (turn == 1) { /* the first is not counted */
                run->begin_ns = tigon_host_now_ns(host);
                snapshot(run, run->before);
            }
            side_post(side, receive + STEP, EMP_DIRECTION_SEND, peer, TAG, &out);
            side_post(side, next, EMP_DIRECTION_RECEIVE, peer, TAG, &in);
        }
        if (side_wait(side, receive, NULL) != EMP_RESULT_OK)
            run->failed = true;
        if (place->node == 1) {
            side_post(side, receive + STEP, EMP_DIRECTION_SEND, peer, TAG, &out);
            side_post(side, next, EMP_DIRECTION_RECEIVE, peer, TAG, &in);
        }
        /* The send before this one: its completion is off the path. */
        if (turn > 0 && side_wait(side, next + STEP, NULL) != EMP_RESULT_OK)
            run->failed = true;
    }
    if (place->node == 0) {
        run->end_ns = tigon_host_now_ns(host);
        snapshot(run, run->after);
    }
    if (!buffer_holds(side, &in, 1, run->bytes))
        run->failed = true;
    free(out.page);
    free(in.page);
    return 0;
}

static bool measure_ping(struct run *run, struct measure_latency *result) {
    if (!run_world(run, ping))
        return false;
    result->one_way_us = (double)(run->end_ns - run->begin_ns) / 2000.0 / run->count;
    result->busy_cycles = (uint32_t)((busy(&run->after[0]) - busy(&run->before[0])) / run->count);
    return true;
}

bool measure_walk(const char *image, enum measure_walk kind, unsigned count, unsigned turns,
                  struct measure_latency *result) {
    struct run run = {.image = image, .bytes = 4, .count = turns, .kind = kind, .obstacles = count};
    return measure_ping(&run, result);
}

bool measure_latency(const char *image, uint32_t bytes, unsigned turns,
                     struct measure_latency *result) {
    struct run run = {.image = image, .bytes = bytes, .count = turns};
    return measure_ping(&run, result);
}

/* --------------------------------------------------------------------------------- Bandwidth */

static int stream(struct tigon_host *host, void *argument) {
    struct place *place = argument;
    struct run *run = place->run;
    struct side *side = &run->side[place->node];
    unsigned peer = 1 - place->node;
    bool sends = place->node == 0 || run->both;
    bool receives = place->node == 1 || run->both;
    struct buffer hello, out, in[MOST] = {0};
    uint32_t sending = MOST * STEP;
    side_start(side, run->image, 2);
    buffer_create(side, &out, run->bytes, 0);
    buffer_fill(side, &out, 5);
    for (unsigned i = 0; i < run->count; i++)
        buffer_create(side, &in[i], receives ? run->bytes : 1, 0);
    if (receives)
        side_post_many(side, 0, run->count, STEP, EMP_DIRECTION_RECEIVE, peer, TAG, in);
    /* First contact is not measured. */
    buffer_create(side, &hello, 4, 0);
    if (receives)
        side_post(side, HELLO, EMP_DIRECTION_RECEIVE, peer, TAG + 1, &hello);
    tigon_host_sleep_ns(host, 1000000);
    meet(run, side);
    if (sends) {
        side_post(side, HELLO + STEP, EMP_DIRECTION_SEND, peer, TAG + 1, &hello);
        if (side_wait(side, HELLO + STEP, NULL) != EMP_RESULT_OK)
            run->failed = true;
    }
    tigon_host_sleep_ns(host, 100000);
    if (place->node == 0) {
        run->begin_ns = tigon_host_now_ns(host);
        snapshot(run, run->before);
    }
    for (unsigned i = 0; sends && i < run->count + AHEAD; i++) {
        if (i >= AHEAD && side_wait(side, sending + (i - AHEAD) % MOST * STEP, NULL))
            if (side_wait(side, sending + (i - AHEAD) % MOST * STEP, NULL) != EMP_RESULT_OK)
                run->failed = true;
        if (i < run->count)
            side_post(side, sending + i % MOST * STEP, EMP_DIRECTION_SEND, peer, TAG, &out);
    }
    for (unsigned i = 0; receives && i < run->count; i++)
        if (side_wait(side, i * STEP, NULL) != EMP_RESULT_OK)
            run->failed = true;
    run->end_ns = tigon_host_now_ns(host);
    snapshot(run, run->after);
    for (unsigned i = 0; i < run->count; i++) {
        if (receives && !buffer_holds(side, &in[i], 5, run->bytes))
            run->failed = true;
        free(in[i].page);
    }
    free(hello.page);
    free(out.page);
    return 0;
}

static uint32_t frames(uint32_t bytes) {
    return bytes <= EMP_FIRST_FRAME_PAYLOAD
               ? 1
               : 1 + (bytes - EMP_FIRST_FRAME_PAYLOAD + EMP_FRAME_PAYLOAD - 1) / EMP_FRAME_PAYLOAD;
}

bool measure_bandwidth(const char *image, uint32_t bytes, unsigned count, bool both,
                       struct measure_bandwidth *result) {
    struct run run = {.image = image, .bytes = bytes, .count = count, .both = both};
    uint64_t total = (uint64_t)frames(bytes) * count;
    if (count > MOST || !run_world(&run, stream))
        return false;
    result->megabits =
        (double)bytes * 8000.0 * count * (both ? 2 : 1) / (double)(run.end_ns - run.begin_ns);
    result->sender_cycles = (uint32_t)((busy(&run.after[0]) - busy(&run.before[0])) / total);
    result->receiver_cycles = (uint32_t)((busy(&run.after[1]) - busy(&run.before[1])) / total);
    return true;
}
