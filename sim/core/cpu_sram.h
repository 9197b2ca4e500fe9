/* SPDX-License-Identifier: MIT */
/*
 * Accesses of a core to SRAM, and their costs: inline, for cpu_access.c and for what calls them
 * most, translated text. On entry cpu->cycle is the issue cycle; see tigon_cpu_load().
 *
 * Values move at the cycle an access is issued; waiting for a bus slot only delays the core. A
 * device write that falls into such a wait is therefore not seen by the waiting load.
 */
#ifndef TIGON_SIM_CPU_SRAM_H
#define TIGON_SIM_CPU_SRAM_H

#include "sim/core/cpu_private.h"

/* SRAM accesses of one core stay in order, so that a load never overtakes a buffered store. */
static inline void tigon_cpu_wait_for_write_buffer(struct tigon_cpu *cpu) {
    if (cpu->write_buffer_free > cpu->cycle) {
        cpu->statistics.bus_stalls += cpu->write_buffer_free - cpu->cycle;
        cpu->cycle = cpu->write_buffer_free;
    }
}

/* Take bus slots from cpu->cycle on; returns how long the wait for them was. */
static inline uint64_t tigon_cpu_take_slots(struct tigon_cpu *cpu, uint32_t beats) {
    enum tigon_bus_master master = cpu->core == TIGON_CORE_A ? TIGON_BUS_CPU_A : TIGON_BUS_CPU_B;
    struct tigon_cpu *peer = cpu->peer;
    if (peer && __builtin_expect(peer->loop.stage != TIGON_LOOP_NONE, 0) && peer->loop.uses_bus)
        tigon_cpu_before_change(peer, cpu->core == TIGON_CORE_A ? cpu->cycle : cpu->cycle + 1u);
    uint64_t end = beats == 1 ? tigon_bus_core_beat(cpu->bus, master, cpu->cycle)
                              : tigon_bus_access(cpu->bus, master, cpu->cycle, beats);
    uint64_t waited = end - cpu->cycle - beats;
    cpu->statistics.bus_stalls += waited;
    return waited;
}

static inline uint32_t tigon_cpu_load_bytes(const uint8_t *bytes, uint32_t count) {
    return count == 4 ? tigon_load_be32(bytes) : count == 2 ? tigon_load_be16(bytes) : bytes[0];
}

static inline enum tigon_access tigon_cpu_load_sram(struct tigon_cpu *cpu, uint32_t offset,
                                                    uint32_t bytes, uint32_t *value) {
    tigon_cpu_wait_for_write_buffer(cpu);
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    uint64_t waited = tigon_cpu_take_slots(cpu, 1);
    *value = tigon_cpu_load_bytes(cpu->memory->sram + offset, bytes);
    cpu->cycle += waited + cpu->timing.sram_load;
    cpu->statistics.sram_loads++;
    return TIGON_ACCESS_DONE;
}

static inline enum tigon_access tigon_cpu_store_sram(struct tigon_cpu *cpu, uint32_t offset,
                                                     uint32_t bytes, uint32_t value) {
    struct tigon_memory *memory = cpu->memory;
    uint8_t *to = memory->sram + offset;
    tigon_cpu_wait_for_write_buffer(cpu);
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    uint64_t waited = tigon_cpu_take_slots(cpu, 1);
    cpu->write_buffer_free = cpu->cycle + waited + cpu->timing.sram_store_drain;
    if (bytes == 4)
        tigon_store_be32(to, value);
    else if (bytes == 2)
        tigon_store_be16(to, (uint16_t)value);
    else
        *to = (uint8_t)value;
    tigon_memory_touch(memory, offset);
    /* The core sees its own stores in the line it holds; nobody else's (cpu.h, invalidate). */
    if (cpu->line_valid && offset - cpu->line_offset < cpu->timing.instruction_line_bytes)
        cpu->line[(offset - cpu->line_offset) / 4u] =
            tigon_decode(tigon_load_be32(memory->sram + (offset & ~3u)));
    const uint64_t issued = cpu->cycle;
    cpu->cycle += cpu->timing.sram_store;
    cpu->statistics.sram_stores++;
    if (__builtin_expect(offset / TIGON_DECODE_GRANULE == memory->watched, 0)) {
        memory->watcher(memory->watcher_context, (int)cpu->core, issued);
        return TIGON_ACCESS_REGISTER; /* the horizon may have come nearer */
    }
    return TIGON_ACCESS_DONE;
}

#endif
