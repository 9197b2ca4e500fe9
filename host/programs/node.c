/* SPDX-License-Identifier: MIT */
#include "host/programs/node.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINK_TIMEOUT_NS UINT64_C(2000000000)

enum { MESSAGE_LIMIT = 1 << 20, COUNT_LIMIT = 1000000, OUTSTANDING_LIMIT = 64 };

static const struct argp_option option_table[] = {
    {"image", 'i', "ELF", 0, NULL, 0},         {"peer", 'p', "NODE", 0, NULL, 0},
    {"bytes", 'b', "COUNT", 0, NULL, 0},       {"count", 'c', "COUNT", 0, NULL, 0},
    {"file", 'f', "FILE", 0, NULL, 0},         {"output", 'o', "FILE", 0, NULL, 0},
    {"nodes", 'n', "COUNT", 0, NULL, 0},       {"outstanding", 'O', "COUNT", 0, NULL, 0},
    {"ends-in-memory", 'm', NULL, 0, NULL, 0}, {0},
};

struct parsing {
    struct node_options *options;
    unsigned takes;
    const char *name;
};

static bool number(const struct parsing *parsing, const char *text, size_t least, size_t most,
                   size_t *value) {
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (!errno && !*end && *text >= '0' && *text <= '9' && *value >= least && *value <= most)
        return true;
    (void)fprintf(stderr, "%s: expected a number from %zu to %zu, found %s\n", parsing->name, least,
                  most, text);
    return false;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    static const struct {
        int key;
        unsigned taken;
    } needs[] = {{'p', NODE_PEER}, {'b', NODE_BYTES},  {'c', NODE_COUNT}, {'O', NODE_OUTSTANDING},
                 {'f', NODE_FILE}, {'o', NODE_OUTPUT}, {'n', NODE_NODES}};
    const struct parsing *parsing = state->input;
    struct node_options *options = parsing->options;
    size_t value = 0;
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (key == needs[i].key && !(parsing->takes & needs[i].taken)) {
            (void)fprintf(stderr, "%s: this program has no such option: %s\n", parsing->name,
                          state->argv[state->next - 1]);
            return EINVAL;
        }
    switch (key) {
    case 'i':
        options->image = text;
        return 0;
    case 'p':
        if (!number(parsing, text, 0, libemp_node_limit() - 1, &value))
            return EINVAL;
        options->peer = (uint16_t)value;
        return 0;
    case 'b':
        return number(parsing, text, 0, MESSAGE_LIMIT, &options->bytes) ? 0 : EINVAL;
    case 'c':
        return number(parsing, text, 1, COUNT_LIMIT, &options->count) ? 0 : EINVAL;
    case 'O':
        return number(parsing, text, 1, OUTSTANDING_LIMIT, &options->outstanding) ? 0 : EINVAL;
    case 'n':
        return number(parsing, text, 2, libemp_node_limit(), &options->nodes) ? 0 : EINVAL;
    case 'f':
        options->file = text;
        return 0;
    case 'o':
        options->output = text;
        return 0;
    case 'm':
        options->ends_in_memory = true;
        return 0;
    case ARGP_KEY_ARG:
        (void)fprintf(stderr, "%s: unexpected argument %s\n", parsing->name, text);
        return EINVAL;
    case ARGP_KEY_END:
        if (options->image)
            return 0;
        (void)fprintf(stderr, "%s: expected --image ELF\n", parsing->name);
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int node_fail(struct node *node, int error, const char *what) {
    (void)snprintf(node->message, sizeof node->message, "%s",
                   what ? what : libemp_message(node->board));
    return error;
}

void node_figure(const struct node *node, const char *name, double value) {
    node->place->figure(node->place->context, name, value);
}

static int start(struct node *node) {
    const struct node_place *place = node->place;
    const struct board_start_options options = {.node = place->node};
    int error = libemp_start(node->board, node->image, &options);
    for (size_t i = 0; i < place->nodes && i < libemp_node_limit() && !error; i++)
        if (i != place->node)
            error = libemp_set_peer(node->board, (uint16_t)i, place->addresses[i]);
    return error ? error : board_wait_link(libemp_hardware(node->board), LINK_TIMEOUT_NS);
}

int node_open(struct node *node, const struct node_place *place, int argc, char **argv,
              unsigned takes) {
    static const struct argp parser = {.options = option_table, .parser = parse};
    const struct parsing parsing = {&node->options, takes, argv[0]};
    struct libemp_options options;
    node->place = place;
    node->index = place->node;
    if (argp_parse(&parser, argc, argv, ARGP_NO_EXIT | ARGP_NO_HELP, NULL, (void *)&parsing))
        return -EINVAL;
    node->peer = node->options.peer;
    int error = board_image_open(&node->image, node->options.image);
    if (error) {
        (void)snprintf(node->message, sizeof node->message, "%.200s: %s", node->options.image,
                       strerror(-error));
        return error;
    }
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){place->backend, NULL};
    options.board.environment = place->environment;
    options.ends_in_memory = node->options.ends_in_memory;
    error = libemp_open(&node->board, place->board, &options);
    if (!error)
        error = start(node);
    if (error == -EOPNOTSUPP)
        return node_fail(node, error, "the profile of this program knows no --ends-in-memory");
    return error ? node_fail(node, error, node->board ? NULL : "the board cannot be opened") : 0;
}

int node_close(struct node *node, const char *name, int error) {
    if (error && node->message[0])
        (void)fprintf(stderr, "%s: %s\n", name, node->message);
    /* The board goes on: it may still owe a peer an acknowledgement. What it may still write to is
     * memory of the host, which stays. */
    if (node->board)
        libemp_abandon(node->board);
    board_image_close(node->image);
    node->board = NULL;
    node->image = NULL;
    return error;
}

int node_buffer(struct node *node, size_t bytes, uint8_t **buffer, struct libemp_memory **memory) {
    const size_t room = bytes ? bytes : 1;
    *buffer = libemp_allocate(node->board, room);
    if (!*buffer)
        return node_fail(node, -ENOMEM, "host memory is used up");
    const int error = libemp_register(node->board, *buffer, room, memory);
    return error ? node_fail(node, error, NULL) : 0;
}

/* A byte differs from its neighbours, from the same of other messages and of other senders. */
static uint8_t content(size_t at, uint32_t from, uint32_t number) {
    const uint32_t mixed = ((uint32_t)at + from * 40503U + number * 2654435761U) * 2246822519U;
    return (uint8_t)(mixed >> 24);
}

void node_fill(uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number) {
    for (size_t i = 0; i < bytes; i++)
        buffer[i] = content(i, from, number);
}

bool node_has(const uint8_t *buffer, size_t bytes, uint32_t from, uint32_t number) {
    for (size_t i = 0; i < bytes; i++)
        if (buffer[i] != content(i, from, number))
            return false;
    return true;
}
