/* SPDX-License-Identifier: MIT */
/*
 * Serial EEPROM Atmel AT24C32 on a two-wire bus: 4096 bytes, two address bytes, device address 0xA0
 * (tigon2.md 3.3; behaviour from the part's public data sheet).
 */
#ifndef SIM_EEPROM_H
#define SIM_EEPROM_H

#include <stdbool.h>
#include <stdint.h>

#define TIGON_EEPROM_BYTES       4096u
#define TIGON_EEPROM_MAC_ADDRESS 0x8Eu /* six bytes (tigon2.md 3.3) */

struct tigon_eeprom {
    uint8_t bytes[TIGON_EEPROM_BYTES];
    bool clock;
    bool data;  /* as driven by the master; idle high */
    bool drive; /* we pull the line low */
    uint8_t phase;
    uint8_t bit; /* bits shifted in this byte, 8 = acknowledge */
    uint8_t shift;
    uint16_t address;
};

void tigon_eeprom_initialise(struct tigon_eeprom *eeprom, const uint8_t mac_address[6]);
/* New levels of the lines from the master; data true = released or driven high. */
void tigon_eeprom_lines(struct tigon_eeprom *eeprom, bool clock, bool data);
/* Level of the data line as the master reads it. */
static inline bool tigon_eeprom_data(const struct tigon_eeprom *eeprom) {
    return eeprom->data && !eeprom->drive;
}

#endif
