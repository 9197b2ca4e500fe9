/* SPDX-License-Identifier: MIT */
/* tigonsim run: reads a scenario, creates its world, runs it, prints the results. */
#include "sim/command/command.h"
#include "sim/command/inspect.h"
#include "sim/command/outcome.h"
#include "sim/command/outputs.h"
#include "sim/command/progress.h"
#include "sim/command/run.h"
#include "sim/command/serve_options.h"
#include "sim/command/watcher.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRETCH_NS UINT64_C(1000000) /* between two readings of the clock */

enum { ASSIGNMENTS_LIMIT = 256, PARTS_LIMIT = 32 };

struct arguments {
    const char *path;
    const char *assignments[ASSIGNMENTS_LIMIT];
    struct scenario_overrides overrides;
    const char *json; /* NULL: none, "-": standard output */
    const char *captures;
    bool check;
    bool quiet;
};

enum { OPTION_JSON = 256, OPTION_SEED, OPTION_UNTIL, OPTION_CAPTURE, OPTION_CHECK };

static const struct argp_option option_table[] = {
    {"set", 's', "NAME=VALUE", 0,
     "set a knob of world and boards (tigonsim knobs), or of one board: BOARD.NAME=VALUE", 0},
    {"seed", OPTION_SEED, "NUMBER", 0, "of everything random, instead of the scenario's", 0},
    {"until", OPTION_UNTIL, "TIME", 0, "run to this simulated time at most, such as 20ms", 0},
    {"json", OPTION_JSON, "FILE", OPTION_ARG_OPTIONAL,
     "results as JSON, on standard output without FILE", 0},
    {"capture", OPTION_CAPTURE, "DIRECTORY", 0,
     "every frame of every wire as pcapng, one file a wire", 0},
    {"check", OPTION_CHECK, NULL, 0, "read everything and make the boards, but do not run", 0},
    {"quiet", 'q', NULL, 0, "no progress and no summary", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    struct scenario_overrides *overrides = &arguments->overrides;
    char *end;
    switch (key) {
    case ARGP_KEY_INIT:
        for (size_t i = 0, child = 0; run_parts[i]; i++)
            if (run_parts[i]->options)
                state->child_inputs[child++] = run_parts[i]->arguments;
        return 0;
    case 's':
        if (overrides->assignment_count == ASSIGNMENTS_LIMIT)
            argp_error(state, "too many --set");
        arguments->assignments[overrides->assignment_count++] = text;
        return 0;
    case OPTION_SEED:
        errno = 0;
        overrides->seed = strtoull(text, &end, 0);
        overrides->has_seed = true;
        if (errno || *end || *text < '0' || *text > '9')
            argp_error(state, "--seed: expected a number, found %s", text);
        return 0;
    case OPTION_UNTIL:
        overrides->has_until = settings_parse_time(text, &overrides->until_ns);
        if (!overrides->has_until)
            argp_error(state, "--until: expected a time such as 1.5ms, found %s", text);
        return 0;
    case OPTION_JSON:
        arguments->json = text ? text : "-";
        return 0;
    case OPTION_CAPTURE:
        arguments->captures = text;
        return 0;
    case OPTION_CHECK:
        arguments->check = true;
        return 0;
    case 'q':
        arguments->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->path)
            argp_error(state, "one scenario at a time: %s and %s", arguments->path, text);
        arguments->path = text;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->path)
            argp_error(state, "expected a scenario file");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void parse_arguments(int count, char **texts, struct arguments *arguments) {
    static struct argp_child children[PARTS_LIMIT + 1];
    const struct argp parser = {
        .options = option_table,
        .parser = parse,
        .args_doc = "SCENARIO",
        .doc = "Runs a scenario file: boards, their images, host programs, wires and faults. "
               "docs/board-scenarios.md, \"Scenarios\", tells what a file may say.",
        .children = children,
    };
    size_t child = 0;
    for (size_t i = 0; run_parts[i] && child < PARTS_LIMIT; i++)
        if (run_parts[i]->options)
            children[child++] = (struct argp_child){run_parts[i]->options, 0, NULL, 0};
    /* A fault in one client's firmware must not end the world of the others; --set may override
     * this. */
    if (serve_options_parser)
        arguments->assignments[arguments->overrides.assignment_count++] = "stop_on_fault=0";
    if (serve_options_parser && child < PARTS_LIMIT)
        children[child++] = (struct argp_child){serve_options_parser, 0, NULL, 0};
    arguments->overrides.assignments = arguments->assignments;
    (void)argp_parse(&parser, count, texts, 0, NULL, arguments);
}

/* Settings that belong to parts. */
static void read_parts(struct settings *settings) {
    for (size_t i = 0; run_parts[i]; i++) {
        const struct run_part *part = run_parts[i];
        config_setting_t *setting =
            part->setting ? config_setting_get_member(settings_root(settings), part->setting)
                          : NULL;
        if (setting)
            part->read(settings, setting, part->arguments);
    }
}

/* Of options: what is known now that the scenario is. */
static void check_options(struct settings *settings, const struct scenario *scenario,
                          const struct arguments *arguments) {
    for (size_t i = 0; run_parts[i]; i++)
        if (run_parts[i]->check)
            run_parts[i]->check(settings, scenario, run_parts[i]->arguments);
    outputs_note(settings, NULL, arguments->json, "--json");
    for (size_t i = 0; arguments->captures && i < scenario->wire_count; i++) {
        char path[SETUP_PATH_BYTES];
        setup_capture_path(path, arguments->captures, &scenario->wires[i]);
        if (!scenario->wires[i].capture)
            outputs_note(settings, NULL, path, "--capture of wire %s", scenario->wires[i].name);
    }
}

static enum tigon_end advance(struct run *run, uint64_t limit_ns) {
    for (size_t i = 0; run_parts[i]; i++)
        if (run_parts[i]->advance)
            return run_parts[i]->advance(run, run_parts[i]->arguments, limit_ns);
    return tigon_world_run(run->world, limit_ns);
}

/* Pieces end where a watched word is due to be read; cutting the run into pieces does not change
 * it. */
static enum tigon_end run_stretches(struct run *run, struct watcher *watcher,
                                    struct progress *progress) {
    const uint64_t limit = run->scenario->stop_ns;
    for (;;) {
        const uint64_t now = tigon_world_now_ns(run->world);
        uint64_t next = now + STRETCH_NS;
        if (watcher_due(watcher) < next)
            next = watcher_due(watcher);
        /* A world in which nothing can happen any more need not be sampled again. */
        if (next > limit || (tigon_world_asleep(run->world) && now > 0))
            next = limit;
        if (next == UINT64_MAX)
            return TIGON_END_ASLEEP;
        const enum tigon_end end = advance(run, next);
        if (watcher_look(watcher) && end == TIGON_END_TIME_LIMIT)
            return TIGON_END_STOPPED;
        if (end != TIGON_END_TIME_LIMIT || next == limit)
            return end;
        progress_tell(progress, next, limit);
    }
}

/* Parts begin, the world runs, parts finish. */
static int run_world(struct run *run, struct watcher *watcher, struct progress *progress) {
    int status = COMMAND_DONE;
    size_t begun = 0;
    for (; run_parts[begun] && status == COMMAND_DONE; begun++)
        if (run_parts[begun]->begin)
            status = run_parts[begun]->begin(run, run_parts[begun]->arguments);
    if (status == COMMAND_DONE)
        run->end = run_stretches(run, watcher, progress);
    for (size_t i = 0; i < begun; i++) {
        const int finished = run_parts[i]->finish
                                 ? run_parts[i]->finish(run, run_parts[i]->arguments)
                                 : COMMAND_DONE;
        if (finished > status)
            status = finished;
    }
    return status;
}

/* JSON on standard output must be alone there: the programs' output goes to standard error. */
static FILE *open_json(const struct arguments *arguments) {
    if (!arguments->json)
        return NULL;
    if (strcmp(arguments->json, "-") != 0)
        return fopen(arguments->json, "w");
    (void)fflush(stdout);
    const int own = dup(STDOUT_FILENO);
    if (own < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        return NULL;
    return fdopen(own, "w");
}

static int write_json(const cJSON *result, FILE *file) {
    char *text = cJSON_Print(result);
    int error = !text || fprintf(file, "%s\n", text) < 0;
    cJSON_free(text);
    if (fclose(file) != 0)
        error = 1;
    return error ? command_complain("the results cannot be written as JSON") : COMMAND_DONE;
}

static int run_setup(const struct arguments *arguments, struct setup *setup) {
    static struct outcome outcome;
    struct progress progress;
    const bool tables =
        !arguments->quiet && !(arguments->json && strcmp(arguments->json, "-") == 0);
    struct run run = {.path = arguments->path,
                      .scenario = setup->scenario,
                      .world = setup->world,
                      .quiet = arguments->quiet};
    if (arguments->captures && setup_capture(setup, arguments->captures, stderr))
        return COMMAND_USAGE;
    FILE *json = open_json(arguments);
    if (arguments->json && !json)
        return command_complain("%s: %s", arguments->json, strerror(errno));
    struct watcher *watcher =
        watcher_create(setup, arguments->path, tables ? stdout : NULL, stderr);
    if (!watcher) {
        if (json)
            (void)fclose(json);
        return COMMAND_USAGE;
    }
    run.result = cJSON_CreateObject();
    progress_begin(&progress, !arguments->quiet && isatty(STDERR_FILENO));
    int status = run_world(&run, watcher, &progress);
    const double seconds = progress_end(&progress);
    if (status == COMMAND_DONE) {
        outcome_decide(&outcome, setup, run.end, watcher, arguments->path);
        outcome_json(&outcome, setup, watcher, run.result);
        if (tables)
            outcome_print(&outcome, setup, seconds, stdout);
        for (size_t i = 0; i < outcome.problem_count; i++)
            (void)fprintf(stderr, "tigonsim: %s\n", outcome.problems[i]);
        status = outcome.problem_count ? COMMAND_FAILED : COMMAND_DONE;
        for (size_t i = 0; i < setup->scenario->board_count; i++)
            if (inspect_write(&setup->boards[i], stderr))
                status = COMMAND_USAGE;
        if (setup_finish(setup, stderr))
            status = COMMAND_USAGE;
    }
    if (json && write_json(run.result, json) != COMMAND_DONE)
        status = COMMAND_USAGE;
    cJSON_Delete(run.result);
    watcher_destroy(watcher);
    return status;
}

int command_run(int count, char **texts) {
    static struct arguments arguments;
    struct settings settings;
    struct scenario scenario = {0};
    struct setup setup = {0};
    int status = COMMAND_USAGE;
    parse_arguments(count, texts, &arguments);
    arguments.overrides.endless = serve_options_enabled();
    if (settings_open(&settings, arguments.path, stderr) == 0) {
        const char *others[PARTS_LIMIT + 1] = {NULL};
        size_t other = 0;
        for (size_t i = 0; run_parts[i] && other < PARTS_LIMIT; i++)
            if (run_parts[i]->setting)
                others[other++] = run_parts[i]->setting;
        scenario_read(&scenario, &settings, &arguments.overrides, others);
        read_parts(&settings);
        check_options(&settings, &scenario, &arguments);
        settings_flush(&settings);
    }
    if (settings.mistakes == 0) {
        if (setup_create(&setup, &scenario, arguments.path, stderr) == 0)
            status = arguments.check ? COMMAND_DONE : run_setup(&arguments, &setup);
        setup_destroy(&setup);
    }
    outputs_forget();
    scenario_free(&scenario);
    settings_close(&settings);
    return status;
}
