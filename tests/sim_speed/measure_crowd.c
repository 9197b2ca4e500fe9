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
#include "host/board/sim.h"
#include "host/demo/pair.h"
#include "host/emp/libemp.h"
#include "sim/tigon.h"
#include "sim/world/world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <valgrind/callgrind.h>

enum { MOST_BOARDS = 256, TAG = 5, MESSAGE_BYTES = 4 };

#define LINK_TIMEOUT_NS UINT64_C(2000000000)
#define START_LIMIT_NS  UINT64_C(60000000000)
#define WARM_UP_NS      UINT64_C(5000000)

struct crowd;

struct member {
    struct crowd *crowd;
    unsigned index;
    struct tigon_board *hardware;
    struct libemp_board *board;
};

struct crowd {
    struct tigon_world *world;
    struct board_image *image;
    unsigned boards;
    unsigned exchanging; /* boards that have received their first message */
    const char *failed;
    uint64_t events;
    struct member member[MOST_BOARDS];
};

static double processor_seconds(void) {
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
}

static int make_piece(struct libemp_board *board, struct libemp_piece *piece) {
    void *memory = libemp_allocate(board, MESSAGE_BYTES);
    *piece = (struct libemp_piece){.length = MESSAGE_BYTES};
    return memory ? libemp_register(board, memory, MESSAGE_BYTES, &piece->memory) : -ENOMEM;
}

static int bring_up(struct member *member) {
    struct crowd *crowd = member->crowd;
    const unsigned peer = member->index ^ 1u;
    const struct board_start_options start = {.node = (uint16_t)(member->index & 1u)};
    uint8_t address[6];
    struct libemp_options options;
    char name[16];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = crowd->world;
    (void)snprintf(name, sizeof name, "sim:%u", member->index);
    int error = libemp_open(&member->board, name, &options);
    if (!error)
        error = libemp_start(member->board, crowd->image, &start);
    tigon_board_mac_address(crowd->member[peer].hardware, address);
    if (!error)
        error = libemp_set_peer(member->board, (uint16_t)(peer & 1u), address);
    if (!error)
        error = board_wait_link(libemp_hardware(member->board), LINK_TIMEOUT_NS);
    return error;
}

/* The even board sends first. The exchange ends with the world. */
static int exchange(struct member *member) {
    const uint16_t peer = (uint16_t)(~member->index & 1u);
    struct libemp_piece sent, received;
    libemp_request in = {0}, out = {0};
    int error = make_piece(member->board, &sent);
    if (!error)
        error = make_piece(member->board, &received);
    if (!error)
        error = libemp_post_receive(member->board, peer, TAG, &received, 1, &in);
    for (bool first = true; !error; first = false) {
        if (!first || member->index & 1u) {
            error = libemp_wait(member->board, in, LIBEMP_FOREVER, NULL);
            if (!error)
                error = libemp_post_receive(member->board, peer, TAG, &received, 1, &in);
            if (!error && member->crowd->exchanging < member->crowd->boards &&
                ++member->crowd->exchanging >= member->crowd->boards)
                tigon_world_stop(member->crowd->world);
        }
        if (!error)
            error = libemp_post_send(member->board, peer, TAG, &sent, 1, &out);
        if (!error)
            error = libemp_wait(member->board, out, LIBEMP_FOREVER, NULL);
    }
    return error;
}

static int run_member(struct tigon_host *host, void *argument) {
    struct member *member = argument;
    int error = bring_up(member);
    (void)host;
    if (!error)
        error = exchange(member);
    member->crowd->failed = member->board ? libemp_message(member->board) : "no board";
    tigon_world_stop(member->crowd->world);
    return error;
}

static int make(struct crowd *crowd, unsigned boards) {
    struct pair_options defaults;
    pair_options_defaults(&defaults);
    crowd->boards = boards;
    if (board_image_open(&crowd->image, defaults.image))
        return -ENOENT;
    crowd->world = tigon_world_create(&defaults.knobs, 1);
    struct tigon_switch *box = crowd->world ? tigon_world_add_switch(crowd->world, boards) : NULL;
    if (!box)
        return -errno;
    for (unsigned i = 0; i < boards; i++) {
        struct member *member = &crowd->member[i];
        *member = (struct member){.crowd = crowd, .index = i};
        member->hardware = tigon_world_add_board(crowd->world);
        if (!member->hardware || !tigon_world_connect_port(crowd->world, member->hardware, box, i))
            return -errno;
    }
    for (unsigned i = 0; i < boards; i++)
        tigon_host_start(tigon_board_host(crowd->member[i].hardware), "member", run_member,
                         &crowd->member[i]);
    return 0;
}

static void count_event(void *context) {
    ((struct crowd *)context)->events++;
}

static void ignore_end(void *context, enum tigon_end end) {
    (void)context;
    (void)end;
}

static int measure(struct crowd *crowd, uint64_t stretch_ns, bool count) {
    enum tigon_end end = tigon_world_run(crowd->world, START_LIMIT_NS);
    if (end != TIGON_END_STOPPED || crowd->exchanging < crowd->boards) {
        (void)fprintf(stderr, "%u of %u boards exchange messages: %s: %s\n", crowd->exchanging,
                      crowd->boards, tigon_end_name(end), crowd->failed ? crowd->failed : "");
        return 1;
    }
    (void)tigon_world_run(crowd->world, tigon_world_now_ns(crowd->world) + WARM_UP_NS);
    const struct tigon_world_guard counter = {
        .turn = count_event, .ended = ignore_end, .context = crowd};
    if (count)
        tigon_world_set_guard(crowd->world, &counter);
    const uint64_t now = tigon_world_now_ns(crowd->world);
    CALLGRIND_START_INSTRUMENTATION;
    const double began = processor_seconds();
    end = tigon_world_run(crowd->world, now + stretch_ns);
    const double taken = processor_seconds() - began;
    CALLGRIND_STOP_INSTRUMENTATION;
    if (end != TIGON_END_TIME_LIMIT) {
        (void)fprintf(stderr, "%s: %s\n", tigon_end_name(end), crowd->failed ? crowd->failed : "");
        return 1;
    }
    if (count)
        printf("%llu\n", (unsigned long long)crowd->events);
    else
        printf("%.6f\n", 1e-9 * (double)stretch_ns / taken);
    return 0;
}

int main(int count, char **arguments) {
    static struct crowd crowd;
    const unsigned long boards = count > 1 ? strtoul(arguments[1], NULL, 10) : 0;
    const uint64_t milliseconds = count > 2 ? strtoull(arguments[2], NULL, 10) : 20;
    if (boards < 2 || boards > MOST_BOARDS || boards % 2 != 0) {
        fputs("usage: measure_crowd BOARDS [MILLISECONDS [count]]; BOARDS is even, 2 to 256\n",
              stderr);
        return 2;
    }
    const int error = make(&crowd, (unsigned)boards);
    if (error) {
        (void)fprintf(stderr, "no world of %lu boards: %s\n", boards, strerror(-error));
        return 1;
    }
    return measure(&crowd, milliseconds * 1000000u, count > 3);
}
