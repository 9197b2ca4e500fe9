/* SPDX-License-Identifier: MIT */
/* Shared by the files of the server. */
#ifndef SIM_SERVE_SERVER_PRIVATE_H
#define SIM_SERVE_SERVER_PRIVATE_H

#include "sim/serve/protocol.h"
#include "sim/serve/server.h"

#include <signal.h>

enum { TIGON_SERVE_PENDING = 16 }; /* connections that have not said hello, at most */

/* A connection and the bytes read from it. */
struct connection {
    int descriptor; /* -1: none, or broken */
    int process;    /* a descriptor of the one that connected, -1: not known, or it has ended */
    size_t filled;
    uint8_t bytes[TIGON_SERVE_MESSAGE_BYTES];
};

/* A served board. */
struct session {
    struct tigon_server *server;
    struct tigon_served_board served;
    struct tigon_host *host;
    char *path;
    int listener;
    int memory;    /* the memfd */
    int interrupt; /* the eventfd */
    bool attached;
    bool came; /* a client was there once */
    uint64_t features;
    uint8_t *owners; /* of each page of host memory; memory.c */
    size_t page_count;
    struct connection connection;
    uint64_t answer[TIGON_SERVE_PAGES_LIMIT]; /* to the request at hand */
};

struct tigon_server {
    struct tigon_world *world;
    struct tigon_server_options options;
    volatile sig_atomic_t stopping;
    size_t session_count;
    struct session *sessions;
    struct {
        struct session *session; /* the board it requested */
        struct connection connection;
    } pending[TIGON_SERVE_PENDING];
    uint64_t attached;
    uint64_t expelled;
    uint64_t clock_base_ns; /* free running: of the clock, at virtual time virtual_base_ns */
    uint64_t virtual_base_ns;
    bool late_told;
};

/* connection.c: framing. `descriptor`: accepted; it belongs to the connection. */
void connection_open(struct connection *connection, int descriptor);
/* A message in `connection`: its header in host byte order and its payload.
 * 1 when there is a whole one, 0 when more bytes must come, -EPROTO for bytes that begin no
 * message. */
int connection_message(const struct connection *connection, struct tigon_serve_header *header,
                       const uint8_t **payload);
void connection_consume(struct connection *connection, const struct tigon_serve_header *header);
/* Reads the available bytes without waiting. When the other side has closed, closes the descriptor
 * and sets it to -1; the bytes sent before stay. */
void connection_read(struct connection *connection);
void connection_close(struct connection *connection);
/* The process that connected has ended. Its children may have the socket for long: what they send
 * is not read any more. */
void connection_end(struct connection *connection);
/* Sends a message, waiting for room at most `patience_ms`; `descriptors` (two) may be NULL. 0, or
 * -errno after which the connection is closed. */
int connection_send(struct connection *connection, const struct tigon_serve_header *header,
                    const void *payload, size_t length, const int *descriptors, int patience_ms);

/* server.c: serves all sockets, waiting up to `timeout_ns` for an event. */
void server_look(struct tigon_server *server, uint64_t timeout_ns);
void server_log(const struct tigon_server *server, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The client of a session is gone, or is sent away. */
void session_leave(struct session *session, const char *why);
uint64_t server_clock_ns(void);
/* Free running: the clock is compared with virtual time from here on. */
void server_restart_clock(struct tigon_server *server);
bool server_has_clients(const struct tigon_server *server);
/* Header of a reply at this moment. */
struct tigon_serve_header session_header(const struct session *session, uint16_t type,
                                         uint32_t sequence, int32_t status);

/* memory.c: 0 or -ENOMEM. */
int memory_open(struct session *session);
/* Pages that were allocated for the client. */
void memory_take(struct session *session, uint64_t address, uint64_t bytes);
/* False, and nothing is freed: not all of them are the client's. */
bool memory_free(struct session *session, uint64_t address, uint64_t bytes);
/* All pages of these owners but those with these addresses. */
void memory_give_back(struct session *session, uint64_t owners, const uint64_t kept[2]);
/* The client has gone; the board may still reach its pages. */
void memory_leave(struct session *session);
/* The board has been reset. */
void memory_release(struct session *session);

/* session.c: the program that serves a board. */
int session_program(struct tigon_host *host, void *argument);

#endif
