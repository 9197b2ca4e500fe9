/*
 * EMP between two simulated boards, a ping-pong and a stream, with the observers the arguments
 * name: what tests/sim_observe/test_observe.py looks at. Prints what a run is known by, which must
 * not depend on who looks on.
 */
#include <argp.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/demo/pair.h"
#include "host/demo/sweep.h"
#include "sim/observe/observation.h"

#define RUN_LIMIT_NS UINT64_C(1000000000)

/* Of the generated code (build/gen/emp/emp_names.c). */
const char *emp_transition_name(uint32_t transition);

enum { OPTION_VCD = 256, OPTION_SIGNALS, OPTION_KINDS, OPTION_LOSS, OPTION_CAPTURE, OPTION_RAW };

static const struct argp_option option_table[] = {
    {"image", 'i', "ELF", 0, "firmware", 0},
    {"raw", OPTION_RAW, NULL, 0, "do not read the image's symbols", 0},
    {"vcd", OPTION_VCD, "FILE", 0, NULL, 0},
    {"signals", OPTION_SIGNALS, "PATTERNS", 0, NULL, 0},
    {"timeline", 't', "FILE", 0, NULL, 0},
    {"profile", 'p', "FILE", 0, NULL, 0},
    {"log", 'l', "FILE", 0, NULL, 0},
    {"kinds", OPTION_KINDS, "KINDS", 0, "of the log", 0},
    {"capture", OPTION_CAPTURE, "FILE", 0, NULL, 0},
    {"loss", OPTION_LOSS, "PROBABILITY", 0, NULL, 0},
    {"bytes", 'b', "COUNT", 0, "of a message", 0},
    {"iterations", 'n', "COUNT", 0, "of the ping-pong", 0},
    {0},
};

struct arguments {
    struct pair_options pair;
    struct sweep sweep;
    struct tigon_observation_options observe;
    const char *capture;
    bool raw;
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    const char *kinds = text;
    size_t length;
    switch (key) {
    case 'i':
        arguments->pair.image = text;
        return 0;
    case OPTION_RAW:
        arguments->raw = true;
        return 0;
    case OPTION_VCD:
        arguments->observe.vcd = text;
        return 0;
    case OPTION_SIGNALS:
        arguments->observe.vcd_patterns = text;
        return 0;
    case 't':
        arguments->observe.timeline = text;
        return 0;
    case 'p':
        arguments->observe.profile = text;
        return 0;
    case 'l':
        arguments->observe.log = text;
        return 0;
    case OPTION_KINDS:
        if (!tigon_log_parse_kinds(&kinds, &length, &arguments->observe.log_kinds))
            argp_error(state, "no kind %.*s", (int)length, kinds);
        return 0;
    case OPTION_CAPTURE:
        arguments->capture = text;
        return 0;
    case OPTION_LOSS:
        if (tigon_knobs_set(&arguments->pair.knobs, "wire_loss", text))
            argp_error(state, "no probability %s", text);
        return 0;
    case 'b':
        arguments->sweep.options.bytes = strtoul(text, NULL, 0);
        return 0;
    case 'n':
        arguments->sweep.options.iterations = strtoul(text, NULL, 0);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {option_table, parse, NULL, NULL, NULL, NULL, NULL};

static uint64_t mix(uint64_t hash, const void *bytes, size_t length) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* Everything that can be seen of a world from outside. */
static void print_world(const struct pair *pair) {
    static uint8_t memory[0x200000];
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (unsigned side = 0; side < 2; side++) {
        const struct tigon_board *board = pair->side[side].hardware;
        struct tigon_statistics statistics;
        struct tigon_wire_statistics wire;
        tigon_board_statistics(board, &statistics);
        tigon_wire_statistics(pair->wire, side, &wire);
        tigon_board_peek(board, 0, memory, sizeof memory);
        hash = mix(hash, &statistics, sizeof statistics);
        hash = mix(hash, &wire, sizeof wire);
        hash = mix(hash, memory, sizeof memory);
        printf("board %u: %" PRIu64 " instructions, %" PRIu64 " cycles, %" PRIu64 " parked\n", side,
               statistics.core[0].instructions, statistics.core[0].cycles,
               statistics.core[0].parked_cycles);
    }
    printf("ticks %" PRIu64 ", state %016" PRIx64 "\n", tigon_world_now_ticks(pair->world), hash);
}

static int complain(const struct pair *pair, const char *message) {
    pair_complain(pair, stderr);
    (void)fprintf(stderr, "observe_emp: %s\n", message);
    return EXIT_FAILURE;
}

int main(int argc, char **argv) {
    struct arguments arguments = {
        .sweep.options = {.bytes = 4, .iterations = 20, .messages = 4, .outstanding = 2}};
    struct tigon_observation *observation = NULL;
    struct pair pair;
    char message[256];
    pair_options_defaults(&arguments.pair);
    if (argp_parse(&parser, argc, argv, 0, NULL, &arguments))
        return EXIT_FAILURE;
    const char *const images[2] = {arguments.pair.image, arguments.pair.image};
    arguments.observe.images = arguments.raw ? NULL : images;
    arguments.observe.transition_name = emp_transition_name;
    int error = pair_open(&pair, &arguments.pair);
    if (error)
        return complain(&pair, "no boards");
    if (arguments.capture && tigon_wire_capture(pair.wire, arguments.capture))
        return complain(&pair, "no capture");
    if (tigon_observation_start(&observation, pair.world, &arguments.observe, message,
                                sizeof message))
        return complain(&pair, message);
    error = pair_run(&pair, sweep_active, &arguments.sweep, sweep_passive, &arguments.sweep,
                     RUN_LIMIT_NS);
    if (error)
        return complain(&pair, "the run failed");
    print_world(&pair);
    error = tigon_observation_end(observation, message, sizeof message);
    if (error)
        (void)fprintf(stderr, "observe_emp: %s\n", message);
    pair_close(&pair);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
