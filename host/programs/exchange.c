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
    struct pair_side *side = &node->side;
    const size_t bytes = node->options.bytes;
    int error = node_buffer(node, bytes, &message->buffer, &message->memory);
    if (error)
        return error;
    const struct libemp_piece piece = {message->memory, 0, bytes};
    /* Tags tell messages of one peer apart, from 1. */
    const uint16_t tag = (uint16_t)(message->number + 1);
    if (send) {
        node_fill(message->buffer, bytes, side->index, message->number);
        error = libemp_post_send(side->board, message->peer, tag, &piece, 1, &message->request);
    } else {
        error = libemp_post_receive(side->board, message->peer, tag, &piece, 1, &message->request);
    }
    return error ? pair_fail(side, error, NULL) : 0;
}

/* Message `i` of the list: peers take turns. */
static struct message message_of(const struct node *node, size_t i) {
    const size_t others = node->options.nodes - 1;
    size_t peer = i % others;
    peer += peer >= node->side.index;
    return (struct message){.peer = (uint16_t)peer, .number = (uint32_t)(i / others)};
}

static int exchange(struct node *node, struct message *in, struct message *out, size_t total) {
    struct pair_side *side = &node->side;
    const uint64_t begin = tigon_host_now_ns(side->host);
    int error = 0;
    for (size_t i = 0; i < total && !error; i++)
        error = post(node, &in[i], false);
    for (size_t i = 0; i < total && !error; i++)
        error = post(node, &out[i], true);
    for (size_t i = 0; i < total && !error; i++) {
        error = libemp_wait(side->board, in[i].request, LIBEMP_FOREVER, NULL);
        if (error)
            return pair_fail(side, error, NULL);
        if (!node_has(in[i].buffer, node->options.bytes, in[i].peer, in[i].number))
            return pair_fail(side, -EBADMSG, "a message has other content than was sent");
    }
    for (size_t i = 0; i < total && !error; i++) {
        error = libemp_wait(side->board, out[i].request, LIBEMP_FOREVER, NULL);
        if (error)
            return pair_fail(side, error, NULL);
    }
    if (error)
        return error;
    tigon_program_figure(side->host, "messages_received", (double)total);
    tigon_program_figure(side->host, "exchange_us",
                         (double)(tigon_host_now_ns(side->host) - begin) / 1e3);
    return 0;
}

int program_emp_exchange(struct tigon_host *host, int argc, char **argv) {
    struct node node = {.options = {.count = COUNT, .bytes = BYTES}};
    node.options.nodes = tigon_world_board_count(tigon_host_world(host));
    int error = node_open(&node, host, argc, argv, NODE_BYTES | NODE_COUNT | NODE_NODES);
    const size_t others = node.options.nodes - 1;
    if (!error && (node.side.index > others || node.options.count * others > POSTS_LIMIT))
        error =
            pair_fail(&node.side, -EINVAL,
                      node.side.index > others ? "--nodes: this board is not among them"
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
