/* SPDX-License-Identifier: MIT */
/* Serving boards: options, the setting `serve`, and the server while the world runs. */
#include "sim/command/serve_options.h"

#include "sim/command/command.h"
#include "sim/serve/server.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { SERVED_LIMIT = 256, OPTION_FREE = 0x700, OPTION_ONCE, OPTION_PATIENCE };

struct served {
    char board[SCENARIO_NAME_BYTES];
    char *path; /* NULL: BOARD.sock */
    unsigned line;
    bool reset;
    bool wait;
};

static struct {
    bool enabled;
    struct served served[SERVED_LIMIT];
    size_t count;
    size_t from_options; /* the first ones; a board named there is not the file's affair */
    bool free_running;
    bool free_chosen;
    double scale;
    bool once;
    uint64_t patience_ns;
    bool patience_chosen;
    struct tigon_server *server;
    struct sigaction interrupt;
    struct sigaction terminate;
} part = {.scale = 1};

static const struct argp_option option_table[] = {
    {0, 0, 0, 0, "Serving (docs/board-scenarios.md, \"Attaching other programs\"):", 30},
    {"socket", 'S', "BOARD=PATH", 0,
     "serve this board at this socket; without any, and without `serve` in the scenario, every "
     "board that has no program, at BOARD.sock",
     0},
    {"free", OPTION_FREE, "SCALE", OPTION_ARG_OPTIONAL,
     "time follows the clock, SCALE simulated seconds a second (1); results then differ from run "
     "to run",
     0},
    {"once", OPTION_ONCE, NULL, 0, "end when the last client has gone", 0},
    {"patience", OPTION_PATIENCE, "TIME", 0,
     "send a client away that says nothing for so long (real time); in lock step all wait for it",
     0},
    {0},
};

static struct served *add(const char *name, size_t length) {
    if (part.count == SERVED_LIMIT || length == 0 || length >= SCENARIO_NAME_BYTES)
        return NULL;
    struct served *served = &part.served[part.count++];
    *served = (struct served){.wait = true};
    memcpy(served->board, name, length);
    return served;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    const char *equals;
    struct served *served;
    char *end;
    switch (key) {
    case 'S':
        equals = strchr(text, '=');
        served = equals && equals[1] ? add(text, (size_t)(equals - text)) : NULL;
        if (!served)
            argp_error(state, "--socket: expected BOARD=PATH, found %s", text);
        else
            served->path = strdup(equals + 1);
        part.from_options = part.count;
        return 0;
    case OPTION_FREE:
        part.free_running = part.free_chosen = true;
        if (!text)
            return 0;
        part.scale = strtod(text, &end);
        if (*end || !(part.scale > 0) || !isfinite(part.scale))
            argp_error(state, "--free: expected a number above 0, found %s", text);
        return 0;
    case OPTION_ONCE:
        part.once = true;
        return 0;
    case OPTION_PATIENCE:
        if (!settings_parse_time(text, &part.patience_ns) || part.patience_ns < 1000000)
            argp_error(state, "--patience: expected a time of at least 1ms, found %s", text);
        part.patience_chosen = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {.options = option_table, .parser = parse};
const struct argp *serve_options_parser;

void serve_options_enable(void) {
    part.enabled = true;
    serve_options_parser = &parser;
}

bool serve_options_enabled(void) {
    return part.enabled;
}

/* ------------------------------------------------------------------------------------------------
 * The setting */

static bool named_before(const char *name) {
    for (size_t i = 0; i < part.count; i++)
        if (strcmp(part.served[i].board, name) == 0)
            return true;
    return false;
}

static void read_board(struct settings *settings, const config_setting_t *group) {
    static const char *const names[] = {"board", "socket", "leave", "wait", NULL};
    const char *board = NULL;
    const char *leave;
    if (!settings_check(settings, group, "a served board", names) ||
        !settings_need(settings, group, "board") ||
        !settings_text(settings, group, "board", &board))
        return;
    char *path = settings_path(settings, group, "socket");
    struct served entry = {.wait = true, .line = settings_line(settings, group)};
    (void)settings_switch(settings, group, "wait", &entry.wait);
    if (settings_text(settings, group, "leave", &leave)) {
        entry.reset = strcmp(leave, "reset") == 0;
        if (!entry.reset && strcmp(leave, "stay") != 0)
            settings_complain(settings, config_setting_get_member(group, "leave"),
                              "leave: expected reset or stay, found \"%.40s\"", leave);
    }
    for (size_t i = 0; i < part.from_options; i++)
        if (strcmp(part.served[i].board, board) == 0) { /* the option gives only its path */
            part.served[i].reset = entry.reset;
            part.served[i].wait = entry.wait;
            free(path);
            return;
        }
    if (named_before(board)) {
        settings_complain(settings, group, "board %.40s is served already", board);
        free(path);
        return;
    }
    struct served *served = add(board, strlen(board));
    if (!served) {
        settings_complain(settings, group, "board: expected one of at most %d boards' names",
                          SERVED_LIMIT);
        free(path);
        return;
    }
    memcpy(entry.board, served->board, sizeof entry.board);
    *served = entry;
    served->path = path;
}

static void read_setting(struct settings *settings, config_setting_t *group, void *arguments) {
    static const char *const names[] = {"boards", "mode", "scale", "once", "patience", NULL};
    const char *mode;
    uint64_t patience_ns = part.patience_ns;
    bool once = false;
    (void)arguments;
    if (!settings_check(settings, group, "serve", names))
        return;
    const config_setting_t *list = settings_list(settings, group, "boards");
    for (int i = 0; list && i < config_setting_length(list); i++)
        read_board(settings, config_setting_get_elem(list, (unsigned)i));
    if (settings_text(settings, group, "mode", &mode)) {
        const bool is_free = strcmp(mode, "free") == 0;
        if (!is_free && strcmp(mode, "lock-step") != 0)
            settings_complain(settings, config_setting_get_member(group, "mode"),
                              "mode: expected lock-step or free, found \"%.40s\"", mode);
        part.free_running = part.free_running || is_free;
    }
    const config_setting_t *scale = config_setting_get_member(group, "scale");
    if (scale) {
        const double value = config_setting_type(scale) == CONFIG_TYPE_FLOAT
                                 ? config_setting_get_float(scale)
                                 : (double)config_setting_get_int64(scale);
        if (!(value > 0) || !isfinite(value))
            settings_complain(settings, scale, "scale: expected a number above 0");
        else if (!part.free_chosen)
            part.scale = value;
    }
    (void)settings_switch(settings, group, "once", &once);
    part.once = part.once || once;
    if (settings_time(settings, group, "patience", &patience_ns) && !part.patience_chosen)
        part.patience_ns = patience_ns;
}

/* ------------------------------------------------------------------------------------------------
 * Before and after */

static int index_of(const struct scenario *scenario, const char *name) {
    for (size_t i = 0; i < scenario->board_count; i++)
        if (strcmp(scenario->boards[i].name, name) == 0)
            return (int)i;
    return -1;
}

static void serve_all_without_program(const struct scenario *scenario) {
    for (size_t i = 0; i < scenario->board_count; i++) {
        bool has_program = false;
        for (size_t j = 0; j < scenario->program_count; j++)
            has_program = has_program || scenario->programs[j].board == i;
        if (!has_program)
            (void)add(scenario->boards[i].name, strlen(scenario->boards[i].name));
    }
}

static void stop(int number) {
    (void)number;
    if (part.server)
        tigon_server_stop(part.server);
}

static void catch_signals(void) {
    struct sigaction action = {.sa_handler = stop}; /* no SA_RESTART: poll is to come back */
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, &part.interrupt);
    (void)sigaction(SIGTERM, &action, &part.terminate);
}

static int open_server(struct run *run) {
    static struct tigon_served_board boards[SERVED_LIMIT];
    static char paths[SERVED_LIMIT][SCENARIO_NAME_BYTES + 8];
    struct tigon_server_options options;
    char message[512];
    for (size_t i = 0; i < part.count; i++) {
        const struct served *served = &part.served[i];
        const int index = index_of(run->scenario, served->board);
        if (index < 0)
            return command_complain("%s:%u: serve: no board is called %s", run->path, served->line,
                                    served->board);
        (void)snprintf(paths[i], sizeof paths[i], "%s.sock", served->board);
        boards[i] = (struct tigon_served_board){
            .board = tigon_world_board(run->world, (size_t)index),
            .path = served->path ? served->path : paths[i],
            .reset_at_leave = served->reset,
            .wait = served->wait,
        };
    }
    tigon_server_options_defaults(&options);
    options.boards = boards;
    options.board_count = part.count;
    options.free_running = part.free_running;
    options.scale = part.scale;
    options.once = part.once;
    const uint64_t patience_ms = part.patience_ns / 1000000;
    options.patience_ms = patience_ms > INT32_MAX ? INT32_MAX : (unsigned)patience_ms;
    options.log = run->quiet ? NULL : stderr;
    if (tigon_server_open(&part.server, run->world, &options, message, sizeof message) != 0)
        return command_complain("%s", message);
    catch_signals();
    return COMMAND_DONE;
}

static int begin(struct run *run, void *arguments) {
    (void)arguments;
    if (!part.enabled)
        return COMMAND_DONE;
    if (part.count == 0)
        serve_all_without_program(run->scenario);
    if (part.count == 0)
        return command_complain("%s: every board has a program; name one with --socket BOARD=PATH",
                                run->path);
    return open_server(run);
}

static int finish(struct run *run, void *arguments) {
    uint64_t attached;
    uint64_t expelled;
    (void)arguments;
    if (part.server) {
        cJSON *object = cJSON_AddObjectToObject(run->result, "serve");
        tigon_server_counts(part.server, &attached, &expelled);
        cJSON_AddStringToObject(object, "mode", part.free_running ? "free" : "lock-step");
        cJSON_AddNumberToObject(object, "attached", (double)attached);
        cJSON_AddNumberToObject(object, "expelled", (double)expelled);
        (void)sigaction(SIGINT, &part.interrupt, NULL);
        (void)sigaction(SIGTERM, &part.terminate, NULL);
        tigon_server_close(part.server);
        part.server = NULL;
    }
    while (part.count)
        free(part.served[--part.count].path);
    return COMMAND_DONE;
}

const struct run_part serve_part = {
    .setting = "serve",
    .read = read_setting,
    .begin = begin,
    .finish = finish,
};
