/* SPDX-License-Identifier: MIT */
/*
 * One node of the alternating-bit protocol (spec/abp/abp.hsm) as its runtime sees it: what comes
 * in, and what it asks for. Implemented twice, by node_generated.c around what hsmc makes of the
 * spec and by node_hand.c without it.
 *
 * Every event runs to completion. A program that wants both in it compiles them with different
 * NODE_PREFIX.
 */
#ifndef TESTS_OVERHEAD_NODE_H
#define TESTS_OVERHEAD_NODE_H

#include <stdbool.h>
#include <stdint.h>

#define NODE_FRAME_WORDS 5u

#ifndef NODE_PREFIX
#define NODE_PREFIX node_
#endif
#define NODE_PASTE(prefix, name) prefix##name
#define NODE_JOIN(prefix, name)  NODE_PASTE(prefix, name)
#define NODE(name)               NODE_JOIN(NODE_PREFIX, name)

/* What a test compares; the same for both, however they keep it. */
struct node_snapshot {
    bool waiting; /* for an acknowledgement */
    uint32_t sender_bit;
    uint32_t pending; /* 0 when nothing is */
    uint32_t expected_bit;
};

/* The events of the node whose functions begin with `prefix`:
 *   submit    the host has an item
 *   frame     a frame of another node has come, whose destination is ours
 *   timer     the timer armed by runtime_timer_arm has run out
 */
#define NODE_DECLARE(prefix)                                                                       \
    void NODE_PASTE(prefix, start)(void);                                                          \
    void NODE_PASTE(prefix, submit)(uint32_t item);                                                \
    void NODE_PASTE(prefix, frame)(const uint32_t words[NODE_FRAME_WORDS]);                        \
    void NODE_PASTE(prefix, timer)(void);                                                          \
    void NODE_PASTE(prefix, snapshot)(struct node_snapshot * snapshot);
#define NODE_DECLARE_OWN(prefix) NODE_DECLARE(prefix)
NODE_DECLARE_OWN(NODE_PREFIX)

#endif
