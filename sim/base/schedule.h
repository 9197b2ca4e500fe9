/* SPDX-License-Identifier: MIT */
/*
 * The queue of events. Events are members of their owners; the queue has their times in order,
 * beside pointers to them.
 *
 * The events of the near future are in an array with the earliest at its end: a world of two boards
 * has about twenty events, most new events are due soon, and for so few an array is faster than a
 * heap. When the array is full, its later half moves to a heap of later events (far), so that the
 * cost of an event grows with the logarithm of their number.
 *
 * Tie-break: two events of the same tick fire in the order in which they were scheduled. An event
 * is in at most one schedule and at most once; scheduling it again moves it behind the events of
 * the same tick.
 */
#ifndef SIM_SCHEDULE_H
#define SIM_SCHEDULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tigon_event;
typedef void (*tigon_event_function)(void *context, uint64_t ticks);

struct tigon_event {
    uint64_t ticks;
    tigon_event_function function;
    void *context;
    bool pending;
    size_t far;     /* place in the heap of later events, from 1; 0: in the array */
    uint64_t order; /* in the heap: of events of the same tick */
};

struct tigon_schedule_entry {
    uint64_t ticks;
    struct tigon_event *event;
};

struct tigon_schedule {
    /* The events up to entries[0].ticks, the latest first. [0] is no event: its time is that from
     * which on new events belong into the heap, UINT64_MAX while that is empty. */
    struct tigon_schedule_entry *entries;
    struct tigon_schedule_entry *earliest; /* also the end; [0] when there are none at all */
    struct tigon_schedule_entry *last;     /* for which there is room */

    struct tigon_event **far; /* [1] is the earliest */
    size_t far_count, far_capacity;
    uint64_t order_from_array; /* counts down: those are earlier than all in the heap */
    uint64_t order_of_new;     /* counts up */

    /* Called when the earliest time moved forward to `ticks`, so that a run towards the old one can
     * stop in time. May be NULL. */
    void (*earlier)(void *context, uint64_t ticks);
    void *earlier_context;
};

void tigon_schedule_initialise(struct tigon_schedule *schedule);
void tigon_schedule_free(struct tigon_schedule *schedule); /* drops the events, not their memory */

/* An event not scheduled, which will call function(context, its ticks). */
void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context);

void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks);
void tigon_schedule_cancel(struct tigon_schedule *schedule, struct tigon_event *event);

static inline bool tigon_event_pending(const struct tigon_event *event) {
    return event->pending;
}

/* Time of the earliest event, TIGON_NEVER when there is none. */
static inline uint64_t tigon_schedule_next(const struct tigon_schedule *schedule) {
    return schedule->earliest->ticks;
}

/* The array is empty: fills it from the heap. */
void tigon_schedule_refill(struct tigon_schedule *schedule);

/* Takes the earliest event out and calls it. The schedule must not be empty. */
static inline void tigon_schedule_fire(struct tigon_schedule *schedule) {
    struct tigon_event *event = (schedule->earliest--)->event;
    event->pending = false;
    if (__builtin_expect(schedule->earliest == schedule->entries, 0))
        tigon_schedule_refill(schedule);
    event->function(event->context, event->ticks);
}

#endif
