/* SPDX-License-Identifier: MIT */
/*
 * AT24C32. Data is sampled on the rising clock edge, our output changes on the falling one; data
 * moving while the clock is high is a start (falling) or stop (rising). Writes take effect at once:
 * the 10 ms write cycle of the part, during which it would not acknowledge, is not modelled.
 */
#include "sim/chip/eeprom.h"

#include <string.h>

enum { IDLE, DEVICE, ADDRESS_HIGH, ADDRESS_LOW, WRITING, READING };

#define PAGE_BYTES 32u

void tigon_eeprom_initialise(struct tigon_eeprom *eeprom, const uint8_t mac_address[6]) {
    memset(eeprom, 0, sizeof *eeprom);
    memset(eeprom->bytes, 0xFF, sizeof eeprom->bytes);
    eeprom->data = true;
    eeprom->clock = true;
    /* Eight bytes at 0x8C, the first two zero (tigon2.md 3.3). */
    eeprom->bytes[0x8C] = 0;
    eeprom->bytes[0x8D] = 0;
    memcpy(&eeprom->bytes[TIGON_EEPROM_MAC_ADDRESS], mac_address, 6);
}

/* A whole byte came in; returns whether we acknowledge it. */
static bool byte_received(struct tigon_eeprom *eeprom) {
    switch (eeprom->phase) {
    case DEVICE:
        if ((eeprom->shift & 0xFE) != 0xA0) {
            eeprom->phase = IDLE;
            return false;
        }
        eeprom->phase = eeprom->shift & 1 ? READING : ADDRESS_HIGH;
        return true;
    case ADDRESS_HIGH:
        eeprom->address = (uint16_t)(eeprom->shift << 8);
        eeprom->phase = ADDRESS_LOW;
        return true;
    case ADDRESS_LOW:
        eeprom->address = (uint16_t)((eeprom->address | eeprom->shift) % TIGON_EEPROM_BYTES);
        eeprom->phase = WRITING;
        return true;
    case WRITING:
        eeprom->bytes[eeprom->address] = eeprom->shift;
        /* Page writes wrap inside the page. */
        eeprom->address = (uint16_t)((eeprom->address & ~(PAGE_BYTES - 1)) |
                                     ((eeprom->address + 1u) & (PAGE_BYTES - 1)));
        return true;
    default:
        return false;
    }
}

static void clock_rises(struct tigon_eeprom *eeprom, bool data) {
    if (eeprom->phase == IDLE)
        return;
    if (eeprom->bit < 8) {
        eeprom->shift = (uint8_t)(eeprom->shift << 1 | (tigon_eeprom_data(eeprom) ? 1 : 0));
    } else if (eeprom->phase == READING && eeprom->drive == false && data) {
        eeprom->phase = IDLE; /* the master did not acknowledge: it wants no more */
    }
    eeprom->bit++;
}

static void clock_falls(struct tigon_eeprom *eeprom) {
    const bool was_reading = eeprom->phase == READING;
    eeprom->drive = false;
    if (eeprom->phase == IDLE)
        return;
    if (eeprom->bit == 8) {
        if (was_reading)
            return; /* the ninth clock belongs to the master's acknowledge */
        eeprom->drive = byte_received(eeprom);
        return;
    }
    if (eeprom->bit > 8) {
        eeprom->bit = 0;
        if (was_reading) {
            eeprom->shift = eeprom->bytes[eeprom->address];
            eeprom->address = (uint16_t)((eeprom->address + 1u) % TIGON_EEPROM_BYTES);
        }
    }
    if (was_reading) {
        /* The bit goes out at the top and comes back in at the bottom by clock_rises: harmless. */
        eeprom->drive = (eeprom->shift & 0x80) == 0;
    }
}

void tigon_eeprom_lines(struct tigon_eeprom *eeprom, bool clock, bool data) {
    if (eeprom->clock && clock && data != eeprom->data) {
        /* Start makes the next eight bits a device address, also in mid-transfer; stop ends
         * everything. */
        eeprom->phase = data ? IDLE : DEVICE;
        eeprom->bit = 0;
        eeprom->drive = false;
    }
    eeprom->data = data;
    if (clock != eeprom->clock) {
        eeprom->clock = clock;
        if (clock)
            clock_rises(eeprom, data);
        else
            clock_falls(eeprom);
    }
}
