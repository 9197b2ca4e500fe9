/* SPDX-License-Identifier: MIT */
/* Following the cores; see execution.h. */
#include "sim/observe/execution.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"

enum {
    DEPTH_LIMIT = 256, /* deeper calls count for the function that made them */
    REGISTER_ARGUMENT = 4,
    REGISTER_TRACE = 24,
    REGISTER_STACK = 29,
    REGISTER_RETURN = 31,
    CORES = 2
};

#define NOWHERE 1u /* the address of no instruction */

struct frame {
    struct tigon_executed *function;
    uint32_t back; /* where it returns to, and the stack pointer there */
    uint32_t back_stack;
    uint64_t entered;
    bool traced; /* has taken a transition */
};

/* A transition in progress. */
struct open {
    struct tigon_transition transition;
    size_t depth; /* index of the frame that took it */
};

struct core {
    struct tigon_execution *execution;
    struct tigon_cpu *cpu;
    unsigned number;
    struct tigon_symbols *symbols;
    struct tigon_executed **functions;
    size_t function_count;
    uint32_t *function_of; /* by word: index plus 1; 0 unknown */
    uint32_t trace_word;   /* calls to this address write a record with its word in $24 */
    uint32_t trace_pair;   /* or with two arguments; UINT32_MAX: no such function */

    struct frame frames[DEPTH_LIMIT];
    size_t depth;
    struct open open[DEPTH_LIMIT];
    size_t open_count;

    /* The instruction before, and the counters at its beginning */
    bool begun;
    uint32_t last;
    uint64_t cycle;
    uint64_t idle;
    struct tigon_cpu_statistics statistics;
    /* Where the function at the top of the stack lies */
    uint32_t here_start;
    uint32_t here_bytes;
};

struct tigon_execution {
    struct tigon_board *board;
    struct core core[CORES];
    struct tigon_execution_listener *listeners;
    size_t listener_count;
    bool ended;
};

uint32_t tigon_execution_word(uint32_t address) {
    const uint32_t scratchpad = address - TIGON_SCRATCHPAD;
    if (scratchpad < 0x4000u)
        return (0x200000u + scratchpad) / 4u;
    return (address & 0x1FFFFFu) / 4u;
}

/* ------------------------------------------------------------------------------------------------
 * Functions */

static struct tigon_executed *add_function(struct core *core, const char *name, uint32_t start,
                                           uint32_t bytes, bool known) {
    struct tigon_executed *function = calloc(1, sizeof *function);
    struct tigon_executed **functions =
        realloc(core->functions, (core->function_count + 1) * sizeof(struct tigon_executed *));
    if (functions)
        core->functions = functions;
    if (!function || !functions) {
        free(function);
        return NULL;
    }
    *function = (struct tigon_executed){name, start, bytes, known, core->function_count};
    functions[core->function_count++] = function;
    return function;
}

static struct tigon_executed *function_at(const struct core *core, uint32_t address) {
    const uint32_t index = core->function_of[tigon_execution_word(address)];
    return index ? core->functions[index - 1] : NULL;
}

/* The function that begins at `address`; adds it if it is unknown. */
static struct tigon_executed *function_from(struct core *core, uint32_t address) {
    struct tigon_executed *function = function_at(core, address);
    char name[16];
    if (function && (function->known || function->start == address))
        return function;
    (void)snprintf(name, sizeof name, "at_%08x", address);
    char *copy = strdup(name);
    function = copy ? add_function(core, copy, address, 0, false) : NULL;
    if (!function) {
        free(copy);
        return core->depth ? core->frames[core->depth - 1].function : core->functions[0];
    }
    core->function_of[tigon_execution_word(address)] = (uint32_t)function->index + 1;
    return function;
}

/* ------------------------------------------------------------------------------------------------
 * Telling */

#define TELL(core, function, ...)                                                                  \
    for (size_t i = 0; i < (core)->execution->listener_count; i++)                                 \
        if ((core)->execution->listeners[i].function)                                              \
    (core)->execution->listeners[i].function((core)->execution->listeners[i].context, __VA_ARGS__)

/* Costs of the instruction before, up to `now`. */
static void account(struct core *core, uint64_t now, const struct tigon_cpu_statistics *statistics,
                    uint64_t idle) {
    if (core->begun && core->depth) {
        const struct tigon_cpu_statistics *before = &core->statistics;
        const struct tigon_cost cost = {
            .instructions = statistics->instructions - before->instructions,
            .cycles = now > core->cycle ? now - core->cycle : 0,
            .stalls = statistics->load_use_stalls - before->load_use_stalls +
                      statistics->bus_stalls - before->bus_stalls,
            .idle = idle - core->idle,
        };
        TELL(core, spent, core->number, core->frames[core->depth - 1].function, core->last, &cost);
    }
    core->cycle = now;
    core->statistics = *statistics;
    core->idle = idle;
}

/* ------------------------------------------------------------------------------------------------
 * Transitions */

/* Ends those taken by frames from `depth` on. */
static void end_transitions(struct core *core, size_t depth, uint64_t cycle) {
    while (core->open_count && core->open[core->open_count - 1].depth >= depth) {
        struct tigon_transition *transition = &core->open[--core->open_count].transition;
        transition->ended = cycle;
        if (core->open_count)
            core->open[core->open_count - 1].transition.nested += cycle - transition->started;
        TELL(core, transition, transition);
    }
}

/* The function at the top writes a record for the one below it. */
static void begin_transition(struct core *core, uint32_t id, uint32_t argument, uint64_t cycle) {
    if (core->depth < 2)
        return;
    const size_t depth = core->depth - 2;
    struct frame *frame = &core->frames[depth];
    end_transitions(core, depth, cycle);
    if (core->open_count == DEPTH_LIMIT)
        return;
    core->open[core->open_count++] = (struct open){
        .transition = {.core = core->number,
                       .id = id,
                       .argument = argument,
                       .function = frame->function,
                       .started = cycle,
                       .lead = frame->traced ? 0 : cycle - frame->entered},
        .depth = depth,
    };
    frame->traced = true;
}

/* ------------------------------------------------------------------------------------------------
 * The stack */

static void see_top(struct core *core) {
    const struct tigon_executed *top = core->depth ? core->frames[core->depth - 1].function : NULL;
    core->here_start = top && top->known ? top->start : 0;
    core->here_bytes = top && top->known ? top->bytes : UINT32_MAX;
}

static void push(struct core *core, struct tigon_executed *function, uint32_t site,
                 uint64_t cycle) {
    if (core->depth == DEPTH_LIMIT)
        return;
    /* The content of $31 when a core starts is meaningless. */
    const uint32_t back = core->depth ? core->cpu->gpr[REGISTER_RETURN] : NOWHERE;
    core->frames[core->depth++] = (struct frame){
        .function = function,
        .back = back,
        .back_stack = core->cpu->gpr[REGISTER_STACK],
        .entered = cycle,
    };
    TELL(core, enter, core->number, function, site, cycle);
}

static void pop_to(struct core *core, size_t depth, uint64_t cycle) {
    end_transitions(core, depth, cycle);
    while (core->depth > depth) {
        const struct tigon_executed *function = core->frames[--core->depth].function;
        TELL(core, leave, core->number, function, cycle);
    }
}

/* The frame that returns to `pc`, with those it was called from without coming back; or depth. */
static size_t returning(const struct core *core, uint32_t pc) {
    const uint32_t stack = core->cpu->gpr[REGISTER_STACK];
    size_t at = core->depth;
    while (at > 0 && (core->frames[at - 1].back != pc || core->frames[at - 1].back_stack != stack))
        at--;
    if (at == 0)
        return core->depth;
    for (at--; at > 0; at--)
        if (core->frames[at - 1].back != pc || core->frames[at - 1].back_stack != stack)
            break;
    return at;
}

/* `pc` does not follow the instruction before, or lies in another function. */
static void moved(struct core *core, uint32_t pc, uint64_t cycle) {
    const bool jumped = pc != core->last + 4u;
    const struct tigon_executed *top;
    if (jumped && core->begun && core->cpu->gpr[REGISTER_RETURN] == core->last + 4u) {
        push(core, function_from(core, pc), core->last - 4u, cycle);
    } else {
        const size_t back = jumped ? returning(core, pc) : core->depth;
        if (back < core->depth)
            pop_to(core, back, cycle);
        struct tigon_executed *there = function_at(core, pc);
        top = core->depth ? core->frames[core->depth - 1].function : NULL;
        if (!top) {
            push(core, function_from(core, pc), core->last, cycle);
        } else if (there != top && ((there && there->known) || top->known)) {
            /* Out of the function without a call: back to one that is open, or a tail call. */
            size_t at = core->depth;
            while (at > 0 && core->frames[at - 1].function != there)
                at--;
            if (at > 0)
                pop_to(core, at, cycle);
            else
                push(core, function_from(core, pc), core->last, cycle);
        }
    }
    see_top(core);
}

static bool observe(void *context, unsigned number, uint32_t pc, uint64_t cycle) {
    struct core *core = context;
    (void)number;
    account(core, cycle, &core->cpu->statistics,
            core->execution->board->core_control.parked_cycles[core->number]);
    if (pc != core->last + 4u || pc - core->here_start >= core->here_bytes || !core->begun) {
        moved(core, pc, cycle);
        if (pc == core->trace_word)
            begin_transition(core, core->cpu->gpr[REGISTER_TRACE] >> 16,
                             core->cpu->gpr[REGISTER_TRACE] & 0xFFFFu, cycle);
        else if (pc == core->trace_pair)
            begin_transition(core, core->cpu->gpr[REGISTER_ARGUMENT],
                             core->cpu->gpr[REGISTER_ARGUMENT + 1], cycle);
    }
    core->last = pc;
    core->begun = true;
    return false;
}

/* A core that is started again has lost its stack. */
static void see_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                       uint32_t value, uint64_t ticks) {
    struct tigon_execution *execution = context;
    (void)ticks;
    if (board != execution->board || !value ||
        (signal != TIGON_SIGNAL_RUNNING_A && signal != TIGON_SIGNAL_RUNNING_B))
        return;
    struct core *core = &execution->core[signal == TIGON_SIGNAL_RUNNING_B];
    account(core, core->cycle, &core->cpu->statistics, core->idle);
    pop_to(core, 0, core->cycle);
    core->begun = false;
    core->cycle = core->cpu->cycle;
    see_top(core);
}

/* ------------------------------------------------------------------------------------------------
 * Life */

static void free_core(struct core *core) {
    for (size_t i = 0; i < core->function_count; i++) {
        if (!core->functions[i]->known)
            free((char *)(uintptr_t)core->functions[i]->name);
        free(core->functions[i]);
    }
    free(core->functions);
    free(core->function_of);
    tigon_symbols_free(core->symbols);
}

int tigon_execution_start(struct tigon_execution **execution, struct tigon_board *board) {
    struct tigon_execution *result = calloc(1, sizeof *result);
    const struct tigon_observer observer = {.context = result, .signal = see_signal};
    int error = result ? tigon_world_attach(board->world, &observer) : -ENOMEM;
    if (error) {
        free(result);
        return error;
    }
    result->board = board;
    for (unsigned number = 0; number < CORES; number++) {
        struct core *core = &result->core[number];
        core->execution = result;
        core->number = number;
        core->cpu = &board->cpu[number];
        core->trace_word = core->trace_pair = UINT32_MAX;
        core->statistics = core->cpu->statistics;
        core->cycle = core->cpu->cycle;
        core->idle = board->core_control.parked_cycles[number];
        core->function_of = calloc(TIGON_EXECUTION_WORDS, sizeof *core->function_of);
        char *name = strdup("?"); /* there is always one function, when memory is used up */
        if (!core->function_of || !name || !add_function(core, name, 0, 0, false)) {
            free(name);
            error = -ENOMEM;
        } else if (!tigon_cpu_add_observer(core->cpu, observe, core)) {
            error = -EBUSY;
        }
        see_top(core);
    }
    if (error) {
        tigon_execution_end(result);
        tigon_execution_free(result);
        return error;
    }
    *execution = result;
    return 0;
}

int tigon_execution_symbols(struct tigon_execution *execution, unsigned number, const char *path) {
    struct core *core = &execution->core[number & 1u];
    if (core->symbols)
        return -EBUSY;
    const int error = tigon_symbols_load(&core->symbols, path, number);
    if (error)
        return error;
    for (size_t i = 0; i < tigon_symbols_count(core->symbols); i++) {
        const struct tigon_function *from = tigon_symbols_function(core->symbols, i);
        struct tigon_executed *function =
            add_function(core, from->name, from->start, from->bytes, true);
        if (!function)
            return -ENOMEM;
        for (uint32_t at = 0; at < from->bytes && at < 0x200000u; at += 4)
            core->function_of[tigon_execution_word(from->start + at)] =
                (uint32_t)function->index + 1;
    }
    (void)tigon_symbols_value(core->symbols, "tigon2_trace", &core->trace_word);
    (void)tigon_symbols_value(core->symbols, "nic_trace", &core->trace_pair);
    return 0;
}

int tigon_execution_listen(struct tigon_execution *execution,
                           const struct tigon_execution_listener *listener) {
    struct tigon_execution_listener *listeners =
        realloc(execution->listeners, (execution->listener_count + 1) * sizeof *listeners);
    if (!listeners)
        return -ENOMEM;
    listeners[execution->listener_count++] = *listener;
    execution->listeners = listeners;
    return 0;
}

/* The polls that a parked core skipped, and the last instruction. */
static void settle(struct core *core) {
    const struct tigon_board *board = core->execution->board;
    struct tigon_cpu now;
    struct tigon_bus bus;
    const uint64_t before = core->cpu->cycle;
    tigon_cpu_show(core->cpu, tigon_cycle_at_or_after(tigon_world_now_ticks(board->world)), &now,
                   &bus);
    account(core, now.cycle, &now.statistics,
            board->core_control.parked_cycles[core->number] + now.cycle - before);
}

void tigon_execution_settle(struct tigon_execution *execution) {
    for (unsigned number = 0; number < CORES; number++)
        settle(&execution->core[number]);
}

void tigon_execution_end(struct tigon_execution *execution) {
    if (!execution || execution->ended)
        return;
    execution->ended = true;
    tigon_world_detach(execution->board->world, execution);
    for (unsigned number = 0; number < CORES; number++) {
        struct core *core = &execution->core[number];
        if (!core->cpu)
            continue;
        settle(core);
        pop_to(core, 0, core->cycle);
        tigon_cpu_remove_observer(core->cpu, observe, core);
    }
}

void tigon_execution_free(struct tigon_execution *execution) {
    if (!execution)
        return;
    for (unsigned number = 0; number < CORES; number++)
        free_core(&execution->core[number]);
    free(execution->listeners);
    free(execution);
}

const struct tigon_executed *tigon_execution_top(const struct tigon_execution *execution,
                                                 unsigned core) {
    const struct core *from = &execution->core[core & 1u];
    return from->depth ? from->frames[from->depth - 1].function : NULL;
}

struct tigon_board *tigon_execution_board(const struct tigon_execution *execution) {
    return execution->board;
}

const struct tigon_symbols *tigon_execution_symbols_of(const struct tigon_execution *execution,
                                                       unsigned core) {
    return execution->core[core & 1u].symbols;
}
