/*
 * What native_x86_64.c and native_instructions.c write blocks with: x86-64 instructions as bytes,
 * registers of the core as operands.
 */
#ifndef TIGON_SIM_NATIVE_EMIT_H
#define TIGON_SIM_NATIVE_EMIT_H

#include "sim/native_private.h"

#include <stddef.h>

#define NOTHING_HELD 255u

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

/* What is known of the core's registers at a place in the block, whatever came before it. */
struct knowledge {
    uint8_t held;   /* the register that eax holds, NOTHING_HELD if none */
    uint32_t known; /* bit n: register n is constant[n] */
    uint32_t constant[32];
    uint32_t guessed; /* the same, but only likely: native_guess.c */
    uint32_t guess[32];
};

/* Where a path through the block goes on. */
struct way {
    bool computed; /* to native->target */
    uint32_t pc;
};

enum later_kind {
    NEAR_LIMIT,
    LAST_LOAD, /* of the block, elsewhere than in the scratchpad */
    ELSEWHERE, /* any other access */
    STORE_TEXT,
    LOAD_PENDING,
    OTHER_WAY /* of a branch: its delay slot, if that is executed, and out of the block */
};

/* Code that stands elsewhere. */
struct later {
    enum later_kind kind;
    uint8_t *jump; /* displacement that leads here */
    const uint8_t *back;
    uint32_t access; /* its index */
    unsigned routine;
    uint8_t destination;
    struct counted counted;
    struct way way;
    uint32_t slot; /* its address, 0 if nullified */
    struct knowledge knowledge;
};

#define NATIVE_LATER (6u * (NATIVE_BLOCK_LENGTH + 2u))

struct block {
    struct tigon_native *native;
    const struct tigon_cpu *cpu;
    uint8_t *at; /* where code goes */
    struct knowledge now;
    uint32_t last; /* native_access.last */
    uint32_t first_access;
    uint32_t begin; /* its address */
    const uint8_t *entry;
    uint32_t text[NATIVE_BLOCK_LENGTH]; /* addresses of its instructions, delay slots not counted */
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

/* OP r32, gpr[number] or the other way round, as the opcode says; registers 0 eax, 1 ecx, 2 edx. */
static inline void gpr(struct block *b, unsigned opcode, unsigned host, unsigned number) {
    CODE(b, (uint8_t)opcode, (uint8_t)(0x43 | host << 3), (uint8_t)(number * 4u));
}

/* The same with a field of struct tigon_native; `prefix` is 0 or a REX. */
static inline void field(struct block *b, unsigned prefix, unsigned opcode, unsigned host,
                         size_t offset) {
    if (prefix)
        byte(b, prefix);
    CODE(b, (uint8_t)opcode, (uint8_t)(0x85 | host << 3));
    word(b, (uint32_t)offset);
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

static inline void eax_constant(struct block *b, uint32_t value) {
    byte(b, 0xB8);
    word(b, value);
}

/* ------------------------------------------------------------------------------------------------
 * Registers of the core */

static inline void load(struct block *b, unsigned host, unsigned number) {
    if (number == 0)
        CODE(b, 0x31, (uint8_t)(0xC0 | host << 3 | host)); /* xor */
    else if (b->now.held == number)
        CODE(b, 0x89, (uint8_t)(0xC0 | host)); /* mov host, eax */
    else
        gpr(b, 0x8B, host, number);
}

static inline void load_eax(struct block *b, unsigned number) {
    if (b->now.held != number)
        load(b, 0, number);
    b->now.held = (uint8_t)number;
}

/* eax is the result of an instruction. */
static inline void result(struct block *b, unsigned number) {
    b->now.held = NOTHING_HELD;
    if (number == TIGON_REGISTER_DISCARD)
        return;
    b->now.known &= ~(1u << number);
    gpr(b, 0x89, 0, number);
    b->now.held = (uint8_t)number;
}

static inline void result_constant(struct block *b, unsigned number, uint32_t value) {
    if (number == TIGON_REGISTER_DISCARD)
        return;
    gpr(b, 0xC7, 0, number);
    word(b, value);
    b->now.known |= 1u << number;
    b->now.constant[number] = value;
    if (b->now.held == number)
        b->now.held = NOTHING_HELD;
}

/* OP eax, gpr[number]. */
static inline void with(struct block *b, unsigned opcode, unsigned number) {
    gpr(b, opcode, 0, number);
    b->now.held = NOTHING_HELD;
}

/* OP eax, constant: the accumulator forms of the opcodes. */
static inline void with_constant(struct block *b, unsigned opcode, uint32_t value) {
    if (value + 128u < 256u) {
        CODE(b, 0x83, (uint8_t)(0xC0 | (opcode & 0x38)), (uint8_t)value);
    } else {
        byte(b, opcode);
        word(b, value);
    }
    b->now.held = NOTHING_HELD;
}

static inline void flag_to_eax(struct block *b, enum condition condition) {
    CODE(b, 0x0F, (uint8_t)(0x90 | condition), 0xC0, /* setcc al */
         0x0F, 0xB6, 0xC0);                          /* movzx eax, al */
}

/* What accesses pass in esi. */
static inline void access_number(struct block *b, uint32_t index) {
    byte(b, 0xBE); /* mov esi */
    word(b, (uint32_t)(FIELD(accesses) + index * sizeof(struct native_access)));
}

static inline void call_routine(struct block *b, uint32_t access, unsigned routine) {
    access_number(b, access);
    call_field(b, FIELD(routine) + routine * sizeof(uint8_t *));
}

/* ------------------------------------------------------------------------------------------------
 * Instructions: native_instructions.c */

struct access_form {
    uint8_t shift; /* log2 of the size */
    bool load;
    bool sign;
};

/* False if it is no load or store. */
bool native_access_form(unsigned operation, struct access_form *form);

/* Whether this needs no branch and can be translated. */
bool native_simple(const struct tigon_instruction *in);

/* What computes in registers. False: not translated. */
bool native_emit_plain(struct block *b, const struct tigon_instruction *in);

/* ------------------------------------------------------------------------------------------------
 * Guesses: native_guess.c */

/* The core stands where the block begins. */
void native_guess_begin(struct knowledge *k, const struct tigon_cpu *cpu);

/* Carry on through an instruction; through what else changes register `number`. */
void native_guess_plain(struct knowledge *k, const struct tigon_instruction *in);
void native_guess_access(struct knowledge *k, const struct tigon_cpu *cpu,
                         const struct tigon_instruction *in, const struct access_form *form);
void native_guess_constant(struct knowledge *k, unsigned number, uint32_t value);

/* Where an access most likely goes to; NATIVE_SCRATCHPAD also if that is not known. */
enum native_target native_guess_target(const struct knowledge *k,
                                       const struct tigon_instruction *in, unsigned shift);

/* The next instruction executed is at `next_pc`. `way` is where the block goes on when this is its
 * last one, else NULL. */
struct native_access *native_emit_access(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in,
                                         const struct access_form *form, const struct counted *c,
                                         uint32_t next_pc, const struct way *way);

#endif
