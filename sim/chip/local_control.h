/* SPDX-License-Identifier: MIT */
/* HW[044]: EEPROM and MII pins, interrupt to the host, SRAM bank bits, LEDs and general pins
 * (tigon2.md 3.3). */
#ifndef SIM_LOCAL_CONTROL_H
#define SIM_LOCAL_CONTROL_H

#include <stdint.h>

#include "sim/chip/eeprom.h"
#include "sim/chip/phy.h"

struct tigon_board;

struct tigon_local_control {
    struct tigon_eeprom eeprom;
    struct tigon_phy phy;
    uint8_t leds;           /* the last eight bits clocked out, newest lowest */
    uint32_t configuration; /* HW[050] as last written */
};

/* The mode that the general pins (bits 15:14) select in an external SERDES (tigon2.md 3.3, 16.7).
 */
enum tigon_pins { TIGON_PINS_OTHER, TIGON_PINS_NORMAL, TIGON_PINS_LOOPBACK };
enum tigon_pins tigon_local_control_pins(const struct tigon_board *board);

#endif
