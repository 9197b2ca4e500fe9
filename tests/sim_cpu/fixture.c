/* SPDX-License-Identifier: MIT */
/* See fixture.h. */
#include "tests/sim_cpu/fixture.h"

#include <stdlib.h>
#include <string.h>

#include "sim/core/engine.h"

static bool native, words;

bool fixture_native(bool on) {
    const bool before = native;
    native = on;
    return before;
}

bool fixture_words(bool on) {
    const bool before = words;
    words = on;
    return before;
}

static void note(struct fixture *fixture, unsigned core, uint32_t offset, uint32_t value,
                 uint64_t cycle) {
    uint64_t words[] = {core, offset, value, cycle};
    for (unsigned i = 0; i < 4; i++)
        fixture->trace = (fixture->trace ^ words[i]) * 0x100000001B3u;
}

static uint32_t read_register(void *context, unsigned core, uint32_t offset, uint64_t cycle) {
    struct fixture *fixture = context;
    fixture->reads++;
    fixture->last_read_cycle = cycle;
    fixture->access_ticks = cycle * TIGON_TICKS_PER_CYCLE;
    uint32_t value = offset == TIMER ? (uint32_t)(cycle / 88) + fixture->timer_offset
                                     : fixture->registers[core][offset / 4];
    if (offset != EVENT && offset != PLAIN && offset != STEADY &&
        !(fixture->loops && offset == TIMER))
        note(fixture, core, offset, value, cycle);
    return value;
}

static void write_register(void *context, unsigned core, uint32_t offset, uint32_t value,
                           uint64_t cycle) {
    struct fixture *fixture = context;
    unsigned other = 1 - core;
    fixture->writes++;
    fixture->last_write_cycle = cycle;
    note(fixture, core, offset, value, cycle);
    if (offset == OTHER_CORE && core == TIGON_CORE_A) {
        tigon_cpu_state_write(&fixture->cores[1], value, cycle);
    } else if (offset == 0x140 && core == TIGON_CORE_A) {
        tigon_cpu_state_write(&fixture->cores[0], value, cycle);
    } else if (offset == DEADLINE) {
        tigon_cpu_limit(&fixture->cores[core], cycle + value);
    } else if (offset == PATCH) {
        tigon_memory_write32(&fixture->memory, value, HALT);
        tigon_cpu_invalidate(&fixture->cores[core], value, 4);
    } else if (offset == 0x150) {
        fixture->memory.stack_relocation[core] = value;
    } else if (offset == OTHER_EVENT) {
        fixture_event(fixture, other, value, core == TIGON_CORE_A ? cycle : cycle + 1);
    } else {
        tigon_cpu_before_change(&fixture->cores[core], cycle);
        if (offset == TIMER) {
            tigon_cpu_before_change(&fixture->cores[other],
                                    core == TIGON_CORE_A ? cycle : cycle + 1);
            fixture->timer_offset = value - (uint32_t)(cycle / 88);
        }
        fixture->registers[core][offset / 4] = value;
        if (offset == EVENT)
            tigon_cpu_wake(&fixture->cores[core], cycle);
    }
}

static bool pollable(void *context, unsigned core, uint32_t offset) {
    (void)context;
    (void)core;
    return offset == EVENT || offset == PLAIN;
}

static void register_view(void *context, unsigned core, uint32_t offset,
                          struct tigon_register_view *view) {
    struct fixture *fixture = context;
    if (offset == EVENT || offset == PLAIN || offset == STEADY)
        view->word = &fixture->registers[core][offset / 4];
}

void fixture_polls(struct fixture *fixture, bool polls) {
    for (unsigned core = 0; core < 2; core++)
        fixture->cores[core].pollable[EVENT / 4] = fixture->cores[core].pollable[PLAIN / 4] = polls;
}

static bool steady(void *context, unsigned core, uint32_t offset) {
    struct fixture *fixture = context;
    (void)core;
    return fixture->loops && (offset == PLAIN || offset == STEADY);
}

void fixture_timer(struct fixture *fixture) {
    fixture->loops = true;
    for (unsigned core = 0; core < 2; core++) {
        fixture->cores[core].port.timer = TIMER;
        if (fixture->cores[core].port.timer_offset)
            fixture->cores[core].timer_number = TIMER / 4;
    }
}

void fixture_loops(struct fixture *fixture, bool loops) {
    fixture_timer(fixture); /* what is noted in the trace must not depend on `loops` */
    fixture_polls(fixture, false);
    for (unsigned core = 0; core < 2; core++) {
        fixture->cores[core].port.register_steady = steady;
        tigon_cpu_set_parking(&fixture->cores[core], loops, 0);
    }
}

/* Of the last fixture destroyed: thousands are made, and to allocate each took half of the time of
 * these tests. */
static struct fixture *spare;

static struct fixture *allocate(uint32_t sram) {
    struct fixture *fixture = spare;
    spare = NULL;
    if (fixture && fixture->memory.sram_size == sram) {
        tigon_memory_clear(&fixture->memory);
        memset(&fixture->memory + 1, 0, sizeof *fixture - sizeof fixture->memory);
        return fixture;
    }
    if (fixture)
        tigon_memory_destroy(&fixture->memory);
    free(fixture);
    fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    assert_int_equal(tigon_memory_initialise(&fixture->memory, sram), 0);
    return fixture;
}

struct fixture *fixture_make(uint32_t sram, const struct tigon_timing *timing) {
    struct fixture *fixture = allocate(sram);
    struct tigon_timing defaults = tigon_timing_default();
    struct tigon_cpu_port port = {.context = fixture,
                                  .register_read = read_register,
                                  .register_write = write_register,
                                  .register_pollable = pollable};
    if (words) {
        port.register_view = register_view;
        port.timer_offset = &fixture->timer_offset;
        port.access_ticks = &fixture->access_ticks;
    }
    tigon_bus_initialise(&fixture->bus);
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_initialise(&fixture->cores[core], core, &fixture->memory, &fixture->bus,
                             timing ? timing : &defaults, &port);
    tigon_cpu_pair(&fixture->cores[0], &fixture->cores[1]);
    for (unsigned core = 0; core < 2 && native; core++)
        if (tigon_cpu_set_native(&fixture->cores[core], true))
            tigon_engine->set_patience(fixture->cores[core].native, 1);
    return fixture;
}

void fixture_destroy(struct fixture *fixture) {
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_set_native(&fixture->cores[core], false);
    if (spare) {
        tigon_memory_destroy(&spare->memory);
        free(spare);
    }
    spare = fixture;
}

void fixture_place(struct fixture *fixture, unsigned core, uint32_t address, const uint32_t *words,
                   size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint8_t bytes[4];
        tigon_store_be32(bytes, words[i]);
        assert_int_equal(
            tigon_memory_debug_write(&fixture->memory, core, address + 4 * (uint32_t)i, bytes, 4),
            4);
    }
}

enum tigon_cpu_stop fixture_run(struct fixture *fixture, uint32_t address) {
    struct tigon_cpu *cpu = &fixture->cores[0];
    assert_true(tigon_cpu_start(cpu, address, cpu->cycle));
    return tigon_cpu_run(cpu, cpu->cycle + 1000000);
}

uint32_t fixture_word(struct fixture *fixture, unsigned core, uint32_t address) {
    uint8_t bytes[4];
    assert_int_equal(tigon_memory_debug_read(&fixture->memory, core, address, bytes, 4), 4);
    return tigon_load_be32(bytes);
}

void fixture_event(struct fixture *fixture, unsigned core, uint32_t value, uint64_t cycle) {
    fixture->registers[core][EVENT / 4] = value;
    tigon_cpu_wake(&fixture->cores[core], cycle);
}
