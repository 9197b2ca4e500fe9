/* SPDX-License-Identifier: MIT */
#include "host/tools/traffic.h"

#include <errno.h>

static size_t memory_bytes(const struct traffic *traffic) {
    const size_t bytes = 2 * traffic->window * traffic->bytes;
    return bytes ? bytes : 1;
}

int traffic_prepare(struct traffic *traffic) {
    uint8_t *buffer;
    const int status =
        tool_buffer(traffic->session, memory_bytes(traffic), &buffer, &traffic->memory);
    traffic->pages = status ? NULL : buffer;
    return status;
}

static int post(struct traffic *traffic, struct traffic_direction *direction) {
    const size_t place = direction->posted % traffic->window;
    const struct libemp_piece piece = {
        traffic->memory, (place + (direction->receives ? traffic->window : 0)) * traffic->bytes,
        traffic->bytes};
    struct libemp_board *board = traffic->session->board;
    const int error = direction->receives
                          ? libemp_post_receive(board, traffic->peer, TOOL_TAG_PERF_DATA, &piece, 1,
                                                &direction->requests[place])
                          : libemp_post_send(board, traffic->peer, TOOL_TAG_PERF_DATA, &piece, 1,
                                             &direction->requests[place]);
    direction->posted += !error;
    return error;
}

static int fill(struct traffic *traffic, struct traffic_direction *direction) {
    int error = 0;
    while (!error && direction->posted < direction->total &&
           direction->posted - direction->finished < traffic->window)
        error = post(traffic, direction);
    return error;
}

static libemp_request *oldest(const struct traffic *traffic, struct traffic_direction *direction) {
    return direction->finished < direction->posted
               ? &direction->requests[direction->finished % traffic->window]
               : NULL;
}

static void give_up(struct traffic *traffic, struct traffic_direction *direction) {
    for (uint64_t i = direction->finished; i < direction->posted; i++)
        tool_cancel(traffic->session, direction->requests[i % traffic->window]);
    direction->total = direction->posted = direction->finished = 0;
}

/* Memory that a request still uses is given back with the board. */
void traffic_release(struct traffic *traffic) {
    give_up(traffic, &traffic->outgoing);
    give_up(traffic, &traffic->incoming);
    if (tool_settle(traffic->session, TOOL_SETTLE_NS) == 0 &&
        libemp_deregister(traffic->memory) == 0)
        libemp_free(traffic->session->board, traffic->pages, memory_bytes(traffic));
}

int traffic_post_receives(struct traffic *traffic) {
    traffic->incoming = (struct traffic_direction){.receives = true, .total = traffic->in};
    traffic->outgoing = (struct traffic_direction){.total = traffic->out};
    return fill(traffic, &traffic->incoming);
}

/* Waits until the oldest of either direction has finished; both go on from there. */
static int step(struct traffic *traffic) {
    libemp_request *places[2] = {oldest(traffic, &traffic->outgoing),
                                 oldest(traffic, &traffic->incoming)};
    const libemp_request requests[2] = {places[0] ? *places[0] : LIBEMP_NO_REQUEST,
                                        places[1] ? *places[1] : LIBEMP_NO_REQUEST};
    size_t index = 0;
    const int error = tool_wait_any(traffic->session, requests, 2, traffic->timeout_ns, &index);
    if (error != -ETIMEDOUT && error != -EIO && error != -EINTR)
        (index ? &traffic->incoming : &traffic->outgoing)->finished++;
    return error;
}

int traffic_stream(struct traffic *traffic) {
    int error = 0;
    while (!error && (traffic->outgoing.finished < traffic->outgoing.total ||
                      traffic->incoming.finished < traffic->incoming.total)) {
        error = fill(traffic, &traffic->outgoing);
        if (!error)
            error = fill(traffic, &traffic->incoming);
        if (!error)
            error = step(traffic);
    }
    return error;
}

static int wait_oldest(struct traffic *traffic, struct traffic_direction *direction) {
    const int error =
        tool_wait(traffic->session, *oldest(traffic, direction), traffic->timeout_ns, NULL);
    direction->finished += error != -ETIMEDOUT && error != -EIO && error != -EINTR;
    return error;
}

/* The next receive is posted before the message that it is answered by. */
int traffic_echo(struct traffic *traffic, bool begins) {
    int error = 0;
    for (uint64_t i = 0; i < traffic->out && !error; i++) {
        if (begins)
            error = post(traffic, &traffic->outgoing);
        if (!error)
            error = wait_oldest(traffic, &traffic->incoming);
        if (!error)
            error = fill(traffic, &traffic->incoming);
        if (!error && !begins)
            error = post(traffic, &traffic->outgoing);
        if (!error)
            error = wait_oldest(traffic, &traffic->outgoing);
    }
    return error;
}
