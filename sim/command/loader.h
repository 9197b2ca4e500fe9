/* SPDX-License-Identifier: MIT */
/* The simulator's own actions on a board: contents of EEPROM and memory, and the firmware, loaded
 * and started as the drivers of the public systems do it (tigon2.md 9), or directly. */
#ifndef SIM_COMMAND_LOADER_H
#define SIM_COMMAND_LOADER_H

#include "sim/command/setup.h"

/* Before the world runs: EEPROM, timed pokes, and the loading of the image. */
void loader_prepare(struct setup_board *board);

#endif
