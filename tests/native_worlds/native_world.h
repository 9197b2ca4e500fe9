/* SPDX-License-Identifier: MIT */
/*
 * A world of up to WORLD_NODES nodes in one process, each a copy of EMP's image on the native port,
 * joined by wires with faults. Event by event, in virtual time.
 */
#ifndef TESTS_NATIVE_WORLDS_NATIVE_WORLD_H
#define TESTS_NATIVE_WORLDS_NATIVE_WORLD_H

#include "tests/native_port/node_start.h"
#include "tests/campaign_worlds/world.h"

#define WORLD_NEVER UINT64_MAX

/* A frame on its way. */
struct flight {
    uint64_t time_ns;
    uint64_t order; /* of frames that come at the same time */
    uint8_t *frame;
    uint32_t bytes;
};

#define WORLD_FLIGHTS 1024u /* to a node; more are lost */

/* A node; chance is that of its host. */
struct world_node {
    struct world *world;
    struct host *host;
    const struct node *node;
    struct node_objects objects;
    uint32_t epoch;
    uint32_t clock_rate; /* its microseconds in a million */

    uint64_t board_ns, look_ns;                   /* when the board, and the host, goes on */
    uint64_t uplink_ns, downlink_ns[WORLD_NODES]; /* free again; by source if no switch */
    bool in_burst;
    struct flight flights[WORLD_FLIGHTS]; /* a heap */
    uint32_t flight_count;

    uint32_t posted; /* entries of the posting ring */
};

struct world {
    struct hosts *hosts;
    uint64_t now_ns;
    uint64_t next_ns[WORLD_NODES];
    struct world_node nodes[WORLD_NODES];
    bool greeted; /* the last messages, after restarts, are posted */
    uint64_t orders;
    uint64_t frames, dropped, duplicated, delayed;
};

void wire_send(void *node, const uint8_t *frame, uint32_t bytes);
uint64_t wire_next_ns(const struct world_node *node);
void wire_arrive(struct world_node *node);
void wire_clear(struct world_node *node);

struct world_node *node_of(const struct host *host);

/* Bus address of a host's memory, which lies across a 4 GB line. */
extern const uint64_t host_base;

#endif
