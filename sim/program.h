/* SPDX-License-Identifier: MIT */
/* The interface of host programs that `tigonsim run` loads from a shared object.
 *
 * The object defines tigon_main and is built with, for instance,
 *
 *     gcc -shared -fPIC -I REPOSITORY -o hello.so hello.c
 *
 * tigonsim itself contains all functions of sim/tigon.h, so the object needs no library for them. A
 * program that uses host/board/board.h also takes build/pic/host/libboard.a and -lelf. The program
 * runs inside the host of its board, in virtual time: between two calls of tigon_host_* functions
 * it takes no time at all, so charge real work with tigon_host_spend_ns. Each program of a scenario
 * has its own copy of the object and therefore its own static variables. The value that tigon_main
 * returns is the program's result; a scenario expects 0 unless it specifies another. The program
 * may print; calling exit ends tigonsim. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "sim/tigon.h"

/* argv[0] is the program's name in the scenario, the others its `arguments`; argv[argc] is NULL. */
int tigon_main(struct tigon_host *host, int argc, char **argv);

/* [program] Adds a figure to the results. Names belong to a board; a second figure of the same
 * board and name replaces the first. The name is copied. */
void tigon_program_figure(struct tigon_host *host, const char *name, double value);

#endif
