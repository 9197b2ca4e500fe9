/* SPDX-License-Identifier: MIT */
/*
 * MAC receive (tigon2.md 6.2): header parsed where the MAC put it, data sent to host memory
 * straight from the receive buffer, space given back by the DMA write engine.
 *
 * Space is given back in order. Bit 19 on the last DMA write of a frame moves HW[0C8] behind the
 * data when the transfer is done; a frame dropped is given back by the processor, but never while a
 * write is pending, whose data it would give away (tigon2.md 14 row 8). Then it is owed until the
 * next occasion: any later frame given back covers it.
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/dma.h"

#define RECEIVE_RING_BYTES (512u * 8u)
#define CRC_BYTES          4u
#define FRAME_BYTES        60u /* the shortest frame of Ethernet, to which a MAC pads */

static uint32_t receive_bytes NIC_FAST;
static uint32_t receive_ring_end NIC_FAST;
static uint32_t receive_ring_next NIC_FAST; /* descriptor to look at next */
static bool claimed NIC_FAST;               /* data of this frame is on its way to the host */
static uint32_t owed NIC_FAST;              /* HW[0C8] to be, 0 for none */
static bool owed_urgently NIC_FAST;         /* the MAC has run out of space meanwhile */
#if NIC_SUMS_DATA
static uint32_t receive_sum_at NIC_FAST;
static uint32_t receive_sum_state NIC_FAST; /* bits for the next piece */
#endif
static uint32_t receive_bounce[NIC_HEADER_WORDS];

static inline uint32_t receive_wrap(uint32_t address) {
    return address >= TIGON2_MEMORY_TOP ? address - receive_bytes : address;
}

NIC_COLD void tigon2_receive_start(uint32_t base, uint32_t ring) {
    receive_bytes = TIGON2_MEMORY_TOP - base;
    receive_ring_next = ring;
    receive_ring_end = ring + RECEIVE_RING_BYTES;
    for (uint32_t slot = ring; slot != receive_ring_end; slot += 8) {
        ((volatile uint32_t *)slot)[0] = 0;
        ((volatile uint32_t *)slot)[1] = 0x01000000;
    }
    TIGON2_REGISTER(RECEIVE_BASE) = base;
    TIGON2_REGISTER(RECEIVE_PRODUCER) = base;
    TIGON2_REGISTER(RECEIVE_CONSUMER) = base;
    TIGON2_REGISTER(RECEIVE_RING_PRODUCER) = ring;
    TIGON2_REGISTER(RECEIVE_RING_CONSUMER) = ring;
    TIGON2_REGISTER(RECEIVE_RING_REFERENCE) = ring;
}

NIC_HOT void tigon2_receive_settle(void) {
    if (owed != 0 && TIGON2_REGISTER(DMA_WRITE_CONSUMER) == tigon2_dma_write.producer) {
        TIGON2_REGISTER(RECEIVE_CONSUMER) = owed;
        owed = 0;
        owed_urgently = false;
    }
}

NIC_HOT bool tigon2_receive_owes(void) {
    return owed_urgently;
}

NIC_HOT bool tigon2_receive_claimed(void) {
    return claimed;
}

/* The header runs past the end of the buffer: collect it in one piece. */
static NIC_COLD const uint32_t *join_header(uint32_t frame) {
    for (uint32_t i = 0; i < NIC_HEADER_WORDS; i++)
        receive_bounce[i] = *(const volatile uint32_t *)receive_wrap(frame + 4 * i);
    return receive_bounce;
}

static NIC_COLD void count_error(void) {
    tigon2_counters.receive_errors++;
}

NIC_ENTRY NIC_HOT void tigon2_on_receive(void) {
#if NIC_SLOT_FIRST && NIC_SENDS
    tigon2_serve_slot();
#endif
    const volatile uint32_t *descriptor = (const volatile uint32_t *)receive_ring_next;
    uint32_t next = receive_ring_next + 8;
    uint32_t frame = descriptor[0];
    uint32_t status = descriptor[1];
    uint32_t bytes = (status & 0xFFFF) - CRC_BYTES;
    if (next == receive_ring_end)
        next -= RECEIVE_RING_BYTES;
    receive_ring_next = next;
    TIGON2_REGISTER(RECEIVE_RING_CONSUMER) = next;
    TIGON2_REGISTER(RECEIVE_RING_REFERENCE) = next;
    claimed = false;
    if (__builtin_expect((status & TIGON2_FRAME_BAD) != 0 || (int32_t)bytes < (int32_t)FRAME_BYTES,
                         0)) {
        count_error();
    } else {
        const uint32_t *words = (const uint32_t *)frame;
        if (__builtin_expect(frame + 4 * NIC_HEADER_WORDS > TIGON2_MEMORY_TOP, 0))
            words = join_header(frame);
        nic_on_frame(words, bytes, frame);
    }
    if (!claimed) {
        owed = receive_wrap((frame + (status & 0xFFFF) + 7) & ~7u);
        tigon2_receive_settle();
    }
}

NIC_HOT void nic_receive_data(uint32_t frame, uint32_t offset, uint32_t high, uint32_t low,
                              uint32_t bytes, bool last) {
    uint32_t state = TIGON2_DMA_WRITE_PIECE;
    if (last) {
        state = TIGON2_DMA_WRITE_FRAME;
        claimed = true;
        owed = 0; /* covered */
    }
#if NIC_SUMS_DATA
    state |= receive_sum_state;
    receive_sum_state = TIGON2_DMA_SUM;
    tigon2_dma_store_sum(&tigon2_dma_write, receive_sum_at);
#endif
    tigon2_dma_write_queue(high, low, receive_wrap(frame + offset), bytes, state);
}

#if NIC_SUMS_DATA
NIC_HOT void nic_receive_sum(volatile uint32_t *sum) {
    receive_sum_at = (uint32_t)sum + 2;
    receive_sum_state = TIGON2_DMA_SUM | TIGON2_DMA_SUM_BEGINS;
}

NIC_COLD uint32_t nic_frame_sum(uint32_t frame, uint32_t offset, uint32_t bytes) {
    uint32_t end = offset + bytes;
    uint32_t sum = 0;
    for (uint32_t at = offset & ~3u; at < end; at += 4) {
        uint32_t word = *(const volatile uint32_t *)receive_wrap(frame + at);
        if (at < offset)
            word &= 0xFFFFFFFF >> 8 * (offset - at);
        if (end - at < 4)
            word &= ~(0xFFFFFFFF >> 8 * (end - at));
        sum += word;
        sum += sum < word;
    }
    sum = (sum >> 16) + (sum & 0xFFFF);
    return (sum >> 16) + (sum & 0xFFFF);
}
#endif

/* No further frame may come to settle what is owed: let the end of the writes do it. */
#if NIC_SENDS
static inline void without_space(void) {
#else
NIC_COLD void tigon2_receive_without_space(void) {
#endif
    tigon2_counters.receive_no_space++;
    tigon2_receive_settle();
    if (owed != 0) {
        owed_urgently = true;
        tigon2_enable(TIGON2_EVENT_WRITE_DONE);
    }
}

#if NIC_SENDS
/* Event 25: the link, or no space (tigon2.md 6.4). */
NIC_ENTRY NIC_COLD void tigon2_on_receive_attention(void) {
    uint32_t state = TIGON2_REGISTER(MAC_RECEIVE_STATE);
    TIGON2_REGISTER(MAC_RECEIVE_STATE) = state; /* clears exactly the attentions seen */
    if (state & TIGON2_RECEIVE_FATAL)
        nic_panic(TIGON2_PANIC_RECEIVE);
    if (state & TIGON2_RECEIVE_NO_SPACE)
        without_space();
    tigon2_link_attention(state);
}
#endif
