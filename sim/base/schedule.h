/* SPDX-License-Identifier: MIT */
/*
 * The queue of what happens when: the times of all events in order, beside pointers to the events,
 * which live inside their owners. A world has few events at a time, about ten for each board, and
 * most of them are made for soon: an array with the earliest at its end beats a heap.
 *
 * Two events of the same tick fire in the order in which they were scheduled; nothing else decides.
 * An event is in at most one schedule and at most once; scheduling it again moves it (and puts it
 * behind its equals).
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
};

struct tigon_schedule_entry {
    uint64_t ticks;
    struct tigon_event *event;
};

struct tigon_schedule {
    struct tigon_schedule_entry *entries;  /* [0] is never, and no event */
    struct tigon_schedule_entry *earliest; /* also the end; [0] when there are none */
    struct tigon_schedule_entry *last;     /* for which there is room */
    /* Called when the earliest time moved forward to `ticks`, so that whoever is running towards
     * the old one can stop in time. May be NULL. */
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

/* Takes the earliest event out and calls it. The schedule must not be empty. */
static inline void tigon_schedule_fire(struct tigon_schedule *schedule) {
    struct tigon_event *event = (schedule->earliest--)->event;
    event->pending = false;
    event->function(event->context, event->ticks);
}

#endif
