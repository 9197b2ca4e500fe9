/* SPDX-License-Identifier: MIT */
/* The memory after a run: dumps, and the trace buffers of firmware. */
#ifndef SIM_COMMAND_INSPECT_H
#define SIM_COMMAND_INSPECT_H

#include "sim/command/setup.h"

/* Writes the dumps that have files. 0, or -1 after error lines. */
int inspect_write(const struct setup_board *board, FILE *complaints);

/* Prints dumps without files and the trace; nothing when there are none. */
void inspect_print(const struct setup_board *board, FILE *stream);

/* The same as members of `object`: "dumps" and "trace". */
void inspect_json(const struct setup_board *board, cJSON *object);

#endif
