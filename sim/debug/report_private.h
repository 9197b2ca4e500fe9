/* SPDX-License-Identifier: MIT */
/* Shared by the files that make a report; not for others. */
#ifndef SIM_DEBUG_REPORT_PRIVATE_H
#define SIM_DEBUG_REPORT_PRIVATE_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "sim/observe/symbols.h"

struct tigon_board;

/* The function an address lies in, or NULL. */
const struct tigon_function *report_function(const struct tigon_symbols *symbols, uint32_t address);

/* Members "events", "dma", "transmit", "receive" and "link" of a board. */
void report_add_devices(cJSON *object, struct tigon_board *board);

#endif
