/* SPDX-License-Identifier: MIT */
/* See explain.h. Everything is kept until the end, because a message is recognised by its end. */
#include "sim/observe/explain.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/observe/explain_private.h"

enum { DOORBELL = 1u << 22 }; /* event bit of the mailboxes (tigon2.md 4) */

/* Room for another item behind `count` of them; NULL, and no record any more, without memory. */
static void *another(struct tigon_explain *explain, void *list, size_t size) {
    struct explain_list *items = list;
    if (items->count == items->room) {
        const size_t room = items->room ? 2 * items->room : 256;
        void *grown = realloc(items->items, room * size);
        if (!grown) {
            explain->incomplete = true;
            return NULL;
        }
        items->items = grown;
        items->room = room;
    }
    return (char *)items->items + size * items->count++;
}

static struct explain_board *board_of(struct tigon_explain *explain,
                                      const struct tigon_board *board) {
    return &explain->boards[tigon_board_index(board)];
}

/* ------------------------------------------------------------------------------------------------
 * Recording */

static void see_signal(void *context, const struct tigon_board *from, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct tigon_explain *explain = context;
    struct explain_board *board = board_of(explain, from);
    if (signal == TIGON_SIGNAL_EVENT_A) {
        if (value & ~board->event & DOORBELL) {
            uint64_t *doorbell = another(explain, &board->doorbells, sizeof *doorbell);
            if (doorbell)
                *doorbell = ticks;
        }
        board->event = value;
    } else if (signal == TIGON_SIGNAL_TRANSMIT && value) {
        struct explain_sent *sent = another(explain, &board->sent, sizeof *sent);
        if (sent) {
            *sent = (struct explain_sent){.started = ticks};
            sent->address = tigon_transmit_frame(from, &sent->length);
        }
    } else if (signal == TIGON_SIGNAL_IDLE_A && value) {
        board->dispatcher = board->depth ? board->stack[board->depth - 1] : NULL;
        explain_step(explain, board, ticks, NULL);
    } else if (signal == TIGON_SIGNAL_IDLE_A) {
        explain_step(explain, board, ticks, board->dispatcher);
    }
}

void explain_step(struct tigon_explain *explain, struct explain_board *board, uint64_t ticks,
                  const struct tigon_executed *function) {
    struct explain_step *step = another(explain, &board->steps, sizeof *step);
    if (step)
        *step = (struct explain_step){ticks, function};
}

static void see_enter(void *context, unsigned core, const struct tigon_executed *function,
                      uint32_t site, uint64_t cycle) {
    struct explain_board *board = context;
    (void)site;
    if (core != 0)
        return;
    if (board->depth < EXPLAIN_DEPTH)
        board->stack[board->depth] = function;
    board->depth++;
    explain_step(board->explain, board, tigon_ticks_from_cycles(cycle), function);
}

static void see_leave(void *context, unsigned core, const struct tigon_executed *function,
                      uint64_t cycle) {
    struct explain_board *board = context;
    (void)function;
    if (core != 0 || board->depth == 0)
        return;
    board->depth--;
    explain_step(board->explain, board, tigon_ticks_from_cycles(cycle),
                 board->depth && board->depth <= EXPLAIN_DEPTH ? board->stack[board->depth - 1]
                                                               : board->dispatcher);
}

static uint64_t digest(const uint8_t *bytes, size_t length) {
    uint64_t sum = length;
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001B3);
    return sum;
}

/* Called when the frame has been sent: the record made at its beginning is found by its time. */
static void see_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct tigon_explain *explain = context;
    const struct tigon_board *sender = tigon_wire_board(frame->wire, frame->from_side);
    (void)fate;
    if (!sender)
        return;
    struct explain_list *list = &board_of(explain, sender)->sent;
    struct explain_sent *sent = list->items;
    for (size_t i = list->count; i-- > 0 && sent[i].started >= frame->time_ticks;)
        if (sent[i].started == frame->time_ticks) {
            sent[i].wire = frame->wire;
            sent[i].from_side = frame->from_side;
            sent[i].index = frame->index;
            sent[i].digest = digest(frame->bytes, frame->length);
        }
}

static void see_arrival(void *context, const struct tigon_arrival *arrival) {
    struct tigon_explain *explain = context;
    const struct tigon_board *board = arrival->board;
    if (arrival->fate != TIGON_ARRIVAL_KEPT)
        return;
    struct explain_arrival *record =
        another(explain, &board_of(explain, board)->arrivals, sizeof *record);
    if (record)
        *record = (struct explain_arrival){
            .ticks = arrival->ticks,
            .wire = arrival->wire,
            .from_side = arrival->from_side,
            .index = arrival->index,
            .address = tigon_receive_last(board),
            .length = (uint32_t)arrival->length,
            .digest = digest(arrival->bytes, arrival->length),
        };
}

static void see_transfer(void *context, const struct tigon_transfer *transfer) {
    struct tigon_explain *explain = context;
    struct explain_board *board = board_of(explain, transfer->board);
    if (transfer->length == 0 || transfer->attention || transfer->stopped)
        return;
    struct explain_transfer *record =
        another(explain, transfer->write ? &board->writes : &board->reads, sizeof *record);
    if (record)
        *record =
            (struct explain_transfer){transfer->started, transfer->ended, transfer->local_address};
}

static bool polls(enum tigon_program_state state) {
    return state == TIGON_PROGRAM_POLLS_BOARD || state == TIGON_PROGRAM_POLLS_MEMORY ||
           state == TIGON_PROGRAM_INTERRUPT;
}

static void see_program(void *context, const struct tigon_board *from, size_t index,
                        const char *name, enum tigon_program_state state, uint64_t ticks) {
    struct tigon_explain *explain = context;
    struct explain_board *board = board_of(explain, from);
    (void)index;
    (void)name;
    if (!polls(board->program) && !polls(state)) {
        board->program = state;
        return;
    }
    if (polls(board->program) != polls(state)) {
        struct explain_turn *turn = another(explain, &board->turns, sizeof *turn);
        if (turn)
            *turn = (struct explain_turn){ticks, polls(state), board->noticeable};
    }
    board->program = state;
}

static void see_polled(void *context, const struct tigon_board *from, uint64_t ticks) {
    board_of(context, from)->noticeable = ticks;
}

/* ------------------------------------------------------------------------------------------------
 * Life */

int tigon_explain_start(struct tigon_explain **explain, struct tigon_world *world,
                        struct tigon_execution *const *executions) {
    const size_t boards = tigon_world_board_count(world);
    struct tigon_explain *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    result->world = world;
    result->boards = calloc(boards + 1, sizeof *result->boards);
    int error = result->boards ? 0 : -ENOMEM;
    for (size_t i = 0; i < boards && !error; i++) {
        const struct tigon_execution_listener listener = {
            .context = &result->boards[i], .enter = see_enter, .leave = see_leave};
        result->boards[i].explain = result;
        result->board_count = i + 1;
        error = tigon_execution_listen(executions[i], &listener);
    }
    const struct tigon_observer observer = {
        .context = result,
        .signal = see_signal,
        .frame = see_frame,
        .arrival = see_arrival,
        .transfer = see_transfer,
        .program = see_program,
        .polled = see_polled,
    };
    if (!error)
        error = tigon_world_attach(world, &observer);
    if (error) {
        tigon_explain_end(result);
        return error;
    }
    *explain = result;
    return 0;
}

void tigon_explain_end(struct tigon_explain *explain) {
    if (!explain)
        return;
    tigon_world_detach(explain->world, explain);
    for (size_t i = 0; i < explain->board_count; i++) {
        struct explain_board *board = &explain->boards[i];
        struct explain_list *const lists[] = {&board->doorbells, &board->sent,   &board->arrivals,
                                              &board->reads,     &board->writes, &board->turns,
                                              &board->steps};
        for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++)
            free(lists[list]->items);
    }
    free(explain->boards);
    free(explain);
}
