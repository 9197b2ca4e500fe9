/* For host programs that `tigonsim run` loads from a shared object.
 *
 * The object defines tigon_main and is made with, for instance,
 *
 *     gcc -shared -fPIC -I REPOSITORY -o hello.so hello.c
 *
 * It finds everything of sim/tigon.h and host/libemp.h in tigonsim itself, so it links with
 * nothing. The program runs inside the host of its board, in virtual time: between two calls of
 * tigon_host_* functions it takes no time at all, so real work is charged with tigon_host_spend_ns.
 * Each program of a scenario has a copy of the object, and so static variables, of its own. What it
 * returns is its result; a scenario expects 0 unless it says otherwise. It may print; calling exit
 * ends tigonsim. */
#ifndef SIM_PROGRAM_H
#define SIM_PROGRAM_H

#include "sim/tigon.h"

/* argv[0] is the program's name in the scenario, the others its `arguments`; argv[argc] is NULL. */
int tigon_main(struct tigon_host *host, int argc, char **argv);

/* [program] A figure for the results, by a name of its own per board; a second one of the same
 * name replaces it. The name is copied. */
void tigon_program_figure(struct tigon_host *host, const char *name, double value);

#endif
