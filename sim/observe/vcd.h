/* SPDX-License-Identifier: MIT */
/*
 * Waveforms as a VCD file (IEEE 1364-2005, 18), for GTKWave, Surfer and others. Timescale 1 ps;
 * times are exact but for the rounding from 1/11 ns.
 *
 * Names are `board.line`; `*` and lists ("left.dma_*,*.event_a") choose among
 *
 *     the signals of enum tigon_signal; `receive` is an event, it has no length
 *     fill levels (sim/observe/gauges.h)
 *     out_busy, out_frame: the fibre out of the board, and the running number of the frame there
 *     in_busy, in_frame: the same into the board, when it leaves the other end
 *     hw_0c4 ...: a register, by patterns that say hw_ only
 *     function_a, function_b: where the function begins that a core executes, by patterns that
 *     say function only, and slow
 */
#ifndef SIM_OBSERVE_VCD_H
#define SIM_OBSERVE_VCD_H

#include "sim/observe/execution.h"

struct tigon_vcd;

struct tigon_vcd_options {
    const char *path;
    const char *patterns; /* NULL: "*" */
    /* By board index, for function_*; entries and the whole may be NULL. */
    struct tigon_execution *const *executions;
    char *unfit; /* after -ENOENT: the pattern that no line fits; may be NULL */
    size_t unfit_bytes;
};

/* Whether the patterns ask for function_*, so that executions are needed. */
bool tigon_vcd_wants_functions(const char *patterns);

/* Records from now on; boards and wires must be there. Returns 0 or -errno: -ENOENT when no line
 * fits one of the patterns. */
int tigon_vcd_start(struct tigon_vcd **vcd, struct tigon_world *world,
                    const struct tigon_vcd_options *options);

/* Ends the file, frees everything. 0 or the first error, as -errno. NULL is allowed. */
int tigon_vcd_end(struct tigon_vcd *vcd);

#endif
