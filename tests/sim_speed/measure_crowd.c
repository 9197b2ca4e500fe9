/* SPDX-License-Identifier: MIT */
/*
 * What a world of many boards costs. Not a test: prints figures.
 *
 *   measure_crowd BOARDS [MILLISECONDS [count]]
 *
 * BOARDS boards, an even number, are plugged into one switch. EMP runs on core A of each. Boards
 * 2k and 2k + 1 exchange one message of 4 bytes to and fro; no pair knows of another. When all
 * pairs have begun and WARM_UP_NS have passed, a stretch of MILLISECONDS (20) of simulated time is
 * measured.
 *
 * Prints simulated time for each second of processor time; with `count` the number of events in the
 * stretch instead, which is the same in every run. Under `valgrind --tool=callgrind
 * --instr-atstart=no` the instructions of the stretch are counted. scripts/bench_crowd.py does all
 * three.
 */
#include "host/demo/crowd.h"
#include "host/demo/piece.h"
#include "sim/world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <valgrind/callgrind.h>

enum { TAG = 5, MESSAGE_BYTES = 4 };

#define START_LIMIT_NS UINT64_C(60000000000)
#define WARM_UP_NS     UINT64_C(5000000)

static double processor_seconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static uint16_t node(unsigned index) {
    return (uint16_t)(index & 1u);
}

static bool knows(unsigned index, unsigned other) {
    return (index ^ 1u) == other;
}

/* The even board sends first. The exchange ends with the world. */
static int exchange(struct crowd_member *member, void *argument) {
    const uint16_t peer = node(member->index ^ 1u);
    struct libemp_piece sent, received;
    libemp_request in = {0}, out = {0};
    (void)argument;
    int error = piece_make(member->board, MESSAGE_BYTES, &sent);
    if (!error)
        error = piece_make(member->board, MESSAGE_BYTES, &received);
    if (!error)
        error = libemp_post_receive(member->board, peer, TAG, &received, 1, &in);
    for (unsigned turn = 0; !error; turn++) {
        if (turn > 0 || member->index & 1u) {
            error = libemp_wait(member->board, in, LIBEMP_FOREVER, NULL);
            if (!error)
                error = libemp_post_receive(member->board, peer, TAG, &received, 1, &in);
            if (!error && turn == (member->index & 1u ? 0 : 1))
                crowd_ready(member);
        }
        if (!error)
            error = libemp_post_send(member->board, peer, TAG, &sent, 1, &out);
        if (!error)
            error = libemp_wait(member->board, out, LIBEMP_FOREVER, NULL);
    }
    return error;
}

static void count_event(void *context) {
    ++*(uint64_t *)context;
}

static void ignore_end(void *context, enum tigon_end end) {
    (void)context;
    (void)end;
}

static int measure(struct crowd *crowd, uint64_t stretch_ns, bool count) {
    uint64_t events = 0;
    const struct tigon_world_guard counter = {
        .turn = count_event, .ended = ignore_end, .context = &events};
    int error = crowd_run_until_ready(crowd, START_LIMIT_NS);
    if (!error)
        error = crowd_run_for(crowd, WARM_UP_NS);
    if (error)
        return error;
    if (count)
        tigon_world_set_guard(crowd->world, &counter);
    CALLGRIND_START_INSTRUMENTATION;
    const double began = processor_seconds();
    error = crowd_run_for(crowd, stretch_ns);
    const double taken = processor_seconds() - began;
    CALLGRIND_STOP_INSTRUMENTATION;
    if (!error && count)
        printf("%llu\n", (unsigned long long)events);
    else if (!error)
        printf("%.6f\n", 1e-9 * (double)stretch_ns / taken);
    return error;
}

int main(int count, char **arguments) {
    static struct crowd crowd;
    struct crowd_options options;
    const unsigned long boards = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    const uint64_t milliseconds = count > 2 ? strtoull(arguments[2], NULL, 10) : 20;
    if (boards < 2 || boards > CROWD_LIMIT || boards % 2 != 0) {
        fputs("usage: measure_crowd BOARDS [MILLISECONDS [count]]; BOARDS is even, 2 to 256\n",
              stderr);
        return 2;
    }
    crowd_options_defaults(&options);
    options.boards = (unsigned)boards;
    options.node = node;
    options.knows = knows;
    options.program = exchange;
    int error = crowd_open(&crowd, &options);
    if (!error)
        error = measure(&crowd, milliseconds * 1000000u, count > 3);
    if (error)
        (void)fprintf(stderr, "%lu boards: %s: %s\n", boards, strerror(-error), crowd.message);
    return error ? 1 : 0;
}
