/* SPDX-License-Identifier: MIT */
/*
 * Why a core stopped, in words.
 *
 * tigon2.md 1.2 says what the chip has. The rest of MIPS II and what later processors added is
 * named here only so that somebody whose compiler or assembler made it learns what to change.
 */
#include "sim/core/cpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct absent {
    uint32_t mask, value; /* the instruction words meant */
    const char *name;
    const char *advice;
};

#define MAJOR(number)    0xFC000000u, (uint32_t)(number) << 26
#define SPECIAL(number)  0xFC00003Fu, (uint32_t)(number)
#define REGIMM(number)   0xFC1F0000u, 1u << 26 | (uint32_t)(number) << 16
#define SPECIAL2(number) 0xFC00003Fu, 0x1Cu << 26 | (uint32_t)(number)

#define MULTIPLY  "the chip has no multiplier and no divider; shift and add, or link a function"
#define UNALIGNED "the chip has no unaligned accesses; access bytes, or align the data"
#define ATOMIC    "the chip has no LL and SC; the semaphore HW[048], HW[04C] excludes the other core"
#define EXCEPTION "the chip has no exceptions"
#define WIDE      "registers have 32 bits; compile for MIPS II or MIPS I"
#define LATER     "the core is no later than MIPS II; compile for MIPS II or MIPS I"
#define NO_CP     "the chip has no coprocessors"
#define RAN_ON    "; it ran on over the end of the memory before that"
#define RA        31u /* the register of return addresses */

static const struct absent table[] = {
    {SPECIAL(0x10), "MFHI", MULTIPLY},
    {SPECIAL(0x11), "MTHI", MULTIPLY},
    {SPECIAL(0x12), "MFLO", MULTIPLY},
    {SPECIAL(0x13), "MTLO", MULTIPLY},
    {SPECIAL(0x18), "MULT", MULTIPLY},
    {SPECIAL(0x19), "MULTU", MULTIPLY},
    {SPECIAL(0x1A), "DIV", MULTIPLY},
    {SPECIAL(0x1B), "DIVU", MULTIPLY},
    {SPECIAL2(0x02), "MUL", MULTIPLY},
    {MAJOR(0x22), "LWL", UNALIGNED},
    {MAJOR(0x26), "LWR", UNALIGNED},
    {MAJOR(0x2A), "SWL", UNALIGNED},
    {MAJOR(0x2E), "SWR", UNALIGNED},
    {MAJOR(0x30), "LL", ATOMIC},
    {MAJOR(0x38), "SC", ATOMIC},
    {SPECIAL(0x0F), "SYNC", "accesses of a core are never reordered; leave it out"},
    {SPECIAL(0x0C), "SYSCALL", EXCEPTION},
    {SPECIAL(0x30), "TGE", EXCEPTION},
    {SPECIAL(0x31), "TGEU", EXCEPTION},
    {SPECIAL(0x32), "TLT", EXCEPTION},
    {SPECIAL(0x33), "TLTU", EXCEPTION},
    {SPECIAL(0x34), "TEQ", EXCEPTION},
    {SPECIAL(0x36), "TNE", EXCEPTION},
    {REGIMM(0x08), "TGEI", EXCEPTION},
    {REGIMM(0x09), "TGEIU", EXCEPTION},
    {REGIMM(0x0A), "TLTI", EXCEPTION},
    {REGIMM(0x0B), "TLTIU", EXCEPTION},
    {REGIMM(0x0C), "TEQI", EXCEPTION},
    {REGIMM(0x0E), "TNEI", EXCEPTION},
    {0xFE00003Fu, 0x42000018u, "ERET", EXCEPTION},
    {MAJOR(0x10), "a COP0 instruction", "the chip has no coprocessor 0: no status, cause or TLB"},
    {MAJOR(0x11), "a COP1 instruction", "the chip has no floating point; compile for soft float"},
    {MAJOR(0x12), "a COP2 instruction", NO_CP},
    {MAJOR(0x13), "a COP3 instruction", NO_CP},
    {MAJOR(0x31), "LWC1", "the chip has no floating point; compile for soft float"},
    {MAJOR(0x32), "LWC2", NO_CP},
    {MAJOR(0x35), "LDC1", "the chip has no floating point; compile for soft float"},
    {MAJOR(0x36), "LDC2", NO_CP},
    {MAJOR(0x39), "SWC1", "the chip has no floating point; compile for soft float"},
    {MAJOR(0x3A), "SWC2", NO_CP},
    {MAJOR(0x3D), "SDC1", "the chip has no floating point; compile for soft float"},
    {MAJOR(0x3E), "SDC2", NO_CP},
    {MAJOR(0x2F), "CACHE", "the chip needs no cache instructions, not even after copying code"},
    {MAJOR(0x33), "PREF", LATER},
    {SPECIAL(0x14), "DSLLV", WIDE},
    {SPECIAL(0x16), "DSRLV", WIDE},
    {SPECIAL(0x17), "DSRAV", WIDE},
    {SPECIAL(0x1C), "DMULT", WIDE},
    {SPECIAL(0x1D), "DMULTU", WIDE},
    {SPECIAL(0x1E), "DDIV", WIDE},
    {SPECIAL(0x1F), "DDIVU", WIDE},
    {SPECIAL(0x2C), "DADD", WIDE},
    {SPECIAL(0x2D), "DADDU", WIDE},
    {SPECIAL(0x2E), "DSUB", WIDE},
    {SPECIAL(0x2F), "DSUBU", WIDE},
    {SPECIAL(0x38), "DSLL", WIDE},
    {SPECIAL(0x3A), "DSRL", WIDE},
    {SPECIAL(0x3B), "DSRA", WIDE},
    {SPECIAL(0x3C), "DSLL32", WIDE},
    {SPECIAL(0x3E), "DSRL32", WIDE},
    {SPECIAL(0x3F), "DSRA32", WIDE},
    {MAJOR(0x18), "DADDI", WIDE},
    {MAJOR(0x19), "DADDIU", WIDE},
    {MAJOR(0x1A), "LDL", WIDE},
    {MAJOR(0x1B), "LDR", WIDE},
    {MAJOR(0x27), "LWU", WIDE},
    {MAJOR(0x2C), "SDL", WIDE},
    {MAJOR(0x2D), "SDR", WIDE},
    {MAJOR(0x34), "LLD", WIDE},
    {MAJOR(0x37), "LD", WIDE},
    {MAJOR(0x3C), "SCD", WIDE},
    {MAJOR(0x3F), "SD", WIDE},
    {SPECIAL(0x0A), "MOVZ", "the chip has JOFF in its place, with fields 10:6 and 15:11 zero"},
    {SPECIAL(0x0B), "MOVN", "the chip has PRI in its place, with field 10:6 zero"},
    {SPECIAL(0x01), "MOVF or MOVT", LATER},
    {MAJOR(0x1C), "a MIPS32 instruction", LATER},
    {MAJOR(0x1D), "a MIPS32 instruction", LATER},
    {MAJOR(0x1F), "a MIPS32 instruction", LATER},
};

static const struct absent *absent_of(uint32_t word) {
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if ((word & table[i].mask) == table[i].value)
            return &table[i];
    return NULL;
}

static uint32_t word_at(const struct tigon_cpu *cpu, uint32_t address) {
    uint8_t bytes[4] = {0};
    (void)tigon_memory_debug_read(cpu->memory, cpu->core, address, bytes, sizeof bytes);
    return tigon_load_be32(bytes);
}

static void explain_instruction(const struct tigon_cpu *cpu, uint32_t word, char *text) {
    const struct absent *absent = absent_of(word);
    const uint8_t operation = tigon_decode(word).operation;
    if (operation == TIGON_OP_ADD || operation == TIGON_OP_SUB || operation == TIGON_OP_ADDI)
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES,
                       "%s overflows at 0x%08" PRIX32
                       "; the chip has no exception for that: use %s for numbers that may wrap",
                       operation == TIGON_OP_ADD   ? "ADD"
                       : operation == TIGON_OP_SUB ? "SUB"
                                                   : "ADDI",
                       cpu->pc,
                       operation == TIGON_OP_ADD   ? "ADDU"
                       : operation == TIGON_OP_SUB ? "SUBU"
                                                   : "ADDIU");
    else if (absent)
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES, "%s (0x%08" PRIX32 ") at 0x%08" PRIX32 ": %s",
                       absent->name, word, cpu->pc, absent->advice);
    else
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES,
                       "0x%08" PRIX32 " at 0x%08" PRIX32
                       " is no instruction of this chip; is it code at all?",
                       word, cpu->pc);
}

static void explain_data(const struct tigon_cpu *cpu, uint32_t word, char *text) {
    const struct tigon_instruction in = tigon_decode(word);
    static const char *const names[TIGON_OP_COUNT] = {
        [TIGON_OP_LW] = "LW",   [TIGON_OP_LH] = "LH", [TIGON_OP_LHU] = "LHU", [TIGON_OP_LB] = "LB",
        [TIGON_OP_LBU] = "LBU", [TIGON_OP_SW] = "SW", [TIGON_OP_SH] = "SH",   [TIGON_OP_SB] = "SB"};
    const char *name = names[in.operation];
    const uint32_t address = cpu->gpr[in.source] + in.immediate;
    const char *why;
    if ((cpu->state & TIGON_CPU_STATE_MISALIGNED) != 0)
        why = in.operation == TIGON_OP_LW || in.operation == TIGON_OP_SW
                  ? "which is no multiple of 4"
                  : "which is odd";
    else if ((cpu->state & TIGON_CPU_STATE_NULL_DATA) != 0)
        why = "in the null page (0 to 0x7F), which bit 2 of the CPU state forbids";
    else if (address - TIGON_REGISTERS < TIGON_REGISTERS_SIZE)
        why = "a chip register, which takes 32-bit accesses only";
    else if (address - TIGON_SCRATCHPAD < TIGON_SCRATCHPAD_A_SIZE)
        why = "beyond this core's scratchpad: B has 8 kB";
    else
        why = "where the chip has nothing";
    (void)snprintf(text, TIGON_FAULT_TEXT_BYTES,
                   "%s at 0x%08" PRIX32 " accesses 0x%08" PRIX32 ", %s", name ? name : "access",
                   cpu->pc, address, why);
}

const char *tigon_cpu_state_flag(uint32_t *state) {
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
        {TIGON_CPU_STATE_ROM_FAILED, "ROM self-test failed"},
        {TIGON_CPU_STATE_HALTED, "halted"},
        {TIGON_CPU_STATE_BREAKPOINT, "breakpoint"},
        {TIGON_CPU_STATE_HALT_EXECUTED, "HALT executed"},
        {TIGON_CPU_STATE_BAD_INSTRUCTION, "invalid instruction"},
        {TIGON_CPU_STATE_NULL_DATA, "null page data"},
        {TIGON_CPU_STATE_NULL_FETCH, "null page fetch"},
        {TIGON_CPU_STATE_BAD_DATA_ADDRESS, "invalid data address"},
        {TIGON_CPU_STATE_BAD_FETCH_ADDRESS, "invalid fetch address"},
        {TIGON_CPU_STATE_MISALIGNED, "misaligned access"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (*state & names[i].bit) {
            *state &= ~names[i].bit;
            return names[i].name;
        }
    return NULL;
}

const char *tigon_cpu_register_name(unsigned number) {
    static const char *const names[32] = {"zero", "at", "v0", "v1", "a0", "a1", "a2", "a3",
                                          "t0",   "t1", "t2", "t3", "t4", "t5", "t6", "t7",
                                          "s0",   "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                          "t8",   "t9", "k0", "k1", "gp", "sp", "s8", "ra"};
    return number < 32 ? names[number] : "?";
}

/* Whether code can be at an address; the stack window is for data. */
static bool holds_code(const struct tigon_cpu *cpu, uint32_t address) {
    uint32_t offset;
    const enum tigon_place place = tigon_memory_place(cpu->memory, cpu->core, address, &offset);
    return place == TIGON_PLACE_SCRATCHPAD || place == TIGON_PLACE_PROM ||
           (place == TIGON_PLACE_SRAM && address < TIGON_SRAM_WINDOW);
}

/* Where a core came from that fetches what cannot be fetched. It keeps no record of its jumps, but
 * registers and code tell most cases. */
static void explain_way(const struct tigon_cpu *cpu, char *text, size_t bytes) {
    const uint32_t call = cpu->gpr[RA] - 8u;
    const struct tigon_instruction in =
        holds_code(cpu, call) ? tigon_decode(word_at(cpu, call)) : tigon_decode(0);
    unsigned holder = cpu->pc == cpu->gpr[RA] ? RA : 0;
    for (unsigned i = 1; i < RA && holder == 0; i++)
        if (cpu->gpr[i] == cpu->pc)
            holder = i;
    if (in.operation == TIGON_OP_JALR && cpu->gpr[in.source] == cpu->pc)
        (void)snprintf(text, bytes, "; called at 0x%08" PRIX32 " through $%s", call,
                       tigon_cpu_register_name(in.source));
    else if (holder != 0)
        (void)snprintf(text, bytes, "; $%s has this value", tigon_cpu_register_name(holder));
    else if (holds_code(cpu, cpu->pc - 4u) && cpu->npc == cpu->pc + 4u)
        (void)snprintf(text, bytes, "%s", RAN_ON);
    else
        text[0] = 0;
}

void tigon_cpu_explain_fault(const struct tigon_cpu *cpu, char text[TIGON_FAULT_TEXT_BYTES]) {
    const char *slot =
        cpu->npc != cpu->pc + 4u ? " (the pc was the delay slot of a jump or branch)" : "";
    const uint32_t state = cpu->state;
    char way[96];
    text[0] = 0;
    if ((state & TIGON_CPU_STATE_FAULTS) == 0)
        return;
    explain_way(cpu, way, sizeof way);
    if ((state & TIGON_CPU_STATE_BAD_INSTRUCTION) != 0)
        explain_instruction(cpu, word_at(cpu, cpu->pc), text);
    else if ((state & TIGON_CPU_STATE_NULL_FETCH) != 0)
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES,
                       "jump to 0x%08" PRIX32
                       " in the null page (0 to 0x7F), which bit 2 of the CPU state forbids; an "
                       "uninitialised function pointer?%s",
                       cpu->pc, slot);
    else if ((state & TIGON_CPU_STATE_BAD_FETCH_ADDRESS) != 0)
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES, "%s 0x%08" PRIX32 ", where no code can be%s%s",
                       strncmp(way, RAN_ON, sizeof RAN_ON) == 0 ? "fetch at" : "jump to", cpu->pc,
                       slot, way);
    else if ((cpu->pc & 3u) != 0)
        (void)snprintf(text, TIGON_FAULT_TEXT_BYTES,
                       "jump to 0x%08" PRIX32 ", which is no multiple of 4%s%s", cpu->pc, slot,
                       way);
    else
        explain_data(cpu, word_at(cpu, cpu->pc), text);
}
