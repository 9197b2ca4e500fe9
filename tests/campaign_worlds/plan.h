/* SPDX-License-Identifier: MIT */
/*
 * What happens in one world of the campaign: all of it follows from the seed, unless knobs are set.
 */
#ifndef TESTS_CAMPAIGN_WORLDS_PLAN_H
#define TESTS_CAMPAIGN_WORLDS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "emp_layout.h"

#define WORLD_NODES    EMP_NODE_LIMIT
#define WORLD_REQUESTS 64u /* sends, and receives, of a node */
/* In a large world a node exchanges messages with so many on either side of it, as if all were in a
 * ring; or so many, one of them the receiver, are an incast. There must be receives for each. */
#define WORLD_REACH   15u
#define WORLD_INCAST  (2 * WORLD_REACH + 1)
#define WORLD_LONGEST 65536u /* message */
/* What a crystal may be wrong by. Never 0: `paper` has one time-out for all, so clocks that agree
 * may repeat the same collision for ever. */
#define WORLD_CLOCK_PPM 100u

/* Names are those of the command line, NAME=VALUE. Chances are parts of a million. */
#define PLAN_KNOBS(KNOB)                                                                           \
    KNOB(nodes)              /* 2 to WORLD_NODES */                                                \
    KNOB(messages)           /* of the whole world */                                              \
    KNOB(longest)            /* message, bytes */                                                  \
    KNOB(wildcard_chance)    /* of a million receives; only where the profile has them */          \
    KNOB(tags)               /* 1 to 8 */                                                          \
    KNOB(sends_ahead)        /* posted and not finished, of each node */                           \
    KNOB(receives_ahead)     /* of each pair of nodes, at least 2 */                               \
    KNOB(incast)             /* 1: all send to node 0 */                                           \
    KNOB(through_switch)     /* 0: each pair of nodes has a wire of its own */                     \
    KNOB(switch_frames)      /* that wait for a node at most */                                    \
    KNOB(wire_ns)            /* of a frame on its way, besides its length */                       \
    KNOB(event_ns)           /* a board needs for an event, about */                               \
    KNOB(clock_ppm)          /* boards' clocks are wrong by at most */                             \
    KNOB(look_ns)            /* a host looks at its board so often, about */                       \
    KNOB(late_devices)       /* 1: of waiting events any is next, not the most urgent */           \
    KNOB(collection_size)    /* frames for an acknowledgement */                                   \
    KNOB(cancel_chance)      /* of a receive, at each look */                                      \
    KNOB(cancel_send_chance) /* of a send, at each look; only where the profile cancels sends */   \
    KNOB(short_chance)       /* of a receive shorter than its message */                           \
    KNOB(restarts)           /* of nodes */                                                        \
    KNOB(faulty_messages)    /* faults end when so many are posted */                              \
    KNOB(loss)                                                                                     \
    KNOB(burst_enter)                                                                              \
    KNOB(burst_leave)                                                                              \
    KNOB(duplicate)                                                                                \
    KNOB(corrupt) /* found by the frame's checksum */                                              \
    KNOB(damage)  /* not found by it; only where frames have checks of their own */                \
    KNOB(delay)   /* past later frames */                                                          \
    KNOB(delay_ns)                                                                                 \
    /* Of simulated boards only. */                                                                \
    KNOB(switches) /* in a tree; 0: two boards on one wire */                                      \
    KNOB(fault_us) /* faults change so often */                                                    \
    KNOB(reorder)                                                                                  \
    KNOB(reorder_by) /* later frames at most */                                                    \
    KNOB(truncate)                                                                                 \
    KNOB(lengthen)                                                                                 \
    KNOB(holes)   /* times in which all frames are lost */                                         \
    KNOB(unplugs) /* times in which the link is down */                                            \
    KNOB(pauses)  /* PAUSE frames out of nowhere */                                                \
    KNOB(hides)   /* times in which an event of the chip does not show */                          \
    KNOB(jumps)   /* of clocks, forwards */                                                        \
    KNOB(cut_us)  /* length of each of these times, of a pause, of a jump */

struct plan {
    uint64_t seed;
#define PLAN_FIELD(name) uint32_t name;
    PLAN_KNOBS(PLAN_FIELD)
#undef PLAN_FIELD
};

void plan_draw(struct plan *plan, uint64_t seed, uint32_t messages);

/* Sets a knob by a text NAME=VALUE. False: no such name, or no number. */
bool plan_set(struct plan *plan, const char *text);

/* To how many others a node may send. */
uint32_t plan_partners(const struct plan *plan);

/* After all knobs are set: puts each into its range. */
void plan_complete(struct plan *plan);

/* All knobs as JSON, {"nodes": 2, ...}. */
void plan_print(const struct plan *plan);

#endif
