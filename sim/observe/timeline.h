/* SPDX-License-Identifier: MIT */
/*
 * One time line of all events: the trace event format of Chrome, which https://ui.perfetto.dev and
 * chrome://tracing open.
 *
 * A board is a process with a track for each of: both processors (nested functions if executions
 * are given, otherwise busy or not), the transitions they take, both DMA engines, MAC transmit and
 * receive, and each program of its host. Arrows lead from the sending of a frame to its arrival.
 * The file is written during the run; no events are kept in memory.
 */
#ifndef SIM_OBSERVE_TIMELINE_H
#define SIM_OBSERVE_TIMELINE_H

#include "sim/observe/execution.h"
#include "sim/observe/transitions.h"

struct tigon_timeline;

struct tigon_timeline_options {
    const char *path;
    /* By board index; entries and the whole may be NULL. */
    struct tigon_execution *const *executions;
    tigon_transition_name transition_name; /* may be NULL */
};

/* Records from now on; boards must be there. Returns 0 or -errno. */
int tigon_timeline_start(struct tigon_timeline **timeline, struct tigon_world *world,
                         const struct tigon_timeline_options *options);

/* Ends the file, frees everything; after tigon_execution_end. 0 or the first error, as -errno. NULL
 * is allowed. */
int tigon_timeline_end(struct tigon_timeline *timeline);

#endif
