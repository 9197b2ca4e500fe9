/* SPDX-License-Identifier: MIT */
/* The cost of each transition of the protocol to the core that takes it. */
#ifndef SIM_OBSERVE_TRANSITIONS_H
#define SIM_OBSERVE_TRANSITIONS_H

#include <stdio.h>

#include "sim/observe/execution.h"

struct tigon_transitions;

struct tigon_transition_row {
    uint32_t id;
    uint64_t count;
    uint64_t least; /* cycles of one, with those it led to */
    uint64_t most;
    uint64_t total;
    uint64_t own;  /* of the total, without those it led to */
    uint64_t lead; /* before them: from the call of the function to its first record */
};

/* Counts the reports of the execution from now on. 0 or -ENOMEM. */
int tigon_transitions_start(struct tigon_transitions **transitions,
                            struct tigon_execution *execution);
/* Resets all counts. */
void tigon_transitions_reset(struct tigon_transitions *transitions);
void tigon_transitions_free(struct tigon_transitions *transitions);

/* Those that were taken, the most expensive in sum (`own`) first. To be freed, as
 * tigon_profile_rows. */
size_t tigon_transitions_rows(const struct tigon_transitions *transitions,
                              struct tigon_transition_row **rows);

/* A name for a transition's number on a board; NULL when there is none. */
typedef const char *(*tigon_transition_name)(size_t board, uint32_t id);

/* A table for people of board `index`, called `board`, with at most `limit` transitions; `name` may
 * be NULL. Prints nothing when none was taken. */
void tigon_transitions_print(const struct tigon_transitions *transitions, FILE *stream,
                             size_t index, const char *board, tigon_transition_name name,
                             size_t limit);

#endif
