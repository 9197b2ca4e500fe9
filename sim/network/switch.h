/* SPDX-License-Identifier: MIT */
/* A switch, for the wires and the world; the part for programs is in sim/tigon.h. */
#ifndef SIM_SWITCH_H
#define SIM_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/network/wire.h"
#include "sim/tigon.h"

struct tigon_frame;

#define TIGON_SWITCH_PORTS_MAX 256u

/* `knobs` is copied. NULL when memory is used up. */
struct tigon_switch *tigon_switch_create(struct tigon_services *services, size_t index,
                                         unsigned ports, const struct tigon_knobs *knobs);
void tigon_switch_destroy(struct tigon_switch *box);

bool tigon_switch_port_free(const struct tigon_switch *box, unsigned port);
/* Plugs side `side` of a wire in; from now on the port sends on it. */
void tigon_switch_plug(struct tigon_switch *box, unsigned port, struct tigon_wire *wire,
                       unsigned side, uint64_t ticks);

/* A port as an end of a wire. */
struct tigon_wire_end tigon_switch_end(struct tigon_switch *box, unsigned port);

/* Does not check it: tigon_switch_set_name() does. */
void tigon_switch_rename(struct tigon_switch *box, const char *name);

#endif
