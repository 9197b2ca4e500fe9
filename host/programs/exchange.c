/* SPDX-License-Identifier: MIT */
/* Every node sends messages to every other and compares what it gets. All receives are posted
 * first, then all sends, so that everybody's traffic meets. */
#include "host/programs/node.h"
#include "host/programs/programs.h"

#include <errno.h>
#include <stdlib.h>

enum { COUNT = 8, BYTES = 4096, POSTS_LIMIT = 120 };

struct message {
    uint16_t peer;
    uint32_t number;
    uint8_t *buffer;
    struct libemp_memory *memory;
    libemp_request request;
};

static int post(struct node *node, struct message *message, bool send) {
    const size_t bytes = node->options.bytes;
    int error = node_buffer(node, bytes, &message->buffer, &message->memory);
    if (error)
        return error;
    const struct libemp_piece piece = {message->memory, 0, bytes};
    /* Tags tell messages of one peer apart, from 1. */
    const uint16_t tag = (uint16_t)(message->number + 1);
    if (send) {
        node_fill(message->buffer, bytes, node->index, message->number);
        error = libemp_post_send(node->board, message->peer, tag, &piece, 1, &message->request);
    } else {
        error = libemp_post_receive(node->board, message->peer, tag, &piece, 1, &message->request);
    }
    return error ? node_fail(node, error, NULL) : 0;
}

/* Message `i` of the list: peers take turns. */
static struct message message_of(const struct node *node, size_t i) {
    const size_t others = node->options.nodes - 1;
    size_t peer = i % others;
    peer += peer >= node->index;
    return (struct message){.peer = (uint16_t)peer, .number = (uint32_t)(i / others)};
}

static int exchange(struct node *node, struct message *in, struct message *out, size_t total) {
    const uint64_t begin = board_now_ns(libemp_hardware(node->board));
    int error = 0;
    for (size_t i = 0; i < total && !error; i++)
        error = post(node, &in[i], false);
    for (size_t i = 0; i < total && !error; i++)
        error = post(node, &out[i], true);
    for (size_t i = 0; i < total && !error; i++) {
        error = libemp_wait(node->board, in[i].request, LIBEMP_FOREVER, NULL);
        if (error)
            return node_fail(node, error, NULL);
        if (!node_has(in[i].buffer, node->options.bytes, in[i].peer, in[i].number))
            return node_fail(node, -EBADMSG, "a message has other content than was sent");
    }
    for (size_t i = 0; i < total && !error; i++) {
        error = libemp_wait(node->board, out[i].request, LIBEMP_FOREVER, NULL);
        if (error)
            return node_fail(node, error, NULL);
    }
    if (error)
        return error;
    node_figure(node, "messages_received", (double)total);
    node_figure(node, "exchange_us",
                (double)(board_now_ns(libemp_hardware(node->board)) - begin) / 1e3);
    return 0;
}

int program_exchange(const struct node_place *place, int argc, char **argv) {
    struct node node = {.options = {.count = COUNT, .bytes = BYTES}};
    node.options.nodes = place->nodes;
    int error = node_open(&node, place, argc, argv, NODE_BYTES | NODE_COUNT | NODE_NODES);
    const size_t others = node.options.nodes - 1;
    if (!error && (node.index > others || node.options.count * others > POSTS_LIMIT))
        error = node_fail(&node, -EINVAL,
                          node.index > others ? "--nodes: this board is not among them"
                                              : "more messages than descriptors: lower --count");
    if (!error) {
        const size_t total = node.options.count * others;
        struct message *in = calloc(total, sizeof *in);
        struct message *out = calloc(total, sizeof *out);
        if (!in || !out)
            abort();
        for (size_t i = 0; i < total; i++)
            in[i] = out[i] = message_of(&node, i);
        error = exchange(&node, in, out, total);
        free(in);
        free(out);
    }
    return node_close(&node, argv[0], error);
}
