/* Posted writes: see host_posted.h. */
#include "sim/host_posted.h"

#include <stdlib.h>

#include "sim/abort.h"
#include "sim/board.h"
#include "sim/world.h"

struct tigon_posted_write {
    uint64_t ticks;
    uint32_t offset;
    uint32_t value;
    bool late; /* may be */
};

/* Index of the write `after` the oldest one. */
static size_t place_of(const struct tigon_posted *posted, size_t after) {
    return (posted->first + after) & (posted->capacity - 1);
}

static void take_first(struct tigon_posted *posted) {
    const struct tigon_posted_write write = posted->writes[posted->first];
    posted->first = place_of(posted, 1);
    posted->count--;
    posted->board->now = write.ticks;
    tigon_window_host_write(posted->board, write.offset, write.value);
}

/* The first write has changed. */
static void look_at_first(struct tigon_posted *posted) {
    const struct tigon_posted_write *first = &posted->writes[posted->first];
    if (posted->count != 0 && first->late)
        tigon_late_at(posted->board, &posted->late, first->ticks);
}

static void arrive_late(void *context, uint64_t ticks) {
    struct tigon_posted *posted = context;
    const uint64_t until = posted->board->late.settling ? posted->board->late.until : ticks;
    const struct tigon_posted_write *first;
    do {
        take_first(posted);
        first = &posted->writes[posted->first];
    } while (posted->count != 0 && first->late && first->ticks < until);
    look_at_first(posted);
}

/* After the first or the last ones have gone. */
static void look_on(struct tigon_posted *posted) {
    look_at_first(posted);
    for (size_t i = 0; i < posted->count; i++) {
        const struct tigon_posted_write *write = &posted->writes[place_of(posted, i)];
        if (write->late)
            continue;
        tigon_schedule_at(posted->board->schedule, &posted->arrive, write->ticks);
        return;
    }
}

static void arrive(void *context, uint64_t ticks) {
    struct tigon_posted *posted = context;
    bool late;
    (void)ticks;
    tigon_late_cancel(posted->board, &posted->late);
    do { /* those before it are late no longer */
        late = posted->writes[posted->first].late;
        take_first(posted);
    } while (late);
    look_on(posted);
}

/* SRAM through the window, and where that is. */
static inline bool may_be_late(uint32_t offset) {
    return tigon_window_maps(offset) || (offset & ~3u) == TIGON_WINDOW_BASE;
}

static __attribute__((noinline)) void grow(struct tigon_posted *posted) {
    const size_t capacity = posted->capacity ? posted->capacity * 2 : 64;
    struct tigon_posted_write *larger = malloc(capacity * sizeof *larger);
    if (!larger)
        tigon_abort("out of memory for posted writes");
    for (size_t i = 0; i < posted->count; i++)
        larger[i] = posted->writes[place_of(posted, i)];
    free(posted->writes);
    posted->writes = larger;
    posted->first = 0;
    posted->capacity = capacity;
}

void tigon_posted_add(struct tigon_posted *posted, uint64_t ticks, uint64_t spacing,
                      uint32_t offset, const uint32_t *values, size_t count) {
    const bool was_empty = posted->count == 0;
    const bool possible = tigon_late_possible(posted->board);
    for (size_t i = 0; i < count; i++, ticks += spacing, offset += 4) {
        const bool late = possible && may_be_late(offset);
        if (posted->count == posted->capacity)
            grow(posted);
        if (ticks < posted->last)
            ticks = posted->last; /* a bus keeps posted writes in order */
        posted->last = ticks;
        posted->writes[place_of(posted, posted->count++)] =
            (struct tigon_posted_write){ticks, offset, values[i], late};
        if (!late && !tigon_event_pending(&posted->arrive))
            tigon_schedule_at(posted->board->schedule, &posted->arrive, ticks);
    }
    if (was_empty)
        look_at_first(posted);
}

void tigon_posted_take_back(struct tigon_posted *posted, uint32_t *values, size_t count) {
    posted->count -= count;
    for (size_t i = 0; i < count; i++)
        values[i] = posted->writes[place_of(posted, posted->count + i)].value;
    /* What has arrived already is not later than anything that is still to be added. */
    posted->last = posted->count ? posted->writes[place_of(posted, posted->count - 1)].ticks : 0;
    tigon_schedule_cancel(posted->board->schedule, &posted->arrive);
    tigon_late_cancel(posted->board, &posted->late);
    look_on(posted);
}

void tigon_posted_initialise(struct tigon_posted *posted, struct tigon_board *board) {
    *posted = (struct tigon_posted){.board = board};
    tigon_event_initialise(&posted->arrive, arrive, posted);
    tigon_event_initialise(&posted->late, arrive_late, posted);
}

void tigon_posted_free(struct tigon_posted *posted) {
    tigon_schedule_cancel(posted->board->schedule, &posted->arrive);
    tigon_late_cancel(posted->board, &posted->late);
    free(posted->writes);
}
