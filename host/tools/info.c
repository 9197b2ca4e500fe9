/* SPDX-License-Identifier: MIT */
/* emp info, emp stat, emp param: what a running board tells of itself, and what can be set. */
#include "host/tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    struct tool_options common;
    double interval_s;
    uint64_t count; /* of views; 0: until interrupted */
    bool all;
    size_t word_count;
    char **words;
};

/* ------------------------------------------------------------------------------------------------
 * info */

static const struct tool_syntax info_syntax = {
    .description =
        "Shows the state of a board: what runs on it, its node number and addresses, its link.",
};

int tool_info(int argc, char **argv) {
    struct arguments arguments = {0};
    struct tool_session session;
    struct board_status status;
    struct tool_report report;
    if (tool_parse(&info_syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    int result = tool_open(&session, &arguments.common);
    if (result)
        return result;
    tool_report_begin(&report, arguments.common.json);
    tool_report_text(&report, "board", "%s", arguments.common.board);
    const int error = board_status(libemp_hardware(session.board), &status);
    tool_report_text(&report, "state",
                     error            ? "not loaded"
                     : status.running ? "running"
                                      : "stopped");
    if (!error && !status.running)
        tool_report_text(&report, "reason", "%s", libemp_message(session.board));
    if (!error) {
        const uint8_t *mac = status.mac_address;
        tool_report_text(&report, "link", status.link ? "up" : "down");
        tool_report_number(&report, "node", status.node, "");
        tool_report_number(&report, "incarnation", status.epoch, "");
        tool_report_text(&report, "mac_address", "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
                         mac[2], mac[3], mac[4], mac[5]);
        tool_report_text(&report, "specification", "0x%08" PRIX32, status.protocol_hash);
        tool_report_number(&report, "sram", status.sram_bytes, "bytes");
        tool_report_number(&report, "sram_free", status.free_bytes, "bytes");
        tool_report_number(&report, "trace_entries", status.trace_entries, "");
    }
    /* Of a driver's board each program has its share: debugfs of the driver shows it. */
    if (!error && status.running && !tool_is_driven(&session) &&
        libemp_attach(session.board) == 0) {
        tool_report_number(&report, "descriptors_free",
                           (double)libemp_descriptors_free(session.board), "");
        tool_report_number(&report, "descriptors", (double)libemp_descriptor_limit(), "");
    }
    tool_report_end(&report);
    tool_close(&session, NULL, 0);
    return TOOL_DONE;
}

/* ------------------------------------------------------------------------------------------------
 * stat */

static const struct tool_option stat_options[] = {
    {{"interval", 'i', "SECONDS", 0, "Between two views (default 1)", 0},
     TOOL_TO_SECONDS(interval_s)},
    {{"count", 'c', "NUMBER", 0, "Views; 0: until interrupted (default 1)", 0},
     TOOL_TO_NUMBER(count, 0, UINT32_MAX)},
    {{"all", 'a', NULL, 0, "Also counters that are 0", 0}, TOOL_TO_FLAG(all)},
    {.kind = TOOL_OWN},
};

static const struct tool_syntax stat_syntax = {
    .options = stat_options,
    .description =
        "Shows the counters of a board. From the second view on also what was added since the "
        "view before.",
};

static int view(struct tool_session *session, const struct arguments *arguments, uint32_t *before,
                bool first) {
    struct tool_report report;
    char text[64];
    tool_report_begin(&report, arguments->common.json);
    if (report.object)
        (void)cJSON_AddNumberToObject(report.object, "time_s", (double)tool_now_ns(session) / 1e9);
    for (size_t i = 0; i < libemp_counter_count(); i++) {
        uint32_t value;
        const int error = libemp_counter(session->board, i, &value);
        if (error)
            return tool_fail(session, error, "counters");
        const uint32_t added = value - before[i];
        before[i] = value;
        (void)snprintf(text, sizeof text, "  (+%" PRIu32 ")", added);
        if (report.object)
            (void)cJSON_AddNumberToObject(report.object, libemp_counter_name(i), value);
        else if (value || arguments->all)
            (void)printf("%-32s %10" PRIu32 "%s\n", libemp_counter_name(i), value,
                         first || !added ? "" : text);
    }
    tool_report_end(&report);
    (void)fflush(stdout);
    return TOOL_DONE;
}

int tool_stat(int argc, char **argv) {
    struct arguments arguments = {.interval_s = 1, .count = 1};
    struct tool_session session;
    if (tool_parse(&stat_syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    tool_catch_signals();
    int result = tool_attach(&session, &arguments.common);
    if (result)
        return result;
    uint32_t *before = calloc(libemp_counter_count(), sizeof *before);
    if (!before)
        abort();
    for (uint64_t i = 0; !result && !tool_stopped() && (!arguments.count || i < arguments.count);
         i++) {
        if (i > 0) {
            tool_sleep_s(&session, arguments.interval_s);
            if (!arguments.common.json)
                (void)putchar('\n');
        }
        result = view(&session, &arguments, before, i == 0);
    }
    free(before);
    tool_close(&session, NULL, 0);
    return result;
}

/* ------------------------------------------------------------------------------------------------
 * param */

enum { NAME_BYTES = 64 };

static bool read_value(const char *text, uint32_t *value) {
    char *end;
    errno = 0;
    const unsigned long found = strtoul(text, &end, 0);
    *value = (uint32_t)found;
    return *text >= '0' && *text <= '9' && !errno && !*end && found <= UINT32_MAX;
}

/* Is it NAME, or NAME=VALUE that may be set? Else says what is wrong. */
static bool check_word(const char *word) {
    struct libemp_parameter_information information;
    const size_t length = strcspn(word, "=");
    char name[NAME_BYTES];
    uint32_t value;
    (void)snprintf(name, sizeof name, "%.*s", (int)length, word);
    const int index = length < sizeof name ? libemp_find_parameter(name) : -ENOENT;
    if (index < 0)
        return tool_say("no parameter %.*s; `emp param` lists them", (int)length, word), false;
    if (!word[length])
        return true;
    (void)libemp_parameter_information((size_t)index, &information);
    if (!information.live)
        return tool_say("%s is not live: it is set as the firmware starts", name), false;
    if (!read_value(word + length + 1, &value) || value < information.minimum ||
        value > information.maximum)
        return tool_say("%s: expected a number, %" PRIu32 " to %" PRIu32 ", found %s", name,
                        information.minimum, information.maximum, word + length + 1),
               false;
    return true;
}

static error_t parse_param(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    (void)text;
    if (key != ARGP_KEY_ARGS)
        return ARGP_ERR_UNKNOWN;
    arguments->words = state->argv + state->next;
    arguments->word_count = (size_t)(state->argc - state->next);
    return 0;
}

static const struct tool_syntax param_syntax = {
    .parser = parse_param,
    .arguments = "[NAME[=VALUE]...]",
    .description =
        "Shows parameters of the protocol, or sets those that may be set while it runs. A value "
        "holds until the firmware is started again.",
};

static int show(struct tool_session *session, struct tool_report *report, size_t index) {
    struct libemp_parameter_information information;
    uint32_t value;
    (void)libemp_parameter_information(index, &information);
    const int error = libemp_parameter(session->board, index, &value);
    if (error)
        return tool_fail(session, error, information.name);
    if (report->object)
        (void)cJSON_AddNumberToObject(report->object, information.name, value);
    else
        (void)printf("%-32s %10" PRIu32 "   %" PRIu32 " to %" PRIu32 ", %s\n", information.name,
                     value, information.minimum, information.maximum,
                     information.live ? "may be set" : "fixed");
    return TOOL_DONE;
}

/* Sets what the words say, and shows it. They have been checked. */
static int do_words(struct tool_session *session, struct tool_report *report,
                    const struct arguments *arguments) {
    int status = TOOL_DONE;
    for (size_t i = 0; !status && i < arguments->word_count; i++) {
        char *equals = strchr(arguments->words[i], '=');
        uint32_t value;
        if (!equals || !read_value(equals + 1, &value))
            continue;
        *equals = 0;
        const int index = libemp_find_parameter(arguments->words[i]);
        const int error = libemp_set_parameter(session->board, (size_t)index, value);
        if (error)
            status = tool_fail(session, error, arguments->words[i]);
    }
    for (size_t i = 0; !status && i < arguments->word_count; i++)
        status = show(session, report, (size_t)libemp_find_parameter(arguments->words[i]));
    return status;
}

int tool_param(int argc, char **argv) {
    struct arguments arguments = {0};
    struct libemp_parameter_information information;
    struct tool_session session;
    struct tool_report report;
    bool good = true;
    if (tool_parse(&param_syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    for (size_t i = 0; i < arguments.word_count; i++)
        good &= check_word(arguments.words[i]);
    if (!good) {
        (void)tool_say("nothing was set");
        return TOOL_USAGE;
    }
    int result = tool_attach(&session, &arguments.common);
    if (result)
        return result;
    tool_report_begin(&report, arguments.common.json);
    result = do_words(&session, &report, &arguments);
    for (size_t i = 0;
         !result && !arguments.word_count && libemp_parameter_information(i, &information); i++)
        result = show(&session, &report, i);
    tool_report_end(&report);
    tool_close(&session, NULL, 0);
    return result;
}
