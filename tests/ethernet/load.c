/*
 * A program for tigonsim: boards send each other frames with the small Ethernet firmware.
 *
 * Arguments: BOARDS, FRAMES each, LONGEST frame in bytes, and as many nanoseconds as a host does
 * something else between two bursts.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/program.h"
#include "tests/ethernet/traffic.h"

static unsigned long number(int argc, char **argv, int index, unsigned long otherwise) {
    return index < argc ? strtoul(argv[index], NULL, 0) : otherwise;
}

int tigon_main(struct tigon_host *host, int argc, char **argv) {
    static struct traffic traffic;
    const unsigned boards = (unsigned)number(argc, argv, 2, 2);
    const uint32_t frames = (uint32_t)number(argc, argv, 3, 1000);
    const uint32_t longest = (uint32_t)number(argc, argv, 4, 1514);
    traffic = (struct traffic){
        .options = {.report_us = 100, .ring_entries = 256, .longest = longest},
        .image = argc > 1 ? argv[1] : "",
        .frames = frames,
        .numbered = frames,
        .expected = frames,
        .shortest = 60,
        .longest = longest,
        .burst = 32,
        .gap_ns = number(argc, argv, 5, 0),
        .quiet_ns = 5000000,
    };
    const struct tigon_world *world = tigon_host_world(host);
    for (unsigned i = 0; i < boards && i < tigon_world_board_count(world); i++) {
        const struct tigon_board *board = tigon_world_board(world, i);
        if (board != tigon_host_board(host) && traffic.peer_count < TRAFFIC_PEERS)
            tigon_board_mac_address(board, traffic.peers[traffic.peer_count++]);
    }
    const int result = traffic_program(host, &traffic);
    if (traffic.error[0] != '\0')
        printf("%s: %s\n", argv[0], traffic.error);
    const double seconds = (double)(traffic.ended_ns - traffic.begun_ns) / 1e9;
    tigon_program_figure(host, "received frames", traffic.received);
    tigon_program_figure(host, "wrong frames", traffic.wrong);
    tigon_program_figure(host, "received Mb/s",
                         seconds > 0 ? (double)traffic.bytes * 8 / seconds / 1e6 : 0);
    tigon_program_figure(host, "interrupts", (double)traffic.ethernet.interrupts);
    return result;
}
