/* SPDX-License-Identifier: MIT */
/* tigonsim run, for authors of its parts.
 *
 * A part is a group of options and settings with actions before and after the run: an observer, a
 * debugger. To add one: write a struct run_part in a file of its own and name it in the table of
 * run_parts.c. */
#ifndef SIM_COMMAND_RUN_H
#define SIM_COMMAND_RUN_H

#include "sim/command/scenario.h"
#include "sim/tigon.h"

#include <argp.h>
#include <cjson/cJSON.h>
#include <stdbool.h>

struct run {
    const char *path; /* of the scenario file, as named by the user */
    const struct scenario *scenario;
    struct tigon_world *world;
    enum tigon_end end; /* of the last stretch */
    bool quiet;
    cJSON *result; /* the object --json prints; parts add members when the run is over */
};

struct run_part {
    /* Joined to the options of `tigonsim run`, may be NULL. state->input is `arguments`. */
    const struct argp *options;
    void *arguments;

    /* Top-level setting of a scenario file that belongs to this part, or NULL. `read` is called
     * after the options were parsed; it reports mistakes with settings_complain. */
    const char *setting;
    void (*read)(struct settings *settings, config_setting_t *setting, void *arguments);

    /* Everything is read and nothing made yet: reports mistakes of the part's options and settings
     * that concern other files. May be NULL. */
    void (*check)(struct settings *settings, const struct scenario *scenario, void *arguments);

    /* The world is complete and has not run. Returns COMMAND_DONE, or a status that ends tigonsim
     * after a message of the part's own. May be NULL. */
    int (*begin)(struct run *run, void *arguments);

    /* Runs the world up to `limit_ns` in place of tigon_world_run, or calls that when the part's
     * options are not given. At most one part may have this; the others leave it NULL. It is called
     * again and again, with later limits, until the run is over. */
    enum tigon_end (*advance)(struct run *run, void *arguments, uint64_t limit_ns);

    /* The run is over, the world still there; also called when a later part's begin failed.
     * COMMAND_DONE or a status as above. May be NULL. */
    int (*finish)(struct run *run, void *arguments);
};

extern const struct run_part *const run_parts[]; /* ends with NULL */

#endif
