/* SPDX-License-Identifier: MIT */
/* tigonsim run: GDB, and the report about a crash. */
#ifndef SIM_COMMAND_DEBUG_OPTIONS_H
#define SIM_COMMAND_DEBUG_OPTIONS_H

#include "sim/command/run.h"

extern const struct run_part debug_part;

#endif
