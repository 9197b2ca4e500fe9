/* SPDX-License-Identifier: MIT */
/* A file from one host's program to another's over a wire that loses frames. */
#ifndef HOST_PROGRAMS_TRANSFER_H
#define HOST_PROGRAMS_TRANSFER_H

#include "host/programs/node.h"

enum { TRANSFER_DIGEST_BYTES = 32, TRANSFER_NAME_BYTES = 256 };

struct transfer_options {
    const char *file;
    const char *output; /* the received file, or NULL to keep it in memory only */
    size_t message_bytes;
    size_t outstanding; /* messages posted and not finished, at most, on either side */
    void (*progress)(uint64_t done, uint64_t total); /* bytes known to have arrived */
};

enum { TRANSFER_OUTSTANDING_LIMIT = 64 };

/* What each side knows. The receiver's comes from messages alone. */
struct transfer_end {
    char name[TRANSFER_NAME_BYTES];
    uint64_t bytes;
    uint64_t messages; /* the first, with name and size, included */
    uint8_t digest[TRANSFER_DIGEST_BYTES];
    uint64_t start_ns;
    uint64_t end_ns;
    uint32_t collections_retransmitted; /* the board's own counters */
    uint32_t frames_duplicate;
    uint32_t receiver_not_ready;
};

struct transfer {
    struct transfer_options options;
    struct transfer_end sender;
    struct transfer_end receiver;
};

/* The two sides. Each uses board and peer of its node, and touches only its own end of the
 * transfer. 0 or a negative errno value; the node has the message. */
int transfer_send(struct node *node, struct transfer *transfer);
int transfer_receive(struct node *node, struct transfer *transfer);

#endif
