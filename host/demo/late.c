/* SPDX-License-Identifier: MIT */
#include "host/demo/late.h"

#include "host/demo/piece.h"

enum { TAG_LATE = 11, TAG_GO = 12, GO_BYTES = 4 };

static int fail(struct pair_side *side, int error) {
    return error ? pair_fail(side, error, NULL) : 0;
}

/* Sends one message each time the other side says so. A receive for the word is always posted. */
int late_send(struct pair_side *side, void *argument) {
    const struct late_options *options = &((const struct late *)argument)->options;
    struct libemp_piece message;
    struct libemp_piece word;
    libemp_request out;
    libemp_request go;
    int error = piece_make(side->board, options->bytes, &message);
    if (!error)
        error = piece_make(side->board, GO_BYTES, &word);
    if (!error)
        error = libemp_post_receive(side->board, side->peer, TAG_GO, &word, 1, &go);
    for (size_t i = 0; i < options->iterations && !error; i++) {
        error = libemp_wait(side->board, go, LIBEMP_FOREVER, NULL);
        if (!error && i + 1 < options->iterations)
            error = libemp_post_receive(side->board, side->peer, TAG_GO, &word, 1, &go);
        if (!error)
            error = libemp_post_send(side->board, side->peer, TAG_LATE, &message, 1, &out);
        if (!error)
            error = libemp_wait(side->board, out, LIBEMP_FOREVER, NULL);
    }
    return fail(side, error);
}

/* Delays are spread evenly, so that receives come at all times between two repeats. */
int late_receive(struct pair_side *side, void *argument) {
    struct late *late = argument;
    const struct late_options *options = &late->options;
    struct libemp_piece message;
    struct libemp_piece word;
    uint64_t sum_ps = 0;
    uint64_t most_ps = 0;
    int error = piece_make(side->board, options->bytes, &message);
    if (!error)
        error = piece_make(side->board, GO_BYTES, &word);
    for (size_t i = 0; i < options->iterations && !error; i++) {
        libemp_request go;
        libemp_request in;
        error = libemp_post_send(side->board, side->peer, TAG_GO, &word, 1, &go);
        if (!error)
            error = libemp_wait(side->board, go, LIBEMP_FOREVER, NULL);
        tigon_host_spend_ns(side->host,
                            options->late_ns + options->late_ns * i / options->iterations);
        const uint64_t start_ps = tigon_host_now_ps(side->host);
        if (!error)
            error = libemp_post_receive(side->board, side->peer, TAG_LATE, &message, 1, &in);
        if (!error)
            error = libemp_wait(side->board, in, LIBEMP_FOREVER, NULL);
        const uint64_t taken_ps = tigon_host_now_ps(side->host) - start_ps;
        sum_ps += taken_ps;
        most_ps = taken_ps > most_ps ? taken_ps : most_ps;
    }
    late->mean_ns = (double)sum_ps / 1e3 / (double)options->iterations;
    late->most_ns = (double)most_ps / 1e3;
    return fail(side, error);
}
