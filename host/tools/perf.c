/* SPDX-License-Identifier: MIT */
/* emp perf: what two nodes get from each other. One side answers, the other asks for measurements
 * and prints them. */
#include "host/tools/traffic.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum test { TEST_LATENCY = 1, TEST_STREAM = 2, TEST_BOTH = 3, TEST_RATE = 4, TESTS };

enum {
    REQUEST_WORDS = 5, /* mark, test, bytes, count, window */
    REQUEST_BYTES = 4 * REQUEST_WORDS,
    MARK = 0x454D5051, /* "EMPQ" */
    COUNT = 200,
    WINDOW = 16,
    RATE_BYTES = 4
};

static const char *const test_names[TESTS] = {[TEST_LATENCY] = "latency",
                                              [TEST_STREAM] = "stream",
                                              [TEST_BOTH] = "both",
                                              [TEST_RATE] = "rate"};

/* Sizes of the table that is printed without --bytes. */
static const size_t table_bytes[] = {4, 64, 1024, 4096, 16384, 65536};

struct arguments {
    struct tool_options common;
    bool answer;
    bool csv;
    unsigned test; /* 0: all */
    size_t bytes;  /* 0: the table */
    uint64_t count;
    size_t window;
    uint16_t peer;
};

static const struct tool_option option_table[] = {
    {{"answer", 'a', NULL, 0, "Answer measurements, of NODE or of all nodes, one at a time", 0},
     TOOL_TO_FLAG(answer)},
    {{"test", 'T', "NAME", 0, "latency, stream (one way), both (ways) or rate (default: all)", 0},
     TOOL_TO_PARSER},
    {{"bytes", 's', "NUMBER", 0, "Size of a message, up to 1M (default: a table)", 0},
     TOOL_TO_NUMBER(bytes, 1, TRAFFIC_BYTES_LIMIT)},
    {{"count", 'c', "NUMBER", 0, "Messages of a measurement; of --answer: measurements", 0},
     TOOL_TO_NUMBER(count, 1, UINT32_MAX)},
    {{"window", 'w', "NUMBER", 0, "Messages posted and not finished, 1 to 32 (default 16)", 0},
     TOOL_TO_NUMBER(window, 1, TRAFFIC_WINDOW_LIMIT)},
    {{"csv", 'C', NULL, 0, "Print results as CSV, for plot_perf.py", 0}, TOOL_TO_FLAG(csv)},
    {.kind = TOOL_OWN},
};

static unsigned test_by_name(const char *name, struct argp_state *state) {
    for (unsigned i = TEST_LATENCY; i < TESTS; i++)
        if (strcmp(test_names[i], name) == 0)
            return i;
    argp_error(state, "expected --test latency, stream, both or rate, found %s", name);
    return 0;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'T':
        arguments->test = test_by_name(text, state);
        return 0;
    case ARGP_KEY_ARG:
        arguments->peer = tool_node(state, tool_only_argument(state, text));
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!arguments->answer)
            argp_error(state, "expected the node to measure with");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct tool_syntax syntax = {
    .options = option_table,
    .parser = parse,
    .arguments = "NODE\n--answer [NODE]",
    .description =
        "Measures latency, bandwidth one way and both ways, and message rate, with a node where "
        "`emp perf --answer` runs. Times are of the board's clock.",
};

/* ------------------------------------------------------------------------------------------------
 * One measurement, on either side */

struct request {
    enum test test;
    size_t bytes;
    uint64_t count;
    size_t window;
};

static void put(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static uint32_t get(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void encode(const struct request *request, uint8_t bytes[REQUEST_BYTES]) {
    const uint32_t words[REQUEST_WORDS] = {MARK, (uint32_t)request->test, (uint32_t)request->bytes,
                                           (uint32_t)request->count, (uint32_t)request->window};
    for (unsigned i = 0; i < REQUEST_WORDS; i++)
        put(bytes + 4 * (size_t)i, words[i]);
}

/* False for a message that no `emp perf` sends. */
static bool decode(const uint8_t *bytes, size_t length, struct request *request) {
    if (length != REQUEST_BYTES || get(bytes) != MARK)
        return false;
    const uint32_t test = get(bytes + 4);
    *request = (struct request){
        .bytes = get(bytes + 8), .count = get(bytes + 12), .window = get(bytes + 16)};
    if (test < TEST_LATENCY || test >= TESTS || request->bytes > TRAFFIC_BYTES_LIMIT ||
        request->bytes == 0 || request->window == 0 || request->window > TRAFFIC_WINDOW_LIMIT ||
        request->count == 0)
        return false;
    request->test = (enum test)test;
    return true;
}

/* The traffic of a side: the asking one begins. */
static struct traffic traffic_of(struct tool_session *session, uint16_t peer,
                                 const struct request *request, bool asks) {
    const bool echo = request->test == TEST_LATENCY;
    const bool both = echo || request->test == TEST_BOTH;
    return (struct traffic){.session = session,
                            .peer = peer,
                            .bytes = request->bytes,
                            .out = asks || both ? request->count : 0,
                            .in = !asks || both ? request->count : 0,
                            .window = echo ? 1 : request->window,
                            .timeout_ns = tool_timeout_ns(session->options)};
}

static int run(struct traffic *traffic, const struct request *request, bool asks) {
    return request->test == TEST_LATENCY ? traffic_echo(traffic, asks) : traffic_stream(traffic);
}

/* ------------------------------------------------------------------------------------------------
 * The side that answers */

static int answer_request(struct tool_session *session, uint16_t peer,
                          const struct request *request, struct libemp_memory *empty) {
    struct traffic traffic = traffic_of(session, peer, request, false);
    int status = traffic_prepare(&traffic);
    if (status)
        return status;
    int error = traffic_post_receives(&traffic);
    if (!error)
        error = tool_send_message(session, peer, TOOL_TAG_PERF_REPLY, empty, 0, traffic.timeout_ns);
    if (!error)
        error = run(&traffic, request, false);
    traffic_release(&traffic);
    /* The other side is told by its own time-out; this one serves the next. */
    if (error)
        (void)tool_fail_peer(session, error, "a measurement was given up", peer, "emp perf");
    return error == -EIO || error == -ENODEV ? TOOL_FAILED : tool_recover(session);
}

static int answer(struct tool_session *session, const struct arguments *arguments) {
    struct libemp_memory *memory;
    uint8_t *buffer;
    int status = tool_check_peer(session, arguments->peer);
    if (!status)
        status = tool_buffer(session, REQUEST_BYTES, &buffer, &memory);
    if (!status)
        (void)fprintf(stderr, "emp: answering measurements\n");
    for (uint64_t i = 0; !status && !tool_stopped() && (!arguments->count || i < arguments->count);
         i++) {
        struct libemp_completion completion;
        struct request request;
        const int error =
            tool_receive_message(session, arguments->peer, TOOL_TAG_PERF_REQUEST, memory,
                                 REQUEST_BYTES, tool_patience_ns(&arguments->common), &completion);
        if (!error && decode(buffer, completion.length, &request))
            status = answer_request(session, completion.peer, &request, memory);
        else if (error == -ETIMEDOUT)
            status = tool_fail(session, error, "nothing to answer");
        else if (error && error != -EINTR && error != -EMSGSIZE && error != -ECONNRESET &&
                 error != -EHOSTUNREACH)
            status = tool_fail(session, error, "request");
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * The side that asks */

static double megabits(const struct request *request, double seconds) {
    const double ways = request->test == TEST_BOTH ? 2 : 1;
    return ways * 8e-6 * (double)request->bytes * (double)request->count / seconds;
}

static void print_result(const struct arguments *arguments, const struct request *request,
                         double seconds) {
    const double each_us = seconds / (double)request->count * 1e6;
    const bool echo = request->test == TEST_LATENCY;
    if (arguments->csv) {
        (void)printf("%s,%zu,%" PRIu64 ",%.3f,%.3f,%.0f\n", test_names[request->test],
                     request->bytes, request->count, echo ? each_us / 2 : 0,
                     echo ? 0 : megabits(request, seconds), echo ? 0 : 1e6 / each_us);
    } else if (arguments->common.json) {
        cJSON *row = cJSON_CreateObject();
        (void)cJSON_AddStringToObject(row, "test", test_names[request->test]);
        (void)cJSON_AddNumberToObject(row, "bytes", (double)request->bytes);
        (void)cJSON_AddNumberToObject(row, "count", (double)request->count);
        if (echo)
            (void)cJSON_AddNumberToObject(row, "latency_us", each_us / 2);
        else
            (void)cJSON_AddNumberToObject(row, "mbit_per_s", megabits(request, seconds));
        if (!echo)
            (void)cJSON_AddNumberToObject(row, "messages_per_s", 1e6 / each_us);
        tool_print_json(row);
    } else if (echo) {
        (void)printf("%-8s %8zu bytes %10.2f us one way\n", test_names[request->test],
                     request->bytes, each_us / 2);
    } else {
        (void)printf("%-8s %8zu bytes %10.1f Mb/s %10.0f messages/s\n", test_names[request->test],
                     request->bytes, megabits(request, seconds), 1e6 / each_us);
    }
    (void)fflush(stdout);
}

/* `buffer` of `memory` holds a request. */
static int measure(struct tool_session *session, const struct arguments *arguments,
                   const struct request *request, uint8_t *buffer, struct libemp_memory *memory) {
    struct traffic traffic = traffic_of(session, arguments->peer, request, true);
    const int status = traffic_prepare(&traffic);
    if (status)
        return status;
    encode(request, buffer);
    int error = traffic_post_receives(&traffic);
    if (!error)
        error = tool_send_message(session, arguments->peer, TOOL_TAG_PERF_REQUEST, memory,
                                  REQUEST_BYTES, traffic.timeout_ns);
    if (!error)
        error = tool_receive_message(session, arguments->peer, TOOL_TAG_PERF_REPLY, memory, 0,
                                     traffic.timeout_ns, NULL);
    const uint64_t start = tool_now_ns(session);
    if (!error)
        error = run(&traffic, request, true);
    const uint64_t end = tool_now_ns(session);
    traffic_release(&traffic);
    if (error)
        return tool_fail_peer(session, error, test_names[request->test], arguments->peer,
                              "emp perf --answer");
    print_result(arguments, request, (double)(end - start) / 1e9);
    return TOOL_DONE;
}

static int measure_all(struct tool_session *session, const struct arguments *arguments) {
    struct libemp_memory *memory;
    uint8_t *buffer;
    int status = tool_reach_peer(session, arguments->peer);
    if (!status)
        status = tool_buffer(session, REQUEST_BYTES, &buffer, &memory);
    if (!status && arguments->csv)
        (void)puts("test,bytes,count,latency_us,mbit_per_s,messages_per_s");
    for (unsigned test = TEST_LATENCY; test < TESTS; test++) {
        const size_t rows =
            arguments->bytes || test == TEST_RATE ? 1 : sizeof table_bytes / sizeof *table_bytes;
        if (arguments->test && arguments->test != test)
            continue;
        for (size_t i = 0; i < rows && !status; i++) {
            const struct request request = {.test = (enum test)test,
                                            .bytes = arguments->bytes    ? arguments->bytes
                                                     : test == TEST_RATE ? RATE_BYTES
                                                                         : table_bytes[i],
                                            .count = arguments->count ? arguments->count : COUNT,
                                            .window = arguments->window};
            status = measure(session, arguments, &request, buffer, memory);
        }
    }
    return status;
}

int tool_perf(int argc, char **argv) {
    struct arguments arguments = {.window = WINDOW, .peer = LIBEMP_ANY_SOURCE};
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    arguments.csv = arguments.csv && !arguments.common.json;
    tool_catch_signals();
    int status = tool_attach(&session, &arguments.common);
    if (status)
        return status;
    status = (arguments.answer ? answer : measure_all)(&session, &arguments);
    tool_close(&session, NULL, 0);
    return status;
}
