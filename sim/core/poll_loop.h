/* SPDX-License-Identifier: MIT */
/*
 * Parking of a core in any polling loop: one that waits for registers, SRAM words or the timer.
 *
 * poll.c parks the common case, a loop that reads only event words, at its third turn. This module
 * finds the other loops: from time to time it examines a core that begins to run (tigon_loop_look).
 * It executes the instructions ahead of the core symbolically, with the present values of registers
 * and memory, and with the timer as a growing quantity. The loop is proven to have no effect if the
 * path leads back to its start, every store writes the value that is already there, and every
 * general register that a turn reads before it writes it has the same value at the end. Where the
 * path depends on the timer (comparisons of timer plus a constant), the proof holds up to a
 * computed time.
 *
 * One turn is then executed, to measure its cost. It begins and ends with the same I-line, write
 * buffer and interlock. If no other master used the SRAM bus meanwhile (in case the loop uses it at
 * all), every further turn costs the same, and the core is parked until
 * - the timer reaches the time where the path changes: tigon_cpu_due() returns it, or
 * - another part changes a location that the loop may read, or uses the bus:
 * tigon_cpu_before_change(), tigon_cpu_wake().
 *
 * Waking skips all whole turns but the last and executes the rest, so that all registers hold the
 * results of the last turn. Register reads in that rest return the values of the proof, because the
 * registers may have changed already. Memory does not change before the core is notified.
 */
#ifndef TIGON_SIM_POLL_LOOP_H
#define TIGON_SIM_POLL_LOOP_H

#include "sim/core/cpu.h"

/* Cycles of watching after which the core has certainly left the loop. */
#define TIGON_LOOP_WATCH_AT_MOST 4096u

/* Examines the instructions ahead of a core that is between two instructions. True: they are a loop
 * without effect; cpu->loop has the locations it reads. Reads registers that are steady. */
bool tigon_loop_prove(struct tigon_cpu *cpu);

/* Between instructions: whether to start watching this core, or to stop. */
void tigon_loop_look(struct tigon_cpu *cpu);

/* The watched core is back at the head of its loop. True: it is parked now. */
bool tigon_loop_arrived(struct tigon_cpu *cpu);

/* Stops watching. A parked core must have been brought up to date. */
void tigon_loop_forget(struct tigon_cpu *cpu);

/* Skips the turns up to the last before `cycle`, of a core parked here. */
void tigon_loop_skip(struct tigon_cpu *cpu, uint64_t cycle);

/* The value that a register read of the last turn returns. */
uint32_t tigon_loop_value(const struct tigon_cpu *cpu, uint32_t offset);

#endif
