/* SPDX-License-Identifier: MIT */
/*
 * MAC transmit (tigon2.md 6.1).
 *
 * Frames leave strictly in ring order. The next one is ready when HW[0D4] has reached its end. With
 * knob transmit_cut_through it is also ready when the DMA read that will move HW[0D4] there is
 * under way, from the first moment at which it cannot run dry whatever the other DMA engine does:
 * not before data begins to arrive, and so late that, had the transfer its slowest possible pace,
 * the last byte would still be in time. Should the transfer fail after that, the frame underruns:
 * it goes out with a wrong CRC.
 *
 * The bytes are taken from SRAM at the end of the frame, when all of them must be there.
 */
#include "sim/chip/board.h"
#include "sim/base/frame.h"
#include "sim/chip/mac_buffer.h"
#include "sim/network/wire.h"

#include <inttypes.h>

#define DESCRIPTOR_BYTES    8u
#define RING_BYTES          (256u * DESCRIPTOR_BYTES)
#define RING_BELOW_TRANSMIT 0x2800u
#define RING_SPACE_MASK     0x1FFFFFu
#define INSERT_VLAN         (1u << 30)
#define PAUSE_QUANTUM_NS    512u
#define ADDRESS_BYTES       12u
#define VLAN_BYTES          4u
#define HEADER_BYTES        14u

struct descriptor {
    uint32_t address;
    uint32_t length; /* in the buffer */
    uint32_t tag;
    bool insert;
};

static uint32_t ring_address(const struct tigon_board *board, uint32_t offset) {
    return (TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE) - RING_BELOW_TRANSMIT + offset) &
           RING_SPACE_MASK;
}

static inline struct descriptor descriptor_at(const struct tigon_board *board, uint32_t offset) {
    const uint32_t at = ring_address(board, offset);
    const uint32_t first = tigon_memory_read32(&board->memory, at);
    const uint32_t second = tigon_memory_read32(&board->memory, at + 4u);
    /* Bits above the 8 MB window are flags; frames are aligned to 8. */
    return (struct descriptor){first & 0x007FFFF8u, second & 0xFFFFu, second >> 16,
                               (first & INSERT_VLAN) != 0};
}

uint32_t tigon_transmit_frame(const struct tigon_board *board, uint32_t *length) {
    const struct descriptor descriptor = descriptor_at(board, board->transmit.consumer);
    *length = descriptor.length;
    return descriptor.address;
}

static uint32_t next_slot(uint32_t offset) {
    return (offset + DESCRIPTOR_BYTES) % RING_BYTES;
}

static uint32_t wire_bytes(uint32_t length) {
    if (length < TIGON_FRAME_MINIMUM)
        length = TIGON_FRAME_MINIMUM;
    return TIGON_FRAME_PREAMBLE + length + TIGON_FRAME_CRC_BYTES;
}

static uint32_t sent_length(struct descriptor descriptor) {
    return descriptor.length + (descriptor.insert ? VLAN_BYTES : 0);
}

/* All positions in the buffer are counted from here. It stays at the start of the frame in flight
 * until the frame has ended, because the data of a frame begun early may still be ahead of HW[0D4].
 */
static uint32_t buffer_consumer(const struct tigon_board *board) {
    return TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_CONSUMER);
}

static uint32_t frame_end(const struct tigon_board *board, struct descriptor descriptor) {
    return tigon_local_end(board, descriptor.address, descriptor.length);
}

static uint32_t rounded(const struct tigon_board *board, uint32_t address) {
    return tigon_local_end(board, address & ~7u, (address & 7u) ? 8u : 0u);
}

/* Do `available` bytes from the consumer on cover `length` bytes that begin `offset` bytes from it?
 * The consumer is rounded up past the last frame's end, the producer is not, so "8 less than full"
 * is no error. */
static inline bool reaches(const struct tigon_board *board, uint32_t available, uint32_t offset,
                           uint32_t length) {
    if (available > tigon_transmit_buffer_size(board) - 8u)
        available = 0;
    return available >= offset + length;
}

/* For pointers that may be anywhere. */
static __attribute__((cold, noinline)) bool covers_anywhere(const struct tigon_board *board,
                                                            uint32_t producer, uint32_t address,
                                                            uint32_t length) {
    const uint32_t consumer = buffer_consumer(board), size = tigon_transmit_buffer_size(board);
    return reaches(board, tigon_ring_distance_of_any(size, consumer, producer),
                   tigon_ring_distance_of_any(size, consumer, address), length);
}

/* Does data up to `producer` cover a frame of `length` bytes at `address`? */
static __attribute__((noinline)) bool covers(const struct tigon_board *board, uint32_t producer,
                                             uint32_t address, uint32_t length) {
    const uint32_t base = TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    const uint32_t size = tigon_transmit_buffer_size(board);
    const uint32_t consumer = buffer_consumer(board);
    if (__builtin_expect(!tigon_in_ring(base, size, consumer) ||
                             !tigon_in_ring(base, size, producer) ||
                             !tigon_in_ring(base, size, address),
                         0))
        return covers_anywhere(board, producer, address, length);
    return reaches(board, tigon_ring_distance(size, consumer, producer),
                   tigon_ring_distance(size, consumer, address), length);
}

/* The buffer never holds all of it, so it waits for ever, and all frames behind it. */
static __attribute__((cold, noinline)) void mention_long(struct tigon_board *board,
                                                         struct descriptor descriptor) {
    if (tigon_board_odd(board, TIGON_ODD_FRAME_LONG))
        tigon_board_log(board,
                        "transmit descriptor of %" PRIu32 " bytes, more than the transmit buffer "
                        "can hold (%" PRIu32 " bytes less 8): it will never leave",
                        descriptor.length, tigon_transmit_buffer_size(board));
}

/* Is the data of the frame at ring offset `slot` there in time? */
static void judge(struct tigon_board *board, uint32_t slot) {
    struct tigon_transmit *mac = &board->transmit;
    const struct descriptor descriptor = descriptor_at(board, slot);
    uint32_t final;
    uint64_t data_start, worst_end;
    if (descriptor.length > tigon_transmit_buffer_size(board) - 8u)
        mention_long(board, descriptor);
    if (covers(board, TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_PRODUCER), descriptor.address,
               descriptor.length)) {
        mac->ready = true;
        mac->ready_early = false;
        mac->ready_at = board->now + tigon_ticks_from_ns(board->knobs.transmit_start_ns);
        return;
    }
    if (!board->knobs.transmit_cut_through ||
        !tigon_dma_handing_over(board, &final, &data_start, &worst_end) ||
        !covers(board, final, descriptor.address, descriptor.length))
        return;
    /* Preamble and frame must last until the data is complete; the CRC after it is margin. */
    const uint64_t duration =
        (uint64_t)(TIGON_FRAME_PREAMBLE + sent_length(descriptor)) * TIGON_TICKS_PER_WIRE_BYTE;
    const uint64_t first = data_start > board->now ? data_start : board->now;
    const uint64_t earliest = first + tigon_ticks_from_ns(board->knobs.transmit_start_ns);
    mac->ready = true;
    mac->ready_early = true;
    mac->ready_at =
        worst_end > duration && worst_end - duration > earliest ? worst_end - duration : earliest;
}

static bool usable(const struct tigon_board *board) {
    const uint32_t state = TIGON_WORD(board, TIGON_TRANSMIT_STATE);
    return (state & TIGON_TRANSMIT_ENABLE) &&
           !(state & (TIGON_TRANSMIT_RESET | TIGON_TRANSMIT_STOP));
}

void tigon_transmit_evaluate(struct tigon_board *board) {
    struct tigon_transmit *mac = &board->transmit;
    uint64_t start;
    if (!usable(board))
        return;
    if (mac->pause_wanted >= 0) {
        if (mac->busy)
            return;
        start =
            board->now; /* our PAUSE frames go ahead of data and are not held back by the peer's */
    } else {
        uint32_t slot = mac->consumer;
        if (tigon_transmit_buffer_size(board) < 16u)
            return;
        if (mac->busy && !mac->sending_pause)
            slot = next_slot(slot);
        if (slot == mac->producer)
            return;
        if (!mac->ready)
            judge(board, slot);
        if (!mac->ready || mac->busy)
            return;
        start = mac->ready_at;
        if (start < mac->paused_until)
            start = mac->paused_until;
    }
    if (start < mac->gap_end)
        start = mac->gap_end;
    if (!tigon_event_pending(&mac->start) || start < mac->start.ticks)
        tigon_board_schedule(board, &mac->start, start);
}

static __attribute__((cold, noinline)) void mention_odd(struct tigon_board *board,
                                                        struct descriptor descriptor) {
    const uint32_t from = TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    const uint32_t to = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    if (descriptor.length < HEADER_BYTES && tigon_board_odd(board, TIGON_ODD_FRAME_SHORT))
        tigon_board_log(board,
                        "transmit descriptor of %" PRIu32 " bytes, which is no Ethernet header: "
                        "it is sent, padded with zeros",
                        descriptor.length);
    if ((descriptor.address < from || descriptor.address >= to) &&
        tigon_board_odd(board, TIGON_ODD_FRAME_ADDRESS))
        tigon_board_log(board,
                        "transmit descriptor of a frame at 0x%06" PRIX32 ", outside the transmit "
                        "buffer from 0x%06" PRIX32 " to 0x%06" PRIX32,
                        descriptor.address, from, to);
}

static void begin(void *context, uint64_t ticks) {
    struct tigon_board *board = context;
    struct tigon_transmit *mac = &board->transmit;
    uint32_t length = TIGON_FRAME_MINIMUM;
    board->now = ticks;
    if (!usable(board))
        return; /* stopped meanwhile; tested again when that ends */
    mac->sending_pause = mac->pause_wanted >= 0;
    if (!mac->sending_pause) {
        if (!mac->ready || ticks < mac->ready_at || ticks < mac->paused_until) {
            tigon_transmit_evaluate(board);
            return;
        }
        const struct descriptor descriptor = descriptor_at(board, mac->consumer);
        length = sent_length(descriptor);
        if (descriptor.length < HEADER_BYTES ||
            descriptor.address - TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE) >=
                tigon_transmit_buffer_size(board))
            mention_odd(board, descriptor);
        tigon_bus_stream_begin(&board->bus, TIGON_BUS_MAC_TRANSMIT, tigon_board_cycle(board),
                               (uint32_t)((64u * TIGON_TICKS_PER_NS << 16) / TIGON_TICKS_PER_CYCLE),
                               (length + 7u) / 8u + 1u);
        board->statistics.transmit_cut_through += mac->ready_early;
    }
    mac->ready = false;
    mac->busy = true;
    mac->started = ticks;
    tigon_board_signal(board, TIGON_SIGNAL_TRANSMIT, 1);
    tigon_board_schedule(board, &mac->end,
                         ticks + wire_bytes(length) * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE);
    tigon_transmit_evaluate(board);
}

/* Copies out of the buffer, round its end if need be. */
static inline void take_bytes(const struct tigon_board *board, uint32_t address, uint32_t length,
                              uint8_t *bytes) {
    const uint32_t end = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
    uint32_t first = length;
    if (__builtin_expect(tigon_local_end(board, address, length) != address + length, 0) &&
        end - address < length)
        first = end - address;
    tigon_memory_read(&board->memory, address, bytes, first);
    if (first < length)
        tigon_memory_read(&board->memory, TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE),
                          bytes + first, length - first);
}

static __attribute__((cold, noinline)) void
insert_vlan(const struct tigon_board *board, uint8_t *bytes, uint32_t length, uint32_t tag) {
    const uint32_t type = TIGON_WORD(board, TIGON_VLAN_AND_GAPS) >> 16;
    memmove(bytes + ADDRESS_BYTES + VLAN_BYTES, bytes + ADDRESS_BYTES, length - ADDRESS_BYTES);
    bytes[ADDRESS_BYTES] = (uint8_t)(type >> 8);
    bytes[ADDRESS_BYTES + 1] = (uint8_t)type;
    bytes[ADDRESS_BYTES + 2] = (uint8_t)(tag >> 8);
    bytes[ADDRESS_BYTES + 3] = (uint8_t)tag;
}

static __attribute__((cold, noinline)) void fill_pause(const struct tigon_board *board,
                                                       uint8_t *bytes, uint32_t quanta) {
    static const uint8_t group[6] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01};
    const uint32_t high = TIGON_WORD(board, TIGON_MAC_ADDRESS_HIGH);
    const uint32_t low = TIGON_WORD(board, TIGON_MAC_ADDRESS_LOW);
    memset(bytes, 0, TIGON_FRAME_MINIMUM);
    memcpy(bytes, group, sizeof group);
    tigon_store_be16(bytes + 6, (uint16_t)high);
    tigon_store_be32(bytes + 8, low);
    tigon_store_be16(bytes + 12, 0x8808);
    tigon_store_be16(bytes + 14, 0x0001);
    tigon_store_be16(bytes + 16, (uint16_t)quanta);
}

static void send_descriptor(struct tigon_board *board, struct tigon_frame *frame) {
    struct tigon_transmit *mac = &board->transmit;
    const struct descriptor descriptor = descriptor_at(board, mac->consumer);
    const uint32_t end = frame_end(board, descriptor);
    bool underrun = false;
    uint32_t length = descriptor.length;
    if (tigon_transmit_buffer_size(board) >= 16u)
        underrun = !covers(board, TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_PRODUCER),
                           descriptor.address, descriptor.length);
    take_bytes(board, descriptor.address, length, frame->bytes);
    if (descriptor.insert && length >= ADDRESS_BYTES) {
        insert_vlan(board, frame->bytes, length, descriptor.tag);
        length += VLAN_BYTES;
    }
    if (__builtin_expect(underrun, 0)) {
        tigon_statistic_count(board, TIGON_STATISTIC_UNDERRUNS);
        TIGON_WORD(board, TIGON_TRANSMIT_STATE) |= TIGON_TRANSMIT_UNDERRUN;
        /* The consumer passes the rest of the frame; the producer must not stay behind it. */
        TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_PRODUCER) = end;
    }
    tigon_frame_finish(frame, length, underrun);
    board->statistics.transmit_frames++;
    board->statistics.transmit_bytes += length;
    mac->consumer = next_slot(mac->consumer);
    TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_CONSUMER) = rounded(board, end);
}

static void finish(void *context, uint64_t ticks) {
    struct tigon_board *board = context;
    struct tigon_transmit *mac = &board->transmit;
    struct tigon_frame *frame = tigon_frame_take(board->frames);
    board->now = ticks;
    if (mac->sending_pause) {
        fill_pause(board, frame->bytes, (uint32_t)mac->pause_wanted);
        tigon_frame_finish(frame, TIGON_FRAME_MINIMUM, false);
        mac->pause_wanted = -1;
    } else {
        send_descriptor(board, frame);
    }
    mac->busy = false;
    mac->sending_pause = false;
    mac->gap_end = ticks + TIGON_FRAME_GAP * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
    tigon_board_signal(board, TIGON_SIGNAL_TRANSMIT, 0);
    tigon_link_send(board, frame, mac->started);
    tigon_transmit_evaluate(board);
    tigon_board_changed(board);
}

static void view_pointer(const struct tigon_board *board, uint32_t offset,
                         struct tigon_register_view *view) {
    const struct tigon_transmit *mac = &board->transmit;
    if (offset != TIGON_TRANSMIT_RING_PRODUCER && offset != TIGON_TRANSMIT_RING_CONSUMER &&
        offset != TIGON_TRANSMIT_RING_REFERENCE)
        return;
    view->word = offset == TIGON_TRANSMIT_RING_PRODUCER   ? &mac->producer
                 : offset == TIGON_TRANSMIT_RING_CONSUMER ? &mac->consumer
                                                          : &mac->reference;
    view->base = &TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    view->constant = 0u - RING_BELOW_TRANSMIT;
    view->mask = RING_SPACE_MASK;
}

/* Drops the frame in progress; ring and buffer pointers stay until the MAC is set up again. */
static void drop_frame(struct tigon_board *board) {
    struct tigon_transmit *mac = &board->transmit;
    tigon_schedule_cancel(board->schedule, &mac->start);
    tigon_schedule_cancel(board->schedule, &mac->end);
    mac->busy = false;
    mac->sending_pause = false;
    mac->ready = false;
    mac->paused_until = 0;
    mac->pause_wanted = -1;
    tigon_board_signal(board, TIGON_SIGNAL_TRANSMIT, 0);
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    const struct tigon_transmit *mac = &board->transmit;
    switch (offset) {
    case TIGON_TRANSMIT_RING_PRODUCER:
        return ring_address(board, mac->producer);
    case TIGON_TRANSMIT_RING_CONSUMER:
        return ring_address(board, mac->consumer);
    case TIGON_TRANSMIT_RING_REFERENCE:
        return ring_address(board, mac->reference);
    case TIGON_TRANSMIT_RING_NEXT: {
        const uint32_t limit =
            board->knobs.transmit_full_by_reference ? mac->reference : mac->consumer;
        return next_slot(mac->producer) == limit ? 0 : ring_address(board, mac->producer);
    }
    default:
        return TIGON_WORD(board, offset);
    }
}

static void write_state(struct tigon_board *board, uint32_t value) {
    uint32_t *word = &TIGON_WORD(board, TIGON_TRANSMIT_STATE);
    const uint32_t attentions = *word & TIGON_TRANSMIT_ATTENTIONS & ~value;
    if (value & TIGON_TRANSMIT_RESET)
        drop_frame(board);
    /* Reset is an action, not a state: the bit reads back 0. */
    *word = (value & ~(TIGON_TRANSMIT_ATTENTIONS | TIGON_TRANSMIT_RESET)) |
            (value & TIGON_TRANSMIT_RESET ? 0 : attentions);
    tigon_link_look(board); /* bit 1 decides between configuration words and idle */
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    struct tigon_transmit *mac = &board->transmit;
    const uint32_t in_ring = value & (RING_BYTES - DESCRIPTOR_BYTES);
    switch (offset) {
    case TIGON_TRANSMIT_RING_PRODUCER:
        mac->producer = in_ring;
        break;
    case TIGON_TRANSMIT_RING_CONSUMER:
        mac->consumer = in_ring;
        mac->ready = false;
        break;
    case TIGON_TRANSMIT_RING_REFERENCE:
        mac->reference = in_ring;
        break;
    case TIGON_TRANSMIT_RING_NEXT:
        return;
    case TIGON_TRANSMIT_STATE:
        write_state(board, value);
        break;
    case TIGON_TRANSMIT_BUFFER_CONSUMER:
        mac->ready = false; /* readiness was judged from the old one */
        break;
    default:
        break; /* HW[0D4]: stored already */
    }
    tigon_transmit_evaluate(board);
    tigon_board_changed(board);
}

void tigon_transmit_fed(struct tigon_board *board, uint32_t producer) {
    tigon_board_before_change(board);
    TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_PRODUCER) = producer;
    tigon_transmit_evaluate(board);
    tigon_board_changed(board);
}

void tigon_transmit_hold(struct tigon_board *board, uint32_t quanta) {
    struct tigon_transmit *mac = &board->transmit;
    mac->paused_until = board->now + tigon_ticks_from_ns((uint64_t)quanta * PAUSE_QUANTUM_NS);
    if (tigon_event_pending(&mac->start) && mac->pause_wanted < 0)
        tigon_schedule_cancel(board->schedule, &mac->start);
    tigon_transmit_evaluate(board);
}

void tigon_transmit_send_pause(struct tigon_board *board, uint32_t quanta) {
    if (!(TIGON_WORD(board, TIGON_TRANSMIT_STATE) & TIGON_TRANSMIT_PAUSE))
        return;
    board->transmit.pause_wanted = (int32_t)(quanta & 0xFFFFu);
    tigon_transmit_evaluate(board);
}

static void initialise(struct tigon_board *board) {
    tigon_event_initialise(&board->transmit.start, begin, board);
    tigon_event_initialise(&board->transmit.end, finish, board);
    board->transmit.pause_wanted = -1;
}

static void reset(struct tigon_board *board) {
    drop_frame(board);
    board->transmit.producer = board->transmit.consumer = board->transmit.reference = 0;
}

static const struct tigon_register_description registers[] = {
    {0x0D0, 1, "transmit buffer base", TIGON_PLAIN, 0, 0xFFFFFFFF},      /* 6.1 */
    {0x0D4, 1, "transmit buffer producer", TIGON_STORED, 0, 0xFFFFFFFF}, /* 6.1 */
    {0x0D8, 1, "transmit buffer consumer", TIGON_STORED, 0, 0xFFFFFFFF}, /* 6.1 */
    {0x0EC, 1, "next-register enable", TIGON_PLAIN, 0, 0xFFFFFFFF},      /* 14 row 11 */
    {0x0F0, 3, "transmit descriptor pointer", TIGON_READS_WRITES, 0, 0}, /* 6.1 */
    {0x0FC, 1, "transmit descriptor next", TIGON_READS_WRITES, 0, 0},    /* 6.1 */
    {0x200, 1, "MAC transmit state", TIGON_READS_WRITES, 0, 0},          /* 6.4 */
    {0x210, 1, "back-off seed", TIGON_PLAIN, 0, 0xFFFFFFFF},             /* 3.1 */
    {0x214, 1, "VLAN type and gaps", TIGON_PLAIN, 0, 0xFFFFFFFF},        /* 3.1 */
    {0x21C, 1, "MAC thresholds", TIGON_PLAIN, 0, 0xFFFFFFFF},            /* 3.1 */
    {0x23C, 1, "MAC undescribed", TIGON_PLAIN, 0, 0xFFFFFFFF},           /* 3.1 */
};

const struct tigon_device tigon_transmit_device = {
    .name = "transmit",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .initialise = initialise,
    .reset = reset,
    .lose_power = drop_frame,
    .read = read_register,
    .write = write_register,
    .view = view_pointer,
    .steady = true,
    .read_shows_state = true,
};
