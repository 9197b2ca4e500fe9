/* SPDX-License-Identifier: MIT */
/* What explain.c records and explain_find.c reads. All times are ticks; each list is in the order
 * in which its events ended. */
#ifndef SIM_OBSERVE_EXPLAIN_PRIVATE_H
#define SIM_OBSERVE_EXPLAIN_PRIVATE_H

#include "sim/observe/explain.h"

enum { EXPLAIN_DEPTH = 64 /* functions called from each other */ };

struct explain_list {
    void *items;
    size_t count;
    size_t room;
};

struct explain_sent {
    uint64_t started;
    uint32_t address; /* in the transmit buffer */
    uint32_t length;
    const struct tigon_wire *wire; /* and these: once it has been sent */
    unsigned from_side;
    uint64_t index;
    uint64_t digest; /* of its bytes */
};

struct explain_arrival {
    uint64_t ticks;
    const struct tigon_wire *wire;
    unsigned from_side;
    uint64_t index;
    uint32_t address; /* in the receive buffer */
    uint32_t length;
    uint64_t digest;
};

struct explain_transfer {
    uint64_t started;
    uint64_t ended;
    uint32_t local_address;
};

/* A program of the host begins or stops waiting. */
struct explain_turn {
    uint64_t ticks;
    bool waits;
    uint64_t noticeable; /* when what it polls changed last */
};

/* The function that core A executes from here on; NULL: it polls its event word. */
struct explain_step {
    uint64_t ticks;
    const struct tigon_executed *function;
};

struct explain_board {
    struct tigon_explain *explain;
    struct explain_list doorbells; /* uint64_t */
    struct explain_list sent;
    struct explain_list arrivals;
    struct explain_list reads;
    struct explain_list writes;
    struct explain_list turns;
    struct explain_list steps;
    uint32_t event; /* word of core A */
    enum tigon_program_state program;
    uint64_t noticeable;
    const struct tigon_executed *dispatcher; /* that polls the event word */
    const struct tigon_executed *stack[EXPLAIN_DEPTH];
    size_t depth;
};

struct tigon_explain {
    struct tigon_world *world;
    struct explain_board *boards;
    size_t board_count;
    bool incomplete; /* memory ran out */
};

void explain_step(struct tigon_explain *explain, struct explain_board *board, uint64_t ticks,
                  const struct tigon_executed *function);

#endif
