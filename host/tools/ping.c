/* SPDX-License-Identifier: MIT */
/* emp ping: one message there, the same back. It goes on when the other board is restarted. */
#include "host/tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { BYTES = 56, BYTES_LIMIT = 65536, NUMBER_BYTES = 8 };

struct arguments {
    struct tool_options common;
    bool answer;
    bool quiet;
    uint64_t count;
    double interval_s;
    size_t bytes;
    uint16_t peer;
};

static const struct tool_option option_table[] = {
    {{"answer", 'a', NULL, 0, "Answer pings, of NODE or of all nodes", 0}, TOOL_TO_FLAG(answer)},
    {{"count", 'c', "NUMBER", 0, "Pings to send or answer; 0: until interrupted (default 0)", 0},
     TOOL_TO_NUMBER(count, 0, UINT32_MAX)},
    {{"interval", 'i', "SECONDS", 0, "Between two pings (default 1)", 0},
     TOOL_TO_SECONDS(interval_s)},
    {{"bytes", 's', "NUMBER", 0, "Size of a ping, 8 to 65536 (default 56)", 0},
     TOOL_TO_NUMBER(bytes, NUMBER_BYTES, BYTES_LIMIT)},
    {{"quiet", 'q', NULL, 0, "Print the summary only", 0}, TOOL_TO_FLAG(quiet)},
    {.kind = TOOL_OWN},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        arguments->peer = tool_node(state, tool_only_argument(state, text));
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!arguments->answer)
            argp_error(state, "expected the node to ping");
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
        "Sends messages to a node and waits for the answers of `emp ping --answer` there. A node "
        "that does not answer, or is restarted meanwhile, costs pings, not the run.",
};

/* ------------------------------------------------------------------------------------------------
 * Answers */

static int answer_one(struct tool_session *session, const struct arguments *arguments,
                      struct libemp_memory *memory) {
    struct libemp_completion ping;
    int error = tool_receive_message(session, arguments->peer, TOOL_TAG_PING, memory, BYTES_LIMIT,
                                     tool_patience_ns(&arguments->common), &ping);
    if (!error)
        error = tool_send_message(session, ping.peer, TOOL_TAG_PONG, memory, ping.length,
                                  tool_timeout_ns(&arguments->common));
    else if (error == -ETIMEDOUT)
        return tool_fail(session, error, "no ping came");
    else if (error == -EMSGSIZE)
        return TOOL_DONE; /* of another program; it gets no answer */
    /* A node that was restarted, or gave up waiting, pings again. */
    return !error || error == -ECONNRESET || error == -EHOSTUNREACH || error == -ETIMEDOUT ||
                   error == -EINTR || error == -ECANCELED
               ? TOOL_DONE
               : tool_fail(session, error, "ping");
}

static int answer(struct tool_session *session, const struct arguments *arguments) {
    struct libemp_memory *memory;
    uint8_t *buffer;
    int status = tool_check_peer(session, arguments->peer);
    if (!status)
        status = tool_buffer(session, BYTES_LIMIT, &buffer, &memory);
    if (!status) {
        (void)fprintf(stderr, "emp: answering pings\n");
        (void)fflush(stderr);
    }
    for (uint64_t i = 0; !status && !tool_stopped() && (!arguments->count || i < arguments->count);
         i++) {
        status = answer_one(session, arguments, memory);
        if (!status) /* what the next ping is written over is not being sent any more */
            status = tool_recover(session);
    }
    return status;
}

/* ------------------------------------------------------------------------------------------------
 * Pings */

struct tally {
    uint64_t sent;
    uint64_t answered;
    double least_us;
    double most_us;
    double sum_us;
    double squares;
};

static void put_number(uint8_t *bytes, uint64_t number) {
    for (unsigned i = 0; i < NUMBER_BYTES; i++)
        bytes[i] = (uint8_t)(number >> (56 - 8 * i));
}

static bool has_number(const uint8_t *bytes, uint64_t number) {
    uint8_t wanted[NUMBER_BYTES];
    put_number(wanted, number);
    return memcmp(bytes, wanted, NUMBER_BYTES) == 0;
}

struct pinger {
    struct tool_session *session;
    const struct arguments *arguments;
    struct libemp_memory *out;
    struct libemp_memory *in;
    uint8_t *sent;
    uint8_t *received;
};

/* Answers to earlier pings may still come; they have other numbers. */
static int wait_answer(struct pinger *pinger, uint64_t number, libemp_request request) {
    struct tool_session *session = pinger->session;
    const struct libemp_piece all = {pinger->in, 0, BYTES_LIMIT};
    const uint64_t timeout = tool_timeout_ns(&pinger->arguments->common);
    const uint64_t start = tool_now_ns(session);
    for (;;) {
        const uint64_t passed = tool_now_ns(session) - start;
        struct libemp_completion completion = {0};
        int error =
            tool_wait(session, request, passed < timeout ? timeout - passed : 0, &completion);
        if (error == -ETIMEDOUT || error == -EINTR)
            tool_cancel(session, request);
        if (error)
            return error;
        if (completion.length == pinger->arguments->bytes && has_number(pinger->received, number))
            return memcmp(pinger->received, pinger->sent, completion.length) == 0 ? 0 : -EBADMSG;
        error = libemp_post_receive(session->board, pinger->arguments->peer, TOOL_TAG_PONG, &all, 1,
                                    &request);
        if (error)
            return error;
    }
}

/* A ping that could not be taken back is lost, and so is each after it until it has ended: its
 * memory is still being sent. */
static int ping(struct pinger *pinger, uint64_t number, double *us) {
    const struct arguments *arguments = pinger->arguments;
    struct tool_session *session = pinger->session;
    const struct libemp_piece all = {pinger->in, 0, BYTES_LIMIT};
    libemp_request request;
    int error = tool_settle(session, tool_timeout_ns(&arguments->common));
    if (error)
        return error;
    put_number(pinger->sent, number);
    const uint64_t start = tool_now_ns(session);
    error = libemp_post_receive(session->board, arguments->peer, TOOL_TAG_PONG, &all, 1, &request);
    if (error)
        return error;
    error = tool_send_message(session, arguments->peer, TOOL_TAG_PING, pinger->out,
                              arguments->bytes, tool_timeout_ns(&arguments->common));
    if (error)
        tool_cancel(session, request);
    else
        error = wait_answer(pinger, number, request);
    *us = (double)(tool_now_ns(session) - start) / 1e3;
    return error;
}

static void count(struct tally *tally, double us) {
    tally->least_us = !tally->answered || us < tally->least_us ? us : tally->least_us;
    tally->most_us = us > tally->most_us ? us : tally->most_us;
    tally->answered++;
    tally->sum_us += us;
    tally->squares += us * us;
}

static void print_line(const struct pinger *pinger, uint64_t number, int error, double us) {
    const struct arguments *arguments = pinger->arguments;
    if (arguments->quiet || arguments->common.json)
        return;
    if (!error)
        (void)printf("%zu bytes from node %u: number %" PRIu64 ", %.1f us\n", arguments->bytes,
                     arguments->peer, number, us);
    else
        (void)printf("node %u: number %" PRIu64 ": %s\n", arguments->peer, number,
                     error == -EBADMSG ? "the answer differs from the ping"
                                       : tool_reason(pinger->session, error));
    (void)fflush(stdout);
}

static void summarise(const struct arguments *arguments, const struct tally *tally) {
    struct tool_report report;
    const double mean = tally->answered ? tally->sum_us / (double)tally->answered : 0;
    const double variance =
        tally->answered ? tally->squares / (double)tally->answered - mean * mean : 0;
    tool_report_begin(&report, arguments->common.json);
    tool_report_number(&report, "sent", (double)tally->sent, "");
    tool_report_number(&report, "answered", (double)tally->answered, "");
    tool_report_number(&report, "lost", (double)(tally->sent - tally->answered), "");
    if (tally->answered) {
        tool_report_number(&report, "least_us", tally->least_us, "us");
        tool_report_number(&report, "mean_us", mean, "us");
        tool_report_number(&report, "most_us", tally->most_us, "us");
        tool_report_number(&report, "deviation_us", variance > 0 ? sqrt(variance) : 0, "us");
    }
    tool_report_end(&report);
}

static int ping_all(struct tool_session *session, const struct arguments *arguments) {
    struct pinger pinger = {.session = session, .arguments = arguments};
    struct tally tally = {0};
    int status = tool_reach_peer(session, arguments->peer);
    if (!status)
        status = tool_buffer(session, BYTES_LIMIT, &pinger.sent, &pinger.out);
    if (!status)
        status = tool_buffer(session, BYTES_LIMIT, &pinger.received, &pinger.in);
    if (status)
        return status;
    for (size_t i = 0; i < arguments->bytes; i++)
        pinger.sent[i] = (uint8_t)(i * 7);
    for (uint64_t i = 0; !tool_stopped() && (!arguments->count || i < arguments->count); i++) {
        double us = 0;
        if (i > 0)
            tool_sleep_s(session, arguments->interval_s);
        const int error = ping(&pinger, i + 1, &us);
        if (error == -EINTR)
            break;
        tally.sent++;
        print_line(&pinger, i + 1, error, us);
        if (!error)
            count(&tally, us);
        else if (error != -ETIMEDOUT && error != -ECONNRESET && error != -EHOSTUNREACH &&
                 error != -ECANCELED)
            return tool_fail(session, error, "ping");
    }
    summarise(arguments, &tally);
    if (tally.sent && !tally.answered)
        (void)tool_say("node %u answered no ping; does `emp ping --answer` run there?",
                       arguments->peer);
    return tally.answered ? TOOL_DONE : TOOL_TIMED_OUT;
}

int tool_ping(int argc, char **argv) {
    struct arguments arguments = {.interval_s = 1, .bytes = BYTES, .peer = LIBEMP_ANY_SOURCE};
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    tool_catch_signals();
    int status = tool_attach(&session, &arguments.common);
    if (status)
        return status;
    status = (arguments.answer ? answer : ping_all)(&session, &arguments);
    tool_close(&session, NULL, 0);
    return status;
}
