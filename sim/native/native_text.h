/* SPDX-License-Identifier: MIT */
/*
 * Translated text, and the cores that share it: cores of one world whose scratchpads hold the same
 * words where a block was translated. So the boards of a world that run the same image fill the
 * host's caches only once, and a board that joins later has nothing to translate.
 *
 * A block depends on the words it was made from, on which of the two cores it is for, and on the
 * costs of that core; not on the board. A core adopts a block after it has compared all its words,
 * and those of the blocks that it jumps to without a check.
 *
 * Blocks never change or disappear as long as two cores share a text: one of them may be inside a
 * block. A core whose text changes only drops its references to blocks. Not for cores of different
 * threads.
 */
#ifndef TIGON_SIM_NATIVE_TEXT_H
#define TIGON_SIM_NATIVE_TEXT_H

#include "sim/core/cpu_private.h"

struct tigon_native;

#define NATIVE_WORDS        (TIGON_SCRATCHPAD_A_SIZE / 4u)
#define NATIVE_BLOCK_LENGTH 64u    /* instructions, delay slots not counted */
#define NATIVE_BLOCK_BYTES  32768u /* at most, of one block */
#define NATIVE_BLOCK_WORDS  (4u * (NATIVE_BLOCK_LENGTH + 2u)) /* accesses, words and jumps too */

#define NATIVE_CODE_BYTES (1u << 22)
#define NATIVE_ACCESSES   32768u
#define NATIVE_BLOCKS     16384u
#define NATIVE_SOURCES    131072u
#define NATIVE_JUMPS      65536u

/* A load or store. Offsets are cycles and counts since the block began, assuming that all its
 * accesses have the predicted targets and do not wait. For an access with another target, routines
 * count from a different beginning: the one from which the block would have reached `next` if the
 * access had been to SRAM. */
struct native_access {
    uint64_t before;  /* counts: instructions, and stalls << 32 */
    uint32_t from;    /* its address */
    uint32_t next_pc; /* of the instruction after it; a jump to a register fills it in, so it is
                         valid until another core runs */
    int32_t last;     /* cycle by which the rest of the block is fetched; lowest if none */
    int16_t immediate;
    int16_t issue;  /* cycle, for tigon_native_access() */
    uint16_t next;  /* cycle of the next instruction, with interlock */
    int16_t detour; /* that beginning, less the block's own */
    /* Registers as in struct tigon_instruction. */
    unsigned source : 5;
    unsigned second : 5;
    unsigned destination : 6;
    unsigned shift : 2;    /* log2 of the size */
    unsigned expected : 2; /* enum native_target */
    bool load : 1;
    bool sign : 1;
    bool waited_for : 1; /* by the next one, for the interlock, if it is from the scratchpad */
    bool ends_block : 1;
};
static_assert(sizeof(struct native_access) == 32, "two to a cache line");

/* A word that a block was made from. */
struct native_source {
    uint32_t index, word;
};

struct native_block {
    const uint8_t *entry;
    uint32_t index; /* index of the word at which it begins */
    uint32_t older; /* another block that begins there: 1 + its number, or 0 */
    uint32_t first_source, sources;
    uint32_t first_jump, jumps; /* blocks it jumps to */
    uint32_t met;               /* visited by the search with this number */
    bool trusting;              /* for one value of $gp */
};

/* Lies below 2 GB: translated text has 32-bit addresses of it. */
struct native_text {
    unsigned cores; /* that share it */
    bool has_movbe; /* the host's processor */
    const uint8_t *leave;
    size_t used, stubs; /* bytes of code; the first belong to the stubs */
    size_t cold_used;   /* end of the second half */
    uint32_t access_count, block_count, source_count, jump_count;
    uint32_t searches;
    uint32_t newest[NATIVE_WORDS]; /* block that begins there: 1 + its number, or 0 */
    _Alignas(64) struct native_access accesses[NATIVE_ACCESSES];
    struct native_block blocks[NATIVE_BLOCKS];
    struct native_source sources[NATIVE_SOURCES];
    uint32_t jumps[NATIVE_JUMPS];  /* numbers of blocks */
    uint32_t found[NATIVE_BLOCKS]; /* by a search */
    _Alignas(4096) uint8_t code[NATIVE_CODE_BYTES];
};

/* An empty text, with one core. NULL: not possible on this host. */
struct native_text *native_text_create(void);

/* Releases a core from the text. */
void native_text_release(struct native_text *text);

/* Whether there may be no room for another block. */
bool native_text_full(const struct native_text *text);

/* Discards all blocks. Only for a text that is not shared. */
void native_text_clear(struct native_text *text);

/* Completes a block at word `index` for which there is room; its words and jumps have been added.
 */
void native_text_add(struct native_text *text, uint32_t index, const uint8_t *entry, bool trusting);

/* Parts of the block that native_text_add() will complete. */
void native_text_add_source(struct native_text *text, uint32_t index, uint32_t word);
void native_text_add_jump(struct native_text *text, uint32_t index, const uint8_t *entry);

/* Discards the block under construction. */
void native_text_drop(struct native_text *text);

/* Adopts a block at word `index` of another core, or an earlier one of this core, and the blocks it
 * jumps to. False if there is none that fits. */
bool native_text_adopt(struct tigon_native *native, uint32_t index);

#endif
