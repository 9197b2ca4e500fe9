/*
 * What may happen late: acts that nobody can notice who does not look.
 *
 * An event stops all cores at its tick. Words that a host writes to SRAM are no reason for that.
 * Such an act is made up for, as of its own tick and in order, when somebody is about to look.
 * Nobody can tell the difference:
 *
 * - Cores access SRAM through the bus only, which asks for what was due until then (late_cycle in
 *   bus.h), and so do their accesses to registers (board.c).
 * - A loop of a core that waits for SRAM without executing (poll_loop.h) is not begun while
 *   something is late, and while there is one nothing is.
 * - All others act in events. The world asks before each. What was due at the very same tick comes
 *   after it.
 * - Observers of cores, signals and registers look at any time: with them nothing is late.
 */
#ifndef SIM_LATE_H
#define SIM_LATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/schedule.h"

struct tigon_board;

struct tigon_late {
    struct tigon_event *act; /* NULL: nothing is late */
    size_t *boards;          /* counts the boards with something late */
    bool settling;
    uint64_t until; /* while it happens: before this it may do more of its kind */
};

/* Lets `act`, which is not pending, happen at `ticks`: late if that is possible, else as an event.
 * A board has one such act at a time. Nothing may follow from it that somebody could notice without
 * looking. */
void tigon_late_at(struct tigon_board *board, struct tigon_event *act, uint64_t ticks);

/* Takes an act back that is late or an event, if it is pending. */
void tigon_late_cancel(struct tigon_board *board, struct tigon_event *act);

/* Whether an act at this moment could be late. */
bool tigon_late_possible(const struct tigon_board *board);

/* Tick of what is late, TIGON_NEVER if there is nothing. */
uint64_t tigon_late_next(const struct tigon_board *board);

/* Makes up for what was due before tick `before`. */
void tigon_late_settle(struct tigon_board *board, uint64_t before);

#endif
