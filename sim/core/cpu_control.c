/* SPDX-License-Identifier: MIT */
/* Starting, stopping and wiring of cores: the state register of tigon2.md 3.7. */
#include "sim/core/cpu_private.h"
#include "sim/core/engine.h"

void tigon_cpu_initialise(struct tigon_cpu *cpu, unsigned core, struct tigon_memory *memory,
                          struct tigon_bus *bus, const struct tigon_timing *timing,
                          const struct tigon_cpu_port *port) {
    memset(cpu, 0, sizeof *cpu);
    cpu->core = core;
    cpu->memory = memory;
    cpu->scratchpad = memory->scratchpad[core];
    cpu->scratchpad_decoded = memory->scratchpad_decoded[core];
    cpu->scratchpad_size = memory->scratchpad_size[core];
    cpu->bus = bus;
    cpu->timing = *timing;
    cpu->port = *port;
    cpu->run_ahead = TIGON_CPU_RUN_AHEAD_DEFAULT;
    for (uint32_t offset = 0; port->register_pollable && offset < TIGON_REGISTERS_SIZE; offset += 4)
        cpu->pollable[offset / 4u] = port->register_pollable(port->context, core, offset);
    static const uint32_t zero;
    for (uint32_t offset = 0; port->register_view && offset < TIGON_REGISTERS_SIZE; offset += 4) {
        cpu->register_view[offset / 4u].base = &zero;
        cpu->register_view[offset / 4u].mask = UINT32_MAX;
        port->register_view(port->context, core, offset, &cpu->register_view[offset / 4u]);
    }
    cpu->timer_number = port->timer && port->timer_offset ? port->timer / 4u : UINT32_MAX;
    tigon_cpu_reset(cpu);
}

void tigon_cpu_pair(struct tigon_cpu *a, struct tigon_cpu *b) {
    a->peer = b;
    b->peer = a;
}

void tigon_cpu_set_run_ahead(struct tigon_cpu *cpu, uint32_t cycles) {
    cpu->run_ahead = cycles;
    if (cpu->native) /* which may stand in a block that fits below the limit there was */
        tigon_engine->moved(cpu->native);
}

bool tigon_cpu_set_native(struct tigon_cpu *cpu, bool on) {
    if (on && !cpu->native)
        cpu->native = tigon_engine ? tigon_engine->create(cpu) : NULL;
    if (!on && cpu->native) {
        tigon_engine->destroy(cpu->native);
        cpu->native = NULL;
    }
    return cpu->native != NULL;
}

bool tigon_cpu_share_native(struct tigon_cpu *cpu, const struct tigon_cpu *with) {
    return cpu->native && with->native && tigon_engine->share(cpu->native, with->native);
}

void tigon_cpu_registers_written(struct tigon_cpu *cpu) {
    if (cpu->native)
        tigon_engine->moved(cpu->native);
}

#define OBSERVERS                                                                                  \
    (sizeof((struct tigon_cpu *)0)->observers / sizeof((struct tigon_cpu *)0)->observers[0])

static bool show_to_all(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct tigon_cpu *cpu = context;
    bool stop = false;
    for (size_t i = 0; i < OBSERVERS; i++)
        if (cpu->observers[i].function)
            stop |= cpu->observers[i].function(cpu->observers[i].context, core, pc, cycle);
    return stop;
}

/* A lonely observer is called without a detour. */
static void choose_observer(struct tigon_cpu *cpu) {
    size_t count = 0;
    cpu->observer = NULL;
    for (size_t i = 0; i < OBSERVERS; i++)
        if (cpu->observers[i].function) {
            cpu->observer = cpu->observers[i].function;
            cpu->observer_context = cpu->observers[i].context;
            count++;
        }
    if (count > 1) {
        cpu->observer = show_to_all;
        cpu->observer_context = cpu;
    }
}

void tigon_cpu_set_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context) {
    cpu->observers[0].function = observer;
    cpu->observers[0].context = context;
    cpu->shown = false;
    choose_observer(cpu);
}

bool tigon_cpu_add_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context) {
    for (size_t i = 1; i < OBSERVERS; i++)
        if (!cpu->observers[i].function) {
            cpu->observers[i].function = observer;
            cpu->observers[i].context = context;
            choose_observer(cpu);
            return true;
        }
    return false;
}

void tigon_cpu_remove_observer(struct tigon_cpu *cpu, tigon_cpu_observer observer, void *context) {
    for (size_t i = 1; i < OBSERVERS; i++)
        if (cpu->observers[i].function == observer && cpu->observers[i].context == context)
            cpu->observers[i].function = NULL;
    choose_observer(cpu);
}

void tigon_cpu_set_park_hook(struct tigon_cpu *cpu, tigon_cpu_park_hook hook, void *context) {
    cpu->park_hook = hook;
    cpu->park_context = context;
}

/* The first cycle at which `cpu` may not make a shared access, given where the other core is. */
static uint64_t bound_by(const struct tigon_cpu *cpu, const struct tigon_cpu *other) {
    return tigon_cpu_due(other) + (cpu->core == TIGON_CORE_A ? 1u : 0u);
}

void tigon_cpu_limit_peer(const struct tigon_cpu *cpu) {
    struct tigon_cpu *peer = cpu->peer;
    if (!peer || !peer->running)
        return;
    const uint64_t bound = bound_by(peer, cpu);
    if (bound < peer->lowest_bound)
        peer->lowest_bound = bound;
    if (bound < peer->horizon)
        peer->horizon = bound;
}

void tigon_cpu_limit(struct tigon_cpu *cpu, uint64_t cycle) {
    if (cycle < cpu->event_limit)
        cpu->event_limit = cycle;
    if (cycle < cpu->lowest_bound)
        cpu->lowest_bound = cycle;
    if (cycle < cpu->horizon)
        cpu->horizon = cycle;
}

void tigon_cpu_halt(struct tigon_cpu *cpu, uint64_t cycle) {
    if (tigon_cpu_stopped(cpu))
        return;
    tigon_cpu_settle(cpu, cycle);
    tigon_poll_end(cpu, cycle);
    cpu->state |= TIGON_CPU_STATE_HALTED;
    tigon_cpu_due_changed(cpu);
}

bool tigon_cpu_start(struct tigon_cpu *cpu, uint32_t pc, uint64_t cycle) {
    if (!tigon_cpu_stopped(cpu))
        return false;
    tigon_cpu_set_pc(cpu, pc);
    tigon_cpu_registers_written(cpu);
    cpu->state &= ~TIGON_CPU_STATE_STOPPED;
    cpu->cycle = cycle;
    cpu->load_register = 0;
    cpu->line_valid = false;
    cpu->poll.stage = 0;
    cpu->loop.stage = TIGON_LOOP_NONE;
    cpu->loop.look_at = cycle;
    cpu->shown = false;
    tigon_cpu_due_changed(cpu);
    tigon_cpu_limit_peer(cpu);
    return true;
}

void tigon_cpu_reset(struct tigon_cpu *cpu) {
    cpu->state = TIGON_CPU_STATE_HALTED | (cpu->core == TIGON_CORE_A ? TIGON_CPU_STATE_HALT_EXECUTED
                                                                     : TIGON_CPU_STATE_ROM_FAILED);
    if (cpu->parked && cpu->park_hook)
        cpu->park_hook(cpu->park_context, cpu->core, false, cpu->cycle);
    cpu->parked = false;
    cpu->poll.stage = 0;
    cpu->loop.stage = TIGON_LOOP_NONE;
    cpu->pc = 0;
    cpu->npc = 4;
    cpu->load_register = 0;
    tigon_cpu_registers_written(cpu);
    cpu->line_valid = false;
    cpu->shown = false;
    tigon_cpu_due_changed(cpu);
}

uint32_t tigon_cpu_state_read(const struct tigon_cpu *cpu) {
    return cpu->state;
}

void tigon_cpu_state_write(struct tigon_cpu *cpu, uint32_t value, uint64_t cycle) {
    const uint32_t stored =
        TIGON_CPU_STATE_SINGLE_STEP | TIGON_CPU_STATE_NULL_PAGE | TIGON_CPU_STATE_ROM_FAILED;
    if ((value & TIGON_CPU_STATE_RESET) != 0) {
        tigon_cpu_halt(cpu, cycle);
        tigon_cpu_reset(cpu);
        return;
    }
    cpu->state = (cpu->state & ~stored) | (value & stored);
    if ((value & TIGON_CPU_STATE_HALTED) == 0) {
        (void)tigon_cpu_start(cpu, cpu->pc, cycle);
    } else {
        tigon_cpu_halt(cpu, cycle);
        cpu->state |= TIGON_CPU_STATE_HALTED;
    }
}

void tigon_cpu_set_pc(struct tigon_cpu *cpu, uint32_t pc) {
    /* A debugger that writes back the PC it read must not lose a pending branch. */
    if (!tigon_cpu_stopped(cpu) || pc == cpu->pc)
        return;
    cpu->pc = pc;
    cpu->npc = pc + 4u;
    cpu->load_register = 0;
    tigon_cpu_registers_written(cpu);
    cpu->shown = false;
}

void tigon_cpu_invalidate(struct tigon_cpu *cpu, uint32_t address, uint32_t length) {
    uint32_t offset;
    if (length == 0 || !cpu->line_valid ||
        tigon_memory_place(cpu->memory, cpu->core, address, &offset) != TIGON_PLACE_SRAM)
        return;
    uint32_t mask = cpu->memory->sram_mask;
    if (((cpu->line_offset - offset) & mask) < length ||
        ((offset - cpu->line_offset) & mask) < cpu->timing.instruction_line_bytes)
        cpu->line_valid = false;
}
