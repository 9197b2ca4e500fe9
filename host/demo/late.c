/* SPDX-License-Identifier: MIT */
#include "host/demo/late.h"

#include <errno.h>

#include "host/demo/piece.h"

enum { TAG_LATE = 11, TAG_GO = 12, TAG_BEHIND = 13, GO_BYTES = 4 };

struct times {
    uint64_t sum_ps;
    uint64_t most_ps;
};

static void count_time(struct times *times, uint64_t taken_ps) {
    times->sum_ps += taken_ps;
    times->most_ps = taken_ps > times->most_ps ? taken_ps : times->most_ps;
}

static int fail(struct pair_side *side, int error) {
    return error ? pair_fail(side, error, NULL) : 0;
}

/* Sends one message each time the other side says so. A receive for the word is always posted. */
int late_send(struct pair_side *side, void *argument) {
    struct late *late = argument;
    const struct late_options *options = &late->options;
    struct libemp_piece message;
    struct libemp_piece word;
    libemp_request out;
    libemp_request behind;
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
        late->behind_ps = tigon_host_now_ps(side->host);
        if (!error && options->behind)
            error = libemp_post_send(side->board, side->peer, TAG_BEHIND, &message, 1, &behind);
        if (!error)
            error = libemp_wait(side->board, out, LIBEMP_FOREVER, NULL);
        if (!error && options->behind)
            error = libemp_wait(side->board, behind, LIBEMP_FOREVER, NULL);
    }
    return fail(side, error);
}

/* Waits for the message behind, at most until its receive is due. Returns whether it has come, or
 * an error. */
static int late_await_behind(struct pair_side *side, struct late *late, libemp_request behind,
                             uint64_t pause_ns, struct times *times) {
    const int error = libemp_wait(side->board, behind, pause_ns, NULL);
    if (error == -ETIMEDOUT)
        return 0;
    if (error)
        return error;
    count_time(times, tigon_host_now_ps(side->host) - late->behind_ps);
    return 1;
}

/* Delays are spread evenly, so that receives come at all times between two repeats. */
int late_receive(struct pair_side *side, void *argument) {
    struct late *late = argument;
    const struct late_options *options = &late->options;
    struct libemp_piece message;
    struct libemp_piece word;
    struct times in_time = {0}; /* of messages behind */
    struct times times = {0};
    int error = piece_make(side->board, options->bytes, &message);
    if (!error)
        error = piece_make(side->board, GO_BYTES, &word);
    for (size_t i = 0; i < options->iterations && !error; i++) {
        libemp_request go;
        libemp_request in;
        libemp_request behind;
        if (options->behind)
            error = libemp_post_receive(side->board, side->peer, TAG_BEHIND, &message, 1, &behind);
        if (!error)
            error = libemp_post_send(side->board, side->peer, TAG_GO, &word, 1, &go);
        if (!error)
            error = libemp_wait(side->board, go, LIBEMP_FOREVER, NULL);
        const uint64_t pause_ns = options->late_ns + options->late_ns * i / options->iterations;
        const uint64_t due_ps = tigon_host_now_ps(side->host) + pause_ns * 1000;
        int came = 0;
        if (!error && options->behind) {
            came = late_await_behind(side, late, behind, pause_ns, &in_time);
            error = came < 0 ? came : 0;
        }
        if (tigon_host_now_ps(side->host) < due_ps)
            tigon_host_spend_ns(side->host, (due_ps - tigon_host_now_ps(side->host)) / 1000);
        const uint64_t start_ps = tigon_host_now_ps(side->host);
        if (!error)
            error = libemp_post_receive(side->board, side->peer, TAG_LATE, &message, 1, &in);
        if (!error)
            error = libemp_wait(side->board, in, LIBEMP_FOREVER, NULL);
        count_time(&times, tigon_host_now_ps(side->host) - start_ps);
        if (!error && options->behind && !came) {
            came = late_await_behind(side, late, behind, LIBEMP_FOREVER, &in_time);
            error = came < 0 ? came : 0;
        }
    }
    late->mean_ns = (double)times.sum_ps / 1e3 / (double)options->iterations;
    late->most_ns = (double)times.most_ps / 1e3;
    late->behind_mean_ns = (double)in_time.sum_ps / 1e3 / (double)options->iterations;
    late->behind_most_ns = (double)in_time.most_ps / 1e3;
    return fail(side, error);
}
