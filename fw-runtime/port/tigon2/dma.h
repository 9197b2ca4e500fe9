/* SPDX-License-Identifier: MIT */
/*
 * The DMA rings behind the hardware assist (tigon2.md 5.3, 5.4).
 *
 * A ring is descriptors of 32 bytes, 64 of high priority and 32 of low, one always empty. The
 * processor keeps its own producer and how often it went round; the consumer register tells what is
 * done. Queuing costs no register read while the ring is known to have room, and no completion
 * event is looked at unless a notice was asked for.
 *
 * The transmitter has the high ring of reads. Of two processors the other one reads host memory by
 * the low ring, which the engine serves while the high one is empty: it never is for longer than
 * the frames take that wait for the wire.
 */
#ifndef FW_RUNTIME_TIGON2_DMA_H
#define FW_RUNTIME_TIGON2_DMA_H

#include "fw-runtime/port.h"

#define TIGON2_DMA_STEP       32u
#define TIGON2_DMA_BYTES_HIGH (64u * TIGON2_DMA_STEP)
#define TIGON2_DMA_BYTES_LOW  (32u * TIGON2_DMA_STEP)

#if NIC_TRANSMITS
#define TIGON2_OWN_READ_PRODUCER   TIGON2_DMA_READ_PRODUCER
#define TIGON2_OWN_READ_CONSUMER   TIGON2_DMA_READ_CONSUMER
#define TIGON2_OWN_READ_REFERENCE  TIGON2_DMA_READ_REFERENCE
#define TIGON2_OWN_READ_RING       TIGON2_DMA_READ_RING
#define TIGON2_OWN_READ_BYTES      TIGON2_DMA_BYTES_HIGH
#define TIGON2_EVENT_OWN_READ_DONE TIGON2_EVENT_READ_DONE
#else
#define TIGON2_OWN_READ_PRODUCER   TIGON2_DMA_READ_LOW_PRODUCER
#define TIGON2_OWN_READ_CONSUMER   TIGON2_DMA_READ_LOW_CONSUMER
#define TIGON2_OWN_READ_REFERENCE  TIGON2_DMA_READ_LOW_REFERENCE
#define TIGON2_OWN_READ_RING       TIGON2_DMA_READ_LOW_RING
#define TIGON2_OWN_READ_BYTES      TIGON2_DMA_BYTES_LOW
#define TIGON2_EVENT_OWN_READ_DONE TIGON2_EVENT_READ_LOW_DONE
#endif

struct tigon2_dma {
    uint32_t producer; /* address of the next descriptor to fill */
    uint32_t limit;    /* producer may advance up to, not onto, this: the last consumer seen */
    uint32_t end;      /* address behind the ring */
    uint32_t laps;     /* bytes of all rounds of the producer */
};

extern struct tigon2_dma tigon2_dma_read NIC_FAST;
extern struct tigon2_dma tigon2_dma_write NIC_FAST;

void tigon2_dma_start(uint32_t transmit_base);
/* By processor B: its rings, which A has started. */
void tigon2_dma_own(uint32_t transmit_base);

/* Wait until the ring has room for one more; the rare path of queuing. */
void tigon2_dma_read_make_room(void);
void tigon2_dma_write_make_room(void);

/* `bytes` is the size of a ring. */
static inline uint32_t tigon2_dma_next(const struct tigon2_dma *ring, uint32_t bytes) {
    uint32_t next = ring->producer + TIGON2_DMA_STEP;
    return next == ring->end ? next - bytes : next;
}

/* The producer as a number that only grows, modulo 2^32: what has been queued so far. */
static inline uint32_t tigon2_dma_queued(const struct tigon2_dma *ring) {
    return ring->laps + ring->producer;
}

/* Of that, what was done when the consumer register read `consumer`. */
static inline uint32_t tigon2_dma_done(const struct tigon2_dma *ring, uint32_t bytes,
                                       uint32_t consumer) {
    return tigon2_dma_queued(ring) - ((ring->producer - consumer) & (bytes - 1));
}

/* Descriptors queued and not finished when the consumer register read `consumer`. */
static inline uint32_t tigon2_dma_outstanding(const struct tigon2_dma *ring, uint32_t bytes,
                                              uint32_t consumer) {
    return ((ring->producer - consumer) / TIGON2_DMA_STEP) & (bytes / TIGON2_DMA_STEP - 1);
}

static inline void tigon2_dma_fill(uint32_t slot, uint32_t high, uint32_t low, uint32_t local,
                                   uint32_t bytes, uint32_t state) {
    volatile uint32_t *descriptor = (volatile uint32_t *)slot;
    descriptor[0] = high;
    descriptor[1] = low;
    descriptor[2] = local;
    descriptor[3] = bytes;
    descriptor[4] = state;
}

/* Where the sum goes of the transfer that is queued next: to this half-word. The engine does not
 * look at the producer's own descriptor, so its word may be written before there is room for the
 * rest. */
static inline void tigon2_dma_store_sum(const struct tigon2_dma *ring, uint32_t address) {
    ((volatile uint32_t *)ring->producer)[5] = address;
}

static inline void tigon2_dma_read_queue(uint32_t high, uint32_t low, uint32_t local,
                                         uint32_t bytes, uint32_t state) {
    uint32_t slot = tigon2_dma_read.producer;
    uint32_t next = slot + TIGON2_DMA_STEP;
    if (__builtin_expect(next == tigon2_dma_read.end, 0)) {
        next -= TIGON2_OWN_READ_BYTES;
        tigon2_dma_read.laps += TIGON2_OWN_READ_BYTES;
    }
    if (__builtin_expect(next == tigon2_dma_read.limit, 0))
        tigon2_dma_read_make_room();
    tigon2_dma_fill(slot, high, low, local, bytes, state);
    tigon2_dma_read.producer = next;
    TIGON2_REGISTER(OWN_READ_PRODUCER) = next;
}

static inline void tigon2_dma_write_queue(uint32_t high, uint32_t low, uint32_t local,
                                          uint32_t bytes, uint32_t state) {
    uint32_t slot = tigon2_dma_write.producer;
    uint32_t next = slot + TIGON2_DMA_STEP;
    if (__builtin_expect(next == tigon2_dma_write.end, 0)) {
        next -= TIGON2_DMA_BYTES_HIGH;
        tigon2_dma_write.laps += TIGON2_DMA_BYTES_HIGH;
    }
    if (__builtin_expect(next == tigon2_dma_write.limit, 0))
        tigon2_dma_write_make_room();
    tigon2_dma_fill(slot, high, low, local, bytes, state);
    tigon2_dma_write.producer = next;
    TIGON2_REGISTER(DMA_WRITE_PRODUCER) = next;
}

#endif
