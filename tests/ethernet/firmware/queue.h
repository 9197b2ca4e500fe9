/* SPDX-License-Identifier: MIT */
/*
 * Core A: putting transfers into the DMA rings (dma.c), inline because every frame does it.
 *
 * Transfers are queued in batches of which LAST ends each. The reference stands at the last
 * descriptor of the oldest batch, ahead of the consumer, so that the event shows when all of that
 * batch is done and not with each transfer (tigon2.md 16.3).
 */
#ifndef ETHERNET_QUEUE_H
#define ETHERNET_QUEUE_H

#include "tests/ethernet/firmware/core_a.h"

struct dma_ring {
    uint32_t free;  /* slots that neither wait nor are done unseen */
    uint32_t seen;  /* the oldest of the others */
    bool armed;     /* there is a batch of which the event is to tell */
    uint32_t last;  /* its last descriptor; the reference stands there */
    uint32_t tries; /* of the transfer that the hardware assist stands at */
};
extern struct dma_ring reads;
extern struct dma_ring writes;

/* Of the free slots of the write ring: for the returns of frames that are on their way. */
extern uint32_t writes_reserved;

static inline uint32_t write_room(void) {
    return writes.free - writes_reserved;
}

/* What a transfer was for. LAST is added to the last of a batch. */
enum {
    KIND_NONE,
    KIND_FRAME,        /* the last piece of one to send; index: where the next begins in the ring */
    KIND_SUMMED_FRAME, /* index: its slot in the MAC's ring */
    KIND_SENDS,        /* entries of the send ring; index: how many */
    KIND_BUFFERS,      /* + ring: entries of a buffer ring; index: how many */
    KIND_RETURN = 16,  /* a received frame and its entry in the return ring */
    KIND_SUMMED_DATA,  /* a received frame without that; index: of the entry to come */
    KIND_ALARM,        /* what an interrupt is to follow */
    KIND_STATISTICS,
    LAST = 0x100
};

struct transfer {
    uint32_t high;
    uint32_t low;
    uint32_t local;
    uint32_t length;
    uint32_t state; /* bits beyond those of every transfer */
    uint32_t kind;
    uint32_t index;
};

static inline uint32_t dma_slot_after(uint32_t slot, uint32_t ring) {
    const uint32_t next = slot + DMA_BYTES_EACH;
    return next == ring + DMA_RING_BYTES ? ring : next;
}

/* Into a ring that has a free slot. */
static inline __attribute__((always_inline)) void
put(struct dma_ring *ring, uint32_t registers, uint32_t base, const struct transfer transfer) {
    const uint32_t slot = HW(registers + 12);
    volatile struct dma *dma = (volatile struct dma *)slot;
    dma->host_high = transfer.high;
    dma->host_low = transfer.low;
    dma->local = transfer.local;
    dma->length = transfer.length;
    dma->state = transfer.state;
    dma->sum_address = slot + (uint32_t) __builtin_offsetof(struct dma, sum_address) + 2;
    dma->index = transfer.index;
    dma->kind = transfer.kind;
    HW(registers) = dma_slot_after(slot, base);
    ring->free--;
    if ((transfer.kind & LAST) != 0 && !ring->armed) {
        ring->armed = true;
        ring->last = slot;
        HW(registers + 8) = slot;
    }
}

static inline __attribute__((always_inline)) void queue_read(struct transfer transfer) {
    transfer.state |= settings.read_state;
    put(&reads, READ_RING_PRODUCER, place.read_ring, transfer);
}

static inline __attribute__((always_inline)) void queue_write(struct transfer transfer) {
    transfer.state |= settings.write_state;
    put(&writes, WRITE_RING_PRODUCER, place.write_ring, transfer);
}

/* An index to the host, read by the DMA out of its own descriptor. */
void queue_index(struct bus_address to, uint32_t index, uint32_t state, uint32_t kind);

void queue_begin(void);

#endif
