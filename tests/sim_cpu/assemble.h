/* SPDX-License-Identifier: MIT */
/* Instruction words for the tests of the core, one function per instruction used. Distances of
 * branches count instructions from the delay slot, as in the encoding. */
#ifndef TIGON_TESTS_ASSEMBLE_H
#define TIGON_TESTS_ASSEMBLE_H

#include <stdint.h>

enum {
    ZERO = 0,
    V0 = 2,
    V1 = 3,
    A0 = 4,
    A1 = 5,
    T0 = 8,
    T1 = 9,
    T2 = 10,
    T3 = 11,
    T4 = 12,
    S0 = 16,
    S1 = 17,
    S2 = 18,
    S3 = 19,
    S4 = 20,
    S5 = 21,
    S6 = 22,
    S7 = 23,
    K0 = 26,
    K1 = 27,
    GP = 28,
    SP = 29,
    RA = 31
};

static inline uint32_t immediate_word(uint32_t major, uint32_t rs, uint32_t rt, int32_t value) {
    return major << 26 | rs << 21 | rt << 16 | ((uint32_t)value & 0xFFFFu);
}
static inline uint32_t special_word(uint32_t function, uint32_t rs, uint32_t rt, uint32_t rd,
                                    uint32_t amount) {
    return rs << 21 | rt << 16 | rd << 11 | amount << 6 | function;
}

#define NOP                    0u
#define HALT                   0x0000000Du
#define ADDIU(rt, rs, value)   immediate_word(0x09, rs, rt, value)
#define ADDI(rt, rs, value)    immediate_word(0x08, rs, rt, value)
#define SLTIU(rt, rs, value)   immediate_word(0x0B, rs, rt, value)
#define ANDI(rt, rs, value)    immediate_word(0x0C, rs, rt, value)
#define ORI(rt, rs, value)     immediate_word(0x0D, rs, rt, (int32_t)(value))
#define LUI(rt, value)         immediate_word(0x0F, 0, rt, (int32_t)(value))
#define LW(rt, offset, rs)     immediate_word(0x23, rs, rt, offset)
#define LH(rt, offset, rs)     immediate_word(0x21, rs, rt, offset)
#define LHU(rt, offset, rs)    immediate_word(0x25, rs, rt, offset)
#define LB(rt, offset, rs)     immediate_word(0x20, rs, rt, offset)
#define LBU(rt, offset, rs)    immediate_word(0x24, rs, rt, offset)
#define SW(rt, offset, rs)     immediate_word(0x2B, rs, rt, offset)
#define SH(rt, offset, rs)     immediate_word(0x29, rs, rt, offset)
#define SB(rt, offset, rs)     immediate_word(0x28, rs, rt, offset)
#define BEQ(rs, rt, distance)  immediate_word(0x04, rs, rt, distance)
#define BNE(rs, rt, distance)  immediate_word(0x05, rs, rt, distance)
#define BEQL(rs, rt, distance) immediate_word(0x14, rs, rt, distance)
#define BNEL(rs, rt, distance) immediate_word(0x15, rs, rt, distance)
#define BGEZAL(rs, distance)   immediate_word(0x01, rs, 0x11, distance)
#define BLTZALL(rs, distance)  immediate_word(0x01, rs, 0x12, distance)
#define J(address)             (0x02u << 26 | ((uint32_t)(address) >> 2 & 0x03FFFFFFu))
#define JAL(address)           (0x03u << 26 | ((uint32_t)(address) >> 2 & 0x03FFFFFFu))
#define JR(rs)                 special_word(0x08, rs, 0, 0, 0)
#define JALR(rd, rs)           special_word(0x09, rs, 0, rd, 0)
#define JOFF(rs, rt)           special_word(0x0A, rs, rt, 0, 0)
#define PRI(rd, rs, rt)        special_word(0x0B, rs, rt, rd, 0)
#define ADD(rd, rs, rt)        special_word(0x20, rs, rt, rd, 0)
#define ADDU(rd, rs, rt)       special_word(0x21, rs, rt, rd, 0)
#define SUB(rd, rs, rt)        special_word(0x22, rs, rt, rd, 0)
#define SUBU(rd, rs, rt)       special_word(0x23, rs, rt, rd, 0)
#define XOR(rd, rs, rt)        special_word(0x26, rs, rt, rd, 0)
#define SLL(rd, rt, amount)    special_word(0x00, 0, rt, rd, amount)
#define SRL(rd, rt, amount)    special_word(0x02, 0, rt, rd, amount)

#endif
