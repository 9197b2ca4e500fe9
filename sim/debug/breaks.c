/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints and watchpoints: the conditions that stop the world at an instruction.
 *
 * Code is not patched. A breakpoint is a comparison with the program counter, made fast by a table
 * of bits. For watchpoints each instruction is decoded beforehand: GDB expects a MIPS core to stop
 * before the access, and makes one step to see the new value. Changes by other masters (DMA, the
 * MAC, the host, the other core) are found by comparing the watched bytes, and reported at the next
 * instruction of the board.
 *
 * In reverse execution an access counts when the thread reaches the instruction after it: GDB then
 * steps back over it and sees the old value.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/debug/debugger_private.h"

static uint32_t filter_bit(uint32_t address) {
    return address / 4u % (8u * sizeof((struct tigon_debugger *)0)->filter);
}

static bool filtered(const struct tigon_debugger *debugger, uint32_t pc) {
    const uint32_t bit = filter_bit(pc);
    return (debugger->filter[bit / 8] >> bit % 8 & 1) != 0;
}

bool debug_breaks_interesting(const struct tigon_debugger *debugger, uint32_t pc) {
    return debugger->any_watch || filtered(debugger, pc);
}

static struct debug_watch *watch_of(struct tigon_debugger *debugger, size_t breakpoint,
                                    int thread) {
    return &debugger->watches[breakpoint * debugger->thread_count + (size_t)thread];
}

/* The key of the saved bytes: both cores of a board see the same SRAM. */
static struct debug_watch *keeper(struct tigon_debugger *debugger, size_t breakpoint,
                                  const struct debug_thread *thread) {
    const struct debug_watch *watch = watch_of(debugger, breakpoint, thread->index);
    const int index =
        watch->place == TIGON_PLACE_SRAM ? thread->index - (int)thread->core : thread->index;
    return watch_of(debugger, breakpoint, index);
}

static void look_at_bytes(struct tigon_debugger *debugger, size_t breakpoint,
                          const struct debug_thread *thread, uint8_t *bytes) {
    const struct debug_breakpoint *point = &debugger->session->breakpoints[breakpoint];
    (void)tigon_memory_debug_read(thread->cpu->memory, thread->core, point->address, bytes,
                                  point->length);
}

static bool compares_bytes(const struct debug_breakpoint *point, const struct debug_watch *watch) {
    return watch->valid && point->kind != DEBUG_WATCH_READ && watch->place != TIGON_PLACE_REGISTERS;
}

static void locate(struct tigon_debugger *debugger, size_t breakpoint,
                   const struct debug_thread *thread) {
    const struct debug_breakpoint *point = &debugger->session->breakpoints[breakpoint];
    struct debug_watch *watch = watch_of(debugger, breakpoint, thread->index);
    watch->place = (uint8_t)tigon_memory_place(thread->cpu->memory, thread->core, point->address,
                                               &watch->offset);
    watch->valid = watch->place != TIGON_PLACE_NOWHERE;
    if (compares_bytes(point, watch))
        look_at_bytes(debugger, breakpoint, thread, keeper(debugger, breakpoint, thread)->saved);
}

int debug_breaks_insert(struct tigon_debugger *debugger, int kind, uint32_t address,
                        uint32_t length) {
    struct debug_breakpoint *free_point = NULL;
    if (kind >= DEBUG_WATCH_WRITE && (length == 0 || length > DEBUG_WATCH_BYTES))
        return -EINVAL;
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        if (point->used && point->kind == kind && point->address == address &&
            (kind < DEBUG_WATCH_WRITE || point->length == length)) {
            point->removed = false;
            return 0;
        }
        if (!point->used && !free_point)
            free_point = point;
    }
    if (!free_point)
        return -ENOSPC;
    *free_point = (struct debug_breakpoint){
        .used = true, .fresh = true, .kind = (uint8_t)kind, .address = address, .length = length};
    return 0;
}

void debug_breaks_remove(struct tigon_debugger *debugger, int kind, uint32_t address,
                         uint32_t length) {
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        if (!point->used || point->kind != kind || point->address != address)
            continue;
        if (kind < DEBUG_WATCH_WRITE && !point->fresh)
            point->removed = true;
        else if (kind < DEBUG_WATCH_WRITE || point->length == length)
            point->used = false;
    }
}

void debug_breaks_clear(struct tigon_debugger *debugger) {
    memset(debugger->session->breakpoints, 0, sizeof debugger->session->breakpoints);
    debugger->alone = -1;
    debug_breaks_prepare(debugger);
}

void debug_breaks_prepare(struct tigon_debugger *debugger) {
    memset(debugger->filter, 0, sizeof debugger->filter);
    debugger->any_watch = false;
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        if (debugger->alone < 0) {
            point->used = point->used && !point->removed;
            point->fresh = false;
        }
        if (!point->used)
            continue;
        if (point->kind < DEBUG_WATCH_WRITE) {
            const uint32_t bit = filter_bit(point->address);
            debugger->filter[bit / 8] |= (uint8_t)(1u << bit % 8);
            continue;
        }
        debugger->any_watch = true;
        for (size_t t = 0; t < debugger->thread_count; t++)
            locate(debugger, i, &debugger->threads[t]);
    }
    for (size_t t = 0; t < debugger->thread_count; t++)
        debugger->threads[t].pending = false;
}

/* --- what an instruction accesses */

static bool is_branch(uint8_t operation) {
    return operation >= TIGON_OP_J && operation <= TIGON_OP_BGEZALL;
}

/* A branch-likely that is not taken leaves its delay slot out. */
static bool skips_slot(const struct tigon_cpu *cpu, const struct tigon_instruction *in) {
    const int32_t source = (int32_t)cpu->gpr[in->source];
    switch (in->operation) {
    case TIGON_OP_BEQL:
        return cpu->gpr[in->source] != cpu->gpr[in->second];
    case TIGON_OP_BNEL:
        return cpu->gpr[in->source] == cpu->gpr[in->second];
    case TIGON_OP_BLEZL:
        return source > 0;
    case TIGON_OP_BGTZL:
        return source <= 0;
    case TIGON_OP_BLTZL:
    case TIGON_OP_BLTZALL:
        return source >= 0;
    case TIGON_OP_BGEZL:
    case TIGON_OP_BGEZALL:
        return source < 0;
    default:
        return false;
    }
}

static struct tigon_instruction instruction_at(const struct tigon_cpu *cpu, uint32_t pc) {
    uint8_t bytes[4] = {0};
    (void)tigon_memory_debug_read(cpu->memory, cpu->core, pc, bytes, sizeof bytes);
    return tigon_decode(tigon_load_be32(bytes));
}

bool debug_is_branch(const struct tigon_cpu *cpu, uint32_t pc) {
    return is_branch(instruction_at(cpu, pc).operation);
}

bool debug_access_of(const struct tigon_cpu *cpu, uint32_t pc, uint32_t *address, uint32_t *bytes,
                     bool *store) {
    struct tigon_instruction in = instruction_at(cpu, pc);
    if (is_branch(in.operation)) {
        if (skips_slot(cpu, &in))
            return false;
        in = instruction_at(cpu, pc + 4u);
    }
    switch (in.operation) {
    case TIGON_OP_LW:
    case TIGON_OP_SW:
        *bytes = 4;
        break;
    case TIGON_OP_LH:
    case TIGON_OP_LHU:
    case TIGON_OP_SH:
        *bytes = 2;
        break;
    case TIGON_OP_LB:
    case TIGON_OP_LBU:
    case TIGON_OP_SB:
        *bytes = 1;
        break;
    default:
        return false;
    }
    *store =
        in.operation == TIGON_OP_SW || in.operation == TIGON_OP_SH || in.operation == TIGON_OP_SB;
    *address = cpu->gpr[in.source] + in.immediate;
    return true;
}

/* --- hits */

static bool break_hit(const struct tigon_debugger *debugger, const struct debug_thread *thread,
                      uint32_t pc, struct debug_stop *stop) {
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        const struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        if (!point->used || point->kind >= DEBUG_WATCH_WRITE || point->address != pc ||
            (thread->index == debugger->alone ? point->removed : point->fresh))
            continue;
        *stop = (struct debug_stop){
            .signal = DEBUG_SIGNAL_TRAP, .thread = thread->index, .kind = point->kind};
        return true;
    }
    return false;
}

bool debug_breaks_at(const struct tigon_debugger *debugger, const struct debug_thread *thread,
                     uint32_t pc) {
    struct debug_stop stop;
    return break_hit(debugger, thread, pc, &stop);
}

static bool watch_wants(const struct debug_breakpoint *point, bool store) {
    return point->kind == DEBUG_WATCH_ACCESS || store == (point->kind == DEBUG_WATCH_WRITE);
}

static bool access_hit(struct tigon_debugger *debugger, const struct debug_thread *thread,
                       uint32_t pc, struct debug_stop *stop) {
    uint32_t address, bytes, offset;
    bool store;
    if (!debug_access_of(thread->cpu, pc, &address, &bytes, &store))
        return false;
    const enum tigon_place place =
        tigon_memory_place(thread->cpu->memory, thread->core, address, &offset);
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        const struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        if (!point->used || point->kind < DEBUG_WATCH_WRITE || !watch_wants(point, store))
            continue;
        const struct debug_watch *watch = watch_of(debugger, i, thread->index);
        if (!watch->valid || watch->place != place || offset >= watch->offset + point->length ||
            offset + bytes <= watch->offset)
            continue;
        *stop = (struct debug_stop){.signal = DEBUG_SIGNAL_TRAP,
                                    .thread = thread->index,
                                    .kind = point->kind,
                                    .address = point->address};
        return true;
    }
    return false;
}

static bool change_hit(struct tigon_debugger *debugger, const struct debug_thread *thread,
                       struct debug_stop *stop) {
    bool hit = false;
    for (size_t i = 0; i < DEBUG_BREAKPOINTS; i++) {
        const struct debug_breakpoint *point = &debugger->session->breakpoints[i];
        uint8_t bytes[DEBUG_WATCH_BYTES];
        if (!point->used || point->kind < DEBUG_WATCH_WRITE ||
            !compares_bytes(point, watch_of(debugger, i, thread->index)))
            continue;
        struct debug_watch *kept = keeper(debugger, i, thread);
        look_at_bytes(debugger, i, thread, bytes);
        if (memcmp(bytes, kept->saved, point->length) == 0)
            continue;
        memcpy(kept->saved, bytes, point->length);
        *stop = (struct debug_stop){.signal = DEBUG_SIGNAL_TRAP,
                                    .thread = thread->index,
                                    .kind = point->kind,
                                    .address = point->address};
        hit = true;
    }
    return hit;
}

bool debug_breaks_hit(struct tigon_debugger *debugger, struct debug_thread *thread, uint32_t pc,
                      struct debug_stop *stop) {
    bool hit = filtered(debugger, pc) && break_hit(debugger, thread, pc, stop);
    if (!debugger->any_watch)
        return hit;
    struct debug_stop other;
    if (change_hit(debugger, thread, &other)) {
        *stop = other;
        hit = true;
    }
    if (debugger->mode == DEBUG_RUN) {
        if (access_hit(debugger, thread, pc, &other)) {
            *stop = other;
            hit = true;
        }
        return hit;
    }
    if (thread->pending) {
        *stop = thread->at;
        hit = true;
    }
    thread->pending = access_hit(debugger, thread, pc, &thread->at);
    return hit;
}
