/* SPDX-License-Identifier: MIT */
/* See observe_options.h. An option takes precedence over the scenario's setting. */
#include "sim/command/observe_options.h"

#include "sim/command/command.h"
#include "sim/command/explain.h"
#include "sim/command/names.h"
#include "sim/command/outputs.h"
#include "sim/observe/observation.h"

#include <stdlib.h>
#include <string.h>

enum {
    OPTION_VCD = 512,
    OPTION_TIMELINE,
    OPTION_PROFILE,
    OPTION_PROFILE_FROM,
    OPTION_LOG,
    OPTION_EXPLAIN
};

static struct {
    struct tigon_observation_options options;
    struct tigon_observation *observation;
    const char *explained; /* BOARD:NUMBER */
    const char **images;
    char *texts[16]; /* to be freed */
    size_t text_count;
} part;

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Looking inside (docs/board-debugging.md):", 10},
    {"vcd", OPTION_VCD, "FILE[:NAMES]", 0,
     "waveform of signals: names and patterns such as left.dma_*,*.event_a", 10},
    {"timeline", OPTION_TIMELINE, "FILE", 0,
     "everything on one time line, for ui.perfetto.dev and chrome://tracing", 10},
    {"profile", OPTION_PROFILE, "FILE", 0,
     "cycles by function and transition; FILE.callgrind for kcachegrind, FILE.folded for flame "
     "graphs, - for tables on standard output",
     10},
    {"profile-from", OPTION_PROFILE_FROM, "TIME", 0, "leave out what is spent before", 10},
    {"log", OPTION_LOG, "FILE[:KINDS]", 0,
     "what happened, by kind: signal, dma, send, receive, program, message, transition, fault, "
     "all; FILE.jsonl for JSON lines, - for standard output",
     10},
    {"explain", OPTION_EXPLAIN, "BOARD:NUMBER", 0,
     "where the time of a message goes: the one, counted from 0, whose end a program of this board "
     "saw",
     10},
    {0},
};

static char *keep(char *text) {
    if (!text || part.text_count == sizeof part.texts / sizeof *part.texts) {
        (void)fprintf(stderr, "tigonsim: out of memory\n");
        exit(COMMAND_USAGE);
    }
    part.texts[part.text_count++] = text;
    return text;
}

/* "FILE:REST"; `*rest` is NULL when there is none. */
static char *split(const char *text, const char **rest) {
    char *file = keep(strdup(text));
    char *colon = strchr(file, ':');
    *rest = NULL;
    if (colon) {
        *colon = 0;
        *rest = colon + 1;
    }
    return file;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct tigon_observation_options *options = &part.options;
    const char *rest;
    size_t length;
    switch (key) {
    case OPTION_VCD:
        options->vcd = split(text, &options->vcd_patterns);
        return 0;
    case OPTION_TIMELINE:
        options->timeline = text;
        return 0;
    case OPTION_PROFILE:
        options->profile = text;
        return 0;
    case OPTION_PROFILE_FROM:
        if (!settings_parse_time(text, &options->profile_from_ns))
            argp_error(state, "--profile-from: expected a time such as 1.5ms, found %s", text);
        return 0;
    case OPTION_LOG:
        options->log = split(text, &rest);
        if (rest && !tigon_log_parse_kinds(&rest, &length, &options->log_kinds))
            argp_error(state, "--log: no kind is called %.*s", (int)length, rest);
        return 0;
    case OPTION_EXPLAIN:
        part.explained = text;
        options->explain = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {.options = option_table, .parser = parse};

/* ------------------------------------------------------------------------------------------------
 * The setting */

static void read_file(struct settings *settings, config_setting_t *group, const char *name,
                      const char **file) {
    char *path = settings_path(settings, group, name);
    if (!path)
        return;
    (void)keep(path);
    if (!*file)
        *file = path;
}

static void read_setting(struct settings *settings, config_setting_t *group, void *arguments) {
    static const char *const names[] = {"vcd",          "signals", "timeline", "profile",
                                        "profile_from", "log",     "kinds",    NULL};
    struct tigon_observation_options *options = &part.options;
    const char *kinds, *signals;
    uint64_t from_ns;
    size_t length;
    (void)arguments;
    if (!settings_check(settings, group, "observe", names))
        return;
    read_file(settings, group, "vcd", &options->vcd);
    read_file(settings, group, "timeline", &options->timeline);
    read_file(settings, group, "profile", &options->profile);
    read_file(settings, group, "log", &options->log);
    if (settings_text(settings, group, "signals", &signals) && !options->vcd_patterns)
        options->vcd_patterns = keep(strdup(signals));
    if (settings_time(settings, group, "profile_from", &from_ns) && !options->profile_from_ns)
        options->profile_from_ns = from_ns;
    if (settings_text(settings, group, "kinds", &kinds) && !options->log_kinds &&
        !tigon_log_parse_kinds(&kinds, &length, &options->log_kinds))
        settings_complain(settings, config_setting_get_member(group, "kinds"),
                          "expected kinds of happenings such as \"dma,send\", found %.*s",
                          (int)length, kinds);
}

/* ------------------------------------------------------------------------------------------------
 * Before and after */

static void check(struct settings *settings, const struct scenario *scenario, void *arguments) {
    const struct tigon_observation_options *options = &part.options;
    (void)scenario;
    (void)arguments;
    outputs_note(settings, NULL, options->vcd, "the waveform");
    outputs_note(settings, NULL, options->timeline, "the time line");
    outputs_note(settings, NULL, options->profile, "the profile");
    outputs_note(settings, NULL, options->log, "the log");
}

static int begin(struct run *run, void *arguments) {
    struct tigon_observation_options *options = &part.options;
    const struct scenario *scenario = run->scenario;
    char message[256];
    (void)arguments;
    if (!options->vcd && !options->timeline && !options->profile && !options->log &&
        !options->explain)
        return COMMAND_DONE;
    part.images = calloc(scenario->board_count + 1, sizeof *part.images);
    if (!part.images)
        return command_complain("out of memory");
    for (size_t i = 0; i < scenario->board_count; i++)
        part.images[i] = scenario->boards[i].image.file;
    options->transition_name = names_transition;
    options->images = part.images;
    if (tigon_observation_start(&part.observation, run->world, options, message, sizeof message))
        return command_complain("%s", message);
    return COMMAND_DONE;
}

static int finish(struct run *run, void *arguments) {
    char message[256];
    int status = COMMAND_DONE;
    (void)arguments;
    if (part.observation && part.explained)
        status = explain_report(run, tigon_observation_explain(part.observation), part.explained);
    if (tigon_observation_end(part.observation, message, sizeof message))
        status = command_complain("%s", message);
    part.observation = NULL;
    free(part.images);
    part.images = NULL;
    while (part.text_count)
        free(part.texts[--part.text_count]);
    return status;
}

const struct run_part observe_part = {
    .options = &parser,
    .arguments = NULL,
    .setting = "observe",
    .read = read_setting,
    .check = check,
    .begin = begin,
    .finish = finish,
};
