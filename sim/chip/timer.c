/* SPDX-License-Identifier: MIT */
/*
 * Timer. One tick is exactly 1 us, for any prescaler (tigon2.md 14 row 1). The event of a core is
 * raised when (timer - reference) as a signed number is past or equal, from a write of the
 * reference on; it stays up until the next such write (14 row 5). A reference already in the past
 * therefore raises it at once.
 */
#include "sim/chip/board.h"

static uint32_t value_at(const struct tigon_board *board, uint64_t ticks) {
    return (uint32_t)(ticks / TIGON_TICKS_PER_US) + board->timer.offset;
}

static uint32_t reference(const struct tigon_board *board, unsigned core) {
    return TIGON_WORD(board, core ? TIGON_TIMER_REFERENCE_B : TIGON_TIMER_REFERENCE_A);
}

static void set_reached(struct tigon_board *board, unsigned core, bool reached) {
    board->timer.compare[core].reached = reached;
    tigon_event_level(&board->events.own[core], TIGON_EVENT_TIMER, reached);
}

/* Looks at a compare register again: raises the event or schedules the look at the tick where it
 * will be due. */
static void compare(struct tigon_board *board, unsigned core) {
    struct tigon_timer_compare *unit = &board->timer.compare[core];
    tigon_schedule_cancel(board->schedule, &unit->event);
    if (!unit->armed || unit->reached)
        return;
    const int32_t missing = (int32_t)(reference(board, core) - value_at(board, board->now));
    if (missing <= 0) {
        set_reached(board, core, true);
        return;
    }
    const uint64_t microsecond = board->now / TIGON_TICKS_PER_US + (uint32_t)missing;
    tigon_board_schedule(board, &unit->event, microsecond * TIGON_TICKS_PER_US);
}

static void due(void *context, uint64_t ticks) {
    struct tigon_timer_compare *unit = context;
    struct tigon_board *board = unit->board;
    board->now = ticks;
    compare(board, unit == &board->timer.compare[1]);
    tigon_board_changed(board);
}

static void initialise(struct tigon_board *board) {
    for (unsigned core = 0; core < 2; core++) {
        board->timer.compare[core].board = board;
        tigon_event_initialise(&board->timer.compare[core].event, due, &board->timer.compare[core]);
    }
}

static void reset(struct tigon_board *board) {
    /* The timer itself counts on from 0: "all zero" of tigon2.md 14 row 22. */
    board->timer.offset = 0u - (uint32_t)(board->now / TIGON_TICKS_PER_US);
    for (unsigned core = 0; core < 2; core++) {
        struct tigon_timer_compare *unit = &board->timer.compare[core];
        tigon_schedule_cancel(board->schedule, &unit->event);
        unit->armed = false;
        set_reached(board, core, false);
    }
}

uint32_t tigon_timer_read(struct tigon_board *board, uint32_t offset) {
    (void)offset; /* only HW[054] has a read hook */
    return value_at(board, board->now);
}

static void write_reference_or_timer(struct tigon_board *board, uint32_t offset, uint32_t value) {
    if (offset == TIGON_TIMER) {
        board->timer.offset = value - (uint32_t)(board->now / TIGON_TICKS_PER_US);
        compare(board, 0);
        compare(board, 1);
    } else {
        const unsigned core = offset == TIGON_TIMER_REFERENCE_B;
        TIGON_WORD(board, offset) = value;
        board->timer.compare[core].armed = true;
        set_reached(board, core, false);
        compare(board, core);
    }
    tigon_board_changed(board);
}

static const struct tigon_register_description registers[] = {
    {0x054, 1, "timer", TIGON_READS_WRITES, 0, 0},       /* 3.1 */
    {0x058, 1, "timer reference A", TIGON_WRITES, 0, 0}, /* 3.1 */
    {0x078, 1, "timer reference B", TIGON_WRITES, 0, 0}, /* 3.1 */
};

const struct tigon_device tigon_timer_device = {
    .name = "timer",
    .registers = registers,
    .register_count = sizeof registers / sizeof registers[0],
    .initialise = initialise,
    .reset = reset,
    .lose_power = reset,
    .read = tigon_timer_read,
    .write = write_reference_or_timer,
};
