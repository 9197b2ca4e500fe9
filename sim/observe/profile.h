/* SPDX-License-Identifier: MIT */
/*
 * Profile of the cores' cycles: by function and by call, counted, not sampled.
 *
 * "Busy" cycles exclude those in which the core polled an event word without effect.
 */
#ifndef SIM_OBSERVE_PROFILE_H
#define SIM_OBSERVE_PROFILE_H

#include <stdio.h>

#include "sim/observe/execution.h"

struct tigon_profile;

/* Counts the reports of the execution from now on. 0 or -ENOMEM. Read it after tigon_execution_end
 * and free it before the execution. */
int tigon_profile_start(struct tigon_profile **profile, struct tigon_execution *execution);
/* Resets all counts. */
void tigon_profile_reset(struct tigon_profile *profile);
void tigon_profile_free(struct tigon_profile *profile);

/* One function of a core; a function calling itself counts once in `inclusive`. */
struct tigon_profile_row {
    const struct tigon_executed *function;
    uint64_t calls;
    struct tigon_cost own;
    struct tigon_cost inclusive; /* with its callees */
};

/* The functions of a core that were executed, the busiest first. Returns their number; the caller
 * frees `*rows`. 0 and NULL when there are none or memory is exhausted. */
size_t tigon_profile_rows(const struct tigon_profile *profile, unsigned core,
                          struct tigon_profile_row **rows);

/* A table for people: at most `limit` functions of each core that ran. */
void tigon_profile_print(const struct tigon_profile *profile, FILE *stream, const char *board,
                         size_t limit);

/* For kcachegrind, qcachegrind and callgrind_annotate: costs by instruction, and by line where the
 * image has line information; calls with their sites. All boards (names in `boards`; NULL profiles
 * are left out) in one file, functions as "board.A:name". */
void tigon_profile_write_callgrind(struct tigon_profile *const *profiles, const char *const *boards,
                                   size_t count, FILE *stream);

/* For flame graphs: "board;A;function;function busy-cycles", a line for each chain of calls. */
void tigon_profile_write_folded(const struct tigon_profile *profile, FILE *stream,
                                const char *board);

#endif
