/* SPDX-License-Identifier: MIT */
/* Simulated boards: the names "sim:0", "sim:1", ... are the boards of a world.
 *
 * `environment` of struct board_options is the struct tigon_world. Every call on such a board,
 * board_open included, belongs inside a program of that board's own host (tigon_host_start),
 * because register accesses take that host's time. Programs link build/obj/sim/libtigon.a. */
#ifndef HOST_BOARD_SIM_H
#define HOST_BOARD_SIM_H

#include "host/board/board.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct board_backend board_sim;

#ifdef __cplusplus
}
#endif

#endif
