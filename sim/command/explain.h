/* SPDX-License-Identifier: MIT */
/* What `tigonsim explain`, and the option --explain of `tigonsim run`, report. */
#ifndef SIM_COMMAND_EXPLAIN_H
#define SIM_COMMAND_EXPLAIN_H

#include "sim/command/run.h"
#include "sim/observe/explain.h"

/* Prints the table of the message `which`, BOARD:NUMBER, on standard output, and adds it to the
 * result as "message". COMMAND_DONE, COMMAND_FAILED where the run had no such
 * message, or COMMAND_USAGE, after a message. */
int explain_report(struct run *run, const struct tigon_explain *explain, const char *which);

#endif
