/* SPDX-License-Identifier: MIT */
/*
 * MAC receive (tigon2.md 6.2): store and forward. Bytes go to HW[0C4] on, round the end of the 2 MB
 * space to HW[0C0]; then the descriptor to HW[0E0]; then both pointers move. A frame that does not
 * fit, in the buffer or in the ring, is dropped whole, counted and reported by bit 30 (14 row 14).
 * With knob receive_truncates one that does not fit the buffer is cut to what does, with status bit
 * 23, as long as that is at least a minimum frame.
 *
 * Buffer rule: HW[0C8] equal to HW[0C4] is an empty buffer; 8 bytes always stay unused. Because the
 * DMA engine moves HW[0C8] to the end of what it copied, which leaves out the CRC, the last few
 * bytes of a frame become free only with the next one.
 */
#include "sim/chip/board.h"
#include "sim/base/frame.h"
#include "sim/chip/mac_buffer.h"

#include <string.h>

#define DESCRIPTOR_BYTES    8u
#define RING_BYTES          (512u * DESCRIPTOR_BYTES)
#define RING_BELOW_TRANSMIT 0x2000u
#define RING_SPACE_MASK     0x1FFFFFu
#define UNUSED_BYTES        8u
#define START_ALIGNMENT     32u /* of frames in the buffer (tigon2.md 16.4) */
#define FRAME_64            64u

static uint32_t ring_address(const struct tigon_board *board, uint32_t offset) {
    return (TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE) - RING_BELOW_TRANSMIT + offset) &
           RING_SPACE_MASK;
}

uint32_t tigon_receive_last(const struct tigon_board *board) {
    return tigon_memory_read32(
        &board->memory,
        ring_address(board, (board->receive.producer - DESCRIPTOR_BYTES) % RING_BYTES));
}

static inline uint32_t buffer_free(const struct tigon_board *board) {
    const uint32_t base = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    const uint32_t size = tigon_receive_buffer_size(board);
    const uint32_t producer = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER);
    const uint32_t consumer = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_CONSUMER);
    uint32_t distance;
    if (__builtin_expect(tigon_in_ring(base, size, producer) && tigon_in_ring(base, size, consumer),
                         1))
        distance = tigon_ring_distance(size, producer, consumer);
    else
        distance = tigon_ring_distance_of_any(size, producer, consumer);
    return distance ? distance : size;
}

/* PAUSE below an eighth free, resume above a quarter (tigon2.md 7, choice). Whether free
 * descriptors count beside bytes of the buffer is unknown (tigon2.md 16.9): knob
 * pause_by_descriptors. */
static __attribute__((cold, noinline)) void send_pause(struct tigon_board *board) {
    struct tigon_receive *mac = &board->receive;
    if (!mac->pause_sent && !(TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_PAUSE))
        return;
    mac->pause_sent = !mac->pause_sent;
    tigon_transmit_send_pause(board, mac->pause_sent ? 0xFFFF : 0);
}

static inline void flow_control(struct tigon_board *board) {
    const struct tigon_receive *mac = &board->receive;
    const uint32_t free_bytes = buffer_free(board);
    const uint32_t size = tigon_receive_buffer_size(board);
    const uint32_t ring = board->knobs.pause_by_descriptors
                              ? (mac->reference - mac->producer - 1u) % RING_BYTES
                              : RING_BYTES;
    const bool wanted = mac->pause_sent ? free_bytes <= size / 4u || ring <= RING_BYTES / 4u
                                        : free_bytes < size / 8u || ring < RING_BYTES / 8u;
    if (__builtin_expect(wanted != mac->pause_sent, 0))
        send_pause(board);
}

void tigon_receive_raise(struct tigon_board *board, uint32_t attentions) {
    TIGON_WORD(board, TIGON_RECEIVE_STATE) |= attentions & TIGON_RECEIVE_ATTENTIONS;
    tigon_board_changed(board);
}

static bool is_pause(const struct tigon_frame *frame) {
    static const uint8_t group[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    return frame->length >= 18 && memcmp(frame->bytes, group, 6) == 0 &&
           tigon_load_be16(frame->bytes + 12) == 0x8808;
}

static bool hash_hit(const struct tigon_board *board, const uint8_t *address) {
    /* The CRC before its final inversion; HW[228] holds bits 127:96 (tigon2.md 16.5). */
    const uint32_t index = ~tigon_frame_crc(address, 6) & 0x7Fu;
    const uint32_t offset = TIGON_MULTICAST_HASH + 4u * (3u - (index >> 5));
    return board->registers[offset / 4u] >> (index & 31u) & 1u;
}

static bool is_ours(const struct tigon_board *board, const uint8_t *address) {
    return tigon_load_be16(address) == (TIGON_WORD(board, TIGON_MAC_ADDRESS_HIGH) & 0xFFFFu) &&
           tigon_load_be32(address + 2) == TIGON_WORD(board, TIGON_MAC_ADDRESS_LOW);
}

/* Decides by address. A frame that is not kept is counted here; one that is goes to `*kept` once it
 * found room. */
static __attribute__((cold, noinline)) bool
accept(struct tigon_board *board, const struct tigon_frame *frame, enum tigon_statistic *kept) {
    static const uint8_t broadcast[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    const bool everything = TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_PROMISCUOUS;
    const uint8_t *address = frame->bytes;
    *kept = TIGON_STATISTIC_KEPT_UNICAST;
    if (frame->length < 6)
        return everything;
    if (memcmp(address, broadcast, 6) == 0) {
        *kept = TIGON_STATISTIC_KEPT_BROADCAST;
        return true;
    }
    if (address[0] & 1) {
        *kept = TIGON_STATISTIC_KEPT_MULTICAST;
        if (everything || hash_hit(board, address))
            return true;
        tigon_statistic_count(board, TIGON_STATISTIC_DROPPED_MULTICAST);
        board->statistics.dropped_multicast++;
        return false;
    }
    if (everything || is_ours(board, address))
        return true;
    tigon_statistic_count(board, TIGON_STATISTIC_DROPPED_UNICAST);
    board->statistics.dropped_unicast++;
    return false;
}

/* Event bit 6. */
static void show_ring(struct tigon_board *board) {
    const struct tigon_receive *mac = &board->receive;
    tigon_event_level(&board->events.common, TIGON_EVENT_RECEIVE, mac->producer != mac->reference);
}

static __attribute__((cold, noinline)) void exhausted(struct tigon_board *board,
                                                      uint64_t *counter) {
    (*counter)++;
    tigon_statistic_count(board, TIGON_STATISTIC_DROPPED_SPACE);
    tigon_receive_raise(board, TIGON_RECEIVE_BUFFER_EXHAUSTED);
}

/* How much is taken of a frame that does not fit: as much as knob receive_truncates leaves of it,
 * or 0. */
static __attribute__((cold, noinline)) uint32_t what_fits(const struct tigon_board *board) {
    const uint32_t free_bytes = buffer_free(board);
    const uint32_t fits =
        free_bytes < UNUSED_BYTES ? 0 : (free_bytes - UNUSED_BYTES) & ~(START_ALIGNMENT - 1u);
    return board->knobs.receive_truncates && fits >= FRAME_64 ? fits : 0;
}

/* How far apart two frames begin of which the first has `length` bytes. Firmware reads the first
 * bytes of a frame without thought of the buffer's end: no frame may begin shortly before it. */
static inline uint32_t step_of(uint32_t length) {
    return (length + START_ALIGNMENT - 1u) & ~(START_ALIGNMENT - 1u);
}

/* How much of a frame of `length` bytes the buffer can take. */
static inline uint32_t room_for(const struct tigon_board *board, uint32_t length) {
    if (__builtin_expect(step_of(length) + UNUSED_BYTES <= buffer_free(board), 1))
        return length;
    return what_fits(board);
}

/* As store(), for a range in several pieces. */
static __attribute__((cold, noinline)) uint32_t
store_in_pieces(struct tigon_board *board, const struct tigon_frame *frame, uint32_t length) {
    const uint32_t start = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER);
    const uint32_t base = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    const uint32_t step = step_of(length);
    uint32_t first = length;
    if (start < TIGON_SRAM_SPACE_END && TIGON_SRAM_SPACE_END - start < first)
        first = TIGON_SRAM_SPACE_END - start;
    tigon_memory_write(&board->memory, start, frame->bytes, first);
    if (first < length)
        tigon_memory_write(&board->memory, base, frame->bytes + first, length - first);
    return start + step < TIGON_SRAM_SPACE_END ? start + step
                                               : base + (start + step - TIGON_SRAM_SPACE_END);
}

/* Puts the first `length` bytes at the buffer producer; returns where the next frame begins. */
static inline uint32_t store(struct tigon_board *board, const struct tigon_frame *frame,
                             uint32_t length) {
    const uint32_t start = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER);
    const uint32_t step = step_of(length);
    if (__builtin_expect(start >= TIGON_SRAM_SPACE_END || TIGON_SRAM_SPACE_END - start <= step, 0))
        return store_in_pieces(board, frame, length);
    tigon_memory_write(&board->memory, start, frame->bytes, length);
    return start + step;
}

/* The errors of a frame of which `length` bytes are stored; counts them and adds them to its
 * status. */
static __attribute__((cold, noinline)) uint32_t status_of_defects(struct tigon_board *board,
                                                                  const struct tigon_frame *frame,
                                                                  uint32_t length,
                                                                  uint32_t status) {
    if (status & TIGON_RECEIVED_CRC_ERROR) {
        tigon_statistic_count(board, TIGON_STATISTIC_CRC_ERRORS);
        board->statistics.receive_crc_errors++;
    }
    if (frame->length < FRAME_64)
        status |= TIGON_RECEIVED_SHORT;
    if (length < frame->length) {
        if (board->knobs.quirk_receive_length) /* tigon2.md 13 item 8 */
            status = (status & ~0xFFFFu) | (frame->length & 0xFFFFu);
        status |= TIGON_RECEIVED_TRUNCATED;
        board->statistics.receive_truncated++;
        tigon_receive_raise(board, TIGON_RECEIVE_BUFFER_EXHAUSTED);
    }
    return status;
}

/* True if the frame was a PAUSE, which ends here. */
static __attribute__((cold, noinline)) bool obeyed(struct tigon_board *board,
                                                   const struct tigon_frame *frame) {
    if (!is_pause(frame))
        return false;
    tigon_statistic_count(board, TIGON_STATISTIC_DROPPED_PAUSE);
    board->statistics.dropped_pause++;
    if ((TIGON_WORD(board, TIGON_RECEIVE_STATE) & TIGON_RECEIVE_OBEY_PAUSE) &&
        tigon_load_be16(frame->bytes + 14) == 1)
        tigon_transmit_hold(board, tigon_load_be16(frame->bytes + 16));
    return true;
}

void tigon_receive_frame(struct tigon_board *board, const struct tigon_frame *frame) {
    struct tigon_receive *mac = &board->receive;
    const uint32_t state = TIGON_WORD(board, TIGON_RECEIVE_STATE);
    if (__builtin_expect(!(state & TIGON_RECEIVE_ENABLE) || (state & TIGON_RECEIVE_STOP), 0)) {
        board->statistics.dropped_disabled++;
        return;
    }
    if ((frame->bytes[0] & 1) && !frame->bad_crc && obeyed(board, frame))
        return;
    enum tigon_statistic kept = TIGON_STATISTIC_KEPT_UNICAST;
    if ((frame->length < 6 || (frame->bytes[0] & 1) || !is_ours(board, frame->bytes)) &&
        !accept(board, frame, &kept))
        return;
    const uint32_t next = (mac->producer + DESCRIPTOR_BYTES) % RING_BYTES;
    const uint32_t length = room_for(board, frame->length);
    if (length == 0) {
        exhausted(board, &board->statistics.dropped_no_buffer);
        return;
    }
    if (next == mac->reference) {
        exhausted(board, &board->statistics.dropped_no_descriptor);
        return;
    }

    uint32_t status = mac->fault | (length & 0xFFFFu);
    mac->fault = 0;
    if (frame->bad_crc)
        status |= TIGON_RECEIVED_CRC_ERROR;
    if (__builtin_expect((status & TIGON_RECEIVED_CRC_ERROR) || frame->length < FRAME_64 ||
                             length < frame->length,
                         0))
        status = status_of_defects(board, frame, length, status);
    tigon_statistic_count(board, kept);
    const uint32_t slot = ring_address(board, mac->producer);
    const uint32_t start = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER);
    TIGON_WORD(board, TIGON_RECEIVE_BUFFER_PRODUCER) = store(board, frame, length);
    tigon_memory_store32(&board->memory, slot, start);
    tigon_memory_store32(&board->memory, slot + 4u, status);
    mac->producer = next;
    show_ring(board);
    /* The beats really happened while the frame came in; announced now they load the bus as much, a
     * frame later. */
    tigon_bus_stream_begin(&board->bus, TIGON_BUS_MAC_RECEIVE, tigon_board_cycle(board),
                           (uint32_t)((64u * TIGON_TICKS_PER_NS << 16) / TIGON_TICKS_PER_CYCLE),
                           (length + 7u) / 8u + 1u);
    board->statistics.receive_frames++;
    board->statistics.receive_bytes += length;
    if (board->observers->wants_signals) { /* the only ones to see that it is 1 for no time */
        tigon_board_signal(board, TIGON_SIGNAL_RECEIVE, 1);
        tigon_board_signal(board, TIGON_SIGNAL_RECEIVE, 0);
    }
    flow_control(board);
    tigon_board_changed(board);
}

static uint32_t *pointer(struct tigon_board *board, uint32_t offset) {
    struct tigon_receive *mac = &board->receive;
    return offset == TIGON_RECEIVE_RING_PRODUCER   ? &mac->producer
           : offset == TIGON_RECEIVE_RING_CONSUMER ? &mac->consumer
                                                   : &mac->reference;
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    if (offset == TIGON_RECEIVE_STATE)
        return TIGON_WORD(board, offset) | tigon_link_status(board);
    return ring_address(board, *pointer(board, offset));
}

static void write_state(struct tigon_board *board, uint32_t value) {
    const uint32_t status = TIGON_RECEIVE_SYNC | TIGON_RECEIVE_CONFIGURATION;
    uint32_t *word = &TIGON_WORD(board, TIGON_RECEIVE_STATE);
    uint32_t attentions = *word & TIGON_RECEIVE_ATTENTIONS & ~value;
    if (value & TIGON_RECEIVE_RESET) {
        board->receive.pause_sent = false;
        attentions = 0;
    }
    /* Firmware requests a signal in this way without waiting for a change (tigon2.md 16.1): bit 24
     * or 25 would do. */
    if ((*word & ~value & TIGON_RECEIVE_ENABLE) && (tigon_link_status(board) & TIGON_RECEIVE_SYNC))
        attentions |= TIGON_RECEIVE_LINK_CHANGED;
    /* Reset is an action, not a state: the bit reads back 0. Bit 27 is no attention and cannot be
     * set. */
    *word = (value & ~(TIGON_RECEIVE_ATTENTIONS | TIGON_RECEIVE_RESET | status | (1u << 27))) |
            attentions;
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    switch (offset) {
    case TIGON_RECEIVE_STATE:
        write_state(board, value);
        break;
    case TIGON_RECEIVE_BUFFER_CONSUMER:
        flow_control(board); /* stored already */
        break;
    case TIGON_RECEIVE_RING_CONSUMER:
        board->receive.consumer = value & (RING_BYTES - DESCRIPTOR_BYTES);
        break;
    default:
        *pointer(board, offset) = value & (RING_BYTES - DESCRIPTOR_BYTES);
        show_ring(board);
        flow_control(board);
        break;
    }
    tigon_board_changed(board);
}

void tigon_board_break_receive(struct tigon_board *board, uint32_t status) {
    board->receive.fault = status & TIGON_RECEIVED_FAULTS;
}

void tigon_receive_freed(struct tigon_board *board, uint32_t consumer) {
    tigon_board_before_change(board);
    TIGON_WORD(board, TIGON_RECEIVE_BUFFER_CONSUMER) = consumer;
    flow_control(board);
    tigon_board_changed(board);
}

static void reset(struct tigon_board *board) {
    memset(&board->receive, 0, sizeof board->receive);
    show_ring(board);
}

static const struct tigon_register_description registers[] = {
    {0x0C0, 1, "receive buffer base", TIGON_PLAIN, 0, 0xFFFFFFFF},      /* 6.2 */
    {0x0C4, 1, "receive buffer producer", TIGON_PLAIN, 0, 0xFFFFFFFF},  /* 6.2 */
    {0x0C8, 1, "receive buffer consumer", TIGON_STORED, 0, 0xFFFFFFFF}, /* 6.2 */
    {0x0E0, 3, "receive descriptor pointer", TIGON_READS_WRITES, 0, 0}, /* 6.2 */
    {0x208, 1, "MAC address, bytes 0-1", TIGON_PLAIN, 0, 0xFFFF},       /* 3.1 */
    {0x20C, 1, "MAC address, bytes 2-5", TIGON_PLAIN, 0, 0xFFFFFFFF},   /* 3.1 */
    {0x220, 1, "MAC receive state", TIGON_READS_WRITES, 0, 0},          /* 6.4 */
    {0x228, 4, "multicast hash", TIGON_PLAIN, 0, 0xFFFFFFFF},           /* 6.3 */
};

const struct tigon_device tigon_receive_device = {
    .name = "receive",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = reset,
    .read = read_register,
    .write = write_register,
    .steady = true,
    .read_shows_state = true,
};
