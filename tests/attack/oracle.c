/* SPDX-License-Identifier: MIT */
#include "tests/attack/oracle.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CPU_A_STATE = 0x140,
    CPU_STOPPED = 0xFFFF0000,
    SCRATCH_BYTES = 64, /* spec/emp/host.hsm, Control */
    HASH_BITS = 24,
    HASHED_BYTES = 64,
    ADDRESS_BYTES = 6,
    LATE_TICKS = 200 * 11000 /* what a collection may take on the wire */
};

static uint64_t hash_of(const uint8_t *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ length;
    for (size_t i = 0; i < length && i < HASHED_BYTES; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    return hash ^ hash >> 29;
}

/* Two bits say that a frame is hostile: that an honest one has both is too rare to be seen. */
static bool hostile_bits(struct oracle *oracle, const uint8_t *bytes, size_t length, bool set) {
    bool both = true;
    uint64_t hash = hash_of(bytes, length);
    for (unsigned i = 0; i < 2; i++, hash >>= HASH_BITS) {
        const uint64_t bit = hash & ((1U << HASH_BITS) - 1);
        both = both && (oracle->hostile[bit / 8] >> bit % 8 & 1);
        if (set)
            oracle->hostile[bit / 8] |= (uint8_t)(1U << bit % 8);
    }
    return both;
}

static int number_of(const struct oracle *oracle, const struct tigon_board *board) {
    for (int i = 0; i < ORACLE_BOARDS; i++)
        if (oracle->board[i] == board)
            return i;
    return -1;
}

static bool covers(const struct oracle_grant *grant, const struct tigon_transfer *transfer) {
    const uint64_t into = transfer->host_address - grant->bus;
    return grant->write == transfer->write && into < grant->bytes &&
           transfer->length <= grant->bytes - into;
}

static bool is_late(const struct oracle_grant *grant, const struct tigon_transfer *transfer) {
    return !transfer->write && covers(grant, transfer) &&
           transfer->started < grant->ended + LATE_TICKS;
}

static void on_transfer(void *context, const struct tigon_transfer *transfer) {
    struct oracle *oracle = context;
    const int board = number_of(oracle, transfer->board);
    bool late = false;
    if (board < 0 || !transfer->length)
        return;
    oracle->transfers++;
    for (size_t i = 0; i < ORACLE_GRANTS && transfer->length <= EMP_PAGE_BYTES; i++) {
        const struct oracle_grant *grant = &oracle->grant[board][i];
        if (covers(grant, transfer) && transfer->ended <= grant->ended)
            return;
        late = late || is_late(grant, transfer) || is_late(&oracle->former[board][i], transfer);
    }
    if (late)
        oracle->late++;
    else if (oracle->stray++ == 0 && !oracle->words[0])
        (void)snprintf(oracle->words, sizeof oracle->words,
                       "board %d %s %" PRIu32 " bytes at 0x%" PRIX64 ", which nobody posted", board,
                       transfer->write ? "wrote" : "read", transfer->length,
                       transfer->host_address);
}

static void on_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    static const uint8_t nobody[ADDRESS_BYTES];
    struct oracle *oracle = context;
    const struct tigon_board *sender = tigon_wire_board(frame->wire, frame->from_side);
    const int board = number_of(oracle, sender);
    (void)fate;
    if (oracle->heard && sender)
        oracle->heard(oracle->heard_context, (unsigned)tigon_board_index(sender), frame->bytes,
                      frame->length);
    if (board < 0)
        return;
    oracle->sent[board]++;
    oracle->to_nobody +=
        frame->length >= ADDRESS_BYTES && memcmp(frame->bytes, nobody, ADDRESS_BYTES) == 0;
}

static void on_arrival(void *context, const struct tigon_arrival *arrival) {
    struct oracle *oracle = context;
    if (number_of(oracle, arrival->board) < 0 || arrival->fate != TIGON_ARRIVAL_KEPT)
        return;
    oracle->accepted += hostile_bits(oracle, arrival->bytes, arrival->length, false);
}

int oracle_open(struct oracle *oracle, struct tigon_world *world) {
    const struct tigon_observer observer = {
        .context = oracle, .transfer = on_transfer, .frame = on_frame, .arrival = on_arrival};
    memset(oracle, 0, sizeof *oracle);
    for (unsigned i = 0; i < ORACLE_BOARDS; i++)
        oracle->board[i] = tigon_world_board(world, i);
    oracle->hostile = calloc(1, (1U << HASH_BITS) / 8);
    return oracle->hostile ? tigon_world_attach(world, &observer) : -ENOMEM;
}

void oracle_close(struct oracle *oracle) {
    free(oracle->hostile);
    oracle->hostile = NULL;
}

void oracle_grant_bus(struct oracle *oracle, unsigned board, size_t number, bool write,
                      uint64_t bus, size_t bytes) {
    oracle->former[board][number] = oracle->grant[board][number];
    oracle->grant[board][number].bus = bus;
    oracle->grant[board][number].bytes = bytes;
    oracle->grant[board][number].write = write;
    oracle->grant[board][number].ended = UINT64_MAX;
}

void oracle_grant(struct oracle *oracle, unsigned board, size_t number, bool write,
                  const void *memory, size_t bytes) {
    const struct tigon_host *host = tigon_board_host(oracle->board[board]);
    oracle_grant_bus(oracle, board, number, write, tigon_host_bus_address(host, memory), bytes);
}

void oracle_end_grant(struct oracle *oracle, unsigned board, size_t number) {
    oracle->grant[board][number].ended =
        tigon_world_now_ticks(tigon_host_world(tigon_board_host(oracle->board[board])));
}

static uint32_t control(const struct oracle *oracle, unsigned board, uint32_t word) {
    return tigon_board_peek32(oracle->board[board], EMP_CONTROL_ADDRESS + 4 * word);
}

void oracle_grant_scratch(struct oracle *oracle, unsigned board) {
    for (unsigned write = 0; write < ORACLE_FIRST_GRANT; write++) {
        oracle->grant[board][write].bus =
            (uint64_t)control(oracle, board, EMP_CONTROL_SCRATCH_HIGH_WORD) << 32 |
            control(oracle, board, EMP_CONTROL_SCRATCH_LOW_WORD);
        oracle->grant[board][write].bytes = SCRATCH_BYTES;
        oracle->grant[board][write].write = write;
        oracle->grant[board][write].ended = UINT64_MAX;
    }
}

void oracle_revoke(struct oracle *oracle, unsigned board) {
    memset(oracle->grant[board], 0, sizeof oracle->grant[board]);
    memset(oracle->former[board], 0, sizeof oracle->former[board]);
}

void oracle_mark(struct oracle *oracle, const uint8_t *bytes, size_t length) {
    (void)hostile_bits(oracle, bytes, length, true);
}

enum oracle_panic oracle_panic(const struct oracle *oracle, unsigned board, uint32_t *fault) {
    *fault = control(oracle, board, EMP_CONTROL_FAULT_WORD);
    if (*fault || control(oracle, board, EMP_CONTROL_STATE_WORD) == EMP_CONTROL_STATE_STOPPED)
        return ORACLE_STOPPED;
    if (control(oracle, board, EMP_CONTROL_STATE_WORD) != EMP_CONTROL_STATE_READY ||
        tigon_board_peek_register(oracle->board[board], CPU_A_STATE) & CPU_STOPPED)
        return ORACLE_HALTED;
    return ORACLE_READY;
}

uint32_t oracle_counter(const struct oracle *oracle, unsigned board, size_t index) {
    return tigon_board_peek32(oracle->board[board],
                              control(oracle, board, EMP_CONTROL_COUNTERS_WORD) +
                                  4 * (uint32_t)index);
}

uint32_t oracle_runtime_counter(const struct oracle *oracle, unsigned board, size_t index) {
    return tigon_board_peek32(oracle->board[board],
                              control(oracle, board, EMP_CONTROL_RUNTIME_COUNTERS_WORD) +
                                  4 * (uint32_t)index);
}
