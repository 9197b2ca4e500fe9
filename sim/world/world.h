/* SPDX-License-Identifier: MIT */
/* The world for the devices; the part for programs is in sim/tigon.h. */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/services.h"
#include "sim/tigon.h"

struct tigon_fault_set;

struct tigon_services *tigon_world_services(struct tigon_world *world);

/* For a debugger, which may block in these functions: the world is stopped meanwhile. */
struct tigon_world_guard {
    /* Before the first step of a run and then about once for each event; cores are between two
     * instructions. Cheap, please. */
    void (*turn)(void *context);
    /* A run has ended; tigon_world_run() has not yet returned its result. */
    void (*ended)(void *context, enum tigon_end end);
    void *context;
};

/* `guard` is not copied and must outlive its use; NULL removes it. */
void tigon_world_set_guard(struct tigon_world *world, const struct tigon_world_guard *guard);

/* The core on which the last run ended with a fault, or NULL. */
const struct tigon_board *tigon_world_faulted(const struct tigon_world *world, unsigned *core);
/* How far the last run came: as tigon_world_now_ticks(), or to the fault that ended it, which may
 * lie beyond the last event. */
uint64_t tigon_world_reached_ticks(const struct tigon_world *world);

struct tigon_fault_set *tigon_world_faults(const struct tigon_world *world);

#endif
