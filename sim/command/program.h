/* SPDX-License-Identifier: MIT */
/* Host programs of a scenario, from shared objects.
 *
 * A shared object exports
 *
 *     int tigon_main(struct tigon_host *host, int argc, char **argv);
 *
 * and may call everything in sim/tigon.h, which it finds in tigonsim itself. It runs as a coroutine
 * in virtual time: work between two calls of these takes no time, so charge it with
 * tigon_host_spend_ns. Every program of a scenario gets a copy of the object of its own, so that
 * two hosts never share a variable. */
#ifndef SIM_COMMAND_PROGRAM_H
#define SIM_COMMAND_PROGRAM_H

#include "sim/command/scenario.h"

/* A loaded program. */
struct program {
    const struct scenario_program *scenario;
    int (*function)(struct tigon_host *host, int argc, char **argv);
    void *object;  /* dlopen's */
    char **copies; /* of argv: programs may change it */
    int descriptor;
};

/* Loads one. 0, or -1 with a sentence in `problem`. */
int program_load(struct program *program, const struct scenario_program *scenario, char *problem,
                 size_t problem_bytes);
/* Only when its world is destroyed: a program that has not ended still has its stack there. */
void program_unload(struct program *program);

#endif
