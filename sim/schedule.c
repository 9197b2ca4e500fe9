/* Event queue: see schedule.h. */
#include "sim/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/abort.h"

void tigon_schedule_initialise(struct tigon_schedule *schedule) {
    memset(schedule, 0, sizeof *schedule);
}

void tigon_schedule_free(struct tigon_schedule *schedule) {
    for (size_t i = 1; i <= schedule->count; i++)
        schedule->heap[i]->position = 0;
    free(schedule->heap);
    memset(schedule, 0, sizeof *schedule);
}

void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context) {
    memset(event, 0, sizeof *event);
    event->function = function;
    event->context = context;
}

static bool before(const struct tigon_event *a, const struct tigon_event *b) {
    return a->ticks != b->ticks ? a->ticks < b->ticks : a->order < b->order;
}

static void place(struct tigon_schedule *schedule, struct tigon_event *event, size_t position) {
    schedule->heap[position] = event;
    event->position = position;
}

static void sift_up(struct tigon_schedule *schedule, struct tigon_event *event, size_t position) {
    while (position > 1 && before(event, schedule->heap[position / 2])) {
        place(schedule, schedule->heap[position / 2], position);
        position /= 2;
    }
    place(schedule, event, position);
}

static void sift_down(struct tigon_schedule *schedule, struct tigon_event *event, size_t position) {
    for (;;) {
        size_t child = position * 2;
        if (child > schedule->count)
            break;
        if (child < schedule->count && before(schedule->heap[child + 1], schedule->heap[child]))
            child++;
        if (!before(schedule->heap[child], event))
            break;
        place(schedule, schedule->heap[child], position);
        position = child;
    }
    place(schedule, event, position);
}

static void settle(struct tigon_schedule *schedule, struct tigon_event *event, size_t position) {
    if (position > 1 && before(event, schedule->heap[position / 2]))
        sift_up(schedule, event, position);
    else
        sift_down(schedule, event, position);
}

void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    const uint64_t earliest = tigon_schedule_next(schedule);
    event->ticks = ticks;
    event->order = schedule->order++;
    if (event->position) {
        settle(schedule, event, event->position);
    } else {
        if (schedule->count + 1 >= schedule->capacity) {
            schedule->capacity = schedule->capacity ? schedule->capacity * 2 : 64;
            schedule->heap =
                realloc(schedule->heap, schedule->capacity * sizeof(struct tigon_event *));
            if (!schedule->heap)
                tigon_abort("out of memory for %zu events", schedule->capacity);
        }
        schedule->count++;
        sift_up(schedule, event, schedule->count);
    }
    if (ticks < earliest && schedule->earlier)
        schedule->earlier(schedule->earlier_context, ticks);
}

void tigon_schedule_cancel(struct tigon_schedule *schedule, struct tigon_event *event) {
    const size_t position = event->position;
    if (!position)
        return;
    event->position = 0;
    struct tigon_event *last = schedule->heap[schedule->count--];
    if (last != event)
        settle(schedule, last, position);
}

void tigon_schedule_fire(struct tigon_schedule *schedule) {
    struct tigon_event *event = schedule->heap[1];
    tigon_schedule_cancel(schedule, event);
    event->function(event->context, event->ticks);
}
