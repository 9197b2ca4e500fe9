/* SPDX-License-Identifier: MIT */
/* Options of `tigonsim run` for debugging; see debug_options.h. */
#include "sim/command/debug_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/command/command.h"
#include "sim/command/names.h"
#include "sim/command/outputs.h"
#include "sim/command/serve_options.h"
#include "sim/debug/debugger.h"
#include "sim/debug/report.h"

struct debug_options {
    const char *address; /* NULL: no debugger */
    bool go;             /* do not wait for one */
    bool stop_at_end;
    uint64_t from_ns;
    uint64_t snapshot_ns;
    unsigned long snapshot_limit;
    bool snapshots_chosen;
    const char *report; /* file, "-": standard output, NULL: only after a crash */

    struct tigon_debugger *debugger;
    struct tigon_reporter *reporter;
};

static struct debug_options options = {.snapshot_ns = 1000000, .snapshot_limit = 32};

enum {
    OPTION_GDB = 0x600,
    OPTION_GO,
    OPTION_AT,
    OPTION_STOP_AT_END,
    OPTION_SNAPSHOT,
    OPTION_SNAPSHOTS,
    OPTION_REPORT
};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "Debugging (docs/board-debugging.md, \"Debugging\"):", 20},
    {"gdb", OPTION_GDB, "[BOARD]:PORT", 0,
     "let GDB attach: to the cores of one board, or of all; instead of :PORT a path with a slash",
     0},
    {"gdb-go", OPTION_GO, NULL, 0, "run at once, GDB may come later", 0},
    {"gdb-at", OPTION_AT, "TIME", 0, "run alone to this simulated time, then wait for GDB", 0},
    {"stop-at-end", OPTION_STOP_AT_END, NULL, 0,
     "with GDB attached, stop once more when all programs have finished", 0},
    {"snapshot-every", OPTION_SNAPSHOT, "TIME", 0,
     "distance of the moments from which GDB goes back (1ms)", 0},
    {"snapshots", OPTION_SNAPSHOTS, "COUNT", 0, "how many of them are kept (32); 0: no way back",
     0},
    {"report", OPTION_REPORT, "FILE", OPTION_ARG_OPTIONAL,
     "where all cores and devices stand at the end, as after a crash", 0},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    char *end;
    switch (key) {
    case OPTION_GDB:
        options.address = text;
        return 0;
    case OPTION_GO:
        options.go = true;
        return 0;
    case OPTION_AT:
        if (!settings_parse_time(text, &options.from_ns))
            argp_error(state, "--gdb-at: expected a time such as 1.5ms, found %s", text);
        return 0;
    case OPTION_STOP_AT_END:
        options.stop_at_end = true;
        return 0;
    case OPTION_SNAPSHOT:
        if (!settings_parse_time(text, &options.snapshot_ns) || options.snapshot_ns < 1000)
            argp_error(state, "--snapshot-every: expected a time of at least 1us, found %s", text);
        return 0;
    case OPTION_SNAPSHOTS:
        options.snapshot_limit = strtoul(text, &end, 10);
        options.snapshots_chosen = true;
        if (*text < '0' || *text > '9' || *end || options.snapshot_limit > 64)
            argp_error(state, "--snapshots: expected a number from 0 to 64, found %s", text);
        return 0;
    case OPTION_REPORT:
        options.report = text ? text : "-";
        return 0;
    case ARGP_KEY_END:
        if (!options.address && (options.go || options.from_ns || options.stop_at_end))
            argp_error(state, "--gdb-go, --gdb-at and --stop-at-end need --gdb");
        /* A copy of this process could not take the clients with it. */
        if (serve_options_enabled() && options.snapshots_chosen && options.snapshot_limit != 0)
            argp_error(state, "--snapshots: other programs cannot go back in time; "
                              "with `serve` it must be 0, which it is unless said");
        if (serve_options_enabled())
            options.snapshot_limit = 0;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {.options = option_table, .parser = parse};

static void tell_address(void *context, const char *address) {
    (void)context;
    (void)fprintf(stderr, "tigonsim: gdb-multiarch -ex \"target remote %s\"\n", address);
    (void)fflush(stderr);
}

/* "left:1234": the board's index, and *address behind its name. The first part may be a host name,
 * too. */
static int board_of(const struct scenario *scenario, const char **address) {
    const char *colon = strchr(*address, ':');
    for (size_t i = 0; colon && i < scenario->board_count; i++) {
        const char *name = scenario->boards[i].name;
        if (strlen(name) == (size_t)(colon - *address) &&
            strncmp(name, *address, strlen(name)) == 0) {
            *address = colon + 1;
            return (int)i;
        }
    }
    return TIGON_DEBUGGER_ALL_BOARDS;
}

static int begin_debugger(struct run *run) {
    struct tigon_debugger_options debug;
    tigon_debugger_options_defaults(&debug);
    debug.address = options.address;
    debug.board = board_of(run->scenario, &debug.address);
    debug.wait = !options.go;
    debug.stop_at_end = options.stop_at_end;
    debug.from_ns = options.from_ns;
    debug.snapshot_ns = options.snapshot_ns;
    debug.snapshot_limit = (unsigned)options.snapshot_limit;
    debug.reporter = options.reporter;
    debug.listening = tell_address;
    const int error = tigon_debugger_open(&options.debugger, run->world, &debug);
    if (error == -EINVAL)
        return command_complain("--gdb: expected :PORT, BOARD:PORT, HOST:PORT or a path with a "
                                "slash, found %s",
                                options.address);
    if (error)
        return command_complain("--gdb %s: %s", options.address, strerror(-error));
    return COMMAND_DONE;
}

static void check(struct settings *settings, const struct scenario *scenario, void *arguments) {
    (void)scenario;
    (void)arguments;
    outputs_note(settings, NULL, options.report, "the report");
}

static int begin(struct run *run, void *arguments) {
    (void)arguments;
    if (tigon_reporter_create(&options.reporter, run->world) != 0)
        return command_complain("out of memory");
    tigon_reporter_set_transition_names(options.reporter, names_transition);
    tigon_reporter_set_stop(options.reporter, names_stop);
    for (size_t i = 0; i < run->scenario->board_count; i++) {
        const struct scenario_board *board = &run->scenario->boards[i];
        /* A file that is not ELF has no symbols. */
        if (board->image.file)
            (void)tigon_reporter_set_image(options.reporter, i, board->image.file);
        tigon_reporter_set_name(options.reporter, i, board->name);
    }
    return options.address ? begin_debugger(run) : COMMAND_DONE;
}

static int write_report(const cJSON *report) {
    FILE *file = strcmp(options.report, "-") == 0 ? stdout : fopen(options.report, "w");
    if (!file)
        return command_complain("--report: %s: %s", options.report, strerror(errno));
    tigon_report_print(report, file);
    if (file != stdout && fclose(file) != 0)
        return command_complain("--report: %s: %s", options.report, strerror(errno));
    return COMMAND_DONE;
}

static int finish(struct run *run, void *arguments) {
    const bool crashed = run->end == TIGON_END_FAULT || run->end == TIGON_END_ASLEEP;
    int status = COMMAND_DONE;
    (void)arguments;
    if (options.reporter && (options.report || crashed)) {
        cJSON *report = tigon_reporter_report(options.reporter, tigon_end_name(run->end));
        if (options.report)
            status = write_report(report);
        else if (!run->quiet)
            tigon_report_print(report, stderr);
        cJSON_AddItemToObject(run->result, "crash_report", report);
    }
    tigon_debugger_close(options.debugger, crashed ? COMMAND_FAILED : COMMAND_DONE);
    tigon_reporter_free(options.reporter);
    options.debugger = NULL;
    options.reporter = NULL;
    return status;
}

const struct run_part debug_part = {
    .options = &parser, .check = check, .begin = begin, .finish = finish};
