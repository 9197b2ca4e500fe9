/* SPDX-License-Identifier: MIT */
/* The part of `tigonsim serve`: which boards are served where, and how time passes. */
#ifndef SIM_COMMAND_SERVE_OPTIONS_H
#define SIM_COMMAND_SERVE_OPTIONS_H

#include "sim/command/run.h"

/* In `tigonsim run` it only reads the setting `serve`, and serves no board. */
extern const struct run_part serve_part;

/* Enables the actions of `tigonsim serve`; call it before command_run. */
void serve_options_enable(void);
bool serve_options_enabled(void);
/* The options of tigonsim serve; run.h's parts have theirs in a constant. */
extern const struct argp *serve_options_parser;

#endif
