/* Instructions that are not branches as x86-64 code, for native_x86_64.c. */
#include "sim/native_private.h"

#ifdef __x86_64__

#include "sim/native_emit.h"

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

static bool is_known(const struct block *b, unsigned number) {
    return b->now.known >> number & 1u;
}

/* Where in the scratchpad: at a constant offset, or at ecx. */
struct place {
    enum { AT_ECX, AT_CONSTANT } kind;
    uint32_t offset;
};

/* [r14 + rcx] or [r14 + offset] with the host register `host`, `beyond` bytes further. */
static void scratchpad_operand(struct block *b, unsigned host, const struct place *place,
                               uint32_t beyond) {
    const bool constant = place->kind == AT_CONSTANT;
    if (constant)
        CODE(b, (uint8_t)(0x86 | host << 3));
    else
        CODE(b, (uint8_t)((beyond ? 0x84 : 0x04) | host << 3), 0x0E);
    if (constant || beyond)
        word(b, constant ? place->offset + beyond : beyond);
}

static void load_value(struct block *b, const struct access_form *form, const struct place *place) {
    switch (form->shift) {
    case 2: /* mov eax; bswap eax */
        CODE(b, 0x41, 0x8B);
        scratchpad_operand(b, 0, place, 0);
        CODE(b, 0x0F, 0xC8);
        break;
    case 1: /* movzx eax; rol ax, 8; movsx eax, ax */
        CODE(b, 0x41, 0x0F, 0xB7);
        scratchpad_operand(b, 0, place, 0);
        CODE(b, 0x66, 0xC1, 0xC0, 8);
        if (form->sign)
            CODE(b, 0x0F, 0xBF, 0xC0);
        break;
    default:
        CODE(b, 0x41, 0x0F, form->sign ? 0xBE : 0xB6);
        scratchpad_operand(b, 0, place, 0);
        break;
    }
}

/* Value in edx. What changes counts in cpu->effects. */
static void store_value(struct block *b, const struct access_form *form,
                        const struct place *place) {
    uint8_t *equal = NULL;
    if (form->shift == 2)
        CODE(b, 0x0F, 0xCA); /* bswap edx */
    else if (form->shift == 1)
        CODE(b, 0x66, 0xC1, 0xC2, 8); /* rol dx, 8 */
    for (unsigned write = 0; write < 2; write++) {
        if (form->shift == 1)
            byte(b, 0x66);
        CODE(b, 0x41, (uint8_t)((write ? 0x88 : 0x38) | (form->shift != 0)));
        scratchpad_operand(b, 2, place, 0);
        if (!write)
            equal = jump_if_near(b, EQUAL);
    }
    CODE(b, 0x48); /* inc qword [rbx + effects] */
    core_field(b, 0, 0xFF, 0, CORE(effects));
    link_near(equal, b->at);
}

/* Not zero if the offset in ecx is not of the scratchpad, whose size is a power of two, or
 * misaligned. */
static void check_offset(struct block *b, const struct access_form *form) {
    const uint32_t size = b->native->words * 4u;
    CODE(b, 0xF7, 0xC1); /* test ecx */
    word(b, ~(size - 1u) | ((1u << form->shift) - 1u));
}

static unsigned routine_of(const struct access_form *form) {
    return form->shift + (form->load ? 0u : 3u) + (form->sign ? 6u : 0u);
}

/* Address in ecx. */
static void find_address(struct block *b, const struct tigon_instruction *in) {
    if (is_known(b, in->source)) {
        byte(b, 0xB9); /* mov ecx */
        word(b, b->now.constant[in->source] + in->immediate);
        return;
    }
    load(b, 1, in->source);
    if (in->immediate == 0)
        return;
    if (in->immediate + 128u < 256u) {
        CODE(b, 0x83, 0xC1, (uint8_t)in->immediate); /* add ecx */
    } else {
        CODE(b, 0x81, 0xC1);
        word(b, in->immediate);
    }
}

static bool constant_in_scratchpad(const struct block *b, const struct tigon_instruction *in,
                                   unsigned shift) {
    const uint32_t offset = in->immediate + b->now.constant[in->source] - TIGON_SCRATCHPAD;
    return is_known(b, in->source) && offset < b->native->words * 4u &&
           (offset & ((1u << shift) - 1u)) == 0;
}

/* What is constant need not be guessed. */
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

/* Address less the beginning of the scratchpad in ecx, unless it is constant there; then in
 * `place`. */
static void find_place(struct block *b, const struct tigon_instruction *in,
                       const struct access_form *form, struct place *place) {
    const uint32_t offset = in->immediate - TIGON_SCRATCHPAD;
    *place = (struct place){.kind = AT_ECX};
    if (is_known(b, in->source)) {
        const uint32_t all = offset + b->now.constant[in->source];
        if (constant_in_scratchpad(b, in, form->shift)) {
            *place = (struct place){.kind = AT_CONSTANT, .offset = all};
        } else {           /* a last load */
            byte(b, 0xB9); /* mov ecx */
            word(b, all);
        }
    } else if (b->now.held == in->source) {
        CODE(b, 0x8D, 0x88); /* lea ecx, [rax + offset] */
        word(b, offset);
    } else {
        gpr(b, 0x8B, 1, in->source);
        CODE(b, 0x81, 0xC1); /* add ecx, offset */
        word(b, offset);
    }
}

struct native_access *native_emit_access(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in,
                                         const struct access_form *form, const struct counted *c,
                                         uint32_t next_pc, const struct way *way) {
    struct tigon_native *native = b->native;
    struct native_access *access = &native->accesses[native->access_count];
    const bool last_load = way && form->load; /* what follows depends on where it comes from */
    const enum native_target target =
        last_load ? NATIVE_SCRATCHPAD : expected_target(b, in, form->shift);
    const uint32_t cost = cost_of(b, form, target), sram_cost = cost_of(b, form, NATIVE_SRAM);
    const int64_t detour = target == NATIVE_SCRATCHPAD ? (int64_t)sram_cost - cost : 0;
    *access = (struct native_access){
        .before = c->instructions | (uint64_t)c->stalls << 32,
        .from = pc,
        .next_pc = next_pc,
        .immediate = in->immediate,
        .detour = detour,
        .issue = (int16_t)(c->cycles - detour),
        .next = (uint16_t)(c->cycles + cost),
        .bytes = (uint8_t)(1u << form->shift),
        .source = in->source,
        .second = in->second,
        .destination = in->destination,
        .load = form->load,
        .sign = form->sign,
        .expected = (uint8_t)target,
        .ends_block = way != NULL,
    };
    const uint32_t index = native->access_count++;
    if (target != NATIVE_SCRATCHPAD) {
        if (!form->load)
            load(b, 2, in->second);
        find_address(b, in);
        call_routine(b, index,
                     target == NATIVE_SRAM ? routine_of(form)
                     : form->load          ? NATIVE_LOAD_REGISTER
                                           : NATIVE_STORE_REGISTER);
        if (form->load)
            result(b, in->destination);
        return access;
    }
    struct place place;
    find_place(b, in, form, &place);
    struct later *later = NULL;
    if (!form->load)
        load(b, 2, in->second);
    if (place.kind == AT_ECX) {
        check_offset(b, form);
        later = put_off(b, last_load ? LAST_LOAD : ELSEWHERE);
        later->jump = jump_if_later(b, NOT_EQUAL);
        later->access = index;
        later->routine = NATIVE_DETOUR + routine_of(form);
        if (last_load) {
            later->destination = in->destination;
            later->way = *way;
            later->counted = (struct counted){c->cycles + cost, c->instructions + 1u, c->stalls};
        }
    }
    if (form->load) {
        load_value(b, form, &place);
        if (later)
            later->back = b->at;
        result(b, in->destination);
        return access;
    }
    CODE(b, 0x41, 0x80); /* cmp byte, TIGON_TEXT_NONE */
    scratchpad_operand(b, 7, &place,
                       (uint32_t)(offsetof(struct tigon_memory, scratchpad_text) +
                                  b->cpu->core * sizeof b->cpu->memory->scratchpad_text[0] -
                                  offsetof(struct tigon_memory, scratchpad) -
                                  b->cpu->core * sizeof b->cpu->memory->scratchpad[0]));
    byte(b, TIGON_TEXT_NONE);
    struct later *text = put_off(b, STORE_TEXT);
    text->jump = jump_if_later(b, NOT_EQUAL);
    text->access = index;
    store_value(b, form, &place);
    text->back = b->at;
    if (later)
        later->back = b->at;
    return access;
}

static void emit_three(struct block *b, const struct tigon_instruction *in, unsigned opcode) {
    load_eax(b, in->source);
    with(b, opcode, in->second);
}

static void emit_shift(struct block *b, const struct tigon_instruction *in, unsigned extension) {
    load_eax(b, in->second);
    CODE(b, 0xC1, (uint8_t)(0xC0 | extension << 3), (uint8_t)in->immediate);
}

static void emit_variable_shift(struct block *b, const struct tigon_instruction *in,
                                unsigned extension) {
    load(b, 1, in->source);
    load_eax(b, in->second);
    CODE(b, 0xD3, (uint8_t)(0xC0 | extension << 3));
}

bool native_emit_plain(struct block *b, const struct tigon_instruction *in) {
    const unsigned destination = in->destination;
    switch (in->operation) {
    case TIGON_OP_NOP:
        return true;
    case TIGON_OP_ADDU:
        emit_three(b, in, 0x03);
        break;
    case TIGON_OP_SUBU:
        emit_three(b, in, 0x2B);
        break;
    case TIGON_OP_AND:
        emit_three(b, in, 0x23);
        break;
    case TIGON_OP_OR:
        emit_three(b, in, 0x0B);
        break;
    case TIGON_OP_XOR:
        emit_three(b, in, 0x33);
        break;
    case TIGON_OP_NOR:
        emit_three(b, in, 0x0B);
        CODE(b, 0xF7, 0xD0); /* not eax */
        break;
    case TIGON_OP_SLT:
        emit_three(b, in, 0x3B);
        flag_to_eax(b, LESS);
        break;
    case TIGON_OP_SLTU:
        emit_three(b, in, 0x3B);
        flag_to_eax(b, BELOW);
        break;
    case TIGON_OP_ADDIU:
        if (is_known(b, in->source)) {
            result_constant(b, destination, b->now.constant[in->source] + in->immediate);
            return true;
        }
        load_eax(b, in->source);
        with_constant(b, 0x05, in->immediate);
        break;
    case TIGON_OP_ANDI:
        load_eax(b, in->source);
        with_constant(b, 0x25, in->immediate);
        break;
    case TIGON_OP_ORI:
        if (is_known(b, in->source)) {
            result_constant(b, destination, b->now.constant[in->source] | in->immediate);
            return true;
        }
        load_eax(b, in->source);
        with_constant(b, 0x0D, in->immediate);
        break;
    case TIGON_OP_XORI:
        load_eax(b, in->source);
        with_constant(b, 0x35, in->immediate);
        break;
    case TIGON_OP_LUI:
        result_constant(b, destination, in->immediate);
        return true;
    case TIGON_OP_SLTI:
        load_eax(b, in->source);
        with_constant(b, 0x3D, in->immediate);
        flag_to_eax(b, LESS);
        break;
    case TIGON_OP_SLTIU:
        load_eax(b, in->source);
        with_constant(b, 0x3D, in->immediate);
        flag_to_eax(b, BELOW);
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
    case TIGON_OP_PRI:
        emit_three(b, in, 0x23);
        CODE(b, 0xB9, 0xFF, 0xFF, 0xFF, 0xFF, /* mov ecx, -1 */
             0x0F, 0xBD, 0xC0,                /* bsr eax, eax */
             0x0F, 0x44, 0xC1,                /* cmovz eax, ecx */
             0xFF, 0xC0);                     /* inc eax */
        break;
    default:
        return false;
    }
    result(b, destination);
    return true;
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

#endif
