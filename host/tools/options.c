/* SPDX-License-Identifier: MIT */
/* Options that all subcommands with a board take, and numbers in arguments. */
#include "host/tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_S 10.0
#define LONGEST_S 1e9

static const struct argp_option option_table[] = {
    {"board", 'b', "NAME", 0, "The board, such as sim:left.sock (default: $EMP_BOARD)", 90},
    {"timeout", 't', "SECONDS", 0,
     "Give up when the other side does not answer for so long (default 10)", 90},
    {"json", 'j', NULL, 0, "Print results as JSON", 90},
    {"ends-in-memory", 'm', NULL, 0, "Wait on host memory instead of reading the board", 90},
    {0},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct tool_options *options = state->input;
    switch (key) {
    case 'b':
        options->board = text;
        return 0;
    case 't':
        options->timeout_s = tool_seconds(state, text);
        return 0;
    case 'j':
        options->json = true;
        return 0;
    case 'm':
        options->ends_in_memory = true;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp common_argp = {.options = option_table, .parser = parse};

struct parsing {
    const struct tool_syntax *syntax;
    void *arguments;
};

static const struct tool_option *find_option(const struct tool_syntax *syntax, int key) {
    for (const struct tool_option *option = syntax->options; option && option->option.name;
         option++)
        if (option->option.key == key && option->kind != TOOL_OWN)
            return option;
    return NULL;
}

static void store_number(void *place, size_t bytes, uint64_t value) {
    const uint16_t narrow = (uint16_t)value;
    const uint32_t middle = (uint32_t)value;
    memcpy(place,
           bytes == sizeof narrow   ? (const void *)&narrow
           : bytes == sizeof middle ? (const void *)&middle
                                    : (const void *)&value,
           bytes);
}

static void store(const struct tool_option *option, char *text, struct argp_state *state,
                  void *arguments) {
    void *place = (char *)arguments + option->at;
    switch (option->kind) {
    case TOOL_FLAG:
        *(bool *)place = true;
        break;
    case TOOL_NUMBER:
        store_number(place, option->bytes, tool_number(state, text, option->least, option->most));
        break;
    case TOOL_NODE:
        *(uint16_t *)place = tool_node(state, text);
        break;
    case TOOL_SECONDS:
        *(double *)place = tool_seconds(state, text);
        break;
    case TOOL_TEXT:
        *(const char **)place = text;
        break;
    case TOOL_OWN:
        break;
    }
}

static error_t parse_own(int key, char *text, struct argp_state *state) {
    const struct parsing *parsing = state->input;
    const struct tool_option *option = find_option(parsing->syntax, key);
    if (key == ARGP_KEY_INIT) {
        state->child_inputs[0] = parsing->arguments;
        return 0;
    }
    if (option) {
        store(option, text, state, parsing->arguments);
        return 0;
    }
    state->input = parsing->arguments;
    return parsing->syntax->parser ? parsing->syntax->parser(key, text, state) : ARGP_ERR_UNKNOWN;
}

int tool_parse(const struct tool_syntax *syntax, int argc, char **argv, void *arguments) {
    const struct argp_child children[] = {{&common_argp, 0, NULL, 0}, {0}};
    struct argp_option options[TOOL_OPTION_LIMIT + 1] = {{0}};
    struct parsing parsing = {syntax, arguments};
    const struct argp whole = {.options = options,
                               .parser = parse_own,
                               .args_doc = syntax->arguments,
                               .doc = syntax->description,
                               .children = children};
    for (size_t i = 0; syntax->options && syntax->options[i].option.name && i < TOOL_OPTION_LIMIT;
         i++)
        options[i] = syntax->options[i].option;
    *(struct tool_options *)arguments =
        (struct tool_options){.board = getenv("EMP_BOARD"), .timeout_s = -1};
    return argp_parse(&whole, argc, argv, 0, NULL, &parsing) ? TOOL_USAGE : TOOL_DONE;
}

uint64_t tool_timeout_ns(const struct tool_options *options) {
    return (uint64_t)((options->timeout_s < 0 ? TIMEOUT_S : options->timeout_s) * 1e9);
}

uint64_t tool_patience_ns(const struct tool_options *options) {
    return options->timeout_s < 0 ? LIBEMP_FOREVER : tool_timeout_ns(options);
}

static bool read_number(const char *text, uint64_t *value) {
    static const char units[] = "kMG";
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9')
        return false;
    *value = strtoull(text, &end, 0);
    const char *unit = *end ? strchr(units, *end) : NULL;
    for (const char *u = units; unit && u <= unit; u++) {
        if (*value > UINT64_MAX / 1024)
            return false;
        *value *= 1024;
    }
    return !errno && (unit ? end[1] == 0 : *end == 0);
}

uint64_t tool_number(struct argp_state *state, const char *text, uint64_t least, uint64_t most) {
    uint64_t value = 0;
    if (!read_number(text, &value) || value < least || value > most)
        argp_error(state, "expected a number from %" PRIu64 " to %" PRIu64 ", found %s", least,
                   most, text);
    return value;
}

double tool_seconds(struct argp_state *state, const char *text) {
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end || !isfinite(value) || value < 0 || value > LONGEST_S)
        argp_error(state, "expected seconds, 0 or more, found %s", text);
    return value;
}

uint16_t tool_node(struct argp_state *state, const char *text) {
    return (uint16_t)tool_number(state, text, 0, libemp_node_limit() - 1);
}

const char *tool_only_argument(struct argp_state *state, const char *text) {
    if (state->arg_num > 0)
        argp_error(state, "unexpected argument %s", text);
    return text;
}

bool tool_parse_address(const char *text, uint8_t address[6]) {
    static const uint8_t none[6];
    for (unsigned i = 0; i < 6; i++) {
        char *end;
        const unsigned long byte = strtoul(text, &end, 16);
        if (end == text || end > text + 2 || byte > UINT8_MAX || *end != (i < 5 ? ':' : 0))
            return false;
        address[i] = (uint8_t)byte;
        text = end + (i < 5);
    }
    return !(address[0] & 1) && memcmp(address, none, sizeof none) != 0;
}
