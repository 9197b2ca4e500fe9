/* SPDX-License-Identifier: MIT */
/*
 * Parking of a core that polls event words in a loop without effect.
 *
 * Argument for exactness. A pollable register keeps its value until tigon_cpu_wake() is called, and
 * every such call, parked or not, restarts the observation. Assume that two consecutive polls by
 * the same load find all general registers equal, read the same value and continue at the same
 * address. Assume further that the core reaches nothing outside in between: no SRAM access, no
 * I-line fill, no register write, no read of a register that is not pollable, no scratchpad store
 * that changes the word. Then the core is in the same state at both polls (the load itself ends any
 * load-use interlock, the I-line is the same, the bus was not used). So the following instructions
 * repeat with the same number of cycles until a wake. The parked core is just before the second
 * poll. Waking advances it by whole periods and executes the rest up to the wake cycle, with the
 * register values of the last period: by then the registers may already hold values that become
 * visible only at the wake cycle.
 */
#include "sim/core/cpu_private.h"
#include "sim/core/engine.h"
#include "sim/core/poll_loop.h"

/* The state with which the next poll is compared. */
static __attribute__((noinline)) void remember(struct tigon_cpu *cpu) {
    struct tigon_cpu_poll *poll = &cpu->poll;
    poll->stage = 2;
    poll->cycle = cpu->cycle;
    poll->instructions = cpu->statistics.instructions;
    poll->load_use_stalls = cpu->statistics.load_use_stalls;
    poll->register_reads = cpu->statistics.register_reads;
    memcpy(poll->gpr, cpu->gpr, sizeof poll->gpr);
}

uint64_t tigon_poll_effects(struct tigon_cpu *cpu) {
    if (cpu->native && tigon_engine->changed(cpu->native))
        cpu->effects++;
    /* Accesses to SRAM have a count of their own. */
    return cpu->effects + cpu->statistics.sram_loads + cpu->statistics.sram_stores;
}

static void watch(struct tigon_cpu *cpu, uint32_t from, uint32_t offset, uint32_t value) {
    struct tigon_cpu_poll *poll = &cpu->poll;
    poll->stage = 1;
    poll->pc = from;
    poll->npc = cpu->pc;
    poll->offset = offset;
    poll->value = value;
    poll->others = 0;
    poll->effects = tigon_poll_effects(cpu);
    if (from == poll->parked_pc) /* then likely to repeat again */
        remember(cpu);
}

bool tigon_poll_note(struct tigon_cpu *cpu, uint32_t from, uint32_t offset, uint32_t value) {
    struct tigon_cpu_poll *poll = &cpu->poll;
    if (cpu->parking_off)
        return false;
    if (poll->stage != 0 && from != poll->pc && poll->others < TIGON_POLL_OTHERS) {
        poll->other_values[poll->others++] = value;
        return false;
    }
    if (poll->stage == 0 || from != poll->pc || offset != poll->offset || value != poll->value ||
        cpu->pc != poll->npc || tigon_poll_effects(cpu) != poll->effects) {
        watch(cpu, from, offset, value);
        return false;
    }
    poll->others = 0;
    /* Comparing registers is worth its cost only after the first repetition. */
    bool repeats = poll->stage == 2 && memcmp(poll->gpr, cpu->gpr, sizeof poll->gpr) == 0;
    if (!repeats) {
        remember(cpu);
        return false;
    }
    poll->parked_pc = from;
    poll->period = cpu->cycle - poll->cycle;
    poll->per_period = (struct tigon_cpu_statistics){
        .instructions = cpu->statistics.instructions - poll->instructions,
        .load_use_stalls = cpu->statistics.load_use_stalls - poll->load_use_stalls,
        .register_reads = cpu->statistics.register_reads - poll->register_reads,
    };
    tigon_poll_park(cpu);
    return true;
}

void tigon_poll_park(struct tigon_cpu *cpu) {
    cpu->parked = true;
    if (cpu->park_hook)
        cpu->park_hook(cpu->park_context, cpu->core, true, cpu->cycle);
}

void tigon_poll_advance(struct tigon_cpu *cpu, uint64_t turns) {
    const struct tigon_cpu_statistics *each = &cpu->poll.per_period;
    struct tigon_cpu_statistics *all = &cpu->statistics;
    cpu->cycle += turns * cpu->poll.period;
    all->instructions += turns * each->instructions;
    all->load_use_stalls += turns * each->load_use_stalls;
    all->bus_stalls += turns * each->bus_stalls;
    all->instruction_line_misses += turns * each->instruction_line_misses;
    all->sram_loads += turns * each->sram_loads;
    all->sram_stores += turns * each->sram_stores;
    all->register_reads += turns * each->register_reads;
}

uint32_t tigon_poll_replayed_value(struct tigon_cpu *cpu, uint32_t offset) {
    struct tigon_cpu_poll *poll = &cpu->poll;
    if (cpu->loop.stage == TIGON_LOOP_PARKED)
        return tigon_loop_value(cpu, offset);
    uint32_t index = poll->others++;
    return index == 0 ? poll->value : poll->other_values[index - 1u];
}

/* Executes the polls up to `cycle`. */
static __attribute__((noinline)) void unpark(struct tigon_cpu *cpu, uint64_t cycle) {
    if (cpu->loop.stage == TIGON_LOOP_PARKED)
        tigon_loop_skip(cpu, cycle);
    else
        tigon_cpu_catch_up(cpu, cycle);
    cpu->parked = false;
    tigon_cpu_due_changed(cpu);
    cpu->poll.others = 0;
    cpu->poll.replaying = true;
    tigon_cpu_run_strictly(cpu, cycle);
    cpu->poll.replaying = false;
    tigon_loop_forget(cpu);
    if (cpu->park_hook)
        cpu->park_hook(cpu->park_context, cpu->core, false, cpu->cycle);
}

void tigon_poll_end(struct tigon_cpu *cpu, uint64_t cycle) {
    cpu->poll.stage = 0;
    if (cpu->parked)
        unpark(cpu, cycle);
    else if (cpu->loop.stage != TIGON_LOOP_NONE)
        tigon_loop_forget(cpu);
}

void tigon_cpu_wake(struct tigon_cpu *cpu, uint64_t cycle) {
    const bool was_parked = cpu->parked;
    tigon_poll_end(cpu, cycle);
    if (was_parked)
        tigon_cpu_limit_peer(cpu);
}

void tigon_cpu_set_parking(struct tigon_cpu *cpu, bool on, uint64_t cycle) {
    cpu->parking_off = !on;
    if (!on)
        tigon_cpu_wake(cpu, cycle);
}

/* In a loop of poll_loop.c the last turn is executed, so that registers hold its results. */
void tigon_cpu_catch_up(struct tigon_cpu *cpu, uint64_t cycle) {
    if (!cpu->parked || cycle <= cpu->cycle)
        return;
    uint64_t turns = (cycle - cpu->cycle) / cpu->poll.period;
    if (cpu->loop.stage == TIGON_LOOP_PARKED) {
        turns -= turns != 0;
        cpu->loop.counted += turns;
    }
    tigon_poll_advance(cpu, turns);
}
