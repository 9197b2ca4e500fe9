/* SPDX-License-Identifier: MIT */
/*
 * Boards running the EMP firmware, driven by raw register accesses: the least that can post a
 * descriptor. The library proper is host/; this one is for testing the firmware by itself.
 */
#ifndef TESTS_FIRMWARE_HARNESS_H
#define TESTS_FIRMWARE_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

#include "emp_layout.h"
#include "sim/tigon.h"

#define PAGE 4096u

/* One host with its board. Functions marked [program] run inside the host's program. */
struct side {
    struct tigon_host *host;
    struct tigon_board *board;
    unsigned node;
    uint32_t epoch;
    uint32_t posted; /* entries written to the posting ring */
    uint32_t window; /* the position of the window */
    uint32_t descriptors, posting_ring, peers, parameters, counters, runtime_counters;
    uint32_t *indirect[EMP_DESCRIPTOR_LIMIT];
    uint64_t indirect_bus[EMP_DESCRIPTOR_LIMIT];
};

/* A buffer of scattered pages. Byte 0 lies `skew` bytes into the first. */
struct buffer {
    uint32_t bytes;
    uint32_t skew;
    uint32_t pages;
    uint64_t *page;
};

void side_create(struct side *side, struct tigon_board *board, unsigned node);

/* [program] Tigon2.md 9: resets, loads the image, starts it, waits until it is ready, writes the
 * addresses of all `nodes` nodes and waits for the link. */
void side_start(struct side *side, const char *image, unsigned nodes);
/* The parts of it. */
void side_load(struct side *side, const char *image);
void side_release(struct side *side); /* the processor runs, without any request in progress */
void side_run(struct side *side);
void side_peers(struct side *side, unsigned nodes);
void side_wait_link(struct side *side);

/* [program] SRAM words through the window. */
uint32_t side_read(struct side *side, uint32_t address);
void side_write(struct side *side, uint32_t address, uint32_t value);
uint32_t side_control(struct side *side, unsigned word);

/* [program] Memory. */
void buffer_create(struct side *side, struct buffer *buffer, uint32_t bytes, uint32_t skew);
void buffer_fill(struct side *side, const struct buffer *buffer, uint32_t seed);
/* Bytes 0 .. count - 1 are those of buffer_fill(seed), all behind them are untouched (0). */
bool buffer_holds(struct side *side, const struct buffer *buffer, uint32_t seed, uint32_t count);

/* [program] Posts in the shortest format that can name the buffer's pages, or in `format`. Uses
 * descriptor `index` and as many after it as the format needs. */
void side_post(struct side *side, uint32_t index, enum emp_direction direction, unsigned peer,
               unsigned tag, const struct buffer *buffer);
void side_post_many(struct side *side, uint32_t first, unsigned count, uint32_t step,
                    enum emp_direction direction, unsigned peer, unsigned tag,
                    const struct buffer *buffers);

/* Posts a receive that ignores bits of the tag; an ordinary one where the profile has no wildcards.
 */
void side_post_wildcards(struct side *side, uint32_t index, unsigned peer, unsigned tag,
                         unsigned ignored, const struct buffer *buffer);

/* [program] Waits until the host owns the descriptor again; its result. */
enum emp_result side_wait(struct side *side, uint32_t index, uint32_t *length);

#endif
