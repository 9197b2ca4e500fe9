/* SPDX-License-Identifier: MIT */
/* Many boards on one switch. Each board has a host of its own. The host loads the firmware, enters
 * the addresses of its peers, waits for the link and then runs a program over libemp. A pair
 * (pair.h) offers faults, traces and named sides besides.
 */
#ifndef HOST_DEMO_CROWD_H
#define HOST_DEMO_CROWD_H

#include "host/emp/libemp.h"

#include "sim/tigon.h"

enum { CROWD_LIMIT = 256 };

struct crowd;
struct crowd_member;

struct crowd_options {
    const char *image;
    struct tigon_knobs knobs;
    struct libemp_costs costs;
    uint64_t seed;
    unsigned boards;                  /* at most CROWD_LIMIT */
    uint16_t (*node)(unsigned index); /* node number of a board */
    bool (*knows)(unsigned index,
                  unsigned other); /* whether a board sends to or receives from another */
    /* What a member runs. If it returns, for whatever reason, the world stops. */
    int (*program)(struct crowd_member *member, void *argument);
    void *argument;
};

struct crowd_member {
    struct crowd *crowd;
    unsigned index;
    struct tigon_board *hardware;
    struct tigon_host *host;
    struct libemp_board *board;
};

struct crowd {
    struct crowd_options options;
    struct tigon_world *world;
    struct board_image *image;
    struct tigon_switch *box;
    unsigned ready;    /* members that have called crowd_ready */
    int error;         /* of the first program that returned one */
    char message[256]; /* that program's complaint */
    struct crowd_member member[CROWD_LIMIT];
};

/* The defaults of a pair: firmware, knobs, costs and seed. The caller fills in the rest. */
void crowd_options_defaults(struct crowd_options *options);

/* Makes world, switch and boards, and starts the programs; time does not pass yet. 0 or a negative
 * errno value. Close with crowd_close, also after a failure. */
int crowd_open(struct crowd *crowd, const struct crowd_options *options);
void crowd_close(struct crowd *crowd);

/* [program] Reports that this member has begun what is to be measured. To be called once; stops the
 * world when all members have. */
void crowd_ready(struct crowd_member *member);

/* Lets time pass until all members are ready. 0, or a negative errno value with crowd->message. */
int crowd_run_until_ready(struct crowd *crowd, uint64_t limit_ns);

/* Lets time pass. 0, or a negative errno value if a program has ended or failed meanwhile. */
int crowd_run_for(struct crowd *crowd, uint64_t duration_ns);

#endif
