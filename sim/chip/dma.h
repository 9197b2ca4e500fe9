/* SPDX-License-Identifier: MIT */
/* The two DMA engines, their rings and the DMA assist (tigon2.md 5). */
#ifndef SIM_DMA_H
#define SIM_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/schedule.h"
#include "sim/fault.h"

struct tigon_board;
struct tigon_register_view;

/* Bits of a state word: HW[0A0], HW[0B0], descriptor word 4 (tigon2.md 5.2). The attention bits
 * are in sim/fault.h. */
#define TIGON_DMA_RESET        (1u << 0)
#define TIGON_DMA_WORDS        (1u << 1) /* keep the value of 32-bit words, not the byte sequence */
#define TIGON_DMA_BUSY         (1u << 2)
#define TIGON_DMA_CHECKSUM     (1u << 9)
#define TIGON_DMA_RESTART_SUM  (1u << 10)
#define TIGON_DMA_STORE_SUM    (1u << 11)
#define TIGON_DMA_HAND_TO_MAC  (1u << 17) /* read engine only */
#define TIGON_DMA_FREE_RECEIVE (1u << 19) /* write engine only */
#define TIGON_DMA_INTERRUPT    (1u << 21) /* write engine only */

/* Bits of HW[11C] (tigon2.md 5.4). */
#define TIGON_ASSIST_ENABLE (1u << 0)
#define TIGON_ASSIST_PAUSE  (1u << 1)
#define TIGON_ASSIST_ONE    (1u << 2)

enum { TIGON_DMA_READ, TIGON_DMA_WRITE }; /* engine numbers, also PCI channels */
enum { TIGON_DMA_HIGH, TIGON_DMA_LOW };

struct tigon_dma_ring {
    uint32_t producer; /* byte offsets in the ring */
    uint32_t consumer;
    uint32_t reference;
};

enum tigon_dma_phase {
    TIGON_DMA_IDLE,
    TIGON_DMA_FETCH,   /* assist reads the descriptor */
    TIGON_DMA_LATENCY, /* request is out, no data yet */
    TIGON_DMA_DATA,
    TIGON_DMA_FINISH, /* assist moves the consumer */
    TIGON_DMA_STUCK   /* a ring transfer failed; waits for recovery */
};

struct tigon_dma_wiring; /* which registers are an engine's, and the like */

struct tigon_dma_engine {
    struct tigon_event event;
    struct tigon_board *board;
    unsigned number; /* TIGON_DMA_READ or _WRITE */
    const struct tigon_dma_wiring *wiring;
    uint32_t *state; /* its registers, in board->registers */
    uint32_t *host;  /* two words, high and low */
    uint32_t *local;
    uint32_t *length_left;
    enum tigon_dma_phase phase;
    int ring;            /* TIGON_DMA_HIGH or _LOW of the transfer under way, -1 by hand */
    uint32_t descriptor; /* its SRAM address */
    uint64_t host_address;
    uint8_t *host_bytes; /* there; NULL: no host memory */
    uint32_t local_address;
    uint32_t length;
    uint32_t checksum_address;
    uint32_t fail;       /* attention bits to raise instead of finishing, 0 for none */
    uint32_t fail_next;  /* the same, injected for the next transfer */
    bool hang_next;      /* the next transfer will never end */
    bool hung;           /* this one will not */
    bool held;           /* this one waits until the board may use the bus */
    uint64_t requests;   /* ever made: the number of the next, for faults */
    uint32_t sum;        /* running one's-complement sum */
    uint64_t begun;      /* tick of the start */
    uint64_t data_start; /* tick of the first data */
    struct tigon_dma_ring rings[2];
};

struct tigon_dma {
    struct tigon_dma_engine engine[2];
};

/* The board may now begin cycles on the bus, or may not. */
void tigon_dma_master_changed(struct tigon_board *board);

/* If a read that will hand data to the MAC is under way: true, with the value HW[0D4] will get,
 * when data begins to arrive and when it will all be there at the latest. For cut-through. */
bool tigon_dma_handing_over(const struct tigon_board *board, uint32_t *final, uint64_t *data_start,
                            uint64_t *worst_end);

#endif
