/* SPDX-License-Identifier: MIT */
/*
 * A world: up to WORLD_NODES nodes in one process, each a copy of EMP's image on the native port,
 * joined by wires with faults, driven by programs of their hosts. Event by event, in virtual time;
 * the same everywhere for a plan.
 */
#ifndef TESTS_NATIVE_WORLDS_WORLD_H
#define TESTS_NATIVE_WORLDS_WORLD_H

#include "sim/base/random.h"
#include "tests/native_worlds/history.h"
#include "tests/native_worlds/plan.h"
#include "tests/native_port/node_start.h"

#include "emp_layout.h"

#define WORLD_NODES    EMP_NODE_LIMIT
#define WORLD_REQUESTS 64u /* sends, and receives, of a node */
/* In a large world a node exchanges messages with so many on either side of it, as if all were in a
 * ring; or so many, one of them the receiver, are an incast. There must be receives for each. */
#define WORLD_REACH   15u
#define WORLD_INCAST  (2 * WORLD_REACH + 1)
#define WORLD_LONGEST 65536u /* message */
#define WORLD_PIECES  7u

#define WORLD_NEVER UINT64_MAX

/* A request of a host. Its memory: a page of addresses, then the pieces with gaps between. */
struct request {
    bool cancelling;
    uint32_t peer, tag; /* of a receive from any source peer is HISTORY_ANY_SOURCE */
    uint32_t ignored;   /* bits of the tag */
    uint32_t made_for;  /* of a receive: the source of the message it was made for */
    bool any;           /* accepts every message */
    uint32_t bytes;     /* of the message, or that the receive can take */
    uint64_t number;    /* of the message; of a receive: which message it was made for */
    uint32_t pieces;
    struct {
        uint32_t offset, bytes;
    } piece[WORLD_PIECES];
};

/* A frame on its way. */
struct flight {
    uint64_t time_ns;
    uint64_t order; /* of frames that come at the same time */
    uint8_t *frame;
    uint32_t bytes;
};

/* What a crystal may be wrong by. Never 0: `paper` has one time-out for all, so clocks that agree
 * may repeat the same collision for ever. */
#define WORLD_CLOCK_PPM 100u

#define WORLD_FLIGHTS 1024u /* to a node; more are lost */

struct world_node {
    struct world *world;
    uint32_t index;
    const struct node *node;
    struct node_objects objects;
    struct tigon_random random;
    uint8_t *memory;
    uint32_t epoch;
    uint32_t clock_rate; /* its microseconds in a million */

    uint64_t board_ns, look_ns;                   /* when the board, and the host, goes on */
    uint64_t uplink_ns, downlink_ns[WORLD_NODES]; /* free again; by source if no switch */
    bool in_burst;
    struct flight flights[WORLD_FLIGHTS]; /* a heap */
    uint32_t flight_count;

    uint32_t posted; /* entries of the posting ring */
    struct request sends[WORLD_REQUESTS], receives[WORLD_REQUESTS];
    uint64_t open_sends, open_receives; /* a bit for each request */
    bool catch_all;                     /* a receive that accepts every message is posted */
    struct {
        uint64_t sent;                  /* messages to that node */
        uint64_t received;              /* messages from there that receives were made for */
        uint32_t receives;              /* open, of that source */
        uint64_t again[WORLD_REQUESTS]; /* messages whose receives were cancelled */
        uint32_t again_count;
    } peer[WORLD_NODES];
};

enum world_failure { WORLD_RUNNING, WORLD_STUCK, WORLD_LEAKED, WORLD_STOPPED, WORLD_STRAYED };

struct world {
    struct plan plan;
    uint64_t now_ns;
    uint64_t next_ns[WORLD_NODES];
    struct world_node nodes[WORLD_NODES];
    struct history *history;
    uint64_t posted, ended; /* sends */
    uint64_t progress_ns;   /* when something last ended */
    uint32_t restarted;
    bool greeted; /* the last messages, after restarts, are posted */
    bool closing; /* all sends have ended: receives are cancelled */
    uint64_t orders;

    uint64_t frames, dropped, duplicated, delayed;
    char failure[256]; /* not of the history: stuck, leaked, or a board that stopped */
    enum world_failure failed;
};

/* Once in a process. */
void world_prepare(struct world *world);

/* Runs the plan to its end. The caller reads history, failure and counts, then calls world_end. */
void world_run(struct world *world, const struct plan *plan);
void world_end(struct world *world);

/* What the files of the world share. */
void world_fail(struct world *world, enum world_failure failed, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void wire_send(void *node, const uint8_t *frame, uint32_t bytes);
uint64_t wire_next_ns(const struct world_node *node);
void wire_arrive(struct world_node *node);
void wire_clear(struct world_node *node);

/* The program of a host. */
void host_look(struct world_node *node);
void host_look_at_sends(struct world_node *node);
/* A message to every node that it sends to. */
void host_greet(struct world_node *node);
void host_forget(struct world_node *node);
bool host_may_write(const struct world_node *node, uint64_t offset, uint32_t bytes);
uint32_t host_memory_bytes(void);
struct history_memory host_history_memory(struct world *world);
extern const uint64_t host_base;

#endif
