/* SPDX-License-Identifier: MIT */
/*
 * Translated text, and the cores that share it: those of a world whose scratchpads hold the same
 * words where a block was translated from. So the boards of a world that run the same image fill
 * the host's caches only once, and a board that joins later has nothing to translate.
 *
 * What a block does depends on the words it was made from, on which of the two cores it is for, and
 * on the costs of that; not on the board. A core takes a block over after a look at all its words,
 * and at those of the blocks it jumps to without asking.
 *
 * Blocks are never changed or taken away as long as two cores share a text: one of them may stand
 * in the middle. A core whose text changes just forgets which blocks it knew. Not for cores of
 * different threads.
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

/* A load or store. Offsets are cycles and counts since the block began, as they are when all its
 * accesses are to what is expected, without waiting. What routines do for an access that turns out
 * to be to something else counts from another beginning: the one from which on the block would have
 * come to `next` if the access had been to SRAM. */
struct native_access {
    uint64_t before;  /* counts: instructions, and stalls << 32 */
    uint32_t from;    /* its address */
    uint32_t next_pc; /* of the instruction after it; a jump to a register fills it in, so it holds
                       * until another core may have come by */
    int32_t last;     /* cycle by which all after it in the block is looked up; lowest if none */
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
    uint32_t index; /* of the word it begins at */
    uint32_t older; /* another one that begins there: 1 + its number, or 0 */
    uint32_t first_source, sources;
    uint32_t first_jump, jumps; /* blocks it jumps to */
    uint32_t met;               /* by the search number so much */
    bool trusting;              /* for one value of $gp */
};

/* It lies below 2 GB: translated text has addresses of it in 32 bits. */
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

/* Empty, with one core. NULL: not possible on this host. */
struct native_text *native_text_create(void);

/* A core does without it from now on. */
void native_text_release(struct native_text *text);

/* Whether another block may not fit. */
bool native_text_full(const struct native_text *text);

/* All blocks are gone. Only for one that is not shared. */
void native_text_clear(struct native_text *text);

/* A block at word `index` for which there is room is complete; its words and jumps have been
 * added. */
void native_text_add(struct native_text *text, uint32_t index, const uint8_t *entry, bool trusting);

/* Parts of the block that native_text_add() will complete. */
void native_text_add_source(struct native_text *text, uint32_t index, uint32_t word);
void native_text_add_jump(struct native_text *text, uint32_t index, const uint8_t *entry);

/* The block that is being made is given up. */
void native_text_drop(struct native_text *text);

/* Take over a block at word `index` that another core has, or this one once had, and those it jumps
 * to. False if there is none that fits. */
bool native_text_adopt(struct tigon_native *native, uint32_t index);

#endif
