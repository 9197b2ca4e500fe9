/* SPDX-License-Identifier: MIT */
/* A file from one node to another; both report the first half of its SHA-256 as figures, which a
 * scenario or a test compares. */
#include "host/programs/programs.h"
#include "host/programs/transfer.h"

#include <errno.h>

enum { MESSAGE_BYTES = 65536, OUTSTANDING = 4 };

static void report(struct node *node, const struct transfer_end *end) {
    uint32_t digest = 0;
    for (unsigned i = 0; i < 4; i++)
        digest = digest << 8 | end->digest[i];
    node_figure(node, "bytes", (double)end->bytes);
    node_figure(node, "messages", (double)end->messages);
    node_figure(node, "sha256_first_word", (double)digest);
    node_figure(node, "collections_retransmitted", end->collections_retransmitted);
    node_figure(node, "frames_duplicate", end->frames_duplicate);
    node_figure(node, "transfer_us", (double)(end->end_ns - end->start_ns) / 1e3);
}

static int run(const struct node_place *place, int argc, char **argv, bool sends) {
    struct node node = {.options = {.bytes = MESSAGE_BYTES, .outstanding = OUTSTANDING}};
    struct transfer transfer = {0};
    int error =
        node_open(&node, place, argc, argv,
                  NODE_PEER | NODE_BYTES | NODE_OUTSTANDING | (sends ? NODE_FILE : NODE_OUTPUT));
    transfer.options = (struct transfer_options){.file = node.options.file,
                                                 .output = node.options.output,
                                                 .message_bytes = node.options.bytes,
                                                 .outstanding = node.options.outstanding};
    if (!error && (node.options.bytes == 0 || (sends && !node.options.file)))
        error = node_fail(&node, -EINVAL,
                          node.options.bytes ? "expected --file FILE"
                                             : "--bytes: a message must have some");
    if (!error)
        error = (sends ? transfer_send : transfer_receive)(&node, &transfer);
    if (!error)
        report(&node, sends ? &transfer.sender : &transfer.receiver);
    return node_close(&node, argv[0], error);
}

int program_send(const struct node_place *place, int argc, char **argv) {
    return run(place, argc, argv, true);
}

int program_receive(const struct node_place *place, int argc, char **argv) {
    return run(place, argc, argv, false);
}
