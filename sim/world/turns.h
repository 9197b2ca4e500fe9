/* SPDX-License-Identifier: MIT */
/*
 * The order in which boards run their cores: by the cycle at which a core of a board is due; the
 * tie-break is the index of the board.
 *
 * A heap keeps all boards in that order. A board whose cores became due at another time without
 * running is marked (tigon_turns_mark); tigon_turns_take() moves the marked boards and those that
 * ran. So its cost grows with the logarithm of the number of boards.
 */
#ifndef SIM_TURNS_H
#define SIM_TURNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/chip/board.h"

struct tigon_turn {
    uint64_t cycle; /* at which a core is due; UINT64_MAX: never */
    size_t index;   /* of the board */
};

struct tigon_turns {
    /* The next boards. NULL and UINT64_MAX: none. */
    struct tigon_board *first, *second;
    uint64_t first_cycle, second_cycle;
    uint64_t third_cycle; /* the earliest of all others */

    struct tigon_board **boards; /* by index, as is `place` */
    struct tigon_turn *heap;
    size_t *place;  /* in the heap */
    size_t *marked; /* indices of boards */
    bool *is_marked;
    size_t count, marked_count;
};

/* Adds a board, whose index is the number of boards so far. 0 or -ENOMEM. */
int tigon_turns_add(struct tigon_turns *turns, struct tigon_board *board);
void tigon_turns_free(struct tigon_turns *turns);

/* A core of this board may be due at another time than before, and not by running. */
static inline void tigon_turns_mark(struct tigon_turns *turns, size_t index) {
    if (turns->is_marked[index])
        return;
    turns->is_marked[index] = true;
    turns->marked[turns->marked_count++] = index;
}

/* Any core of any board may have changed. */
void tigon_turns_mark_all(struct tigon_turns *turns);

/* Finds the next boards. */
void tigon_turns_take(struct tigon_turns *turns);

/* Cycle of the core of this board that is furthest behind, UINT64_MAX if neither does anything. */
static inline uint64_t tigon_turns_due(const struct tigon_board *board) {
    const uint64_t a = tigon_cpu_due(&board->cpu[0]);
    const uint64_t b = tigon_cpu_due(&board->cpu[1]);
    return a < b ? a : b;
}

/* The first board has run. The due times of the others are unchanged: a board affects them only by
 * an event. False when the next board may be one that is not known here: take them again. */
static inline bool tigon_turns_next(struct tigon_turns *turns) {
    const uint64_t cycle = tigon_turns_due(turns->first);
    turns->first_cycle = cycle;
    if (turns->second_cycle < cycle || (turns->second_cycle == cycle && cycle != UINT64_MAX &&
                                        turns->second->index < turns->first->index)) {
        struct tigon_board *board = turns->first;
        turns->first = turns->second;
        turns->first_cycle = turns->second_cycle;
        turns->second = board;
        turns->second_cycle = cycle;
    }
    return turns->first_cycle < turns->third_cycle;
}

#endif
