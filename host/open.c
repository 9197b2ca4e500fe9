/* SPDX-License-Identifier: MIT */
/* Opening and closing: names, backends, messages about failures. */
#include "host/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void libemp_options_defaults(struct libemp_options *options) {
    memset(options, 0, sizeof *options);
    libemp_costs_defaults(&options->costs);
}

const char *libemp_message(const struct libemp_board *board) {
    return board->message;
}

static const struct libemp_backend *find_backend(const struct libemp_options *options,
                                                 const char *scheme, size_t length) {
    for (size_t i = 0; options->backends && options->backends[i]; i++) {
        const struct libemp_backend *backend = options->backends[i];
        if (strlen(backend->scheme) == length && memcmp(backend->scheme, scheme, length) == 0)
            return backend;
    }
    return NULL;
}

int libemp_open(struct libemp_board **board, const char *name,
                const struct libemp_options *options) {
    if (!board || !name || !options)
        return -EINVAL;
    const char *colon = strchr(name, ':');
    if (!colon)
        return -EINVAL;
    const struct libemp_backend *backend = find_backend(options, name, (size_t)(colon - name));
    if (!backend)
        return -ENODEV;
    struct libemp_board *new = calloc(1, sizeof *new);
    if (!new)
        return -ENOMEM;
    const int error = backend->open(options->environment, colon + 1, &new->handle);
    if (error) {
        free(new);
        return error;
    }
    new->backend = backend;
    new->costs = options->costs;
    new->progress = options->progress;
    new->progress_context = options->progress_context;
    libemp_reset_requests(new);
    *board = new;
    return 0;
}

void libemp_abandon(struct libemp_board *board) {
    libemp_forget_memories(board);
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT; i++)
        if (board->slots[i].indirect)
            board->backend->release(board->handle, board->slots[i].indirect, EMP_PAGE_BYTES);
    /* The scratch page is left to the firmware, which may be writing to it. */
    board->backend->close(board->handle);
    free(board);
}

void libemp_statistics(const struct libemp_board *board, struct libemp_statistics *statistics) {
    *statistics = board->statistics;
}
