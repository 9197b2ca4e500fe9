/* SPDX-License-Identifier: MIT */
#include "host/demo/pair.h"

#include "host/board/sim.h"
#include "host/demo/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One more than the boards need: tests put others there. */
enum { SWITCH_PORTS = 3 };

#define LINK_TIMEOUT_NS UINT64_C(2000000000)
#define NAP_NS          UINT64_C(20000)

void pair_options_defaults(struct pair_options *options) {
    memset(options, 0, sizeof *options);
    const char *image = getenv("EMP_IMAGE");
    options->image = image ? image : PAIR_IMAGE;
    options->seed = 1;
    tigon_knobs_defaults(&options->knobs);
    libemp_costs_defaults(&options->costs);
}

int pair_fail(struct pair_side *side, int error, const char *what) {
    (void)snprintf(side->message, sizeof side->message, "%s",
                   what ? what : libemp_message(side->board));
    return error;
}

/* By program and number of the world within it. */
static void name_trace(char *name, size_t bytes, const struct pair_options *options) {
    static unsigned worlds;
    const char *directory = getenv("EMP_TRACES");
    name[0] = 0;
    if (options->trace)
        (void)snprintf(name, bytes, "%s", options->trace);
    else if (directory)
        (void)snprintf(name, bytes, "%s/%s-%u", directory, program_invocation_short_name, worlds++);
}

static int record(struct pair *pair) {
    char prefix[512];
    name_trace(prefix, sizeof prefix, &pair->options);
    for (unsigned i = 0; i < 2 && prefix[0]; i++) {
        char path[sizeof prefix + 16];
        (void)snprintf(path, sizeof path, "%s.%u.trace", prefix, i);
        const int error =
            recorder_open(&pair->recorder[i], pair->side[i].hardware, pair->options.image, path);
        if (error) {
            (void)snprintf(pair->side[i].message, sizeof pair->side[i].message, "trace %.200s: %s",
                           path, strerror(-error));
            return error;
        }
    }
    return 0;
}

static int connect_boards(struct pair *pair) {
    struct tigon_board *left = pair->side[0].hardware;
    struct tigon_board *right = pair->side[1].hardware;
    if (!pair->options.through_switch) {
        pair->wire = tigon_world_connect(pair->world, left, right);
        return pair->wire ? 0 : -errno;
    }
    struct tigon_switch *box = tigon_world_add_switch(pair->world, SWITCH_PORTS);
    if (!box || tigon_switch_set_name(box, "switch"))
        return -ENOMEM;
    pair->wire = tigon_world_connect_port(pair->world, left, box, 0);
    return pair->wire && tigon_world_connect_port(pair->world, right, box, 1) ? 0 : -errno;
}

static int add_faults(struct pair *pair) {
    struct pair_side *side = &pair->side[0];
    const struct pair_options *options = &pair->options;
    int error = 0;
    if (options->faults_file)
        error = tigon_world_read_faults(pair->world, options->faults_file, side->message,
                                        sizeof side->message);
    if (error >= 0 && options->faults)
        error = tigon_world_add_faults(pair->world, options->faults, "faults", side->message,
                                       sizeof side->message);
    return error < 0 ? error : 0;
}

int pair_open(struct pair *pair, const struct pair_options *options) {
    memset(pair, 0, sizeof *pair);
    pair->options = *options;
    for (unsigned i = 0; i < 2; i++)
        pair->side[i] =
            (struct pair_side){.pair = pair, .index = i, .peer = (uint16_t)(1 - i), .result = 0};
    int error = board_image_open(&pair->image, options->image);
    if (error) {
        (void)snprintf(pair->side[0].message, sizeof pair->side[0].message, "firmware image %s: %s",
                       options->image, strerror(-error));
        return error;
    }
    pair->world = tigon_world_create(&options->knobs, options->seed);
    if (!pair->world)
        return errno ? -errno : -EINVAL;
    for (unsigned i = 0; i < 2; i++) {
        pair->side[i].hardware = tigon_world_add_board(pair->world);
        pair->side[i].host = tigon_board_host(pair->side[i].hardware);
        (void)tigon_board_set_name(pair->side[i].hardware, i ? "right" : "left");
    }
    error = connect_boards(pair);
    if (!error)
        error = add_faults(pair);
    return error ? error : record(pair);
}

void pair_close(struct pair *pair) {
    for (unsigned i = 0; i < 2; i++)
        if (pair->side[i].board) /* its program never came to its end */
            libemp_abandon(pair->side[i].board);
    for (unsigned i = 0; i < 2; i++) {
        const int error = recorder_close(pair->recorder[i]);
        if (error)
            (void)fprintf(stderr, "trace of board %u: %s\n", i, strerror(-error));
        pair->recorder[i] = NULL;
    }
    board_image_close(pair->image);
    if (pair->world)
        tigon_world_destroy(pair->world);
    pair->image = NULL;
    pair->world = NULL;
}

bool pair_peer_failed(const struct pair_side *side) {
    const struct pair_side *other = &side->pair->side[1 - side->index];
    return other->returned && other->result < 0;
}

static void relay(void *context, const char *step, size_t done, size_t total) {
    const struct pair_side *side = context;
    if (side->pair->options.progress)
        side->pair->options.progress(side, step, done, total);
}

static int bring_up(struct pair_side *side) {
    const struct pair_side *other = &side->pair->side[1 - side->index];
    const struct board_start_options start = {.node = (uint16_t)side->index};
    uint8_t address[6];
    int error = libemp_start(side->board, side->pair->image, &start);
    if (error)
        return error;
    side->ready_ns = tigon_host_now_ns(side->host);
    /* On a real network this comes from a table of hosts. */
    tigon_board_mac_address(other->hardware, address);
    error = libemp_set_peer(side->board, side->peer, address);
    if (!error)
        error = board_wait_link(libemp_hardware(side->board), LINK_TIMEOUT_NS);
    if (!error)
        error = board_status(libemp_hardware(side->board), &side->status);
    side->link_ns = tigon_host_now_ns(side->host);
    relay(side, "link", 1, 1);
    return error;
}

static int run_side(struct tigon_host *host, void *argument) {
    struct pair_side *side = argument;
    struct libemp_options options;
    char name[16];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = side->pair->world;
    options.costs = side->pair->options.costs;
    options.ends_in_memory = side->pair->options.ends_in_memory;
    options.board.progress = relay;
    options.board.progress_context = side;
    (void)snprintf(name, sizeof name, "sim:%u", side->index);
    int error = libemp_open(&side->board, name, &options);
    if (error)
        (void)snprintf(side->message, sizeof side->message, "no board %s", name);
    else if ((error = bring_up(side)) != 0)
        pair_fail(side, error, NULL);
    else
        error = side->program(side, side->argument);
    side->result = error;
    side->returned = true;
    if (error < 0) /* the other would wait for ever */
        tigon_world_stop(side->pair->world);
    while (!side->pair->side[1 - side->index].returned)
        tigon_host_sleep_ns(host, NAP_NS);
    if (side->board && libemp_close(side->board))
        libemp_abandon(side->board); /* without power */
    side->board = NULL;
    return error;
}

int pair_run(struct pair *pair, pair_program left, void *left_argument, pair_program right,
             void *right_argument, uint64_t limit_ns) {
    pair->side[0].program = left;
    pair->side[0].argument = left_argument;
    pair->side[1].program = right;
    pair->side[1].argument = right_argument;
    for (unsigned i = 0; i < 2; i++)
        tigon_host_start(pair->side[i].host, i ? "right" : "left", run_side, &pair->side[i]);
    pair->end = tigon_world_run(pair->world, limit_ns);
    for (unsigned i = 0; i < 2; i++)
        if (pair->side[i].returned && pair->side[i].result < 0)
            return pair->side[i].result;
    if (pair->end == TIGON_END_FINISHED)
        return 0;
    return pair->end == TIGON_END_TIME_LIMIT ? -ETIMEDOUT : -EIO;
}

void pair_complain(const struct pair *pair, FILE *stream) {
    for (unsigned i = 0; i < 2; i++)
        if (pair->side[i].message[0])
            (void)fprintf(stream, "board %u: %s\n", i, pair->side[i].message);
    /* A program that failed has stopped the world itself. */
    if (pair->world && pair->end != TIGON_END_FINISHED && pair->end != TIGON_END_STOPPED)
        (void)fprintf(stream, "simulation ended at %" PRIu64 " us: %s\n%s\n",
                      tigon_world_now_ns(pair->world) / 1000, tigon_end_name(pair->end),
                      tigon_world_report(pair->world));
}
