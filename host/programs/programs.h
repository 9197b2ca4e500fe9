/* SPDX-License-Identifier: MIT */
/* Programs over EMP, for any backend. Each has the result of a main: 0, or a negative errno value
 * after a message on standard error. argv[0] is the name in messages. */
#ifndef HOST_PROGRAMS_PROGRAMS_H
#define HOST_PROGRAMS_PROGRAMS_H

#include "host/programs/node.h"

int program_ping(const struct node_place *place, int argc, char **argv);
int program_pong(const struct node_place *place, int argc, char **argv);
int program_send(const struct node_place *place, int argc, char **argv);
int program_receive(const struct node_place *place, int argc, char **argv);
int program_exchange(const struct node_place *place, int argc, char **argv);

#endif
