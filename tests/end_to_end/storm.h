/* SPDX-License-Identifier: MIT */
/* Messages both ways while each host takes its receives back at random: any of them, at any time,
 * alone or all at once, some that nobody will ever answer.
 *
 * Whatever happens: a cancelled receive leaves its memory as it was, the others hold, by tag and in
 * the order posted, the messages in the order sent, whole and nothing else; and at the end, when
 * all messages have come, every receive still posted can be had back. */
#ifndef TESTS_END_TO_END_STORM_H
#define TESTS_END_TO_END_STORM_H

#include "host/demo/pair.h"

struct storm {
    uint32_t seed;
    size_t messages;       /* each way */
    uint32_t one_in;       /* looks at a posted receive, until it is cancelled */
    uint64_t cancelled[2]; /* receives that ended so, by side */
    uint64_t late[2];      /* cancelled, and ended with their message */
    uint32_t too_late[2];  /* by the board's own count */
    uint32_t unmatched[2]; /* frames that found no receive */
};

/* Runs the storm in a fresh world and checks what stands above. 0, or a negative errno value after
 * telling why. */
int storm_try(struct storm *storm, const struct pair_options *options);

#endif
