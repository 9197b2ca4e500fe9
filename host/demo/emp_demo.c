/* SPDX-License-Identifier: MIT */
/* Demonstration of EMP on two simulated boards: start them, move a file, measure. See --help. */
#include "host/demo/calls.h"
#include "host/demo/charges.h"
#include "host/demo/file.h"
#include "host/demo/incast.h"
#include "host/demo/late.h"
#include "host/demo/pair.h"
#include "host/demo/sweep.h"
#include "host/demo/traffic.h"

#include <argp.h>
#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIZES_LIMIT = 64, USAGE = 2 };

#define RUN_LIMIT_NS UINT64_C(600000000000) /* of simulated time, for one run */

struct arguments {
    const char *command;
    struct pair_options pair;
    struct transfer_options transfer;
    struct sweep_options sweep;
    struct calls_options calls;
    struct incast_options incast;
    struct late_options late;
    size_t sizes[SIZES_LIMIT];
    size_t size_count;
    const char *loss;
    const char *json;
    const char *charges;
    const char *effects;
    const char *capture;
    bool quiet;
};

enum {
    OPTION_IMAGE = 256,
    OPTION_KNOB,
    OPTION_COST,
    OPTION_JSON,
    OPTION_OUTPUT,
    OPTION_MESSAGE_BYTES,
    OPTION_ITERATIONS,
    OPTION_MESSAGES,
    OPTION_CAPTURE,
    OPTION_TRACE,
    OPTION_FAULTS,
    OPTION_SWITCH,
    OPTION_HOLD_RECEIVES,
    OPTION_BOTH_WAYS,
    OPTION_CHARGE,
    OPTION_EFFECTS,
    OPTION_LAG,
    OPTION_SENDERS,
    OPTION_WORK,
    OPTION_LATE,
    OPTION_BEHIND,
};

static const struct argp_option option_table[] = {
    {"image", OPTION_IMAGE, "ELF", 0, "firmware (build/firmware/emp_a.elf)", 0},
    {"seed", 's', "NUMBER", 0, "of everything random (1)", 0},
    {"knob", OPTION_KNOB, "NAME=VALUE", 0, "set a knob of the simulator (sim/world/knobs.c)", 0},
    {"cost", OPTION_COST, "NAME=NS", 0, "set a host cost (host/costs.c)", 0},
    {"json", OPTION_JSON, "FILE", 0, "results as JSON, - for standard output", 0},
    {"trace", OPTION_TRACE, "PREFIX", 0,
     "record both boards in PREFIX.0.trace and PREFIX.1.trace, for hsmc conform", 0},
    {"faults", OPTION_FAULTS, "FILE", 0,
     "what goes wrong on the wire and inside the boards \"left\" and \"right\" (sim/fault.h)", 0},
    {"switch", OPTION_SWITCH, NULL, 0, "connect the boards through a switch, \"switch\"", 0},
    {"quiet", 'q', NULL, 0, "no progress", 0},
    {"outstanding", 'o', "COUNT", 0,
     "messages posted and not finished (transfer 4, sweep 2 as in the papers)", 0},
    {NULL, 0, NULL, 0, "transfer:", 1},
    {"file", 'f', "FILE", 0, "what to send", 1},
    {"output", OPTION_OUTPUT, "FILE", 0, "where the received file goes", 1},
    {"loss", 'l', "PROBABILITY", 0, "of each frame in both directions (0.01)", 1},
    {"message-bytes", OPTION_MESSAGE_BYTES, "BYTES", 0, "of each message (65536)", 1},
    {"capture", OPTION_CAPTURE, "FILE", 0, "every frame on the wire, as pcapng", 1},
    {NULL, 0, NULL, 0, "sweep, calls, incast and late:", 2},
    {"size", 'n', "BYTES", 0, "message size; may be repeated", 2},
    {"iterations", OPTION_ITERATIONS, "COUNT", 0,
     "of the ping-pong (1000), of the papers' loop and of late (100)", 2},
    {"work", OPTION_WORK, "NS", 0, "calls: the host computes so long in each iteration (0)", 2},
    {"late", OPTION_LATE, "NS", 0,
     "late: receives are posted so much late at least, and twice that at most (10000000)", 2},
    {"behind", OPTION_BEHIND, NULL, 0,
     "late: a message with another tag follows each, whose receive is posted in time", 2},
    {"messages", OPTION_MESSAGES, "COUNT", 0, "of the stream (by size)", 2},
    {"hold-receives", OPTION_HOLD_RECEIVES, NULL, 0,
     "let the send of the ping-pong go before the receive that is posted first", 2},
    {"both-ways", OPTION_BOTH_WAYS, NULL, 0, "measure also with both sides sending", 2},
    {"senders", OPTION_SENDERS, "COUNT", 0, "incast: boards that send to one (15)", 2},
    {"lag", OPTION_LAG, "NS", 0, "with --both-ways, the right side begins so much later (0)", 2},
    {"charge", OPTION_CHARGE, "FILE", 0,
     "processors are charged what FILE says (sim/chip/charge.h), not what they execute", 2},
    {"effects", OPTION_EFFECTS, "PLACE", 0,
     "all steps of --charge have their effects \"before\" or \"after\" their time", 2},
    {0},
};

static size_t parse_count(struct argp_state *state, const char *text, size_t least, size_t most) {
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 0);
    if (errno || *end || *text < '0' || *text > '9' || value < least || value > most)
        argp_error(state, "%s is no number from %zu to %zu", text, least, most);
    return value;
}

static void parse_cost(struct argp_state *state, struct libemp_costs *costs, const char *text) {
    char name[64];
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    if (!equals || length >= sizeof name) {
        argp_error(state, "%s is no NAME=NS", text);
        return;
    }
    memcpy(name, text, length);
    name[length] = 0;
    if (libemp_costs_set(costs, name, parse_count(state, equals + 1, 0, 1000000000)))
        argp_error(state, "no host cost is called %s", name);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    const size_t limit = libemp_message_limit();
    switch (key) {
    case OPTION_IMAGE:
        arguments->pair.image = text;
        break;
    case 's':
        arguments->pair.seed = parse_count(state, text, 0, SIZE_MAX);
        break;
    case OPTION_KNOB:
        if (tigon_knobs_assign(&arguments->pair.knobs, text))
            argp_error(state, "%s sets no knob", text);
        break;
    case OPTION_COST:
        parse_cost(state, &arguments->pair.costs, text);
        break;
    case OPTION_JSON:
        arguments->json = text;
        break;
    case 'q':
        arguments->quiet = true;
        break;
    case 'o':
        arguments->transfer.outstanding = arguments->sweep.outstanding =
            arguments->incast.outstanding = parse_count(state, text, 1, TRANSFER_OUTSTANDING_LIMIT);
        break;
    case 'f':
        arguments->transfer.file = text;
        break;
    case OPTION_OUTPUT:
        arguments->transfer.output = text;
        break;
    case 'l':
        if (tigon_knobs_set(&arguments->pair.knobs, "wire_loss", text))
            argp_error(state, "%s is no probability", text);
        arguments->loss = text;
        break;
    case OPTION_MESSAGE_BYTES:
        arguments->transfer.message_bytes = parse_count(state, text, 1, limit);
        break;
    case OPTION_TRACE:
        arguments->pair.trace = text;
        break;
    case OPTION_FAULTS:
        arguments->pair.faults_file = text;
        break;
    case OPTION_SWITCH:
        arguments->pair.through_switch = true;
        break;
    case OPTION_CAPTURE:
        arguments->capture = text;
        break;
    case 'n':
        if (arguments->size_count == SIZES_LIMIT)
            argp_error(state, "too many sizes");
        arguments->sizes[arguments->size_count++] = parse_count(state, text, 0, limit);
        break;
    case OPTION_ITERATIONS:
        arguments->sweep.iterations = arguments->calls.iterations = arguments->late.iterations =
            parse_count(state, text, 1, 100000000);
        break;
    case OPTION_MESSAGES:
        arguments->sweep.messages = parse_count(state, text, 1, 100000000);
        break;
    case OPTION_HOLD_RECEIVES:
        arguments->sweep.hold_receives = true;
        break;
    case OPTION_BOTH_WAYS:
        arguments->sweep.both_ways = true;
        break;
    case OPTION_LAG:
        arguments->sweep.lag_ns = parse_count(state, text, 0, 1000000000);
        break;
    case OPTION_SENDERS:
        arguments->incast.senders = (unsigned)parse_count(state, text, 1, INCAST_SENDERS_LIMIT);
        break;
    case OPTION_WORK:
        arguments->calls.work_ns = parse_count(state, text, 0, 1000000000);
        break;
    case OPTION_LATE:
        arguments->late.late_ns = parse_count(state, text, 1, 1000000000);
        break;
    case OPTION_BEHIND:
        arguments->late.behind = true;
        break;
    case OPTION_CHARGE:
        arguments->charges = text;
        break;
    case OPTION_EFFECTS:
        if (strcmp(text, "before") != 0 && strcmp(text, "after") != 0)
            argp_error(state, "%s is neither before nor after", text);
        arguments->effects = text;
        break;
    case ARGP_KEY_ARG:
        if (arguments->command)
            argp_usage(state);
        arguments->command = text;
        break;
    case ARGP_KEY_END:
        if (!arguments->command)
            argp_usage(state);
        else if ((arguments->charges || arguments->effects) &&
                 strcmp(arguments->command, "sweep") != 0)
            argp_error(state, "--charge and --effects are for sweep; %s charges nothing",
                       arguments->command);
        else if (arguments->effects && !arguments->charges)
            argp_error(state, "--effects needs --charge");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse,
    .args_doc = "start|transfer|sweep|calls|incast|late",
    .doc =
        "Programs over EMP on two simulated Tigon2 boards connected back to back. All times are "
        "simulated, so results depend on the arguments alone.\v"
        "start     loads the firmware into both boards through their host windows, reads it "
        "back and waits for the link.\n"
        "transfer  sends a file from one host to the other over a wire that loses frames, and "
        "compares SHA-256 of both ends.\n"
        "sweep     measures latency and bandwidth of the given message sizes on a clean wire.\n"
        "calls     measures what the calls of libemp cost the host, in the papers' loop of "
        "receives, sends, work and waits.\n"
        "incast    measures what one board receives from many through a switch, and the share of "
        "each.\n"
        "late      measures how long a message takes from the post of its receive on, when that "
        "comes late, and the frames that the sender repeats meanwhile.\n",
};

/* ------------------------------------------------------------------------------------------------
 * Progress: rewritten in place on a terminal, sparse lines elsewhere. */

static struct {
    bool quiet;
    bool terminal;
    unsigned last_percent; /* shown */
} screen;

static void say_percent(const char *what, uint64_t done, uint64_t total) {
    const unsigned percent = total ? (unsigned)(done * 100 / total) : 100;
    if (screen.quiet || percent == screen.last_percent)
        return;
    if (screen.terminal)
        (void)fprintf(stderr, "\r   %-24s %3u %%%s", what, percent, percent == 100 ? "\n" : "");
    else if (percent / 25 != screen.last_percent / 25)
        (void)fprintf(stderr, "   %-24s %3u %%\n", what, percent);
    screen.last_percent = percent;
}

static void show_transfer(uint64_t done, uint64_t total) {
    say_percent("arrived", done, total);
}

static void show_start(const struct pair_side *side, const char *step, size_t done, size_t total) {
    if (screen.quiet || strcmp(step, "link") != 0)
        return;
    (void)done;
    (void)total;
    const uint8_t *address = side->status.mac_address;
    struct board_segment segment;
    size_t words = 0;
    for (size_t i = 0; i < board_image_segment(side->pair->image, i, &segment); i++)
        words += segment.words;
    (void)fprintf(
        stderr,
        "   board %u  %02x:%02x:%02x:%02x:%02x:%02x  %zu bytes loaded through the window "
        "and read back,\n            firmware ready after %.1f ms, link %s after %.1f ms\n",
        side->index, address[0], address[1], address[2], address[3], address[4], address[5],
        words * 4, (double)side->ready_ns / 1e6, side->status.link ? "up" : "DOWN",
        (double)side->link_ns / 1e6);
}

/* ------------------------------------------------------------------------------------------------
 * Results */

static void add_number(cJSON *object, const char *name, double value) {
    cJSON_AddNumberToObject(object, name, value);
}

static void add_count(cJSON *object, const char *name, uint64_t value) {
    cJSON_AddNumberToObject(object, name, (double)value);
}

static double rounded(double value) {
    return (double)(int64_t)(value * 1000 + 0.5) / 1000;
}

static void add_paper(cJSON *object, const char *name, double value) {
    if (value > 0)
        add_number(object, name, value);
    else
        cJSON_AddNullToObject(object, name);
}

static void add_digest(cJSON *object, const char *name, const uint8_t *digest) {
    char text[2 * TRANSFER_DIGEST_BYTES + 1];
    for (size_t i = 0; i < TRANSFER_DIGEST_BYTES; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", digest[i]);
    cJSON_AddStringToObject(object, name, text);
}

static int write_json(const struct arguments *arguments, const cJSON *result) {
    if (!arguments->json)
        return 0;
    char *text = cJSON_Print(result);
    const bool console = strcmp(arguments->json, "-") == 0;
    FILE *file = console ? stdout : fopen(arguments->json, "w");
    int error = file && text ? 0 : -EIO;
    if (!error && fprintf(file, "%s\n", text) < 0)
        error = -EIO;
    if (file && !console && fclose(file) != 0)
        error = -EIO;
    if (error)
        (void)fprintf(stderr, "emp_demo: %s: cannot be written\n", arguments->json);
    cJSON_free(text);
    return error;
}

static void add_boards(cJSON *result, const struct pair *pair) {
    cJSON *boards = cJSON_AddArrayToObject(result, "boards");
    for (unsigned i = 0; i < 2; i++) {
        const struct pair_side *side = &pair->side[i];
        cJSON *board = cJSON_CreateObject();
        add_count(board, "node", side->status.node);
        add_count(board, "epoch", side->status.epoch);
        cJSON_AddBoolToObject(board, "link", side->status.link);
        add_count(board, "sram_bytes", side->status.sram_bytes);
        add_count(board, "free_bytes", side->status.free_bytes);
        add_count(board, "ready_us", side->ready_ns / 1000);
        add_count(board, "link_us", side->link_ns / 1000);
        cJSON_AddItemToArray(boards, board);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Commands */

static int fail(struct pair *pair, int error) {
    pair_complain(pair, stderr);
    (void)fprintf(stderr, "emp_demo: %s\n", strerror(-error));
    pair_close(pair);
    return EXIT_FAILURE;
}

static int fail_capture(struct pair *pair, const char *path, int error) {
    (void)fprintf(stderr, "emp_demo: %s: cannot be written: %s\n", path, strerror(-error));
    pair_close(pair);
    return EXIT_FAILURE;
}

static int nothing(struct pair_side *side, void *argument) {
    (void)side;
    (void)argument;
    return 0;
}

static int run_start(const struct arguments *arguments) {
    struct pair pair;
    int error = pair_open(&pair, &arguments->pair);
    if (!error)
        error = pair_run(&pair, nothing, NULL, nothing, NULL, RUN_LIMIT_NS);
    if (error)
        return fail(&pair, error);
    cJSON *result = cJSON_CreateObject();
    add_boards(result, &pair);
    error = write_json(arguments, result);
    cJSON_Delete(result);
    pair_close(&pair);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static cJSON *describe_transfer(const struct arguments *arguments, const struct pair *pair,
                                const struct transfer *transfer, const struct traffic *traffic,
                                bool equal) {
    const struct transfer_end *sender = &transfer->sender;
    const struct transfer_end *receiver = &transfer->receiver;
    const uint64_t ns = sender->end_ns - sender->start_ns;
    uint64_t needed = file_frames(16 + TRANSFER_NAME_BYTES);
    for (uint64_t at = 0; at < sender->bytes; at += transfer->options.message_bytes) {
        const uint64_t rest = sender->bytes - at;
        needed += file_frames(
            rest < transfer->options.message_bytes ? rest : transfer->options.message_bytes);
    }
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "file", transfer->options.file);
    cJSON_AddStringToObject(result, "received_name", receiver->name);
    add_count(result, "bytes", receiver->bytes);
    add_count(result, "messages", receiver->messages);
    add_digest(result, "sha256_sent", sender->digest);
    add_digest(result, "sha256_received", receiver->digest);
    cJSON_AddBoolToObject(result, "sha256_equal", equal);
    add_number(result, "loss", arguments->pair.knobs.wire_loss);
    add_count(result, "seed", arguments->pair.seed);
    add_count(result, "frames", traffic->frames);
    add_count(result, "data_frames", traffic->data_frames);
    add_count(result, "acknowledgements", traffic->acknowledgements);
    add_count(result, "negative_acknowledgements", traffic->negative_acknowledgements);
    add_count(result, "lost", traffic->lost);
    add_count(result, "lost_acknowledgements", traffic->lost_acknowledgements);
    add_count(result, "retransmissions", traffic->data_frames - needed);
    add_count(result, "collections_retransmitted", sender->collections_retransmitted);
    add_count(result, "frames_duplicate", receiver->frames_duplicate);
    add_count(result, "receiver_not_ready", receiver->receiver_not_ready);
    add_count(result, "time_us", ns / 1000);
    add_number(result, "mbps", ns ? rounded(8e3 * (double)sender->bytes / (double)ns) : 0);
    add_number(result, "limit_mbps", rounded(sweep_limit_mbps(transfer->options.message_bytes)));
    add_boards(result, pair);
    return result;
}

/* Asked before a world is made, so that a mistyped name costs nothing. */
static bool is_file(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0) {
        (void)fprintf(stderr, "emp_demo: %s: %s\n", path, strerror(errno));
        return false;
    }
    if (!S_ISREG(status.st_mode))
        (void)fprintf(stderr, "emp_demo: %s: not a regular file\n", path);
    return S_ISREG(status.st_mode);
}

static int run_transfer(const struct arguments *arguments) {
    struct pair pair;
    struct traffic traffic;
    struct transfer transfer = {.options = arguments->transfer};
    if (!is_file(arguments->transfer.file))
        return EXIT_FAILURE;
    int error = pair_open(&pair, &arguments->pair);
    if (error)
        return fail(&pair, error);
    traffic_watch(&traffic, pair.wire);
    if (arguments->capture && (error = tigon_wire_capture(pair.wire, arguments->capture)) != 0)
        return fail_capture(&pair, arguments->capture, error);
    error = pair_run(&pair, file_send, &transfer, file_receive, &transfer, RUN_LIMIT_NS);
    const int capture_error = tigon_wire_end_capture(pair.wire);
    if (error)
        return fail(&pair, error);
    if (capture_error)
        return fail_capture(&pair, arguments->capture, capture_error);
    const bool equal =
        memcmp(transfer.sender.digest, transfer.receiver.digest, TRANSFER_DIGEST_BYTES) == 0;
    cJSON *result = describe_transfer(arguments, &pair, &transfer, &traffic, equal);
    error = write_json(arguments, result);
    cJSON_Delete(result);
    pair_close(&pair);
    if (!equal)
        (void)fprintf(stderr, "emp_demo: the received file differs\n");
    return error || !equal ? EXIT_FAILURE : EXIT_SUCCESS;
}

static cJSON *describe_size(const struct sweep *sweep) {
    const struct sweep_paper *paper = sweep_paper(sweep->options.bytes);
    cJSON *result = cJSON_CreateObject();
    add_count(result, "bytes", sweep->options.bytes);
    add_number(result, "latency_us", rounded(sweep->latency_us));
    add_number(result, "message_us", rounded(sweep->message_us));
    add_number(result, "bandwidth_mbps", rounded(sweep->bandwidth_mbps));
    if (sweep->options.both_ways)
        add_number(result, "both_ways_mbps", rounded(sweep->both_ways_mbps));
    add_number(result, "limit_mbps", rounded(sweep_limit_mbps(sweep->options.bytes)));
    add_paper(result, "paper_latency_us", paper ? paper->latency_us : 0);
    add_paper(result, "paper_bandwidth_mbps", paper ? paper->bandwidth_mbps : 0);
    if (paper)
        cJSON_AddStringToObject(result, "paper_source", paper->source);
    else
        cJSON_AddNullToObject(result, "paper_source");
    add_count(result, "iterations", sweep->options.iterations);
    add_count(result, "messages", sweep->options.messages);
    add_count(result, "receives", sweep->receives);
    return result;
}

/* Each size has a world of its own, so that its figures do not depend on which others are asked
 * for. */
static int run_size(const struct arguments *arguments, size_t bytes, cJSON *results) {
    struct pair pair;
    struct sweep sweep = {.options = arguments->sweep};
    struct charges charges = {0};
    sweep.options.bytes = bytes;
    if (!sweep.options.iterations)
        sweep.options.iterations = SWEEP_ITERATIONS;
    if (!sweep.options.messages)
        sweep.options.messages = sweep_messages(bytes);
    int error = pair_open(&pair, &arguments->pair);
    if (!error && arguments->charges)
        error = charges_start(&charges, &pair, arguments->charges, arguments->effects);
    if (!error)
        error = pair_run(&pair, sweep_active, &sweep, sweep_passive, &sweep, RUN_LIMIT_NS);
    cJSON *result = error ? NULL : describe_size(&sweep);
    if (result && arguments->charges) {
        cJSON_AddItemToObject(result, "charges", charges_describe(&charges));
        cJSON_AddItemToObject(result, "processors", charges_describe_waits(&pair));
    }
    charges_end(&charges);
    if (error)
        return fail(&pair, error);
    pair_close(&pair);
    if (!arguments->quiet)
        (void)fprintf(stderr, "   %8zu bytes  %10.2f us  %8.1f Mb/s of %.1f\n", bytes,
                      sweep.latency_us, sweep.bandwidth_mbps, sweep_limit_mbps(bytes));
    cJSON_AddItemToArray(results, result);
    return EXIT_SUCCESS;
}

static int run_sweep(const struct arguments *arguments) {
    cJSON *results = cJSON_CreateArray();
    int status = EXIT_SUCCESS;
    for (size_t i = 0; i < arguments->size_count && status == EXIT_SUCCESS; i++)
        status = run_size(arguments, arguments->sizes[i], results);
    if (status == EXIT_SUCCESS && write_json(arguments, results))
        status = EXIT_FAILURE;
    cJSON_Delete(results);
    return status;
}

static cJSON *describe_calls(const struct calls *calls) {
    cJSON *result = cJSON_CreateObject();
    add_count(result, "bytes", calls->options.bytes);
    add_count(result, "iterations", calls->options.iterations);
    add_count(result, "work_ns", calls->options.work_ns);
    add_number(result, "send_ns", rounded(calls->send_ns));
    add_number(result, "receive_ns", rounded(calls->receive_ns));
    add_number(result, "wait_ns", rounded(calls->wait_ns));
    add_number(result, "iteration_ns", rounded(calls->iteration_ns));
    add_number(result, "throughput_mbps", rounded(calls->throughput_mbps));
    return result;
}

static int run_incast(struct arguments *arguments) {
    cJSON *results = cJSON_CreateArray();
    int error = 0;
    arguments->incast.crowd.image = arguments->pair.image;
    arguments->incast.crowd.knobs = arguments->pair.knobs;
    arguments->incast.crowd.costs = arguments->pair.costs;
    arguments->incast.crowd.seed = arguments->pair.seed;
    for (size_t i = 0; i < arguments->size_count && !error; i++) {
        static struct incast incast;
        arguments->incast.bytes = arguments->sizes[i];
        error = incast_run(&incast, &arguments->incast);
        if (error) {
            (void)fprintf(stderr, "emp_demo: %s: %s\n", strerror(-error), incast.message);
            break;
        }
        cJSON *result = cJSON_CreateObject();
        add_count(result, "bytes", incast.options.bytes);
        add_count(result, "senders", incast.options.senders);
        add_number(result, "goodput_mbps", rounded(incast.goodput_mbps));
        add_number(result, "limit_mbps", rounded(sweep_limit_mbps(incast.options.bytes)));
        add_number(result, "least_share", rounded(incast.least_share));
        add_count(result, "frames_dropped", incast.frames_dropped);
        cJSON_AddItemToArray(results, result);
        if (!arguments->quiet)
            (void)fprintf(stderr,
                          "   %8zu bytes  %8.1f Mb/s of %.1f, least share %.2f, %" PRIu64
                          " frames dropped by the switch\n",
                          incast.options.bytes, incast.goodput_mbps,
                          sweep_limit_mbps(incast.options.bytes), incast.least_share,
                          incast.frames_dropped);
    }
    if (!error)
        error = write_json(arguments, results);
    cJSON_Delete(results);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run_calls(const struct arguments *arguments) {
    cJSON *results = cJSON_CreateArray();
    int error = 0;
    for (size_t i = 0; i < arguments->size_count; i++) {
        struct pair pair;
        struct calls calls = {.options = arguments->calls};
        struct calls other = calls;
        calls.options.bytes = other.options.bytes = arguments->sizes[i];
        error = pair_open(&pair, &arguments->pair);
        if (!error)
            error = pair_run(&pair, calls_run, &calls, calls_run, &other, RUN_LIMIT_NS);
        if (error) {
            cJSON_Delete(results);
            return fail(&pair, error);
        }
        pair_close(&pair);
        if (!arguments->quiet)
            (void)fprintf(stderr,
                          "   %8zu bytes  send %.2f, receive %.2f, wait %.2f us  %8.1f Mb/s\n",
                          arguments->sizes[i], calls.send_ns / 1e3, calls.receive_ns / 1e3,
                          calls.wait_ns / 1e3, calls.throughput_mbps);
        cJSON_AddItemToArray(results, describe_calls(&calls));
    }
    error = write_json(arguments, results);
    cJSON_Delete(results);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

static cJSON *describe_late(const struct late *late, const struct traffic *traffic) {
    const uint64_t messages = late->options.iterations;
    const uint64_t long_ones = late->options.behind ? 2 : 1;
    const uint64_t needed = messages * (file_frames(late->options.bytes) * long_ones + 1);
    cJSON *result = cJSON_CreateObject();
    add_count(result, "bytes", late->options.bytes);
    add_count(result, "iterations", messages);
    add_count(result, "late_ns", late->options.late_ns);
    add_number(result, "mean_us", rounded(late->mean_ns / 1e3));
    add_number(result, "most_us", rounded(late->most_ns / 1e3));
    if (late->options.behind) {
        add_number(result, "behind_mean_us", rounded(late->behind_mean_ns / 1e3));
        add_number(result, "behind_most_us", rounded(late->behind_most_ns / 1e3));
    }
    add_number(result, "repeated_frames",
               rounded((double)(traffic->data_frames - needed) / (double)messages));
    add_number(result, "refusals",
               rounded((double)traffic->negative_acknowledgements / (double)messages));
    return result;
}

static int run_late(const struct arguments *arguments) {
    cJSON *results = cJSON_CreateArray();
    int error = 0;
    for (size_t i = 0; i < arguments->size_count; i++) {
        struct pair pair;
        struct traffic traffic;
        struct late late = {.options = arguments->late};
        late.options.bytes = arguments->sizes[i];
        error = pair_open(&pair, &arguments->pair);
        if (!error) {
            traffic_watch(&traffic, pair.wire);
            error = pair_run(&pair, late_send, &late, late_receive, &late, RUN_LIMIT_NS);
        }
        if (error) {
            cJSON_Delete(results);
            return fail(&pair, error);
        }
        pair_close(&pair);
        cJSON_AddItemToArray(results, describe_late(&late, &traffic));
        if (!arguments->quiet)
            (void)fprintf(stderr, "   %8zu bytes  %8.1f us, at most %.1f\n", arguments->sizes[i],
                          late.mean_ns / 1e3, late.most_ns / 1e3);
    }
    error = write_json(arguments, results);
    cJSON_Delete(results);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}

int main(int count, char **texts) {
    static struct arguments arguments;
    pair_options_defaults(&arguments.pair);
    incast_options_defaults(&arguments.incast);
    arguments.transfer.message_bytes = 65536;
    arguments.transfer.outstanding = 4;
    arguments.sweep.outstanding = 2;
    arguments.calls.iterations = arguments.late.iterations = CALLS_ITERATIONS;
    arguments.late.late_ns = 10000000;
    argp_err_exit_status = USAGE;
    (void)argp_parse(&parser, count, texts, 0, NULL, &arguments);
    screen.quiet = arguments.quiet;
    screen.terminal = isatty(STDERR_FILENO);
    screen.last_percent = 0;

    if (strcmp(arguments.command, "start") == 0) {
        arguments.pair.progress = show_start;
        return run_start(&arguments);
    }
    if (strcmp(arguments.command, "transfer") == 0 && arguments.transfer.file) {
        arguments.transfer.progress = show_transfer;
        if (!arguments.loss)
            arguments.pair.knobs.wire_loss = 0.01;
        return run_transfer(&arguments);
    }
    if (strcmp(arguments.command, "sweep") == 0 && arguments.size_count)
        return run_sweep(&arguments);
    const bool incast = strcmp(arguments.command, "incast") == 0;
    if (incast && arguments.size_count)
        return run_incast(&arguments);
    const bool calls = strcmp(arguments.command, "calls") == 0;
    if (calls && arguments.size_count)
        return run_calls(&arguments);
    const bool late = strcmp(arguments.command, "late") == 0;
    if (late && arguments.size_count)
        return run_late(&arguments);
    if (!calls && !incast && !late && strcmp(arguments.command, "transfer") != 0 &&
        strcmp(arguments.command, "sweep") != 0)
        (void)fprintf(stderr, "emp_demo: no command %s; see --help\n", arguments.command);
    else
        (void)fprintf(stderr,
                      "emp_demo: transfer needs --file, sweep, calls, incast and late need --size; "
                      "see --help\n");
    return USAGE;
}
