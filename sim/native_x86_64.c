/*
 * Translation of a block of scratchpad text into x86-64 code: see native_private.h for what the
 * registers hold.
 *
 * Cycles and counts are constants of the block, added once at its end; the look of the limit is
 * taken once at its beginning, for all instructions. What a constant cannot know - how long an
 * access outside the scratchpad takes - tigon_native_access() adds to the beginning of the block.
 * Parts that are seldom needed stand elsewhere, so as not to fill caches: struct later.
 *
 * eax holds the last result, so that the next instruction need not load it: block.held.
 */
#include "sim/native_private.h"

#ifdef __x86_64__

#include "sim/native_emit.h"

/* ------------------------------------------------------------------------------------------------
 * The ends of a block */

static void add_wide(struct block *b, unsigned operand, uint32_t value) {
    const bool small = value < 128u;
    CODE(b, 0x49, small ? 0x83 : 0x81, (uint8_t)operand);
    if (small)
        byte(b, value);
    else
        word(b, value);
}

static void count(struct block *b, const struct counted *c) {
    add_wide(b, 0xC4, c->cycles); /* r12 */
    if (c->stalls == 0) {
        add_wide(b, 0xC7, c->instructions); /* r15 */
    } else {
        CODE(b, 0x48, 0xB8); /* mov rax; add r15, rax */
        quad(b, c->instructions | (uint64_t)c->stalls << 32);
        CODE(b, 0x49, 0x01, 0xC7);
    }
    b->held = NOTHING_HELD;
}

static bool in_scratchpad(const struct block *b, uint32_t pc) {
    return pc - TIGON_SCRATCHPAD < b->native->words * 4u;
}

static void go_to(struct block *b, const struct way *way) {
    if (!way->computed) {
        const uint32_t index = (way->pc - TIGON_SCRATCHPAD) / 4u;
        if (!in_scratchpad(b, way->pc)) {
            eax_constant(b, way->pc);
            jump(b, b->native->leave);
        } else if (b->native->entry[index] != b->native->leave) {
            jump(b, b->native->entry[index]);
        } else { /* it may be translated later */
            eax_constant(b, way->pc);
            jump_field(b, FIELD(entry) + (size_t)index * sizeof b->native->entry[0]);
        }
        return;
    }
    field(b, 0, 0x8B, 0, FIELD(target));
    CODE(b, 0x8D, 0x88); /* lea ecx, [rax - scratchpad] */
    word(b, 0u - TIGON_SCRATCHPAD);
    CODE(b, 0xC1, 0xC9, 2, 0x81, 0xF9); /* ror ecx, 2; cmp ecx, words */
    word(b, b->native->words);
    link(jump_if_later(b, NOT_BELOW), b->native->leave);
    CODE(b, 0xFF, 0xA4, 0xCD); /* jmp [rbp + rcx * 8 + entry] */
    word(b, (uint32_t)FIELD(entry));
}

static void end(struct block *b, const struct counted *c, const struct way *way) {
    count(b, c);
    go_to(b, way);
}

static void leave_with_load(struct block *b, const struct counted *c, const struct way *way,
                            uint8_t destination) {
    count(b, c);
    core_field(b, 0, 0xC7, 0, CORE(load_register));
    word(b, destination);
    if (way->computed)
        field(b, 0, 0x8B, 0, FIELD(target));
    else
        eax_constant(b, way->pc);
    jump(b, b->native->leave);
}

static struct tigon_instruction text_at(const struct block *b, uint32_t pc) {
    const uint8_t *const scratchpad = b->cpu->memory->scratchpad[b->cpu->core];
    return tigon_decode(tigon_load_be32(scratchpad + (pc - TIGON_SCRATCHPAD)));
}

static void mark_text(const struct block *b, uint32_t pc) {
    memset(&b->cpu->memory->scratchpad_text[b->cpu->core][pc - TIGON_SCRATCHPAD],
           TIGON_TEXT_TRANSLATED, 4);
}

static bool waits_for(const struct tigon_instruction *in, uint8_t number) {
    return in->source == number || in->second == number;
}

static struct later *put_off(struct block *b, enum later_kind kind) {
    struct later *later = &b->later[b->later_count++];
    memset(later, 0, sizeof *later);
    later->kind = kind;
    return later;
}

/* The last instruction loaded from the scratchpad: whether the next waits is known where that is
 * known. At the limit the load stays pending, as it does in the interpreter. */
static void end_with_load(struct block *b, struct counted c, const struct way *way,
                          uint8_t destination) {
    if (way->computed || !in_scratchpad(b, way->pc)) {
        leave_with_load(b, &c, way, destination);
        return;
    }
    const struct counted before = c;
    const struct tigon_instruction next = text_at(b, way->pc);
    mark_text(b, way->pc);
    if (waits_for(&next, destination)) {
        c.cycles += b->cpu->timing.load_use_interlock;
        c.stalls += b->cpu->timing.load_use_interlock;
    }
    CODE(b, 0x49, 0x8D, 0x84, 0x24); /* lea rax, [r12 + cycles]; cmp rax, r13 */
    word(b, c.cycles);
    CODE(b, 0x4C, 0x39, 0xE8);
    struct later *later = put_off(b, LOAD_PENDING);
    later->jump = jump_if_later(b, NOT_BELOW);
    later->counted = before;
    later->way = *way;
    later->destination = destination;
    end(b, &c, way);
}

/* What accesses pass in esi. */
static void access_number(struct block *b, uint32_t index) {
    byte(b, 0xBE); /* mov esi */
    word(b, (uint32_t)(FIELD(accesses) + index * sizeof(struct native_access)));
}

static void write_later(struct block *b, const struct later *later, uint32_t block_pc) {
    link(later->jump, b->at);
    switch (later->kind) {
    case NEAR_LIMIT:
        set_field(b, FIELD(end), TIGON_NATIVE_NEAR_LIMIT);
        eax_constant(b, block_pc);
        jump(b, b->native->leave);
        break;
    case LOAD_PENDING:
        leave_with_load(b, &later->counted, &later->way, later->destination);
        break;
    case LAST_LOAD:
        access_number(b, later->access);
        call_field(b, FIELD(sram_routine) + later->routine * sizeof(uint8_t *));
        result(b, later->destination);
        end(b, &later->counted, &later->way);
        break;
    case ELSEWHERE:
        access_number(b, later->access);
        call_field(b, FIELD(sram_routine) + later->routine * sizeof(uint8_t *));
        jump(b, later->back);
        break;
    case STORE_TEXT:
        field(b, 0, 0x89, 0, FIELD(value));
        access_number(b, later->access);
        call_field(b, FIELD(access));
        jump(b, later->back);
        break;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Instructions */

struct access_form {
    uint8_t shift; /* log2 of the size */
    bool load;
    bool sign;
};

static bool access_form(unsigned operation, struct access_form *form) {
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

static bool known(const struct block *b, unsigned number) {
    return b->known >> number & 1u;
}

/* Where in the scratchpad: at a constant offset, or at ecx in units of the size. */
struct place {
    bool constant;
    uint32_t offset;
};

/* [r14 + rcx * size] or [r14 + offset] with the host register `host`, `beyond` bytes further. */
static void scratchpad_operand(struct block *b, unsigned host, unsigned shift,
                               const struct place *place, uint32_t beyond) {
    if (place->constant)
        CODE(b, (uint8_t)(0x86 | host << 3));
    else
        CODE(b, (uint8_t)((beyond ? 0x84 : 0x04) | host << 3), (uint8_t)(0x0E | shift << 6));
    if (place->constant || beyond)
        word(b, place->offset + beyond);
}

static void load_value(struct block *b, const struct access_form *form, const struct place *place) {
    switch (form->shift) {
    case 2: /* mov eax; bswap eax */
        CODE(b, 0x41, 0x8B);
        scratchpad_operand(b, 0, 2, place, 0);
        CODE(b, 0x0F, 0xC8);
        break;
    case 1: /* movzx eax; rol ax, 8; movsx eax, ax */
        CODE(b, 0x41, 0x0F, 0xB7);
        scratchpad_operand(b, 0, 1, place, 0);
        CODE(b, 0x66, 0xC1, 0xC0, 8);
        if (form->sign)
            CODE(b, 0x0F, 0xBF, 0xC0);
        break;
    default:
        CODE(b, 0x41, 0x0F, form->sign ? 0xBE : 0xB6);
        scratchpad_operand(b, 0, 0, place, 0);
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
        scratchpad_operand(b, 2, form->shift, place, 0);
        if (!write)
            equal = jump_if_near(b, EQUAL);
    }
    CODE(b, 0x48); /* inc qword [rbx + effects] */
    core_field(b, 0, 0xFF, 0, CORE(effects));
    link_near(equal, b->at);
}

/* Compares the offset in ecx, as a number of units, with what there is. */
static void check_offset(struct block *b, const struct access_form *form) {
    /* Low bits that must be 0 go to the top, so that one comparison finds them too. */
    if (form->shift != 0)
        CODE(b, 0xC1, 0xC9, form->shift); /* ror ecx */
    CODE(b, 0x81, 0xF9);                  /* cmp ecx, size */
    word(b, b->native->words * 4u >> form->shift);
}

static unsigned routine_of(const struct access_form *form) {
    return form->shift + (form->load ? 0u : 3u) + (form->sign ? 6u : 0u);
}

/* Address less the beginning of the scratchpad in ecx, unless it is constant and within; then it is
 * in `place`. A constant elsewhere is turned as after check_offset(). */
static void find_place(struct block *b, const struct tigon_instruction *in,
                       const struct access_form *form, struct place *place) {
    const uint32_t offset = in->immediate - TIGON_SCRATCHPAD;
    *place = (struct place){.constant = false};
    if (known(b, in->source)) {
        const uint32_t all = offset + b->constant[in->source];
        const uint32_t low = (1u << form->shift) - 1u;
        if (all < b->native->words * 4u && (all & low) == 0) {
            *place = (struct place){.constant = true, .offset = all};
            return;
        }
        byte(b, 0xB9); /* mov ecx */
        word(b, all);
    } else if (b->held == in->source) {
        CODE(b, 0x8D, 0x88); /* lea ecx, [rax + offset] */
        word(b, offset);
    } else {
        gpr(b, 0x8B, 1, in->source);
        CODE(b, 0x81, 0xC1); /* add ecx, offset */
        word(b, offset);
    }
}

/* `way` is where the block goes on when this is its last instruction, else NULL. */
static struct native_access *emit_access(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in,
                                         const struct access_form *form, const struct counted *c,
                                         const struct way *way) {
    struct tigon_native *native = b->native;
    const struct tigon_timing *timing = &b->cpu->timing;
    struct native_access *access = &native->accesses[native->access_count];
    const uint32_t cost = form->load ? timing->scratchpad_load : timing->scratchpad_store;
    *access = (struct native_access){
        .before = c->instructions | (uint64_t)c->stalls << 32,
        .from = pc,
        .next_pc = way ? way->pc : pc + 4u,
        .immediate = in->immediate,
        .issue = (uint16_t)c->cycles,
        .next = (uint16_t)(c->cycles + cost),
        .bytes = (uint8_t)(1u << form->shift),
        .source = in->source,
        .second = in->second,
        .destination = in->destination,
        .load = form->load,
        .sign = form->sign,
        .ends_block = way != NULL,
    };
    const uint32_t index = native->access_count++;
    struct place place;
    find_place(b, in, form, &place);
    struct later *later = NULL;
    if (!form->load)
        load(b, 2, in->second);
    if (!place.constant) {
        check_offset(b, form);
        later = put_off(b, way && form->load ? LAST_LOAD : ELSEWHERE);
        later->jump = jump_if_later(b, NOT_BELOW);
        later->access = index;
        later->routine = routine_of(form);
        if (way && form->load) { /* what follows depends on where it comes from */
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
    scratchpad_operand(b, 7, form->shift, &place,
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

/* What computes in registers. False: not translated. */
static bool emit_plain(struct block *b, const struct tigon_instruction *in) {
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
        if (known(b, in->source)) {
            result_constant(b, destination, b->constant[in->source] + in->immediate);
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
        if (known(b, in->source)) {
            result_constant(b, destination, b->constant[in->source] | in->immediate);
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

/* Whether this needs no branch and can be translated. */
static bool simple(const struct tigon_instruction *in) {
    struct access_form form;
    if (access_form(in->operation, &form))
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

/* ------------------------------------------------------------------------------------------------
 * Branches */

enum branch { NO_BRANCH, ALWAYS, CONDITIONAL, LIKELY, COMPUTED };

static enum branch branch_kind(const struct tigon_instruction *in) {
    switch (in->operation) {
    case TIGON_OP_J:
    case TIGON_OP_JAL:
        return ALWAYS;
    case TIGON_OP_JR:
    case TIGON_OP_JALR:
    case TIGON_OP_JOFF:
        return COMPUTED;
    case TIGON_OP_BEQ:
        return in->source == in->second ? ALWAYS : CONDITIONAL;
    case TIGON_OP_BNE:
    case TIGON_OP_BLEZ:
    case TIGON_OP_BGTZ:
    case TIGON_OP_BLTZ:
    case TIGON_OP_BGEZ:
        return CONDITIONAL;
    case TIGON_OP_BEQL:
    case TIGON_OP_BNEL:
    case TIGON_OP_BLEZL:
    case TIGON_OP_BGTZL:
    case TIGON_OP_BLTZL:
    case TIGON_OP_BGEZL:
        return LIKELY;
    default: /* the linking conditional ones are rare */
        return NO_BRANCH;
    }
}

/* Compares, and says when the branch is taken. */
static enum condition compare(struct block *b, const struct tigon_instruction *in) {
    load_eax(b, in->source);
    const uint8_t held = b->held;
    enum condition taken;
    switch (in->operation) {
    case TIGON_OP_BEQ:
    case TIGON_OP_BEQL:
        with(b, 0x3B, in->second);
        taken = EQUAL;
        break;
    case TIGON_OP_BNE:
    case TIGON_OP_BNEL:
        with(b, 0x3B, in->second);
        taken = NOT_EQUAL;
        break;
    case TIGON_OP_BLEZ:
    case TIGON_OP_BLEZL:
        with_constant(b, 0x3D, 0);
        taken = NOT_GREATER;
        break;
    case TIGON_OP_BGTZ:
    case TIGON_OP_BGTZL:
        with_constant(b, 0x3D, 0);
        taken = GREATER;
        break;
    case TIGON_OP_BLTZ:
    case TIGON_OP_BLTZL:
        with_constant(b, 0x3D, 0);
        taken = LESS;
        break;
    default:
        with_constant(b, 0x3D, 0);
        taken = NOT_LESS;
        break;
    }
    b->held = held; /* comparing keeps eax */
    return taken;
}

static void looked_up(struct block *b, const struct counted *c) {
    if (c->cycles > b->last)
        b->last = c->cycles;
}

/* The last instruction of the block, not a branch, and on. */
static void emit_last(struct block *b, uint32_t pc, const struct tigon_instruction *in,
                      struct counted c, const struct way *way) {
    struct access_form form;
    if (access_form(in->operation, &form)) {
        const struct native_access *access = emit_access(b, pc, in, &form, &c, way);
        c.cycles = access->next;
        c.instructions++;
        if (form.load)
            end_with_load(b, c, way, in->destination);
        else
            end(b, &c, way);
        return;
    }
    (void)emit_plain(b, in);
    c.cycles += in->operation == TIGON_OP_PRI ? b->cpu->timing.priority_encode : 1u;
    c.instructions++;
    end(b, &c, way);
}

/* The delay slot, and on. */
static void finish_path(struct block *b, uint32_t slot_pc, struct counted c,
                        const struct way *way) {
    const struct tigon_instruction slot = text_at(b, slot_pc);
    looked_up(b, &c);
    emit_last(b, slot_pc, &slot, c, way);
}

static void emit_branch(struct block *b, uint32_t pc, const struct tigon_instruction *in,
                        enum branch kind, struct counted c) {
    const struct tigon_timing *timing = &b->cpu->timing;
    struct way taken = {.pc = pc + 4u + in->immediate}, next = {.pc = pc + 8u};
    c.cycles++;
    c.instructions++;
    struct counted c_taken = c;
    c_taken.cycles += timing->taken_branch_extra;
    if (kind == COMPUTED) {
        load_eax(b, in->source);
        if (in->operation == TIGON_OP_JOFF) {
            load(b, 1, in->second);
            CODE(b, 0x8D, 0x04, 0xC8); /* lea eax, [rax + rcx * 8] */
            b->held = NOTHING_HELD;
        }
        field(b, 0, 0x89, 0, FIELD(target));
        const struct tigon_instruction slot = text_at(b, pc + 4u);
        struct access_form form;
        if (access_form(slot.operation, &form))
            field(b, 0, 0x89, 0,
                  FIELD(accesses) + b->native->access_count * sizeof(struct native_access) +
                      offsetof(struct native_access, next_pc));
        if (in->operation == TIGON_OP_JALR)
            result_constant(b, in->destination, pc + 8u);
        taken.computed = true;
        finish_path(b, pc + 4u, c_taken, &taken);
        return;
    }
    if (kind == ALWAYS) {
        if (in->operation != TIGON_OP_BEQ)
            taken.pc = ((pc + 4u) & 0xF0000000u) | in->immediate;
        if (in->operation == TIGON_OP_JAL)
            result_constant(b, 31, pc + 8u);
        finish_path(b, pc + 4u, c_taken, &taken);
        return;
    }
    uint8_t *const jump_taken = jump_if_later(b, compare(b, in));
    const uint8_t held = b->held;
    const uint32_t known_before = b->known;
    uint32_t constant[32];
    memcpy(constant, b->constant, sizeof constant);
    if (kind == CONDITIONAL) {
        finish_path(b, pc + 4u, c, &next);
    } else {
        struct counted c_next = c;
        c_next.cycles += timing->nullified_slot;
        end(b, &c_next, &next);
    }
    link(jump_taken, b->at);
    b->held = held;
    b->known = known_before;
    memcpy(b->constant, constant, sizeof constant);
    finish_path(b, pc + 4u, c_taken, &taken);
}

/* ------------------------------------------------------------------------------------------------
 * Blocks */

/* The instruction at `pc`, the n-th of the block, if the block can have it. */
static bool possible(const struct block *b, uint32_t pc, unsigned n, struct tigon_instruction *in) {
    if (n >= NATIVE_BLOCK_LENGTH || !in_scratchpad(b, pc))
        return false;
    *in = text_at(b, pc);
    if (branch_kind(in) == NO_BRANCH)
        return simple(in);
    if (!in_scratchpad(b, pc + 4u))
        return false;
    const struct tigon_instruction slot = text_at(b, pc + 4u);
    return simple(&slot);
}

/* Emits instructions from `pc` on until the block ends. False if there is none. */
static bool emit_block(struct block *b, uint32_t pc) {
    const struct tigon_timing *timing = &b->cpu->timing;
    struct counted c = {0, 0, 0};
    struct native_access *pending = NULL; /* the load just before */
    struct tigon_instruction in, next;
    if (!possible(b, pc, 0, &in))
        return false;
    for (unsigned n = 0;; n++, pc += 4u, in = next) {
        const enum branch kind = branch_kind(&in);
        mark_text(b, pc);
        looked_up(b, &c);
        if (pending && waits_for(&in, pending->destination)) {
            pending->interlock = (uint64_t)timing->load_use_interlock << 32;
            pending->next = (uint16_t)(pending->next + timing->load_use_interlock);
            c.cycles += timing->load_use_interlock;
            c.stalls += timing->load_use_interlock;
        }
        if (kind != NO_BRANCH) {
            mark_text(b, pc + 4u);
            emit_branch(b, pc, &in, kind, c);
            return true;
        }
        const struct way way = {.pc = pc + 4u};
        if (!possible(b, pc + 4u, n + 1u, &next)) {
            emit_last(b, pc, &in, c, &way);
            return true;
        }
        struct access_form form;
        pending = NULL;
        if (access_form(in.operation, &form)) {
            struct native_access *access = emit_access(b, pc, &in, &form, &c, NULL);
            c.cycles = access->next;
            pending = form.load ? access : NULL;
        } else {
            (void)emit_plain(b, &in);
            c.cycles += in.operation == TIGON_OP_PRI ? timing->priority_encode : 1u;
        }
        c.instructions++;
    }
}

/* More cycles than an instruction with a load pending takes. */
static uint64_t dearest(const struct block *b) {
    const struct tigon_timing *timing = &b->cpu->timing;
    return (uint64_t)timing->load_use_interlock + timing->scratchpad_load +
           timing->scratchpad_store + timing->priority_encode + timing->taken_branch_extra + 1u;
}

bool tigon_native_translate(struct tigon_native *native, uint32_t index) {
    const uint32_t pc = TIGON_SCRATCHPAD + index * 4u;
    struct block b = {.native = native,
                      .cpu = native->cpu,
                      .at = native->code + native->used,
                      .held = NOTHING_HELD,
                      .known = 1u, /* $0 is 0 */
                      .first_access = native->access_count};
    const uint8_t *const entry = b.at;
    CODE(&b, 0x49, 0x8D, 0x84, 0x24); /* lea rax, [r12 + last]; cmp rax, r13 */
    uint8_t *const last = b.at;
    word(&b, 0);
    CODE(&b, 0x4C, 0x39, 0xE8);
    put_off(&b, NEAR_LIMIT)->jump = jump_if_later(&b, NOT_BELOW);
    if (!emit_block(&b, pc) || b.last + dearest(&b) > NATIVE_CYCLES) {
        native->access_count = b.first_access;
        return false;
    }
    memcpy(last, &b.last, sizeof b.last);
    for (uint32_t i = b.first_access; i < native->access_count; i++) {
        struct native_access *access = &native->accesses[i];
        access->last = access->ends_block      ? NATIVE_NO_LAST
                       : access->next > b.last ? access->next
                                               : (int32_t)b.last;
        const uint32_t cost = access->load ? b.cpu->timing.sram_load : b.cpu->timing.sram_store;
        access->sram_advance = (int64_t)access->issue + cost - access->next;
    }
    native->used = (size_t)(b.at - native->code);
    b.at = native->code + native->cold_used;
    for (unsigned i = 0; i < b.later_count; i++)
        write_later(&b, &b.later[i], pc);
    native->cold_used = (size_t)(b.at - native->code);
    native->entry[index] = entry;
    return true;
}

void tigon_native_make_stubs(struct tigon_native *native) {
    struct block b = {.native = native, .cpu = native->cpu, .at = native->code};
    static_assert(offsetof(struct tigon_cpu, gpr) == 0, "rbx finds them there");

    /* leave: eax is pc. */
    native->leave = b.at;
    core_field(&b, 0, 0x89, 0, CORE(pc));
    CODE(&b, 0x8D, 0x48, 4); /* lea ecx, [rax + 4] */
    core_field(&b, 0, 0x89, 1, CORE(npc));
    core_field(&b, 0x4C, 0x89, 4, CORE(cycle));
    field(&b, 0x4C, 0x89, 7, FIELD(counts));
    jump_field(&b, FIELD(out));
    native->used = (size_t)(b.at - native->code);
}

#endif
