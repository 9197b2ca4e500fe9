/* SPDX-License-Identifier: MIT */
/* Instructions as text; see disassemble.h. */
#include "sim/debug/disassemble.h"

#include <inttypes.h>
#include <stdio.h>

#include "sim/core/cpu.h"
#include "sim/core/isa.h"

/* Operands of a row, one letter each; the rest is copied: d rd, s rs, t rt, a shift amount, i
 * signed immediate, u unsigned one, o displacement, b branch target, j jump target. */
struct row {
    const char *name;
    const char *operands;
};

static const struct row rows[TIGON_OP_COUNT] = {
    [TIGON_OP_HALT] = {"halt", ""},          [TIGON_OP_NOP] = {"nop", ""},
    [TIGON_OP_ADDU] = {"addu", "d,s,t"},     [TIGON_OP_SUBU] = {"subu", "d,s,t"},
    [TIGON_OP_ADD] = {"add", "d,s,t"},       [TIGON_OP_SUB] = {"sub", "d,s,t"},
    [TIGON_OP_ADDI] = {"addi", "t,s,i"},     [TIGON_OP_ADDIU] = {"addiu", "t,s,i"},
    [TIGON_OP_AND] = {"and", "d,s,t"},       [TIGON_OP_OR] = {"or", "d,s,t"},
    [TIGON_OP_XOR] = {"xor", "d,s,t"},       [TIGON_OP_NOR] = {"nor", "d,s,t"},
    [TIGON_OP_ANDI] = {"andi", "t,s,u"},     [TIGON_OP_ORI] = {"ori", "t,s,u"},
    [TIGON_OP_XORI] = {"xori", "t,s,u"},     [TIGON_OP_LUI] = {"lui", "t,u"},
    [TIGON_OP_SLL] = {"sll", "d,t,a"},       [TIGON_OP_SRL] = {"srl", "d,t,a"},
    [TIGON_OP_SRA] = {"sra", "d,t,a"},       [TIGON_OP_SLLV] = {"sllv", "d,t,s"},
    [TIGON_OP_SRLV] = {"srlv", "d,t,s"},     [TIGON_OP_SRAV] = {"srav", "d,t,s"},
    [TIGON_OP_SLT] = {"slt", "d,s,t"},       [TIGON_OP_SLTU] = {"sltu", "d,s,t"},
    [TIGON_OP_SLTI] = {"slti", "t,s,i"},     [TIGON_OP_SLTIU] = {"sltiu", "t,s,i"},
    [TIGON_OP_PRI] = {"pri", "d,s,t"},       [TIGON_OP_LW] = {"lw", "t,o(s)"},
    [TIGON_OP_LH] = {"lh", "t,o(s)"},        [TIGON_OP_LHU] = {"lhu", "t,o(s)"},
    [TIGON_OP_LB] = {"lb", "t,o(s)"},        [TIGON_OP_LBU] = {"lbu", "t,o(s)"},
    [TIGON_OP_SW] = {"sw", "t,o(s)"},        [TIGON_OP_SH] = {"sh", "t,o(s)"},
    [TIGON_OP_SB] = {"sb", "t,o(s)"},        [TIGON_OP_J] = {"j", "j"},
    [TIGON_OP_JAL] = {"jal", "j"},           [TIGON_OP_JR] = {"jr", "s"},
    [TIGON_OP_JALR] = {"jalr", "d,s"},       [TIGON_OP_JOFF] = {"joff", "s,t"},
    [TIGON_OP_BEQ] = {"beq", "s,t,b"},       [TIGON_OP_BNE] = {"bne", "s,t,b"},
    [TIGON_OP_BLEZ] = {"blez", "s,b"},       [TIGON_OP_BGTZ] = {"bgtz", "s,b"},
    [TIGON_OP_BLTZ] = {"bltz", "s,b"},       [TIGON_OP_BGEZ] = {"bgez", "s,b"},
    [TIGON_OP_BLTZAL] = {"bltzal", "s,b"},   [TIGON_OP_BGEZAL] = {"bgezal", "s,b"},
    [TIGON_OP_BEQL] = {"beql", "s,t,b"},     [TIGON_OP_BNEL] = {"bnel", "s,t,b"},
    [TIGON_OP_BLEZL] = {"blezl", "s,b"},     [TIGON_OP_BGTZL] = {"bgtzl", "s,b"},
    [TIGON_OP_BLTZL] = {"bltzl", "s,b"},     [TIGON_OP_BGEZL] = {"bgezl", "s,b"},
    [TIGON_OP_BLTZALL] = {"bltzall", "s,b"}, [TIGON_OP_BGEZALL] = {"bgezall", "s,b"},
};

/* Instructions that the chip lacks and other MIPS processors have. */
static const char *const absent_special[64] = {
    [0x0C] = "syscall", [0x0F] = "sync", [0x10] = "mfhi", [0x11] = "mthi",
    [0x12] = "mflo",    [0x13] = "mtlo", [0x18] = "mult", [0x19] = "multu",
    [0x1A] = "div",     [0x1B] = "divu", [0x30] = "tge",  [0x31] = "tgeu",
    [0x32] = "tlt",     [0x33] = "tltu", [0x34] = "teq",  [0x36] = "tne"};
static const char *const absent_major[64] = {
    [0x10] = "cop0", [0x11] = "cop1", [0x12] = "cop2",  [0x22] = "lwl",  [0x26] = "lwr",
    [0x2A] = "swl",  [0x2E] = "swr",  [0x2F] = "cache", [0x30] = "ll",   [0x31] = "lwc1",
    [0x33] = "pref", [0x35] = "ldc1", [0x38] = "sc",    [0x39] = "swc1", [0x3D] = "sdc1"};

bool tigon_branch_target(uint32_t word, uint32_t address, uint32_t *target) {
    const struct tigon_instruction in = tigon_decode(word);
    const char *operands = in.operation < TIGON_OP_COUNT ? rows[in.operation].operands : NULL;
    for (; operands && *operands; operands++) {
        if (*operands == 'b')
            *target = address + 4u + in.immediate;
        else if (*operands == 'j')
            *target = ((address + 4u) & 0xF0000000u) | in.immediate;
        else
            continue;
        return true;
    }
    return false;
}

static int operand(char *text, size_t size, char letter, uint32_t word, uint32_t address) {
    const unsigned rs = word >> 21 & 31u, rt = word >> 16 & 31u, rd = word >> 11 & 31u;
    const int low = (int16_t)(uint16_t)(word & 0xFFFFu);
    uint32_t target = 0;
    switch (letter) {
    case 's':
    case 't':
    case 'd':
        return snprintf(text, size, "$%s",
                        tigon_cpu_register_name(letter == 's'   ? rs
                                                : letter == 't' ? rt
                                                                : rd));
    case 'a':
        return snprintf(text, size, "%u", word >> 6 & 31u);
    case 'i':
    case 'o':
        return snprintf(text, size, "%d", low);
    case 'u':
        return snprintf(text, size, "0x%x", word & 0xFFFFu);
    case 'b':
    case 'j':
        (void)tigon_branch_target(word, address, &target);
        return snprintf(text, size, "0x%" PRIx32, target);
    default:
        return snprintf(text, size, "%c", letter);
    }
}

static void describe_other(uint32_t word, char *text, size_t size) {
    const char *name = word >> 26 == 0 ? absent_special[word & 63u] : absent_major[word >> 26];
    (void)snprintf(text, size,
                   name ? ".word   0x%08" PRIx32 "  # %s: not on this chip"
                        : ".word   0x%08" PRIx32,
                   word, name ? name : "");
}

void tigon_disassemble(uint32_t word, uint32_t address, char text[TIGON_DISASSEMBLY_BYTES]) {
    const uint8_t operation = tigon_decode(word).operation;
    const struct row *row = operation < TIGON_OP_COUNT ? &rows[operation] : NULL;
    if (!row || !row->name) {
        describe_other(word, text, TIGON_DISASSEMBLY_BYTES);
        return;
    }
    size_t used =
        (size_t)snprintf(text, TIGON_DISASSEMBLY_BYTES, *row->operands ? "%-8s" : "%s", row->name);
    for (const char *letter = row->operands; *letter; letter++)
        used +=
            (size_t)operand(text + used, TIGON_DISASSEMBLY_BYTES - used, *letter, word, address);
}
