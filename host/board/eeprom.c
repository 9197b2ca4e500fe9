/* SPDX-License-Identifier: MIT */
/* The board's serial EEPROM, an AT24C32 behind four pins of HW[044], clocked by hand as all drivers
 * of the chip do. Two address bytes; the rest of the register must keep its value. */
#include "host/board/internal.h"

#include <errno.h>

enum {
    PIN_CLOCK = 1U << 20,
    PIN_DRIVE = 1U << 21, /* 0: the EEPROM drives the data line */
    PIN_DATA_OUT = 1U << 22,
    PIN_DATA_IN = 1U << 23,
    PINS = PIN_CLOCK | PIN_DRIVE | PIN_DATA_OUT,

    COMMAND_WRITE = 0xA0,
    COMMAND_READ = 0xA1
};

/* The part takes 400 kHz at 5 V, with the clock low for 1.2 us. */
#define STEP_NS UINT64_C(1300)

/* For a write the part itself takes up to 10 ms. */
#define WRITE_NS UINT64_C(25000000)

struct lines {
    struct board *board;
    uint32_t others; /* what the register holds beside the pins */
};

static void set(const struct lines *lines, uint32_t pins) {
    board_set_register(lines->board, REGISTER_LOCAL_CONTROL, lines->others | pins);
    board_sleep_ns(lines->board, STEP_NS);
}

/* Data changes while the clock is low; a change while it is high is a start or a stop. */
static void clock_out(const struct lines *lines, bool one) {
    const uint32_t data = PIN_DRIVE | (one ? PIN_DATA_OUT : 0U);
    set(lines, data);
    set(lines, data | PIN_CLOCK);
    set(lines, data);
}

static bool clock_in(const struct lines *lines) {
    set(lines, 0);
    set(lines, PIN_CLOCK);
    const uint32_t value = board_get_register(lines->board, REGISTER_LOCAL_CONTROL);
    set(lines, 0);
    return value & PIN_DATA_IN;
}

static void begin(const struct lines *lines) {
    set(lines, PIN_DRIVE | PIN_DATA_OUT);
    set(lines, PIN_DRIVE | PIN_DATA_OUT | PIN_CLOCK);
    set(lines, PIN_DRIVE | PIN_CLOCK);
    set(lines, PIN_DRIVE);
}

static void end(const struct lines *lines) {
    set(lines, PIN_DRIVE);
    set(lines, PIN_DRIVE | PIN_CLOCK);
    set(lines, PIN_DRIVE | PIN_CLOCK | PIN_DATA_OUT);
    set(lines, 0);
}

/* True when the EEPROM acknowledged by pulling the line down. */
static bool send_byte(const struct lines *lines, unsigned byte) {
    for (unsigned bit = 8; bit-- > 0;)
        clock_out(lines, byte >> bit & 1);
    return !clock_in(lines);
}

static uint8_t receive_byte(const struct lines *lines, bool more) {
    unsigned byte = 0;
    for (unsigned bit = 0; bit < 8; bit++)
        byte = byte << 1 | (clock_in(lines) ? 1U : 0U);
    clock_out(lines, !more); /* no acknowledgement ends the reading */
    return (uint8_t)byte;
}

static struct lines take_lines(struct board *board) {
    return (struct lines){board, board_get_register(board, REGISTER_LOCAL_CONTROL) &
                                     ~(uint32_t)(PINS | PIN_DATA_IN)};
}

static bool send_address(const struct lines *lines, uint16_t address) {
    begin(lines);
    return send_byte(lines, COMMAND_WRITE) && send_byte(lines, address >> 8) &&
           send_byte(lines, address & 0xFF);
}

int board_eeprom_read(struct board *board, uint16_t address, uint8_t *bytes, size_t count) {
    const struct lines lines = take_lines(board);
    bool answered = send_address(&lines, address);
    begin(&lines);
    answered = answered && send_byte(&lines, COMMAND_READ);
    for (size_t i = 0; answered && i < count; i++)
        bytes[i] = receive_byte(&lines, i + 1 < count);
    end(&lines);
    return answered ? 0 : board_fail(board, -EIO, "the EEPROM does not answer");
}

/* The part writes when it is told to stop, and answers nobody until it is done. */
static bool wait_written(const struct lines *lines) {
    struct board *board = lines->board;
    const uint64_t start = board_now_ns(board);
    bool answered;
    do {
        begin(lines);
        answered = send_byte(lines, COMMAND_WRITE);
        end(lines);
    } while (!answered && board_now_ns(board) - start < WRITE_NS);
    return answered;
}

int board_eeprom_write(struct board *board, uint16_t address, const uint8_t *bytes, size_t count) {
    const struct lines lines = take_lines(board);
    bool answered = send_address(&lines, address);
    for (size_t i = 0; answered && i < count; i++)
        answered = send_byte(&lines, bytes[i]);
    end(&lines);
    answered = answered && wait_written(&lines);
    return answered ? 0 : board_fail(board, -EIO, "the EEPROM does not take what is written");
}
