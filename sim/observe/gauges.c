/* SPDX-License-Identifier: MIT */
/* See gauges.h. */
#include "sim/observe/gauges.h"

#include "sim/chip/board.h"

#define SRAM_SPACE_END 0x200000u

static const struct {
    const char *name;
    unsigned width;
} gauges[TIGON_GAUGE_COUNT] = {
    [TIGON_GAUGE_TRANSMIT_RING] = {"transmit_ring_used", 9},
    [TIGON_GAUGE_RECEIVE_RING] = {"receive_ring_used", 10},
    [TIGON_GAUGE_RECEIVE_BUFFER] = {"receive_buffer_used", 21},
    [TIGON_GAUGE_DMA_READ_QUEUE] = {"dma_read_queue", 7},
    [TIGON_GAUGE_DMA_WRITE_QUEUE] = {"dma_write_queue", 7},
};

const char *tigon_gauge_name(enum tigon_gauge gauge) {
    return gauges[gauge].name;
}

unsigned tigon_gauge_width(enum tigon_gauge gauge) {
    return gauges[gauge].width;
}

/* Descriptors from `first` up to `end`, byte offsets in a ring. */
static uint32_t between(uint32_t first, uint32_t end, uint32_t ring_bytes, uint32_t bytes) {
    return (end + ring_bytes - first) % ring_bytes / bytes;
}

static uint32_t queue(const struct tigon_dma_engine *engine) {
    const struct tigon_dma_ring *high = &engine->rings[TIGON_DMA_HIGH];
    const struct tigon_dma_ring *low = &engine->rings[TIGON_DMA_LOW];
    return between(high->consumer, high->producer, 64u * 32u, 32u) +
           between(low->consumer, low->producer, 32u * 32u, 32u);
}

static uint32_t receive_buffer_used(const struct tigon_board *board) {
    const uint32_t base = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    const uint32_t size = base < SRAM_SPACE_END ? SRAM_SPACE_END - base : 0;
    const uint32_t producer = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER);
    const uint32_t consumer = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_CONSUMER);
    return size ? (producer % size + size - consumer % size) % size : 0;
}

uint32_t tigon_gauge_value(const struct tigon_board *board, enum tigon_gauge gauge) {
    switch (gauge) {
    case TIGON_GAUGE_TRANSMIT_RING:
        return between(board->transmit.consumer, board->transmit.producer, 256u * 8u, 8u);
    case TIGON_GAUGE_RECEIVE_RING:
        return between(board->receive.reference, board->receive.producer, 512u * 8u, 8u);
    case TIGON_GAUGE_RECEIVE_BUFFER:
        return receive_buffer_used(board);
    case TIGON_GAUGE_DMA_READ_QUEUE:
        return queue(&board->dma.engine[TIGON_DMA_READ]);
    case TIGON_GAUGE_DMA_WRITE_QUEUE:
        return queue(&board->dma.engine[TIGON_DMA_WRITE]);
    case TIGON_GAUGE_COUNT:
        break;
    }
    return 0;
}
