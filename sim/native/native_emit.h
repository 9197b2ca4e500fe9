/* SPDX-License-Identifier: MIT */
/*
 * The functions with which native_x86_64.c and native_instructions.c emit blocks: x86-64
 * instructions as bytes, registers of the core as operands.
 */
#ifndef TIGON_SIM_NATIVE_EMIT_H
#define TIGON_SIM_NATIVE_EMIT_H

#include "sim/native/native_private.h"

#include <stddef.h>

/* Host registers. ecx is free between instructions of the core, and so are registers of the pool
 * that hold none of the core's; native_private.h describes the others. */
enum host { EAX, ECX, EDX, EBX, ESP, EBP, ESI, EDI, R8, R9, R10, R11 };

enum condition { /* of jcc and setcc */
                 BELOW = 0x2,
                 NOT_BELOW = 0x3,
                 EQUAL = 0x4,
                 NOT_EQUAL = 0x5,
                 LESS = 0xC,
                 NOT_LESS = 0xD,
                 NOT_GREATER = 0xE,
                 GREATER = 0xF
};

/* Since the block began. */
struct counted {
    uint32_t cycles, instructions, stalls;
};

/* The known locations of the core's registers at a point of the block. A register is in the core,
 * in a host register or a constant, or in several of these; the core is not up to date for those
 * that are not saved. The core is up to date wherever other parts may read it: where the block is
 * left, and in routines. These preserve no host register of the pool. */
struct knowledge {
    uint32_t held;    /* bit n: register n is in host[n] */
    uint32_t unsaved; /* bit n: it is not in the core */
    uint32_t known;   /* bit n: register n is constant[n] */
    uint16_t busy;    /* bit n: host register n holds one */
    uint8_t next;     /* in the pool, the next to be given up */
    uint8_t host[32];
    uint32_t constant[32];
    uint32_t guessed; /* the same, but only predicted: native_guess.c */
    uint32_t guess[32];
};

/* Where a path through the block continues. */
struct way {
    bool computed; /* to native->target */
    uint32_t pc;
};

enum later_kind {
    NEAR_LIMIT,
    DISTRUST,  /* of the constant that the block assumes */
    LAST_LOAD, /* of the block, to a place outside the scratchpad */
    ELSEWHERE, /* any other access, or a store into text */
    LOAD_PENDING,
    OTHER_WAY /* of a branch: its delay slot, if executed, and the exit from the block */
};

/* Out-of-line code. */
struct later {
    enum later_kind kind;
    uint8_t *jump; /* displacement of the jump that leads here */
    const uint8_t *back;
    uint32_t access; /* its index */
    unsigned routine;
    uint8_t destination;
    uint8_t second; /* of a store */
    bool load;
    uint8_t to; /* host register for the loaded value */
    struct counted counted;
    struct way way;
    uint32_t slot; /* its address, 0 if nullified */
    struct knowledge knowledge;
};

#define NATIVE_LATER (6u * (NATIVE_BLOCK_LENGTH + 2u))

struct block {
    struct tigon_native *native; /* NULL, and no core, while stubs are made */
    struct native_text *text;
    const struct tigon_cpu *cpu;
    uint8_t *at; /* position of the next byte */
    struct knowledge now;
    uint32_t last;  /* native_access.last */
    uint32_t begin; /* its address */
    const uint8_t *entry, *end;
    bool trusted; /* some instruction reads $gp */
    /* Flags tell whether a register, not stored otherwise, is 1: for the branch that follows. */
    bool flags_kept;
    enum condition flags;
    uint8_t flags_register;
    uint32_t path[NATIVE_BLOCK_LENGTH]; /* addresses of its instructions, delay slots not counted */
    unsigned length;
    struct later later[NATIVE_LATER];
    unsigned later_count;
};

static inline struct later *put_off(struct block *b, enum later_kind kind) {
    struct later *later = &b->later[b->later_count++];
    memset(later, 0, sizeof *later);
    later->kind = kind;
    return later;
}

/* ------------------------------------------------------------------------------------------------
 * Bytes */

static inline void byte(struct block *b, unsigned value) {
    *b->at++ = (uint8_t)value;
}

static inline void bytes(struct block *b, unsigned count, const uint8_t *values) {
    memcpy(b->at, values, count);
    b->at += count;
}

#define CODE(b, ...)                                                                               \
    bytes(b, sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]){__VA_ARGS__})

static inline void word(struct block *b, uint32_t value) {
    memcpy(b->at, &value, sizeof value);
    b->at += sizeof value;
}

static inline void quad(struct block *b, uint64_t value) {
    memcpy(b->at, &value, sizeof value);
    b->at += sizeof value;
}

static inline void link(uint8_t *displacement, const uint8_t *target) {
    const int32_t distance = (int32_t)(target - (displacement + 4));
    memcpy(displacement, &distance, sizeof distance);
}

static inline uint8_t *jump_if_near(struct block *b, enum condition condition) {
    CODE(b, (uint8_t)(0x70 | condition), 0);
    return b->at - 1;
}

static inline void link_near(uint8_t *displacement, const uint8_t *target) {
    *displacement = (uint8_t)(target - (displacement + 1));
}

static inline uint8_t *jump_later(struct block *b) {
    byte(b, 0xE9);
    word(b, 0);
    return b->at - 4;
}

static inline uint8_t *jump_if_later(struct block *b, enum condition condition) {
    CODE(b, 0x0F, (uint8_t)(0x80 | condition));
    word(b, 0);
    return b->at - 4;
}

static inline void jump(struct block *b, const uint8_t *target) {
    link(jump_later(b), target);
}

static inline void call(struct block *b, const uint8_t *target) {
    byte(b, 0xE8);
    word(b, 0);
    link(b->at - 4, target);
}

/* OP of a host register, of `reg`, with [rbp + offset] of struct tigon_native; `prefix` is 0 or a
 * REX. */
static inline void field(struct block *b, unsigned prefix, unsigned opcode, unsigned host,
                         size_t offset) {
    if (prefix)
        byte(b, prefix);
    CODE(b, (uint8_t)opcode, (uint8_t)((offset < 128u ? 0x45 : 0x85) | host << 3));
    if (offset < 128u)
        byte(b, (unsigned)offset);
    else
        word(b, (uint32_t)offset);
}

/* OP of a host register, of `reg`, with a word of the text. */
static inline void absolute(struct block *b, unsigned opcode, unsigned host, const void *at) {
    CODE(b, (uint8_t)opcode, (uint8_t)(0x04 | host << 3), 0x25);
    word(b, (uint32_t)(uintptr_t)at);
}

#define FIELD(name) offsetof(struct tigon_native, name)
#define CORE(name)  offsetof(struct tigon_cpu, name)

/* The same with a field of struct tigon_cpu. */
static inline void core_field(struct block *b, unsigned prefix, unsigned opcode, unsigned host,
                              size_t offset) {
    if (prefix)
        byte(b, prefix);
    CODE(b, (uint8_t)opcode, (uint8_t)(0x83 | host << 3));
    word(b, (uint32_t)offset);
}

static inline void jump_field(struct block *b, size_t offset) {
    field(b, 0, 0xFF, 4, offset);
}

static inline void call_field(struct block *b, size_t offset) {
    field(b, 0, 0xFF, 2, offset);
}

static inline void set_field(struct block *b, size_t offset, uint32_t value) {
    field(b, 0, 0xC7, 0, offset);
    word(b, value);
}

/* OP reg, rm with registers of the host, 32 bits wide. */
static inline void host_host(struct block *b, unsigned opcode, unsigned reg, unsigned rm) {
    const unsigned rex = (reg >= R8 ? 4u : 0u) | (rm >= R8 ? 1u : 0u);
    if (rex)
        byte(b, 0x40 | rex);
    CODE(b, (uint8_t)opcode, (uint8_t)(0xC0 | (reg & 7u) << 3 | (rm & 7u)));
}

/* OP reg, [rbx + ...]: the core's own copy of register `number`. */
static inline void host_core(struct block *b, unsigned opcode, unsigned reg, unsigned number) {
    if (reg >= R8)
        byte(b, 0x44);
    CODE(b, (uint8_t)opcode, (uint8_t)(0x43 | (reg & 7u) << 3), (uint8_t)(number * 4u));
}

static inline bool is_short(uint32_t value) {
    return value + 128u < 256u;
}

static inline void host_constant(struct block *b, unsigned host, uint32_t value) {
    if (value == 0) {
        host_host(b, 0x31, host, host); /* xor */
        return;
    }
    if (host >= R8)
        byte(b, 0x41);
    byte(b, 0xB8 | (host & 7u));
    word(b, value);
}

static inline void eax_constant(struct block *b, uint32_t value) {
    host_constant(b, EAX, value);
}

/* OP host, value: the opcode as of OP r32, r/m32. */
static inline void host_immediate(struct block *b, unsigned opcode, unsigned host, uint32_t value) {
    host_host(b, is_short(value) ? 0x83 : 0x81, opcode >> 3, host);
    if (is_short(value))
        byte(b, value);
    else
        word(b, value);
}

/* lea to, [from + offset] */
static inline void host_sum(struct block *b, unsigned to, unsigned from, uint32_t offset) {
    const unsigned rex = (to >= R8 ? 4u : 0u) | (from >= R8 ? 1u : 0u);
    if (rex)
        byte(b, 0x40 | rex);
    CODE(b, 0x8D, (uint8_t)((is_short(offset) ? 0x40 : 0x80) | (to & 7u) << 3 | (from & 7u)));
    if (is_short(offset))
        byte(b, offset);
    else
        word(b, offset);
}

/* ------------------------------------------------------------------------------------------------
 * Registers of the core: native_registers.c */

static inline bool is_known(const struct block *b, unsigned number) {
    return b->now.known >> number & 1u;
}

static inline bool is_held(const struct block *b, unsigned number) {
    return b->now.held >> number & 1u;
}

/* A host register of the pool that is free, and not among the bits `keep`. */
unsigned native_take(struct block *b, unsigned keep);

/* The host register that holds register `number`; loads it if necessary. */
unsigned native_in(struct block *b, unsigned number, unsigned keep);

/* The host register for the result of an instruction that does not read `number`. */
unsigned native_for(struct block *b, unsigned number, unsigned keep);

/* mov host, register `number`. */
void native_copy(struct block *b, unsigned host, unsigned number);

/* OP host, register `number`, which is not $0. */
void native_with(struct block *b, unsigned opcode, unsigned host, unsigned number);

/* cmp source, second or value. */
void native_compare(struct block *b, unsigned source, unsigned second);
void native_compare_immediate(struct block *b, unsigned source, uint32_t value);

/* `host`, of the pool, now holds the result of an instruction. */
void native_result(struct block *b, unsigned number, unsigned host);
void native_result_constant(struct block *b, unsigned number, uint32_t value);

/* Saves all registers to the core. Changes no flags and no host register. */
void native_save(struct block *b);

/* Host registers hold nothing any more. All must be saved. */
void native_drop(struct block *b);

/* Host registers hold again what `now` describes, except register `except`. All must be saved. */
void native_load_again(struct block *b, unsigned except);

/* `cycle` is that of the access, since the block began. */
static inline void call_routine(struct block *b, uint32_t access, uint32_t cycle,
                                unsigned routine) {
    byte(b, 0xBE); /* mov esi */
    word(b, (uint32_t)(uintptr_t)&b->text->accesses[access]);
    CODE(b, 0x4D, 0x8D, cycle < 128u ? 0x44 : 0x84, 0x24); /* lea r8, [r12 + cycle] */
    if (cycle < 128u)
        byte(b, cycle);
    else
        word(b, cycle);
    call_field(b, FIELD(routine) + routine * sizeof(uint8_t *));
}

/* ------------------------------------------------------------------------------------------------
 * Instructions: native_instructions.c */

struct access_form {
    uint8_t shift; /* log2 of the size */
    bool load;
    bool sign;
};

/* False if it is neither load nor store. */
bool native_access_form(unsigned operation, struct access_form *form);

/* Whether this needs no branch and can be translated. */
bool native_simple(const struct tigon_instruction *in);

/* An instruction that only computes in registers. */
void native_emit_plain(struct block *b, const struct tigon_instruction *in);

/* SLT and the like, if only a following branch on zero or not zero needs the result at once: the
 * result is a constant on either path. False if it is no such instruction. */
bool native_emit_flags(struct block *b, const struct tigon_instruction *in,
                       const struct tigon_instruction *next);

/* ------------------------------------------------------------------------------------------------
 * Guesses: native_guess.c */

/* The core is at the beginning of the block. */
void native_guess_begin(struct knowledge *k, const struct tigon_cpu *cpu);

/* The result of an instruction that computes, for most such instructions. */
bool native_evaluate(const struct tigon_instruction *in, uint32_t source, uint32_t second,
                     uint32_t *value);

/* Applies an instruction to the guess; one without a rule makes register `number` unknown. */
void native_guess_plain(struct knowledge *k, const struct tigon_instruction *in);
void native_guess_access(struct knowledge *k, const struct tigon_cpu *cpu,
                         const struct tigon_instruction *in, const struct access_form *form);
void native_guess_constant(struct knowledge *k, unsigned number, uint32_t value);

/* The predicted target of an access; NATIVE_SCRATCHPAD also if the address is unknown. */
enum native_target native_guess_target(const struct knowledge *k,
                                       const struct tigon_instruction *in, unsigned shift);

/* The next instruction executed is at `next_pc`. `way` is where the block continues if this is its
 * last instruction, else NULL. */
struct native_access *native_emit_access(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in,
                                         const struct access_form *form, const struct counted *c,
                                         uint32_t next_pc, const struct way *way);

#endif
