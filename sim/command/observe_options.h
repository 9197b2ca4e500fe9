/* SPDX-License-Identifier: MIT */
/* The part of `tigonsim run` that observes a run: --vcd, --timeline, --profile, --log, and the
 * setting `observe` of a scenario. */
#ifndef SIM_COMMAND_OBSERVE_OPTIONS_H
#define SIM_COMMAND_OBSERVE_OPTIONS_H

#include "sim/command/run.h"

extern const struct run_part observe_part;

#endif
