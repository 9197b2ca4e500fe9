/* SPDX-License-Identifier: MIT */
/*
 * The instruction set of a core in pre-decoded form.
 *
 * tigon2.md 1.2 lists what occurs in real images; the whole MIPS II integer set without multiply,
 * divide, unaligned access, LL/SC, SYNC, traps, coprocessors and 64-bit operations is accepted,
 * plus PRI and JOFF (tigon2.md 1.3). Everything else decodes to TIGON_OP_INVALID.
 */
#ifndef TIGON_SIM_ISA_H
#define TIGON_SIM_ISA_H

#include <assert.h>
#include <stdint.h>

enum tigon_op {
    TIGON_OP_STALE = 0, /* memory changed since the last decode: decode again before use */
    TIGON_OP_INVALID,
    TIGON_OP_HALT, /* BREAK */
    TIGON_OP_NOP,
    TIGON_OP_ADDU,
    TIGON_OP_SUBU,
    TIGON_OP_ADD, /* ADD, SUB, ADDI: overflow stops the core as an invalid instruction */
    TIGON_OP_SUB,
    TIGON_OP_ADDI,
    TIGON_OP_ADDIU,
    TIGON_OP_AND,
    TIGON_OP_OR,
    TIGON_OP_XOR,
    TIGON_OP_NOR,
    TIGON_OP_ANDI,
    TIGON_OP_ORI,
    TIGON_OP_XORI,
    TIGON_OP_LUI,
    TIGON_OP_SLL,
    TIGON_OP_SRL,
    TIGON_OP_SRA,
    TIGON_OP_SLLV,
    TIGON_OP_SRLV,
    TIGON_OP_SRAV,
    TIGON_OP_SLT,
    TIGON_OP_SLTU,
    TIGON_OP_SLTI,
    TIGON_OP_SLTIU,
    TIGON_OP_PRI,
    TIGON_OP_LW,
    TIGON_OP_LH,
    TIGON_OP_LHU,
    TIGON_OP_LB,
    TIGON_OP_LBU,
    TIGON_OP_SW,
    TIGON_OP_SH,
    TIGON_OP_SB,
    TIGON_OP_J, /* J, JAL: immediate holds the low 28 bits of the target */
    TIGON_OP_JAL,
    TIGON_OP_JR,
    TIGON_OP_JALR,
    TIGON_OP_JOFF,
    TIGON_OP_BEQ,
    TIGON_OP_BNE,
    TIGON_OP_BLEZ,
    TIGON_OP_BGTZ,
    TIGON_OP_BLTZ,
    TIGON_OP_BGEZ,
    TIGON_OP_BLTZAL,
    TIGON_OP_BGEZAL,
    TIGON_OP_BEQL,
    TIGON_OP_BNEL,
    TIGON_OP_BLEZL,
    TIGON_OP_BGTZL,
    TIGON_OP_BLTZL,
    TIGON_OP_BGEZL,
    TIGON_OP_BLTZALL,
    TIGON_OP_BGEZALL,
    TIGON_OP_COUNT
};

/* Results for $0 go to this extra slot of the register file, so that $0 stays 0 without a test. */
#define TIGON_REGISTER_DISCARD 32u

struct tigon_instruction {
    uint8_t operation;   /* enum tigon_op */
    uint8_t source;      /* rs field, 0 if the instruction does not read it */
    uint8_t second;      /* rt field, 0 if the instruction does not read it */
    uint8_t destination; /* register written, TIGON_REGISTER_DISCARD for $0 */
    uint32_t immediate;  /* extended as the operation needs it; branch: byte distance from the delay
                            slot; shift: the amount */
};
/* The decoded text of a scratchpad should fit the first-level cache of the host's processor. */
static_assert(sizeof(struct tigon_instruction) == 8, "as small as it can be");

/* Decode one instruction word (host byte order). Never fails: unknown words give
 * TIGON_OP_INVALID. */
struct tigon_instruction tigon_decode(uint32_t word);

#endif
