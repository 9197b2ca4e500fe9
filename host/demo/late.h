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
};

/* Of the receiving side; nanoseconds of simulated time. */
struct late {
    struct late_options options;
    double mean_ns; /* from the call that posts the receive until the host knows its end */
    double most_ns;
};

/* The programs of the two sides. The argument of both is the struct late; only late_receive writes
 * to it. */
int late_send(struct pair_side *side, void *argument);
int late_receive(struct pair_side *side, void *argument);

#endif
