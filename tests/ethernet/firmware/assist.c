/*
 * Core B: in place of the DMA assist it feeds both engines from the rings (tigon2.md 5.5), and
 * reminds A from time to time that the host should hear of what has changed.
 *
 * The hardware assist stays off. Bits 8, 11, 12 and 15 of HW[11C] tell what the engines and rings
 * do; a finished transfer moves the ring's consumer, which raises event 15 or 14 of A.
 */
#include "tests/ethernet/firmware/chip.h"

#define ASSIST __attribute__((section(".assist")))

ASSIST void assist(void);

volatile struct shared shared;

/* Software events of A are set by both cores: never without the semaphore (tigon2.md 3.4). */
ASSIST static void raise_for_a(uint32_t event) {
    do
        HW(SEMAPHORE_B) = 1;
    while (HW(SEMAPHORE_B) == 0);
    HW(EVENT_A) |= 1u << event;
    HW(SEMAPHORE_B) = 1;
}

/* A transfer that failed is tried so often, then it counts as done. */
#define TRIES 4u

/* An attention that is none: a transfer that ended at a 4 GB line of host memory (tigon2.md 13.7).
 */
ASSIST static bool failed(uint32_t state, uint32_t left) {
    uint32_t attentions = state & DMA_ATTENTIONS;
    if (left == 0)
        attentions &= ~DMA_HOST_OVERFLOW;
    return attentions != 0;
}

ASSIST static void count_failure(void) {
    shared.failed++;
    raise_for_a(EVENT_DMA_FAILED);
}

ASSIST void assist(void) {
    const uint32_t read_ring = shared.transmit_base - READ_RING;
    const uint32_t write_ring = shared.transmit_base - WRITE_RING;
    const uint32_t report_us = shared.report_us;
    bool reading = false;
    bool writing = false;
    uint32_t read_tries = 0;
    uint32_t write_tries = 0;
    uint32_t read_state = 0;

    HW(TIMER_REFERENCE_B) = HW(TIMER) + report_us;
    for (;;) {
        const uint32_t state = HW(ASSIST_STATE);
        if (writing && (state & ASSIST_WRITE_BUSY) == 0) {
            const uint32_t result = HW(WRITE_STATE);
            const bool bad = failed(result, HW(WRITE_LENGTH) & 0xFFFF);
            writing = false;
            if (bad) {
                HW(WRITE_STATE) = DMA_RESET;
                count_failure();
                write_tries++;
            }
            if (!bad || write_tries == TRIES) {
                write_tries = 0;
                const uint32_t next = HW(WRITE_RING_CONSUMER) + DMA_BYTES_EACH;
                HW(WRITE_RING_CONSUMER) = next == write_ring + DMA_RING_BYTES ? write_ring : next;
            }
        } else if (!writing && (state & ASSIST_WRITE_WAITING) != 0) {
            const volatile struct dma *dma = (const volatile struct dma *)HW(WRITE_RING_CONSUMER);
            HW(WRITE_HOST_HIGH) = dma->host_high;
            HW(WRITE_HOST_LOW) = dma->host_low;
            HW(WRITE_LOCAL) = dma->local;
            HW(WRITE_LENGTH) = dma->length;
            HW(WRITE_STATE) = dma->state;
            writing = true;
        }
        if (reading && (state & ASSIST_READ_BUSY) == 0) {
            const uint32_t result = HW(READ_STATE);
            const bool bad = failed(result, HW(READ_LENGTH) & 0xFFFF);
            reading = false;
            if (bad) {
                HW(READ_STATE) = DMA_RESET;
                count_failure();
                read_tries++;
            }
            if (!bad || read_tries == TRIES) {
                read_tries = 0;
                if ((read_state & DMA_READ_LAST) != 0)
                    HW(TRANSMIT_PRODUCER) = HW(READ_LOCAL);
                const uint32_t next = HW(READ_RING_CONSUMER) + DMA_BYTES_EACH;
                HW(READ_RING_CONSUMER) = next == read_ring + DMA_RING_BYTES ? read_ring : next;
            }
        } else if (!reading && (state & ASSIST_READ_WAITING) != 0) {
            const volatile struct dma *dma = (const volatile struct dma *)HW(READ_RING_CONSUMER);
            HW(READ_HOST_HIGH) = dma->host_high;
            HW(READ_HOST_LOW) = dma->host_low;
            HW(READ_LOCAL) = dma->local;
            HW(READ_LENGTH) = dma->length;
            read_state = dma->state;
            HW(READ_STATE) = read_state;
            reading = true;
        }
        if ((HW(EVENT_B) & 1u << EVENT_TIMER) != 0) {
            HW(TIMER_REFERENCE_B) = HW(TIMER) + report_us;
            if (shared.unreported != 0)
                raise_for_a(EVENT_REPORT);
        }
    }
}
