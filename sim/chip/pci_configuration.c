/* SPDX-License-Identifier: MIT */
/*
 * PCI configuration space, limited to the part that software on either side uses. It is the same as
 * the copy in the register block; a write of the base address does not move the block.
 */
#include "sim/chip/board.h"

#include <string.h>

/* Memory space, bus master, write and invalidate, parity, system error, fast back-to-back. The
 * board has no I/O space, and disabling INTA by a bit is younger than it. */
#define COMMAND_WRITABLE 0x00000356u
#define COMMAND_MASTER   0x00000004u
#define STATUS_EVENTS    0xF9000000u /* parity, system error, aborts: write 1 to clear */

static const struct {
    uint16_t vendor, device;
    bool copper;
} boards[TIGON_BOARD_KINDS] = {
    [TIGON_BOARD_ALTEON_FIBRE] = {0x12AE, 0x0001, false},
    [TIGON_BOARD_ALTEON_COPPER] = {0x12AE, 0x0002, true},
    [TIGON_BOARD_FARALLON_COPPER] = {0x12AE, 0x00FA, true},
    [TIGON_BOARD_3COM_FIBRE] = {0x10B7, 0x0001, false},
    [TIGON_BOARD_NETGEAR_FIBRE] = {0x1385, 0x620A, false},
    [TIGON_BOARD_NETGEAR_COPPER] = {0x1385, 0x630A, true},
    [TIGON_BOARD_SGI_FIBRE] = {0x10A9, 0x0009, false},
    [TIGON_BOARD_FARALLON_FIBRE] = {0x1011, 0x001A, false},
};

static void reset(struct tigon_board *board) {
    const enum tigon_board_kind kind = board->knobs.board_kind;
    const uint32_t identification = (uint32_t)boards[kind].device << 16 | boards[kind].vendor;
    TIGON_WORD(board, TIGON_PCI_IDENTIFICATION) = identification;
    TIGON_WORD(board, TIGON_PCI_SUBSYSTEM) = identification;
    if (board->knobs.bus_kind == TIGON_BUS_64_66)
        TIGON_WORD(board, TIGON_PCI_STATE) |= TIGON_PCI_STATE_66_MHZ;
    if (board->knobs.bus_kind == TIGON_BUS_32_33)
        TIGON_WORD(board, TIGON_PCI_STATE) |= TIGON_PCI_STATE_32_BIT;
}

static void write_command(struct tigon_board *board, uint32_t offset, uint32_t value) {
    uint32_t *word = &TIGON_WORD(board, offset);
    *word = (*word & ~COMMAND_WRITABLE & ~(value & STATUS_EVENTS)) | (value & COMMAND_WRITABLE);
    tigon_dma_master_changed(board);
}

bool tigon_pci_is_master(const struct tigon_board *board) {
    return (TIGON_WORD(board, TIGON_PCI_COMMAND) & COMMAND_MASTER) != 0;
}

void tigon_pci_reset_around(struct tigon_board *board) {
    uint32_t kept[TIGON_PCI_CONFIGURATION_BYTES / 4];
    memcpy(kept, &TIGON_WORD(board, TIGON_PCI_IDENTIFICATION), sizeof kept);
    tigon_board_reset(board);
    memcpy(&TIGON_WORD(board, TIGON_PCI_IDENTIFICATION), kept, sizeof kept);
}

void tigon_pci_master_aborted(struct tigon_board *board) {
    TIGON_WORD(board, TIGON_PCI_COMMAND) |= TIGON_PCI_MASTER_ABORTED;
}

bool tigon_pci_is_copper(const struct tigon_board *board) {
    return boards[board->knobs.board_kind].copper;
}

static const struct tigon_register_description registers[] = {
    {0x000, 1, "PCI identification", TIGON_PLAIN, 0x000112AE, 0},
    {0x004, 1, "PCI command and status", TIGON_WRITES, 0x02A00006, 0},
    {0x008, 1, "PCI class and revision", TIGON_PLAIN, 0x02000001, 0},
    {0x00C, 1, "PCI latency and cache line", TIGON_PLAIN, 0x00004008, 0x0000FFFF},
    {0x010, 1, "PCI base address", TIGON_PLAIN, 0xF0000000, 0xFFFFC000},
    {0x014, 6, "PCI configuration", TIGON_PLAIN, 0, 0},
    {0x02C, 1, "PCI subsystem", TIGON_PLAIN, 0x000112AE, 0},
    {0x030, 1, "PCI expansion ROM", TIGON_PLAIN, 0, 0xFFFFFFFF},
    {0x034, 2, "PCI configuration", TIGON_PLAIN, 0, 0},
    {0x03C, 1, "PCI interrupt", TIGON_PLAIN, 0x40400100, 0x000000FF},
    {0x05C, 1, "PCI state", TIGON_PLAIN, 0, 0xFFF7FFFF}, /* 3.6: bit 19 status */
};

const struct tigon_device tigon_pci_device = {
    .name = "pci",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .reset = reset,
    .write = write_command,
    .steady = true,
};
