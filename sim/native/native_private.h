/* SPDX-License-Identifier: MIT */
/* Shared by the files of native.h; private to them. */
#ifndef TIGON_SIM_NATIVE_PRIVATE_H
#define TIGON_SIM_NATIVE_PRIVATE_H

#include "sim/core/cpu_private.h"
#include "sim/native/native.h"
#include "sim/native/native_text.h"

#include <stddef.h>

#define NATIVE_HEAT   16u     /* patience at first */
#define NATIVE_NEVER  255u    /* heat of a word that cannot be translated */
#define NATIVE_CYCLES 0x7FFFu /* at most, for a block whose accesses have the expected targets */

/* pc and npc of the core before an access are copied as one word. */
static_assert(offsetof(struct native_access, next_pc) == offsetof(struct native_access, from) + 4 &&
                  offsetof(struct native_access, from) % 8 == 0 &&
                  offsetof(struct tigon_cpu, npc) == offsetof(struct tigon_cpu, pc) + 4,
              "pairs");

#define NATIVE_NO_LAST INT32_MIN

/* The predicted target of an access of a block. The block handles the scratchpad inline, with
 * out-of-line code that calls routines; for the other targets it calls the routine at once. */
enum native_target { NATIVE_SCRATCHPAD, NATIVE_SRAM, NATIVE_REGISTER };

/* Of native_routines.c. The first are for SRAM: the log2 of the size, plus 3 for a store, 6 for a
 * load with sign. Those from NATIVE_DETOUR on are the same for out-of-line code. */
enum {
    NATIVE_LOAD_REGISTER = 8,
    NATIVE_STORE_REGISTER,
    NATIVE_DETOUR,
    NATIVE_STORE_TEXT = NATIVE_DETOUR + 8, /* from out-of-line code */
    NATIVE_ROUTINES
};

/* The entry point: the beginning of a block, or an access that the core reached and could not
 * complete, with its host registers. The latter is valid as long as no part changes the core
 * (engine.h: moved). Then cpu->cycle is that of the access, cpu->pc and npc are those before it,
 * and native->counts, of the block's beginning, are not yet in the core's statistics: 0 -
 * access->before if all are. */
struct native_aside {
    uint64_t block_began, cycle;
    const uint8_t *go_on;
    const uint8_t *return_to;                 /* in the block; NULL: go_on is its beginning */
    uint32_t access_at, index, stored, value; /* esi, ecx, edx, eax */
};

/* Generated code finds the fields by their offsets, with the registers
 *   rbp  this              rbx  the core (gpr are its first field)     r14  the scratchpad
 *   r12  cycle             r13  limit                                  r15  counts
 * where cycle and counts are those at the beginning of the block. cpu->cycle is up to date in
 * tigon_native_access() (then it is that beginning, too) and after leaving. */
struct tigon_native {
    /* Offsets below 128 make the code shorter: those that blocks have most come first. */
    uint32_t target;     /* of a jump to a register */
    uint32_t changed[3]; /* not 0: stores of bytes, halves or words have changed the scratchpad */
    const uint8_t *routine[NATIVE_ROUTINES];
    uint64_t limit;
    uint64_t counts; /* not yet in the statistics: instructions, and stalls << 32 */
    uint32_t value;  /* of an access outside; what eax is after it */
    uint32_t end;    /* enum tigon_engine_end */
    const uint8_t *entry[NATIVE_WORDS];

    /* For native_routines.c. */
    struct tigon_cpu *cpu;
    struct tigon_bus *bus;
    const struct tigon_bus *slots; /* the bus, or one of unknown state: engine.h */
    uint8_t *scratchpad, *sram, *sram_marks;
    uint64_t *beats;           /* this core's, in the bus */
    uint64_t drain_after_slot; /* cycles from the end of a store's slot until the buffer is free */
    uint32_t sram_mask[3];     /* in bytes, halves, words */
    const enum tigon_loop_stage *peer_stage;
    const uint8_t *access, *out; /* the slow path of an access; outside translated text */
    struct tigon_native *(*access_function)(struct tigon_native *, const struct native_access *,
                                            const uint8_t *return_to);
    bool (*register_load)(struct tigon_native *, const struct native_access *, uint32_t number);
    bool (*poll)(struct tigon_native *, const struct native_access *, uint32_t number);
    bool (*register_store)(struct tigon_native *, const struct native_access *, uint32_t number,
                           uint32_t value);
    struct tigon_native *(*blocked_function)(struct tigon_native *);
    void (*reach_function)(struct tigon_bus *, uint64_t cycle);
    struct native_aside aside;
    uint64_t kept_cycle;

    /* The core to switch to when this one must wait for it, NULL if the caller must do that; and
     * the horizon of both. */
    struct tigon_native *other;
    uint64_t horizon_of_both;
    /* For the running core: `other` if its entry point is saved and it may continue when it is its
     * turn, else NULL. */
    struct tigon_native *hand_to;
    uint64_t goes_first; /* 1 for core A: in equal cycles */

    uint32_t words; /* of the scratchpad */
    enum tigon_cpu_stop stop;
    uint64_t run_ahead;
    uint64_t furthest; /* limit of the counts */
    uint8_t patience;  /* limit of the heat of text */

    struct native_text *text;
    const uint8_t *leave; /* of that */
    uint8_t heat[NATIVE_WORDS];
    bool distrusted[NATIVE_WORDS]; /* the block there assumed a constant $gp and was wrong */
};

/* Called by native_routines.c. They return the core to continue with: `native` in its block, the
 * other core, or NULL: translated text is left. */

/* An access without a fast path: outside scratchpad and SRAM, a misaligned one, a store into text,
 * SRAM in special cases. */
struct tigon_native *tigon_native_access(struct tigon_native *native,
                                         const struct native_access *access,
                                         const uint8_t *return_to);

/* An aligned access to chip register `number`, a word, below the horizon. The core's fields are
 * those during the access. True: continue in the block, which begins at cpu->cycle; native->value
 * is loaded. False: translated text is left. */
bool tigon_native_load_register(struct tigon_native *native, const struct native_access *access,
                                uint32_t number);
/* The same for an event word that tigon_cpu.register_view reads. */
bool tigon_native_poll(struct tigon_native *native, const struct native_access *access,
                       uint32_t number);
bool tigon_native_store_register(struct tigon_native *native, const struct native_access *access,
                                 uint32_t number, uint32_t value);

/* The access that `aside` refers to must wait until the other core is further. */
struct tigon_native *tigon_native_blocked(struct tigon_native *native);

/* native_routines.c: enters at `aside`; returns the core that left. */
struct tigon_native *tigon_native_enter(struct tigon_native *native);

/* The addresses that translated text needs. */
void tigon_native_know_routines(struct tigon_native *native);

/* Code that all blocks of a text share, at the beginning of its code. False: no memory. */
bool tigon_native_make_stubs(struct native_text *text);

/* engine.h: peer_loops. */
void tigon_native_look_at_peer(struct tigon_native *native);

/* Translates the block at word `index`, for which there must be room. False if not even its first
 * instruction can be translated. */
bool tigon_native_translate(struct tigon_native *native, uint32_t index);

#endif
