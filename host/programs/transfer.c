/* SPDX-License-Identifier: MIT */
/* A file from one node to another; both report the first half of its SHA-256 as figures, which a
 * scenario or a test compares. */
#include "host/demo/transfer.h"

#include "host/programs/node.h"
#include "host/programs/programs.h"

#include <errno.h>

enum { MESSAGE_BYTES = 65536, OUTSTANDING = 4 };

static void report(struct node *node, const struct transfer_end *end) {
    struct tigon_host *host = node->side.host;
    uint32_t digest = 0;
    for (unsigned i = 0; i < 4; i++)
        digest = digest << 8 | end->digest[i];
    tigon_program_figure(host, "bytes", (double)end->bytes);
    tigon_program_figure(host, "messages", (double)end->messages);
    tigon_program_figure(host, "sha256_first_word", (double)digest);
    tigon_program_figure(host, "collections_retransmitted", end->collections_retransmitted);
    tigon_program_figure(host, "frames_duplicate", end->frames_duplicate);
    tigon_program_figure(host, "transfer_us", (double)(end->end_ns - end->start_ns) / 1e3);
}

static int run(struct tigon_host *host, int argc, char **argv, bool sends) {
    struct node node = {.options = {.bytes = MESSAGE_BYTES, .outstanding = OUTSTANDING}};
    struct transfer transfer = {0};
    int error =
        node_open(&node, host, argc, argv,
                  NODE_PEER | NODE_BYTES | NODE_OUTSTANDING | (sends ? NODE_FILE : NODE_OUTPUT));
    transfer.options = (struct transfer_options){.file = node.options.file,
                                                 .output = node.options.output,
                                                 .message_bytes = node.options.bytes,
                                                 .outstanding = node.options.outstanding};
    if (!error && (node.options.bytes == 0 || (sends && !node.options.file)))
        error = pair_fail(&node.side, -EINVAL,
                          node.options.bytes ? "expected --file FILE"
                                             : "--bytes: a message must have some");
    if (!error)
        error = (sends ? transfer_send : transfer_receive)(&node.side, &transfer);
    if (!error)
        report(&node, sends ? &transfer.sender : &transfer.receiver);
    return node_close(&node, argv[0], error);
}

int program_emp_send(struct tigon_host *host, int argc, char **argv) {
    return run(host, argc, argv, true);
}

int program_emp_receive(struct tigon_host *host, int argc, char **argv) {
    return run(host, argc, argv, false);
}
