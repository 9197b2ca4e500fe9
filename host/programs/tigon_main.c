/* SPDX-License-Identifier: MIT */
/* The programs as an object for scenarios and tigon_attach (sim/program.h): build/emp/host.so. The
 * first argument names the program. Node numbers are those of the boards. */
#include "sim/program.h"

#include "host/board/sim.h"
#include "host/programs/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int (*function)(const struct node_place *place, int argc, char **argv);
} programs[] = {
    {"ping", program_ping},       {"pong", program_pong},         {"send", program_send},
    {"receive", program_receive}, {"exchange", program_exchange},
};

enum { PROGRAMS = sizeof programs / sizeof *programs };

static uint64_t now_ps(void *context) {
    return tigon_host_now_ps(context);
}

static void figure(void *context, const char *name, double value) {
    tigon_program_figure(context, name, value);
}

static int complain(const char *name, const char *found) {
    (void)fprintf(stderr, "%s: expected", name);
    for (size_t i = 0; i < PROGRAMS; i++)
        (void)fprintf(stderr, "%s %s",
                      i == 0             ? ""
                      : i + 1 < PROGRAMS ? ","
                                         : " or",
                      programs[i].name);
    (void)fprintf(stderr, ", found %s\n", found);
    return -EINVAL;
}

int tigon_main(struct tigon_host *host, int argc, char **argv) {
    struct tigon_world *world = tigon_host_world(host);
    const size_t nodes = tigon_world_board_count(world);
    const size_t index = tigon_board_index(tigon_host_board(host));
    char board[24];
    size_t chosen = 0;
    while (argc > 1 && chosen < PROGRAMS && strcmp(programs[chosen].name, argv[1]) != 0)
        chosen++;
    if (argc < 2 || chosen == PROGRAMS)
        return complain(argv[0], argc < 2 ? "no argument" : argv[1]);
    uint8_t(*addresses)[6] = calloc(nodes, sizeof *addresses);
    if (!addresses)
        return -ENOMEM;
    for (size_t i = 0; i < nodes; i++)
        tigon_board_mac_address(tigon_world_board(world, i), addresses[i]);
    (void)snprintf(board, sizeof board, "sim:%zu", index);
    const struct node_place place = {
        .board = board,
        .backend = &board_sim,
        .environment = world,
        .node = (uint16_t)index,
        .nodes = nodes,
        .addresses = (const uint8_t(*)[6])addresses,
        .now_ps = now_ps,
        .figure = figure,
        .context = host,
    };
    argv[1] = argv[0];
    const int result = programs[chosen].function(&place, argc - 1, argv + 1);
    free(addresses);
    return result;
}
