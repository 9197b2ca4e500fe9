/* SPDX-License-Identifier: MIT */
#include "tests/attack/wire.h"

#include "host/board/sim.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    ATTACKER_PORT = 2,
    CRC_BYTES = 4,
    BETWEEN_BYTES = 20, /* preamble and gap */
    NS_PER_BYTE = 8
};

#define LINK_NS  UINT64_C(2000000000)
#define LIMIT_NS UINT64_C(120000000000)

static void hear(void *context, unsigned board, const uint8_t *bytes, size_t length) {
    forge_hear(context, board, bytes, length);
}

static int plug_in(struct hostile_wire *wire) {
    wire->attacker = tigon_world_add_board(wire->pair.world);
    wire->wire = wire->attacker ? tigon_world_connect_port(wire->pair.world, wire->attacker,
                                                           tigon_world_switch(wire->pair.world, 0),
                                                           ATTACKER_PORT)
                                : NULL;
    return wire->wire ? tigon_board_set_name(wire->attacker, "attacker") : -ENOMEM;
}

int wire_open(struct hostile_wire *wire, bool through_switch, uint64_t seed, const char *image) {
    struct pair_options options;
    memset(wire, 0, sizeof *wire);
    pair_options_defaults(&options);
    options.seed = seed;
    if (image)
        options.image = image;
    options.through_switch = through_switch;
    options.trace = "";
    wire->through_switch = through_switch;
    int error = pair_open(&wire->pair, &options);
    if (error)
        return error;
    wire->wire = wire->pair.wire;
    error = through_switch ? plug_in(wire) : 0;
    if (!error)
        error = oracle_open(&wire->oracle, wire->pair.world);
    wire->forge.at_a_switch = through_switch;
    wire->forge.random = tigon_random_for(seed, 1, 0);
    for (unsigned i = 0; i < 2; i++)
        tigon_board_mac_address(wire->pair.side[i].hardware, wire->forge.honest[i]);
    memcpy(wire->forge.own, wire->forge.honest[0], sizeof wire->forge.own);
    wire->forge.own[sizeof wire->forge.own - 1] = WIRE_ATTACKER_NODE;
    wire->oracle.heard = hear;
    wire->oracle.heard_context = &wire->forge;
    return error;
}

void wire_close(struct hostile_wire *wire) {
    pair_close(&wire->pair);
    oracle_close(&wire->oracle);
}

/* The attacker's port of the switch is up when a board there has negotiated; then its processor
 * stops, so that only frames of the attack are sent. */
static int attacker_program(struct tigon_host *host, void *argument) {
    static const struct board_backend *const backends[] = {&board_sim, NULL};
    static const struct board_start_options start = {.node = WIRE_ATTACKER_NODE};
    struct hostile_wire *wire = argument;
    struct libemp_options options;
    char name[16];
    (void)host;
    libemp_options_defaults(&options);
    options.board.backends = backends;
    options.board.environment = wire->pair.world;
    (void)snprintf(name, sizeof name, "sim:%zu", tigon_board_index(wire->attacker));
    int error = libemp_open(&wire->library, name, &options);
    if (error)
        return error;
    error = libemp_start(wire->library, wire->pair.image, &start);
    for (uint16_t node = 0; node < 2 && !error; node++)
        error = libemp_set_peer(wire->library, node, wire->forge.honest[node]);
    if (!error)
        error = board_wait_link(libemp_hardware(wire->library), LINK_NS);
    if (!error && wire->attacker_program)
        error = wire->attacker_program(wire);
    tigon_board_stop_core(wire->attacker, 0);
    libemp_abandon(wire->library);
    wire->attacker_ready = !error;
    return error;
}

int wire_run(struct hostile_wire *wire, pair_program left, pair_program right, void *argument,
             struct world_result *result) {
    if (wire->attacker)
        tigon_host_start(tigon_board_host(wire->attacker), "attacker", attacker_program, wire);
    else
        wire->attacker_ready = true;
    const int error = pair_run(&wire->pair, left, argument, right, argument, LIMIT_NS);
    for (unsigned i = 0; i < 2; i++)
        if (wire->pair.side[i].message[0])
            world_fail(result, "node %u: %s", i, wire->pair.side[i].message);
    if (error)
        world_fail(result, "%s: %.300s", strerror(-error), tigon_world_report(wire->pair.world));
    result->figures.simulated_ns += tigon_world_now_ns(wire->pair.world);
    return error;
}

uint64_t wire_send(struct hostile_wire *wire, const struct hostile_frame *frame) {
    const size_t bytes = frame->length < FORGE_SHORTEST ? FORGE_SHORTEST : frame->length;
    const unsigned side = wire->through_switch ? 0 : 1 - wire->forge.victim;
    oracle_mark(&wire->oracle, frame->bytes, frame->length);
    tigon_wire_inject(wire->wire, side, frame->bytes, frame->length, frame->bad_crc);
    return (bytes + CRC_BYTES + BETWEEN_BYTES) * NS_PER_BYTE;
}
