/* SPDX-License-Identifier: MIT */
/* One port of a switch: negotiation of its link, and its output queue. For switch.c. */
#ifndef SIM_SWITCH_PORT_H
#define SIM_SWITCH_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/frame.h"
#include "sim/network/line.h"
#include "sim/base/schedule.h"
#include "sim/network/switch.h"

/* Clause 37 of IEEE 802.3, without next pages. */
enum tigon_port_state {
    TIGON_PORT_DARK,        /* no signal from the peer */
    TIGON_PORT_ABILITY,     /* sends its abilities */
    TIGON_PORT_ACKNOWLEDGE, /* has heard the peer's word */
    TIGON_PORT_COMPLETE,    /* and the peer ours */
    TIGON_PORT_IDLE,        /* waits for the peer to be idle too */
    TIGON_PORT_UP
};

struct tigon_port {
    struct tigon_switch *box;
    unsigned number;
    struct tigon_wire *wire; /* NULL: nothing plugged in */
    unsigned side;           /* ours, of the wire */

    enum tigon_port_state state;
    struct tigon_line heard;
    struct tigon_line said;
    struct tigon_event timer; /* of the negotiation */

    struct tigon_frame *first; /* output queue */
    struct tigon_frame *last;
    struct tigon_frame *sending;
    struct tigon_event output; /* the end of the frame being sent, or when the next may begin */
    uint64_t started;          /* tick of the frame being sent */
    uint64_t free_at;          /* when the gap behind the last frame is over */
    uint64_t held_until;       /* by the peer's PAUSE */
    int pause_wanted;          /* quanta of a PAUSE to send, -1 for none */

    uint64_t brought;      /* bytes that came in by this port and have not gone out */
    uint64_t peer_held_to; /* tick until which our last PAUSE holds the peer; 0: it does not */
    struct tigon_switch_statistics statistics;
};

void tigon_port_initialise(struct tigon_port *port, struct tigon_switch *box, unsigned number);

void tigon_port_plug(struct tigon_port *port, struct tigon_wire *wire, unsigned side,
                     uint64_t ticks);
void tigon_port_heard(struct tigon_port *port, struct tigon_line line, uint64_t ticks);

/* Queues a frame, whose `side` is the port it came in by; takes ownership. */
void tigon_port_queue(struct tigon_port *port, struct tigon_frame *frame, uint64_t ticks);

/* The peer sent PAUSE: stop for so many times 512 bits; 0 ends the pause. */
void tigon_port_hold(struct tigon_port *port, unsigned quanta, uint64_t ticks);

/* Sends a PAUSE frame before anything else. */
void tigon_port_send_pause(struct tigon_port *port, unsigned quanta, uint64_t ticks);

/* The functions that the port calls in its switch. */
struct tigon_services *tigon_switch_services(const struct tigon_switch *box);
const struct tigon_knobs *tigon_switch_knobs(const struct tigon_switch *box);
/* A frame that `port` brought takes up `bytes` more (or has left them again). */
void tigon_switch_account(struct tigon_switch *box, unsigned port, uint32_t bytes, bool more,
                          uint64_t ticks);
/* The port went down: addresses learnt from it are invalid. */
void tigon_switch_forget(struct tigon_switch *box, unsigned port);

#endif
