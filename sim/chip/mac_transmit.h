/* SPDX-License-Identifier: MIT */
/* The sending half of the MAC (tigon2.md 6.1, 6.4). */
#ifndef SIM_MAC_TRANSMIT_H
#define SIM_MAC_TRANSMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/schedule.h"

struct tigon_board;
struct tigon_register_view;

/* Bits of HW[200]. */
#define TIGON_TRANSMIT_RESET      (1u << 0)
#define TIGON_TRANSMIT_ENABLE     (1u << 1)
#define TIGON_TRANSMIT_STOP       (1u << 2)
#define TIGON_TRANSMIT_PAUSE      (1u << 8) /* may send PAUSE */
#define TIGON_TRANSMIT_ATTENTIONS 0x3F000000u
#define TIGON_TRANSMIT_UNDERRUN   (1u << 24) /* no public source states which bit of 29:24 */

struct tigon_transmit {
    struct tigon_event start; /* first preamble byte of the next frame */
    struct tigon_event end;   /* last CRC byte of the frame on the wire */
    uint32_t producer;        /* byte offsets in the descriptor ring */
    uint32_t consumer;
    uint32_t reference;
    bool busy;             /* a frame is on the wire */
    bool sending_pause;    /* it is a PAUSE frame of ours */
    bool ready;            /* the data of the next frame is or will be there in time ... */
    uint64_t ready_at;     /* ... when it starts at this tick or later */
    bool ready_early;      /* ... thanks to cut-through */
    uint64_t started;      /* tick of the frame on the wire */
    uint64_t gap_end;      /* no start before this tick */
    uint64_t paused_until; /* requested by the peer */
    int32_t pause_wanted;  /* quanta of a PAUSE frame to send, -1 none */
};

/* Looks again whether the next frame can be sent, after anything that could allow it. */
void tigon_transmit_evaluate(struct tigon_board *board);

/* The DMA engine moves HW[0D4]. Other changes of its transfer become visible now, before the engine
 * takes the next one. */
void tigon_transmit_fed(struct tigon_board *board, uint32_t producer);

/* Where in the transmit buffer the frame lies that is being sent, or is next; and its length there.
 */
uint32_t tigon_transmit_frame(const struct tigon_board *board, uint32_t *length);
/* A PAUSE frame was received and is to be obeyed. */
void tigon_transmit_hold(struct tigon_board *board, uint32_t quanta);
/* A PAUSE frame is to be sent as soon as the frame on the wire is through. */
void tigon_transmit_send_pause(struct tigon_board *board, uint32_t quanta);

#endif
