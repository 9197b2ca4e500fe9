/* SPDX-License-Identifier: MIT */
/*
 * The chip for GDB: registers, memory, and the documents that describe them.
 *
 * GDB expects a MIPS32 with a coprocessor and a floating-point unit in these documents; registers
 * that the core lacks read as unknown. Behind GDB's own registers come three of ours.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/debug/debugger_private.h"
#include "sim/debug/report.h"

enum {
    REGISTER_STATUS = 32,
    REGISTER_STATE = 72, /* HW[140] or HW[240] */
    REGISTER_CYCLE = 73, /* 64 bits, as the next */
    REGISTER_INSTRUCTIONS = 74
};

/* --- registers */

unsigned debug_register_digits(unsigned number) {
    return number >= DEBUG_REGISTERS ? 0 : number >= REGISTER_CYCLE ? 16 : 8;
}

size_t debug_register_read(const struct debug_thread *thread, unsigned number, char *text) {
    const struct tigon_cpu *cpu = thread->cpu;
    const unsigned digits = debug_register_digits(number);
    uint64_t value = 0;
    if (number < 32)
        value = cpu->gpr[number];
    else if (number == DEBUG_REGISTER_PC)
        value = cpu->pc;
    else if (number == REGISTER_STATE)
        value = cpu->state;
    else if (number == REGISTER_CYCLE)
        value = cpu->cycle;
    else if (number == REGISTER_INSTRUCTIONS)
        value = cpu->statistics.instructions;
    else {
        memset(text, 'x', digits);
        text[digits] = 0;
        return digits;
    }
    (void)snprintf(text, 17, "%0*" PRIx64, (int)digits, value);
    return digits;
}

bool debug_register_write(struct debug_thread *thread, unsigned number, uint64_t value) {
    struct tigon_cpu *cpu = thread->cpu;
    if (number == 0 ||
        (number >= REGISTER_STATUS && number < REGISTER_STATE && number != DEBUG_REGISTER_PC))
        return true; /* GDB may write back values that it could not read */
    if (number < 32) {
        cpu->gpr[number] = (uint32_t)value;
        tigon_cpu_registers_written(cpu);
    } else if (number == DEBUG_REGISTER_PC) {
        if (cpu->pc == (uint32_t)value)
            return true; /* a branch in progress continues */
        cpu->pc = (uint32_t)value;
        cpu->npc = cpu->pc + 4u;
        thread->before = cpu->pc;
        cpu->load_register = 0;
        tigon_cpu_registers_written(cpu);
    } else {
        return false;
    }
    thread->debugger->unsnapshotted_change = true;
    return true;
}

/* --- memory */

static size_t read_registers(const struct debug_thread *thread, uint32_t address, uint8_t *bytes,
                             size_t length) {
    size_t done = 0;
    for (; done < length && address - TIGON_REGISTERS < TIGON_REGISTERS_SIZE; done++, address++) {
        const uint32_t offset = address - TIGON_REGISTERS;
        const uint32_t word = tigon_board_peek_register(thread->board, offset & ~3u);
        bytes[done] = (uint8_t)(word >> 8u * (3u - (offset & 3u)));
    }
    return done;
}

size_t debug_memory_read(const struct debug_thread *thread, uint32_t address, uint8_t *bytes,
                         size_t length) {
    if (address >= TIGON_REGISTERS)
        return read_registers(thread, address, bytes, length);
    return tigon_memory_debug_read(thread->cpu->memory, thread->core, address, bytes, length);
}

size_t debug_memory_write(struct debug_thread *thread, uint32_t address, const uint8_t *bytes,
                          size_t length) {
    if (address >= TIGON_REGISTERS)
        return 0; /* a device would act on it at an undefined time */
    thread->debugger->unsnapshotted_change = true;
    const size_t done =
        tigon_memory_debug_write(thread->cpu->memory, thread->core, address, bytes, length);
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_invalidate(tigon_board_cpu(thread->board, core), address, (uint32_t)done);
    return done;
}

/* --- documents */

static void name_board(const struct debug_thread *thread, char *text, size_t size) {
    const struct tigon_reporter *reporter = thread->debugger->options.reporter;
    const size_t index = tigon_board_index(thread->board);
    if (reporter)
        (void)snprintf(text, size, "%s", tigon_reporter_name(reporter, index));
    else
        (void)snprintf(text, size, "board %zu", index);
}

void debug_thread_name(const struct debug_thread *thread, char *text, size_t size) {
    const struct tigon_cpu *cpu = thread->cpu;
    const char *how = (cpu->state & TIGON_CPU_STATE_FAULTS) != 0 ? ", fault"
                      : tigon_cpu_stopped(cpu)                   ? ", halted"
                                                                 : "";
    char board[32];
    name_board(thread, board, sizeof board);
    (void)snprintf(text, size, "%s CPU %c%s", board, 'A' + (int)thread->core, how);
}

static void describe_registers(FILE *out) {
    static const char *const cp0[] = {"status", "lo", "hi", "badvaddr", "cause", "pc"};
    static const bool is_cp0[] = {true, false, false, true, true, false};
    (void)fputs("<feature name=\"org.gnu.gdb.mips.cpu\">", out);
    for (unsigned i = 0; i < 32; i++)
        (void)fprintf(out, "<reg name=\"r%u\" bitsize=\"32\" regnum=\"%u\"/>", i, i);
    for (int pass = 0; pass < 2; pass++) {
        for (unsigned i = 0; i < 6; i++)
            if (is_cp0[i] == (pass == 1))
                (void)fprintf(out, "<reg name=\"%s\" bitsize=\"32\" regnum=\"%u\"%s/>", cp0[i],
                              32 + i, strcmp(cp0[i], "pc") == 0 ? " type=\"code_ptr\"" : "");
        (void)fputs(pass == 0 ? "</feature><feature name=\"org.gnu.gdb.mips.cp0\">" : "</feature>",
                    out);
    }
    (void)fputs("<feature name=\"org.gnu.gdb.mips.fpu\">", out);
    for (unsigned i = 0; i < 32; i++)
        (void)fprintf(out,
                      "<reg name=\"f%u\" bitsize=\"32\" type=\"ieee_single\" regnum=\"%u\" "
                      "save-restore=\"no\"/>",
                      i, 38 + i);
    (void)fputs("<reg name=\"fcsr\" bitsize=\"32\" group=\"float\" regnum=\"70\" "
                "save-restore=\"no\"/>"
                "<reg name=\"fir\" bitsize=\"32\" group=\"float\" regnum=\"71\" "
                "save-restore=\"no\"/></feature>"
                "<feature name=\"org.tigon.core\">"
                "<reg name=\"state\" bitsize=\"32\" regnum=\"72\" group=\"system\" "
                "save-restore=\"no\"/>"
                "<reg name=\"cycle\" bitsize=\"64\" type=\"uint64\" regnum=\"73\" "
                "group=\"system\" save-restore=\"no\"/>"
                "<reg name=\"instructions\" bitsize=\"64\" type=\"uint64\" regnum=\"74\" "
                "group=\"system\" save-restore=\"no\"/></feature>",
                out);
}

static void describe_memory(FILE *out) {
    static const struct {
        uint64_t start; /* GDB extends the sign of addresses */
        uint32_t length;
    } regions[] = {{0, TIGON_SRAM_WINDOW},
                   {TIGON_STACK_WINDOW, TIGON_STACK_WINDOW_SIZE},
                   {TIGON_SCRATCHPAD, TIGON_SCRATCHPAD_A_SIZE},
                   {UINT64_C(0xFFFFFFFF00000000) + TIGON_REGISTERS, TIGON_REGISTERS_SIZE}};
    (void)fputs("<?xml version=\"1.0\"?><memory-map>", out);
    for (size_t i = 0; i < sizeof regions / sizeof *regions; i++)
        (void)fprintf(out,
                      "<memory type=\"ram\" start=\"0x%" PRIx64 "\" length=\"0x%" PRIx32 "\"/>",
                      regions[i].start, regions[i].length);
    (void)fputs("</memory-map>", out);
}

static void list_threads(const struct tigon_debugger *debugger, FILE *out) {
    (void)fputs("<?xml version=\"1.0\"?><threads>", out);
    for (size_t i = 0; i < debugger->thread_count; i++) {
        const struct debug_thread *thread = &debugger->threads[i];
        char name[64], board[32];
        debug_thread_name(thread, name, sizeof name);
        name_board(thread, board, sizeof board);
        (void)fprintf(out, "<thread id=\"%zx\" core=\"%zu\" name=\"%s.%c\">%s</thread>", i + 1, i,
                      board, 'A' + (int)thread->core, name);
    }
    (void)fputs("</threads>", out);
}

char *debug_document(const struct tigon_debugger *debugger, const char *object, const char *annex) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool known = true;
    if (strcmp(object, "features") == 0 && strcmp(annex, "target.xml") == 0) {
        (void)fputs("<?xml version=\"1.0\"?><!DOCTYPE target SYSTEM \"gdb-target.dtd\">"
                    "<target version=\"1.0\"><architecture>mips:6000</architecture>",
                    out);
        describe_registers(out);
        (void)fputs("</target>", out);
    } else if (strcmp(object, "memory-map") == 0) {
        describe_memory(out);
    } else if (strcmp(object, "threads") == 0) {
        list_threads(debugger, out);
    } else {
        known = false;
    }
    if (fclose(out) != 0 || !known) {
        free(text);
        return NULL;
    }
    return text;
}
