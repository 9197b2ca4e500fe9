/* SPDX-License-Identifier: MIT */
/* A node of EMP for a program: arguments read, firmware loaded, peers known, link up. */
#ifndef HOST_PROGRAMS_NODE_H
#define HOST_PROGRAMS_NODE_H

#include "host/demo/pair.h"

struct node_options {
    const char *image;
    uint16_t peer;
    size_t bytes;       /* of a message */
    size_t count;       /* messages, or round trips */
    size_t outstanding; /* posted and not finished */
    const char *file;
    const char *output;
    size_t nodes; /* of an exchange: boards 0 to nodes - 1 */
};

/* Which options a program takes; the others are refused. */
enum {
    NODE_PEER = 1,
    NODE_BYTES = 2,
    NODE_COUNT = 4,
    NODE_OUTSTANDING = 8,
    NODE_FILE = 16,
    NODE_OUTPUT = 32,
    NODE_NODES = 64
};

struct node {
    struct pair_side side; /* board, host, peer and message are used */
    struct libemp_image *image;
    struct node_options options; /* set the defaults before node_open */
};

/* 0 or a negative errno value after a message. Close with node_close in every case. */
int node_open(struct node *node, struct tigon_host *host, int argc, char **argv, unsigned takes);

/* Says on standard error what failed if `error` is not 0, and gives it back. */
int node_close(struct node *node, const char *name, int error);

/* Memory the board can reach, registered. */
int node_buffer(struct node *node, size_t bytes, uint8_t **buffer, struct libemp_memory **memory);

/* Content of message `number` of `from`, and whether a buffer has it. */
void node_fill(uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number);
bool node_has(const uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number);

#endif
