/* SPDX-License-Identifier: MIT */
/*
 * Sorts the events of observers by time. Entries come a little out of order (see sim/observer.h)
 * and are held back until no earlier one can follow; memory is bounded by that time.
 *
 * Tie-break: tick, then source, then order of arrival. It does not depend on how far cores run
 * ahead.
 */
#ifndef SIM_OBSERVE_REORDER_H
#define SIM_OBSERVE_REORDER_H

#include <stddef.h>
#include <stdint.h>

struct tigon_reorder;

struct tigon_reorder_entry {
    uint64_t ticks;
    uint32_t source; /* entries of one source at one tick keep their order */
    uint64_t value;
    char *text;        /* freed after writing; NULL: none */
    uint64_t sequence; /* private */
};

typedef void (*tigon_reorder_write)(void *context, const struct tigon_reorder_entry *entry);

/* `horizon`: no entry comes later than this many ticks after its own. NULL: no memory. */
struct tigon_reorder *tigon_reorder_create(uint64_t horizon, tigon_reorder_write write,
                                           void *context);

/* Adds an entry (copied) at world time `now`, and writes those that are due. Returns 0 or -ENOMEM,
 * and then the entry is lost, and its text freed. */
int tigon_reorder_add(struct tigon_reorder *reorder, const struct tigon_reorder_entry *entry,
                      uint64_t now);

/* Entries that came too late and were written with the time of the one before. 0 unless a horizon
 * is wrong. */
uint64_t tigon_reorder_late(const struct tigon_reorder *reorder);

void tigon_reorder_flush(struct tigon_reorder *reorder); /* writes all */
void tigon_reorder_free(struct tigon_reorder *reorder);  /* without writing; NULL is allowed */

#endif
