/*
 * Writes of a host on their way to its board. They arrive in the order in which they are made, each
 * at its tick.
 */
#ifndef SIM_HOST_POSTED_H
#define SIM_HOST_POSTED_H

#include <stddef.h>
#include <stdint.h>

#include "sim/schedule.h"

struct tigon_board;
struct tigon_posted_write;

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

/* `count` writes, at least one, to increasing offsets. The first arrives at `ticks`, the others
 * `spacing` apart, none before one added earlier. Of what happens at their ticks they come where
 * they would if they were added at `made`, which may be later than now if `ticks` is later still.
 */
void tigon_posted_add(struct tigon_posted *posted, uint64_t made, uint64_t ticks, uint64_t spacing,
                      uint32_t offset, const uint32_t *values, size_t count);

/* Takes back the `count` newest writes, which are made now or later; stores their values, the
 * oldest first. */
void tigon_posted_take_back(struct tigon_posted *posted, uint32_t *values, size_t count);

#endif
