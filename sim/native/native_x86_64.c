/* SPDX-License-Identifier: MIT */
/*
 * Translation of a block of scratchpad text into x86-64 code: see native_private.h for the contents
 * of the registers.
 *
 * A block follows the most likely path of the text, through branches and jumps; at a branch the
 * other path leaves the block. A block ends where it would return to itself, or at text that cannot
 * be translated. Cycles and counts are constants of the block, added once where it is left. The
 * limit is checked once at its beginning, for all instructions. Variable delays - the time of an
 * access outside the scratchpad - are added to the beginning of the block. Rare parts are out of
 * line, so that they do not fill caches: struct later.
 *
 * Registers of the core are in host registers, or constants, as long as no other part can read
 * them: struct knowledge.
 */
#include "sim/native/native_private.h"

#include "sim/native/native_emit.h"

#include <cpuid.h>
#include <stdlib.h>

enum { GP = 28 }; /* $gp, which is constant in most programs */

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
}

static bool in_scratchpad(const struct block *b, uint32_t pc) {
    return pc - TIGON_SCRATCHPAD < b->native->words * 4u && (pc & 3u) == 0;
}

static void go_to(struct block *b, const struct way *way) {
    if (!way->computed) {
        const uint32_t index = (way->pc - TIGON_SCRATCHPAD) / 4u;
        if (!in_scratchpad(b, way->pc)) {
            eax_constant(b, way->pc);
            jump(b, b->text->leave);
        } else if (way->pc == b->begin) {
            jump(b, b->entry);
        } else if (b->native->entry[index] != b->text->leave) {
            native_text_add_jump(b->text, index, b->native->entry[index]);
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
    link(jump_if_later(b, NOT_BELOW), b->text->leave);
    CODE(b, 0xFF, 0xA4, 0xCD); /* jmp [rbp + rcx * 8 + entry] */
    word(b, (uint32_t)FIELD(entry));
}

static void end(struct block *b, const struct counted *c, const struct way *way) {
    native_save(b);
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
    jump(b, b->text->leave);
}

static struct tigon_instruction text_at(const struct block *b, uint32_t pc) {
    const uint8_t *const scratchpad = b->cpu->memory->scratchpad[b->cpu->core];
    return tigon_decode(tigon_load_be32(scratchpad + (pc - TIGON_SCRATCHPAD)));
}

static void mark_text(const struct block *b, uint32_t pc) {
    const uint32_t offset = pc - TIGON_SCRATCHPAD;
    const struct tigon_memory *memory = b->cpu->memory;
    memset(&b->cpu->memory->scratchpad_text[b->cpu->core][offset], TIGON_TEXT_TRANSLATED, 4);
    native_text_add_source(b->text, offset / 4u,
                           tigon_load_be32(&memory->scratchpad[b->cpu->core][offset]));
}

static bool waits_for(const struct tigon_instruction *in, uint8_t number) {
    return in->source == number || in->second == number;
}

/* The last instruction loaded from the scratchpad: whether the next one waits is known at the place
 * that knows the next one. At the limit the load stays pending, as it does in the interpreter. */
static void end_with_load(struct block *b, struct counted c, const struct way *way,
                          uint8_t destination) {
    native_save(b);
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

/* An access outside the scratchpad, where the scratchpad was expected: ecx is the offset from its
 * beginning. The core waits for the access, so the interlock that the block counts does not occur.
 */
static void call_elsewhere(struct block *b, const struct later *later) {
    const struct native_access *access = &b->text->accesses[later->access];
    b->now = later->knowledge;
    native_save(b);
    if (!later->load)
        native_copy(b, EDX, later->second);
    call_routine(b, later->access, (uint32_t)(access->issue + access->detour), later->routine);
    if (access->waited_for) {
        CODE(b, 0x48, 0xB9); /* mov rcx; sub r15, rcx */
        quad(b, (uint64_t)b->cpu->timing.load_use_interlock << 32);
        CODE(b, 0x49, 0x29, 0xCF);
    }
}

static void finish_path(struct block *b, uint32_t slot_pc, struct counted c, const struct way *way);

/* $gp differs from its value at translation. The first core to get here discards the block, and the
 * next block is made without the assumption; others may still jump here. */
static void distrust(struct block *b) {
    const uint32_t index = (b->begin - TIGON_SCRATCHPAD) / 4u;
    const size_t entry = FIELD(entry) + index * sizeof b->native->entry[0];
    CODE(b, 0x48, 0x8D, 0x05); /* lea rax, [the block] */
    word(b, 0);
    link(b->at - 4, b->entry);
    field(b, 0x48, 0x39, EAX, entry); /* cmp */
    eax_constant(b, b->begin);        /* there may be no block now; preserves the flags */
    uint8_t *const first = jump_if_near(b, EQUAL);
    jump_field(b, entry);
    link_near(first, b->at);
    field(b, 0x48, 0x8B, EAX, FIELD(leave));
    field(b, 0x48, 0x89, EAX, entry);
    field(b, 0, 0xC6, 0, FIELD(distrusted) + index);
    byte(b, true);
    eax_constant(b, b->begin);
    jump(b, b->text->leave);
}

/* May put off more. */
static void write_later(struct block *b, const struct later *later) {
    link(later->jump, b->at);
    switch (later->kind) {
    case NEAR_LIMIT:
        set_field(b, FIELD(end), TIGON_ENGINE_NEAR_LIMIT);
        eax_constant(b, b->begin);
        jump(b, b->text->leave);
        break;
    case DISTRUST:
        distrust(b);
        break;
    case LOAD_PENDING:
        leave_with_load(b, &later->counted, &later->way, later->destination);
        break;
    case LAST_LOAD:
        call_elsewhere(b, later);
        native_drop(b);
        native_result(b, later->destination, EAX);
        end(b, &later->counted, &later->way);
        break;
    case ELSEWHERE:
        call_elsewhere(b, later);
        if (later->load && later->to != EAX)
            host_host(b, 0x8B, later->to, EAX);
        native_load_again(b, later->destination);
        jump(b, later->back);
        break;
    case OTHER_WAY:
        b->now = later->knowledge;
        if (later->slot)
            finish_path(b, later->slot, later->counted, &later->way);
        else
            end(b, &later->counted, &later->way);
        break;
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

/* Compares, and returns the condition under which the branch is taken. */
static enum condition compare(struct block *b, const struct tigon_instruction *in) {
    native_compare(b, in->source, in->second); /* with $0 if there is no second register */
    switch (in->operation) {
    case TIGON_OP_BEQ:
    case TIGON_OP_BEQL:
        return EQUAL;
    case TIGON_OP_BNE:
    case TIGON_OP_BNEL:
        return NOT_EQUAL;
    case TIGON_OP_BLEZ:
    case TIGON_OP_BLEZL:
        return NOT_GREATER;
    case TIGON_OP_BGTZ:
    case TIGON_OP_BGTZL:
        return GREATER;
    case TIGON_OP_BLTZ:
    case TIGON_OP_BLTZL:
        return LESS;
    default:
        return NOT_LESS;
    }
}

/* Called before an instruction is emitted. */
static void note_trust(struct block *b, const struct tigon_instruction *in) {
    if (in->source == GP || in->second == GP)
        b->trusted = true;
}

static void looked_up(struct block *b, const struct counted *c) {
    if (c->cycles > b->last)
        b->last = c->cycles;
}

/* The last instruction of the block, not a branch, and the exit. */
static void emit_last(struct block *b, uint32_t pc, const struct tigon_instruction *in,
                      struct counted c, const struct way *way) {
    struct access_form form;
    note_trust(b, in);
    if (native_access_form(in->operation, &form)) {
        const struct native_access *access = native_emit_access(b, pc, in, &form, &c, way->pc, way);
        c.cycles = access->next;
        c.instructions++;
        if (form.load)
            end_with_load(b, c, way, in->destination);
        else
            end(b, &c, way);
        return;
    }
    native_emit_plain(b, in);
    c.cycles += in->operation == TIGON_OP_PRI ? b->cpu->timing.priority_encode : 1u;
    c.instructions++;
    end(b, &c, way);
}

/* An instruction, not a branch, after which the block continues at `next_pc`. Returns the access if
 * it is a load. */
static struct native_access *emit_within(struct block *b, uint32_t pc,
                                         const struct tigon_instruction *in, struct counted *c,
                                         uint32_t next_pc) {
    struct native_access *load = NULL;
    struct access_form form;
    note_trust(b, in);
    if (native_access_form(in->operation, &form)) {
        struct native_access *access = native_emit_access(b, pc, in, &form, c, next_pc, NULL);
        native_guess_access(&b->now, b->cpu, in, &form);
        c->cycles = access->next;
        load = form.load ? access : NULL;
    } else {
        const struct tigon_instruction next = text_at(b, next_pc);
        if (!native_emit_flags(b, in, &next))
            native_emit_plain(b, in);
        native_guess_plain(&b->now, in);
        c->cycles += in->operation == TIGON_OP_PRI ? b->cpu->timing.priority_encode : 1u;
    }
    c->instructions++;
    return load;
}

/* The delay slot, and the exit from the block. */
static void finish_path(struct block *b, uint32_t slot_pc, struct counted c,
                        const struct way *way) {
    const struct tigon_instruction slot = text_at(b, slot_pc);
    looked_up(b, &c);
    emit_last(b, slot_pc, &slot, c, way);
}

/* Whether the block can have the instruction at `pc` next. */
static bool can_follow(const struct block *b, uint32_t pc) {
    if (b->length >= NATIVE_BLOCK_LENGTH || !in_scratchpad(b, pc))
        return false;
    for (unsigned i = 0; i < b->length; i++)
        if (b->path[i] == pc)
            return false;
    const struct tigon_instruction in = text_at(b, pc);
    if (branch_kind(&in) == NO_BRANCH)
        return native_simple(&in);
    if (!in_scratchpad(b, pc + 4u))
        return false;
    const struct tigon_instruction slot = text_at(b, pc + 4u);
    return native_simple(&slot);
}

/* How often the interpreter has reached `pc`, as far as counted. */
static unsigned visits(const struct block *b, uint32_t pc) {
    const uint32_t index = (pc - TIGON_SCRATCHPAD) / 4u;
    if (!in_scratchpad(b, pc))
        return 0;
    if (b->native->entry[index] != b->text->leave)
        return NATIVE_NEVER;
    return b->native->heat[index] == NATIVE_NEVER ? 0 : b->native->heat[index];
}

/* The current position of the block. */
struct place_in_text {
    uint32_t pc;
    struct counted counted;
    struct native_access *pending; /* the load just before */
};

/* A branch with a known target. The block continues there if possible. */
static bool emit_jump(struct block *b, struct place_in_text *at, const struct way *taken) {
    const uint32_t slot_pc = at->pc + 4u;
    if (!can_follow(b, taken->pc)) {
        finish_path(b, slot_pc, at->counted, taken);
        return false;
    }
    const struct tigon_instruction slot = text_at(b, slot_pc);
    looked_up(b, &at->counted);
    at->pending = emit_within(b, slot_pc, &slot, &at->counted, taken->pc);
    at->pc = taken->pc;
    return true;
}

/* A conditional branch: the block follows the likelier path, if it can continue there. */
static bool emit_conditional(struct block *b, struct place_in_text *at,
                             const struct tigon_instruction *in, bool likely,
                             const struct way *taken, uint32_t taken_extra) {
    const uint32_t slot_pc = at->pc + 4u;
    const struct way next = {.pc = at->pc + 8u};
    const unsigned visits_taken = visits(b, taken->pc), visits_next = visits(b, next.pc);
    const bool backward = taken->pc <= at->pc;
    const bool prefer_taken = taken->pc == b->begin || visits_taken > visits_next ||
                              (visits_taken == visits_next && backward);
    const bool goes_taken = prefer_taken ? taken->pc == b->begin || can_follow(b, taken->pc)
                                         : !can_follow(b, next.pc) && can_follow(b, taken->pc);
    struct counted c_taken = at->counted, c_next = at->counted;
    c_taken.cycles += taken_extra;
    if (likely)
        c_next.cycles += b->cpu->timing.nullified_slot;
    const bool if_one = in->operation == TIGON_OP_BNE || in->operation == TIGON_OP_BNEL;
    const bool flags_kept = b->flags_kept;
    const enum condition condition =
        flags_kept ? (enum condition)(b->flags ^ !if_one) : compare(b, in);
    b->flags_kept = false;
    struct later *other = put_off(b, OTHER_WAY);
    other->jump = jump_if_later(b, goes_taken ? (enum condition)(condition ^ 1u) : condition);
    if (flags_kept) /* the result is a constant on either way */
        native_result_constant(b, b->flags_register, if_one != goes_taken);
    other->knowledge = b->now;
    if (flags_kept)
        native_result_constant(b, b->flags_register, if_one == goes_taken);
    if (goes_taken) {
        other->counted = c_next;
        other->way = next;
        other->slot = likely ? 0 : slot_pc;
        at->counted = c_taken;
        return emit_jump(b, at, taken);
    }
    other->counted = c_taken;
    other->way = *taken;
    other->slot = slot_pc;
    at->counted = c_next;
    if (!likely)
        return emit_jump(b, at, &next);
    if (!can_follow(b, next.pc)) {
        end(b, &c_next, &next);
        return false;
    }
    at->pc = next.pc;
    return true;
}

/* False: the block ends with it. */
static bool emit_branch(struct block *b, struct place_in_text *at,
                        const struct tigon_instruction *in, enum branch kind) {
    const uint32_t extra = b->cpu->timing.taken_branch_extra, pc = at->pc;
    struct way taken = {.pc = pc + 4u + in->immediate};
    at->counted.cycles++;
    at->counted.instructions++;
    note_trust(b, in);
    if (kind == CONDITIONAL || kind == LIKELY)
        return emit_conditional(b, at, in, kind == LIKELY, &taken, extra);
    at->counted.cycles += extra;
    if (kind == ALWAYS) {
        if (in->operation != TIGON_OP_BEQ)
            taken.pc = ((pc + 4u) & 0xF0000000u) | in->immediate;
        if (in->operation == TIGON_OP_JAL) {
            native_result_constant(b, 31, pc + 8u);
            native_guess_constant(&b->now, 31, pc + 8u);
        }
        return emit_jump(b, at, &taken);
    }
    if (in->operation == TIGON_OP_JR && (b->now.known >> in->source & 1u) != 0) {
        taken.pc = b->now.constant[in->source]; /* back from a call */
        return emit_jump(b, at, &taken);
    }
    if (in->operation == TIGON_OP_JOFF) {
        native_copy(b, ECX, in->second);
        CODE(b, 0xC1, 0xE1, 3); /* shl ecx, 3 */
        native_with(b, 0x03, ECX, in->source);
    } else {
        native_copy(b, ECX, in->source);
    }
    field(b, 0, 0x89, ECX, FIELD(target));
    const struct tigon_instruction slot = text_at(b, pc + 4u);
    struct access_form form;
    if (native_access_form(slot.operation, &form)) /* the next one after it */
        absolute(b, 0x89, ECX, &b->text->accesses[b->text->access_count].next_pc);
    if (in->operation == TIGON_OP_JALR)
        native_result_constant(b, in->destination, pc + 8u);
    taken.computed = true;
    finish_path(b, pc + 4u, at->counted, &taken);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Blocks */

/* Emits instructions until the block ends. False if there is none. */
static bool emit_block(struct block *b) {
    const struct tigon_timing *timing = &b->cpu->timing;
    struct place_in_text at = {.pc = b->begin};
    if (!can_follow(b, at.pc))
        return false;
    for (;;) {
        const struct tigon_instruction in = text_at(b, at.pc);
        const enum branch kind = branch_kind(&in);
        b->path[b->length++] = at.pc;
        mark_text(b, at.pc);
        looked_up(b, &at.counted);
        if (at.pending && waits_for(&in, at.pending->destination)) {
            at.pending->waited_for = true;
            if (at.pending->expected == NATIVE_SCRATCHPAD) {
                at.pending->next = (uint16_t)(at.pending->next + timing->load_use_interlock);
                at.pending->issue = (int16_t)(at.pending->issue + (int)timing->load_use_interlock);
                at.pending->detour =
                    (int16_t)(at.pending->detour - (int)timing->load_use_interlock);
                at.counted.cycles += timing->load_use_interlock;
                at.counted.stalls += timing->load_use_interlock;
            }
        }
        at.pending = NULL;
        if (kind != NO_BRANCH) {
            mark_text(b, at.pc + 4u);
            if (!emit_branch(b, &at, &in, kind))
                return true;
            continue;
        }
        const struct way way = {.pc = at.pc + 4u};
        if (!can_follow(b, way.pc)) {
            emit_last(b, at.pc, &in, at.counted, &way);
            return true;
        }
        at.pending = emit_within(b, at.pc, &in, &at.counted, way.pc);
        at.pc = way.pc;
    }
}

/* More cycles than an instruction with a load pending takes. */
static uint64_t dearest(const struct block *b) {
    const struct tigon_timing *timing = &b->cpu->timing;
    return (uint64_t)timing->load_use_interlock + timing->scratchpad_load +
           timing->scratchpad_store + timing->sram_load + timing->sram_store +
           timing->register_read + timing->register_write + timing->priority_encode +
           timing->taken_branch_extra + 1u;
}

/* Assumptions of a block; it is made again if they turn out wrong. */
struct manner {
    bool trusting;   /* $gp is a constant: it is checked where the block begins */
    bool short_last; /* `last` of the block is below 128 */
};

/* Whether constant addresses probably derive from $gp. */
static bool gp_is_base(const struct tigon_native *native, uint32_t index) {
    const uint32_t reach = 0x8000;
    return !native->distrusted[index] &&
           native->cpu->gpr[GP] - (TIGON_SCRATCHPAD - reach) < native->words * 4u + 2u * reach;
}

/* False if there is none, or it is too long. */
static bool make_block(struct block *b, struct manner manner) {
    native_guess_begin(&b->now, b->cpu);
    if (manner.trusting) {
        b->now.known |= 1u << GP;
        b->now.constant[GP] = b->cpu->gpr[GP];
        host_core(b, 0x81, 7, GP); /* cmp */
        word(b, b->cpu->gpr[GP]);
        put_off(b, DISTRUST)->jump = jump_if_later(b, NOT_EQUAL);
    }
    /* lea rax, [r12 + last]; cmp rax, r13 */
    CODE(b, 0x49, 0x8D, manner.short_last ? 0x44 : 0x84, 0x24);
    uint8_t *const last = b->at;
    b->at += manner.short_last ? 1 : 4;
    CODE(b, 0x4C, 0x39, 0xE8);
    put_off(b, NEAR_LIMIT)->jump = jump_if_later(b, NOT_BELOW);
    if (!emit_block(b) || b->last + dearest(b) > NATIVE_CYCLES)
        return false;
    b->end = b->at;
    b->at = b->text->code + b->text->cold_used;
    for (unsigned i = 0; i < b->later_count; i++)
        write_later(b, &b->later[i]);
    memcpy(last, &b->last, manner.short_last ? 1 : 4); /* the least significant byte is the first */
    return b->last + dearest(b) <= NATIVE_CYCLES;
}

/* One variant after the other; `b` is the buffer of the block. */
static bool translate(struct block *b, struct tigon_native *native, uint32_t index) {
    struct native_text *text = native->text;
    const uint32_t first_access = text->access_count;
    struct manner manner = {.trusting = gp_is_base(native, index), .short_last = true};
    for (;;) {
        *b = (struct block){.native = native,
                            .text = text,
                            .cpu = native->cpu,
                            .at = text->code + text->used,
                            .now = {.known = 1u}, /* $0 is 0 */
                            .begin = TIGON_SCRATCHPAD + index * 4u,
                            .entry = text->code + text->used};
        const bool made = make_block(b, manner);
        const bool in_vain = manner.trusting && !b->trusted, too_long = b->last >= 128;
        if (made && !in_vain && !(manner.short_last && too_long)) {
            text->used = (size_t)(b->end - text->code);
            text->cold_used = (size_t)(b->at - text->code);
            for (uint32_t i = first_access; i < text->access_count; i++) {
                struct native_access *access = &text->accesses[i];
                access->last = access->ends_block ? NATIVE_NO_LAST : (int32_t)b->last;
            }
            native_text_add(text, index, b->entry, manner.trusting);
            native->entry[index] = b->entry;
            return true;
        }
        text->access_count = first_access;
        native_text_drop(text);
        if (!made)
            return false;
        manner.trusting &= b->trusted;
        manner.short_last &= !too_long;
    }
}

/* Its structures are too large for the stack of a host's program. */
bool tigon_native_translate(struct tigon_native *native, uint32_t index) {
    struct block *b = malloc(sizeof *b);
    const bool made = b && translate(b, native, index);
    free(b);
    return made;
}

bool tigon_native_make_stubs(struct native_text *text) {
    unsigned eax, ebx, ecx, edx;
    text->has_movbe = __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_MOVBE) != 0;
    static_assert(offsetof(struct tigon_cpu, gpr) == 0, "rbx finds them there");
    struct block *b = calloc(1, sizeof *b);
    if (!b)
        return false;
    b->text = text;
    b->at = text->code;

    /* leave: eax is pc. */
    text->leave = b->at;
    core_field(b, 0, 0x89, 0, CORE(pc));
    CODE(b, 0x8D, 0x48, 4); /* lea ecx, [rax + 4] */
    core_field(b, 0, 0x89, 1, CORE(npc));
    core_field(b, 0x4C, 0x89, 4, CORE(cycle));
    field(b, 0x4C, 0x89, 7, FIELD(counts));
    jump_field(b, FIELD(out));
    text->used = (size_t)(b->at - text->code);
    free(b);
    return true;
}
