/* SPDX-License-Identifier: MIT */
/* emp trace: the transitions that a board takes, from its trace ring, while it runs. */
#include "host/tools/inspect.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct tool_options common;
    const char *image;
    const char *only;
    uint64_t count;
    double interval_s;
};

static const struct tool_option option_table[] = {
    {{"image", 'I', "IMAGE", 0, "With the names of transitions (default: as of `emp load`)", 0},
     TOOL_TO_TEXT(image)},
    {{"only", 'o', "TEXT", 0, "Only transitions whose name contains this", 0}, TOOL_TO_TEXT(only)},
    {{"count", 'c', "NUMBER", 0, "Transitions to show; 0: until interrupted (default 0)", 0},
     TOOL_TO_NUMBER(count, 0, UINT32_MAX)},
    {{"interval", 'i', "SECONDS", 0, "Between two looks at the ring (default 0.001)", 0},
     TOOL_TO_SECONDS(interval_s)},
    {.kind = TOOL_OWN},
};

static const struct tool_syntax syntax = {
    .options = option_table,
    .description =
        "Shows the transitions of a board's state machines as it takes them, first those that "
        "its trace ring still holds. The image must have been built with a ring "
        "(NAME_a_traced.bin in the profile modern). --timeout ends it when no transition comes "
        "for so long.",
};

static bool print(const struct arguments *arguments, const struct inspect_record *record) {
    if (arguments->only && !strstr(record->name, arguments->only))
        return false;
    if (arguments->common.json) {
        cJSON *row = cJSON_CreateObject();
        (void)cJSON_AddNumberToObject(row, "time_us", record->time_us);
        (void)cJSON_AddNumberToObject(row, "transition", record->transition);
        (void)cJSON_AddStringToObject(row, "name", record->name);
        (void)cJSON_AddNumberToObject(row, "argument", record->argument);
        tool_print_json(row);
    } else {
        (void)printf("%10" PRIu32 " us  %-48s %u\n", record->time_us, record->name,
                     record->argument);
    }
    return true;
}

static int follow(struct tool_session *session, const struct arguments *arguments,
                  struct inspect_ring *ring) {
    const uint64_t patience = tool_patience_ns(&arguments->common);
    uint64_t shown = 0;
    uint64_t last = tool_now_ns(session);
    while (!tool_stopped()) {
        struct inspect_record record;
        const int found = inspect_next(ring, &record);
        if (found < 0)
            return tool_fail(session, found, "trace");
        if (found > 0) {
            if (record.lost)
                (void)fprintf(stderr, "emp: %" PRIu32 " transitions were overwritten unseen\n",
                              record.lost);
            last = tool_now_ns(session);
            shown += print(arguments, &record);
            if (arguments->count && shown >= arguments->count)
                return TOOL_DONE;
            continue;
        }
        (void)fflush(stdout);
        if (tool_now_ns(session) - last >= patience)
            return TOOL_DONE;
        tool_sleep_s(session, arguments->interval_s);
    }
    return TOOL_DONE;
}

int tool_trace(int argc, char **argv) {
    struct arguments arguments = {.interval_s = 0.001};
    struct tool_session session;
    struct inspect_ring ring;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    tool_catch_signals();
    int status = tool_attach(&session, &arguments.common);
    if (status)
        return status;
    status = inspect_open(&ring, &session, arguments.image, true);
    if (!status && !ring.entries)
        status =
            tool_say("%s: its image has no trace ring; load one that was built with it, such as "
                     "emp_a_traced.bin",
                     arguments.common.board);
    if (!status)
        status = follow(&session, &arguments, &ring);
    inspect_close(&ring);
    tool_close(&session, NULL, 0);
    return status;
}
