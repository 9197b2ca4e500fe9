/* SPDX-License-Identifier: MIT */
/* Worlds in which a board in heavy traffic is stopped, closed or started anew at a random moment:
 * once that function has returned, the board's former life reaches neither memory nor wire. */
#ifndef TESTS_END_TO_END_QUIET_WORLD_H
#define TESTS_END_TO_END_QUIET_WORLD_H

#include <stdint.h>

enum quiet_bus {
    QUIET_64_66,
    QUIET_32_33,
    QUIET_SLOW, /* 64/66 with a host that takes 60 MB/s of DMA writes */
    QUIET_BUSES
};

enum quiet_act {
    QUIET_STOP,         /* libemp_stop */
    QUIET_CLOSE,        /* libemp_close with requests posted */
    QUIET_START,        /* libemp_start by another handle */
    QUIET_START_FAILED, /* the same, which gives up before the firmware is ready */
    QUIET_IDLE,         /* libemp_close when all requests have ended, on a lossy wire */
    QUIET_ACTS
};

struct quiet {
    /* How the world is: set by the caller. */
    enum quiet_bus bus;
    enum quiet_act act;
    uint64_t seed;

    /* What became of it. After QUIET_IDLE the board runs on by contract: there only transfers that
     * touch registered memory count. */
    int error;              /* the world did not come to its end; the report says why */
    uint64_t late_writes;   /* DMA to the host that ended after the function had returned */
    uint64_t late_reads;    /* DMA from it */
    uint64_t late_frames;   /* whose last byte was sent after that */
    uint64_t cores_running; /* when nothing may run any more */
    uint64_t latest_ns;     /* the last of them, after the return */
    char report[4096];      /* for people */
};

const char *quiet_bus_name(enum quiet_bus bus);
const char *quiet_act_name(enum quiet_act act);

void quiet_run(struct quiet *quiet);

/* Whether something happened that must not. */
static inline int quiet_failed(const struct quiet *quiet) {
    return quiet->error || quiet->late_writes || quiet->late_reads || quiet->late_frames ||
           quiet->cores_running;
}

#endif
