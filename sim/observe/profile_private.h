/* SPDX-License-Identifier: MIT */
/* Shared by the files that count and write profiles; not for others. */
#ifndef SIM_OBSERVE_PROFILE_PRIVATE_H
#define SIM_OBSERVE_PROFILE_PRIVATE_H

#include "sim/observe/profile.h"

#define TIGON_PROFILE_CORES 2

/* One chain of calls. */
struct tigon_profile_node {
    const struct tigon_executed *function;
    uint32_t parent; /* 0: the core's root */
    uint32_t child;  /* the last one made; 0: none */
    uint32_t sibling;
    uint32_t site; /* of the call */
    uint64_t calls;
    struct tigon_cost own;
    struct tigon_cost inclusive; /* filled in by tigon_profile_sum_up */
};

struct tigon_profile_place {
    struct tigon_cost cost;
    const struct tigon_executed *function;
};

struct tigon_profile_core {
    struct tigon_profile_node *nodes; /* a child is behind its parent */
    size_t count;
    uint32_t current;
    uint32_t uncounted;                 /* calls made where no node was left */
    struct tigon_profile_place *places; /* by word */
    uint32_t *addresses;                /* of the word, as executed */
};

struct tigon_profile {
    struct tigon_execution *execution;
    struct tigon_profile_core core[TIGON_PROFILE_CORES];
};

static inline void tigon_cost_add(struct tigon_cost *sum, const struct tigon_cost *cost) {
    sum->instructions += cost->instructions;
    sum->cycles += cost->cycles;
    sum->stalls += cost->stalls;
    sum->idle += cost->idle;
}

static inline uint64_t tigon_cost_busy(const struct tigon_cost *cost) {
    return cost->cycles > cost->idle ? cost->cycles - cost->idle : 0;
}

/* Computes for all nodes of a core the cost including the nodes below them. */
void tigon_profile_sum_up(const struct tigon_profile_core *core);

#endif
