/* SPDX-License-Identifier: MIT */
/* Latency and bandwidth of one message size on a clean wire, by the papers' method. */
#ifndef HOST_DEMO_SWEEP_H
#define HOST_DEMO_SWEEP_H

#include "host/demo/pair.h"

struct sweep_options {
    size_t bytes;
    size_t iterations;  /* of the ping-pong; 0: SWEEP_ITERATIONS */
    size_t messages;    /* of the stream; 0: sweep_messages(bytes) */
    size_t outstanding; /* sends posted and not finished in the stream; at most 64 */
    bool hold_receives; /* of the ping-pong, until the send has gone (libemp_hold_receives) */
    bool both_ways;     /* measure also with both sides sending */
    uint64_t lag_ns;    /* both ways: the right side begins so much later. Which frames meet in a
                         * board depends on it, and so does the bandwidth. */
};

struct sweep {
    struct sweep_options options;
    size_t receives;       /* posted ahead in the stream */
    double latency_us;     /* half a round trip, averaged */
    double message_us;     /* half of the time from the post of a send until the answer is seen */
    double bandwidth_mbps; /* of message bytes, from first post to the returned message */
    double both_ways_mbps; /* sum of both directions, 0 if not asked for */
};

/* Defaults: latency is the average of 1000 round trips, whatever the size; a stream is 8 MiB or
 * 2000 messages, whichever is less, so that its start and end, one latency each, stay near 1 % of
 * it or below. */
enum { SWEEP_ITERATIONS = 1000 };
size_t sweep_messages(size_t bytes);

/* The wire limit for messages of that size (all bits of a frame and its gap counted): what a
 * perfect sender reaches. */
double sweep_limit_mbps(size_t bytes);

/* Published figures for a size, 0 where there is none, with the ids of the claims. */
struct sweep_paper {
    size_t bytes;
    double latency_us;
    double bandwidth_mbps;
    const char *source;
};
const struct sweep_paper *sweep_paper(size_t bytes); /* NULL where nothing is published */

/* Programs for the two sides of a pair; the argument is the struct sweep. */
int sweep_active(struct pair_side *side, void *argument);
int sweep_passive(struct pair_side *side, void *argument);

#endif
