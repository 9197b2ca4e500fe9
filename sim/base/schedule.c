/* SPDX-License-Identifier: MIT */
/* Event queue: see schedule.h. */
#include "sim/base/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/abort.h"

/* So many entries a new one passes one by one; if that was not all, halving finds its place. */
#define NEAR 16u

/* Stands before all entries, and is later. A new schedule has nothing else, and no room, so that it
 * is never written to. */
static struct tigon_schedule_entry never = {.ticks = UINT64_MAX};

void tigon_schedule_initialise(struct tigon_schedule *schedule) {
    *schedule = (struct tigon_schedule){.entries = &never, .earliest = &never, .last = &never};
}

void tigon_schedule_free(struct tigon_schedule *schedule) {
    for (struct tigon_schedule_entry *at = schedule->earliest; at != schedule->entries; at--)
        at->event->pending = false;
    if (schedule->entries != &never)
        free(schedule->entries);
    tigon_schedule_initialise(schedule);
}

void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context) {
    memset(event, 0, sizeof *event);
    event->function = function;
    event->context = context;
}

/* The first entry up to `end`, without it, that is not later than `ticks`; else `end`. */
static struct tigon_schedule_entry *find(const struct tigon_schedule *schedule,
                                         struct tigon_schedule_entry *end, uint64_t ticks) {
    struct tigon_schedule_entry *begin = schedule->entries + 1;
    while (begin < end) {
        struct tigon_schedule_entry *middle = begin + (end - begin) / 2;
        if (middle->ticks > ticks)
            begin = middle + 1;
        else
            end = middle;
    }
    return end;
}

static void move(struct tigon_schedule_entry *to, const struct tigon_schedule_entry *from,
                 const struct tigon_schedule_entry *end) {
    memmove(to, from, (size_t)(end - from) * sizeof *to);
}

static void take_out(struct tigon_schedule *schedule, const struct tigon_event *event) {
    struct tigon_schedule_entry *at = find(schedule, schedule->earliest + 1, event->ticks);
    while (at->event != event)
        at++;
    move(at, at + 1, schedule->earliest + 1);
    schedule->earliest--;
}

static void grow(struct tigon_schedule *schedule) {
    const size_t used = (size_t)(schedule->earliest - schedule->entries) + 1;
    const size_t capacity = used == 1 ? 64 : 2 * used;
    struct tigon_schedule_entry *entries = malloc(capacity * sizeof *entries);
    if (!entries)
        tigon_abort("out of memory for %zu events", capacity);
    memcpy(entries, schedule->entries, used * sizeof *entries);
    if (schedule->entries != &never)
        free(schedule->entries);
    schedule->entries = entries;
    schedule->earliest = entries + used - 1;
    schedule->last = entries + capacity - 1;
}

/* For an entry that belongs before `end`, which is free. */
static __attribute__((noinline)) void insert_far(struct tigon_schedule *schedule,
                                                 struct tigon_schedule_entry *end,
                                                 struct tigon_schedule_entry entry) {
    struct tigon_schedule_entry *place = find(schedule, end, entry.ticks);
    move(place + 1, place, end);
    *place = entry;
}

/* The general case: an event that is pending already, one too many, or one that is for never. */
static __attribute__((noinline)) void insert(struct tigon_schedule *schedule,
                                             struct tigon_event *event, uint64_t ticks) {
    const uint64_t earliest = tigon_schedule_next(schedule);
    if (event->pending)
        take_out(schedule, event);
    else if (schedule->earliest == schedule->last)
        grow(schedule);
    event->pending = true;
    event->ticks = ticks;
    insert_far(schedule, ++schedule->earliest, (struct tigon_schedule_entry){ticks, event});
    if (ticks < earliest && schedule->earlier)
        schedule->earlier(schedule->earlier_context, ticks);
}

/* Most events are among the next few. Whatever is called is called last, so that nothing need be
 * kept. */
void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    struct tigon_schedule_entry *at = schedule->earliest;
    if (event->pending || at == schedule->last || ticks == UINT64_MAX) {
        insert(schedule, event, ticks);
        return;
    }
    event->pending = true;
    event->ticks = ticks;
    schedule->earliest = at + 1;
    if (ticks < at->ticks) {
        at[1] = (struct tigon_schedule_entry){ticks, event};
        if (schedule->earlier)
            schedule->earlier(schedule->earlier_context, ticks);
        return;
    }
    for (unsigned near = NEAR; at->ticks <= ticks; at--) { /* [0] is later */
        if (near-- == 0) {
            insert_far(schedule, at + 1, (struct tigon_schedule_entry){ticks, event});
            return;
        }
        at[1] = at[0];
    }
    at[1] = (struct tigon_schedule_entry){ticks, event};
}

void tigon_schedule_cancel(struct tigon_schedule *schedule, struct tigon_event *event) {
    if (!event->pending)
        return;
    take_out(schedule, event);
    event->pending = false;
}
