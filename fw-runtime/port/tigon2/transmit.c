/* SPDX-License-Identifier: MIT */
/*
 * MAC transmit (tigon2.md 6.1): the processor writes the header into the transmit buffer, DMA reads
 * fetch the data behind it, and bit 17 of the last one hands the frame to the MAC. No completion is
 * looked at: room is computed from HW[0D8] and the rings when it is needed.
 *
 * A frame without data, or with data that the processor copies, has no DMA read to carry bit 17. If
 * no read is pending, everything before it is with the MAC already and the processor writes HW[0D4]
 * itself; otherwise a dummy read keeps the order, into eight bytes appended for it (the MAC would
 * pad a frame that short anyway).
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/dma.h"
#if !NIC_LEADS
#include "fw-runtime/port/tigon2/halves.h"
#endif

/* At most this much waits for the wire before the next data frame gets its slot: enough to cover
 * the fetching of the next frame, little enough that an acknowledgement never waits for long. A
 * frame counts until all of it is on the wire. */
#define QUEUE_BYTES (NIC_LONGEST_FRAME + 3486u)
/* Read descriptors that may be outstanding when a slot is given. */
#define QUEUE_READS         40u
#define TRANSMIT_RING_BYTES (256u * 8u)

static uint32_t transmit_base NIC_FAST;
static uint32_t transmit_limit NIC_FAST;
static uint32_t transmit_bytes NIC_FAST;
static uint32_t transmit_ring_end NIC_FAST;
static uint32_t transmit_ring_producer NIC_FAST;
static uint32_t frame_start NIC_FAST; /* of the next frame, or the one being built */
static uint32_t data_position NIC_FAST;
static uint32_t header_split NIC_FAST; /* words of the header, if it is in `transmit_bounce` */
static bool data_queued NIC_FAST;
#if NIC_SUMS_DATA
static uint32_t sum_stored_at NIC_FAST; /* of the frame being built */
#endif
static uint32_t scratch_high, scratch_low;
/* A header may not be split where the buffer wraps; then it is built here and copied. */
static uint32_t transmit_bounce[NIC_HEADER_WORDS];

static inline uint32_t transmit_wrap(uint32_t address) {
    return address >= transmit_limit ? address - transmit_bytes : address;
}

static inline uint32_t queued_bytes(void) {
    uint32_t bytes = frame_start - TIGON2_REGISTER(TRANSMIT_CONSUMER);
    return (int32_t)bytes < 0 ? bytes + transmit_bytes : bytes;
}

NIC_COLD void tigon2_transmit_start(uint32_t base, uint32_t end) {
    transmit_base = base;
    transmit_limit = end;
    transmit_bytes = end - base;
    frame_start = base;
    transmit_ring_producer = base - TIGON2_TRANSMIT_RING;
    transmit_ring_end = transmit_ring_producer + TRANSMIT_RING_BYTES;
    TIGON2_REGISTER(TRANSMIT_BASE) = base;
    TIGON2_REGISTER(TRANSMIT_PRODUCER) = base;
    TIGON2_REGISTER(TRANSMIT_CONSUMER) = base;
    TIGON2_REGISTER(TRANSMIT_RING_PRODUCER) = transmit_ring_producer;
    TIGON2_REGISTER(TRANSMIT_RING_CONSUMER) = transmit_ring_producer;
    TIGON2_REGISTER(TRANSMIT_RING_REFERENCE) = transmit_ring_producer;
}

#if NIC_LEADS
NIC_COLD void nic_set_scratch(uint32_t high, uint32_t low) {
    scratch_high = high;
    scratch_low = low;
}
#else
NIC_COLD void tigon2_transmit_own(const struct tigon2_halves *halves) {
    tigon2_transmit_start(halves->transmit, halves->receive);
    scratch_high = halves->scratch_high;
    scratch_low = halves->scratch_low;
}
#endif

NIC_HOT bool tigon2_transmit_has_slot(void) {
    return queued_bytes() <= QUEUE_BYTES &&
           tigon2_dma_outstanding(&tigon2_dma_read, TIGON2_DMA_BYTES_HIGH,
                                  TIGON2_REGISTER(DMA_READ_CONSUMER)) <= QUEUE_READS;
}

bool nic_transmit_has_slot(void) {
    return !tigon2_raised(TIGON2_EVENT_SLOT) && !tigon2_slot_blocked && tigon2_transmit_has_slot();
}

/* Event 4: frames that have a slot go before descriptors posted later. */
NIC_ENTRY NIC_HOT void tigon2_on_slot(void) {
    tigon2_withdraw(TIGON2_EVENT_SLOT);
    if (tigon2_transmit_has_slot()) {
        nic_on_transmit_slot();
    } else {
        tigon2_slot_blocked = true;
        tigon2_raise(TIGON2_EVENT_WORK);
    }
}

NIC_HOT bool nic_transmit_room(uint32_t bytes) {
    uint32_t frames = ((transmit_ring_producer - (TIGON2_REGISTER(TRANSMIT_RING_CONSUMER) & ~7u)) &
                       (TRANSMIT_RING_BYTES - 1)) /
                      8;
    return frames < 250 && queued_bytes() + bytes + TIGON2_DUMMY_BYTES + 64 <= transmit_bytes;
}

NIC_HOT uint32_t *nic_transmit_begin(unsigned words) {
    uint32_t data = frame_start + 4 * words;
    data_queued = false;
    header_split = 0;
    data_position = transmit_wrap(data);
    if (__builtin_expect(data > transmit_limit, 0)) {
        header_split = words;
        return transmit_bounce;
    }
    return (uint32_t *)frame_start;
}

NIC_HOT void nic_transmit_data(uint32_t high, uint32_t low, uint32_t bytes, bool last) {
    uint32_t local = data_position;
    uint32_t state = last ? TIGON2_DMA_READ_FRAME : TIGON2_DMA_READ_BYTES;
#if NIC_SUMS_DATA
    state |= data_queued ? TIGON2_DMA_SUM : TIGON2_DMA_SUM | TIGON2_DMA_SUM_BEGINS;
    tigon2_dma_store_sum(&tigon2_dma_read, sum_stored_at);
#endif
    tigon2_dma_read_queue(high, low, local, bytes, state);
    data_queued = true;
    data_position = transmit_wrap(local + bytes);
}

NIC_HOT void nic_transmit_copy(const volatile uint32_t *words, uint32_t bytes) {
    const volatile uint32_t *end = words + (bytes + 3) / 4;
    uint32_t local = data_position;
    do {
        *(volatile uint32_t *)local = *words++;
        local = transmit_wrap(local + 4);
    } while (words != end);
}

static NIC_COLD void copy_split_header(void) {
    for (uint32_t i = 0; i < header_split; i++)
        *(volatile uint32_t *)transmit_wrap(frame_start + 4 * i) = transmit_bounce[i];
}

#if NIC_SUMS_DATA
/* The engine may be done with the data before nic_transmit_end: a split header is copied here, so
 * that the copy does not overwrite the sum. */
NIC_HOT void nic_transmit_sum(unsigned word) {
    if (__builtin_expect(header_split != 0, 0)) {
        copy_split_header();
        header_split = 0;
    }
    sum_stored_at = transmit_wrap(frame_start + 4 * word) + 2;
}
#endif

static NIC_COLD void queue_dummy(uint32_t end) {
    tigon2_dma_read_queue(scratch_high, scratch_low, end, TIGON2_DUMMY_BYTES,
                          TIGON2_DMA_READ_FRAME);
    tigon2_counters.transmit_waits++;
}

/* The data of a split frame may arrive, and reach the MAC, before its header is copied: the copy
 * comes before the MAC descriptor, which the MAC needs to begin. */
NIC_HOT void nic_transmit_end(uint32_t bytes) {
    volatile uint32_t *descriptor = (volatile uint32_t *)transmit_ring_producer;
    uint32_t start = frame_start;
    uint32_t next_slot = transmit_ring_producer + 8;
    uint32_t end = transmit_wrap(start + bytes);
    bool hand_over = false;
    if (__builtin_expect(header_split != 0, 0))
        copy_split_header();
    if (!data_queued) {
        if (TIGON2_REGISTER(DMA_READ_CONSUMER) == tigon2_dma_read.producer) {
            hand_over = true;
        } else {
            queue_dummy(end);
            bytes += TIGON2_DUMMY_BYTES;
        }
    }
    descriptor[0] = start;
    descriptor[1] = bytes;
    if (next_slot == transmit_ring_end)
        next_slot -= TRANSMIT_RING_BYTES;
    transmit_ring_producer = next_slot;
    TIGON2_REGISTER(TRANSMIT_RING_PRODUCER) = next_slot;
    if (hand_over)
        TIGON2_REGISTER(TRANSMIT_PRODUCER) = end;
    frame_start = transmit_wrap((start + bytes + 7) & ~7u);
}
