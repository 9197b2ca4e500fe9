/* SPDX-License-Identifier: MIT */
/* What programs of tests say when something is not as it must be: the line, and libemp's own words.
 */
#ifndef TESTS_END_TO_END_NEED_H
#define TESTS_END_TO_END_NEED_H

#include "host/demo/pair.h"

#include <errno.h>
#include <stdio.h>

static inline int need_failed(struct pair_side *side, int line) {
    (void)snprintf(side->message, sizeof side->message, "line %d: %s", line,
                   side->board ? libemp_message(side->board) : "");
    return -EBADMSG;
}

/* For a pair_program and what it calls, whose first argument is `side`: ends it unless this holds.
 */
#define need(condition)                                                                            \
    do {                                                                                           \
        if (!(condition))                                                                          \
            return need_failed(side, __LINE__);                                                    \
    } while (0)

#endif
