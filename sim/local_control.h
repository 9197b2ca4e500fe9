/* HW[044]: EEPROM and MII pins, interrupt to the host, SRAM bank bits (tigon2.md 3.3). */
#ifndef SIM_LOCAL_CONTROL_H
#define SIM_LOCAL_CONTROL_H

#include <stdint.h>

#include "sim/eeprom.h"

struct tigon_board;

struct tigon_local_control {
    struct tigon_eeprom eeprom;
};

void tigon_local_control_reset(struct tigon_board *board);
uint32_t tigon_local_control_read(struct tigon_board *board, uint32_t offset);
void tigon_local_control_write(struct tigon_board *board, uint32_t offset, uint32_t value);

#endif
