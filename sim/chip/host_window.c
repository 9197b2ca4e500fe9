/* SPDX-License-Identifier: MIT */
/*
 * Host view (tigon2.md 3). 0x000-0x3FF registers, 0x400-0x7FF SRAM 0x000-0x3FF, 0x800-0xFFF the 2
 * kB of SRAM at HW[068]; above that nothing. Only a write to the low word of a mailbox through
 * 0x500-0x5FF raises its event; the same word written through the window or by DMA does not
 * (tigon2.md 4 and 14 row 21).
 */
#include "sim/chip/board.h"

#define ALIAS_START   0x400u
#define MAILBOX_START 0x500u
#define MAILBOX_END   0x600u
#define WINDOW_START  0x800u
#define WINDOW_END    0x1000u
#define WINDOW_MASK   0x7FFu

/* A host access to SRAM takes one slot of the SRAM bus (tigon2.md 14 row 19). */
static void charge(struct tigon_board *board) {
    tigon_bus_beat(&board->bus, TIGON_BUS_DMA_WRITE, tigon_board_cycle(board));
}

static uint32_t window_address(const struct tigon_board *board, uint32_t offset) {
    return (TIGON_WORD(board, TIGON_WINDOW_BASE) & ~WINDOW_MASK) | (offset & WINDOW_MASK);
}

static void write_sram(struct tigon_board *board, uint32_t address, uint32_t value) {
    tigon_memory_write32(&board->memory, address, value);
    charge(board);
}

static uint32_t in_host_order(const struct tigon_board *board, uint32_t value) {
    return TIGON_WORD(board, TIGON_HOST_CONTROL) & TIGON_CONTROL_BYTE_SWAP
               ? __builtin_bswap32(value)
               : value;
}

bool tigon_window_plain(uint32_t offset, size_t count) {
    return (offset >= WINDOW_START && offset < WINDOW_END && count <= (WINDOW_END - offset) / 4u) ||
           (offset == TIGON_WINDOW_BASE && count == 1);
}

bool tigon_window_sram(const struct tigon_board *board, uint32_t offset, uint32_t *address) {
    offset &= ~3u;
    if (offset < TIGON_REGISTER_BYTES || offset >= WINDOW_END)
        return false;
    *address = offset < WINDOW_START ? offset - ALIAS_START : window_address(board, offset);
    return true;
}

static inline __attribute__((always_inline)) uint32_t
read_window(struct tigon_board *board, uint32_t offset, bool slot_taken) {
    uint32_t value = 0;
    offset &= ~3u;
    board->statistics.host_register_reads++;
    if (board->dead)
        return UINT32_MAX; /* no target answers: a master abort, which PCI reads as ones */
    if (offset < TIGON_REGISTER_BYTES) {
        value = tigon_register_read(board, offset);
    } else if (offset < WINDOW_START) {
        value = tigon_memory_read32(&board->memory, offset - ALIAS_START);
        if (!slot_taken)
            charge(board);
    } else if (offset < WINDOW_END) {
        value = tigon_memory_read32(&board->memory, window_address(board, offset));
        if (!slot_taken)
            charge(board);
    } else {
        tigon_board_unknown(board, offset, false);
    }
    return in_host_order(board, value);
}

uint32_t tigon_window_host_read(struct tigon_board *board, uint32_t offset) {
    return read_window(board, offset, false);
}

uint32_t tigon_window_host_look(struct tigon_board *board, uint32_t offset) {
    return read_window(board, offset, true);
}

/* The general case. */
static __attribute__((noinline)) void write_anything(struct tigon_board *board, uint32_t offset,
                                                     uint32_t value) {
    value = in_host_order(board, value);
    offset &= ~3u;
    board->statistics.host_register_writes++;
    if (board->dead)
        return;
    if (offset < TIGON_REGISTER_BYTES) {
        tigon_register_write(board, offset, value);
    } else if (offset < WINDOW_START) {
        write_sram(board, offset - ALIAS_START, value);
        if (board->knobs.quirk_64_bit_slot && !(offset & 4u) &&
            !(TIGON_WORD(board, TIGON_PCI_STATE) & TIGON_PCI_STATE_32_BIT))
            write_sram(board, offset - ALIAS_START + 4u, value); /* tigon2.md 13 item 3 */
        if (offset >= MAILBOX_START && offset < MAILBOX_END && (offset & 4u)) {
            const unsigned mailbox = (offset - MAILBOX_START) / 8u;
            board->statistics.mailbox_writes++;
            if (mailbox == 0)
                tigon_host_interrupt_set(board, false);
            tigon_mailbox_raise(board, mailbox);
        }
    } else if (offset < WINDOW_END) {
        write_sram(board, window_address(board, offset), value);
    } else {
        tigon_board_unknown(board, offset, true);
    }
}

/* The fast path: whether a write through the window affects only the word and the bus. The board is
 * alive, keeps the order of bytes, and no core is in a loop that the write could disturb. */
static inline bool writes_plainly(const struct tigon_board *board) {
    return !board->dead && !(TIGON_WORD(board, TIGON_HOST_CONTROL) & TIGON_CONTROL_BYTE_SWAP) &&
           (board->cpu[0].loop.stage | board->cpu[1].loop.stage) == TIGON_LOOP_NONE;
}

void tigon_window_host_write(struct tigon_board *board, uint32_t offset, uint32_t value) {
    if (offset - WINDOW_START < WINDOW_END - WINDOW_START && writes_plainly(board) &&
        tigon_memory_plain_write32(&board->memory, window_address(board, offset), value)) {
        board->statistics.host_register_writes++;
        charge(board);
        return;
    }
    write_anything(board, offset, value);
}

static uint32_t read_data(struct tigon_board *board, uint32_t offset) {
    (void)offset;
    charge(board);
    return tigon_memory_read32(&board->memory, TIGON_WORD(board, TIGON_WINDOW_BASE));
}

static void write_data(struct tigon_board *board, uint32_t offset, uint32_t value) {
    if (offset == TIGON_WINDOW_BASE) { /* stored already */
        tigon_board_window_changed(board);
        return;
    }
    write_sram(board, TIGON_WORD(board, TIGON_WINDOW_BASE), value);
}

static const struct tigon_register_description registers[] = {
    {0x068, 1, "window base", TIGON_STORED, 0, 0xFFFFFFFF}, /* 3.1 */
    {0x06C, 1, "window data", TIGON_READS_WRITES, 0, 0},    /* 3.1 */
};

const struct tigon_device tigon_host_window_device = {
    .name = "host window",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .read = read_data,
    .write = write_data,
};
