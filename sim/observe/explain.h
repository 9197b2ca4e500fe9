/* SPDX-License-Identifier: MIT */
/*
 * Where the time of one message goes, from the sender's registers to the look of the receiver's
 * program: segments that follow each other without a gap, so they add up to the latency.
 *
 * Nothing here knows a protocol. A message is what a program of a host waits for: it ends when the
 * program stops polling after its board has written data into the host's memory. The segments are
 * found backwards from there: the last data written, the frame in whose receive buffer they lay,
 * that frame on the wire and in the sender's transmit buffer, the reads of host memory that filled
 * it, and the doorbell before them. Of a message of several frames this is the path of its last
 * frame.
 */
#ifndef SIM_OBSERVE_EXPLAIN_H
#define SIM_OBSERVE_EXPLAIN_H

#include <stdio.h>

#include "sim/observe/execution.h"

struct tigon_explain;

/* Records from now on; boards must be there, `executions` (by board index) must follow each of
 * them. Returns 0 or -ENOMEM. */
int tigon_explain_start(struct tigon_explain **explain, struct tigon_world *world,
                        struct tigon_execution *const *executions);

enum tigon_segment_kind {
    TIGON_SEGMENT_HOST,      /* a host's program, and its accesses on their way */
    TIGON_SEGMENT_WAIT,      /* for a core that does something else */
    TIGON_SEGMENT_CORE,      /* a core works for the message */
    TIGON_SEGMENT_DMA_READ,  /* host memory to board */
    TIGON_SEGMENT_MAC,       /* the frame waits for the wire */
    TIGON_SEGMENT_WIRE,      /* first byte sent to last byte received, switches included */
    TIGON_SEGMENT_DMA_WRITE, /* board to host memory */
};

struct tigon_segment {
    enum tigon_segment_kind kind;
    size_t board; /* index; of a frame on the wire the sender */
    const char *name;
    uint64_t started; /* ticks; each segment ends where the next one starts */
    uint64_t ended;
};

/* Cycles of a core between two moments, by function. */
struct tigon_share {
    const char *function;
    uint64_t ticks;
};

enum { TIGON_SEGMENTS_LIMIT = 12 };

/* The message `number`, counted from 0, of those whose end a program of `board` saw. Returns the
 * number of segments, or -errno with a message: -ENOENT where there are fewer messages, -ENODATA
 * where the way back is lost, because no frame carried the data. */
int tigon_explain_find(const struct tigon_explain *explain, size_t board, uint64_t number,
                       struct tigon_segment segments[TIGON_SEGMENTS_LIMIT], char *message,
                       size_t message_bytes);

/* What core A of the segment's board did in it, the longest first; "idle" is a function, too. At
 * most `limit` shares; the last one is of all others when there are more. Returns how many. */
size_t tigon_explain_shares(const struct tigon_explain *explain,
                            const struct tigon_segment *segment, struct tigon_share *shares,
                            size_t limit);

/* A table for people. */
void tigon_explain_print(const struct tigon_explain *explain, const struct tigon_segment *segments,
                         size_t count, FILE *stream);

/* NULL is allowed. Before the executions are freed. */
void tigon_explain_end(struct tigon_explain *explain);

#endif
