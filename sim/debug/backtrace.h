/* SPDX-License-Identifier: MIT */
/*
 * Backtraces from the stack without debug information: the effects of a function's code on $sp and
 * $ra between its first instruction and the program counter show where its caller's values are.
 * Works for any firmware, also without symbols; a frame whose return address does not follow a call
 * ends the list.
 */
#ifndef SIM_DEBUG_BACKTRACE_H
#define SIM_DEBUG_BACKTRACE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/core/cpu.h"

struct tigon_backtrace_frame {
    uint32_t pc; /* of the core, or where the call returns to */
    uint32_t sp; /* at that point */
};

/* The first instruction of the function around `pc`, 0 when it is not known. */
typedef uint32_t (*tigon_function_start)(const void *context, uint32_t pc);

/* Innermost frame first, at most `limit`; returns how many, at least 1. `start` may be NULL. */
size_t tigon_backtrace(const struct tigon_cpu *cpu, tigon_function_start start, const void *context,
                       struct tigon_backtrace_frame *frames, size_t limit);

#endif
