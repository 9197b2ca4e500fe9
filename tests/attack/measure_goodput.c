/* SPDX-License-Identifier: MIT */
/* What a stream keeps under floods of hostile frames, a line for each kind and rate. */
#include "tests/attack/goodput.h"
#include "tests/attack/wire.h"

#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS UINT64_C(1000000000)

static struct options {
    const char *image;
    const char *profile;
    const char *only;
    uint64_t seed;
} options = {.image = FIRMWARE_IMAGE, .seed = 1};

static const struct argp_option option_table[] = {
    {"image", 'i', "FILE", 0, "firmware of the boards (" FIRMWARE_IMAGE ")", 0},
    {"only", 'o', "FLOOD", 0, "only the floods whose name begins so", 0},
    {"profile", 'p', "FILE", 0, "cycles of the boards' functions, under the last flood", 0},
    {"seed", 's', "NUMBER", 0, "of the boards' clocks (1)", 0},
    {0},
};

static const struct {
    const char *name;
    bool data;
    unsigned sender;
    uint64_t per_second;
} floods[] = {
    {"none", false, WIRE_ATTACKER_NODE, 0},
    {"10000 headers", false, WIRE_ATTACKER_NODE, 10000},
    {"100000 headers", false, WIRE_ATTACKER_NODE, 100000},
    {"100000 headers of an unknown node", false, GOODPUT_UNKNOWN_NODE, 100000},
    {"100000 data", true, WIRE_ATTACKER_NODE, 100000},
    {"100000 data of an unknown node", true, GOODPUT_UNKNOWN_NODE, 100000},
    {"100000 data of the sender", true, 0, 100000},
};
#define FLOODS (sizeof floods / sizeof *floods)

static error_t parse(int key, char *text, struct argp_state *state) {
    char *end = NULL;
    if (key == 'i') {
        options.image = text;
    } else if (key == 'o') {
        options.only = text;
    } else if (key == 'p') {
        options.profile = text;
    } else if (key == 's') {
        options.seed = strtoull(text, &end, 0);
        if (*text < '0' || *text > '9' || *end)
            argp_error(state, "expected a number, found %s", text);
    } else {
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

int main(int argc, char **argv) {
    static const struct argp parser = {.options = option_table, .parser = parse};
    if (argp_parse(&parser, argc, argv, 0, NULL, NULL))
        return 2;
    for (size_t i = 0; i < FLOODS; i++) {
        struct world_result result = {0};
        const struct goodput_flood flood = {
            .data = floods[i].data,
            .sender = floods[i].sender,
            .interval_ns = floods[i].per_second ? SECOND_NS / floods[i].per_second : 0};
        if (options.only && strncmp(floods[i].name, options.only, strlen(options.only)) != 0)
            continue;
        const double rate =
            goodput_under(&flood, options.image, options.profile, options.seed, &result);
        if (result.failed) {
            (void)fprintf(stderr, "%s: %s\n", floods[i].name, result.words);
            return 1;
        }
        printf("%6.1f MB/s %s\n", rate, floods[i].name);
    }
    return 0;
}
