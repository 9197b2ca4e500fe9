/* Event queue: see schedule.h. */
#include "sim/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/abort.h"

/* So many entries a new one passes one by one; if that was not all, halving finds its place. */
#define NEAR 16u

void tigon_schedule_initialise(struct tigon_schedule *schedule) {
    memset(schedule, 0, sizeof *schedule);
    schedule->next = UINT64_MAX;
}

void tigon_schedule_free(struct tigon_schedule *schedule) {
    for (size_t i = 0; i < schedule->count; i++)
        schedule->entries[i].event->pending = false;
    free(schedule->entries);
    tigon_schedule_initialise(schedule);
}

void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context) {
    memset(event, 0, sizeof *event);
    event->function = function;
    event->context = context;
}

static void note_next(struct tigon_schedule *schedule) {
    schedule->next = schedule->count ? schedule->entries[schedule->count - 1].ticks : UINT64_MAX;
}

/* How many of the first `end` entries are later than `ticks`. */
static size_t later_than(const struct tigon_schedule *schedule, size_t end, uint64_t ticks) {
    size_t begin = 0;
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (schedule->entries[middle].ticks > ticks)
            begin = middle + 1;
        else
            end = middle;
    }
    return end;
}

static void put_in(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    struct tigon_schedule_entry *entries = schedule->entries;
    size_t at = schedule->count++;
    const size_t far = at > NEAR ? at - NEAR : 0;
    for (; at > far && entries[at - 1].ticks <= ticks; at--)
        entries[at] = entries[at - 1];
    if (at == far && far) {
        const size_t place = later_than(schedule, far, ticks);
        memmove(&entries[place + 1], &entries[place], (far - place) * sizeof *entries);
        at = place;
    }
    entries[at] = (struct tigon_schedule_entry){ticks, event};
}

static void take_out(struct tigon_schedule *schedule, const struct tigon_event *event) {
    struct tigon_schedule_entry *entries = schedule->entries;
    size_t at = later_than(schedule, schedule->count, event->ticks);
    while (entries[at].event != event)
        at++;
    schedule->count--;
    memmove(&entries[at], &entries[at + 1], (schedule->count - at) * sizeof *entries);
}

static void grow(struct tigon_schedule *schedule) {
    schedule->capacity = schedule->capacity ? schedule->capacity * 2 : 64;
    schedule->entries =
        realloc(schedule->entries, schedule->capacity * sizeof(struct tigon_schedule_entry));
    if (!schedule->entries)
        tigon_abort("out of memory for %zu events", schedule->capacity);
}

void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    const uint64_t earliest = schedule->next;
    if (event->pending)
        take_out(schedule, event);
    else if (schedule->count == schedule->capacity)
        grow(schedule);
    event->pending = true;
    event->ticks = ticks;
    put_in(schedule, event, ticks);
    note_next(schedule);
    if (ticks < earliest && schedule->earlier)
        schedule->earlier(schedule->earlier_context, ticks);
}

void tigon_schedule_cancel(struct tigon_schedule *schedule, struct tigon_event *event) {
    if (!event->pending)
        return;
    event->pending = false;
    take_out(schedule, event);
    note_next(schedule);
}

void tigon_schedule_fire(struct tigon_schedule *schedule) {
    struct tigon_event *event = schedule->entries[--schedule->count].event;
    event->pending = false;
    note_next(schedule);
    event->function(event->context, event->ticks);
}
