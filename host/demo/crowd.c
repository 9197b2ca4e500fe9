/* SPDX-License-Identifier: MIT */
#include "host/demo/crowd.h"

#include "host/board/sim.h"
#include "host/demo/pair.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LINK_TIMEOUT_NS UINT64_C(2000000000)

void crowd_options_defaults(struct crowd_options *options) {
    struct pair_options pair;
    pair_options_defaults(&pair);
    *options = (struct crowd_options){
        .image = pair.image, .knobs = pair.knobs, .costs = pair.costs, .seed = pair.seed};
}

static int introduce(struct crowd_member *member) {
    const struct crowd *crowd = member->crowd;
    const struct crowd_options *options = &crowd->options;
    int error = 0;
    for (unsigned i = 0; i < options->boards && !error; i++) {
        uint8_t address[6];
        if (i == member->index || !options->knows(member->index, i))
            continue;
        tigon_board_mac_address(crowd->member[i].hardware, address);
        error = libemp_set_peer(member->board, options->node(i), address);
    }
    return error;
}

static int bring_up(struct crowd_member *member) {
    const struct crowd_options *crowd = &member->crowd->options;
    const struct board_start_options start = {.node = crowd->node(member->index)};
    struct libemp_options options;
    char name[16];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_sim, NULL};
    options.board.environment = member->crowd->world;
    options.costs = crowd->costs;
    (void)snprintf(name, sizeof name, "sim:%u", member->index);
    int error = libemp_open(&member->board, name, &options);
    if (!error)
        error = libemp_start(member->board, member->crowd->image, &start);
    if (!error)
        error = introduce(member);
    if (!error)
        error = board_wait_link(libemp_hardware(member->board), LINK_TIMEOUT_NS);
    return error;
}

static int run_member(struct tigon_host *host, void *argument) {
    struct crowd_member *member = argument;
    struct crowd *crowd = member->crowd;
    int error = bring_up(member);
    (void)host;
    if (!error)
        error = crowd->options.program(member, crowd->options.argument);
    if (error && !crowd->error) {
        crowd->error = error;
        (void)snprintf(crowd->message, sizeof crowd->message, "board %u: %s", member->index,
                       member->board ? libemp_message(member->board) : "cannot be opened");
    }
    tigon_world_stop(crowd->world);
    return error;
}

int crowd_open(struct crowd *crowd, const struct crowd_options *options) {
    memset(crowd, 0, sizeof *crowd);
    crowd->options = *options;
    if (options->boards < 2 || options->boards > CROWD_LIMIT)
        return -EINVAL;
    const int error = board_image_open(&crowd->image, options->image);
    if (error) {
        (void)snprintf(crowd->message, sizeof crowd->message, "firmware image %s", options->image);
        return error;
    }
    crowd->world = tigon_world_create(&options->knobs, options->seed);
    if (!crowd->world || !(crowd->box = tigon_world_add_switch(crowd->world, options->boards)))
        return -errno;
    for (unsigned i = 0; i < options->boards; i++) {
        struct crowd_member *member = &crowd->member[i];
        *member = (struct crowd_member){.crowd = crowd, .index = i};
        member->hardware = tigon_world_add_board(crowd->world);
        if (!member->hardware ||
            !tigon_world_connect_port(crowd->world, member->hardware, crowd->box, i))
            return -errno;
        member->host = tigon_board_host(member->hardware);
    }
    for (unsigned i = 0; i < options->boards; i++)
        tigon_host_start(crowd->member[i].host, "member", run_member, &crowd->member[i]);
    return 0;
}

void crowd_close(struct crowd *crowd) {
    for (unsigned i = 0; i < CROWD_LIMIT; i++)
        if (crowd->member[i].board) /* in the middle of what it does */
            libemp_abandon(crowd->member[i].board);
    board_image_close(crowd->image);
    if (crowd->world)
        tigon_world_destroy(crowd->world);
    crowd->image = NULL;
    crowd->world = NULL;
}

void crowd_ready(struct crowd_member *member) {
    if (++member->crowd->ready == member->crowd->options.boards)
        tigon_world_stop(member->crowd->world);
}

static int complain(struct crowd *crowd, enum tigon_end end) {
    if (!crowd->message[0])
        (void)snprintf(crowd->message, sizeof crowd->message, "%u of %u boards ready: %s",
                       crowd->ready, crowd->options.boards, tigon_end_name(end));
    if (crowd->error)
        return crowd->error;
    return end == TIGON_END_TIME_LIMIT ? -ETIMEDOUT : -EIO;
}

int crowd_run_until_ready(struct crowd *crowd, uint64_t limit_ns) {
    const enum tigon_end end = tigon_world_run(crowd->world, limit_ns);
    const bool ready = crowd->ready == crowd->options.boards && !crowd->error;
    return end == TIGON_END_STOPPED && ready ? 0 : complain(crowd, end);
}

int crowd_run_for(struct crowd *crowd, uint64_t duration_ns) {
    const enum tigon_end end =
        tigon_world_run(crowd->world, tigon_world_now_ns(crowd->world) + duration_ns);
    return end == TIGON_END_TIME_LIMIT ? 0 : complain(crowd, end);
}
