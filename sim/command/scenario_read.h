/* SPDX-License-Identifier: MIT */
/* Shared by the files that read a scenario. */
#ifndef SIM_COMMAND_SCENARIO_READ_H
#define SIM_COMMAND_SCENARIO_READ_H

#include "sim/command/scenario.h"

struct reader {
    struct scenario *scenario;
    struct settings *settings;
    const struct scenario_overrides *overrides;
};

/* The board that member `name` of `group` names; complains when it is missing or unknown. */
bool scenario_board_named(const struct reader *reader, const config_setting_t *group,
                          const char *name, size_t *board);

/* Copies a name of a board, switch or program from member `name`: letters, digits, `_`, `.`.
 * False, with a complaint, when it is missing or no such name. */
bool scenario_name(const struct reader *reader, const config_setting_t *group,
                   char name[SCENARIO_NAME_BYTES]);

/* Sets the knobs of a group. */
void scenario_knobs(const struct reader *reader, const config_setting_t *group,
                    struct tigon_knobs *knobs);

/* One board of the list, all but its name. */
void scenario_read_board(const struct reader *reader, const config_setting_t *group,
                         struct scenario_board *board);
void scenario_free_board(struct scenario_board *board);

/* The group `stop` and the group `expect`. */
void scenario_read_stop(const struct reader *reader, const config_setting_t *group);
void scenario_read_expect(const struct reader *reader, const config_setting_t *group);

#endif
