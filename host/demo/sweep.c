/* SPDX-License-Identifier: MIT */
#include "host/demo/sweep.h"

#include "emp/emp_layout.h"
#include "host/demo/piece.h"

#include <errno.h>

enum {
    TAG_PING = 1,
    TAG_STREAM = 2,
    TAG_RETURN = 3,
    TAG_EXCHANGE = 4,
    WARM_UP = 8,          /* round trips before the clock starts */
    PONGS_AHEAD = 2,      /* receives the answering side keeps posted */
    RECEIVES_AHEAD = 400, /* MQ24: of the papers' stream test */
    OUTSTANDING_LIMIT = 64,
    STREAM_BYTES = 8 << 20,
    STREAM_MESSAGES_LIMIT = 2000
};

size_t sweep_messages(size_t bytes) {
    const size_t messages = STREAM_BYTES / (bytes ? bytes : 1);
    if (messages > STREAM_MESSAGES_LIMIT)
        return STREAM_MESSAGES_LIMIT;
    return messages ? messages : 1;
}

double sweep_limit_mbps(size_t bytes) {
    enum { PREAMBLE_AND_GAP = 20, ETHERNET_HEADER = 14, CHECKSUM = 4, MINIMUM_FRAME = 64 };
    uint64_t wire = 0;
    size_t rest = bytes;
    size_t room = EMP_FIRST_FRAME_PAYLOAD;
    size_t headers = ETHERNET_HEADER + EMP_FRAME_HEADER_BYTES + EMP_MESSAGE_HEADER_BYTES + CHECKSUM;
    do {
        const size_t payload = rest < room ? rest : room;
        const size_t frame = headers + payload;
        wire += (frame < MINIMUM_FRAME ? MINIMUM_FRAME : frame) + PREAMBLE_AND_GAP;
        rest -= payload;
        room = EMP_FRAME_PAYLOAD;
        headers = ETHERNET_HEADER + EMP_FRAME_HEADER_BYTES + CHECKSUM;
    } while (rest > 0);
    return 1000.0 * (double)bytes / (double)wire;
}

/* One firmware on one processor, back to back, MTU 1500: what the papers measured on the real card
 * and gave in words. Each claim stands at the size it speaks of; "large messages" at 64 kB, and the
 * best figure of the later paper for the same placement at the largest size. */
static const struct sweep_paper paper_table[] = {
    {4, 23.0, 0, "EQ1"},     {10, 24.31, 0, "MQ4"},    {1500, 36.0, 0, "EQ2"},
    {4096, 0, 880.0, "EQ3"}, {65536, 0, 880.0, "EQ5"}, {1048576, 0, 840.0, "MQ2"},
};

const struct sweep_paper *sweep_paper(size_t bytes) {
    for (size_t i = 0; i < sizeof paper_table / sizeof *paper_table; i++)
        if (paper_table[i].bytes == bytes)
            return &paper_table[i];
    return NULL;
}

/* All messages of a direction use one buffer: what is in it does not matter here. */
struct buffers {
    struct libemp_piece out;
    struct libemp_piece in;
    struct libemp_piece small;
};

static int make_buffer(struct pair_side *side, size_t bytes, struct libemp_piece *piece) {
    const int error = piece_make(side->board, bytes, piece);
    return error ? pair_fail(side, error, error == -ENOMEM ? "host memory is used up" : NULL) : 0;
}

static int make_buffers(struct pair_side *side, size_t bytes, struct buffers *buffers) {
    int error = make_buffer(side, bytes, &buffers->out);
    if (!error)
        error = make_buffer(side, bytes, &buffers->in);
    if (!error)
        error = make_buffer(side, 4, &buffers->small);
    return error;
}

static int post_send(struct pair_side *side, uint16_t tag, const struct libemp_piece *piece,
                     libemp_request *request) {
    const int error = libemp_post_send(side->board, side->peer, tag, piece, 1, request);
    return error ? pair_fail(side, error, NULL) : 0;
}

static int post_receive(struct pair_side *side, uint16_t tag, const struct libemp_piece *piece,
                        libemp_request *request) {
    const int error = libemp_post_receive(side->board, side->peer, tag, piece, 1, request);
    return error ? pair_fail(side, error, NULL) : 0;
}

/* The message is as long as the piece it was posted with, at either end. */
static int wait(struct pair_side *side, libemp_request request, const struct libemp_piece *piece) {
    struct libemp_completion completion;
    const int error = libemp_wait(side->board, request, LIBEMP_FOREVER, &completion);
    if (error)
        return pair_fail(side, error, NULL);
    return completion.length == piece->length
               ? 0
               : pair_fail(side, -EBADMSG, "a message has not the length it was sent with");
}

/* Paper 004: post the receive, then transmit, then busy-wait for both. */
static int ping(struct pair_side *side, struct sweep *sweep, const struct buffers *buffers) {
    uint64_t start = 0;
    uint64_t answers_ps = 0;
    for (size_t i = 0; i < WARM_UP + sweep->options.iterations; i++) {
        libemp_request in;
        libemp_request out;
        uint64_t posted = 0;
        if (i == WARM_UP)
            start = tigon_host_now_ps(side->host);
        if (sweep->options.hold_receives)
            libemp_hold_receives(side->board); /* until the wait */
        int error = post_receive(side, TAG_PING, &buffers->in, &in);
        posted = tigon_host_now_ps(side->host);
        if (!error)
            error = post_send(side, TAG_PING, &buffers->out, &out);
        if (!error)
            error = wait(side, in, &buffers->in);
        if (i >= WARM_UP)
            answers_ps += tigon_host_now_ps(side->host) - posted;
        if (!error)
            error = wait(side, out, &buffers->out);
        if (error)
            return error;
    }
    sweep->latency_us = (double)(tigon_host_now_ps(side->host) - start) / 1e6 / 2 /
                        (double)sweep->options.iterations;
    sweep->message_us = (double)answers_ps / 1e6 / 2 / (double)sweep->options.iterations;
    return 0;
}

/* Answers at once; posting receives and looking after the answer is work while the wire is busy. */
static int pong(struct pair_side *side, const struct sweep *sweep, const struct buffers *buffers) {
    const size_t total = WARM_UP + sweep->options.iterations;
    libemp_request in[PONGS_AHEAD];
    int error = 0;
    for (size_t i = 0; i < PONGS_AHEAD && i < total && !error; i++)
        error = post_receive(side, TAG_PING, &buffers->in, &in[i]);
    for (size_t i = 0; i < total && !error; i++) {
        libemp_request out;
        error = wait(side, in[i % PONGS_AHEAD], &buffers->in);
        if (!error)
            error = post_send(side, TAG_PING, &buffers->out, &out);
        if (!error && i + PONGS_AHEAD < total)
            error = post_receive(side, TAG_PING, &buffers->in, &in[i % PONGS_AHEAD]);
        if (!error)
            error = wait(side, out, &buffers->out);
    }
    return error;
}

static int stream(struct pair_side *side, struct sweep *sweep, const struct buffers *buffers) {
    const struct sweep_options *options = &sweep->options;
    libemp_request out[OUTSTANDING_LIMIT];
    libemp_request returned;
    /* A message from the other side says that its receives are posted. */
    int error = post_receive(side, TAG_RETURN, &buffers->small, &returned);
    if (!error)
        error = wait(side, returned, &buffers->small);
    if (!error)
        error = post_receive(side, TAG_RETURN, &buffers->small, &returned);
    const uint64_t start = tigon_host_now_ps(side->host);
    for (size_t i = 0; i < options->messages + options->outstanding && !error; i++) {
        libemp_request *request = &out[i % options->outstanding];
        if (i >= options->outstanding && i - options->outstanding < options->messages)
            error = wait(side, *request, &buffers->out);
        if (i < options->messages && !error)
            error = post_send(side, TAG_STREAM, &buffers->out, request);
    }
    if (!error)
        error = wait(side, returned, &buffers->small);
    sweep->bandwidth_mbps = 8e6 * (double)options->messages * (double)options->bytes /
                            (double)(tigon_host_now_ps(side->host) - start);
    return error;
}

static int sink(struct pair_side *side, struct sweep *sweep, const struct buffers *buffers) {
    const size_t total = sweep->options.messages;
    libemp_request in[RECEIVES_AHEAD];
    libemp_request out;
    size_t ahead = 0;
    int error = 0;
    /* As many as the descriptors allow; a chain takes several. */
    while (!error && ahead < RECEIVES_AHEAD && ahead < total &&
           libemp_descriptors_free(side->board) > 8)
        error = post_receive(side, TAG_STREAM, &buffers->in, &in[ahead++]);
    sweep->receives = ahead;
    if (!error && ahead == 0)
        error = pair_fail(side, -EAGAIN, "no descriptors for a receive");
    if (!error)
        error = post_send(side, TAG_RETURN, &buffers->small, &out);
    if (!error)
        error = wait(side, out, &buffers->small);
    for (size_t i = 0; ahead && i < total && !error; i++) {
        error = wait(side, in[i % ahead], &buffers->in);
        if (!error && i + ahead < total)
            error = post_receive(side, TAG_STREAM, &buffers->in, &in[i % ahead]);
    }
    if (!error)
        error = post_send(side, TAG_RETURN, &buffers->small, &out);
    return error ? error : wait(side, out, &buffers->small);
}

/* Paper 004, 6.2.2: both sides wait for their oldest send and their oldest receive, then post
 * another of each. Neither begins before the other has posted receives. */
static int exchange(struct pair_side *side, struct sweep *sweep, const struct buffers *buffers) {
    const size_t total = sweep->options.messages;
    const size_t sends_ahead = sweep->options.outstanding;
    libemp_request in[RECEIVES_AHEAD];
    libemp_request out[OUTSTANDING_LIMIT];
    libemp_request hello[2];
    size_t ahead = 0;
    int error = 0;
    while (!error && ahead < RECEIVES_AHEAD && ahead < total &&
           libemp_descriptors_free(side->board) > 8 * (sends_ahead + 1))
        error = post_receive(side, TAG_EXCHANGE, &buffers->in, &in[ahead++]);
    if (!error && ahead == 0)
        error = pair_fail(side, -EAGAIN, "no descriptors for a receive");
    if (!error)
        error = post_receive(side, TAG_RETURN, &buffers->small, &hello[0]);
    if (!error)
        error = post_send(side, TAG_RETURN, &buffers->small, &hello[1]);
    for (size_t i = 0; i < 2 && !error; i++)
        error = wait(side, hello[i], &buffers->small);
    const uint64_t start = tigon_host_now_ps(side->host);
    if (side->index == 1 && !error)
        tigon_host_spend_ns(side->host, sweep->options.lag_ns);
    for (size_t i = 0; i < sends_ahead && i < total && !error; i++)
        error = post_send(side, TAG_EXCHANGE, &buffers->out, &out[i]);
    for (size_t i = 0; sends_ahead && ahead && i < total && !error; i++) {
        error = wait(side, out[i % sends_ahead], &buffers->out);
        if (!error)
            error = wait(side, in[i % ahead], &buffers->in);
        if (!error && i + sends_ahead < total)
            error = post_send(side, TAG_EXCHANGE, &buffers->out, &out[i % sends_ahead]);
        if (!error && i + ahead < total)
            error = post_receive(side, TAG_EXCHANGE, &buffers->in, &in[i % ahead]);
    }
    if (side->index == 0) /* the other touches its own end only */
        sweep->both_ways_mbps = 2 * 8e6 * (double)total * (double)sweep->options.bytes /
                                (double)(tigon_host_now_ps(side->host) - start);
    return error;
}

int sweep_active(struct pair_side *side, void *argument) {
    struct sweep *sweep = argument;
    struct buffers buffers;
    int error = make_buffers(side, sweep->options.bytes, &buffers);
    if (!error)
        error = ping(side, sweep, &buffers);
    if (!error)
        error = stream(side, sweep, &buffers);
    return error || !sweep->options.both_ways ? error : exchange(side, sweep, &buffers);
}

int sweep_passive(struct pair_side *side, void *argument) {
    struct sweep *sweep = argument;
    struct buffers buffers;
    int error = make_buffers(side, sweep->options.bytes, &buffers);
    if (!error)
        error = pong(side, sweep, &buffers);
    if (!error)
        error = sink(side, sweep, &buffers);
    return error || !sweep->options.both_ways ? error : exchange(side, sweep, &buffers);
}
