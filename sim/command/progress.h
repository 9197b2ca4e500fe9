/* SPDX-License-Identifier: MIT */
/* The progress line of a run: simulated time, and simulated : real. It is rewritten in place on a
 * terminal and absent elsewhere; no result depends on it. */
#ifndef SIM_COMMAND_PROGRESS_H
#define SIM_COMMAND_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct progress {
    bool shown; /* whether there is a line to be seen */
    bool dirty;
    struct timespec begin;
    double next_s; /* of the clock, when it is written again */
};

void progress_begin(struct progress *progress, bool shown);
/* Called often. `limit_ns` is UINT64_MAX when the end is unknown. */
void progress_tell(struct progress *progress, uint64_t now_ns, uint64_t limit_ns);
/* Removes the line. Returns the seconds since progress_begin. */
double progress_end(struct progress *progress);

#endif
