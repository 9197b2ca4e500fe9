/* SPDX-License-Identifier: MIT */
/* The order of boards: see turns.h. */
#include "sim/world/turns.h"

#include <errno.h>
#include <stdlib.h>

void tigon_turns_free(struct tigon_turns *turns) {
    free(turns->boards);
    free(turns->heap);
    free(turns->place);
    free(turns->marked);
    free(turns->is_marked);
    *turns = (struct tigon_turns){0};
}

static bool grow(void **array, size_t count, size_t size) {
    void *larger = realloc(*array, count * size);
    if (larger)
        *array = larger;
    return larger != NULL;
}

int tigon_turns_add(struct tigon_turns *turns, struct tigon_board *board) {
    const size_t index = turns->count;
    if (!grow((void **)&turns->boards, index + 1, sizeof(struct tigon_board *)) ||
        !grow((void **)&turns->heap, index + 1, sizeof *turns->heap) ||
        !grow((void **)&turns->place, index + 1, sizeof *turns->place) ||
        !grow((void **)&turns->marked, index + 1, sizeof *turns->marked) ||
        !grow((void **)&turns->is_marked, index + 1, sizeof *turns->is_marked))
        return -ENOMEM;
    turns->boards[index] = board;
    turns->heap[index] = (struct tigon_turn){UINT64_MAX, index};
    turns->place[index] = index;
    turns->is_marked[index] = false;
    turns->count++;
    tigon_turns_mark(turns, index);
    return 0;
}

void tigon_turns_mark_all(struct tigon_turns *turns) {
    for (size_t index = 0; index < turns->count; index++)
        tigon_turns_mark(turns, index);
}

static bool before(const struct tigon_turn *one, const struct tigon_turn *other) {
    return one->cycle < other->cycle || (one->cycle == other->cycle && one->index < other->index);
}

static void put(struct tigon_turns *turns, size_t place, struct tigon_turn turn) {
    turns->heap[place] = turn;
    turns->place[turn.index] = place;
}

/* Moves a turn whose cycle has changed to its place in the heap. */
static void settle(struct tigon_turns *turns, size_t place, struct tigon_turn turn) {
    while (place > 0 && before(&turn, &turns->heap[(place - 1) / 2])) {
        put(turns, place, turns->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < turns->count && before(&turns->heap[child + 1], &turns->heap[child]))
            child++;
        if (child >= turns->count || !before(&turns->heap[child], &turn))
            break;
        put(turns, place, turns->heap[child]);
        place = child;
    }
    put(turns, place, turn);
}

static void update(struct tigon_turns *turns, size_t index) {
    const size_t place = turns->place[index];
    const struct tigon_turn turn = {tigon_turns_due(turns->boards[index]), index};
    if (turn.cycle != turns->heap[place].cycle)
        settle(turns, place, turn);
}

/* The earlier of two places; an index behind the end means never. */
static size_t earlier(const struct tigon_turns *turns, size_t one, size_t other) {
    return other < turns->count &&
                   (one >= turns->count || before(&turns->heap[other], &turns->heap[one]))
               ? other
               : one;
}

static uint64_t cycle_at(const struct tigon_turns *turns, size_t place) {
    return place < turns->count ? turns->heap[place].cycle : UINT64_MAX;
}

void tigon_turns_take(struct tigon_turns *turns) {
    if (turns->first)
        update(turns, turns->first->index);
    if (turns->second)
        update(turns, turns->second->index);
    while (turns->marked_count > 0) {
        const size_t index = turns->marked[--turns->marked_count];
        turns->is_marked[index] = false;
        update(turns, index);
    }
    const size_t second = earlier(turns, 1, 2);
    const size_t third = earlier(turns, 3 - second, earlier(turns, 2 * second + 1, 2 * second + 2));
    turns->first_cycle = cycle_at(turns, 0);
    turns->second_cycle = cycle_at(turns, second);
    turns->third_cycle = cycle_at(turns, third);
    turns->first = turns->first_cycle == UINT64_MAX ? NULL : turns->boards[turns->heap[0].index];
    turns->second =
        turns->second_cycle == UINT64_MAX ? NULL : turns->boards[turns->heap[second].index];
}
