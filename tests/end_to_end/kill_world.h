/* SPDX-License-Identifier: MIT */
/* Worlds in which a board, a host or something inside them breaks in the middle of an exchange: two
 * boards run the real firmware, and what becomes of it must be said by somebody. */
#ifndef TESTS_END_TO_END_KILL_WORLD_H
#define TESTS_END_TO_END_KILL_WORLD_H

#include <stdbool.h>
#include <stdint.h>

enum kill_kind {
    KILL_BOARD,
    KILL_RESET,
    KILL_HOST,
    KILL_CORE,
    KILL_DMA_FAILS,
    KILL_DMA_OFTEN_FAILS,
    KILL_DMA_HANGS,
    KILL_BIT,
    KILL_BITS,
    KILL_CABLE,
    KILL_EVENT,
    KILL_EVENT_FOR_GOOD,
    KILL_TIMER,
    KILL_KINDS
};

enum kill_outcome {
    KILL_UNHARMED,    /* every message arrived as sent */
    KILL_PROGRAM,     /* a program was told of an error by libemp and says so */
    KILL_TIMEOUT,     /* a program waited as long as it was ready to, and says so */
    KILL_DATA,        /* a program found that what it received is not what was sent */
    KILL_FAULT,       /* a core stopped on an error, and the simulator says where */
    KILL_WAITING,     /* the time limit; the report says which program waits for what */
    KILL_ASLEEP,      /* nothing will ever happen; the report says the same */
    KILL_UNEXPLAINED, /* none of these, or a report that does not say it: a defect */
    KILL_OUTCOMES
};

struct kill {
    uint64_t seed;
    enum kill_kind kind;
    char fault[160]; /* as text of sim/fault.h */
    bool hit;
    enum kill_outcome outcome;
    int error; /* of the programs */
    uint64_t ended_ns;
    char report[4096]; /* for people */
};

const char *kill_kind_name(enum kill_kind kind);
const char *kill_outcome_name(enum kill_outcome outcome);

/* Runs the world of this seed, whose kind and moment come from the seed; KILL_KINDS as `kind` lets
 * the seed choose. */
void kill_run(uint64_t seed, enum kill_kind kind, struct kill *kill);

#endif
