/* SPDX-License-Identifier: MIT */
/* The cost of hostile frames to an honest stream.
 *
 * A stream of messages of 64 kB goes from node 0 to node 1, which has posted hundreds of receives
 * for others. The attacker, on a port of its own of the switch, repeats one frame that is refused:
 * a header that matches no receive, or a DATA frame of another contact. */
#ifndef TESTS_ATTACK_GOODPUT_H
#define TESTS_ATTACK_GOODPUT_H

#include "tests/attack/world.h"

enum { GOODPUT_UNKNOWN_NODE = EMP_NODE_LIMIT - 1 };

struct goodput_flood {
    bool data;
    unsigned sender;      /* node number in the frames; that of the attacker's own node is known */
    uint64_t interval_ns; /* between frames; 0: none */
};

/* What the stream keeps under the flood, in MB/s; 0 with a word in `result` if the world fails. The
 * boards run `image`. `profile` names a file for their functions' cycles, as in `struct
 * tigon_observation_options`; NULL: none, which is faster. */
double goodput_under(const struct goodput_flood *flood, const char *image, const char *profile,
                     uint64_t seed, struct world_result *result);

#endif
