/* SPDX-License-Identifier: MIT */
/*
 * What a core shares with others: SRAM data (cpu_sram.h), I-line fills, chip registers, and their
 * costs.
 */
#include "sim/core/cpu_register.h"
#include "sim/core/cpu_sram.h"

static enum tigon_access fault(struct tigon_cpu *cpu, uint32_t status) {
    cpu->state |= status | TIGON_CPU_STATE_HALTED;
    return TIGON_ACCESS_FAULT;
}

static bool in_null_page(const struct tigon_cpu *cpu, uint32_t address) {
    return address < TIGON_NULL_PAGE_SIZE && (cpu->state & TIGON_CPU_STATE_NULL_PAGE) != 0;
}

enum tigon_access tigon_cpu_load_register(struct tigon_cpu *cpu, uint32_t from, uint32_t offset,
                                          uint32_t *value) {
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    return tigon_cpu_read_register(cpu, from, offset, value);
}

enum tigon_access tigon_cpu_store_register(struct tigon_cpu *cpu, uint32_t offset, uint32_t value) {
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    tigon_cpu_write_register(cpu, offset, value);
    return TIGON_ACCESS_REGISTER;
}

/* Either core may program the flash, so its contents are shared. */
static enum tigon_access load_flash(struct tigon_cpu *cpu, uint32_t offset, uint32_t bytes,
                                    uint32_t *value) {
    uint8_t word[4];
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    tigon_store_be32(word, tigon_memory_flash_read32(cpu->memory, offset));
    *value = tigon_cpu_load_bytes(word + (offset & 3u), bytes);
    cpu->cycle += cpu->timing.slow_memory;
    cpu->effects++;
    return TIGON_ACCESS_DONE;
}

enum tigon_access tigon_cpu_load_elsewhere(struct tigon_cpu *cpu, uint32_t address, uint32_t bytes,
                                           uint32_t *value) {
    uint32_t offset;
    if ((address & (bytes - 1u)) != 0)
        return fault(cpu, TIGON_CPU_STATE_MISALIGNED);
    if (in_null_page(cpu, address))
        return fault(cpu, TIGON_CPU_STATE_NULL_DATA);
    if (address < TIGON_SRAM_WINDOW)
        return tigon_cpu_load_sram(cpu, address & cpu->memory->sram_mask, bytes, value);
    switch (tigon_memory_place(cpu->memory, cpu->core, address, &offset)) {
    case TIGON_PLACE_SRAM:
        return tigon_cpu_load_sram(cpu, offset, bytes, value);
    case TIGON_PLACE_REGISTERS:
        break; /* misaligned or narrow: tigon2.md 2.1, 14 item 23 */
    case TIGON_PLACE_PROM:
        *value = tigon_cpu_load_bytes(cpu->memory->prom + offset, bytes);
        cpu->cycle += cpu->timing.slow_memory;
        return TIGON_ACCESS_DONE;
    case TIGON_PLACE_FLASH:
        return load_flash(cpu, offset, bytes, value);
    case TIGON_PLACE_SCRATCHPAD: /* the interpreter does these itself */
    case TIGON_PLACE_NOWHERE:
        break;
    }
    return fault(cpu, TIGON_CPU_STATE_BAD_DATA_ADDRESS);
}

enum tigon_access tigon_cpu_store_elsewhere(struct tigon_cpu *cpu, uint32_t address, uint32_t bytes,
                                            uint32_t value) {
    uint32_t offset;
    if ((address & (bytes - 1u)) != 0)
        return fault(cpu, TIGON_CPU_STATE_MISALIGNED);
    if (in_null_page(cpu, address))
        return fault(cpu, TIGON_CPU_STATE_NULL_DATA);
    if (address < TIGON_SRAM_WINDOW)
        return tigon_cpu_store_sram(cpu, address & cpu->memory->sram_mask, bytes, value);
    switch (tigon_memory_place(cpu->memory, cpu->core, address, &offset)) {
    case TIGON_PLACE_SRAM:
        return tigon_cpu_store_sram(cpu, offset, bytes, value);
    case TIGON_PLACE_REGISTERS:
        break;
    case TIGON_PLACE_PROM: /* like any ROM: nothing happens */
    case TIGON_PLACE_FLASH:
        if (cpu->cycle >= cpu->horizon)
            return TIGON_ACCESS_BLOCKED;
        cpu->effects++;
        if (address - TIGON_FLASH < TIGON_FLASH_WINDOW_SIZE)
            tigon_memory_flash_store(cpu->memory, offset, bytes, value);
        cpu->cycle += cpu->timing.slow_memory;
        return TIGON_ACCESS_DONE;
    case TIGON_PLACE_SCRATCHPAD:
    case TIGON_PLACE_NOWHERE:
        break;
    }
    return fault(cpu, TIGON_CPU_STATE_BAD_DATA_ADDRESS);
}

/* The line is a copy: like the chip's it is not disturbed by writes of others, and a core that runs
 * ahead of them executes the same text as one that does not. */
static __attribute__((noinline)) enum tigon_access fill_line(struct tigon_cpu *cpu,
                                                             uint32_t line_offset) {
    const uint32_t bytes = cpu->timing.instruction_line_bytes;
    const uint32_t beats = bytes / 8u;
    const uint64_t waited = tigon_cpu_take_slots(cpu, beats);
    cpu->cycle += waited + beats + cpu->timing.instruction_line_miss;
    memcpy(cpu->line, tigon_memory_decoded(cpu->memory, line_offset, bytes),
           bytes / 4u * sizeof cpu->line[0]);
    cpu->line_offset = line_offset;
    cpu->line_valid = true;
    cpu->effects++;
    cpu->statistics.instruction_line_misses++;
    return TIGON_ACCESS_DONE;
}

/* The line also holds text of the PROM, under a tag that no SRAM offset has. */
#define PROM_LINE 0x80000000u

static __attribute__((noinline)) enum tigon_access fill_line_from_prom(struct tigon_cpu *cpu,
                                                                       uint32_t offset) {
    uint32_t bytes = cpu->timing.instruction_line_bytes;
    cpu->cycle += (uint64_t)cpu->timing.slow_memory * (bytes / 4u);
    for (uint32_t at = 0; at < bytes; at += 4)
        cpu->line[at / 4u] = tigon_decode(tigon_load_be32(cpu->memory->prom + offset + at));
    cpu->line_offset = offset | PROM_LINE;
    cpu->line_valid = true;
    cpu->effects++;
    cpu->statistics.instruction_line_misses++;
    return TIGON_ACCESS_DONE;
}

enum tigon_access tigon_cpu_fetch(struct tigon_cpu *cpu, uint32_t pc,
                                  struct tigon_fetch_region *region) {
    struct tigon_memory *memory = cpu->memory;
    if ((pc & 3u) != 0)
        return fault(cpu, TIGON_CPU_STATE_MISALIGNED);
    if (in_null_page(cpu, pc))
        return fault(cpu, TIGON_CPU_STATE_NULL_FETCH);
    if (pc - TIGON_SCRATCHPAD < memory->scratchpad_size[cpu->core]) {
        region->entries = memory->scratchpad_decoded[cpu->core];
        region->base = TIGON_SCRATCHPAD;
        region->words = memory->scratchpad_size[cpu->core] / 4u;
        return TIGON_ACCESS_DONE;
    }
    const bool prom = pc - TIGON_PROM < TIGON_PROM_SIZE;
    if (pc >= TIGON_SRAM_WINDOW && !prom)
        return fault(cpu, TIGON_CPU_STATE_BAD_FETCH_ADDRESS);

    const uint32_t within = cpu->timing.instruction_line_bytes - 1u;
    const uint32_t line_offset =
        prom ? ((pc - TIGON_PROM) & ~within) | PROM_LINE : pc & memory->sram_mask & ~within;
    region->entries = cpu->line;
    region->base = pc & ~within;
    region->words = cpu->timing.instruction_line_bytes / 4u;
    if (cpu->line_valid && cpu->line_offset == line_offset)
        return TIGON_ACCESS_DONE;
    if (cpu->cycle >= cpu->horizon)
        return TIGON_ACCESS_BLOCKED;
    return prom ? fill_line_from_prom(cpu, line_offset & ~PROM_LINE) : fill_line(cpu, line_offset);
}

void tigon_cpu_decode_scratchpad(struct tigon_cpu *cpu, uint32_t pc) {
    uint32_t offset = pc - TIGON_SCRATCHPAD;
    cpu->memory->scratchpad_decoded[cpu->core][offset / 4u] =
        tigon_decode(tigon_load_be32(cpu->memory->scratchpad[cpu->core] + offset));
    uint8_t *const text = &cpu->memory->scratchpad_text[cpu->core][offset & ~3u];
    if (*text == TIGON_TEXT_NONE)
        memset(text, TIGON_TEXT_DECODED, 4);
}
