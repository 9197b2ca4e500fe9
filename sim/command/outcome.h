/* SPDX-License-Identifier: MIT */
/* The end of a run, whether the scenario expects it, and the results for people and as JSON.
 * Everything but the speed depends on scenario, options and files alone. */
#ifndef SIM_COMMAND_OUTCOME_H
#define SIM_COMMAND_OUTCOME_H

#include "sim/command/setup.h"
#include "sim/command/watcher.h"

enum { OUTCOME_PROBLEMS = 64, OUTCOME_PROBLEM_BYTES = 320 };

struct outcome {
    enum scenario_ending ending;
    char reason[320]; /* more about it, may be empty */
    uint64_t ns;
    size_t problem_count; /* the expectation that failed */
    char problems[OUTCOME_PROBLEMS][OUTCOME_PROBLEM_BYTES];
};

/* Decides after the run. `path` is the scenario's, for the lines of its expectations. */
void outcome_decide(struct outcome *outcome, const struct setup *setup, enum tigon_end end,
                    const struct watcher *watcher, const char *path);

/* Adds everything known to `result`. */
void outcome_json(const struct outcome *outcome, const struct setup *setup,
                  const struct watcher *watcher, cJSON *result);

/* The tables. `real_s` is how long the run took on this machine. */
void outcome_print(const struct outcome *outcome, const struct setup *setup, double real_s,
                   FILE *stream);

#endif
