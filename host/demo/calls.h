/* SPDX-License-Identifier: MIT */
/* What the calls of libemp cost the host, and what is left of the bandwidth when it also computes:
 * the four-step loop of paper 000, section 5.2 (Table 2 and Figure 6). */
#ifndef HOST_DEMO_CALLS_H
#define HOST_DEMO_CALLS_H

#include "host/demo/pair.h"

enum {
    CALLS_BATCH = 5,       /* messages in a batch, as in Table 2 */
    CALLS_ITERATIONS = 100 /* default of --iterations */
};

struct calls_options {
    size_t bytes;
    size_t iterations;
    uint64_t work_ns; /* computed in each iteration, between the posts and the waits */
};

/* Averages of the left side; nanoseconds of simulated time. */
struct calls {
    struct calls_options options;
    double send_ns;      /* a post of a send */
    double receive_ns;   /* a post of a receive */
    double wait_ns;      /* a wait for a send or a receive: the last in a batch wait for the wire */
    double iteration_ns; /* a whole iteration */
    double throughput_mbps; /* of message bytes, both directions together */
};

/* The program of both sides; the argument is the struct calls. */
int calls_run(struct pair_side *side, void *argument);

#endif
