/* SPDX-License-Identifier: MIT */
/* Decoding of instruction words: see isa.h. */
#include "sim/core/isa.h"

enum form {
    FORM_NONE,
    FORM_THREE,    /* rd, rs, rt */
    FORM_SHIFT,    /* rd, rt, sa */
    FORM_SIGNED,   /* rt, rs, sign-extended immediate */
    FORM_UNSIGNED, /* rt, rs, zero-extended immediate */
    FORM_LUI,      /* rt, immediate */
    FORM_LOAD,     /* rt, offset(rs) */
    FORM_STORE,    /* rt, offset(rs) */
    FORM_JUMP,     /* target */
    FORM_BRANCH2,  /* rs, rt, distance */
    FORM_BRANCH1,  /* rs, distance; rt must be 0 in the major opcodes */
    FORM_LINK,     /* rs, distance; writes $31 */
    FORM_JR,       /* rs */
    FORM_JALR,     /* rd, rs */
    FORM_JOFF      /* rs, rt */
};

struct row {
    uint8_t operation;
    uint8_t form;
};

static const struct row major_rows[64] = {
    [0x02] = {TIGON_OP_J, FORM_JUMP},        [0x03] = {TIGON_OP_JAL, FORM_JUMP},
    [0x04] = {TIGON_OP_BEQ, FORM_BRANCH2},   [0x05] = {TIGON_OP_BNE, FORM_BRANCH2},
    [0x06] = {TIGON_OP_BLEZ, FORM_BRANCH1},  [0x07] = {TIGON_OP_BGTZ, FORM_BRANCH1},
    [0x08] = {TIGON_OP_ADDI, FORM_SIGNED},   [0x09] = {TIGON_OP_ADDIU, FORM_SIGNED},
    [0x0A] = {TIGON_OP_SLTI, FORM_SIGNED},   [0x0B] = {TIGON_OP_SLTIU, FORM_SIGNED},
    [0x0C] = {TIGON_OP_ANDI, FORM_UNSIGNED}, [0x0D] = {TIGON_OP_ORI, FORM_UNSIGNED},
    [0x0E] = {TIGON_OP_XORI, FORM_UNSIGNED}, [0x0F] = {TIGON_OP_LUI, FORM_LUI},
    [0x14] = {TIGON_OP_BEQL, FORM_BRANCH2},  [0x15] = {TIGON_OP_BNEL, FORM_BRANCH2},
    [0x16] = {TIGON_OP_BLEZL, FORM_BRANCH1}, [0x17] = {TIGON_OP_BGTZL, FORM_BRANCH1},
    [0x20] = {TIGON_OP_LB, FORM_LOAD},       [0x21] = {TIGON_OP_LH, FORM_LOAD},
    [0x23] = {TIGON_OP_LW, FORM_LOAD},       [0x24] = {TIGON_OP_LBU, FORM_LOAD},
    [0x25] = {TIGON_OP_LHU, FORM_LOAD},      [0x28] = {TIGON_OP_SB, FORM_STORE},
    [0x29] = {TIGON_OP_SH, FORM_STORE},      [0x2B] = {TIGON_OP_SW, FORM_STORE},
};

static const struct row special_rows[64] = {
    [0x00] = {TIGON_OP_SLL, FORM_SHIFT},  [0x02] = {TIGON_OP_SRL, FORM_SHIFT},
    [0x03] = {TIGON_OP_SRA, FORM_SHIFT},  [0x04] = {TIGON_OP_SLLV, FORM_THREE},
    [0x06] = {TIGON_OP_SRLV, FORM_THREE}, [0x07] = {TIGON_OP_SRAV, FORM_THREE},
    [0x08] = {TIGON_OP_JR, FORM_JR},      [0x09] = {TIGON_OP_JALR, FORM_JALR},
    [0x0A] = {TIGON_OP_JOFF, FORM_JOFF},  [0x0B] = {TIGON_OP_PRI, FORM_THREE},
    [0x0D] = {TIGON_OP_HALT, FORM_NONE},  [0x20] = {TIGON_OP_ADD, FORM_THREE},
    [0x21] = {TIGON_OP_ADDU, FORM_THREE}, [0x22] = {TIGON_OP_SUB, FORM_THREE},
    [0x23] = {TIGON_OP_SUBU, FORM_THREE}, [0x24] = {TIGON_OP_AND, FORM_THREE},
    [0x25] = {TIGON_OP_OR, FORM_THREE},   [0x26] = {TIGON_OP_XOR, FORM_THREE},
    [0x27] = {TIGON_OP_NOR, FORM_THREE},  [0x2A] = {TIGON_OP_SLT, FORM_THREE},
    [0x2B] = {TIGON_OP_SLTU, FORM_THREE},
};

static const struct row register_immediate_rows[32] = {
    [0x00] = {TIGON_OP_BLTZ, FORM_BRANCH1},  [0x01] = {TIGON_OP_BGEZ, FORM_BRANCH1},
    [0x02] = {TIGON_OP_BLTZL, FORM_BRANCH1}, [0x03] = {TIGON_OP_BGEZL, FORM_BRANCH1},
    [0x10] = {TIGON_OP_BLTZAL, FORM_LINK},   [0x11] = {TIGON_OP_BGEZAL, FORM_LINK},
    [0x12] = {TIGON_OP_BLTZALL, FORM_LINK},  [0x13] = {TIGON_OP_BGEZALL, FORM_LINK},
};

static uint8_t written(uint32_t number) {
    return (uint8_t)(number == 0 ? TIGON_REGISTER_DISCARD : number);
}

struct tigon_instruction tigon_decode(uint32_t word) {
    uint32_t major = word >> 26;
    uint32_t rs = word >> 21 & 31u, rt = word >> 16 & 31u, rd = word >> 11 & 31u;
    uint32_t amount = word >> 6 & 31u, function = word & 63u;
    uint32_t low = word & 0xFFFFu;
    uint32_t extended = (uint32_t)(int32_t)(int16_t)(uint16_t)low;

    struct row row = major == 0   ? special_rows[function]
                     : major == 1 ? register_immediate_rows[rt]
                                  : major_rows[major];
    struct tigon_instruction in = {
        .operation = row.operation == 0 ? (uint8_t)TIGON_OP_INVALID : row.operation,
        .destination = TIGON_REGISTER_DISCARD,
    };

    switch ((enum form)row.form) {
    case FORM_NONE:
        break;
    case FORM_THREE:
        in.destination = written(rd);
        in.source = (uint8_t)rs;
        in.second = (uint8_t)rt;
        break;
    case FORM_SHIFT:
        in.destination = written(rd);
        in.immediate = amount;
        in.second = (uint8_t)rt;
        break;
    case FORM_SIGNED:
        in.destination = written(rt);
        in.immediate = extended;
        in.source = (uint8_t)rs;
        break;
    case FORM_UNSIGNED:
        in.destination = written(rt);
        in.immediate = low;
        in.source = (uint8_t)rs;
        break;
    case FORM_LUI:
        in.destination = written(rt);
        in.immediate = low << 16;
        break;
    case FORM_LOAD:
        in.destination = written(rt);
        in.immediate = extended;
        in.source = (uint8_t)rs;
        break;
    case FORM_STORE:
        in.immediate = extended;
        in.source = (uint8_t)rs;
        in.second = (uint8_t)rt;
        break;
    case FORM_JUMP:
        in.immediate = (word & 0x03FFFFFFu) << 2;
        break;
    case FORM_BRANCH2:
        in.immediate = extended << 2;
        in.source = (uint8_t)rs;
        in.second = (uint8_t)rt;
        break;
    case FORM_BRANCH1:
    case FORM_LINK:
        in.immediate = extended << 2;
        in.source = (uint8_t)rs;
        break;
    case FORM_JR:
        in.source = (uint8_t)rs;
        break;
    case FORM_JALR:
        in.destination = written(rd);
        in.source = (uint8_t)rs;
        break;
    case FORM_JOFF:
        in.source = (uint8_t)rs;
        in.second = (uint8_t)rt;
        break;
    }

    /* Fields that must be zero: a non-zero one is another instruction, which the core lacks. */
    if ((in.operation == TIGON_OP_PRI || in.operation == TIGON_OP_JOFF) && amount != 0)
        in.operation = TIGON_OP_INVALID;
    if (in.operation == TIGON_OP_JOFF && rd != 0)
        in.operation = TIGON_OP_INVALID;
    if (major != 1 && row.form == FORM_BRANCH1 && rt != 0)
        in.operation = TIGON_OP_INVALID;
    if (word == 0)
        in.operation = TIGON_OP_NOP;
    if (in.operation == TIGON_OP_INVALID) {
        in.source = 0;
        in.second = 0;
    }
    return in;
}
