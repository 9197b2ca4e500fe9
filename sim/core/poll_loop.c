/* SPDX-License-Identifier: MIT */
/* See poll_loop.h. The proof is in poll_proof.c. */
#include "sim/core/poll_loop.h"

#include "sim/core/cpu_private.h"
#include "sim/core/engine.h"

/* Cycles between two attempts: the lowest while attempts succeed, up to the highest. */
#define LOOK_SOON  64u
#define LOOK_LATER 2048u

/* Parking for fewer turns than this costs more than it saves. */
#define TURNS_WORTH_IT 3u

static uint64_t *beats(const struct tigon_cpu *cpu) {
    return &cpu->bus->beats[cpu->core == TIGON_CORE_A ? TIGON_BUS_CPU_A : TIGON_BUS_CPU_B];
}

static uint64_t *bus_stalls(const struct tigon_cpu *cpu) {
    return &cpu->bus->stalls[cpu->core == TIGON_CORE_A ? TIGON_BUS_CPU_A : TIGON_BUS_CPU_B];
}

static uint64_t ahead(uint64_t cycle, uint64_t now) {
    return cycle > now ? cycle - now : 0;
}

/* The state, beside the instructions, that determines the cost of a turn. */
static struct tigon_loop_start start_of(const struct tigon_cpu *cpu) {
    return (struct tigon_loop_start){
        .cycle = cpu->cycle,
        .statistics = cpu->statistics,
        .write_buffer = ahead(cpu->write_buffer_free, cpu->cycle),
        .core_free = ahead(cpu->bus->core_free, cpu->cycle),
        .load_register = cpu->load_register,
        .line_valid = cpu->line_valid,
        .line_offset = cpu->line_offset,
        .beats = *beats(cpu),
        .bus_stalls = *bus_stalls(cpu),
    };
}

static void look_again(struct tigon_cpu *cpu, bool soon) {
    struct tigon_cpu_loop *loop = &cpu->loop;
    if (soon)
        loop->interval = LOOK_SOON;
    else if (loop->interval < LOOK_LATER)
        loop->interval = loop->interval * 2u + LOOK_SOON;
    loop->look_at = cpu->cycle + loop->interval;
}

void tigon_loop_forget(struct tigon_cpu *cpu) {
    if (cpu->loop.stage == TIGON_LOOP_NONE)
        return;
    look_again(cpu, cpu->loop.stage == TIGON_LOOP_PARKED);
    cpu->loop.stage = TIGON_LOOP_NONE;
}

void tigon_loop_look(struct tigon_cpu *cpu) {
    struct tigon_cpu_loop *loop = &cpu->loop;
    if (loop->stage == TIGON_LOOP_WATCHED) {
        if (cpu->cycle >= loop->start.cycle + TIGON_LOOP_WATCH_AT_MOST)
            tigon_loop_forget(cpu);
        return;
    }
    if (cpu->cycle < loop->look_at)
        return;
    look_again(cpu, false);
    /* A register write is never part of a loop without effect. A core that made one since the last
     * attempt probably does real work, and failed proofs are expensive: the next attempt is soon
     * enough. */
    const bool at_work = cpu->statistics.register_writes != loop->register_writes;
    loop->register_writes = cpu->statistics.register_writes;
    if (at_work)
        return;
    if (cpu->npc != cpu->pc + 4u || !tigon_loop_prove(cpu))
        return;
    if (loop->uses_bus &&
        (!tigon_bus_quiet(cpu->bus, cpu->cycle) ||
         (cpu->peer && cpu->peer->loop.stage == TIGON_LOOP_PARKED && cpu->peer->loop.uses_bus)))
        return;
    loop->head = cpu->pc;
    loop->start = start_of(cpu);
    loop->stage = TIGON_LOOP_WATCHED;
    if (cpu->peer && cpu->peer->native)
        tigon_engine->peer_loops(cpu->peer->native);
}

bool tigon_loop_arrived(struct tigon_cpu *cpu) {
    struct tigon_cpu_loop *loop = &cpu->loop;
    struct tigon_loop_start *start = &loop->start;
    const struct tigon_loop_start now = start_of(cpu);
    const uint64_t period = now.cycle - start->cycle;
    if (now.cycle >= cpu->horizon) /* ahead of events that may still come */
        return false;
    if (loop->uses_bus && !tigon_bus_quiet(cpu->bus, cpu->cycle)) {
        tigon_loop_forget(cpu);
        return false;
    }
    const bool same = now.write_buffer == start->write_buffer &&
                      now.core_free == start->core_free &&
                      now.load_register == start->load_register &&
                      now.line_valid == start->line_valid && now.line_offset == start->line_offset;
    if (!same || now.cycle + TURNS_WORTH_IT * period > loop->wake_at) {
        /* The state on entry to the loop differed from that within it: one more turn. */
        if (same || loop->turns++ == 2u)
            tigon_loop_forget(cpu);
        *start = now;
        return false;
    }
    const struct tigon_cpu_statistics *a = &now.statistics, *b = &start->statistics;
    cpu->poll.period = period;
    cpu->poll.per_period = (struct tigon_cpu_statistics){
        .instructions = a->instructions - b->instructions,
        .load_use_stalls = a->load_use_stalls - b->load_use_stalls,
        .bus_stalls = a->bus_stalls - b->bus_stalls,
        .instruction_line_misses = a->instruction_line_misses - b->instruction_line_misses,
        .sram_loads = a->sram_loads - b->sram_loads,
        .sram_stores = a->sram_stores - b->sram_stores,
        .register_reads = a->register_reads - b->register_reads,
    };
    loop->beats = now.beats - start->beats;
    loop->bus_stalls = now.bus_stalls - start->bus_stalls;
    loop->counted = 0;
    loop->stage = TIGON_LOOP_PARKED;
    tigon_poll_park(cpu);
    return true;
}

void tigon_loop_skip(struct tigon_cpu *cpu, uint64_t cycle) {
    const struct tigon_cpu_loop *loop = &cpu->loop;
    const uint64_t period = cpu->poll.period;
    tigon_cpu_catch_up(cpu, cycle);
    const uint64_t skipped = loop->counted;
    if (skipped == 0)
        return;
    if (cpu->poll.per_period.sram_stores != 0)
        cpu->write_buffer_free += skipped * period;
    *beats(cpu) += skipped * loop->beats;
    *bus_stalls(cpu) += skipped * loop->bus_stalls;
    if (loop->beats != 0)
        cpu->bus->core_free += skipped * period;
}

uint32_t tigon_loop_value(const struct tigon_cpu *cpu, uint32_t offset) {
    const struct tigon_cpu_loop *loop = &cpu->loop;
    if (offset == cpu->port.timer)
        return loop->timer_value + (uint32_t)(cpu->cycle / TIGON_CYCLES_PER_US -
                                              loop->timer_cycle / TIGON_CYCLES_PER_US);
    for (unsigned i = 0; i < loop->register_count; i++)
        if (loop->registers[i].offset == offset)
            return loop->registers[i].value;
    return 0; /* the turn is the proven one: there are no others */
}

void tigon_cpu_before_change(struct tigon_cpu *cpu, uint64_t cycle) {
    if (cpu->loop.stage != TIGON_LOOP_NONE)
        tigon_cpu_wake(cpu, cycle);
}
