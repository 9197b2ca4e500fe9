/* SPDX-License-Identifier: MIT */
/* Shared by the files that make up a core; not for others. */
#ifndef TIGON_SIM_CPU_PRIVATE_H
#define TIGON_SIM_CPU_PRIVATE_H

#include "sim/core/cpu.h"

enum tigon_access {
    TIGON_ACCESS_DONE,     /* cpu->cycle is when the core goes on */
    TIGON_ACCESS_REGISTER, /* done, by a callback: read pc, npc, state and horizon again */
    TIGON_ACCESS_BLOCKED,  /* not done: cpu->cycle is at or after the horizon */
    TIGON_ACCESS_PARKED,   /* not done: the core is now parked */
    TIGON_ACCESS_FAULT     /* not done: status bits are set */
};

/* Data accesses outside the core's own scratchpad, and misaligned ones anywhere. On entry
 * cpu->cycle is the issue cycle, cpu->pc / npc what follows the instruction, and the statistics do
 * not count it yet; `from` is its address. `bytes` is 1, 2 or 4. A loaded value is not extended.
 * First those of chip registers, then all others, then either. */
enum tigon_access tigon_cpu_load_register(struct tigon_cpu *cpu, uint32_t from, uint32_t offset,
                                          uint32_t *value);
enum tigon_access tigon_cpu_store_register(struct tigon_cpu *cpu, uint32_t offset, uint32_t value);
enum tigon_access tigon_cpu_load_elsewhere(struct tigon_cpu *cpu, uint32_t address, uint32_t bytes,
                                           uint32_t *value);
enum tigon_access tigon_cpu_store_elsewhere(struct tigon_cpu *cpu, uint32_t address, uint32_t bytes,
                                            uint32_t value);

/* 32-bit access only: tigon2.md 2.1, 14 item 23. */
static inline bool tigon_cpu_is_register(uint32_t address, uint32_t bytes) {
    return address - TIGON_REGISTERS < TIGON_REGISTERS_SIZE && bytes == 4 && (address & 3u) == 0;
}

static inline enum tigon_access tigon_cpu_load(struct tigon_cpu *cpu, uint32_t from,
                                               uint32_t address, uint32_t bytes, uint32_t *value) {
    return tigon_cpu_is_register(address, bytes)
               ? tigon_cpu_load_register(cpu, from, address - TIGON_REGISTERS, value)
               : tigon_cpu_load_elsewhere(cpu, address, bytes, value);
}

static inline enum tigon_access tigon_cpu_store(struct tigon_cpu *cpu, uint32_t address,
                                                uint32_t bytes, uint32_t value) {
    return tigon_cpu_is_register(address, bytes)
               ? tigon_cpu_store_register(cpu, address - TIGON_REGISTERS, value)
               : tigon_cpu_store_elsewhere(cpu, address, bytes, value);
}

/* Where instructions are fetched from without looking further. */
struct tigon_fetch_region {
    struct tigon_instruction *entries;
    uint32_t base;  /* CPU address of entries[0] */
    uint32_t words; /* 0: none */
};

/* Make `region` hold the code at `pc`, filling the I-line if need be (cpu->cycle moves). */
enum tigon_access tigon_cpu_fetch(struct tigon_cpu *cpu, uint32_t pc,
                                  struct tigon_fetch_region *region);

/* Decode a scratchpad entry again. */
void tigon_cpu_decode_scratchpad(struct tigon_cpu *cpu, uint32_t pc);

/* Note a read of a pollable register by the load at `from` (poll.c). True: the core polls without
 * effect, park it before this load. */
bool tigon_poll_note(struct tigon_cpu *cpu, uint32_t from, uint32_t offset, uint32_t value);

/* Rises with every effect of the core that makes a loop more than a poll loop, by one or more since
 * it was asked last. */
uint64_t tigon_poll_effects(struct tigon_cpu *cpu);

/* End parking with the core where polling on would have brought it at `cycle`. */
void tigon_poll_end(struct tigon_cpu *cpu, uint64_t cycle);

/* While cpu->poll.replaying: what the next pollable read, which is of `offset`, returns. */
uint32_t tigon_poll_replayed_value(struct tigon_cpu *cpu, uint32_t offset);

/* The core stands before the first instruction of a turn that is like the last one. */
void tigon_poll_park(struct tigon_cpu *cpu);

/* Count so many turns as done. */
void tigon_poll_advance(struct tigon_cpu *cpu, uint64_t turns);

/* tigon_cpu_run() without run-ahead, observer and single step. */
void tigon_cpu_run_strictly(struct tigon_cpu *cpu, uint64_t horizon);

/* A piece that has begun in translated text goes on without. */
void tigon_cpu_interpret(struct tigon_cpu *cpu);

/* tigon_cpu_run_pair() of this core and its peer, whatever they are doing. */
uint64_t tigon_cpu_run_both(struct tigon_cpu *either, uint64_t horizon);

/* See struct tigon_cpu. */
static inline void tigon_cpu_due_changed(const struct tigon_cpu *cpu) {
    if (cpu->due_changed)
        cpu->due_changed(cpu->due_context);
}

/* Lower the horizon of the core's peer, if that is running, to what this core's cycle allows. */
void tigon_cpu_limit_peer(const struct tigon_cpu *cpu);

static inline enum tigon_cpu_stop tigon_cpu_why_stopped(const struct tigon_cpu *cpu) {
    return (cpu->state & TIGON_CPU_STATE_FAULTS) != 0 ? TIGON_CPU_FAULTED : TIGON_CPU_HALTED;
}

/* Cycle at which a core must stop private work that runs ahead of its horizon. */
static inline uint64_t tigon_cpu_run_ahead_limit(const struct tigon_cpu *cpu, uint32_t run_ahead) {
    return cpu->horizon + run_ahead < cpu->horizon ? UINT64_MAX : cpu->horizon + run_ahead;
}

#endif
