/* SPDX-License-Identifier: MIT */
/* Charges; see charge.h. */
#include "sim/chip/charge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"

enum {
    DEPTH_LIMIT = 32, /* deeper calls are not followed: no protocol recurses */
    FILTER_BITS = 1 << 12,
    REGISTER_ARGUMENT = 4,
    REGISTER_ARGUMENTS = 4, /* the others lie on the stack, after room for these */
    REGISTER_STACK = 29,
    REGISTER_RETURN = 31
};

struct line {
    struct tigon_charge charge;
    struct tigon_charge_counts counts;
    uint64_t own; /* cycles of the function's own the last time */
};

/* A function of the table that is being executed. */
struct frame {
    uint32_t back; /* where it returns to, and the stack pointer there */
    uint32_t back_stack;
    uint64_t lines;        /* that hold for this call, one bit each */
    struct line *executed; /* of these the one whose cost is what is executed, or NULL */
};

/*
 * Time excludes polling and waits for the semaphore. `covered` is the time up to which charges
 * account for the core's work; it is ahead of time while a charge is not used up.
 */
struct tigon_charging {
    struct tigon_board *board;
    struct tigon_cpu *cpu;
    unsigned core;
    struct line lines[TIGON_CHARGES];
    size_t count;
    uint32_t idle;
    bool others_cost;
    struct frame frames[DEPTH_LIMIT];
    size_t depth;
    uint64_t covered;
    uint64_t stalled;         /* cycles in all */
    bool postponed;           /* stalls until then when the semaphore is given back */
    uint64_t executed_since;  /* where the function at the top costs what it executes */
    uint32_t carried_at_most; /* cycles */
    struct line *working;     /* the function whose own instructions are executing, or NULL */
    size_t working_depth;
    uint64_t working_since;
    uint8_t filter[FILTER_BITS / 8]; /* words worth looking at; addresses alias harmlessly */
};

/* No loop that waits for the semaphore is parked: it writes a register. */
static uint64_t time_of(const struct tigon_charging *charging) {
    const struct tigon_board *board = charging->board;
    return charging->cpu->cycle - board->core_control.parked_cycles[charging->core] -
           board->statistics.core[charging->core].lock_wait_cycles;
}

/* The part of that in which the core did not stall for a charge. */
static uint64_t executed(const struct tigon_charging *charging) {
    return time_of(charging) - charging->stalled;
}

static bool has_semaphore(const struct tigon_charging *charging) {
    return charging->board->semaphore.holder == charging->core + 1;
}

static void note(struct tigon_charging *charging, uint32_t address) {
    const uint32_t bit = address / 4u % FILTER_BITS;
    charging->filter[bit / 8] |= (uint8_t)(1u << bit % 8);
}

static bool noted(const struct tigon_charging *charging, uint32_t address) {
    const uint32_t bit = address / 4u % FILTER_BITS;
    return (charging->filter[bit / 8] >> bit % 8 & 1u) != 0;
}

static void stall_until(struct tigon_charging *charging, uint64_t time) {
    const uint64_t now = time_of(charging);
    charging->postponed = time > now && has_semaphore(charging);
    if (time <= now || charging->postponed)
        return;
    charging->cpu->cycle += time - now;
    charging->stalled += time - now;
}

/* A function's own instructions end: at its return, or where another charge begins. */
static void end_work(struct tigon_charging *charging) {
    struct line *line = charging->working;
    if (!line)
        return;
    line->own = executed(charging) - charging->working_since;
    if (line->own > line->counts.own_most)
        line->counts.own_most = line->own;
    charging->working = NULL;
}

static struct line *executed_line(const struct tigon_charging *charging) {
    return charging->depth > 0 ? charging->frames[charging->depth - 1].executed : NULL;
}

/* The function at the top begins, or goes on after a function that it called. */
static void begin_executed(struct tigon_charging *charging) {
    charging->executed_since = executed(charging);
}

/* It returns, or calls a function of the table. */
static void end_executed(struct tigon_charging *charging) {
    struct line *line = executed_line(charging);
    if (!line)
        return;
    const uint64_t cycles = executed(charging) - charging->executed_since;
    charging->covered += cycles;
    line->counts.cycles += cycles;
    if (cycles > line->counts.own_most)
        line->counts.own_most = cycles;
}

static void charge(struct tigon_charging *charging, struct line *line, uint64_t cycles) {
    end_work(charging);
    charging->covered += cycles;
    line->counts.charged++;
    line->counts.cycles += cycles;
    const uint64_t now = time_of(charging);
    if (now > charging->covered + charging->carried_at_most) {
        const uint64_t late = now - charging->covered - charging->carried_at_most;
        line->counts.late++;
        if (late > line->counts.late_most)
            line->counts.late_most = late;
        charging->covered += late;
    }
    if (line->charge.place == TIGON_CHARGE_AFTER) {
        stall_until(charging, charging->covered);
        return;
    }
    if (charging->covered > line->own)
        stall_until(charging, charging->covered - line->own);
    charging->working = line;
    charging->working_depth = charging->depth;
    charging->working_since = executed(charging);
}

/* ------------------------------------------------------------------------------------------------
 * Following calls */

static uint32_t argument(const struct tigon_cpu *cpu, unsigned index) {
    uint8_t bytes[4] = {0};
    if (index < REGISTER_ARGUMENTS)
        return cpu->gpr[REGISTER_ARGUMENT + index];
    (void)tigon_memory_debug_read(cpu->memory, cpu->core, cpu->gpr[REGISTER_STACK] + 4u * index,
                                  bytes, sizeof bytes);
    return tigon_load_be32(bytes);
}

static bool holds(const struct tigon_charging *charging, const struct tigon_charge *charge) {
    return charge->argument == 0 ||
           charge->not_value != (argument(charging->cpu, charge->argument - 1) == charge->value);
}

static uint64_t cycles_of(const struct tigon_charging *charging,
                          const struct tigon_charge *charge) {
    if (charge->times == 0)
        return charge->cycles;
    const uint32_t units = argument(charging->cpu, charge->times - 1);
    return units > charge->less ? (uint64_t)charge->cycles * (units - charge->less) : 0;
}

static void charge_all(struct tigon_charging *charging, uint64_t lines,
                       enum tigon_charge_place place) {
    for (size_t i = 0; i < charging->count; i++)
        if ((lines >> i & 1u) != 0 && charging->lines[i].charge.place == place)
            charge(charging, &charging->lines[i], cycles_of(charging, &charging->lines[i].charge));
}

static void enter(struct tigon_charging *charging, uint32_t pc) {
    struct frame frame = {.back = charging->cpu->gpr[REGISTER_RETURN],
                          .back_stack = charging->cpu->gpr[REGISTER_STACK]};
    bool known = false;
    for (size_t i = 0; i < charging->count; i++) {
        const struct tigon_charge *charge = &charging->lines[i].charge;
        if (charge->function != pc)
            continue;
        known = true;
        if (!holds(charging, charge))
            continue;
        frame.lines |= UINT64_C(1) << i;
        if (charge->place == TIGON_CHARGE_EXECUTED)
            frame.executed = &charging->lines[i];
    }
    if (!known || charging->depth == DEPTH_LIMIT)
        return;
    end_executed(charging);
    if (charging->others_cost && charging->depth == 0)
        charging->covered = time_of(charging);
    charging->frames[charging->depth++] = frame;
    charge_all(charging, frame.lines, TIGON_CHARGE_BEFORE);
    if (frame.executed) {
        end_work(charging);
        frame.executed->counts.charged++;
    }
    begin_executed(charging);
}

/* The function at the top returns. */
static void leave(struct tigon_charging *charging) {
    const struct frame *frame = &charging->frames[charging->depth - 1];
    end_executed(charging);
    if (charging->working && charging->working_depth == charging->depth)
        end_work(charging);
    if (frame->lines != 0)
        stall_until(charging, charging->covered);
    charge_all(charging, frame->lines, TIGON_CHARGE_AFTER);
    charging->depth--;
    if (charging->others_cost && charging->depth == 0)
        charging->covered = time_of(charging);
    begin_executed(charging);
}

static bool observe(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct tigon_charging *charging = context;
    (void)core;
    (void)cycle;
    /* Functions that end in a tail call return together. */
    while (charging->depth > 0 && charging->frames[charging->depth - 1].back == pc &&
           charging->frames[charging->depth - 1].back_stack == charging->cpu->gpr[REGISTER_STACK])
        leave(charging);
    if (charging->postponed && !has_semaphore(charging))
        stall_until(charging, charging->covered);
    if (!noted(charging, pc))
        return false;
    if (pc == charging->idle) {
        charging->depth = 0; /* also after a restart in the middle of a function */
        charging->working = NULL;
        charging->covered = time_of(charging);
        return false;
    }
    enter(charging, pc);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Beginning and end */

int tigon_charging_start(struct tigon_charging **charging, struct tigon_board *board, unsigned core,
                         const struct tigon_charge_table *table) {
    if (table->count > TIGON_CHARGES || core > 1)
        return -EINVAL;
    struct tigon_charging *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    result->board = board;
    result->core = core;
    result->cpu = &board->cpu[core];
    result->count = table->count;
    result->idle = table->idle;
    result->others_cost = table->others_cost;
    result->covered = time_of(result);
    note(result, table->idle);
    for (size_t i = 0; i < table->count; i++) {
        const struct tigon_charge *charge = &table->charges[i];
        if (charge->function == 0 || charge->function % 4u != 0 ||
            (charge->times != 0 && charge->place != TIGON_CHARGE_BEFORE)) {
            free(result);
            return -EINVAL;
        }
        result->lines[i].charge = *charge;
        note(result, charge->function);
        if (charge->cycles > result->carried_at_most)
            result->carried_at_most = charge->cycles;
    }
    if (!tigon_cpu_add_observer(result->cpu, observe, result)) {
        free(result);
        return -EBUSY;
    }
    *charging = result;
    return 0;
}

bool tigon_charging_counts(const struct tigon_charging *charging, size_t line,
                           struct tigon_charge_counts *counts) {
    if (!charging || line >= charging->count)
        return false;
    *counts = charging->lines[line].counts;
    return true;
}

void tigon_charging_end(struct tigon_charging *charging) {
    if (!charging)
        return;
    tigon_cpu_remove_observer(charging->cpu, observe, charging);
    free(charging);
}
