/* Shared by the files of native.h; not for others. */
#ifndef TIGON_SIM_NATIVE_PRIVATE_H
#define TIGON_SIM_NATIVE_PRIVATE_H

#include "sim/cpu_private.h"
#include "sim/native.h"

#define NATIVE_WORDS        (TIGON_SCRATCHPAD_A_SIZE / 4u)
#define NATIVE_CODE_BYTES   (1u << 20)
#define NATIVE_BLOCK_BYTES  16384u /* at most, of one block */
#define NATIVE_BLOCK_LENGTH 32u    /* instructions, delay slot not counted */
#define NATIVE_ACCESSES     16384u
#define NATIVE_HEAT         16u     /* patience at first */
#define NATIVE_NEVER        255u    /* heat of a word that cannot be */
#define NATIVE_CYCLES       0xFFFFu /* at most, of a block with accesses to the scratchpad alone */

/* A load or store. Offsets are cycles and counts since the block began, as they are when all its
 * accesses are to the scratchpad. */
struct native_access {
    uint32_t immediate;
    uint32_t from;        /* its address */
    uint32_t next_pc;     /* of the instruction after it, unless `computed` */
    uint16_t issue;       /* cycle */
    uint16_t next;        /* cycle of the next instruction, with interlock */
    uint16_t last;        /* cycle at which the last of the block is looked up, at most */
    uint16_t stalls;      /* before it */
    uint16_t interlock;   /* that the next one waits for the load */
    uint8_t instructions; /* before it */
    uint8_t bytes;
    uint8_t source; /* registers as in struct tigon_instruction */
    uint8_t second;
    uint8_t destination;
    bool load : 1;
    bool sign : 1;
    bool computed : 1; /* after it comes native->target */
    bool ends_block : 1;
};
static_assert(sizeof(struct native_access) <= 32, "half a cache line");

/* Generated code finds the fields up to `entry` by their offsets, with the registers
 *   rbp  this              rbx  the core (gpr are its first field)     r14  the scratchpad
 *   r12  cycle             r13  limit                                  r15  counts
 * where cycle and counts are those at the beginning of the block. cpu->cycle is up to date in
 * tigon_native_access() (then it is that beginning, too) and after leaving. */
struct tigon_native {
    uint64_t limit;
    uint64_t counts; /* since execute began: instructions, and stalls << 32 */
    uint32_t target; /* of a jump to a register */
    uint32_t value;  /* of an access outside; what eax is after it */
    uint32_t end;    /* enum tigon_native_end */
    const uint8_t *entry[NATIVE_WORDS];

    struct tigon_cpu *cpu;
    uint32_t words; /* of the scratchpad */
    enum tigon_cpu_stop stop;
    uint32_t run_ahead;
    uint64_t furthest; /* limit of the counts */
    uint64_t begin_instructions, begin_stalls;
    uint8_t patience; /* how hot text may become */

    uint8_t *code;
    size_t used, stubs; /* bytes; the first belong to the stubs */
    size_t cold_used;   /* end of the second half */
    const uint8_t *leave;
    const uint8_t *access;
    const uint8_t *routine[8];
    void (*enter)(struct tigon_native *, struct tigon_cpu *, uint8_t *scratchpad,
                  const uint8_t *entry);
    uint32_t access_count;
    uint8_t heat[NATIVE_WORDS];
    _Alignas(32) struct native_access accesses[NATIVE_ACCESSES];
};

/* Called by generated code for an access outside the scratchpad, a misaligned one, or a store into
 * text. True: leave the translated text. */
bool tigon_native_access(struct tigon_native *native, uint32_t index);

/* What all blocks share, at the beginning of the code. */
void tigon_native_make_stubs(struct tigon_native *native);

/* Translate the block at word `index`. False if not even its first instruction can be. */
bool tigon_native_translate(struct tigon_native *native, uint32_t index);

#endif
