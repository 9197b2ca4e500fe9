/* SPDX-License-Identifier: MIT */
/*
 * A world whose boards other programs use: one Unix socket for each served board, one client at a
 * time for each. The protocol is sim/serve/protocol.h.
 *
 * A client is a program of its board's host (sim/tigon.h): the tigon_host_ function of the same
 * name performs each request, in virtual time, so that a program behaves the same inside the
 * simulator and attached to it. In lock step the world waits for the next request of each client in
 * turn; results then depend on the requests alone. In free running it follows the clock, and
 * results depend on it.
 */
#ifndef SIM_SERVE_SERVER_H
#define SIM_SERVE_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/tigon.h"

struct tigon_server;

struct tigon_served_board {
    struct tigon_board *board;
    const char *path;    /* of the socket; one without a listener is replaced */
    bool reset_at_leave; /* when a client goes away: the board is reset, its host memory returned */
    bool wait;           /* time does not begin before a first client has come */
};

struct tigon_server_options {
    const struct tigon_served_board *boards;
    size_t board_count;
    bool free_running;
    double scale;         /* free running: virtual seconds per second */
    bool once;            /* the world is stopped when the last client has gone */
    unsigned patience_ms; /* lock step: a client silent for so long is disconnected; 0: never */
    FILE *log; /* lines for people about clients that connect and disconnect; NULL: none */
};

void tigon_server_options_defaults(struct tigon_server_options *options);

/* Makes the sockets and the programs that serve them; the clients are served while the world runs.
 * The options are copied, `paths` too. Call it before the world runs, and at most once for a board.
 * 0, or a negative errno value with a sentence in `message`. */
int tigon_server_open(struct tigon_server **server, struct tigon_world *world,
                      const struct tigon_server_options *options, char *message,
                      size_t message_bytes);

/* Disconnects everybody and removes the sockets. The world must not run again afterwards. NULL is
 * allowed. */
void tigon_server_close(struct tigon_server *server);

/* Stops the world soon. From a signal handler, too. */
void tigon_server_stop(struct tigon_server *server);

/* How many clients were attached, and how many were sent away for breaking the protocol. */
void tigon_server_counts(const struct tigon_server *server, uint64_t *attached, uint64_t *expelled);

#endif
