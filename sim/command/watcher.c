/* SPDX-License-Identifier: MIT */
#include "sim/command/watcher.h"

#include "sim/core/cpu.h"
#include "sim/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHANGES_LIMIT = 10000 }; /* of one word that are kept */

struct condition {
    struct watcher *watcher;
    const struct scenario_stop *scenario;
    struct tigon_board *board;
    uint32_t address; /* of the symbol */
    uint64_t left;    /* times until it ends the run */
    uint64_t due_ns;
};

struct word {
    const struct scenario_watch *scenario;
    size_t board;
    uint64_t due_ns;
    uint32_t value;
    uint64_t changes; /* all of them */
    struct change {
        uint64_t ns;
        uint32_t value;
    } * kept;
    size_t kept_count;
    size_t room;
};

struct watcher {
    struct setup *setup;
    FILE *news;
    struct condition *conditions;
    size_t condition_count;
    struct word *words;
    size_t word_count;
    const struct scenario_stop *reason;
};

static void came_true(struct condition *condition) {
    if (!condition->watcher->reason)
        condition->watcher->reason = condition->scenario;
    tigon_world_stop(condition->watcher->setup->world);
}

/* Before an instruction: the run ends in front of it. */
static bool observe(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct condition *condition = context;
    (void)core;
    (void)cycle;
    if (pc != condition->address || condition->left == 0 || --condition->left > 0)
        return false;
    came_true(condition);
    return true;
}

static void hear(void *context, const struct tigon_board *board, enum tigon_signal signal,
                 uint32_t value, uint64_t ticks) {
    struct condition *condition = context;
    (void)ticks;
    if (board == condition->board && signal == condition->scenario->signal &&
        value == condition->scenario->equals && condition->left > 0 && --condition->left == 0)
        came_true(condition);
}

static int add_symbol(struct condition *condition, const char *path, FILE *complaints) {
    const struct scenario_stop *stop = condition->scenario;
    const struct scenario_board *board = &condition->watcher->setup->scenario->boards[stop->board];
    condition->address = stop->address;
    if (stop->symbol && (!board->image.file ||
                         !image_symbol(board->image.file, stop->symbol, &condition->address))) {
        (void)fprintf(complaints, "%s:%u: symbol: the image of board %s has no %s\n", path,
                      stop->line, board->name, stop->symbol);
        return -1;
    }
    if (tigon_cpu_add_observer(tigon_board_cpu(condition->board, stop->core), observe, condition))
        return 0;
    (void)fprintf(complaints, "%s:%u: symbols: too many of one core\n", path, stop->line);
    return -1;
}

static int add_signal(struct condition *condition) {
    const struct tigon_observer observer = {.context = condition, .signal = hear};
    return tigon_world_attach(condition->watcher->setup->world, &observer);
}

struct watcher *watcher_create(struct setup *setup, const char *path, FILE *news,
                               FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    struct watcher *watcher = scenario_allocate(1, sizeof *watcher);
    size_t words = 0;
    int error = 0;
    watcher->setup = setup;
    watcher->news = news;
    watcher->condition_count = scenario->stop_count;
    watcher->conditions = scenario_allocate(scenario->stop_count, sizeof *watcher->conditions);
    for (size_t i = 0; i < scenario->stop_count; i++) {
        const struct scenario_stop *stop = &scenario->stops[i];
        struct condition *condition = &watcher->conditions[i];
        *condition = (struct condition){.watcher = watcher,
                                        .scenario = stop,
                                        .board = setup->boards[stop->board].board,
                                        .left = stop->count,
                                        .due_ns = UINT64_MAX};
        if (stop->kind == SCENARIO_STOP_SYMBOL)
            error |= add_symbol(condition, path, complaints);
        else if (stop->kind == SCENARIO_STOP_SIGNAL)
            error |= add_signal(condition);
        else
            condition->due_ns = stop->every_ns;
    }
    for (size_t i = 0; i < scenario->board_count; i++)
        words += scenario->boards[i].watch_count;
    watcher->words = scenario_allocate(words, sizeof *watcher->words);
    for (size_t i = 0; i < scenario->board_count; i++)
        for (size_t w = 0; w < scenario->boards[i].watch_count; w++) {
            const struct scenario_watch *watch = &scenario->boards[i].watches[w];
            watcher->words[watcher->word_count++] =
                (struct word){.scenario = watch, .board = i, .due_ns = watch->every_ns};
        }
    if (!error)
        return watcher;
    watcher_destroy(watcher);
    return NULL;
}

void watcher_destroy(struct watcher *watcher) {
    if (!watcher)
        return;
    for (size_t i = 0; i < watcher->word_count; i++)
        free(watcher->words[i].kept);
    free(watcher->conditions);
    free(watcher->words);
    free(watcher);
}

uint64_t watcher_due(const struct watcher *watcher) {
    uint64_t due = UINT64_MAX;
    for (size_t i = 0; i < watcher->condition_count; i++)
        if (watcher->conditions[i].due_ns < due)
            due = watcher->conditions[i].due_ns;
    for (size_t i = 0; i < watcher->word_count; i++)
        if (watcher->words[i].due_ns < due)
            due = watcher->words[i].due_ns;
    return due;
}

static void changed(struct watcher *watcher, struct word *word, uint64_t now, uint32_t value) {
    const struct scenario_board *board = &watcher->setup->scenario->boards[word->board];
    word->value = value;
    word->changes++;
    if (watcher->news)
        (void)fprintf(watcher->news, "%14.3f us  %s: %s = 0x%08" PRIX32 "\n", (double)now / 1000,
                      board->name, word->scenario->name, value);
    if (word->kept_count == CHANGES_LIMIT)
        return;
    if (word->kept_count == word->room) {
        word->room = word->room ? 2 * word->room : 16;
        struct change *larger = realloc(word->kept, word->room * sizeof *larger);
        if (!larger)
            abort();
        word->kept = larger;
    }
    word->kept[word->kept_count++] = (struct change){now, value};
}

bool watcher_look(struct watcher *watcher) {
    const uint64_t now = tigon_world_now_ns(watcher->setup->world);
    for (size_t i = 0; i < watcher->word_count; i++) {
        struct word *word = &watcher->words[i];
        if (word->due_ns > now)
            continue;
        word->due_ns = now + word->scenario->every_ns;
        const uint32_t value =
            tigon_board_peek32(watcher->setup->boards[word->board].board, word->scenario->address);
        if (value != word->value)
            changed(watcher, word, now, value);
    }
    for (size_t i = 0; i < watcher->condition_count; i++) {
        struct condition *condition = &watcher->conditions[i];
        const struct scenario_stop *stop = condition->scenario;
        if (condition->due_ns > now)
            continue;
        condition->due_ns = now + stop->every_ns;
        if ((tigon_board_peek32(condition->board, stop->address) & stop->mask) == stop->equals &&
            !watcher->reason)
            watcher->reason = stop;
    }
    return watcher->reason != NULL;
}

const struct scenario_stop *watcher_reason(const struct watcher *watcher) {
    return watcher->reason;
}

cJSON *watcher_json(const struct watcher *watcher, size_t board) {
    cJSON *result = cJSON_CreateArray();
    for (size_t i = 0; i < watcher->word_count; i++) {
        const struct word *word = &watcher->words[i];
        if (word->board != board)
            continue;
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", word->scenario->name);
        cJSON_AddNumberToObject(object, "changes", (double)word->changes);
        cJSON *list = cJSON_AddArrayToObject(object, "values");
        for (size_t c = 0; c < word->kept_count; c++) {
            cJSON *change = cJSON_CreateObject();
            cJSON_AddNumberToObject(change, "ns", (double)word->kept[c].ns);
            cJSON_AddNumberToObject(change, "value", word->kept[c].value);
            cJSON_AddItemToArray(list, change);
        }
        cJSON_AddItemToArray(result, object);
    }
    return result;
}
