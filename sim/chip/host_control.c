/* SPDX-License-Identifier: MIT */
/*
 * Host control (tigon2.md 3.2). Word swap exchanges the halves of a 64-bit access; the host model
 * makes none, so bit 5 is only stored. Byte swap reverses each 32-bit host access and is applied in
 * host_window.c. Bits 31:24 of a write are the copy of the low byte that lets the write land in
 * either order; they are ignored here.
 */
#include "sim/chip/board.h"

static void drop_interrupt(struct tigon_board *board) {
    tigon_host_interrupt_set(board, false);
}

bool tigon_host_interrupt_line(const struct tigon_board *board) {
    return board->host_control.interrupt &&
           !(TIGON_WORD(board, TIGON_HOST_CONTROL) & TIGON_CONTROL_MASK_INTERRUPT);
}

/* The interrupt line may have changed: notifies the host. */
static void line_changed(struct tigon_board *board, bool before) {
    const bool line = tigon_host_interrupt_line(board);
    if (line == before)
        return;
    tigon_board_signal(board, TIGON_SIGNAL_INTERRUPT, line);
    if (line) {
        board->statistics.host_interrupts++;
        const struct tigon_host_side *host = &board->host_side;
        if (host->interrupted)
            host->interrupted(host->host, board->now);
    }
}

void tigon_host_interrupt_set(struct tigon_board *board, bool pending) {
    const bool before = tigon_host_interrupt_line(board);
    board->host_control.interrupt = pending;
    line_changed(board, before);
}

static uint32_t read_register(struct tigon_board *board, uint32_t offset) {
    return TIGON_WORD(board, offset) |
           (board->host_control.interrupt ? TIGON_CONTROL_INTERRUPT : 0);
}

static void write_register(struct tigon_board *board, uint32_t offset, uint32_t value) {
    const uint32_t stored =
        TIGON_CONTROL_BYTE_SWAP | TIGON_CONTROL_WORD_SWAP | TIGON_CONTROL_MASK_INTERRUPT;
    if (value & TIGON_CONTROL_HARD_RESET) {
        tigon_pci_reset_around(board);
        return;
    }
    const bool before = tigon_host_interrupt_line(board);
    if (value & TIGON_CONTROL_CLEAR_INTERRUPT)
        board->host_control.interrupt = false;
    TIGON_WORD(board, offset) = (TIGON_WORD(board, offset) & ~stored) | (value & stored);
    tigon_board_window_changed(board);
    line_changed(board, before);
    tigon_board_changed(board);
}

static const struct tigon_register_description registers[] = {
    {0x040, 1, "misc host control", TIGON_READS_WRITES, 0x60000000, 0}, /* 3.2 */
};

const struct tigon_device tigon_host_control_device = {
    .name = "host control",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = drop_interrupt,
    .lose_power = drop_interrupt,
    .read = read_register,
    .write = write_register,
    .steady = true,
};
