/* SPDX-License-Identifier: MIT */
/*
 * The memories of one board: SRAM, both scratchpads, the stack-overflow window, boot PROM and flash
 * (tigon2.md 2.1).
 *
 * Bytes are stored as on the bus (big-endian). This module handles addresses and contents, not
 * time: costs are in timing.h, SRAM bus slots in bus.h. All writes must use these functions,
 * because they also invalidate the pre-decoded copies that the cores execute.
 */
#ifndef TIGON_SIM_MEMORY_H
#define TIGON_SIM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/core/isa.h"

enum { TIGON_CORE_A = 0, TIGON_CORE_B = 1, TIGON_CORES = 2 };

#define TIGON_SRAM_WINDOW       0x00800000u /* fitted SRAM repeats through the first 8 MB */
#define TIGON_SRAM_SPACE        0x00200000u /* the space stack spills are computed in */
#define TIGON_STACK_WINDOW      0x00BF0000u
#define TIGON_STACK_WINDOW_SIZE 0x00010000u
#define TIGON_SCRATCHPAD        0x00C00000u
#define TIGON_SCRATCHPAD_A_SIZE 0x00004000u
#define TIGON_SCRATCHPAD_B_SIZE 0x00002000u
#define TIGON_REGISTERS         0xC0000000u
#define TIGON_REGISTERS_SIZE    0x00000400u /* what a core can reach */
#define TIGON_NULL_PAGE_SIZE    0x00000080u

/* No public source states the size of the PROM, or how the bytes of the flash map to its byte lane.
 * Chosen: 16 kB of words; one flash byte in bits 31:24 of each word, so that byte n is at 4 * n. */
#define TIGON_PROM              0x40000000u
#define TIGON_PROM_SIZE         0x00004000u
#define TIGON_FLASH             0x80000000u
#define TIGON_FLASH_WINDOW_SIZE 0x00100000u
#define TIGON_FLASH_SIZE        (TIGON_FLASH_WINDOW_SIZE / 4u)

/* Unit in which pre-decoded SRAM text becomes stale. */
#define TIGON_DECODE_GRANULE 32u

struct tigon_memory {
    uint8_t *sram;      /* owned; sram_size bytes */
    uint32_t sram_size; /* 512 kB, 1 MB or 2 MB */
    uint32_t sram_mask; /* sram_size - 1 */
    uint32_t scratchpad_size[TIGON_CORES];
    uint32_t stack_relocation[TIGON_CORES]; /* HW[150], HW[250] */
    uint8_t scratchpad[TIGON_CORES][TIGON_SCRATCHPAD_A_SIZE];
    uint8_t prom[TIGON_PROM_SIZE]; /* HALT everywhere unless loaded */
    uint8_t *flash;                /* owned; TIGON_FLASH_SIZE bytes, erased */
    bool flash_writable;           /* HW[044] bit 4 */

    /* Pre-decoded copies, private to the cores. */
    struct tigon_instruction *sram_decoded; /* owned; one entry per SRAM word */
    uint8_t *sram_decoded_valid;            /* owned; one byte per granule */
    uint8_t *sram_marks; /* per granule: which parts a store may affect, TIGON_MARK_... */
    struct tigon_instruction scratchpad_decoded[TIGON_CORES][TIGON_SCRATCHPAD_A_SIZE / 4];

    /* For each byte of a scratchpad: whether its word is decoded or translated text. The engine
     * must handle a change of translated text. */
    uint8_t scratchpad_text[TIGON_CORES][TIGON_SCRATCHPAD_A_SIZE];
    bool scratchpad_text_changed[TIGON_CORES];

    /* Watchpoint callback: called when a watched granule of SRAM is written. `core` and `cycle` are
     * those of a store by a core; for other masters `core` is -1. */
    /* Called before a device, the host or a debugger writes SRAM or a scratchpad. May be NULL. */
    void (*before_change)(void *context);
    void *before_change_context;
    uint32_t watched; /* granule; TIGON_WATCH_NOTHING */
    void (*watcher)(void *context, int core, uint64_t cycle);
    void *watcher_context;
};

#define TIGON_WATCH_NOTHING UINT32_MAX

/* Bits of sram_marks. Only a granule that was decoded before can be decoded now, or be in the
 * I-line of a core. */
#define TIGON_MARK_DECODED 1u
#define TIGON_MARK_WATCHED 2u
#define TIGON_MARK_NULL    4u /* in the null page: a store of a core is a fault */

/* Values of scratchpad_text. */
#define TIGON_TEXT_NONE       0u
#define TIGON_TEXT_DECODED    1u
#define TIGON_TEXT_TRANSLATED 2u

/* Make a board's memory, all zero. `sram_size` is 512 kB, 1 MB or 2 MB in bytes.
 * Returns 0, -EINVAL for any other size, or -ENOMEM. */
int tigon_memory_initialise(struct tigon_memory *memory, uint32_t sram_size);
/* Resets the memory to its state after tigon_memory_initialise(): faster than to destroy it and
 * make another. */
void tigon_memory_clear(struct tigon_memory *memory);
void tigon_memory_destroy(struct tigon_memory *memory);

static inline uint32_t tigon_load_be32(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

static inline void tigon_store_be32(uint8_t *bytes, uint32_t word) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    memcpy(bytes, &word, sizeof word);
}

static inline uint16_t tigon_load_be16(const uint8_t *bytes) {
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static inline void tigon_store_be16(uint8_t *bytes, uint16_t half) {
    bytes[0] = (uint8_t)(half >> 8);
    bytes[1] = (uint8_t)half;
}

/* Watches this granule, or none (TIGON_WATCH_NOTHING), instead of the one watched before. */
void tigon_memory_watch(struct tigon_memory *memory, uint32_t granule);

/* SRAM as devices and the host see it. `address` is any SRAM address; it is reduced modulo the
 * fitted size. The 32-bit forms ignore the low two address bits; values are in host byte order. */
static inline uint32_t tigon_memory_read32(const struct tigon_memory *memory, uint32_t address) {
    return tigon_load_be32(memory->sram + (address & memory->sram_mask & ~3u));
}
void tigon_memory_write32(struct tigon_memory *memory, uint32_t address, uint32_t value);

/* The same as tigon_memory_write32, for a caller that has announced the change already
 * (before_change, or tigon_board_before_change) at the same tick: devices that write several places
 * at once. */
static inline void tigon_memory_store32(struct tigon_memory *memory, uint32_t address,
                                        uint32_t value) {
    const uint32_t offset = address & memory->sram_mask & ~3u;
    tigon_store_be32(memory->sram + offset, value);
    memory->sram_decoded_valid[offset / TIGON_DECODE_GRANULE] = 0;
    if (__builtin_expect(memory->watched == offset / TIGON_DECODE_GRANULE, 0))
        memory->watcher(memory->watcher_context, -1, 0);
}

/* The fast path of tigon_memory_write32: for a word in a granule that never was text and is not
 * watched, while before_change() has nothing to do. Otherwise returns false and writes nothing. */
static inline bool tigon_memory_plain_write32(struct tigon_memory *memory, uint32_t address,
                                              uint32_t value) {
    const uint32_t offset = address & memory->sram_mask & ~3u;
    if (memory->sram_marks[offset / TIGON_DECODE_GRANULE] != 0)
        return false;
    tigon_store_be32(memory->sram + offset, value);
    return true;
}

/* Copy `length` bytes out of or into SRAM. A range that passes the end of the fitted SRAM
 * continues at its beginning, as on the chip. */
void tigon_memory_read(const struct tigon_memory *memory, uint32_t address, void *destination,
                       size_t length);
void tigon_memory_write(struct tigon_memory *memory, uint32_t address, const void *source,
                        size_t length);

/* One word of a core's scratchpad by CPU address (0x00C00000...), as the host sees it through
 * HW[154]/HW[158]. Returns false, and reads 0 or writes nothing, outside the scratchpad. */
bool tigon_memory_scratchpad_read32(const struct tigon_memory *memory, unsigned core,
                                    uint32_t address, uint32_t *value);
bool tigon_memory_scratchpad_write32(struct tigon_memory *memory, unsigned core, uint32_t address,
                                     uint32_t value);

/* Where a CPU data or fetch address lies. On TIGON_PLACE_SRAM and _SCRATCHPAD `*offset` is the
 * byte offset in the fitted SRAM or in the core's scratchpad; on _REGISTERS the register offset. */
enum tigon_place {
    TIGON_PLACE_NOWHERE,
    TIGON_PLACE_SRAM, /* also through the stack window */
    TIGON_PLACE_SCRATCHPAD,
    TIGON_PLACE_REGISTERS,
    TIGON_PLACE_PROM, /* byte offset in it */
    TIGON_PLACE_FLASH /* offset in the window */
};
enum tigon_place tigon_memory_place(const struct tigon_memory *memory, unsigned core,
                                    uint32_t address, uint32_t *offset);

/* The word that a core reads at this offset of the flash window, and a store of `bytes` bytes
 * there. A store programs a byte if it covers the lane and HW[044] bit 4 allows it; otherwise it
 * has no effect. Programming takes no time, and needs no erase. */
uint32_t tigon_memory_flash_read32(const struct tigon_memory *memory, uint32_t offset);
void tigon_memory_flash_store(struct tigon_memory *memory, uint32_t offset, uint32_t bytes,
                              uint32_t value);

/* Reads or writes any memory that a core can address (SRAM, stack window, scratchpad, not
 * registers) without cost or bus slot: for loaders, debuggers and tests. Returns the number of
 * bytes done, which is short when the range leaves memory. */
size_t tigon_memory_debug_read(const struct tigon_memory *memory, unsigned core, uint32_t address,
                               void *destination, size_t length);
size_t tigon_memory_debug_write(struct tigon_memory *memory, unsigned core, uint32_t address,
                                const void *source, size_t length);

/* Decodes a granule of SRAM. */
void tigon_memory_decode(struct tigon_memory *memory, uint32_t granule);

/* For the cores: decoded entries of the SRAM words from offset `offset` (already reduced) on. Stale
 * entries are decoded first. Both figures are multiples of TIGON_DECODE_GRANULE. */
static inline const struct tigon_instruction *
tigon_memory_decoded(struct tigon_memory *memory, uint32_t offset, uint32_t bytes) {
    const uint32_t first = offset / TIGON_DECODE_GRANULE;
    for (uint32_t i = 0; i < bytes / TIGON_DECODE_GRANULE; i++)
        if (__builtin_expect(!memory->sram_decoded_valid[first + i], 0))
            tigon_memory_decode(memory, first + i);
    return memory->sram_decoded + offset / 4u;
}

/* For the cores: invalidates decoded SRAM text at this reduced offset. */
static inline void tigon_memory_touch(struct tigon_memory *memory, uint32_t offset) {
    memory->sram_decoded_valid[offset / TIGON_DECODE_GRANULE] = 0;
}

/* The same for the word at this offset of a scratchpad. */
static inline void tigon_memory_scratchpad_touch(struct tigon_memory *memory, unsigned core,
                                                 uint32_t offset) {
    uint8_t *const text = &memory->scratchpad_text[core][offset & ~3u];
    memory->scratchpad_decoded[core][offset / 4u].operation = TIGON_OP_STALE;
    if (__builtin_expect(*text == TIGON_TEXT_TRANSLATED, 0))
        memory->scratchpad_text_changed[core] = true;
    else
        memset(text, TIGON_TEXT_NONE, 4);
}

#endif
