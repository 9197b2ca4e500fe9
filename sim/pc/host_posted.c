/* SPDX-License-Identifier: MIT */
/*
 * Posted writes: see host_posted.h.
 *
 * Tie-break: of events of the same tick the one scheduled first comes first. So the event of an
 * arrival is scheduled when the write is made, or when the one before it has arrived if that is
 * later, although a program that runs ahead adds it earlier.
 */
#include "sim/pc/host_posted.h"

#include <stdlib.h>

#include "sim/base/abort.h"
#include "sim/chip/board.h"

/* The oldest write is the next to arrive from now on. */
static inline void expect_first(struct tigon_posted *posted, uint64_t now) {
    const struct tigon_posted_write *first = tigon_posted_write_after(posted, 0);
    tigon_schedule_at(posted->board->schedule, &posted->arrival,
                      first->made > now ? first->made : first->ticks);
}

static void arrive(void *context, uint64_t ticks) {
    struct tigon_posted *posted = context;
    const struct tigon_posted_write write = *tigon_posted_write_after(posted, 0);
    if (__builtin_expect(ticks < write.ticks, 0)) { /* it is made */
        tigon_schedule_at(posted->board->schedule, &posted->arrival, write.ticks);
        return;
    }
    posted->first++;
    if (--posted->count != 0)
        expect_first(posted, ticks);
    posted->board->now = ticks;
    tigon_window_host_write(posted->board, write.offset, write.value);
}

void tigon_posted_grow(struct tigon_posted *posted) {
    const size_t capacity = posted->capacity ? posted->capacity * 2 : 64;
    struct tigon_posted_write *larger = malloc(capacity * sizeof *larger);
    if (!larger)
        tigon_abort("out of memory for posted writes");
    for (size_t i = 0; i < posted->count; i++)
        larger[i] = *tigon_posted_write_after(posted, i);
    free(posted->writes);
    posted->writes = larger;
    posted->first = 0;
    posted->capacity = capacity;
}

void tigon_posted_expect(struct tigon_posted *posted) {
    expect_first(posted, *posted->board->clock);
}

void tigon_posted_take_back(struct tigon_posted *posted, uint32_t *values, size_t count) {
    posted->count -= count;
    for (size_t i = 0; i < count; i++)
        values[i] = tigon_posted_write_after(posted, posted->count + i)->value;
    /* Writes that have arrived are not later than any write that may still be added. */
    posted->last = posted->count ? tigon_posted_write_after(posted, posted->count - 1)->ticks : 0;
    if (posted->count == 0)
        tigon_schedule_cancel(posted->board->schedule, &posted->arrival);
}

void tigon_posted_initialise(struct tigon_posted *posted, struct tigon_board *board) {
    *posted = (struct tigon_posted){.board = board};
    tigon_event_initialise(&posted->arrival, arrive, posted);
}

void tigon_posted_free(struct tigon_posted *posted) {
    tigon_schedule_cancel(posted->board->schedule, &posted->arrival);
    free(posted->writes);
}
