/* SPDX-License-Identifier: MIT */
/*
 * Predicted values of the core's registers at each place of a block. The prediction starts from the
 * values at translation time, when the core is at the beginning of the block, and follows its
 * instructions. A wrong prediction costs time, not correctness: it only decides which kind of
 * access the block handles inline and which out of line.
 */
#include "sim/native/native_private.h"

#include "sim/core/cpu_sram.h"
#include "sim/native/native_emit.h"

static bool guessed(const struct knowledge *k, unsigned number) {
    return k->guessed >> number & 1u;
}

static void guess(struct knowledge *k, unsigned number, uint32_t value) {
    if (number == TIGON_REGISTER_DISCARD || number == 0)
        return;
    k->guessed |= 1u << number;
    k->guess[number] = value;
}

static void give_up(struct knowledge *k, unsigned number) {
    if (number != TIGON_REGISTER_DISCARD)
        k->guessed &= ~(1u << number) | 1u;
}

void native_guess_begin(struct knowledge *k, const struct tigon_cpu *cpu) {
    k->guessed = UINT32_MAX;
    memcpy(k->guess, cpu->gpr, sizeof k->guess);
}

void native_guess_constant(struct knowledge *k, unsigned number, uint32_t value) {
    guess(k, number, value);
}

enum native_target native_guess_target(const struct knowledge *k,
                                       const struct tigon_instruction *in, unsigned shift) {
    const uint32_t address = k->guess[in->source] + in->immediate;
    if (!guessed(k, in->source) || (address & ((1u << shift) - 1u)) != 0)
        return NATIVE_SCRATCHPAD;
    if (address >= TIGON_NULL_PAGE_SIZE && address < TIGON_SRAM_WINDOW)
        return NATIVE_SRAM;
    return tigon_cpu_is_register(address, 1u << shift) ? NATIVE_REGISTER : NATIVE_SCRATCHPAD;
}

static uint32_t extended(uint32_t value, unsigned bytes, bool sign) {
    const unsigned unused = 32u - 8u * bytes;
    return sign ? (uint32_t)((int32_t)(value << unused) >> unused) : value;
}

void native_guess_access(struct knowledge *k, const struct tigon_cpu *cpu,
                         const struct tigon_instruction *in, const struct access_form *form) {
    if (!form->load)
        return;
    const uint32_t bytes = 1u << form->shift;
    const uint32_t address = k->guess[in->source] + in->immediate;
    const uint32_t offset = address - TIGON_SCRATCHPAD;
    const struct tigon_memory *memory = cpu->memory;
    if (!guessed(k, in->source) || (address & (bytes - 1u)) != 0)
        give_up(k, in->destination);
    else if (offset < memory->scratchpad_size[cpu->core])
        guess(k, in->destination,
              extended(tigon_cpu_load_bytes(memory->scratchpad[cpu->core] + offset, bytes), bytes,
                       form->sign));
    else if (address < TIGON_SRAM_WINDOW)
        guess(k, in->destination,
              extended(tigon_cpu_load_bytes(memory->sram + (address & memory->sram_mask), bytes),
                       bytes, form->sign));
    else
        give_up(k, in->destination);
}

bool native_evaluate(const struct tigon_instruction *in, uint32_t source, uint32_t second,
                     uint32_t *value) {
    const uint32_t immediate = in->immediate;
    switch (in->operation) {
    case TIGON_OP_ADDU:
        *value = source + second;
        return true;
    case TIGON_OP_SUBU:
        *value = source - second;
        return true;
    case TIGON_OP_AND:
        *value = source & second;
        return true;
    case TIGON_OP_OR:
        *value = source | second;
        return true;
    case TIGON_OP_XOR:
        *value = source ^ second;
        return true;
    case TIGON_OP_NOR:
        *value = ~(source | second);
        return true;
    case TIGON_OP_ADDIU:
        *value = source + immediate;
        return true;
    case TIGON_OP_ANDI:
        *value = source & immediate;
        return true;
    case TIGON_OP_ORI:
        *value = source | immediate;
        return true;
    case TIGON_OP_XORI:
        *value = source ^ immediate;
        return true;
    case TIGON_OP_LUI:
        *value = immediate;
        return true;
    case TIGON_OP_SLL:
        *value = second << (immediate & 31u);
        return true;
    case TIGON_OP_SRL:
        *value = second >> (immediate & 31u);
        return true;
    default: /* addresses are rarely computed otherwise */
        return false;
    }
}

void native_guess_plain(struct knowledge *k, const struct tigon_instruction *in) {
    uint32_t value;
    if (guessed(k, in->source) && guessed(k, in->second) &&
        native_evaluate(in, k->guess[in->source], k->guess[in->second], &value))
        guess(k, in->destination, value);
    else
        give_up(k, in->destination);
}
