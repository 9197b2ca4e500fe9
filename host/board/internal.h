/* SPDX-License-Identifier: MIT */
/* Declarations that the files of this library share. */
#ifndef HOST_BOARD_INTERNAL_H
#define HOST_BOARD_INTERNAL_H

#include "host/board/access.h"
#include "host/board/ahead.h"

/* Registers and their bits (tigon2.md 3). */
enum {
    REGISTER_PCI_COMMAND = 0x004,
    REGISTER_HOST_CONTROL = BOARD_HOST_CONTROL,
    REGISTER_LOCAL_CONTROL = 0x044,
    REGISTER_CONFIGURATION = 0x050,
    REGISTER_PCI_STATE = 0x05C,
    REGISTER_WINDOW_BASE = 0x068,
    REGISTER_DMA_WRITE_STATE = 0x0A0,
    REGISTER_DMA_READ_STATE = 0x0B0,
    REGISTER_DMA_ASSIST = 0x11C,
    REGISTER_CPU_A_STATE = 0x140,
    REGISTER_CPU_A_COUNTER = 0x144,
    REGISTER_TRANSMIT_STATE = 0x200,
    REGISTER_LINK_TRANSMIT = 0x204,
    REGISTER_RECEIVE_STATE = 0x220,
    REGISTER_CPU_B_STATE = 0x240,

    ALIAS_OFFSET = 0x400, /* host offset of SRAM address 0 */
    WINDOW_OFFSET = 0x800,
    WINDOW_BYTES = 0x800,
    MEMORY_BYTES = 2 * 1024 * 1024
};
#define BOARD_PCI_COMMANDS 0x76000000U /* HW[05C]: memory write, memory read */
#define BOARD_PCI_32_BIT   (1U << 20)
_Static_assert(BOARD_CONTROL_ADDRESS + BOARD_CONTROL_BYTES <= BOARD_ALIAS_BYTES,
               "reached without window");

struct board {
    const struct board_backend *backend;
    void *handle;
    struct board_options options;
    bool ready; /* firmware of any protocol has reported that it is ready */
    bool window_known;
    uint32_t window;
    uint32_t *scratch; /* the page whose spare bytes the firmware may use */
    struct board_statistics statistics;
    char message[200];
};

/* access.c */
uint32_t board_get_register(struct board *board, uint32_t offset);
void board_set_register(struct board *board, uint32_t offset, uint32_t value);

/* eeprom.c: bytes of the serial EEPROM, clocked by software. -EIO if no EEPROM answers. */
int board_eeprom_read(struct board *board, uint16_t address, uint8_t *bytes, size_t count);
/* All bytes must lie within one page of 32 bytes. Only reading them back shows whether the part has
 * kept them. */
int board_eeprom_write(struct board *board, uint16_t address, const uint8_t *bytes, size_t count);

/* incarnation.c: stores the number of the next incarnation. The number is counted before the
 * function returns, so that no other start gets it. -EIO if that cannot be guaranteed. */
int board_next_epoch(struct board *board, uint16_t *epoch);
/* A count of starts as stored in the EEPROM. */
enum { BOARD_COUNT_BYTES = 8 };
void board_encode_count(uint32_t count, uint8_t slot[BOARD_COUNT_BYTES]);

/* transfers.c: 0, or -EIO with the reason why the board reaches no host memory. After a reset the
 * slot's width is found, and the board made to use it. */
int board_check_mastering(struct board *board);
int board_fit_width(struct board *board);

/* stop.c: halts both processors. DMA transfers and frames continue. */
void board_halt(struct board *board);

#endif
