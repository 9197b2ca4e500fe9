/* SPDX-License-Identifier: MIT */
/* A node of EMP for a program: arguments read, firmware loaded, peers known, link up. The programs
 * know no backend: the place where they run does. */
#ifndef HOST_PROGRAMS_NODE_H
#define HOST_PROGRAMS_NODE_H

#include "host/emp/libemp.h"

struct node_options {
    const char *image;
    uint16_t peer;
    size_t bytes;       /* of a message */
    size_t count;       /* messages, or round trips */
    size_t outstanding; /* posted and not finished */
    const char *file;
    const char *output;
    size_t nodes; /* of an exchange: boards 0 to nodes - 1 */
    bool ends_in_memory;
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

/* Where a program runs: its board, and what is known of all nodes. */
struct node_place {
    const char *board; /* as for board_open, with the one backend there is */
    const struct board_backend *backend;
    void *environment;
    uint16_t node;
    size_t nodes;
    const uint8_t (*addresses)[6]; /* of each node, as from a table of hosts */
    /* The clock in picoseconds, and what takes a figure of the results. */
    uint64_t (*now_ps)(void *context);
    void (*figure)(void *context, const char *name, double value);
    void *context;
};

struct node {
    const struct node_place *place;
    struct libemp_board *board;
    uint16_t index; /* own number */
    uint16_t peer;
    struct board_image *image;
    char message[256];           /* what failed, empty if nothing did */
    struct node_options options; /* set the defaults before node_open */
};

/* 0 or a negative errno value after a message. Close with node_close in every case. */
int node_open(struct node *node, const struct node_place *place, int argc, char **argv,
              unsigned takes);

/* Keeps the sentence (or libemp's, when `what` is NULL) and gives `error` back. */
int node_fail(struct node *node, int error, const char *what);

/* Adds a figure to the results of the place. */
void node_figure(const struct node *node, const char *name, double value);

/* Says on standard error what failed if `error` is not 0, and gives it back. */
int node_close(struct node *node, const char *name, int error);

/* Memory the board can reach, registered. */
int node_buffer(struct node *node, size_t bytes, uint8_t **buffer, struct libemp_memory **memory);

/* Content of message `number` of `from`, and whether a buffer has it. */
void node_fill(uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number);
bool node_has(const uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number);

#endif
