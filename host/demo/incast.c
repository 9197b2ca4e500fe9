/* SPDX-License-Identifier: MIT */
#include "host/demo/incast.h"

#include "host/demo/piece.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAG = 9, OUTSTANDING_LIMIT = 64 };

#define READY_LIMIT_NS UINT64_C(60000000000)

/* What the receiver keeps of a sender: receives in the order of their posting. */
struct source {
    libemp_request receives[INCAST_AHEAD_LIMIT];
    uint64_t delivered;
};

struct state {
    struct incast *incast;
    struct crowd crowd;
    struct source source[INCAST_SENDERS_LIMIT];
};

static uint16_t node(unsigned index) {
    return (uint16_t)index;
}

static bool knows(unsigned index, unsigned other) {
    return index == 0 || other == 0;
}

static int post(struct crowd_member *member, unsigned sender, const struct libemp_piece *piece,
                libemp_request *request) {
    return libemp_post_receive(member->board, (uint16_t)(sender + 1), TAG, piece, 1, request);
}

/* Takes messages of all senders as they come, and posts a receive for each anew. */
static int receive(struct crowd_member *member, struct state *state) {
    const struct incast_options *options = &state->incast->options;
    struct libemp_piece piece;
    unsigned begun = 0;
    int error = piece_make(member->board, options->bytes, &piece);
    for (size_t i = 0; i < options->senders * options->ahead && !error; i++) {
        const unsigned sender = (unsigned)(i % options->senders);
        error = post(member, sender, &piece, &state->source[sender].receives[i / options->senders]);
    }
    for (unsigned sender = 0; !error; sender = (sender + 1) % options->senders) {
        struct source *source = &state->source[sender];
        libemp_request *oldest = &source->receives[source->delivered % options->ahead];
        const int found = libemp_test(member->board, *oldest, NULL);
        if (found == -EAGAIN)
            continue;
        error = found ? found : post(member, sender, &piece, oldest);
        if (source->delivered++ == 0 && ++begun == options->senders)
            crowd_ready(member);
    }
    return error;
}

static int send(struct crowd_member *member, struct state *state) {
    const struct incast_options *options = &state->incast->options;
    libemp_request requests[OUTSTANDING_LIMIT];
    struct libemp_piece piece;
    int error = piece_make(member->board, options->bytes, &piece);
    crowd_ready(member);
    for (size_t i = 0; !error; i++) {
        libemp_request *request = &requests[i % options->outstanding];
        if (i >= options->outstanding)
            error = libemp_wait(member->board, *request, LIBEMP_FOREVER, NULL);
        if (!error)
            error = libemp_post_send(member->board, 0, TAG, &piece, 1, request);
    }
    return error;
}

static int run(struct crowd_member *member, void *argument) {
    struct state *state = argument;
    return member->index == 0 ? receive(member, state) : send(member, state);
}

static void take_figures(struct state *state, const uint64_t *before) {
    struct incast *incast = state->incast;
    struct tigon_switch_statistics statistics;
    uint64_t total = 0;
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < incast->options.senders; i++) {
        incast->messages[i] = state->source[i].delivered - before[i];
        total += incast->messages[i];
        least = incast->messages[i] < least ? incast->messages[i] : least;
    }
    tigon_switch_statistics(state->crowd.box, 0, &statistics);
    incast->frames_dropped = statistics.dropped_full;
    incast->goodput_mbps =
        8e3 * (double)total * (double)incast->options.bytes / (double)incast->options.duration_ns;
    incast->least_share =
        total ? (double)least * (double)incast->options.senders / (double)total : 0;
}

void incast_options_defaults(struct incast_options *options) {
    *options = (struct incast_options){.senders = 15,
                                       .bytes = 4096,
                                       .outstanding = 2,
                                       .ahead = 8,
                                       .warm_up_ns = 20000000,
                                       .duration_ns = 50000000};
    crowd_options_defaults(&options->crowd);
}

int incast_run(struct incast *incast, const struct incast_options *options) {
    uint64_t before[INCAST_SENDERS_LIMIT] = {0};
    *incast = (struct incast){.options = *options};
    if (options->senders < 1 || options->senders > INCAST_SENDERS_LIMIT || options->ahead < 1 ||
        options->ahead > INCAST_AHEAD_LIMIT || options->outstanding < 1 ||
        options->outstanding > OUTSTANDING_LIMIT)
        return -EINVAL;
    struct state *state = calloc(1, sizeof *state);
    if (!state)
        return -ENOMEM;
    struct crowd_options crowd = options->crowd;
    crowd.boards = options->senders + 1;
    crowd.node = node;
    crowd.knows = knows;
    crowd.program = run;
    crowd.argument = state;
    state->incast = incast;
    int error = crowd_open(&state->crowd, &crowd);
    if (!error)
        error = crowd_run_until_ready(&state->crowd, READY_LIMIT_NS);
    if (!error)
        error = crowd_run_for(&state->crowd, options->warm_up_ns);
    for (unsigned i = 0; i < options->senders; i++)
        before[i] = state->source[i].delivered;
    if (!error)
        error = crowd_run_for(&state->crowd, options->duration_ns);
    if (!error)
        take_figures(state, before);
    memcpy(incast->message, state->crowd.message, sizeof incast->message);
    crowd_close(&state->crowd);
    free(state);
    return error;
}
