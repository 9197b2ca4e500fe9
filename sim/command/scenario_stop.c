/* SPDX-License-Identifier: MIT */
/* The end of a scenario, and the expectations for it. */
#include "sim/command/scenario_read.h"

#include "sim/command/statistics.h"
#include "sim/command/suggest.h"

#include <stdlib.h>
#include <string.h>

#define STOP_EVERY_NS UINT64_C(1000)
#define ADDRESS_LIMIT UINT64_C(0x7FFFFF)

const char *const scenario_ending_names[SCENARIO_ENDING_COUNT] = {
    "programs", "time", "symbol", "word", "signal", "fault", "asleep", "failure", "stopped"};

static void read_core(const struct reader *reader, const config_setting_t *group, unsigned *core) {
    const char *text;
    if (!settings_text(reader->settings, group, "core", &text))
        return;
    if (strcasecmp(text, "a") == 0 || strcasecmp(text, "b") == 0)
        *core = strcasecmp(text, "b") == 0;
    else
        settings_complain(reader->settings, config_setting_get_member(group, "core"),
                          "core: expected \"a\" or \"b\", found \"%.40s\"", text);
}

static bool read_word_address(const struct reader *reader, const config_setting_t *group,
                              uint32_t *address) {
    uint64_t number;
    if (!settings_need(reader->settings, group, "memory") ||
        !settings_number(reader->settings, group, "memory", 0, ADDRESS_LIMIT, &number))
        return false;
    if (number % 4 != 0) {
        settings_complain(reader->settings, config_setting_get_member(group, "memory"),
                          "memory: expected a multiple of 4");
        return false;
    }
    *address = (uint32_t)number;
    return true;
}

static void read_word_value(const struct reader *reader, const config_setting_t *group,
                            const char *name, uint32_t *value) {
    uint64_t number = *value;
    (void)settings_number(reader->settings, group, name, 0, UINT32_MAX, &number);
    *value = (uint32_t)number;
}

static void read_symbol(const struct reader *reader, const config_setting_t *group,
                        struct scenario_stop *stop) {
    static const char *const names[] = {"board", "core", "symbol", "address", "count", NULL};
    struct settings *settings = reader->settings;
    const char *text;
    uint64_t address;
    if (!settings_check(settings, group, "a symbol to stop at", names))
        return;
    (void)scenario_board_named(reader, group, "board", &stop->board);
    read_core(reader, group, &stop->core);
    if (settings_text(settings, group, "symbol", &text))
        stop->symbol = strdup(text);
    const bool has_address =
        settings_number(settings, group, "address", 0, UINT32_MAX & ~3U, &address);
    if (has_address)
        stop->address = (uint32_t)address & ~3U;
    if (has_address == (stop->symbol != NULL))
        settings_complain(settings, group, "expected either symbol = \"NAME\" or address = NUMBER");
    (void)settings_number(settings, group, "count", 1, UINT64_MAX, &stop->count);
}

static void read_word(const struct reader *reader, const config_setting_t *group,
                      struct scenario_stop *stop) {
    static const char *const names[] = {"board", "memory", "mask", "equals", "every", NULL};
    if (!settings_check(reader->settings, group, "a word to stop at", names))
        return;
    (void)scenario_board_named(reader, group, "board", &stop->board);
    (void)read_word_address(reader, group, &stop->address);
    (void)settings_need(reader->settings, group, "equals");
    read_word_value(reader, group, "mask", &stop->mask);
    read_word_value(reader, group, "equals", &stop->equals);
    if (settings_time(reader->settings, group, "every", &stop->every_ns) && stop->every_ns == 0)
        settings_complain(reader->settings, group, "every: expected more than no time");
}

static void read_signal(const struct reader *reader, const config_setting_t *group,
                        struct scenario_stop *stop) {
    static const char *const names[] = {"board", "signal", "equals", "count", NULL};
    const char *known[TIGON_SIGNAL_COUNT];
    const char *text;
    unsigned signal = 0;
    if (!settings_check(reader->settings, group, "a signal to stop at", names))
        return;
    (void)scenario_board_named(reader, group, "board", &stop->board);
    stop->equals = 1;
    read_word_value(reader, group, "equals", &stop->equals);
    (void)settings_number(reader->settings, group, "count", 1, UINT64_MAX, &stop->count);
    if (!settings_need(reader->settings, group, "signal") ||
        !settings_text(reader->settings, group, "signal", &text))
        return;
    for (unsigned i = 0; i < TIGON_SIGNAL_COUNT; i++)
        known[i] = tigon_signal_name(i);
    while (signal < TIGON_SIGNAL_COUNT && strcmp(known[signal], text) != 0)
        signal++;
    stop->signal = signal;
    if (signal < TIGON_SIGNAL_COUNT)
        return;
    const char *meant = suggest(text, known, TIGON_SIGNAL_COUNT);
    settings_complain(reader->settings, config_setting_get_member(group, "signal"),
                      "no signal %.40s%s%s%s", text, meant ? "; did you mean " : "",
                      meant ? meant : "", meant ? "?" : "");
}

static void read_conditions(const struct reader *reader, const config_setting_t *group,
                            const char *name, enum scenario_stop_kind kind) {
    struct scenario *scenario = reader->scenario;
    const config_setting_t *list = settings_list(reader->settings, group, name);
    for (unsigned i = 0; list && i < (unsigned)config_setting_length(list); i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_stop stop = {.kind = kind,
                                     .line = config_setting_source_line(element),
                                     .mask = UINT32_MAX,
                                     .every_ns = STOP_EVERY_NS,
                                     .count = 1};
        switch (kind) {
        case SCENARIO_STOP_SYMBOL:
            read_symbol(reader, element, &stop);
            break;
        case SCENARIO_STOP_WORD:
            read_word(reader, element, &stop);
            break;
        case SCENARIO_STOP_SIGNAL:
            read_signal(reader, element, &stop);
            break;
        }
        struct scenario_stop *stops =
            scenario_allocate(scenario->stop_count + 1, sizeof *scenario->stops);
        if (scenario->stop_count)
            memcpy(stops, scenario->stops, scenario->stop_count * sizeof *stops);
        free(scenario->stops);
        scenario->stops = stops;
        stops[scenario->stop_count++] = stop;
    }
}

void scenario_read_stop(const struct reader *reader, const config_setting_t *root) {
    static const char *const names[] = {"programs", "failure", "time", "symbols",
                                        "words",    "signals", NULL};
    struct scenario *scenario = reader->scenario;
    const config_setting_t *group = config_setting_get_member(root, "stop");
    if (!group || !settings_check(reader->settings, group, "stop", names))
        return;
    (void)settings_switch(reader->settings, group, "programs", &scenario->stop_with_programs);
    if (scenario->stop_with_programs && scenario->program_count == 0)
        settings_complain(reader->settings, config_setting_get_member(group, "programs"),
                          "programs: there are none that could end");
    (void)settings_switch(reader->settings, group, "failure", &scenario->stop_with_failure);
    (void)settings_time(reader->settings, group, "time", &scenario->stop_ns);
    read_conditions(reader, group, "symbols", SCENARIO_STOP_SYMBOL);
    read_conditions(reader, group, "words", SCENARIO_STOP_WORD);
    read_conditions(reader, group, "signals", SCENARIO_STOP_SIGNAL);
}

/* ------------------------------------------------------------------------------------------------
 * Expectations */

static void read_range(const struct reader *reader, const config_setting_t *group,
                       struct scenario_expect *expect) {
    struct settings *settings = reader->settings;
    uint64_t number;
    expect->most = UINT64_MAX;
    const bool least = settings_number(settings, group, "least", 0, UINT64_MAX, &expect->least);
    const bool most = settings_number(settings, group, "most", 0, UINT64_MAX, &expect->most);
    const bool equals = settings_number(settings, group, "equals", 0, UINT64_MAX, &number);
    if (equals)
        expect->least = expect->most = number;
    if (equals ? least || most : !least && !most)
        settings_complain(settings, group, "expected equals, or least and most, or one of these");
    else if (expect->least > expect->most)
        settings_complain(settings, group, "least is more than most");
}

static void read_expected_statistic(const struct reader *reader, const config_setting_t *group,
                                    struct scenario_expect *expect) {
    static const char *const names[] = {"board", "name", "equals", "least", "most", NULL};
    const char *text;
    if (!settings_check(reader->settings, group, "an expected statistic", names))
        return;
    (void)scenario_board_named(reader, group, "board", &expect->board);
    read_range(reader, group, expect);
    if (!settings_need(reader->settings, group, "name") ||
        !settings_text(reader->settings, group, "name", &text))
        return;
    expect->statistic = statistics_find(text);
    if (expect->statistic)
        return;
    const char *meant = statistics_suggest(text);
    settings_complain(reader->settings, config_setting_get_member(group, "name"),
                      "no statistic %.60s%s%s%s", text, meant ? "; did you mean " : "",
                      meant ? meant : "", meant ? "?" : "");
}

static void read_expected_word(const struct reader *reader, const config_setting_t *group,
                               struct scenario_expect *expect) {
    static const char *const names[] = {"board", "memory", "mask", "equals", "least", "most", NULL};
    if (!settings_check(reader->settings, group, "an expected word", names))
        return;
    (void)scenario_board_named(reader, group, "board", &expect->board);
    (void)read_word_address(reader, group, &expect->address);
    expect->mask = UINT32_MAX;
    read_word_value(reader, group, "mask", &expect->mask);
    read_range(reader, group, expect);
}

static void read_list(const struct reader *reader, const config_setting_t *group, const char *name,
                      enum scenario_expectation kind) {
    struct scenario *scenario = reader->scenario;
    const config_setting_t *list = settings_list(reader->settings, group, name);
    const size_t more = list ? (size_t)config_setting_length(list) : 0;
    struct scenario_expect *expects =
        scenario_allocate(scenario->expect_count + more, sizeof *expects);
    if (scenario->expect_count)
        memcpy(expects, scenario->expects, scenario->expect_count * sizeof *expects);
    free(scenario->expects);
    scenario->expects = expects;
    for (unsigned i = 0; i < more; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_expect *expect = &expects[scenario->expect_count++];
        expect->kind = kind;
        expect->line = config_setting_source_line(element);
        if (kind == SCENARIO_EXPECT_STATISTIC)
            read_expected_statistic(reader, element, expect);
        else
            read_expected_word(reader, element, expect);
    }
}

void scenario_read_expect(const struct reader *reader, const config_setting_t *root) {
    static const char *const names[] = {"end", "statistics", "words", NULL};
    struct scenario *scenario = reader->scenario;
    const config_setting_t *group = config_setting_get_member(root, "expect");
    const char *text;
    if (!group || !settings_check(reader->settings, group, "expect", names))
        return;
    if (settings_text(reader->settings, group, "end", &text)) {
        for (int i = 0; i < SCENARIO_ENDING_COUNT; i++)
            if (strcmp(text, scenario_ending_names[i]) == 0)
                scenario->ending = i;
        if (scenario->ending < 0)
            settings_complain(reader->settings, config_setting_get_member(group, "end"),
                              "end: expected programs, time, symbol, word, signal, fault, "
                              "asleep, failure or stopped, found \"%.40s\"",
                              text);
    }
    read_list(reader, group, "statistics", SCENARIO_EXPECT_STATISTIC);
    read_list(reader, group, "words", SCENARIO_EXPECT_WORD);
}
