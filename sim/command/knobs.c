/* SPDX-License-Identifier: MIT */
/* tigonsim knobs: the table, with the values a command line would give. */
#include "sim/command/command.h"

#include "sim/command/knob_text.h"

#include <argp.h>

static error_t parse(int key, char *text, struct argp_state *state) {
    struct tigon_knobs *knobs = state->input;
    char problem[KNOB_PROBLEM_BYTES];
    switch (key) {
    case 's':
        if (knob_assign(knobs, text, problem))
            argp_error(state, "%s", problem);
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "unexpected argument %s", text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_knobs(int count, char **texts) {
    static const struct argp_option options[] = {
        {"set", 's', "NAME=VALUE", 0, "show the table with this value", 0},
        {0},
    };
    static const struct argp parser = {
        .options = options,
        .parser = parse,
        .doc = "One line per knob: name, value, unit and the reason for the default.",
    };
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    (void)argp_parse(&parser, count, texts, 0, NULL, &knobs);
    tigon_knobs_print(&knobs, stdout);
    return COMMAND_DONE;
}
