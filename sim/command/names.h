/* SPDX-License-Identifier: MIT */
/* Names for the numbers that this project's own firmware leaves in its trace ring and its control
 * block. */
#ifndef SIM_COMMAND_NAMES_H
#define SIM_COMMAND_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_board;

/* "Send.PHY.ack.0", or NULL when EMP has no such transition. */
const char *names_emp_transition(uint32_t id);

/* Why EMP's firmware has stopped itself; false where it has not. */
bool names_emp_stop(struct tigon_board *board, char *text, size_t bytes);

#endif
