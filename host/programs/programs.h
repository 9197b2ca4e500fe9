/* SPDX-License-Identifier: MIT */
/* Host programs over EMP that are built into tigonsim. Each is a tigon_main of sim/program.h.
 *
 * Node numbers are those of the boards: a program runs as the node of its own board, and the
 * addresses of all others come from their boards, as a table of hosts would give them. */
#ifndef HOST_PROGRAMS_PROGRAMS_H
#define HOST_PROGRAMS_PROGRAMS_H

#include "sim/program.h"

int program_emp_ping(struct tigon_host *host, int argc, char **argv);
int program_emp_pong(struct tigon_host *host, int argc, char **argv);
int program_emp_send(struct tigon_host *host, int argc, char **argv);
int program_emp_receive(struct tigon_host *host, int argc, char **argv);
int program_emp_exchange(struct tigon_host *host, int argc, char **argv);

#endif
