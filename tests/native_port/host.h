/* SPDX-License-Identifier: MIT */
/*
 * The host of a node in memory: its address space, the words it shares with its board, requests,
 * and the loop that lets the board work. Each access of the board to host memory, and each word the
 * board writes to the host's table, goes past the oracle.
 */
#ifndef TESTS_NATIVE_PORT_HOST_H
#define TESTS_NATIVE_PORT_HOST_H

#include "emp_layout.h"
#include "tests/native_port/node_start.h"
#include "tests/native_port/oracle.h"

/* Two windows of memory; all other addresses read as zeros, and writes to them are lost. The second
 * window lies across a 4 GB line. */
#define HOST_WINDOWS      2u
#define HOST_WINDOW_BYTES 0x10000u
#define HOST_LOW          0x10000000ull
#define HOST_ACROSS       0x1FFFF8000ull

/* Where the words of the counters that EMP's glue keeps begin (glue.h). */
#define HOST_FOREIGN 0u /* parse_foreign */
#define HOST_IGNORED 3u /* postings_ignored */

struct host {
    const struct node *node;
    unsigned char *fresh; /* the node's state after host_start */
    uint64_t pages_read;  /* by the node since then: a bit for each of its pages */
    uint32_t number;      /* of the node */
    uint8_t memory[HOST_WINDOWS][HOST_WINDOW_BYTES];
    uint32_t dirty[HOST_WINDOWS]; /* a bit for each 32nd part: its bytes may differ from 0 */
    struct oracle oracle;

    volatile uint32_t *descriptors, *ring, *peers, *parameters, *counters;
    uint32_t posted; /* entries of the ring ever written */

    /* A frame of the board leaves. `frame_owner` is the first argument. */
    void (*frame)(void *frame_owner, const uint8_t *frame, uint32_t bytes);
    void *frame_owner;
    void (*written)(void *frame_owner, uint64_t address, uint32_t bytes); /* or NULL */
};

/* A piece of a request's memory. */
struct host_piece {
    uint64_t address;
    uint32_t bytes;
};

struct host_request {
    uint32_t direction; /* EMP_DIRECTION_... */
    uint32_t format;    /* EMP_FORMAT_... */
    uint32_t peer;
    uint64_t tag;
    uint32_t wildcards; /* of a receive: EMP_WILDCARD_... */
    uint64_t ignored;   /* bits of the tag */
    uint32_t length;
    const struct host_piece *pieces; /* SHORT 1, CHAIN up to 7, INDIRECT up to 409 */
    uint32_t count;
    uint64_t page; /* INDIRECT: where the page of addresses lies */
    const uint8_t
        *bytes; /* INLINE: what the descriptor holds; NULL: a piece's address and length */
};

/* Starts the node, brings its link up and gives it the addresses of all nodes. The caller has set
 * node, number, frame and frame_owner. `fresh` holds node_bytes(). */
void host_start(struct host *host, uint32_t epoch, unsigned char *fresh);

/* As after host_start, but for `frame`. */
void host_restart(struct host *host);

/* Memory at an address, or NULL where it is not all in one window. */
uint8_t *host_memory(struct host *host, uint64_t address, uint32_t bytes);
void host_write_memory(struct host *host, uint64_t address, const void *from, uint32_t bytes);

/* One word of the table, past the oracle. */
void host_write_word(struct host *host, uint32_t word, uint32_t value);

/* Fills in a descriptor, and those that continue it; the owner last. */
void host_fill(struct host *host, uint32_t descriptor, const struct host_request *request);
/* Enters a number into the ring, and rings. */
void host_enter(struct host *host, uint32_t entry);

/* Result of a descriptor, EMP_RESULT_PENDING while the board owns it; then its length. */
uint32_t host_result(const struct host *host, uint32_t descriptor, uint32_t *length);

/* Delivers one event, with all checks; false where it did not wait. */
bool host_deliver(struct host *host, enum native_event event);
bool host_link(struct host *host, uint32_t event, uint32_t word);

/* Delivers waiting events, the first in order of enum native_event but those of `late`, until none
 * waits or `limit` events are delivered; returns the number delivered. */
uint32_t host_run(struct host *host, uint32_t late, uint32_t limit);

#endif
