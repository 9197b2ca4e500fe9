/* SPDX-License-Identifier: MIT */
/* See memory.h. */
#include "sim/core/memory.h"

#include <errno.h>
#include <stdlib.h>

#define GRANULE_WORDS (TIGON_DECODE_GRANULE / 4u)
#define HALT_WORD     0x0000000Du

/* Contents that are not zero at reset. */
static void power_on(struct tigon_memory *memory) {
    memory->sram_mask = memory->sram_size - 1u;
    memory->watched = TIGON_WATCH_NOTHING;
    memory->scratchpad_size[TIGON_CORE_A] = TIGON_SCRATCHPAD_A_SIZE;
    memory->scratchpad_size[TIGON_CORE_B] = TIGON_SCRATCHPAD_B_SIZE;
    memset(memory->flash, 0xFF, TIGON_FLASH_SIZE);
    memset(memory->sram_marks, TIGON_MARK_NULL, TIGON_NULL_PAGE_SIZE / TIGON_DECODE_GRANULE);
    for (uint32_t at = 0; at < TIGON_PROM_SIZE; at += 4)
        tigon_store_be32(memory->prom + at, HALT_WORD);
}

int tigon_memory_initialise(struct tigon_memory *memory, uint32_t sram_size) {
    if (sram_size != 512u * 1024u && sram_size != 1024u * 1024u && sram_size != 2048u * 1024u)
        return -EINVAL;
    memset(memory, 0, sizeof *memory);
    memory->sram_size = sram_size;
    memory->sram = calloc(1, sram_size);
    memory->flash = malloc(TIGON_FLASH_SIZE);
    memory->sram_decoded = calloc(sram_size / 4u, sizeof *memory->sram_decoded);
    memory->sram_decoded_valid = calloc(1, sram_size / TIGON_DECODE_GRANULE);
    memory->sram_marks = calloc(1, sram_size / TIGON_DECODE_GRANULE);
    if (!memory->sram || !memory->sram_decoded || !memory->sram_decoded_valid ||
        !memory->sram_marks || !memory->flash) {
        tigon_memory_destroy(memory);
        return -ENOMEM;
    }
    power_on(memory);
    return 0;
}

void tigon_memory_clear(struct tigon_memory *memory) {
    uint8_t *const sram = memory->sram, *const flash = memory->flash;
    uint8_t *const valid = memory->sram_decoded_valid, *const marks = memory->sram_marks;
    struct tigon_instruction *const decoded = memory->sram_decoded;
    const uint32_t size = memory->sram_size;
    memset(memory, 0, sizeof *memory);
    memset(sram, 0, size);
    memset(valid, 0, size / TIGON_DECODE_GRANULE);
    memset(marks, 0, size / TIGON_DECODE_GRANULE);
    memory->sram_size = size;
    memory->sram = sram;
    memory->flash = flash;
    memory->sram_decoded = decoded;
    memory->sram_decoded_valid = valid;
    memory->sram_marks = marks;
    power_on(memory);
}

void tigon_memory_destroy(struct tigon_memory *memory) {
    free(memory->sram);
    free(memory->sram_decoded);
    free(memory->sram_decoded_valid);
    free(memory->sram_marks);
    free(memory->flash);
    memory->flash = NULL;
    memory->sram = NULL;
    memory->sram_decoded = NULL;
    memory->sram_decoded_valid = NULL;
    memory->sram_marks = NULL;
}

void tigon_memory_watch(struct tigon_memory *memory, uint32_t granule) {
    if (memory->watched != TIGON_WATCH_NOTHING)
        memory->sram_marks[memory->watched] &= (uint8_t)~TIGON_MARK_WATCHED;
    memory->watched = granule;
    if (granule != TIGON_WATCH_NOTHING)
        memory->sram_marks[granule] |= TIGON_MARK_WATCHED;
}

static void about_to_write(struct tigon_memory *memory) {
    if (memory->before_change)
        memory->before_change(memory->before_change_context);
}

/* A device, the host or a debugger wrote SRAM. */
static void written(struct tigon_memory *memory, size_t first_granule, size_t last_granule) {
    if (memory->watched >= first_granule && memory->watched <= last_granule)
        memory->watcher(memory->watcher_context, -1, 0);
}

void tigon_memory_write32(struct tigon_memory *memory, uint32_t address, uint32_t value) {
    about_to_write(memory);
    tigon_memory_store32(memory, address, value);
}

/* How much of `length` bytes from `offset` lies before the end of the fitted SRAM. */
static size_t before_wrap(const struct tigon_memory *memory, uint32_t offset, size_t length) {
    size_t room = memory->sram_size - offset;
    return length < room ? length : room;
}

void tigon_memory_read(const struct tigon_memory *memory, uint32_t address, void *destination,
                       size_t length) {
    uint8_t *to = destination;
    uint32_t offset = address & memory->sram_mask;
    while (length > 0) {
        size_t part = before_wrap(memory, offset, length);
        memcpy(to, memory->sram + offset, part);
        to += part;
        length -= part;
        offset = 0;
    }
}

void tigon_memory_write(struct tigon_memory *memory, uint32_t address, const void *source,
                        size_t length) {
    const uint8_t *from = source;
    uint32_t offset = address & memory->sram_mask;
    about_to_write(memory);
    while (length > 0) {
        size_t part = before_wrap(memory, offset, length);
        size_t first = offset / TIGON_DECODE_GRANULE;
        size_t last = (offset + part - 1u) / TIGON_DECODE_GRANULE;
        memcpy(memory->sram + offset, from, part);
        if (last - first < 4u) /* so short that a call costs more */
            for (size_t granule = first; granule <= last; granule++)
                memory->sram_decoded_valid[granule] = 0;
        else
            memset(memory->sram_decoded_valid + first, 0, last - first + 1u);
        written(memory, first, last);
        from += part;
        length -= part;
        offset = 0;
    }
}

bool tigon_memory_scratchpad_read32(const struct tigon_memory *memory, unsigned core,
                                    uint32_t address, uint32_t *value) {
    uint32_t offset = (address - TIGON_SCRATCHPAD) & ~3u;
    *value = 0;
    if (offset >= memory->scratchpad_size[core])
        return false;
    *value = tigon_load_be32(memory->scratchpad[core] + offset);
    return true;
}

bool tigon_memory_scratchpad_write32(struct tigon_memory *memory, unsigned core, uint32_t address,
                                     uint32_t value) {
    uint32_t offset = (address - TIGON_SCRATCHPAD) & ~3u;
    if (offset >= memory->scratchpad_size[core])
        return false;
    about_to_write(memory);
    tigon_store_be32(memory->scratchpad[core] + offset, value);
    tigon_memory_scratchpad_touch(memory, core, offset);
    return true;
}

enum tigon_place tigon_memory_place(const struct tigon_memory *memory, unsigned core,
                                    uint32_t address, uint32_t *offset) {
    if (address < TIGON_SRAM_WINDOW) {
        *offset = address & memory->sram_mask;
        return TIGON_PLACE_SRAM;
    }
    if (address - TIGON_SCRATCHPAD < memory->scratchpad_size[core]) {
        *offset = address - TIGON_SCRATCHPAD;
        return TIGON_PLACE_SCRATCHPAD;
    }
    if (address - TIGON_REGISTERS < TIGON_REGISTERS_SIZE) {
        *offset = address - TIGON_REGISTERS;
        return TIGON_PLACE_REGISTERS;
    }
    if (address - TIGON_STACK_WINDOW < TIGON_STACK_WINDOW_SIZE) {
        *offset = (address - memory->stack_relocation[core]) & (TIGON_SRAM_SPACE - 1u) &
                  memory->sram_mask;
        return TIGON_PLACE_SRAM;
    }
    if (address - TIGON_PROM < TIGON_PROM_SIZE) {
        *offset = address - TIGON_PROM;
        return TIGON_PLACE_PROM;
    }
    if (address - TIGON_FLASH < TIGON_FLASH_WINDOW_SIZE) {
        *offset = address - TIGON_FLASH;
        return TIGON_PLACE_FLASH;
    }
    *offset = 0;
    return TIGON_PLACE_NOWHERE;
}

uint32_t tigon_memory_flash_read32(const struct tigon_memory *memory, uint32_t offset) {
    return (uint32_t)memory->flash[offset / 4u] << 24;
}

void tigon_memory_flash_store(struct tigon_memory *memory, uint32_t offset, uint32_t bytes,
                              uint32_t value) {
    if (memory->flash_writable && (offset & 3u) == 0)
        memory->flash[offset / 4u] = (uint8_t)(value >> 8u * (bytes - 1u));
}

size_t tigon_memory_debug_read(const struct tigon_memory *memory, unsigned core, uint32_t address,
                               void *destination, size_t length) {
    uint8_t *to = destination;
    for (size_t done = 0; done < length; done++) {
        uint32_t offset;
        switch (tigon_memory_place(memory, core, address + (uint32_t)done, &offset)) {
        case TIGON_PLACE_SRAM:
            to[done] = memory->sram[offset];
            break;
        case TIGON_PLACE_SCRATCHPAD:
            to[done] = memory->scratchpad[core][offset];
            break;
        case TIGON_PLACE_PROM:
            to[done] = memory->prom[offset];
            break;
        case TIGON_PLACE_FLASH:
            to[done] = offset & 3u ? 0 : memory->flash[offset / 4u];
            break;
        default:
            return done;
        }
    }
    return length;
}

size_t tigon_memory_debug_write(struct tigon_memory *memory, unsigned core, uint32_t address,
                                const void *source, size_t length) {
    const uint8_t *from = source;
    about_to_write(memory);
    for (size_t done = 0; done < length; done++) {
        uint32_t offset;
        switch (tigon_memory_place(memory, core, address + (uint32_t)done, &offset)) {
        case TIGON_PLACE_SRAM:
            memory->sram[offset] = from[done];
            tigon_memory_touch(memory, offset);
            written(memory, offset / TIGON_DECODE_GRANULE, offset / TIGON_DECODE_GRANULE);
            break;
        case TIGON_PLACE_SCRATCHPAD:
            memory->scratchpad[core][offset] = from[done];
            tigon_memory_scratchpad_touch(memory, core, offset);
            break;
        default:
            return done;
        }
    }
    return length;
}

void tigon_memory_decode(struct tigon_memory *memory, uint32_t granule) {
    struct tigon_instruction *entries = memory->sram_decoded + (size_t)granule * GRANULE_WORDS;
    const uint8_t *bytes = memory->sram + (size_t)granule * TIGON_DECODE_GRANULE;
    for (size_t i = 0; i < GRANULE_WORDS; i++)
        entries[i] = tigon_decode(tigon_load_be32(bytes + 4u * i));
    memory->sram_decoded_valid[granule] = 1;
    memory->sram_marks[granule] |= TIGON_MARK_DECODED;
}
