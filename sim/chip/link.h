/* SPDX-License-Identifier: MIT */
/* SERDES, configuration words and link status (tigon2.md 7): the board's end of the wire. */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/knobs.h"
#include "sim/network/line.h"
#include "sim/network/wire.h"

struct tigon_board;
struct tigon_frame;

struct tigon_link {
    enum tigon_transceiver transceiver; /* on the board, never TIGON_TRANSCEIVER_BY_BOARD */
    struct tigon_line incoming;         /* from the wire, as last heard */
    struct tigon_line outgoing;         /* last reported to the wire */
    uint16_t received;                  /* HW[224] */
    uint32_t status;                    /* bits 18 and 19 of HW[220] */
};

/* Is there a copper PHY on this board? */
bool tigon_link_has_phy(const struct tigon_board *board);

/* Something the transceiver listens to has changed. */
void tigon_link_look(struct tigon_board *board);

/* Bits 18 and 19 of HW[220]. */
uint32_t tigon_link_status(const struct tigon_board *board);

/* The board as an end of a wire. */
struct tigon_wire_end tigon_link_end(struct tigon_board *board);
void tigon_link_plug(struct tigon_board *board, struct tigon_wire *wire, unsigned side);

/* Sends a finished frame that began at tick `started` and ends now; takes ownership of it. */
void tigon_link_send(struct tigon_board *board, struct tigon_frame *frame, uint64_t started);

#endif
