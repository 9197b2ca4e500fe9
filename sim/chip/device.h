/* SPDX-License-Identifier: MIT */
/*
 * A device of the chip, for the board and the registers: its registers, and functions that all act
 * at board->now. Each device defines one; devices.h lists them. Every function may be NULL, for no
 * action.
 */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_board;
struct tigon_register_view;

enum tigon_register_access {
    TIGON_PLAIN = 0,  /* `writable` bits are stored, others stay */
    TIGON_READS = 1,  /* the device computes the value read */
    TIGON_WRITES = 2, /* the device receives the value; the register does not store it */
    TIGON_READS_WRITES = TIGON_READS | TIGON_WRITES,
    TIGON_STORED = 4 /* stored first, then the device gets the value */
};

struct tigon_register_description {
    uint16_t offset;
    uint16_t count; /* consecutive words with the same rule */
    const char *name;
    uint8_t access; /* enum tigon_register_access */
    uint32_t reset;
    uint32_t writable; /* of plain and stored words */
};

struct tigon_device {
    const char *name;
    const struct tigon_register_description *registers;
    size_t register_count;

    /* Once, with all state zero and the board's knobs and services known. */
    void (*initialise)(struct tigon_board *board);
    /* Hard reset; the registers have their reset values already. */
    void (*reset)(struct tigon_board *board);
    /* The board has lost its power: ends all operations in progress. */
    void (*lose_power)(struct tigon_board *board);

    uint32_t (*read)(struct tigon_board *board, uint32_t offset);
    void (*write)(struct tigon_board *board, uint32_t offset, uint32_t value);

    /* How cores may read a TIGON_READS register without `read` (struct tigon_cpu_port). */
    void (*view)(const struct tigon_board *board, uint32_t offset,
                 struct tigon_register_view *view);

    /* The value read changes only by a write, or with tigon_board_changed(): a core
     * that polls it may be parked. */
    bool steady;
    /* `read` only shows state: it has no effect and may be called at any time. */
    bool read_shows_state;
};

#endif
