/* The wire between two boards, for the devices and the world; what programs use of it is in
 * sim/tigon.h. */
#ifndef SIM_WIRE_H
#define SIM_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/network/link.h"
#include "sim/tigon.h"

struct tigon_frame;
struct tigon_installed_fault;

/* What a wire is plugged into: a board, or a port of a switch. */
struct tigon_wire_end {
    struct tigon_board *board; /* or NULL: */
    struct tigon_switch *box;
    unsigned port;
};

/* A wire between two ends, with the faults of the knobs. `number` tells wires of a world apart for
 * chance. NULL when memory is used up. */
struct tigon_wire *tigon_wire_create(struct tigon_world *world, unsigned number, uint64_t seed,
                                     const struct tigon_knobs *knobs, struct tigon_wire_end left,
                                     struct tigon_wire_end right);
void tigon_wire_destroy(struct tigon_wire *wire);

/* A frame that was on the wire from tick `started` to `ended`, with CRC. Takes ownership. */
void tigon_wire_send(struct tigon_wire *wire, unsigned from_side, struct tigon_frame *frame,
                     uint64_t started, uint64_t ended);

/* What a side sends between frames has changed at tick `when`. */
void tigon_wire_line(struct tigon_wire *wire, unsigned from_side, struct tigon_line line,
                     uint64_t when);

/* Darkens the fibre that `from_side` sends on, or ends that; each must be ended once. */
void tigon_wire_unplug(struct tigon_wire *wire, unsigned from_side, bool unplug);

/* The list of faults of a direction. */
struct tigon_installed_fault **tigon_wire_installed(struct tigon_wire *wire, unsigned from_side);

/* No action of one board is felt by the other in less than this many ticks. */
uint64_t tigon_wire_lookahead(const struct tigon_wire *wire);

#endif
