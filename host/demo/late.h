/* SPDX-License-Identifier: MIT */
/* How long a message takes whose receive is posted late: from the post on, when the sender has been
 * refused for a while. And what the sender repeats meanwhile. */
#ifndef HOST_DEMO_LATE_H
#define HOST_DEMO_LATE_H

#include "host/demo/pair.h"

struct late_options {
    size_t bytes;
    size_t iterations;
    uint64_t late_ns; /* receives are posted so much late at least, and twice that at most */
    bool behind;      /* a message with another tag follows each, whose receive is posted in time */
};

/* Nanoseconds of simulated time. */
struct late {
    struct late_options options;
    double mean_ns; /* from the call that posts the receive until the host knows its end */
    double most_ns;
    double
        behind_mean_ns; /* from the send of the message behind until the receiver's host has it */
    double behind_most_ns;
    uint64_t behind_ps; /* when it was sent; late_send writes it, late_receive all else */
};

/* The programs of the two sides. The argument of both is the struct late. */
int late_send(struct pair_side *side, void *argument);
int late_receive(struct pair_side *side, void *argument);

#endif
