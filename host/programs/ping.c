/* SPDX-License-Identifier: MIT */
/* Messages to and fro: ping sends and waits for the answer, pong answers. Both compare
 * every byte. */
#include "host/programs/node.h"
#include "host/programs/programs.h"

#include <errno.h>

enum { TAG = 1, COUNT = 100, BYTES = 4, AHEAD = 2 };

static int ping(struct node *node) {
    const struct node_options *options = &node->options;
    uint8_t *out;
    uint8_t *in;
    struct libemp_memory *out_memory;
    struct libemp_memory *in_memory;
    int error = node_buffer(node, options->bytes, &out, &out_memory);
    if (!error)
        error = node_buffer(node, options->bytes, &in, &in_memory);
    uint64_t sum_ps = 0;
    for (uint32_t i = 0; i < options->count && !error; i++) {
        const struct libemp_piece send = {out_memory, 0, options->bytes};
        const struct libemp_piece receive = {in_memory, 0, options->bytes};
        libemp_request sent;
        libemp_request received;
        node_fill(out, options->bytes, node->index, i);
        const uint64_t begin = node->place->now_ps(node->place->context);
        error = libemp_post_receive(node->board, node->peer, TAG, &receive, 1, &received);
        if (!error)
            error = libemp_post_send(node->board, node->peer, TAG, &send, 1, &sent);
        if (!error)
            error = libemp_wait(node->board, received, LIBEMP_FOREVER, NULL);
        if (!error)
            error = libemp_wait(node->board, sent, LIBEMP_FOREVER, NULL);
        if (error)
            return node_fail(node, error, NULL);
        sum_ps += node->place->now_ps(node->place->context) - begin;
        if (!node_has(in, options->bytes, node->peer, i))
            return node_fail(node, -EBADMSG, "an answer has other content than was sent");
    }
    if (error)
        return error;
    node_figure(node, "messages", (double)options->count);
    node_figure(node, "half_round_trip_us", (double)sum_ps / 2e6 / (double)options->count);
    return 0;
}

static int pong(struct node *node) {
    const struct node_options *options = &node->options;
    uint8_t *out;
    uint8_t *in[AHEAD];
    struct libemp_memory *out_memory;
    struct libemp_memory *memory[AHEAD];
    libemp_request received[AHEAD];
    int error = node_buffer(node, options->bytes, &out, &out_memory);
    for (uint32_t i = 0; i < AHEAD && i < options->count && !error; i++) {
        error = node_buffer(node, options->bytes, &in[i], &memory[i]);
        if (error)
            return error;
        const struct libemp_piece piece = {memory[i], 0, options->bytes};
        error = libemp_post_receive(node->board, node->peer, TAG, &piece, 1, &received[i]);
    }
    for (uint32_t i = 0; i < options->count && !error; i++) {
        const struct libemp_piece piece = {memory[i % AHEAD], 0, options->bytes};
        const struct libemp_piece answer = {out_memory, 0, options->bytes};
        libemp_request sent;
        node_fill(out, options->bytes, node->index, i);
        error = libemp_wait(node->board, received[i % AHEAD], LIBEMP_FOREVER, NULL);
        if (error)
            break;
        const bool good = node_has(in[i % AHEAD], options->bytes, node->peer, i);
        error = libemp_post_send(node->board, node->peer, TAG, &answer, 1, &sent);
        if (!error && i + AHEAD < options->count)
            error =
                libemp_post_receive(node->board, node->peer, TAG, &piece, 1, &received[i % AHEAD]);
        if (!error)
            error = libemp_wait(node->board, sent, LIBEMP_FOREVER, NULL);
        if (!error && !good)
            return node_fail(node, -EBADMSG, "a message has other content than was sent");
    }
    return error ? node_fail(node, error, NULL) : 0;
}

static int run(const struct node_place *place, int argc, char **argv,
               int (*part)(struct node *node)) {
    struct node node = {.options = {.count = COUNT, .bytes = BYTES}};
    int error = node_open(&node, place, argc, argv, NODE_PEER | NODE_BYTES | NODE_COUNT);
    if (!error)
        error = part(&node);
    return node_close(&node, argv[0], error);
}

int program_ping(const struct node_place *place, int argc, char **argv) {
    return run(place, argc, argv, ping);
}

int program_pong(const struct node_place *place, int argc, char **argv) {
    return run(place, argc, argv, pong);
}
