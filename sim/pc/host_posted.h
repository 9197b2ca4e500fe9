/* SPDX-License-Identifier: MIT */
/*
 * Writes of a host on their way to its board. They arrive in the order in which they are made, each
 * at its tick.
 */
#ifndef SIM_HOST_POSTED_H
#define SIM_HOST_POSTED_H

#include <stddef.h>
#include <stdint.h>

#include "sim/base/schedule.h"

struct tigon_board;

struct tigon_posted_write {
    uint64_t made;
    uint64_t ticks;
    uint32_t offset;
    uint32_t value;
};

struct tigon_posted {
    struct tigon_board *board;
    struct tigon_posted_write *writes; /* ring buffer, oldest at `first` */
    size_t first;
    size_t count;
    size_t capacity; /* a power of two, or 0 */
    uint64_t last;   /* tick at which the newest arrives */
    struct tigon_event arrival;
};

void tigon_posted_initialise(struct tigon_posted *posted, struct tigon_board *board);
void tigon_posted_free(struct tigon_posted *posted);

/* Room for more. */
__attribute__((cold)) void tigon_posted_grow(struct tigon_posted *posted);

/* The oldest write is new. */
void tigon_posted_expect(struct tigon_posted *posted);

/* The write `after` the oldest one. */
static inline struct tigon_posted_write *tigon_posted_write_after(const struct tigon_posted *posted,
                                                                  size_t after) {
    return &posted->writes[(posted->first + after) & (posted->capacity - 1)];
}

/* `count` writes, at least one, to increasing offsets. The first arrives at `ticks`, the others
 * `spacing` apart, none before one added earlier. Among events of the same tick they come as if
 * they were added at `made`, which may be later than now if `ticks` is later still. */
static inline void tigon_posted_add(struct tigon_posted *posted, uint64_t made, uint64_t ticks,
                                    uint64_t spacing, uint32_t offset, const uint32_t *values,
                                    size_t count) {
    const size_t before = posted->count;
    if (before == 0)
        posted->first = 0; /* more likely in the cache than entries not written for long */
    while (__builtin_expect(posted->capacity - before < count, 0))
        tigon_posted_grow(posted);
    if (ticks < posted->last)
        ticks = posted->last; /* a bus keeps posted writes in order */
    posted->last = ticks + (count - 1) * spacing;
    for (size_t i = 0; i < count; i++, ticks += spacing, offset += 4)
        *tigon_posted_write_after(posted, before + i) =
            (struct tigon_posted_write){made, ticks, offset, values[i]};
    posted->count = before + count;
    if (before == 0)
        tigon_posted_expect(posted);
}

/* Takes back the `count` newest writes, which are made now or later; stores their values, the
 * oldest first. */
void tigon_posted_take_back(struct tigon_posted *posted, uint32_t *values, size_t count);

#endif
