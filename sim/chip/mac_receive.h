/* SPDX-License-Identifier: MIT */
/* The receiving half of the MAC (tigon2.md 6.2, 6.3, 6.4). */
#ifndef SIM_MAC_RECEIVE_H
#define SIM_MAC_RECEIVE_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_board;
struct tigon_frame;

/* Bits of HW[220]. */
#define TIGON_RECEIVE_RESET            (1u << 0)
#define TIGON_RECEIVE_ENABLE           (1u << 1)
#define TIGON_RECEIVE_STOP             (1u << 2)
#define TIGON_RECEIVE_PROMISCUOUS      (1u << 3)
#define TIGON_RECEIVE_OBEY_PAUSE       (1u << 16)
#define TIGON_RECEIVE_SYNC             (1u << 18) /* status */
#define TIGON_RECEIVE_CONFIGURATION    (1u << 19) /* status */
#define TIGON_RECEIVE_LINK_CHANGED     (1u << 24)
#define TIGON_RECEIVE_SYNC_CHANGED     (1u << 25)
#define TIGON_RECEIVE_WORD_CHANGED     (1u << 26)
#define TIGON_RECEIVE_BUFFER_EXHAUSTED (1u << 30)
#define TIGON_RECEIVE_ATTENTIONS       0xF7000000u

/* Status bits of descriptor word 1 (tigon2.md 6.2). */
#define TIGON_RECEIVED_CRC_ERROR (1u << 16)
#define TIGON_RECEIVED_SHORT     (1u << 22)
#define TIGON_RECEIVED_TRUNCATED (1u << 23)
#define TIGON_RECEIVED_FAULTS    0x007F0000u /* bits that tigon_board_break_receive may set */

struct tigon_receive {
    uint32_t producer; /* byte offsets in the descriptor ring */
    uint32_t consumer;
    uint32_t reference;
    bool pause_sent; /* our peer is being held back */
    uint32_t fault;  /* status bits of the next frame */
};

/* A frame is completely in, at board->now. */
void tigon_receive_frame(struct tigon_board *board, const struct tigon_frame *frame);

/* Where in the receive buffer the frame lies that was kept last. */
uint32_t tigon_receive_last(const struct tigon_board *board);

/* The DMA engine moves HW[0C8], as tigon_transmit_fed() does HW[0D4]. */
void tigon_receive_freed(struct tigon_board *board, uint32_t consumer);

/* Raises attention bits of HW[220]. */
void tigon_receive_raise(struct tigon_board *board, uint32_t attentions);

#endif
