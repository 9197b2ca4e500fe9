/* SPDX-License-Identifier: MIT */
/*
 * Parking of a core in any loop that only waits: for registers, SRAM words or the timer.
 *
 * poll.c parks the common case, a loop that reads nothing but event words, at its third turn. What
 * it does not see is found here: now and then a core that begins to run is looked at
 * (tigon_loop_look). The instructions ahead of it are worked through on paper, with the values that
 * registers and memory have now and the timer as a quantity that grows. That proves a loop without
 * effect when the way leads back to where it began, every store writes what is there already, and
 * every general register that a turn reads before it writes it is the same at its end. Where the
 * way depends on the timer (comparisons of timer plus a constant), the proof holds up to a time
 * that is computed.
 *
 * One turn is then executed, to learn what it costs; it begins and ends with the same I-line, write
 * buffer and interlock. If nobody else used the SRAM bus meanwhile (should the loop use it at all),
 * every further turn costs the same, and the core is parked until
 *  - the timer reaches the time where the way changes: tigon_cpu_due() says when, or
 *  - somebody changes what the loop may look at, or uses the bus: tigon_cpu_disturb(),
 * tigon_cpu_wake().
 *
 * Waking skips whole turns but the last and executes the rest, so that all registers hold what the
 * last turn left in them. Register reads of that rest get the values of the proof, because the
 * registers may have changed already; memory is not touched before the core was told.
 */
#ifndef TIGON_SIM_POLL_LOOP_H
#define TIGON_SIM_POLL_LOOP_H

#include "sim/core/cpu.h"

/* Cycles of watching after which the core has obviously gone elsewhere. */
#define TIGON_LOOP_WATCH_AT_MOST 4096u

/* Work through the instructions ahead of a core that stands between two instructions. True: they
 * are a loop without effect; cpu->loop says what it reads. Reads registers that are steady. */
bool tigon_loop_prove(struct tigon_cpu *cpu);

/* Between instructions: is this a core to watch, or to watch no longer? */
void tigon_loop_look(struct tigon_cpu *cpu);

/* The watched core has come back to the head of its loop. True: it is parked now. */
bool tigon_loop_arrived(struct tigon_cpu *cpu);

/* Stop watching. A parked core must have been brought up to date. */
void tigon_loop_forget(struct tigon_cpu *cpu);

/* Skip the turns up to the last before `cycle`, of a core parked here. */
void tigon_loop_skip(struct tigon_cpu *cpu, uint64_t cycle);

/* What a register read of the last turn returns. */
uint32_t tigon_loop_value(const struct tigon_cpu *cpu, uint32_t offset);

#endif
