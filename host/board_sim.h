/* SPDX-License-Identifier: MIT */
/* The simulated board behind libemp: names "sim:0", "sim:1", ... are the boards of a world.
 *
 * `environment` of struct libemp_options is the struct tigon_world. Every call on such a board,
 * libemp_open included, belongs inside a program of that board's own host (tigon_host_start),
 * because register accesses take that host's time. Programs link build/obj/sim/libtigon.a. */
#ifndef HOST_BOARD_SIM_H
#define HOST_BOARD_SIM_H

#include "host/libemp.h"

extern const struct libemp_backend libemp_sim;

#endif
