/* SPDX-License-Identifier: MIT */
/*
 * A program for tigonsim: boards send each other frames with Ethernet firmware that has the
 * interface of the public drivers.
 *
 * Arguments: IMAGE, FRAMES each, LONGEST frame in bytes, and as many nanoseconds as a host does
 * something else between two bursts. All boards of the scenario take part.
 */
#include <stdio.h>
#include <stdlib.h>

#include "sim/program.h"
#include "tests/ethernet/station.h"

static unsigned long number(int argc, char **argv, int index, unsigned long otherwise) {
    return index < argc ? strtoul(argv[index], NULL, 0) : otherwise;
}

int tigon_main(struct tigon_host *host, int argc, char **argv) {
    static struct station station;
    static struct image image;
    char problem[256];
    const struct scenario_image scenario = {.file = argc > 1 ? argv[1] : NULL};
    const uint32_t longest = (uint32_t)number(argc, argv, 3, 1514);
    if (argc < 2 || longest < TRAFFIC_SHORTEST || longest > JUMBO_BYTES) {
        printf("%s: expected arguments IMAGE [FRAMES [LONGEST [GAP_NS]]]\n", argv[0]);
        return 1;
    }
    if (image_read(&image, &scenario, problem, sizeof problem) != 0) {
        printf("%s: %s\n", argv[0], problem);
        image_free(&image);
        return 1;
    }
    station = (struct station){
        .options = ethernet_defaults(),
        .image = &image,
        .plan = {.frames = (uint32_t)number(argc, argv, 2, 1000),
                 .shortest = longest < 60 ? longest : 60,
                 .longest = longest},
        .settle_ns = 20000000,
        .traffic = {.burst = 32, .gap_ns = number(argc, argv, 4, 0), .quiet_ns = 5000000},
    };
    station.options.jumbo = longest > 1514;
    station.options.mtu = longest > 1514 ? longest : 1514;
    struct traffic *traffic = &station.traffic;
    const struct tigon_world *world = tigon_host_world(host);
    for (unsigned i = 0; i < tigon_world_board_count(world); i++) {
        const struct tigon_board *board = tigon_world_board(world, i);
        if (board != tigon_host_board(host) && traffic->peer_count < TRAFFIC_PEERS)
            tigon_board_mac_address(board, traffic->peers[traffic->peer_count++]);
    }
    const int result = station_program(host, &station);
    if (station.error[0] != '\0')
        printf("%s: %s\n", argv[0], station.error);
    const double seconds = (double)(traffic->ended_ns - traffic->begun_ns) / 1e9;
    tigon_program_figure(host, "received frames", traffic->received);
    tigon_program_figure(host, "wrong frames", traffic->wrong);
    tigon_program_figure(host, "received Mb/s",
                         seconds > 0 ? (double)traffic->bytes * 8 / seconds / 1e6 : 0);
    tigon_program_figure(host, "interrupts", (double)station.ethernet.interrupts);
    traffic_free(traffic);
    image_free(&image);
    return result;
}
