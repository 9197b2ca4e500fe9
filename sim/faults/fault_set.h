/* SPDX-License-Identifier: MIT */
/* The faults of a world, for the world, wires and boards; the part for programs is in sim/fault.h.
 */
#ifndef SIM_FAULT_SET_H
#define SIM_FAULT_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fault.h"
#include "sim/base/random.h"
#include "sim/base/schedule.h"

struct tigon_installed_fault;
struct tigon_services;

struct tigon_fault_set { /* one per world */
    struct tigon_services *services;
    uint64_t seed;
    struct tigon_installed_fault **faults;
    size_t count;
    size_t capacity;
};

/* A fault where it acts: in the list of a direction of a wire or of a board. */
struct tigon_installed_fault {
    struct tigon_fault fault;
    struct tigon_installed_fault *next; /* of the same place, in the order of adding */
    struct tigon_fault_set *set;
    uint64_t number; /* in the world */
    uint64_t hits;
    uint64_t last_hit; /* tick */
    bool on;

    /* Faults in time */
    struct tigon_event event; /* the next beginning or end */
    uint64_t begin;           /* tick, TIGON_NEVER for none */
    uint64_t end;
    uint64_t occurrences; /* begun */

    bool bad; /* state of LOSE_IN_BURSTS */
};

struct tigon_fault_set *tigon_fault_set_create(struct tigon_services *services, uint64_t seed);
void tigon_fault_set_destroy(struct tigon_fault_set *set);

/* Tells the observers. */
void tigon_fault_tell(struct tigon_fault_set *set, const struct tigon_fault_event *event);

/* Counts a hit of this fault and notifies the observers. */
void tigon_fault_hit(struct tigon_installed_fault *installed, uint64_t ticks, uint64_t number,
                     const char *what);

/* Whether the fault is active and hits frame or transfer `number`; `random` is then the generator
 * for its details, independent of earlier events. */
bool tigon_fault_meets(const struct tigon_installed_fault *installed, uint64_t number,
                       struct tigon_random *random);

/* The generator for occurrence, frame or transfer `number` of this fault. */
struct tigon_random tigon_fault_random(const struct tigon_installed_fault *installed,
                                       uint64_t number);

/* Whether the fields of the fault fit together. */
bool tigon_fault_possible(const struct tigon_fault *fault);

/* The effect of faults on a DMA transfer. */
struct tigon_dma_fate {
    uint32_t attention; /* fail with these bits; 0: do not */
    bool hang;
};
struct tigon_dma_fate tigon_faults_of_dma(struct tigon_installed_fault *first, unsigned engine,
                                          uint64_t number, uint64_t ticks);

/* One line per fault that did something, the text ended as snprintf ends it. Returns characters
 * that it wanted to write. */
int tigon_fault_set_describe(const struct tigon_fault_set *set, char *text, size_t bytes);

#endif
