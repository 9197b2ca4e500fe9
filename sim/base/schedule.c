/* SPDX-License-Identifier: MIT */
/* Event queue: see schedule.h. */
#include "sim/base/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/abort.h"

#define ROOM 64u        /* of the array, in events */
#define HALF (ROOM / 2) /* moved between array and heap at a time */

/* A new event is compared with so many entries of the array one by one; after that, halving finds
 * its place. */
#define NEAR 16u

#define NO_ORDER (UINT64_C(1) << 63) /* order_from_array counts down from here, order_of_new up */

/* Entry [0] of a schedule that has had no event yet. It has no room, so that this is never written
 * to. */
static struct tigon_schedule_entry never = {.ticks = UINT64_MAX};

void tigon_schedule_initialise(struct tigon_schedule *schedule) {
    *schedule = (struct tigon_schedule){.entries = &never,
                                        .earliest = &never,
                                        .last = &never,
                                        .order_from_array = NO_ORDER,
                                        .order_of_new = NO_ORDER};
}

void tigon_schedule_free(struct tigon_schedule *schedule) {
    for (struct tigon_schedule_entry *at = schedule->earliest; at != schedule->entries; at--)
        at->event->pending = false;
    for (size_t place = 1; place <= schedule->far_count; place++)
        schedule->far[place]->pending = false;
    if (schedule->entries != &never)
        free(schedule->entries);
    free(schedule->far);
    tigon_schedule_initialise(schedule);
}

void tigon_event_initialise(struct tigon_event *event, tigon_event_function function,
                            void *context) {
    memset(event, 0, sizeof *event);
    event->function = function;
    event->context = context;
}

/* ------------------------------------------------------------------------------------------------
 * The heap of later events */

static bool before(const struct tigon_event *one, const struct tigon_event *other) {
    return one->ticks < other->ticks || (one->ticks == other->ticks && one->order < other->order);
}

static void put_far(struct tigon_schedule *schedule, size_t place, struct tigon_event *event) {
    schedule->far[place] = event;
    event->far = place;
}

/* Moves an event that is to be at `place`, or above or below it, to where it belongs. */
static void settle_far(struct tigon_schedule *schedule, size_t place, struct tigon_event *event) {
    while (place > 1 && before(event, schedule->far[place / 2])) {
        put_far(schedule, place, schedule->far[place / 2]);
        place /= 2;
    }
    for (;;) {
        size_t child = 2 * place;
        if (child < schedule->far_count && before(schedule->far[child + 1], schedule->far[child]))
            child++;
        if (child > schedule->far_count || !before(schedule->far[child], event))
            break;
        put_far(schedule, place, schedule->far[child]);
        place = child;
    }
    put_far(schedule, place, event);
}

static void insert_far(struct tigon_schedule *schedule, struct tigon_event *event) {
    if (schedule->far_count + 1 >= schedule->far_capacity) {
        const size_t capacity = schedule->far_capacity ? 2 * schedule->far_capacity : 2 * ROOM;
        struct tigon_event **far = realloc(schedule->far, capacity * sizeof(struct tigon_event *));
        if (!far)
            tigon_abort("out of memory for %zu events", capacity);
        schedule->far = far;
        schedule->far_capacity = capacity;
    }
    settle_far(schedule, ++schedule->far_count, event);
}

static void take_out_far(struct tigon_schedule *schedule, struct tigon_event *event) {
    const size_t place = event->far;
    struct tigon_event *last = schedule->far[schedule->far_count--];
    event->far = 0;
    if (last != event)
        settle_far(schedule, place, last);
}

void tigon_schedule_refill(struct tigon_schedule *schedule) {
    const size_t count = schedule->far_count < HALF ? schedule->far_count : HALF;
    for (size_t i = count; i > 0; i--) {
        struct tigon_event *event = schedule->far[1];
        take_out_far(schedule, event);
        schedule->entries[i] = (struct tigon_schedule_entry){event->ticks, event};
    }
    schedule->earliest = schedule->entries + count;
    if (schedule->entries != &never)
        schedule->entries->ticks = schedule->far_count ? schedule->far[1]->ticks : UINT64_MAX;
}

/* The array is full: moves its later half to the heap. */
static void spill(struct tigon_schedule *schedule) {
    schedule->entries->ticks = schedule->entries[HALF].ticks;
    for (size_t i = 1; i <= HALF; i++) {
        struct tigon_event *event = schedule->entries[i].event;
        event->order = --schedule->order_from_array;
        insert_far(schedule, event);
    }
    schedule->earliest -= HALF;
    memmove(schedule->entries + 1, schedule->entries + 1 + HALF,
            (size_t)(schedule->earliest - schedule->entries) * sizeof *schedule->entries);
}

/* ------------------------------------------------------------------------------------------------
 * The array */

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

static void take_out(struct tigon_schedule *schedule, struct tigon_event *event) {
    if (event->far) {
        take_out_far(schedule, event);
        return;
    }
    struct tigon_schedule_entry *at = find(schedule, schedule->earliest + 1, event->ticks);
    while (at->event != event)
        at++;
    move(at, at + 1, schedule->earliest + 1);
    if (--schedule->earliest == schedule->entries)
        tigon_schedule_refill(schedule);
}

static void make_room(struct tigon_schedule *schedule) {
    if (schedule->entries != &never) {
        spill(schedule);
        return;
    }
    schedule->entries = malloc((ROOM + 1) * sizeof *schedule->entries);
    if (!schedule->entries)
        tigon_abort("out of memory for %u events", ROOM);
    schedule->entries[0] = never;
    schedule->earliest = schedule->entries;
    schedule->last = schedule->entries + ROOM;
}

/* For an entry that belongs before `end`, which is free. */
static __attribute__((noinline)) void insert_before(struct tigon_schedule *schedule,
                                                    struct tigon_schedule_entry *end,
                                                    struct tigon_schedule_entry entry) {
    struct tigon_schedule_entry *place = find(schedule, end, entry.ticks);
    move(place + 1, place, end);
    *place = entry;
}

/* The general case: an event that is pending already, one too many, or one for the heap. */
static __attribute__((noinline)) void insert(struct tigon_schedule *schedule,
                                             struct tigon_event *event, uint64_t ticks) {
    const uint64_t earliest = tigon_schedule_next(schedule);
    if (event->pending)
        take_out(schedule, event);
    if (schedule->earliest == schedule->last)
        make_room(schedule);
    event->pending = true;
    event->ticks = ticks;
    if (ticks >= schedule->entries->ticks) {
        event->order = schedule->order_of_new++;
        insert_far(schedule, event);
        if (schedule->earliest == schedule->entries)
            tigon_schedule_refill(schedule);
    } else {
        insert_before(schedule, ++schedule->earliest, (struct tigon_schedule_entry){ticks, event});
    }
    if (ticks < earliest && schedule->earlier)
        schedule->earlier(schedule->earlier_context, ticks);
}

/* Most events are among the next few. The function called is called last, so that no value has to
 * be saved across the call. */
void tigon_schedule_at(struct tigon_schedule *schedule, struct tigon_event *event, uint64_t ticks) {
    struct tigon_schedule_entry *at = schedule->earliest;
    if (event->pending || at == schedule->last || ticks >= schedule->entries->ticks) {
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
            insert_before(schedule, at + 1, (struct tigon_schedule_entry){ticks, event});
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
