/* SPDX-License-Identifier: MIT */
/*
 * MAC receive (tigon2.md 6.2): header parsed where the MAC put it, data sent to host memory
 * straight from the receive buffer, space given back by the DMA write engine.
 *
 * Space is given back in order. Bit 19 on the last DMA write of a frame moves HW[0C8] behind the
 * data when the transfer is done; a frame dropped is given back by the processor, but never while a
 * write is pending, whose data it would give away (tigon2.md 14 row 8). Then it is owed until the
 * next occasion: any later frame given back covers it.
 *
 * Where one processor takes frames from the MAC and the other one writes them (NIC_HANDS_OVER), all
 * space is given back by the latter. Frames that the former drops lie between those it hands over.
 * It says where the last one ends that it has dropped, unless it has handed over a later frame. The
 * latter believes that when it has seen to all frames handed over before: it reads the word first,
 * then looks whether a frame waits.
 */
#include "fw-runtime/port/tigon2/board.h"
#include "fw-runtime/port/tigon2/dma.h"
#if NIC_HANDS_OVER
#include "fw-runtime/port/tigon2/halves.h"
#endif

#define RECEIVE_RING_BYTES (512u * 8u)
#define CRC_BYTES          4u
#define FRAME_BYTES        60u /* the shortest frame of Ethernet, to which a MAC pads */

static uint32_t receive_bytes NIC_FAST;
#if NIC_RECEIVES
static uint32_t receive_ring_end NIC_FAST;
static uint32_t receive_ring_next NIC_FAST; /* descriptor to look at next */
#endif
#if NIC_WRITES
static bool claimed NIC_FAST;       /* data of this frame is on its way to the host */
static uint32_t owed NIC_FAST;      /* HW[0C8] to be, 0 for none */
static bool owed_urgently NIC_FAST; /* the MAC has run out of space meanwhile */
#endif
#if NIC_SUMS_DATA && NIC_WRITES
static uint32_t receive_sum_at NIC_FAST;
static uint32_t receive_sum_state NIC_FAST; /* bits for the next piece */
#endif
#if NIC_RECEIVES
static uint32_t receive_bounce[NIC_HEADER_WORDS];
#endif

static inline uint32_t receive_wrap(uint32_t address) {
    return address >= TIGON2_MEMORY_TOP ? address - receive_bytes : address;
}

/* Bytes in the buffer of a frame of this status; each begins at a multiple of 8. */
static inline uint32_t receive_taken(uint32_t status) {
    return ((status & 0xFFFF) + 7) & ~7u;
}

#if NIC_HANDS_OVER
/* A name has the address below the number of bytes in the buffer, a multiple of 8 as well. */
#define NAME_ADDRESS (TIGON2_MEMORY_TOP - 1)
#define NAME_BYTES   (TIGON2_MEMORY_TOP / 8)
static_assert((NIC_LONGEST_FRAME + CRC_BYTES + 7) / 8 <= UINT32_MAX / TIGON2_MEMORY_TOP,
              "a name holds both");
#define frame_address(name) ((name)&NAME_ADDRESS)
#else
#define frame_address(name) (name)
#endif

#if NIC_RECEIVES
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
#else
NIC_COLD void tigon2_receive_share(uint32_t base) {
    receive_bytes = TIGON2_MEMORY_TOP - base;
}
#endif

#if NIC_WRITES
/* Has the other processor dropped a frame of which it is not known whether all before are seen to?
 */
static inline bool note_dropped(void) {
#if NIC_HANDS_OVER
    uint32_t dropped = tigon2_halves.dropped;
    if (dropped == 0)
        return false;
    if (nic_frames_wait())
        return true;
    owed = dropped;
#endif
    return false;
}

NIC_HOT void tigon2_receive_settle(void) {
    bool unsure = note_dropped();
    if (owed != 0 && TIGON2_REGISTER(DMA_WRITE_CONSUMER) == tigon2_dma_write.producer) {
        TIGON2_REGISTER(RECEIVE_CONSUMER) = owed;
        owed = 0;
        owed_urgently = unsure;
    }
}

NIC_HOT bool tigon2_receive_owes(void) {
    return owed_urgently;
}

NIC_HOT bool tigon2_receive_claimed(void) {
    return claimed;
}
#endif

#if NIC_RECEIVES
/* The header runs past the end of the buffer: collect it in one piece. */
static NIC_COLD const uint32_t *join_header(uint32_t frame) {
    for (uint32_t i = 0; i < NIC_HEADER_WORDS; i++)
        receive_bounce[i] = *(const volatile uint32_t *)receive_wrap(frame + 4 * i);
    return receive_bounce;
}

static NIC_COLD void count_error(void) {
    tigon2_counters.receive_errors++;
}

#if NIC_HANDS_OVER
static bool handed_over NIC_FAST;

NIC_HOT void nic_frame_hand_over(void) {
    handed_over = true;
}

/* Frames handed over, or without space, wake the other processor; without either this does. */
static inline void drop(uint32_t end) {
    uint32_t held = end - TIGON2_REGISTER(RECEIVE_CONSUMER);
    if ((int32_t)held < 0)
        held += receive_bytes;
    tigon2_halves.dropped = end;
    if (__builtin_expect(held > receive_bytes / 2, 0))
        tigon2_tell();
}
#endif

NIC_ENTRY NIC_HOT void tigon2_on_receive(void) {
#if NIC_SLOT_FIRST && NIC_TRANSMITS
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
#if NIC_HANDS_OVER
    handed_over = false;
    tigon2_halves.dropped = 0;
#else
    claimed = false;
#endif
    if (__builtin_expect((status & TIGON2_FRAME_BAD) != 0 || (int32_t)bytes < (int32_t)FRAME_BYTES,
                         0)) {
        count_error();
    } else {
        const uint32_t *words = (const uint32_t *)frame;
        if (__builtin_expect(frame + 4 * NIC_HEADER_WORDS > TIGON2_MEMORY_TOP, 0))
            words = join_header(frame);
#if NIC_HANDS_OVER
        nic_on_frame(words, bytes, frame + receive_taken(status) * NAME_BYTES);
    }
    if (!handed_over)
        drop(receive_wrap(frame + receive_taken(status)));
#else
        nic_on_frame(words, bytes, frame);
    }
    if (!claimed) {
        owed = receive_wrap((frame + (status & 0xFFFF) + 7) & ~7u);
        tigon2_receive_settle();
    }
#endif
}
#endif

#if NIC_WRITES
#if NIC_HANDS_OVER
NIC_HOT void nic_frame_begin(void) {
    claimed = false;
}

NIC_HOT void nic_frame_end(uint32_t frame) {
    if (!claimed)
        owed = receive_wrap((frame_address(frame) & ~7u) + frame / TIGON2_MEMORY_TOP * 8);
    if (!claimed || owed_urgently)
        tigon2_receive_settle();
}
#endif

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
    tigon2_dma_write_queue(high, low, receive_wrap(frame_address(frame) + offset), bytes, state);
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
        uint32_t word = *(const volatile uint32_t *)receive_wrap(frame_address(frame) + at);
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
#if NIC_LEADS
static inline void without_space(void) {
#else
NIC_COLD void tigon2_receive_without_space(void) {
#endif
    tigon2_counters.receive_no_space++;
    tigon2_receive_settle();
    if (owed != 0 || note_dropped()) {
        owed_urgently = true;
        tigon2_enable(TIGON2_EVENT_WRITE_DONE);
    }
}
#endif

#if NIC_LEADS && NIC_WRITES
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
