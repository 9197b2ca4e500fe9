/* SPDX-License-Identifier: MIT */
/*
 * All observers of a run together, as a command offers them in options. Each is off by default. The
 * functions of cores are followed only when an observer needs them, because that makes a run
 * several times slower.
 */
#ifndef SIM_OBSERVE_OBSERVATION_H
#define SIM_OBSERVE_OBSERVATION_H

#include <stdio.h>

#include "sim/observe/event_log.h"
#include "sim/observe/explain.h"
#include "sim/observe/profile.h"
#include "sim/observe/timeline.h"
#include "sim/observe/transitions.h"
#include "sim/observe/vcd.h"

struct tigon_observation;

struct tigon_observation_options {
    const char *vcd; /* files; NULL: not wanted */
    const char *vcd_patterns;
    const char *timeline;
    /* ".folded": for flame graphs; ".callgrind": for kcachegrind; else tables. "-": tables on
     * standard output. */
    const char *profile;
    size_t profile_limit;     /* lines of each table; 0: 20 */
    uint64_t profile_from_ns; /* earlier costs are not counted */
    const char *log;          /* ".json" and ".jsonl": JSON lines; "-": standard output */
    unsigned log_kinds;       /* 0: TIGON_LOG_USUAL */
    bool explain;             /* records what tigon_observation_explain needs */
    /* By board index, ELF images for symbols; entries and the whole may be NULL. Files of other
     * formats are no error: their functions have addresses for names. */
    const char *const *images;
    tigon_transition_name transition_name; /* may be NULL */
};

/* Starts the observers; boards, switches and wires must exist, and should not have run. Returns 0
 * or -errno, and then `message` (of `message_bytes`) names the file and the reason. */
int tigon_observation_start(struct tigon_observation **observation, struct tigon_world *world,
                            const struct tigon_observation_options *options, char *message,
                            size_t message_bytes);

/* NULL where it was not wanted; valid until the end of the observation. */
const struct tigon_explain *tigon_observation_explain(const struct tigon_observation *observation);

/* Writes the rest and frees everything, while the world is still there, which must not run again.
 * As above. NULL is allowed. */
int tigon_observation_end(struct tigon_observation *observation, char *message,
                          size_t message_bytes);

#endif
