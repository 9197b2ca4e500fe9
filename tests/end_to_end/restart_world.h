/* SPDX-License-Identifier: MIT */
/* Worlds in which a board is loaded anew at a chosen moment of an exchange of two messages of three
 * frames, one each way: what had begun must end, be it by an error, and what is sent afterwards
 * must arrive as if nothing had happened (papers.md G14; the models search the same in the check
 * `restart_again` and its like). */
#ifndef TESTS_END_TO_END_RESTART_WORLD_H
#define TESTS_END_TO_END_RESTART_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* What became of one of the two messages, by what the surviving node knows. */
enum restart_message {
    RESTART_COMPLETE, /* it was finished when the board went down, or its acknowledgement was under
                         way */
    RESTART_LOST,     /* its request ended with -ECONNRESET */
    RESTART_NEW,      /* the receive was still posted and took the first message of the new life */
    RESTART_MESSAGES
};

struct restart {
    /* How the world is: set by the caller. */
    unsigned board;     /* which one is loaded anew: 0 or 1 */
    bool strangers;     /* the boards have never heard of each other when the exchange begins */
    uint64_t moment_ns; /* when, since both messages were posted */
    double loss;
    uint64_t seed;

    /* What became of it. */
    int error; /* 0: all is as it must be; the report says what is not */
    enum restart_message sent, received;
    bool late;       /* what was sent before reached the new life, the first to answer the sender */
    uint64_t end_ns; /* of the exchange since it was posted, in a world without a restart */
    char report[4096]; /* for people */
};

/* Runs the world without a restart, for restart->end_ns. */
void restart_measure(struct restart *restart);

void restart_run(struct restart *restart);

#endif
