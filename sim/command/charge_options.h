/* SPDX-License-Identifier: MIT */
/* The part of `tigonsim run` that charges processors by a table: --charge, and the setting `charge`
 * of a scenario. */
#ifndef SIM_COMMAND_CHARGE_OPTIONS_H
#define SIM_COMMAND_CHARGE_OPTIONS_H

#include "sim/command/run.h"

extern const struct run_part charge_part;

#endif
