/* SPDX-License-Identifier: MIT */
/* The wire between two boards, for the devices and the world; the part for programs is in
 * sim/tigon.h. */
#ifndef SIM_WIRE_H
#define SIM_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/network/line.h"
#include "sim/observer.h"
#include "sim/tigon.h"

struct tigon_frame;
struct tigon_installed_fault;
struct tigon_services;

/* The end of a wire: a board, a port of a switch, or anything else with these functions. */
struct tigon_wire_end {
    /* A frame arrives at `ticks`. The wire keeps it. TIGON_ARRIVAL_CUT if the end hears no signal.
     */
    enum tigon_arrival_fate (*receive)(void *party, unsigned port, const struct tigon_frame *frame,
                                       uint64_t ticks);
    /* The signal that the other end sends between frames has changed. */
    void (*hear)(void *party, unsigned port, struct tigon_line line, uint64_t ticks);
    void *party; /* passed to the functions */
    unsigned port;
    const char *name; /* of the party; may change in place */
    uint64_t latency; /* ticks from the end of a frame to receive() */
    /* The party, for observers and the functions of sim/tigon.h; or both NULL. */
    struct tigon_board *board;
    struct tigon_switch *box;
};

/* A wire between two ends, with the faults of the knobs. `number` distinguishes the wires of a
 * world for chance. NULL when memory is exhausted. */
struct tigon_wire *tigon_wire_create(struct tigon_services *services, unsigned number,
                                     uint64_t seed, const struct tigon_knobs *knobs,
                                     struct tigon_wire_end left, struct tigon_wire_end right);
void tigon_wire_destroy(struct tigon_wire *wire);

/* A frame that was on the wire from tick `started` to `ended`, with CRC. Takes ownership. */
void tigon_wire_send(struct tigon_wire *wire, unsigned from_side, struct tigon_frame *frame,
                     uint64_t started, uint64_t ended);

/* The signal that a side sends between frames has changed at tick `when`. */
void tigon_wire_line(struct tigon_wire *wire, unsigned from_side, struct tigon_line line,
                     uint64_t when);

/* Darkens the fibre that `from_side` sends on, or ends that; each must be ended once. */
void tigon_wire_unplug(struct tigon_wire *wire, unsigned from_side, bool unplug);

/* The list of faults of a direction. */
struct tigon_installed_fault **tigon_wire_installed(struct tigon_wire *wire, unsigned from_side);

/* No action of one board is felt by the other in less than this many ticks. */
uint64_t tigon_wire_lookahead(const struct tigon_wire *wire);

#endif
