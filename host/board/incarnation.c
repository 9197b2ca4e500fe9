/* SPDX-License-Identifier: MIT */
/* How often a board has been started, in its serial EEPROM: what distinguishes its incarnations
 * when it has lost its power, and all other memory with that.
 *
 * The count lies in two slots, each a number of 32 bits and a check word, most significant byte
 * first. The older one is written, so that a power cut in the middle of that leaves the other.
 *
 * Where: the last two pages. Vendors keep the manufacturing data with the MAC address at the
 * beginning (tigon2.md 3.3), and code that the boot ROM may load behind it; nothing public uses the
 * end. Each slot has a page of its own, because a page is what the part writes at once, and so what
 * a power cut may spoil. */
#include "host/board/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum { SLOTS = 2, SLOT_ADDRESS = 0xFC0, PAGE_BYTES = 32, SLOT_BYTES = BOARD_COUNT_BYTES };

#define GIVE_ONE "; start it with an epoch that it never had"

/* Every byte of a count changes most of it, so that a slot partly written is not taken for whole.
 * Neither zeros nor ones, as erased memory may have, are valid. */
static uint32_t check_word(uint32_t count) {
    uint32_t mixed = (count ^ 0x454D5031U) * 0x9E3779B1U;
    mixed = (mixed ^ mixed >> 15) * 0x85EBCA77U;
    return mixed ^ mixed >> 16;
}

static void put(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static uint32_t get(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

void board_encode_count(uint32_t count, uint8_t slot[BOARD_COUNT_BYTES]) {
    put(slot, count);
    put(slot + 4, check_word(count));
}

static uint16_t slot_address(unsigned slot) {
    return (uint16_t)(SLOT_ADDRESS + slot * PAGE_BYTES);
}

static bool is_valid(const uint8_t *slot) {
    return get(slot + 4) == check_word(get(slot));
}

static bool is_blank(const uint8_t *slot) {
    static const uint8_t blank[SLOT_BYTES] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    return memcmp(slot, blank, SLOT_BYTES) == 0;
}

/* The starts counted, and the slot that may be written. */
static int read_count(struct board *board, uint32_t *count, unsigned *older) {
    uint8_t slot[SLOTS][SLOT_BYTES];
    for (unsigned i = 0; i < SLOTS; i++)
        if (board_eeprom_read(board, slot_address(i), slot[i], SLOT_BYTES))
            return board_fail(board, -EIO, "the EEPROM does not answer" GIVE_ONE);
    const bool valid[SLOTS] = {is_valid(slot[0]), is_valid(slot[1])};
    if (!valid[0] && !valid[1]) {
        /* Only the first slot is ever written while none is valid. */
        if (!is_blank(slot[1]))
            return board_fail(board, -EIO,
                              "the EEPROM holds no count of starts at 0x%03X and 0x%03X, nor is "
                              "it blank there" GIVE_ONE,
                              slot_address(0), slot_address(1));
        *count = 0;
        *older = 0;
        return 0;
    }
    const uint32_t difference = get(slot[1]) - get(slot[0]);
    const unsigned newer = valid[0] && valid[1] ? difference - 1 < INT32_MAX : valid[1];
    *count = get(slot[newer]);
    *older = 1 - newer;
    return 0;
}

static int write_count(struct board *board, unsigned slot, uint32_t count) {
    uint8_t wanted[SLOT_BYTES], found[SLOT_BYTES];
    board_encode_count(count, wanted);
    if (board_eeprom_write(board, slot_address(slot), wanted, SLOT_BYTES) ||
        board_eeprom_read(board, slot_address(slot), found, SLOT_BYTES) ||
        memcmp(wanted, found, SLOT_BYTES) != 0)
        return board_fail(board, -EIO,
                          "the EEPROM does not keep the count of starts, %" PRIu32 GIVE_ONE, count);
    return 0;
}

int board_next_epoch(struct board *board, uint16_t *epoch) {
    uint32_t count;
    unsigned older;
    const int error = read_count(board, &count, &older);
    if (error)
        return error;
    /* A frame has room for the low byte, of which 0 means that it is not known. */
    *epoch = (uint16_t)(count / 255 % 256 << 8 | (count % 255 + 1));
    return write_count(board, older, count + 1);
}
