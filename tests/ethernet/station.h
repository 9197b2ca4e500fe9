/* SPDX-License-Identifier: MIT */
/* A host program that starts its board, waits for the link and exchanges numbered frames with other
 * stations, which need not be in the same process. */
#ifndef ETHERNET_STATION_H
#define ETHERNET_STATION_H

#include "tests/ethernet/traffic.h"

struct station {
    /* Set by whoever starts it, and of `traffic` peers, burst, gap_ns, quiet_ns and over */
    struct ethernet_options options;
    const struct image *image;
    struct traffic_plan plan;
    uint64_t settle_ns; /* from the link to the first frame: others have none yet */

    /* Results */
    struct ethernet ethernet;
    struct traffic traffic; /* traffic_free */
    char error[200];
};

/* The program: 0 when the board started and nothing wrong was received; frames may be missing. */
int station_program(struct tigon_host *host, void *station);

#endif
