/* SPDX-License-Identifier: MIT */
/* Incast: all boards but the first send to the first, through one switch, as fast as they may. */
#ifndef HOST_DEMO_INCAST_H
#define HOST_DEMO_INCAST_H

#include "host/demo/crowd.h"

enum { INCAST_SENDERS_LIMIT = 63, INCAST_AHEAD_LIMIT = 32 };

struct incast_options {
    struct crowd_options crowd; /* image, knobs, costs and seed; incast fills in the rest */
    unsigned
        senders;  /* at most INCAST_SENDERS_LIMIT, and fewer than the firmware has node numbers */
    size_t bytes; /* of a message */
    size_t outstanding;   /* sends of each that are posted and not finished */
    size_t ahead;         /* receives posted for each sender, at most INCAST_AHEAD_LIMIT */
    uint64_t warm_up_ns;  /* from the first message of the last sender on */
    uint64_t duration_ns; /* measured */
};

struct incast {
    struct incast_options options;
    uint64_t messages[INCAST_SENDERS_LIMIT]; /* delivered, of each sender, in that time */
    double goodput_mbps;                     /* of message bytes at the receiver */
    double least_share;      /* of the sender that got least, in parts of the mean; 1 is fair */
    uint64_t frames_dropped; /* by the switch, since the world began */
    char message[256];       /* what failed */
};

void incast_options_defaults(struct incast_options *options);

/* Measures once. 0 or a negative errno value, with incast->message. */
int incast_run(struct incast *incast, const struct incast_options *options);

#endif
