/* SPDX-License-Identifier: MIT */
/*
 * DMA engines and assist (tigon2.md 5).
 *
 * One transfer passes IDLE -> (FETCH by the assist) -> LATENCY -> DATA -> (FINISH) -> IDLE. Bytes
 * move all at once at the end of DATA: no part may read a buffer under DMA, and cut-through
 * (mac_transmit.c) only promises times.
 *
 * The effects of bits 17, 19 and 21 belong to the engine and so also occur in transfers started by
 * hand. A software assist that copies HW[0B4] to HW[0D4] itself stores the value that is already
 * there. The known one does so, which may mean that the chip leaves bit 17 to it: knob
 * hand_dma_feeds_mac.
 *
 * A ring transfer that fails leaves the consumer unchanged and the engine stuck. The image must
 * recover it (tigon2.md 13 item 7): pause, bit 0 of the state word, rewrite the consumer (with the
 * same value to try again, with the next slot to give up), unpause.
 */
#include "sim/chip/dma.h"

#include <inttypes.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/faults/fault_set.h"
#include "sim/chip/mac_buffer.h"

#define DESCRIPTOR_BYTES 32u
#define HIGH_BYTES       (64u * DESCRIPTOR_BYTES)
#define LOW_BYTES        (32u * DESCRIPTOR_BYTES)
#define RING_SPACE_MASK  0x1FFFFFu /* ring addresses live in the 2 MB space of tigon2.md 2.3 */

struct tigon_dma_wiring {
    uint32_t host_high, state, local, length, checksum;
    uint32_t ring[2]; /* register offset of the producer */
    uint32_t
        below_transmit[2]; /* ring start = HW[0D0] - this (tigon2.md 2.3; low rings 14 row 10) */
    enum tigon_bus_master master;
    enum tigon_signal signal;
};

static const struct tigon_dma_wiring wirings[2] = {
    [TIGON_DMA_READ] = {TIGON_DMA_READ_HOST_HIGH,
                        TIGON_DMA_READ_STATE,
                        TIGON_DMA_READ_LOCAL,
                        TIGON_DMA_READ_LENGTH,
                        TIGON_DMA_READ_CHECKSUM,
                        {TIGON_DMA_READ_RING_HIGH, TIGON_DMA_READ_RING_LOW},
                        {0x1000, 0x3000},
                        TIGON_BUS_DMA_READ,
                        TIGON_SIGNAL_DMA_READ},
    [TIGON_DMA_WRITE] = {TIGON_DMA_WRITE_HOST_HIGH,
                         TIGON_DMA_WRITE_STATE,
                         TIGON_DMA_WRITE_LOCAL,
                         TIGON_DMA_WRITE_LENGTH,
                         TIGON_DMA_WRITE_CHECKSUM,
                         {TIGON_DMA_WRITE_RING_HIGH, TIGON_DMA_WRITE_RING_LOW},
                         {0x0800, 0x2C00},
                         TIGON_BUS_DMA_WRITE,
                         TIGON_SIGNAL_DMA_WRITE},
};

static const uint32_t ring_bytes[2] = {HIGH_BYTES, LOW_BYTES};

static struct tigon_dma_statistics *counters(struct tigon_dma_engine *engine) {
    struct tigon_statistics *statistics = &engine->board->statistics;
    return engine->number == TIGON_DMA_READ ? &statistics->dma_read : &statistics->dma_write;
}

static uint32_t ring_address(const struct tigon_dma_engine *engine, unsigned ring,
                             uint32_t offset) {
    const uint32_t base = TIGON_WORD(engine->board, TIGON_TRANSMIT_BUFFER_BASE);
    return (base - engine->wiring->below_transmit[ring] + offset) & RING_SPACE_MASK;
}

/* Writes local memory, or reads it, in the contiguous pieces of a range that may wrap. */
static inline void local_pieces(struct tigon_board *board, uint32_t address, uint32_t length,
                                uint8_t *bytes, bool write) {
    while (length) {
        uint32_t run = length;
        /* The longest length for which simple addition gives the end without wrapping. */
        if (__builtin_expect(tigon_local_end(board, address, length) != address + length, 0)) {
            const uint32_t receive = TIGON_WORD(board, TIGON_RECEIVE_BUFFER_BASE);
            run = (address < receive ? receive : TIGON_SRAM_SPACE_END) - address;
            if (run > length)
                run = length;
        }
        if (write)
            tigon_memory_write(&board->memory, address, bytes, run);
        else
            tigon_memory_read(&board->memory, address, bytes, run);
        bytes += run;
        address = tigon_local_end(board, address, run);
        length -= run;
    }
}

/* Word order (tigon2.md 5.2 bit 1, little-endian host): the bytes of each group of four, counted
 * from the start of the transfer, are reversed; a shorter last group is reversed within itself, so
 * that no byte outside the stated range is ever touched. */
static void reverse_words(uint8_t *bytes, uint32_t length) {
    uint32_t start = 0;
    for (; length - start >= 4; start += 4) {
        uint32_t word;
        memcpy(&word, bytes + start, sizeof word);
        word = __builtin_bswap32(word);
        memcpy(bytes + start, &word, sizeof word);
    }
    for (uint32_t low = start, high = length; low + 1 < high; low++) {
        const uint8_t keep = bytes[low];
        bytes[low] = bytes[--high];
        bytes[high] = keep;
    }
}

/* 16-bit one's-complement sum of big-endian pairs. A byte at an even local address is the high one
 * of its pair, so that pieces of any length sum up as the whole does (tigon2.md 16.6). */
static uint32_t add_sum(uint32_t sum, uint32_t address, const uint8_t *bytes, uint32_t length) {
    uint64_t total = sum;
    uint32_t i = 0;
    if (address & 1u && length)
        total += bytes[i++];
    for (; i + 1 < length; i += 2)
        total += (uint32_t)bytes[i] << 8 | bytes[i + 1];
    if (i < length)
        total += (uint32_t)bytes[i] << 8;
    while (total >> 16)
        total = (total & 0xFFFF) + (total >> 16);
    return (uint32_t)total;
}

/* Does the end of this transfer move HW[0D4]? */
static bool hands_over(const struct tigon_dma_engine *engine) {
    const uint32_t word = TIGON_WORD(engine->board, TIGON_DMA_READ_STATE);
    return engine->number == TIGON_DMA_READ && (word & TIGON_DMA_HAND_TO_MAC) != 0 &&
           (engine->ring >= 0 || engine->board->knobs.hand_dma_feeds_mac);
}

static __attribute__((noinline)) void sum_up(struct tigon_dma_engine *engine,
                                             const uint8_t *bytes) {
    if (*engine->state & TIGON_DMA_RESTART_SUM)
        engine->sum = 0;
    engine->sum = add_sum(engine->sum, engine->local_address, bytes, engine->length);
    TIGON_WORD(engine->board, engine->wiring->checksum) = engine->sum;
}

/* The checksum is that of the bytes as they are in board memory. Host memory, which other parts may
 * read, only receives bytes in their final order. */
static void move_bytes(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    const uint32_t length = engine->length;
    const uint32_t word = *engine->state;
    const bool words = (word & TIGON_DMA_WORDS) != 0;
    uint8_t reversed[65536];
    uint8_t *memory = engine->host_bytes;
    uint8_t *bytes = words ? reversed : memory;
    if (!memory || length == 0)
        return;
    if (engine->number == TIGON_DMA_READ) {
        if (words) {
            memcpy(bytes, memory, length);
            reverse_words(bytes, length);
        }
        local_pieces(board, engine->local_address, length, bytes, true);
        if (word & TIGON_DMA_CHECKSUM)
            sum_up(engine, bytes);
    } else {
        local_pieces(board, engine->local_address, length, bytes, false);
        if (word & TIGON_DMA_CHECKSUM)
            sum_up(engine, bytes);
        if (words) {
            reverse_words(bytes, length);
            memcpy(memory, bytes, length);
        }
        const struct tigon_host_side *host = &board->host_side;
        if (host->memory_written)
            host->memory_written(host->host, engine->host_address, length, board->now);
    }
}

/* Event bit 12 to 15 of a ring: is the consumer beyond the reference? Firmware that queues a batch
 * puts the reference at its end, ahead of the consumer, and gets the event when the whole batch is
 * done: the distance to the producer distinguishes ahead from behind (tigon2.md 16.3). */
static void show_ring(struct tigon_dma_engine *engine, unsigned ring) {
    const struct tigon_dma_ring *pointers = &engine->rings[ring];
    const uint32_t mask = ring_bytes[ring] - 1u;
    const uint32_t done = (pointers->consumer - pointers->reference) & mask;
    const uint32_t bit = TIGON_EVENT_READ_HIGH >> (engine->number + 2u * ring);
    tigon_event_level(&engine->board->events.common, bit,
                      done && done <= ((pointers->producer - pointers->reference) & mask));
}
_Static_assert(TIGON_EVENT_WRITE_HIGH == TIGON_EVENT_READ_HIGH >> 1 &&
                   TIGON_EVENT_READ_LOW == TIGON_EVENT_READ_HIGH >> 2 &&
                   TIGON_EVENT_WRITE_LOW == TIGON_EVENT_READ_HIGH >> 3,
               "by engine, then by ring");

static void take_next(struct tigon_dma_engine *engine);

static inline bool has_work(const struct tigon_dma_engine *engine) {
    const struct tigon_dma_ring *high = &engine->rings[TIGON_DMA_HIGH];
    const struct tigon_dma_ring *low = &engine->rings[TIGON_DMA_LOW];
    return high->producer != high->consumer || low->producer != low->consumer;
}

/* An engine may have something to do. */
static inline void kick(struct tigon_dma_engine *engine) {
    if (engine->phase == TIGON_DMA_IDLE && has_work(engine))
        take_next(engine);
}

static void kick_both(struct tigon_board *board) {
    kick(&board->dma.engine[TIGON_DMA_READ]);
    kick(&board->dma.engine[TIGON_DMA_WRITE]);
}

/* Tells observers of a transfer that is over. */
static __attribute__((noinline)) void tell(const struct tigon_dma_engine *engine,
                                           uint32_t attention, bool stopped) {
    const struct tigon_board *board = engine->board;
    const struct tigon_transfer transfer = {
        .board = board,
        .write = engine->number == TIGON_DMA_WRITE,
        .ring = engine->ring,
        .host_address = engine->host_address,
        .local_address = engine->local_address,
        .length = engine->length,
        .attention = attention,
        .stopped = stopped,
        .started = engine->begun,
        .ended = board->now,
    };
    tigon_observers_transfer(board->observers, &transfer);
}

static __attribute__((cold, noinline)) void fail(struct tigon_dma_engine *engine,
                                                 uint32_t attention) {
    tell(engine, attention, false);
    counters(engine)->errors++;
    if (attention & TIGON_DMA_MASTER_ABORT)
        tigon_pci_master_aborted(engine->board);
    *engine->state = (*engine->state & ~TIGON_DMA_BUSY) | attention;
    engine->phase = engine->ring >= 0 ? TIGON_DMA_STUCK : TIGON_DMA_IDLE;
    tigon_board_signal(engine->board, engine->wiring->signal, 0);
    kick_both(engine->board);
    tigon_board_changed(engine->board);
}

/* A transfer that ends exactly on a 4 GB line is complete, but raises a false attention and stops
 * the engine (tigon2.md 13 item 7). */
static __attribute__((cold, noinline)) void overflow(struct tigon_dma_engine *engine) {
    if (!engine->length)
        return;
    *engine->state |= TIGON_DMA_ADDRESS_OVERFLOW;
    if (engine->ring >= 0)
        engine->phase = TIGON_DMA_STUCK;
}

static __attribute__((cold, noinline)) void store_sum(struct tigon_dma_engine *engine) {
    const uint8_t sum[2] = {(uint8_t)(engine->sum >> 8), (uint8_t)engine->sum};
    tigon_memory_write(&engine->board->memory, engine->checksum_address & ~1u, sum, sizeof sum);
}

static void complete(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    struct tigon_dma_statistics *statistics = counters(engine);
    const uint32_t word = *engine->state;
    const uint32_t end = tigon_local_end(board, engine->local_address, engine->length);
    const bool read = engine->number == TIGON_DMA_READ;

    if (board->observers->count)
        tell(engine, 0, false);
    *engine->local = end;
    *engine->length_left = 0;
    statistics->transfers++;
    statistics->bytes += engine->length;
    statistics->busy_ns += tigon_ns_from_ticks(board->now - engine->begun);
    if ((word & TIGON_DMA_CHECKSUM) && (word & TIGON_DMA_STORE_SUM) && engine->ring >= 0)
        store_sum(engine);
    if (engine->ring >= 0) {
        struct tigon_dma_ring *ring = &engine->rings[engine->ring];
        ring->consumer = (ring->consumer + DESCRIPTOR_BYTES) & (ring_bytes[engine->ring] - 1u);
        show_ring(engine, (unsigned)engine->ring);
        if (engine->ring == TIGON_DMA_HIGH)
            statistics->ring_high++;
        else
            statistics->ring_low++;
    }
    *engine->state &= ~TIGON_DMA_BUSY;
    engine->phase = TIGON_DMA_IDLE;
    tigon_board_signal(board, engine->wiring->signal, 0);

    if (hands_over(engine))
        tigon_transmit_fed(board, end);
    if (!read && (word & TIGON_DMA_FREE_RECEIVE))
        tigon_receive_freed(board, tigon_local_end(board, end & ~7u, (end & 7u) ? 8u : 0u));
    if (!read && (word & TIGON_DMA_INTERRUPT))
        tigon_host_interrupt_set(board, true);

    if (__builtin_expect((uint32_t)(engine->host_address + engine->length) == 0, 0))
        overflow(engine);
    kick_both(board);
    tigon_board_changed(board);
}

static __attribute__((cold, noinline)) void mention_oddity(const struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    const char *what = engine->number == TIGON_DMA_READ ? "read" : "write";
    if (engine->local_address >= TIGON_SRAM_WINDOW && tigon_board_odd(board, TIGON_ODD_DMA_LOCAL))
        tigon_board_log(board,
                        "DMA %s with local address 0x%08" PRIX32 ", where no SRAM is (DMA does not "
                        "reach scratchpads); SRAM at 0x%06" PRIX32 " is taken",
                        what, engine->local_address,
                        engine->local_address & board->memory.sram_mask);
    if (engine->length == 0 && tigon_board_odd(board, TIGON_ODD_DMA_EMPTY))
        tigon_board_log(board, "DMA %s of 0 bytes: nothing is moved, all else happens", what);
}

/* Asks for the bus for the request that is loaded. */
static void send_out(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    const struct tigon_knobs *knobs = &board->knobs;
    const uint64_t latency_ns =
        engine->number == TIGON_DMA_READ ? knobs->pci_read_latency_ns : knobs->pci_write_latency_ns;
    engine->phase = TIGON_DMA_LATENCY;
    engine->data_start = board->now + tigon_ticks_from_ns(latency_ns);
    engine->held = !tigon_pci_is_master(board);
    if (engine->hung || engine->held)
        return; /* until software stops it, or the host gives the bus */
    tigon_board_schedule(board, &engine->event, engine->data_start);
    if (hands_over(engine))
        tigon_transmit_evaluate(board);
}

/* Loads the request that the registers describe and sends it out. */
static void request(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    engine->host_address = (uint64_t)engine->host[0] << 32 | engine->host[1];
    engine->local_address = *engine->local;
    engine->length = *engine->length_left & 0xFFFFu;
    if (engine->local_address >= TIGON_SRAM_WINDOW || engine->length == 0)
        mention_oddity(engine);
    engine->fail = engine->fail_next;
    engine->fail_next = 0;
    engine->hung = engine->hang_next;
    engine->hang_next = false;
    if (__builtin_expect(board->faults != NULL, 0)) {
        const struct tigon_dma_fate fate =
            tigon_faults_of_dma(board->faults, engine->number, engine->requests, board->now);
        engine->fail |= fate.attention;
        engine->hung |= fate.hang;
    }
    engine->requests++;
    /* For the end, too: host memory neither moves nor shrinks. */
    engine->host_bytes = tigon_pci_memory(board, engine->host_address, engine->length);
    if (!engine->fail && !engine->host_bytes)
        engine->fail = TIGON_DMA_MASTER_ABORT;
    if (!engine->fail && engine->length &&
        (uint32_t)engine->host_address > (uint32_t)(engine->host_address + engine->length - 1))
        engine->fail = TIGON_DMA_ADDRESS_OVERFLOW; /* the address counter has 32 bits */
    send_out(engine);
}

static void fetch(struct tigon_dma_engine *engine, unsigned ring) {
    struct tigon_board *board = engine->board;
    engine->ring = (int)ring;
    engine->descriptor = ring_address(engine, ring, engine->rings[ring].consumer);
    engine->phase = TIGON_DMA_FETCH;
    engine->begun = board->now;
    *engine->state |= TIGON_DMA_BUSY;
    tigon_board_signal(board, engine->wiring->signal, 1);
    tigon_bus_stream_begin(&board->bus, engine->wiring->master, tigon_board_cycle(board), 1u << 16,
                           DESCRIPTOR_BYTES / 8u);
    tigon_board_schedule(board, &engine->event,
                         board->now + tigon_ticks_from_cycles(board->knobs.assist_fetch_cycles));
}

static void fetched(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    const struct tigon_memory *memory = &board->memory;
    const uint32_t at = engine->descriptor;
    engine->host[0] = tigon_memory_read32(memory, at);
    engine->host[1] = tigon_memory_read32(memory, at + 4u);
    *engine->local = tigon_memory_read32(memory, at + 8u);
    *engine->length_left = tigon_memory_read32(memory, at + 12u) & 0xFFFFu;
    engine->checksum_address = tigon_memory_read32(memory, at + 20u);
    /* The reset and attention bits of a descriptor have no effect; the model sets busy. */
    *engine->state =
        (tigon_memory_read32(memory, at + 16u) & ~(TIGON_DMA_ATTENTIONS | TIGON_DMA_RESET)) |
        TIGON_DMA_BUSY;
    request(engine);
}

/* The assist takes the next descriptor, of which there are, if it may. */
static __attribute__((noinline)) void take_next(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    const uint32_t assist = TIGON_WORD(board, TIGON_DMA_ASSIST);
    if (*engine->state & TIGON_DMA_ATTENTIONS)
        return;
    if (!(assist & TIGON_ASSIST_ENABLE) || (assist & TIGON_ASSIST_PAUSE))
        return;
    if (assist & TIGON_ASSIST_ONE) {
        const enum tigon_dma_phase other = board->dma.engine[1 - engine->number].phase;
        if (other != TIGON_DMA_IDLE && other != TIGON_DMA_STUCK)
            return;
    }
    const struct tigon_dma_ring *high = &engine->rings[TIGON_DMA_HIGH];
    fetch(engine, high->producer != high->consumer ? TIGON_DMA_HIGH : TIGON_DMA_LOW);
}

static void data_through(struct tigon_board *board, unsigned channel) {
    struct tigon_dma_engine *engine = &board->dma.engine[channel];
    move_bytes(engine);
    if (engine->ring < 0) {
        complete(engine);
        return;
    }
    engine->phase = TIGON_DMA_FINISH;
    tigon_board_schedule(board, &engine->event,
                         board->now + tigon_ticks_from_cycles(board->knobs.assist_finish_cycles));
}

static void step(void *context, uint64_t ticks) {
    struct tigon_dma_engine *engine = context;
    struct tigon_board *board = engine->board;
    board->now = ticks;
    switch (engine->phase) {
    case TIGON_DMA_FETCH:
        fetched(engine);
        break;
    case TIGON_DMA_LATENCY:
        if (engine->fail) {
            fail(engine, engine->fail);
            break;
        }
        engine->phase = TIGON_DMA_DATA;
        if (engine->length)
            tigon_bus_stream_begin(&board->bus, engine->wiring->master, tigon_board_cycle(board),
                                   board->pci.channel[engine->number].cycles_per_beat,
                                   (engine->length + 7u) / 8u);
        tigon_pci_begin(board, engine->number, engine->length);
        break;
    case TIGON_DMA_FINISH:
        complete(engine);
        break;
    default:
        break;
    }
}

/* Takes back what the engine has begun on the bus. */
static void leave_bus(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    tigon_schedule_cancel(board->schedule, &engine->event);
    if (engine->phase == TIGON_DMA_DATA)
        tigon_bus_stream_cancel(&board->bus, engine->wiring->master, tigon_board_cycle(board));
    tigon_pci_abort(board, engine->number);
}

/* Drops whatever the engine does, without completing it. */
static void stop(struct tigon_dma_engine *engine) {
    struct tigon_board *board = engine->board;
    if (engine->phase != TIGON_DMA_IDLE && engine->phase != TIGON_DMA_STUCK)
        tell(engine, 0, true);
    leave_bus(engine);
    engine->phase = TIGON_DMA_IDLE;
    *engine->state &= ~TIGON_DMA_BUSY;
    tigon_board_signal(board, engine->wiring->signal, 0);
}

/* A transfer that loses the bus begins anew when it has it again: no byte moves meanwhile. */
void tigon_dma_master_changed(struct tigon_board *board) {
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_dma_engine *engine = &board->dma.engine[i];
        const bool moves = engine->phase == TIGON_DMA_LATENCY || engine->phase == TIGON_DMA_DATA;
        if (!moves || engine->held == !tigon_pci_is_master(board))
            continue;
        leave_bus(engine);
        send_out(engine);
    }
}

static void write_state(struct tigon_dma_engine *engine, uint32_t value) {
    struct tigon_board *board = engine->board;
    uint32_t *word = engine->state;
    const bool busy = (*word & TIGON_DMA_BUSY) != 0;
    if (value & TIGON_DMA_RESET) {
        stop(engine);
        *word &= ~TIGON_DMA_ATTENTIONS;
    } else if (busy && !(value & TIGON_DMA_BUSY)) {
        stop(engine); /* "cleared by hand" after a hang (tigon2.md 5.2 bit 23) */
    } else if (busy) {
        return; /* the engine has its copy, which later writes do not change */
    }
    *word = (*word & TIGON_DMA_ATTENTIONS) |
            (value & ~(TIGON_DMA_ATTENTIONS | TIGON_DMA_RESET | TIGON_DMA_BUSY));
    if ((value & TIGON_DMA_BUSY) && !(value & TIGON_DMA_RESET) && !(*word & TIGON_DMA_ATTENTIONS)) {
        *word |= TIGON_DMA_BUSY;
        engine->ring = -1;
        engine->begun = board->now;
        tigon_board_signal(board, engine->wiring->signal, 1);
        request(engine);
    }
    tigon_board_changed(board);
}

/* Splits a ring register offset: engine, ring, which pointer. False for others. */
static bool ring_register(uint32_t offset, unsigned *engine, unsigned *ring, unsigned *pointer) {
    if (offset < TIGON_DMA_READ_RING_HIGH || offset >= TIGON_DMA_WRITE_RING_LOW + 12u ||
        offset == TIGON_DMA_ASSIST)
        return false;
    *engine = offset >= TIGON_DMA_WRITE_RING_HIGH;
    *ring = (offset >> 4) & 1u;
    *pointer = (offset >> 2) & 3u;
    return true;
}

static uint32_t assist_state(const struct tigon_board *board) {
    /* Bits 8, 10, 11 for the write engine, 12, 14, 15 for the read engine (tigon2.md 5.4, 14 row
     * 12). */
    uint32_t value = TIGON_WORD(board, TIGON_DMA_ASSIST);
    for (unsigned i = 0; i < 2; i++) {
        const struct tigon_dma_engine *engine = &board->dma.engine[i];
        const unsigned shift = i == TIGON_DMA_WRITE ? 8 : 12;
        if (TIGON_WORD(board, wirings[i].state) & TIGON_DMA_BUSY)
            value |= 1u << shift;
        if (engine->rings[TIGON_DMA_LOW].producer != engine->rings[TIGON_DMA_LOW].consumer)
            value |= 4u << shift;
        if (engine->rings[TIGON_DMA_HIGH].producer != engine->rings[TIGON_DMA_HIGH].consumer)
            value |= 8u << shift;
    }
    return value;
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    unsigned number_, ring, pointer;
    if (offset == TIGON_DMA_ASSIST)
        return assist_state(board);
    if (!ring_register(offset, &number_, &ring, &pointer))
        return TIGON_WORD(board, offset);
    const struct tigon_dma_engine *engine = &board->dma.engine[number_];
    const struct tigon_dma_ring *pointers = &engine->rings[ring];
    switch (pointer) {
    case 0:
        return ring_address(engine, ring, pointers->producer);
    case 1:
        return ring_address(engine, ring, pointers->consumer);
    case 2:
        return ring_address(engine, ring, pointers->reference);
    default:
        /* One slot always stays empty (tigon2.md 5.4). */
        if ((pointers->producer + DESCRIPTOR_BYTES) % ring_bytes[ring] == pointers->reference)
            return 0;
        return ring_address(engine, ring, pointers->producer);
    }
}

static void view_pointer(const struct tigon_board *board, uint32_t offset,
                         struct tigon_register_view *view) {
    unsigned number, ring, pointer;
    if (!ring_register(offset, &number, &ring, &pointer) || pointer > 2u)
        return;
    const struct tigon_dma_ring *pointers = &board->dma.engine[number].rings[ring];
    view->word = pointer == 0   ? &pointers->producer
                 : pointer == 1 ? &pointers->consumer
                                : &pointers->reference;
    view->base = &TIGON_WORD(board, TIGON_TRANSMIT_BUFFER_BASE);
    view->constant = 0u - wirings[number].below_transmit[ring];
    view->mask = RING_SPACE_MASK;
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    unsigned number_, ring, pointer;
    if (offset == TIGON_DMA_ASSIST) {
        TIGON_WORD(board, offset) =
            value & (TIGON_ASSIST_ENABLE | TIGON_ASSIST_PAUSE | TIGON_ASSIST_ONE);
        kick_both(board);
    } else if (ring_register(offset, &number_, &ring, &pointer)) {
        struct tigon_dma_engine *engine = &board->dma.engine[number_];
        /* Only the offset in the ring is kept; ring bases are multiples of the ring size when
         * HW[0D0] is aligned to 4 kB, as tigon2.md 2.3 demands. */
        value &= ring_bytes[ring] - DESCRIPTOR_BYTES;
        switch (pointer) {
        case 0:
            engine->rings[ring].producer = value;
            break;
        case 1:
            engine->rings[ring].consumer = value;
            if (engine->phase == TIGON_DMA_STUCK && !(*engine->state & TIGON_DMA_ATTENTIONS))
                engine->phase = TIGON_DMA_IDLE;
            break;
        case 2:
            engine->rings[ring].reference = value;
            break;
        default:
            return; /* "next" is read-only */
        }
        show_ring(engine, ring);
        kick(engine);
    } else {
        write_state(&board->dma.engine[offset == TIGON_DMA_WRITE_STATE], value);
        return;
    }
    tigon_board_changed(board);
}

bool tigon_dma_handing_over(const struct tigon_board *board, uint32_t *final, uint64_t *data_start,
                            uint64_t *worst_end) {
    const struct tigon_dma_engine *engine = &board->dma.engine[TIGON_DMA_READ];
    if (engine->phase != TIGON_DMA_LATENCY && engine->phase != TIGON_DMA_DATA &&
        engine->phase != TIGON_DMA_FINISH)
        return false;
    if (engine->fail || engine->hung || engine->held || !hands_over(engine))
        return false;
    *final = tigon_local_end(board, engine->local_address, engine->length);
    *data_start = engine->data_start;
    *worst_end = engine->data_start + tigon_pci_worst_ticks(board, TIGON_DMA_READ, engine->length) +
                 tigon_ticks_from_cycles(board->knobs.assist_finish_cycles + 1);
    return true;
}

void tigon_board_break_dma(struct tigon_board *board, bool write_engine, uint32_t attention) {
    board->dma.engine[write_engine].fail_next = attention & TIGON_DMA_ATTENTIONS;
}

void tigon_board_hang_dma(struct tigon_board *board, bool write_engine) {
    board->dma.engine[write_engine].hang_next = true;
}

static void initialise(struct tigon_board *board) {
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_dma_engine *engine = &board->dma.engine[i];
        engine->board = board;
        engine->number = i;
        engine->wiring = &wirings[i];
        engine->state = &TIGON_WORD(board, wirings[i].state);
        engine->host = &TIGON_WORD(board, wirings[i].host_high);
        engine->local = &TIGON_WORD(board, wirings[i].local);
        engine->length_left = &TIGON_WORD(board, wirings[i].length);
        engine->ring = -1;
        tigon_event_initialise(&engine->event, step, engine);
    }
    tigon_pci_initialise(board, data_through);
}

static void reset(struct tigon_board *board) {
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_dma_engine *engine = &board->dma.engine[i];
        stop(engine);
        memset(engine->rings, 0, sizeof engine->rings);
        show_ring(engine, TIGON_DMA_HIGH);
        show_ring(engine, TIGON_DMA_LOW);
        engine->sum = 0;
        engine->fail_next = 0;
        engine->hang_next = false;
    }
}

static const struct tigon_register_description registers[] = {
    {0x080, 2, "DMA write host address", TIGON_PLAIN, 0, 0xFFFFFFFF},  /* 5.1 */
    {0x090, 2, "DMA read host address", TIGON_PLAIN, 0, 0xFFFFFFFF},   /* 5.1 */
    {0x09C, 1, "DMA read length", TIGON_PLAIN, 0, 0xFFFF},             /* 5.1 */
    {0x0A0, 1, "DMA write state", TIGON_READS_WRITES, 0, 0},           /* 5.2 */
    {0x0A4, 1, "DMA write local address", TIGON_PLAIN, 0, 0xFFFFFFFF}, /* 5.1 */
    {0x0A8, 1, "DMA write checksum", TIGON_PLAIN, 0, 0xFFFF},          /* 5.2 */
    {0x0AC, 1, "DMA write length", TIGON_PLAIN, 0, 0xFFFF},            /* 5.1 */
    {0x0B0, 1, "DMA read state", TIGON_READS_WRITES, 0, 0},            /* 5.2 */
    {0x0B4, 1, "DMA read local address", TIGON_PLAIN, 0, 0xFFFFFFFF},  /* 5.1 */
    {0x0B8, 1, "DMA read checksum", TIGON_PLAIN, 0, 0xFFFF},           /* 5.2 */
    {0x100, 4, "DMA read ring, high", TIGON_READS_WRITES, 0, 0},       /* 5.4 */
    {0x110, 3, "DMA read ring, low", TIGON_READS_WRITES, 0, 0},        /* 5.4 */
    {0x11C, 1, "DMA assist state", TIGON_READS_WRITES, 0, 0},          /* 5.4 */
    {0x120, 4, "DMA write ring, high", TIGON_READS_WRITES, 0, 0},      /* 5.4 */
    {0x130, 3, "DMA write ring, low", TIGON_READS_WRITES, 0, 0},       /* 5.4 */
};

const struct tigon_device tigon_dma_device = {
    .name = "dma",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .initialise = initialise,
    .reset = reset,
    .lose_power = reset,
    .read = read_register,
    .write = write_register,
    .view = view_pointer,
    .steady = true,
    .read_shows_state = true,
};
