/* SPDX-License-Identifier: MIT */
/* Instructions that are not branches as x86-64 code, for native_x86_64.c. */
#include "sim/native/native_private.h"

#include "sim/native/native_emit.h"

bool native_access_form(unsigned operation, struct access_form *form) {
    switch (operation) {
    case TIGON_OP_LW:
        *form = (struct access_form){2, true, false};
        return true;
    case TIGON_OP_LH:
        *form = (struct access_form){1, true, true};
        return true;
    case TIGON_OP_LHU:
        *form = (struct access_form){1, true, false};
        return true;
    case TIGON_OP_LB:
        *form = (struct access_form){0, true, true};
        return true;
    case TIGON_OP_LBU:
        *form = (struct access_form){0, true, false};
        return true;
    case TIGON_OP_SW:
        *form = (struct access_form){2, false, false};
        return true;
    case TIGON_OP_SH:
        *form = (struct access_form){1, false, false};
        return true;
    case TIGON_OP_SB:
        *form = (struct access_form){0, false, false};
        return true;
    default:
        return false;
    }
}

/* The bit of the host register that holds register `number`, if any does. */
static unsigned keep(const struct block *b, unsigned number) {
    return is_held(b, number) ? 1u << b->now.host[number] : 0;
}

/* ------------------------------------------------------------------------------------------------
 * Loads and stores */

/* An offset in the scratchpad: constant, or in ecx. */
struct place {
    enum { AT_ECX, AT_CONSTANT } kind;
    uint32_t offset;
};

/* OP reg, [r14 + rcx] or [r14 + offset], `beyond` bytes further; `prefix` is that of 16 bits, or 0.
 * REX makes all registers of 8 bits the low ones. */
static void in_scratchpad(struct block *b, unsigned prefix, unsigned count, const uint8_t *opcode,
                          unsigned reg, const struct place *place, uint32_t beyond) {
    if (prefix)
        byte(b, prefix);
    byte(b, 0x41 | (reg >= R8 ? 4u : 0u));
    bytes(b, count, opcode);
    const bool constant = place->kind == AT_CONSTANT;
    const unsigned field = (reg & 7u) << 3;
    if (constant)
        byte(b, 0x86 | field);
    else
        CODE(b, (uint8_t)((beyond ? 0x84 : 0x04) | field), 0x0E);
    if (constant || beyond)
        word(b, constant ? place->offset + beyond : beyond);
}

#define OPCODE(...)                                                                                \
    sizeof((const uint8_t[]){__VA_ARGS__}), (const uint8_t[]) {                                    \
        __VA_ARGS__                                                                                \
    }

static void swap_bytes(struct block *b, unsigned host, unsigned shift) {
    if (shift == 1)
        byte(b, 0x66);
    if (host >= R8)
        byte(b, 0x41);
    if (shift == 2)
        CODE(b, 0x0F, (uint8_t)(0xC8 | (host & 7u))); /* bswap */
    else if (shift == 1)
        CODE(b, 0xC1, (uint8_t)(0xC0 | (host & 7u)), 8); /* rol, 8 */
}

static void load_value(struct block *b, const struct access_form *form, const struct place *place,
                       unsigned to) {
    switch (form->shift) {
    case 2:
        if (b->text->has_movbe) {
            in_scratchpad(b, 0, OPCODE(0x0F, 0x38, 0xF0), to, place, 0);
            return;
        }
        in_scratchpad(b, 0, OPCODE(0x8B), to, place, 0);
        swap_bytes(b, to, 2);
        return;
    case 1: /* movzx; rol; movsx */
        in_scratchpad(b, 0, OPCODE(0x0F, 0xB7), to, place, 0);
        swap_bytes(b, to, 1);
        if (form->sign) {
            if (to >= R8)
                byte(b, 0x45);
            CODE(b, 0x0F, 0xBF, (uint8_t)(0xC0 | (to & 7u) << 3 | (to & 7u)));
        }
        return;
    default:
        in_scratchpad(b, 0, OPCODE(0x0F, form->sign ? 0xBE : 0xB6), to, place, 0);
        return;
    }
}

/* or [what has changed], the low bytes of `host`. */
static void note_change(struct block *b, unsigned shift, unsigned host) {
    const size_t to = FIELD(changed) + shift * sizeof(uint32_t);
    if (shift == 1)
        byte(b, 0x66);
    field(b, host >= R8 ? 0x44 : shift == 0 ? 0x40 : 0, shift == 0 ? 0x08 : 0x09, host & 7u, to);
}

/* Host registers for a store, free ones. */
struct spare {
    unsigned before, swapped;
};

static bool must_swap(const struct block *b, const struct access_form *form, unsigned number) {
    return !is_known(b, number) && form->shift != 0 && !(form->shift == 2 && b->text->has_movbe);
}

/* Stores a value that is in `host`, or constant. Whether it differs from the old one is added to
 * native->changed without a branch, which would be unpredictable. */
static void store_value(struct block *b, const struct access_form *form, const struct place *place,
                        unsigned host, unsigned number, struct spare spare) {
    const unsigned prefix = form->shift == 1 ? 0x66 : 0, wide = form->shift != 0;
    const bool constant = is_known(b, number);
    uint32_t value = 0;
    if (constant) {
        const uint32_t all = b->now.constant[number];
        value = form->shift == 2   ? __builtin_bswap32(all)
                : form->shift == 1 ? __builtin_bswap16((uint16_t)all)
                                   : all & 0xFFu;
    }
    if (must_swap(b, form, number)) {
        host_host(b, 0x8B, spare.swapped, host);
        swap_bytes(b, spare.swapped, form->shift);
        host = spare.swapped;
    }
    const bool movbe = !constant && form->shift == 2 && b->text->has_movbe;
    if (movbe)
        in_scratchpad(b, 0, OPCODE(0x0F, 0x38, 0xF0), spare.before, place, 0);
    else if (form->shift == 2)
        in_scratchpad(b, 0, OPCODE(0x8B), spare.before, place, 0);
    else
        in_scratchpad(b, 0, OPCODE(0x0F, (uint8_t)(0xB6 | wide)), spare.before, place, 0);
    if (!constant)
        host_host(b, 0x33, spare.before, host);
    else if (value != 0)
        host_immediate(b, 0x33, spare.before, value);
    note_change(b, form->shift, spare.before);
    if (constant) {
        in_scratchpad(b, prefix, OPCODE((uint8_t)(0xC6 | wide)), 0, place, 0);
        for (unsigned i = 0; i < 1u << form->shift; i++)
            byte(b, value >> 8u * i & 0xFFu);
    } else if (movbe) {
        in_scratchpad(b, 0, OPCODE(0x0F, 0x38, 0xF1), host, place, 0);
    } else {
        in_scratchpad(b, prefix, OPCODE((uint8_t)(0x88 | wide)), host, place, 0);
    }
}

/* Not zero if the offset in ecx is outside the scratchpad, whose size is a power of two, or
 * misaligned. */
static void check_offset(struct block *b, const struct access_form *form) {
    const uint32_t size = b->native->words * 4u;
    CODE(b, 0xF7, 0xC1); /* test ecx */
    word(b, ~(size - 1u) | ((1u << form->shift) - 1u));
}

static unsigned routine_of(const struct access_form *form) {
    return form->shift + (form->load ? 0u : 3u) + (form->sign ? 6u : 0u);
}

/* ecx is the source and `offset`. */
static void find_address(struct block *b, const struct tigon_instruction *in, uint32_t offset) {
    if (is_known(b, in->source)) {
        host_constant(b, ECX, b->now.constant[in->source] + offset);
    } else if (is_held(b, in->source) && offset != 0) {
        host_sum(b, ECX, b->now.host[in->source], offset);
    } else {
        native_copy(b, ECX, in->source);
        if (offset != 0)
            host_immediate(b, 0x03, ECX, offset);
    }
}

static bool constant_in_scratchpad(const struct block *b, const struct tigon_instruction *in,
                                   unsigned shift) {
    const uint32_t offset = in->immediate + b->now.constant[in->source] - TIGON_SCRATCHPAD;
    return is_known(b, in->source) && offset < b->native->words * 4u &&
           (offset & ((1u << shift) - 1u)) == 0;
}

/* A constant address needs no prediction. */
static enum native_target expected_target(const struct block *b, const struct tigon_instruction *in,
                                          unsigned shift) {
    if (!is_known(b, in->source))
        return native_guess_target(&b->now, in, shift);
    const uint32_t address = in->immediate + b->now.constant[in->source];
    return constant_in_scratchpad(b, in, shift)          ? NATIVE_SCRATCHPAD
           : tigon_cpu_is_register(address, 1u << shift) ? NATIVE_REGISTER
                                                         : NATIVE_SRAM;
}

static uint32_t cost_of(const struct block *b, const struct access_form *form,
                        enum native_target target) {
    const struct tigon_timing *timing = &b->cpu->timing;
    switch (target) {
    case NATIVE_SRAM:
        return form->load ? timing->sram_load : timing->sram_store;
    case NATIVE_REGISTER:
        return form->load ? timing->register_read : timing->register_write;
    default:
        return form->load ? timing->scratchpad_load : timing->scratchpad_store;
    }
}

/* The branch into the block, or to its out-of-line code, for an access at ecx with an unexpected
 * target. */
static struct later *detour(struct block *b, enum later_kind kind,
                            const struct tigon_instruction *in, uint32_t index, unsigned routine) {
    struct later *later = put_off(b, kind);
    later->jump = jump_if_later(b, NOT_EQUAL);
    later->access = index;
    later->routine = routine;
    later->destination = in->destination;
    later->second = in->second;
    later->knowledge = b->now;
    return later;
}

static void call_at_once(struct block *b, const struct tigon_instruction *in, uint32_t index,
                         unsigned routine, bool load) {
    native_save(b);
    find_address(b, in, in->immediate);
    if (!load)
        native_copy(b, EDX, in->second);
    call_routine(b, index, (uint32_t)b->text->accesses[index].issue, routine);
    native_drop(b);
    if (load)
        native_result(b, in->destination, EAX);
}

/* Host registers are allocated before the check, so that the out-of-line code knows them all. */
static void load_in_block(struct block *b, const struct tigon_instruction *in,
                          const struct access_form *form, struct place place, uint32_t index,
                          const struct way *last, const struct counted *after) {
    if (place.kind == AT_CONSTANT) {
        const unsigned to = native_for(b, in->destination, 0);
        load_value(b, form, &place, to);
        native_result(b, in->destination, to);
        return;
    }
    if (!is_known(b, in->source))
        (void)native_in(b, in->source, 0);
    const unsigned to = native_for(b, in->destination, keep(b, in->source));
    find_address(b, in, in->immediate - TIGON_SCRATCHPAD);
    check_offset(b, form);
    struct later *later =
        detour(b, last ? LAST_LOAD : ELSEWHERE, in, index, NATIVE_DETOUR + routine_of(form));
    later->load = true;
    later->to = (uint8_t)to;
    if (last) {
        later->way = *last;
        later->counted = *after;
    }
    load_value(b, form, &place, to);
    later->back = b->at;
    native_result(b, in->destination, to);
}

static void store_in_block(struct block *b, const struct tigon_instruction *in,
                           const struct access_form *form, struct place place, uint32_t index) {
    if (place.kind == AT_ECX)
        (void)native_in(b, in->source, keep(b, in->second));
    unsigned host = 0, kept = keep(b, in->source);
    if (!is_known(b, in->second)) {
        host = native_in(b, in->second, kept);
        kept |= 1u << host;
    }
    struct spare spare = {.before = native_take(b, kept)};
    if (must_swap(b, form, in->second))
        spare.swapped = native_take(b, kept | 1u << spare.before);
    struct later *later = NULL;
    if (place.kind == AT_ECX) {
        find_address(b, in, in->immediate - TIGON_SCRATCHPAD);
        check_offset(b, form);
        later = detour(b, ELSEWHERE, in, index, NATIVE_DETOUR + routine_of(form));
    }
    in_scratchpad(b, 0, OPCODE(0x80), 7, &place, /* cmp byte, TIGON_TEXT_NONE */
                  (uint32_t)(offsetof(struct tigon_memory, scratchpad_text) +
                             b->cpu->core * sizeof b->cpu->memory->scratchpad_text[0] -
                             offsetof(struct tigon_memory, scratchpad) -
                             b->cpu->core * sizeof b->cpu->memory->scratchpad[0]));
    byte(b, TIGON_TEXT_NONE);
    struct later *text = detour(b, ELSEWHERE, in, index, NATIVE_STORE_TEXT);
    store_value(b, form, &place, host, in->second, spare);
    text->back = b->at;
    if (later)
        later->back = b->at;
}

struct native_access *native_emit_access(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in,
                                         const struct access_form *form, const struct counted *c,
                                         uint32_t next_pc, const struct way *way) {
    struct native_access *access = &b->text->accesses[b->text->access_count];
    const bool last_load = way && form->load; /* the exit depends on the source of the value */
    const enum native_target target =
        last_load ? NATIVE_SCRATCHPAD : expected_target(b, in, form->shift);
    const uint32_t cost = cost_of(b, form, target), sram_cost = cost_of(b, form, NATIVE_SRAM);
    const int32_t detour = target == NATIVE_SCRATCHPAD ? (int32_t)(sram_cost - cost) : 0;
    *access = (struct native_access){
        .before = c->instructions | (uint64_t)c->stalls << 32,
        .from = pc,
        .next_pc = next_pc,
        .immediate = (int16_t)in->immediate,
        .detour = (int16_t)detour,
        .issue = (int16_t)((int32_t)c->cycles - detour),
        .next = (uint16_t)(c->cycles + cost),
        .source = in->source & 31u,
        .second = in->second & 31u,
        .destination = in->destination & 63u,
        .shift = form->shift & 3u,
        .load = form->load,
        .sign = form->sign,
        .expected = target,
        .ends_block = way != NULL,
    };
    const uint32_t index = b->text->access_count++;
    if (target != NATIVE_SCRATCHPAD) {
        call_at_once(b, in, index,
                     target == NATIVE_SRAM ? routine_of(form)
                     : form->load          ? NATIVE_LOAD_REGISTER
                                           : NATIVE_STORE_REGISTER,
                     form->load);
        return access;
    }
    struct place place = {.kind = AT_ECX};
    if (constant_in_scratchpad(b, in, form->shift))
        place = (struct place){.kind = AT_CONSTANT,
                               .offset =
                                   b->now.constant[in->source] + in->immediate - TIGON_SCRATCHPAD};
    if (form->load) {
        const struct counted after = {c->cycles + cost, c->instructions + 1u, c->stalls};
        load_in_block(b, in, form, place, index, way, &after);
    } else {
        store_in_block(b, in, form, place, index);
    }
    return access;
}

/* ------------------------------------------------------------------------------------------------
 * What computes: opcodes are those of OP r32, r/m32 */

enum { ADD = 0x03, OR = 0x0B, AND = 0x23, SUB = 0x2B, XOR = 0x33 };

static void emit_copy(struct block *b, unsigned destination, unsigned from) {
    if (destination == from)
        return;
    const unsigned to = native_for(b, destination, keep(b, from));
    native_copy(b, to, from);
    native_result(b, destination, to);
}

/* Returns the location of `from`, or a copy of it that becomes the destination. */
static unsigned copy_for(struct block *b, unsigned destination, unsigned from, unsigned kept) {
    if (destination == from)
        return native_in(b, from, kept);
    const unsigned to = native_for(b, destination, kept | keep(b, from));
    native_copy(b, to, from);
    return to;
}

/* movzx of the low 8 or 16 bits */
static void emit_low(struct block *b, unsigned destination, unsigned from, bool half) {
    const uint8_t opcode = half ? 0xB7 : 0xB6;
    const unsigned kept = keep(b, from);
    const unsigned to = native_for(b, destination, kept);
    if (kept) {
        const unsigned host = b->now.host[from];
        const unsigned rex = (to >= R8 ? 4u : 0u) | (host >= R8 ? 1u : 0u);
        if (rex || (!half && host >= ESP))
            byte(b, 0x40 | rex);
        CODE(b, 0x0F, opcode, (uint8_t)(0xC0 | (to & 7u) << 3 | (host & 7u)));
    } else {
        if (to >= R8)
            byte(b, 0x44);
        CODE(b, 0x0F, opcode, (uint8_t)(0x43 | (to & 7u) << 3), (uint8_t)(from * 4u));
    }
    native_result(b, destination, to);
}

static void emit_immediate(struct block *b, unsigned destination, unsigned from, unsigned opcode,
                           uint32_t value) {
    unsigned to;
    if (value == 0 && opcode == AND) {
        native_result_constant(b, destination, 0);
        return;
    }
    if (value == 0) {
        emit_copy(b, destination, from);
        return;
    }
    if (opcode == AND && (value == 0xFF || value == 0xFFFF) && !is_known(b, from)) {
        emit_low(b, destination, from, value == 0xFFFF);
        return;
    }
    if (opcode == ADD && destination != from && is_held(b, from)) {
        to = native_for(b, destination, keep(b, from));
        host_sum(b, to, b->now.host[from], value);
    } else {
        to = copy_for(b, destination, from, 0);
        host_immediate(b, opcode, to, value);
    }
    native_result(b, destination, to);
}

static void emit_three(struct block *b, const struct tigon_instruction *in, unsigned opcode) {
    const unsigned destination = in->destination;
    unsigned source = in->source, second = in->second, to;
    if (opcode != SUB && (is_known(b, source) || destination == second)) {
        source = in->second;
        second = in->source;
    }
    if (is_known(b, second)) {
        const uint32_t value = b->now.constant[second];
        emit_immediate(b, destination, source, opcode == SUB ? ADD : opcode,
                       opcode == SUB ? 0u - value : value);
        return;
    }
    const unsigned kept = keep(b, source) | keep(b, second);
    if (destination == second && destination != source) { /* SUB */
        to = native_take(b, kept);
        native_copy(b, to, source);
        native_with(b, opcode, to, second);
    } else if (opcode == ADD && destination != source && is_held(b, source) && is_held(b, second)) {
        to = native_for(b, destination, kept);
        const unsigned base = b->now.host[source], index = b->now.host[second];
        const unsigned rex =
            (to >= R8 ? 4u : 0u) | (index >= R8 ? 2u : 0u) | (base >= R8 ? 1u : 0u);
        if (rex)
            byte(b, 0x40 | rex);
        CODE(b, 0x8D, (uint8_t)((to & 7u) << 3 | 4u), (uint8_t)((index & 7u) << 3 | (base & 7u)));
    } else {
        to = copy_for(b, destination, source, kept);
        native_with(b, opcode, to, second);
    }
    native_result(b, destination, to);
}

static void emit_shift(struct block *b, const struct tigon_instruction *in, unsigned extension) {
    if ((in->immediate & 31u) == 0) {
        emit_copy(b, in->destination, in->second);
        return;
    }
    const unsigned to = copy_for(b, in->destination, in->second, 0);
    host_host(b, 0xC1, extension, to);
    byte(b, in->immediate);
    native_result(b, in->destination, to);
}

static void emit_variable_shift(struct block *b, const struct tigon_instruction *in,
                                unsigned extension) {
    native_copy(b, ECX, in->source);
    const unsigned to = copy_for(b, in->destination, in->second, 0);
    host_host(b, 0xD3, extension, to);
    native_result(b, in->destination, to);
}

/* OP to, ecx for opcodes of two bytes. */
static void from_ecx(struct block *b, unsigned opcode, unsigned to) {
    if (to >= R8)
        byte(b, 0x44);
    CODE(b, 0x0F, (uint8_t)opcode, (uint8_t)(0xC1 | (to & 7u) << 3));
}

/* Compares; the condition tells that the result of an instruction is 1. */
static bool emit_comparison(struct block *b, const struct tigon_instruction *in,
                            enum condition *is_one) {
    switch (in->operation) {
    case TIGON_OP_SLT:
    case TIGON_OP_SLTU:
        native_compare(b, in->source, in->second);
        *is_one = in->operation == TIGON_OP_SLT ? LESS : BELOW;
        return true;
    case TIGON_OP_SLTI:
    case TIGON_OP_SLTIU:
        native_compare_immediate(b, in->source, in->immediate);
        *is_one = in->operation == TIGON_OP_SLTI ? LESS : BELOW;
        return true;
    default:
        return false;
    }
}

bool native_emit_flags(struct block *b, const struct tigon_instruction *in,
                       const struct tigon_instruction *next) {
    switch (next->operation) {
    case TIGON_OP_BEQ:
    case TIGON_OP_BNE:
    case TIGON_OP_BEQL:
    case TIGON_OP_BNEL:
        break;
    default:
        return false;
    }
    if (in->destination == TIGON_REGISTER_DISCARD || next->source != in->destination ||
        next->second != 0 || !emit_comparison(b, in, &b->flags))
        return false;
    b->flags_kept = true;
    b->flags_register = in->destination;
    return true;
}

void native_emit_plain(struct block *b, const struct tigon_instruction *in) {
    const unsigned destination = in->destination;
    uint32_t value;
    enum condition is_one;
    unsigned to;
    if (destination == TIGON_REGISTER_DISCARD || in->operation == TIGON_OP_NOP)
        return;
    if (is_known(b, in->source) && is_known(b, in->second) &&
        native_evaluate(in, b->now.constant[in->source], b->now.constant[in->second], &value)) {
        native_result_constant(b, destination, value);
        return;
    }
    if (emit_comparison(b, in, &is_one)) {
        to = native_for(b, destination, 0);
        CODE(b, 0x0F, (uint8_t)(0x90 | is_one), 0xC1); /* setcc cl */
        from_ecx(b, 0xB6, to);                         /* movzx to, cl */
        native_result(b, destination, to);
        return;
    }
    switch (in->operation) {
    case TIGON_OP_ADDU:
        emit_three(b, in, ADD);
        break;
    case TIGON_OP_SUBU:
        emit_three(b, in, SUB);
        break;
    case TIGON_OP_AND:
        emit_three(b, in, AND);
        break;
    case TIGON_OP_OR:
        emit_three(b, in, OR);
        break;
    case TIGON_OP_XOR:
        emit_three(b, in, XOR);
        break;
    case TIGON_OP_NOR:
        emit_three(b, in, OR);
        to = native_in(b, destination, 0);
        host_host(b, 0xF7, 2, to); /* not */
        native_result(b, destination, to);
        break;
    case TIGON_OP_ADDIU:
        emit_immediate(b, destination, in->source, ADD, in->immediate);
        break;
    case TIGON_OP_ANDI:
        emit_immediate(b, destination, in->source, AND, in->immediate);
        break;
    case TIGON_OP_ORI:
        emit_immediate(b, destination, in->source, OR, in->immediate);
        break;
    case TIGON_OP_XORI:
        emit_immediate(b, destination, in->source, XOR, in->immediate);
        break;
    case TIGON_OP_SLL:
        emit_shift(b, in, 4);
        break;
    case TIGON_OP_SRL:
        emit_shift(b, in, 5);
        break;
    case TIGON_OP_SRA:
        emit_shift(b, in, 7);
        break;
    case TIGON_OP_SLLV:
        emit_variable_shift(b, in, 4);
        break;
    case TIGON_OP_SRLV:
        emit_variable_shift(b, in, 5);
        break;
    case TIGON_OP_SRAV:
        emit_variable_shift(b, in, 7);
        break;
    default: /* PRI: the number of the highest bit, from 1 on, or 0 */
        native_copy(b, ECX, in->source);
        native_with(b, AND, ECX, in->second);
        to = native_for(b, destination, 0);
        CODE(b, 0x0F, 0xBD, 0xC9); /* bsr ecx, ecx */
        host_constant(b, to, UINT32_MAX);
        from_ecx(b, 0x45, to);     /* cmovnz to, ecx */
        host_host(b, 0xFF, 0, to); /* inc */
        native_result(b, destination, to);
        break;
    }
}

bool native_simple(const struct tigon_instruction *in) {
    struct access_form form;
    if (native_access_form(in->operation, &form))
        return true;
    switch (in->operation) {
    case TIGON_OP_STALE:
    case TIGON_OP_INVALID:
    case TIGON_OP_HALT:
    case TIGON_OP_ADD: /* may stop the core */
    case TIGON_OP_SUB:
    case TIGON_OP_ADDI:
        return false;
    default:
        return in->operation < TIGON_OP_J;
    }
}
