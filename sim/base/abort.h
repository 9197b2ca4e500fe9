/* SPDX-License-Identifier: MIT */
/* The end for errors of the program that uses the simulator, which no return value could mend. */
#ifndef SIM_ABORT_H
#define SIM_ABORT_H

#include <stdio.h>
#include <stdlib.h>

#define tigon_abort(...)                                                                           \
    do {                                                                                           \
        fputs("tigon simulator: ", stderr);                                                        \
        fprintf(stderr, __VA_ARGS__);                                                              \
        fputc('\n', stderr);                                                                       \
        abort();                                                                                   \
    } while (0)

#endif
