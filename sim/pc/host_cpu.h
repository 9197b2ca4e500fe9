/* SPDX-License-Identifier: MIT */
/* A host for the world; the part for programs is in sim/tigon.h. */
#ifndef SIM_HOST_CPU_H
#define SIM_HOST_CPU_H

#include <stddef.h>

#include "sim/tigon.h"

struct tigon_services;

/* A host around `board`, which becomes the board's host side. NULL when memory is used up. */
struct tigon_host *tigon_host_create(struct tigon_services *services, struct tigon_board *board,
                                     const struct tigon_knobs *knobs);
void tigon_host_destroy(struct tigon_host *host);

/* One line about each program that has not finished, for reports. Returns characters that it wanted
 * to write. */
int tigon_host_describe(const struct tigon_host *host, char *text, size_t size);

#endif
