/* SPDX-License-Identifier: MIT */
/*
 * The execution of a core as functions: calls and returns, costs, transitions of the protocol.
 *
 * One observer of the core follows it instruction by instruction and notifies its listeners.
 * Functions are those of the image's symbols; without symbols, every call target is one
 * ("at_00004100").
 *
 * Calls are recognised by the chip's behaviour, not by compilers' conventions: an instruction
 * behind a jump is the begin of a call when $31 holds the address behind that jump's delay slot. A
 * return is a jump to the return address of one of the open functions, with the stack pointer it
 * had. A jump into another function that is neither is a tail call, or returns to an open function
 * (cold parts that a compiler has moved elsewhere).
 *
 * A transition is a record of the trace ring (fw-runtime/trace.h), detected at the call of the
 * function that writes it: `tigon2_trace` with the record's word in $24, or `nic_trace` with two
 * arguments. It lasts until the function that took it returns, or takes the next one.
 */
#ifndef SIM_OBSERVE_EXECUTION_H
#define SIM_OBSERVE_EXECUTION_H

#include "sim/observer.h"
#include "sim/observe/symbols.h"

struct tigon_execution;

struct tigon_cost {
    uint64_t instructions;
    uint64_t cycles;
    uint64_t stalls; /* of the cycles: load-use interlocks, waits for an SRAM slot */
    uint64_t idle;   /* of the cycles: polled an event word without effect */
};

/* A function of a core; lives as long as the execution. */
struct tigon_executed {
    const char *name;
    uint32_t start;
    uint32_t bytes;
    bool known; /* by a symbol */
    size_t index;
};

struct tigon_transition {
    unsigned core;
    uint32_t id;
    uint32_t argument;
    const struct tigon_executed *function; /* that took it */
    uint64_t started;                      /* cycle of the record */
    uint64_t ended;
    uint64_t nested; /* of those cycles, in transitions that this one led to */
    uint64_t lead;   /* cycles from the call of the function to the first record, 0 for others */
};

struct tigon_execution_listener {
    void *context;
    /* Any may be NULL. `site` is the address the call came from. */
    void (*enter)(void *context, unsigned core, const struct tigon_executed *function,
                  uint32_t site, uint64_t cycle);
    void (*leave)(void *context, unsigned core, const struct tigon_executed *function,
                  uint64_t cycle);
    /* The instruction at `address` has been executed, or polled for a while. */
    void (*spent)(void *context, unsigned core, const struct tigon_executed *function,
                  uint32_t address, const struct tigon_cost *cost);
    void (*transition)(void *context, const struct tigon_transition *transition);
};

/* Follows both cores of a board from now on. Returns 0, -ENOMEM, or -EBUSY when a core has too many
 * observers. End it before the world. */
int tigon_execution_start(struct tigon_execution **execution, struct tigon_board *board);

/* Reads the image of a core (0 is A), before the world runs. Returns 0 or as tigon_symbols_load. */
int tigon_execution_symbols(struct tigon_execution *execution, unsigned core, const char *path);

/* 0, or -ENOMEM. */
int tigon_execution_listen(struct tigon_execution *execution,
                           const struct tigon_execution_listener *listener);

/* Reports the costs up to the world's time, which are otherwise reported with the next instruction.
 */
void tigon_execution_settle(struct tigon_execution *execution);

/* Reports the last costs, closes open functions and stops following. NULL is allowed. Functions
 * stay valid until tigon_execution_free. */
void tigon_execution_end(struct tigon_execution *execution);
void tigon_execution_free(struct tigon_execution *execution);

/* The function that the core executes, also in `enter` and `leave`. NULL before the first
 * instruction. */
const struct tigon_executed *tigon_execution_top(const struct tigon_execution *execution,
                                                 unsigned core);

struct tigon_board *tigon_execution_board(const struct tigon_execution *execution);
/* NULL: none. */
const struct tigon_symbols *tigon_execution_symbols_of(const struct tigon_execution *execution,
                                                       unsigned core);

/* A small number for each word of memory a core can execute, below TIGON_EXECUTION_WORDS: SRAM by
 * its place behind aliases, the scratchpad behind it. */
#define TIGON_EXECUTION_WORDS (0x200000u / 4u + 0x4000u / 4u)
uint32_t tigon_execution_word(uint32_t address);

#endif
