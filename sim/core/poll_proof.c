/* SPDX-License-Identifier: MIT */
/*
 * The proof of poll_loop.h: symbolic execution of one turn of a loop, with the present values.
 *
 * A value is known, or it is the timer times plus or minus one, plus a constant. The path through
 * the loop is fixed as long as every comparison of such a value has the same result as now. The
 * proof keeps the smallest number of timer steps after which one would differ. All timer reads
 * within a turn lie in that span, so they need not return the same value.
 */
#include "sim/core/cpu_private.h"
#include "sim/core/poll_loop.h"

#define INSTRUCTIONS_MOST 256u

struct value {
    uint32_t now;  /* for the present timer */
    int8_t moves;  /* 0: known; 1, -1: with or against the timer */
    uint8_t which; /* timer read from which it derives */
};

struct proof {
    struct tigon_cpu *cpu;
    struct tigon_cpu_loop *loop;
    struct value registers[33];
    uint64_t written, needed; /* bit per general register; needed: read before it was written */
    uint8_t timer_reads;
    uint32_t steps; /* timer steps for which the path stays the same */
    bool reads_events, reads_more;
    bool impossible;
};

static struct value known(uint32_t now) {
    return (struct value){.now = now};
}

static struct value read(struct proof *proof, uint32_t number) {
    if ((proof->written >> number & 1u) == 0)
        proof->needed |= UINT64_C(1) << number;
    return proof->registers[number];
}

/* A value that no rule below allows to depend on the timer. */
static uint32_t fixed(struct proof *proof, struct value value) {
    proof->impossible |= value.moves != 0;
    return value.now;
}

static void changes_after(struct proof *proof, uint32_t steps) {
    if (steps != 0 && steps < proof->steps)
        proof->steps = steps;
}

static struct value add(struct proof *proof, struct value a, struct value b) {
    if (a.moves != 0 && b.moves != 0) {
        if (a.which != b.which || a.moves == b.moves) {
            proof->impossible = true;
            return known(0);
        }
        return known(a.now + b.now);
    }
    const struct value *moving = a.moves != 0 ? &a : &b;
    return (struct value){a.now + b.now, moving->moves, moving->which};
}

static struct value negative(struct value a) {
    return (struct value){0u - a.now, (int8_t)-a.moves, a.which};
}

static bool equal(struct proof *proof, struct value a, struct value b) {
    const struct value difference = add(proof, a, negative(b));
    if (difference.moves != 0) /* the value becomes 0, or ceases to be 0, at the next step */
        changes_after(proof, difference.now == 0    ? 1u
                             : difference.moves > 0 ? 0u - difference.now
                                                    : difference.now);
    return difference.now == 0;
}

/* a < b, unsigned. The value moves by one with the timer, so it passes every number: the result
 * changes at the border or when the value wraps. */
static bool below(struct proof *proof, struct value a, struct value b) {
    const bool result = a.now < b.now;
    if (a.moves != 0 && b.moves != 0) {
        proof->impossible = true;
    } else if (a.moves != 0) {
        const uint32_t border = b.now;
        if (a.moves > 0)
            changes_after(proof, result ? border - a.now : 0u - a.now);
        else
            changes_after(proof, result ? a.now + 1u : a.now - border + 1u);
        if (border == 0) /* never below, in either direction */
            return false;
    } else if (b.moves != 0) {
        const uint32_t border = a.now;
        if (b.moves > 0)
            changes_after(proof, result ? 0u - b.now : border - b.now + 1u);
        else
            changes_after(proof, result ? b.now - border : b.now + 1u);
    }
    return result;
}

/* Signed numbers order as unsigned ones with the sign bit inverted. */
static struct value turned(struct value a) {
    a.now ^= 0x80000000u;
    return a;
}

static bool less(struct proof *proof, struct value a, struct value b) {
    return below(proof, turned(a), turned(b));
}

/* ------------------------------------------------------------------------------------------------
 * Memory and registers of the chip */

static uint32_t bytes_at(const uint8_t *bytes, uint32_t count) {
    return count == 4 ? tigon_load_be32(bytes) : count == 2 ? tigon_load_be16(bytes) : bytes[0];
}

static struct value read_register(struct proof *proof, uint32_t offset) {
    struct tigon_cpu *cpu = proof->cpu;
    struct tigon_cpu_loop *loop = proof->loop;
    const struct tigon_cpu_port *port = &cpu->port;
    if (port->timer != 0 && offset == port->timer) {
        proof->reads_more = true;
        loop->reads_timer = true;
        return (struct value){loop->timer_value, 1, ++proof->timer_reads};
    }
    const bool event = cpu->pollable[offset / 4u];
    if (!event &&
        !(port->register_steady && port->register_steady(port->context, cpu->core, offset))) {
        proof->impossible = true;
        return known(0);
    }
    proof->reads_events |= event;
    proof->reads_more |= !event;
    for (unsigned i = 0; i < loop->register_count; i++)
        if (loop->registers[i].offset == offset)
            return known(loop->registers[i].value);
    if (loop->register_count == TIGON_LOOP_REGISTERS) {
        proof->impossible = true;
        return known(0);
    }
    const uint32_t value = port->register_read(port->context, cpu->core, offset, cpu->cycle);
    loop->registers[loop->register_count].offset = offset;
    loop->registers[loop->register_count++].value = value;
    return known(value);
}

/* The bytes of memory at a CPU address, NULL if the proof does not cover that memory. */
static const uint8_t *memory_at(struct proof *proof, uint32_t address, uint32_t bytes,
                                enum tigon_place *place, uint32_t *offset) {
    struct tigon_cpu *cpu = proof->cpu;
    *place = TIGON_PLACE_NOWHERE;
    if (proof->impossible || (address & (bytes - 1u)) != 0 ||
        (address < TIGON_NULL_PAGE_SIZE && (cpu->state & TIGON_CPU_STATE_NULL_PAGE) != 0))
        return NULL;
    *place = tigon_memory_place(cpu->memory, cpu->core, address, offset);
    if (*place == TIGON_PLACE_SCRATCHPAD)
        return cpu->memory->scratchpad[cpu->core] + *offset;
    if (*place != TIGON_PLACE_SRAM)
        return NULL;
    proof->loop->uses_bus = true;
    proof->reads_more = true;
    return cpu->memory->sram + *offset;
}

static struct value load(struct proof *proof, const struct tigon_instruction *in, uint32_t bytes) {
    const uint32_t address = fixed(proof, read(proof, in->source)) + in->immediate;
    enum tigon_place place;
    uint32_t offset;
    const uint8_t *at = memory_at(proof, address, bytes, &place, &offset);
    if (at)
        return known(bytes_at(at, bytes));
    if (place == TIGON_PLACE_REGISTERS && bytes == 4)
        return read_register(proof, offset);
    proof->impossible = true;
    return known(0);
}

/* A store may only write the value that is already there. */
static void store(struct proof *proof, const struct tigon_instruction *in, uint32_t bytes) {
    const uint32_t address = fixed(proof, read(proof, in->source)) + in->immediate;
    const uint32_t value = fixed(proof, read(proof, in->second));
    const uint32_t mask = bytes == 4 ? UINT32_MAX : (1u << 8u * bytes) - 1u;
    enum tigon_place place;
    uint32_t offset;
    const uint8_t *at = memory_at(proof, address, bytes, &place, &offset);
    if (!at || bytes_at(at, bytes) != (value & mask) ||
        (place == TIGON_PLACE_SRAM && offset / TIGON_DECODE_GRANULE == proof->cpu->memory->watched))
        proof->impossible = true;
}

/* The instruction at `pc`, TIGON_OP_INVALID where the proof does not apply. */
static struct tigon_instruction fetch(struct proof *proof, uint32_t pc) {
    struct tigon_cpu *cpu = proof->cpu;
    const struct tigon_instruction none = {.operation = TIGON_OP_INVALID};
    enum tigon_place place;
    uint32_t offset;
    const bool used_bus = proof->loop->uses_bus;
    const bool read_more = proof->reads_more;
    const uint8_t *at = memory_at(proof, pc, 4, &place, &offset);
    if (!at || pc - TIGON_STACK_WINDOW < TIGON_STACK_WINDOW_SIZE)
        return none;
    struct tigon_instruction in = tigon_decode(tigon_load_be32(at));
    if (place == TIGON_PLACE_SRAM && cpu->line_valid &&
        offset - cpu->line_offset < cpu->timing.instruction_line_bytes) {
        /* The I-line may hold older text than memory. */
        if (memcmp(&cpu->line[(offset - cpu->line_offset) / 4u], &in, sizeof in) != 0)
            return none;
        proof->loop->uses_bus = used_bus;
        proof->reads_more = read_more;
    }
    return in;
}

/* ------------------------------------------------------------------------------------------------
 * Instructions */

static uint32_t arithmetic(struct proof *proof, enum tigon_op operation, uint32_t a, uint32_t b) {
    int32_t sum;
    switch (operation) {
    case TIGON_OP_AND:
        return a & b;
    case TIGON_OP_OR:
        return a | b;
    case TIGON_OP_XOR:
        return a ^ b;
    case TIGON_OP_NOR:
        return ~(a | b);
    case TIGON_OP_SLLV:
        return b << (a & 31u);
    case TIGON_OP_SRLV:
        return b >> (a & 31u);
    case TIGON_OP_SRAV:
        return (uint32_t)((int32_t)b >> (a & 31u));
    case TIGON_OP_ADD:
        proof->impossible |= __builtin_add_overflow((int32_t)a, (int32_t)b, &sum);
        return (uint32_t)sum;
    case TIGON_OP_SUB:
        proof->impossible |= __builtin_sub_overflow((int32_t)a, (int32_t)b, &sum);
        return (uint32_t)sum;
    case TIGON_OP_PRI:
        return (a & b) == 0 ? 0u : 32u - (uint32_t)__builtin_clz(a & b);
    default:
        proof->impossible = true;
        return 0;
    }
}

/* The result of an instruction that only computes. */
static struct value compute(struct proof *proof, const struct tigon_instruction *in) {
    const struct value immediate = known(in->immediate);
    const struct value a = read(proof, in->source), b = read(proof, in->second);
    switch ((enum tigon_op)in->operation) {
    case TIGON_OP_ADDU:
        return add(proof, a, b);
    case TIGON_OP_SUBU:
        return add(proof, a, negative(b));
    case TIGON_OP_ADDIU:
        return add(proof, a, immediate);
    case TIGON_OP_SLT:
        return known(less(proof, a, b));
    case TIGON_OP_SLTU:
        return known(below(proof, a, b));
    case TIGON_OP_SLTI:
        return known(less(proof, a, immediate));
    case TIGON_OP_SLTIU:
        return known(below(proof, a, immediate));
    case TIGON_OP_OR: /* the usual move */
        if (in->second == 0)
            return a;
        if (in->source == 0)
            return b;
        break;
    case TIGON_OP_LUI:
        return immediate;
    case TIGON_OP_ADDI:
        return known(arithmetic(proof, TIGON_OP_ADD, fixed(proof, a), in->immediate));
    case TIGON_OP_ANDI:
        return known(fixed(proof, a) & in->immediate);
    case TIGON_OP_ORI:
        return in->immediate == 0 ? a : known(fixed(proof, a) | in->immediate);
    case TIGON_OP_XORI:
        return known(fixed(proof, a) ^ in->immediate);
    case TIGON_OP_SLL:
        return known(fixed(proof, b) << in->immediate);
    case TIGON_OP_SRL:
        return known(fixed(proof, b) >> in->immediate);
    case TIGON_OP_SRA:
        return known((uint32_t)((int32_t)fixed(proof, b) >> in->immediate));
    default:
        break;
    }
    const uint32_t left = fixed(proof, a), right = fixed(proof, b);
    return known(arithmetic(proof, (enum tigon_op)in->operation, left, right));
}

enum flow { FLOW_NONE, FLOW_STAYS, FLOW_SKIPS_SLOT, FLOW_GOES };

/* Whether the instruction is a branch, and its effect; `slot` is the address after it. */
static enum flow branch(struct proof *proof, const struct tigon_instruction *in, uint32_t slot,
                        uint32_t *target) {
    const struct value zero = known(0);
    const enum tigon_op operation = (enum tigon_op)in->operation;
    bool taken = false;
    *target = slot + in->immediate;
    switch (operation) {
    case TIGON_OP_J:
    case TIGON_OP_JAL:
        *target = (slot & 0xF0000000u) | in->immediate;
        return FLOW_GOES;
    case TIGON_OP_JR:
    case TIGON_OP_JALR:
        *target = fixed(proof, read(proof, in->source));
        return FLOW_GOES;
    case TIGON_OP_JOFF:
        *target =
            fixed(proof, read(proof, in->source)) + fixed(proof, read(proof, in->second)) * 8u;
        return FLOW_GOES;
    case TIGON_OP_BEQ:
    case TIGON_OP_BEQL:
        taken = equal(proof, read(proof, in->source), read(proof, in->second));
        break;
    case TIGON_OP_BNE:
    case TIGON_OP_BNEL:
        taken = !equal(proof, read(proof, in->source), read(proof, in->second));
        break;
    case TIGON_OP_BLEZ:
    case TIGON_OP_BLEZL:
        taken = less(proof, read(proof, in->source), known(1));
        break;
    case TIGON_OP_BGTZ:
    case TIGON_OP_BGTZL:
        taken = !less(proof, read(proof, in->source), known(1));
        break;
    case TIGON_OP_BLTZ:
    case TIGON_OP_BLTZL:
    case TIGON_OP_BLTZAL:
    case TIGON_OP_BLTZALL:
        taken = less(proof, read(proof, in->source), zero);
        break;
    case TIGON_OP_BGEZ:
    case TIGON_OP_BGEZL:
    case TIGON_OP_BGEZAL:
    case TIGON_OP_BGEZALL:
        taken = !less(proof, read(proof, in->source), zero);
        break;
    default:
        return FLOW_NONE;
    }
    if (taken)
        return FLOW_GOES;
    return operation >= TIGON_OP_BEQL && operation <= TIGON_OP_BGEZALL ? FLOW_SKIPS_SLOT
                                                                       : FLOW_STAYS;
}

static void write(struct proof *proof, uint32_t number, struct value value) {
    proof->registers[number] = value;
    proof->written |= UINT64_C(1) << number;
}

static void link_to(struct proof *proof, const struct tigon_instruction *in, uint32_t from) {
    switch ((enum tigon_op)in->operation) {
    case TIGON_OP_JAL:
    case TIGON_OP_BLTZAL:
    case TIGON_OP_BGEZAL:
    case TIGON_OP_BLTZALL:
    case TIGON_OP_BGEZALL:
        write(proof, 31, known(from + 8u));
        break;
    case TIGON_OP_JALR:
        write(proof, in->destination, known(from + 8u));
        break;
    default:
        break;
    }
}

/* All instructions but branches. */
static void execute(struct proof *proof, const struct tigon_instruction *in) {
    struct value value;
    switch ((enum tigon_op)in->operation) {
    case TIGON_OP_STALE:
    case TIGON_OP_INVALID:
    case TIGON_OP_HALT:
        proof->impossible = true;
        return;
    case TIGON_OP_NOP:
        return;
    case TIGON_OP_SW:
        store(proof, in, 4);
        return;
    case TIGON_OP_SH:
        store(proof, in, 2);
        return;
    case TIGON_OP_SB:
        store(proof, in, 1);
        return;
    case TIGON_OP_LW:
        value = load(proof, in, 4);
        break;
    case TIGON_OP_LHU:
        value = load(proof, in, 2);
        break;
    case TIGON_OP_LH:
        value = load(proof, in, 2);
        value.now = (uint32_t)(int32_t)(int16_t)(uint16_t)value.now;
        break;
    case TIGON_OP_LBU:
        value = load(proof, in, 1);
        break;
    case TIGON_OP_LB:
        value = load(proof, in, 1);
        value.now = (uint32_t)(int32_t)(int8_t)(uint8_t)value.now;
        break;
    default:
        value = compute(proof, in);
        break;
    }
    write(proof, in->destination, value);
}

static bool follow(struct proof *proof) {
    const uint32_t head = proof->cpu->pc;
    uint32_t pc = head, npc = head + 4u;
    for (unsigned count = 0; count < INSTRUCTIONS_MOST && !proof->impossible; count++) {
        const struct tigon_instruction in = fetch(proof, pc);
        const uint32_t from = pc;
        uint32_t target;
        pc = npc;
        npc += 4u;
        const enum flow flow = branch(proof, &in, from + 4u, &target);
        if (flow == FLOW_NONE)
            execute(proof, &in);
        else
            link_to(proof, &in, from);
        if (flow == FLOW_GOES) {
            npc = target;
        } else if (flow == FLOW_SKIPS_SLOT) {
            pc = npc;
            npc += 4u;
        }
        if (pc == head && npc == head + 4u)
            return !proof->impossible;
    }
    return false;
}

bool tigon_loop_prove(struct tigon_cpu *cpu) {
    struct tigon_cpu_loop *loop = &cpu->loop;
    const struct tigon_cpu_port *port = &cpu->port;
    struct proof proof = {.cpu = cpu, .loop = loop, .steps = UINT32_MAX};
    for (unsigned i = 0; i < 32; i++)
        proof.registers[i] = known(cpu->gpr[i]);
    loop->uses_bus = false;
    loop->reads_timer = false;
    loop->register_count = 0;
    loop->turns = 0;
    loop->timer_cycle = cpu->cycle;
    loop->timer_value =
        port->timer ? port->register_read(port->context, cpu->core, port->timer, cpu->cycle) : 0;
    /* poll.c handles loops that read only event words. */
    if (!follow(&proof) || (proof.reads_events && !proof.reads_more))
        return false;
    for (unsigned i = 1; i < 32; i++)
        if ((proof.needed & proof.written) >> i & 1u)
            if (proof.registers[i].moves != 0 || proof.registers[i].now != cpu->gpr[i])
                return false;
    loop->wake_at = UINT64_MAX;
    if (loop->reads_timer)
        loop->wake_at = (cpu->cycle / TIGON_CYCLES_PER_US + proof.steps) * TIGON_CYCLES_PER_US;
    return true;
}
