/* SPDX-License-Identifier: MIT */
/* See charge_options.h. The cores of every board with an image are charged; the functions are those
 * of that image. */
#include "sim/command/charge_options.h"

#include "sim/command/command.h"
#include "sim/observe/charge_table.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_CHARGE = 768 };

struct charged {
    struct tigon_charge_file *file;
    struct tigon_charging *charging[2]; /* by core */
};

static struct {
    const char *option;
    char *setting;
    struct charged *boards;
    size_t count;
} part;

static const struct argp_option option_table[] = {
    {NULL, 0, NULL, 0, "Published costs (docs/board-accuracy.md, \"Accuracy\"):", 11},
    {"charge", OPTION_CHARGE, "FILE", 0,
     "processors are charged what FILE says, not what they execute", 11},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    (void)state;
    if (key != OPTION_CHARGE)
        return ARGP_ERR_UNKNOWN;
    part.option = text;
    return 0;
}

static const struct argp parser = {.options = option_table, .parser = parse};

static void read_setting(struct settings *settings, config_setting_t *setting, void *arguments) {
    (void)arguments;
    (void)setting;
    part.setting = settings_path(settings, settings_root(settings), "charge");
}

/* Of every image, so that nothing has run when one lacks a function that is charged. */
static void check(struct settings *settings, const struct scenario *scenario, void *arguments) {
    const char *path = part.option ? part.option : part.setting;
    bool any = false;
    char message[512];
    (void)arguments;
    for (size_t i = 0; path && i < scenario->board_count; i++) {
        struct tigon_charge_file *file = NULL;
        const char *image = scenario->boards[i].image.file;
        if (!image)
            continue;
        any = true;
        if (tigon_charge_file_read(&file, path, image, message, sizeof message))
            settings_complain_option(settings, "charge: %s", message);
        tigon_charge_file_free(file);
        if (!file)
            return;
    }
    if (path && !any)
        settings_complain_option(settings,
                                 "charge: %s: no board has an image, whose functions "
                                 "could be charged",
                                 path);
}

static int begin(struct run *run, void *arguments) {
    const struct scenario *scenario = run->scenario;
    const char *path = part.option ? part.option : part.setting;
    char message[512];
    (void)arguments;
    if (!path)
        return COMMAND_DONE;
    part.boards = calloc(scenario->board_count + 1, sizeof *part.boards);
    if (!part.boards)
        return command_complain("out of memory");
    part.count = scenario->board_count;
    for (size_t i = 0; i < part.count; i++) {
        struct charged *charged = &part.boards[i];
        const char *image = scenario->boards[i].image.file;
        if (!image)
            continue;
        if (tigon_charge_file_read(&charged->file, path, image, message, sizeof message))
            return command_complain("%s", message);
        const int error = tigon_charge_file_start(charged->file, tigon_world_board(run->world, i),
                                                  charged->charging);
        if (error)
            return command_complain("%s: %s", path, strerror(-error));
    }
    return COMMAND_DONE;
}

/* The lines of a core's table, with their counts. */
static void describe(cJSON *lines, const struct charged *charged, const char *board,
                     unsigned core) {
    const struct tigon_charge_table *table = tigon_charge_file_table(charged->file, core);
    struct tigon_charge_counts counts;
    for (size_t i = 0; tigon_charging_counts(charged->charging[core], i, &counts); i++) {
        cJSON *line = cJSON_CreateObject();
        cJSON_AddStringToObject(line, "board", board);
        cJSON_AddStringToObject(line, "processor", core == 0 ? "A" : "B");
        cJSON_AddStringToObject(line, "step", table->charges[i].step);
        cJSON_AddNumberToObject(line, "cycles", table->charges[i].cycles);
        cJSON_AddNumberToObject(line, "charged", (double)counts.charged);
        cJSON_AddNumberToObject(line, "cycles_in_all", (double)counts.cycles);
        cJSON_AddNumberToObject(line, "own_most", (double)counts.own_most);
        cJSON_AddNumberToObject(line, "late", (double)counts.late);
        cJSON_AddItemToArray(lines, line);
    }
}

static int finish(struct run *run, void *arguments) {
    cJSON *lines =
        part.boards && run->result ? cJSON_AddArrayToObject(run->result, "charges") : NULL;
    (void)arguments;
    for (size_t i = 0; part.boards && i < part.count; i++) {
        struct charged *charged = &part.boards[i];
        for (unsigned core = 0; core < 2; core++) {
            if (lines && charged->file)
                describe(lines, charged, tigon_board_name(tigon_world_board(run->world, i)), core);
            tigon_charging_end(charged->charging[core]);
        }
        tigon_charge_file_free(charged->file);
    }
    free(part.boards);
    free(part.setting);
    memset(&part, 0, sizeof part);
    return COMMAND_DONE;
}

const struct run_part charge_part = {
    .options = &parser,
    .arguments = NULL,
    .setting = "charge",
    .read = read_setting,
    .check = check,
    .begin = begin,
    .finish = finish,
};
