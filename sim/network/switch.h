/* A switch, for the wires and the world; what programs use of it is in sim/tigon.h. */
#ifndef SIM_SWITCH_H
#define SIM_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/network/link.h"
#include "sim/tigon.h"

struct tigon_frame;

#define TIGON_SWITCH_PORTS_MAX 256u

/* `knobs` is copied. NULL when memory is used up. */
struct tigon_switch *tigon_switch_create(struct tigon_world *world, size_t index, unsigned ports,
                                         const struct tigon_knobs *knobs);
void tigon_switch_destroy(struct tigon_switch *box);

bool tigon_switch_port_free(const struct tigon_switch *box, unsigned port);
/* Plugs side `side` of a wire in; from now on the port sends on it. */
void tigon_switch_plug(struct tigon_switch *box, unsigned port, struct tigon_wire *wire,
                       unsigned side, uint64_t ticks);

/* The wire reports: what the peer sends between frames, and a frame, which it keeps. */
void tigon_switch_heard(struct tigon_switch *box, unsigned port, struct tigon_line line,
                        uint64_t ticks);
bool tigon_switch_has_signal(const struct tigon_switch *box, unsigned port);
void tigon_switch_receive(struct tigon_switch *box, unsigned port, const struct tigon_frame *frame,
                          uint64_t ticks);

#endif
