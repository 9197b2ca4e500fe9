/* SPDX-License-Identifier: MIT */
/* From opening to closing: what EMP adds to the life of a board. */
#include "host/emp/internal.h"

#include "host/board/device.h"
#include "host/board/socket.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME(name) name,
static const char *const spec_files[] = {EMP_FILES(FILE_NAME) NULL};

static const struct board_backend *const backends[] = {&board_served, &board_device, NULL};

void libemp_options_defaults(struct libemp_options *options) {
    memset(options, 0, sizeof *options);
    libemp_costs_defaults(&options->costs);
    options->board.backends = backends;
}

const char *libemp_message(const struct libemp_board *board) {
    return board_message(board->hardware);
}

struct board *libemp_hardware(const struct libemp_board *board) {
    return board->hardware;
}

int libemp_open(struct libemp_board **board, const char *name,
                const struct libemp_options *options) {
    if (!board || !options)
        return -EINVAL;
    if (options->ends_in_memory && !EMP_ENDS_IN_MEMORY)
        return -EOPNOTSUPP;
    struct board_options below = options->board;
    below.spec_files = spec_files;
    struct libemp_board *new = calloc(1, sizeof *new);
    if (!new)
        return -ENOMEM;
    const int error = board_open(&new->hardware, name, &below);
    if (error) {
        free(new);
        return error;
    }
    const int channel = board_channel(new->hardware);
    const int opened = channel < 0 ? 0 : session_open(&new->session, channel);
    if (opened) {
        board_close(new->hardware);
        free(new);
        return opened;
    }
    new->costs = options->costs;
    new->ends_in_memory = options->ends_in_memory;
    new->event = -1;
    new->event_timer = -1;
    libemp_reset_requests(new);
    *board = new;
    return 0;
}

int libemp_stop(struct libemp_board *board) {
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    if (board->session)
        return libemp_fail(board, -EOPNOTSUPP, "the driver keeps the board running");
    board->running = false;
    const int error = board_stop(board->hardware);
    if (!error)
        libemp_reset_requests(board);
    return error;
}

/* A request may end while a frame is read from its memory once more: the acknowledgement came as
 * the retransmission was under way. */
int libemp_close(struct libemp_board *board) {
    int error = 0;
    /* A driver sees to what is posted when its file is closed; in a child nothing is posted. */
    if (board->session || board_check_process(board->hardware)) {
        libemp_abandon(board);
        return 0;
    }
    const bool stops = board->outstanding || (board->running && !board_wait_idle(board->hardware));
    if (stops)
        error = libemp_stop(board);
    if (error)
        return error;
    libemp_give_back_own(board, stops);
    libemp_abandon(board);
    return 0;
}

void libemp_abandon(struct libemp_board *board) {
    libemp_close_event(board);
    libemp_forget_memories(board);
    libemp_forget_longs(board);
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT && !board_keeps_memory(board->hardware); i++)
        board_free(board->hardware, board->slots[i].indirect, EMP_PAGE_BYTES);
    if (board->session)
        session_close(board);
    board_close(board->hardware);
    free(board);
}

void libemp_statistics(const struct libemp_board *board, struct libemp_statistics *statistics) {
    *statistics = board->statistics;
}
