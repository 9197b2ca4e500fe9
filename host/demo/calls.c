/* SPDX-License-Identifier: MIT */
#include "host/demo/calls.h"

#include "host/demo/piece.h"

#include <errno.h>

enum { TAG_BATCH = 7, WARM_UP = 2 };

/* Receives are posted one batch ahead, so the peer, which is an iteration ahead at most, always
 * finds one. All messages of a direction use one buffer: what is in it does not matter here. */
struct batches {
    struct libemp_piece out;
    struct libemp_piece in;
    libemp_request sends[CALLS_BATCH];
    libemp_request receives[2][CALLS_BATCH];
};

/* Picoseconds since the loop was warm. */
struct sums {
    uint64_t send;
    uint64_t receive;
    uint64_t wait;
};

static int make_piece(struct pair_side *side, size_t bytes, struct libemp_piece *piece) {
    const int error = piece_make(side->board, bytes, piece);
    return error ? pair_fail(side, error, error == -ENOMEM ? "host memory is used up" : NULL) : 0;
}

static int post_receives(struct pair_side *side, struct batches *batches, size_t batch,
                         struct sums *sums) {
    const uint64_t start = tigon_host_now_ps(side->host);
    int error = 0;
    for (size_t i = 0; i < CALLS_BATCH && !error; i++)
        error = libemp_post_receive(side->board, side->peer, TAG_BATCH, &batches->in, 1,
                                    &batches->receives[batch & 1][i]);
    sums->receive += tigon_host_now_ps(side->host) - start;
    return error ? pair_fail(side, error, NULL) : 0;
}

static int post_sends(struct pair_side *side, struct batches *batches, struct sums *sums) {
    const uint64_t start = tigon_host_now_ps(side->host);
    int error = 0;
    for (size_t i = 0; i < CALLS_BATCH && !error; i++)
        error = libemp_post_send(side->board, side->peer, TAG_BATCH, &batches->out, 1,
                                 &batches->sends[i]);
    sums->send += tigon_host_now_ps(side->host) - start;
    return error ? pair_fail(side, error, NULL) : 0;
}

static int wait_all(struct pair_side *side, const struct batches *batches, size_t batch,
                    struct sums *sums) {
    const uint64_t start = tigon_host_now_ps(side->host);
    int error = 0;
    for (size_t i = 0; i < CALLS_BATCH && !error; i++)
        error = libemp_wait(side->board, batches->receives[batch & 1][i], LIBEMP_FOREVER, NULL);
    for (size_t i = 0; i < CALLS_BATCH && !error; i++)
        error = libemp_wait(side->board, batches->sends[i], LIBEMP_FOREVER, NULL);
    sums->wait += tigon_host_now_ps(side->host) - start;
    return error ? pair_fail(side, error, NULL) : 0;
}

int calls_run(struct pair_side *side, void *argument) {
    struct calls *calls = argument;
    const struct calls_options *options = &calls->options;
    struct batches batches;
    struct sums sums = {0};
    uint64_t start = 0;
    int error = make_piece(side, options->bytes, &batches.out);
    if (!error)
        error = make_piece(side, options->bytes, &batches.in);
    if (!error)
        error = post_receives(side, &batches, 0, &sums);
    for (size_t batch = 0; batch < WARM_UP + options->iterations && !error; batch++) {
        if (batch == WARM_UP) {
            sums = (struct sums){0};
            start = tigon_host_now_ps(side->host);
        }
        error = post_receives(side, &batches, batch + 1, &sums);
        if (!error)
            error = post_sends(side, &batches, &sums);
        if (!error && options->work_ns)
            tigon_host_spend_ns(side->host, options->work_ns);
        if (!error)
            error = wait_all(side, &batches, batch, &sums);
    }
    if (error || side->index != 0)
        return error;
    const double count = (double)options->iterations;
    const double total_ps = (double)(tigon_host_now_ps(side->host) - start);
    calls->send_ns = (double)sums.send / 1e3 / CALLS_BATCH / count;
    calls->receive_ns = (double)sums.receive / 1e3 / CALLS_BATCH / count;
    calls->wait_ns = (double)sums.wait / 1e3 / (2 * CALLS_BATCH) / count;
    calls->iteration_ns = total_ps / 1e3 / count;
    calls->throughput_mbps = 2 * CALLS_BATCH * 8e6 * (double)options->bytes * count / total_ps;
    return 0;
}
