/* See late.h. */
#include "sim/late.h"

#include "sim/board.h"
#include "sim/world.h"

bool tigon_late_possible(const struct tigon_board *board) {
    const struct tigon_cpu *cpu = board->cpu;
    const struct tigon_observers *observers = board->observers;
    return cpu[0].loop.stage == TIGON_LOOP_NONE && cpu[1].loop.stage == TIGON_LOOP_NONE &&
           !cpu[0].observer && !cpu[1].observer && !observers->wants_changed &&
           !observers->wants_signals;
}

uint64_t tigon_late_next(const struct tigon_board *board) {
    return board->late.act ? board->late.act->ticks : TIGON_NEVER;
}

/* While it is made up for, the bus need not know: that is followed by a call of this. */
static inline void tell_bus(struct tigon_board *board) {
    const uint64_t next = tigon_late_next(board);
    if (!board->late.settling)
        tigon_bus_late(&board->bus,
                       next == TIGON_NEVER ? UINT64_MAX : tigon_cycle_at_or_after(next));
}

void tigon_late_at(struct tigon_board *board, struct tigon_event *act, uint64_t ticks) {
    if (!tigon_late_possible(board)) {
        tigon_schedule_at(board->schedule, act, ticks);
        return;
    }
    act->ticks = ticks;
    act->pending = true;
    board->late.act = act;
    ++*board->late.boards;
    tell_bus(board);
}

void tigon_late_cancel(struct tigon_board *board, struct tigon_event *act) {
    if (board->late.act != act) {
        tigon_schedule_cancel(board->schedule, act);
        return;
    }
    act->pending = false;
    board->late.act = NULL;
    --*board->late.boards;
    tell_bus(board);
}

void tigon_late_settle(struct tigon_board *board, uint64_t before) {
    struct tigon_late *late = &board->late;
    late->settling = true;
    late->until = before;
    while (tigon_late_next(board) < before) {
        struct tigon_event *act = late->act;
        late->act = NULL;
        --*late->boards;
        act->pending = false;
        act->function(act->context, act->ticks);
    }
    late->settling = false;
    tell_bus(board);
}
