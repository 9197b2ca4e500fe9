/* SPDX-License-Identifier: MIT */
/* Backtraces; see backtrace.h. */
#include "sim/debug/backtrace.h"

#include <stdbool.h>

#define REGISTER_SP    29u
#define REGISTER_RA    31u
#define SEARCH_WORDS   2048u /* back from the program counter for a function's beginning */
#define FUNCTION_WORDS 8192u /* longest function that is analysed */
#define FRAME_LIMIT    0x4000u

/* The effect of a function on the stack so far. */
struct shape {
    uint32_t size; /* bytes it has taken */
    bool saved;    /* $ra is on the stack ... */
    uint32_t at;   /* ... so far above $sp */
};

static bool word_at(const struct tigon_cpu *cpu, uint32_t address, uint32_t *word) {
    uint8_t bytes[4];
    if ((address & 3u) != 0 ||
        tigon_memory_debug_read(cpu->memory, cpu->core, address, bytes, sizeof bytes) != 4)
        return false;
    *word = tigon_load_be32(bytes);
    return true;
}

static bool is_return(const struct tigon_instruction *in) {
    return in->operation == TIGON_OP_JR && in->source == REGISTER_RA;
}

static bool moves_stack(const struct tigon_instruction *in) {
    return in->operation == TIGON_OP_ADDIU && in->source == REGISTER_SP &&
           in->destination == REGISTER_SP;
}

/* Behind the last return before `pc`, or the last instruction that takes stack. */
static uint32_t guess_start(const struct tigon_cpu *cpu, uint32_t pc) {
    uint32_t word;
    for (uint32_t i = 1; i < SEARCH_WORDS && word_at(cpu, pc - 4u * i, &word); i++) {
        const struct tigon_instruction in = tigon_decode(word);
        if (moves_stack(&in) && (int32_t)in.immediate < 0)
            return pc - 4u * i;
        if (is_return(&in) && i > 1)
            return pc - 4u * i + 8u;
    }
    return pc;
}

/* The code from `start` to `pc` in address order. A return undoes only the effect of its own path
 * on the stack: the code behind it is the target of jumps from other paths. */
static struct shape shape_at(const struct tigon_cpu *cpu, uint32_t start, uint32_t pc) {
    struct shape shape = {0}, body = {0};
    uint32_t word;
    unsigned returned = 0;
    for (uint32_t at = start; at < pc && word_at(cpu, at, &word); at += 4) {
        const struct tigon_instruction in = tigon_decode(word);
        if (moves_stack(&in)) {
            const int32_t by = (int32_t)in.immediate;
            if (by < 0) {
                shape.size += (uint32_t)-by;
                shape.at += (uint32_t)-by;
                body = shape;
            } else {
                shape.size = (uint32_t)by < shape.size ? shape.size - (uint32_t)by : 0;
                shape.at -= (uint32_t)by;
            }
        } else if (in.operation == TIGON_OP_SW && in.source == REGISTER_SP &&
                   in.second == REGISTER_RA) {
            shape.saved = true;
            shape.at = in.immediate;
            body = shape;
        } else if (in.operation == TIGON_OP_LW && in.source == REGISTER_SP &&
                   in.destination == REGISTER_RA) {
            shape.saved = false;
        }
        if (returned > 0 && --returned == 0)
            shape = body;
        if (is_return(&in))
            returned = 1;
    }
    return shape;
}

/* A return address lies two instructions behind a call. An event loop sets $ra to its own head. */
static bool follows_call(const struct tigon_cpu *cpu, uint32_t address, tigon_function_start start,
                         const void *context) {
    uint32_t word;
    if (start && start(context, address) == address)
        return true;
    if (!word_at(cpu, address, &word) || !word_at(cpu, address - 8u, &word))
        return false;
    const uint8_t operation = tigon_decode(word).operation;
    return operation == TIGON_OP_JAL || operation == TIGON_OP_JALR ||
           operation == TIGON_OP_BLTZAL || operation == TIGON_OP_BGEZAL;
}

size_t tigon_backtrace(const struct tigon_cpu *cpu, tigon_function_start start, const void *context,
                       struct tigon_backtrace_frame *frames, size_t limit) {
    uint32_t pc = cpu->pc, sp = cpu->gpr[REGISTER_SP], ra = cpu->gpr[REGISTER_RA];
    size_t count = 0;
    bool innermost = true;
    while (count < limit) {
        frames[count++] = (struct tigon_backtrace_frame){pc, sp};
        uint32_t begin = start ? start(context, pc) : 0;
        if (begin == 0 || pc - begin > 4u * FUNCTION_WORDS)
            begin = guess_start(cpu, pc);
        const struct shape shape = shape_at(cpu, begin, pc);
        uint32_t back = ra;
        if (shape.size > FRAME_LIMIT || (shape.saved && !word_at(cpu, sp + shape.at, &back)) ||
            (!shape.saved && !innermost) || back == pc || !follows_call(cpu, back, start, context))
            break;
        pc = back;
        sp += shape.size;
        innermost = false;
    }
    return count;
}
