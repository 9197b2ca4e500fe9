/* SPDX-License-Identifier: MIT */
/* Counts the frames of a wire by kind and fate, as a tap sees them. */
#ifndef HOST_DEMO_TRAFFIC_H
#define HOST_DEMO_TRAFFIC_H

#include "sim/tigon.h"

struct traffic {
    uint64_t frames;      /* all that were offered to the wire */
    uint64_t data_frames; /* of those, frames of messages */
    uint64_t acknowledgements;
    uint64_t negative_acknowledgements;
    uint64_t other;                 /* not this protocol's, or of no known kind */
    uint64_t lost;                  /* of `frames`, never delivered */
    uint64_t lost_acknowledgements; /* of those */
};

/* Starts counting both directions of a wire; `traffic` must outlive it. */
void traffic_watch(struct traffic *traffic, struct tigon_wire *wire);

#endif
