/* Event queue: see schedule.h. */
#include "sim/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/abort.h"

/* So many entries a new one passes one by one; if that was not all, halving finds its place. */
#define NEAR 16u

/* Stands before the first entry: later than all. An empty schedule has nothing else, and no
 * capacity, so that it is never written to. */
static struct tigon_schedule_entry never = {.ticks = UINT64_MAX};

void tigon_schedule_initialise(struct tigon_schedule *schedule) {
    *schedule = (struct tigon_schedule){.entries = &never};
}

void tigon_schedule_free(struct tigon_schedule *schedule) {
    for (size_t i = 1; i <= schedule->count; i++)
        schedule->entries[i].event->pending = false;
    if (schedule->capacity)
        free(schedule->entries);
    tigon_schedule_initialise(schedule);
}

void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context) {
    memset(event, 0, sizeof *event);
    event->function = function;
    event->context = context;
}

/* The place of the first of `count` entries that is not later than `ticks`, or the one after them.
 */
static size_t find(const struct tigon_schedule *schedule, size_t count, uint64_t ticks) {
    size_t begin = 1, end = count + 1;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (schedule->entries[middle].ticks > ticks)
            begin = middle + 1;
        else
            end = middle;
    }
    return end;
}

static void take_out(struct tigon_schedule *schedule, const struct tigon_event *event) {
    struct tigon_schedule_entry *entries = schedule->entries;
    size_t at = find(schedule, schedule->count, event->ticks);
    while (entries[at].event != event)
        at++;
    memmove(&entries[at], &entries[at + 1], (schedule->count - at) * sizeof *entries);
    schedule->count--;
}

static void grow(struct tigon_schedule *schedule) {
    const size_t capacity = schedule->capacity ? schedule->capacity * 2 : 64;
    struct tigon_schedule_entry *entries =
        realloc(schedule->capacity ? schedule->entries : NULL, (capacity + 1) * sizeof *entries);
    if (!entries)
        tigon_abort("out of memory for %zu events", capacity);
    entries[0] = never;
    schedule->entries = entries;
    schedule->capacity = capacity;
}

/* For an event that may be pending already, or one too many. */
static __attribute__((noinline)) void make_room(struct tigon_schedule *schedule,
                                                const struct tigon_event *event) {
    if (event->pending)
        take_out(schedule, event);
    else
        grow(schedule);
}

/* For an entry that belongs to before `at`; returns its place. */
static __attribute__((noinline)) size_t shift_far(struct tigon_schedule *schedule, size_t at,
                                                  uint64_t ticks) {
    struct tigon_schedule_entry *entries = schedule->entries;
    const size_t place = find(schedule, at - 1, ticks);
    memmove(&entries[place + 1], &entries[place], (at - place) * sizeof *entries);
    return place;
}

void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    const uint64_t earliest = tigon_schedule_next(schedule);
    if (event->pending || schedule->count == schedule->capacity)
        make_room(schedule, event);
    event->pending = true;
    event->ticks = ticks;
    struct tigon_schedule_entry *entries = schedule->entries;
    size_t at = ++schedule->count;
    const size_t far = at > NEAR ? at - NEAR : 1;
    for (; at > far && entries[at - 1].ticks <= ticks; at--)
        entries[at] = entries[at - 1];
    if (at == far && far > 1)
        at = shift_far(schedule, at, ticks);
    entries[at] = (struct tigon_schedule_entry){ticks, event};
    if (ticks < earliest && schedule->earlier)
        schedule->earlier(schedule->earlier_context, ticks);
}

void tigon_schedule_cancel(struct tigon_schedule *schedule, struct tigon_event *event) {
    if (!event->pending)
        return;
    take_out(schedule, event);
    event->pending = false;
}

void tigon_schedule_fire(struct tigon_schedule *schedule) {
    struct tigon_event *event = schedule->entries[schedule->count--].event;
    event->pending = false;
    event->function(event->context, event->ticks);
}
