/* SPDX-License-Identifier: MIT */
/*
 * Run a raw big-endian image on core A alone, for the differential test.
 *
 *   run_program [--native] [--pieces CYCLES] ENTRY ADDRESS:FILE [ADDRESS:FILE...]   (numbers as for
 * strtoul)
 *
 * With --native text in the scratchpad is translated at once where the host can: the same again.
 * With --pieces the core is run in pieces of so many cycles, which must change nothing.
 *
 * SYSCALL, which the core does not have, stops it; two Linux o32 calls are then done on its behalf
 * so that one program runs here and under qemu-mips: write (4004), to standard output whatever the
 * descriptor, and exit (4001). Anything else that stops the core is an error, told on standard
 * error. Exit status: that of the program, or 120 for an error.
 */
#include "sim/core/cpu.h"
#include "sim/core/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BAD            120
#define SYSCALL        0x0000000Cu
#define CYCLES_AT_MOST UINT64_C(2000000000)

enum { V0 = 2, A0 = 4, A1 = 5, A2 = 6, A3 = 7 };

static struct tigon_memory memory;
static struct tigon_bus bus;
static struct tigon_cpu cpu;

static uint32_t no_read(void *context, unsigned core, uint32_t offset, uint64_t cycle) {
    (void)context, (void)core, (void)offset, (void)cycle;
    return 0;
}
static void no_write(void *context, unsigned core, uint32_t offset, uint32_t value,
                     uint64_t cycle) {
    (void)context, (void)core, (void)offset, (void)value, (void)cycle;
}

static int fail(const char *why) {
    fprintf(stderr, "run_program: %s (pc 0x%08x, state 0x%08x, cycle %llu)\n", why, cpu.pc,
            cpu.state, (unsigned long long)cpu.cycle);
    return BAD;
}

static bool load(const char *argument) {
    char *name;
    uint32_t address = (uint32_t)strtoul(argument, &name, 0);
    FILE *file = *name == ':' ? fopen(name + 1, "rb") : NULL;
    if (!file)
        return false;
    uint8_t block[4096];
    size_t length;
    bool fits = true;
    while (fits && (length = fread(block, 1, sizeof block, file)) > 0) {
        fits = tigon_memory_debug_write(&memory, TIGON_CORE_A, address, block, length) == length;
        address += (uint32_t)length;
    }
    fclose(file);
    return fits;
}

static bool write_out(uint32_t address, uint32_t length) {
    for (uint32_t i = 0; i < length; i++) {
        uint8_t byte;
        if (tigon_memory_debug_read(&memory, TIGON_CORE_A, address + i, &byte, 1) != 1)
            return false;
        putchar(byte);
    }
    return true;
}

static uint64_t piece = CYCLES_AT_MOST;

static void run_until_it_stops(void) {
    for (uint64_t at = cpu.cycle; !tigon_cpu_stopped(&cpu) && at < CYCLES_AT_MOST;) {
        at += piece;
        tigon_cpu_run(&cpu, at);
    }
}

static int run(void) {
    for (;;) {
        uint8_t bytes[4];
        run_until_it_stops();
        if (!tigon_cpu_stopped(&cpu))
            return fail("does not end");
        tigon_memory_debug_read(&memory, TIGON_CORE_A, cpu.pc, bytes, 4);
        if ((cpu.state & TIGON_CPU_STATE_BAD_INSTRUCTION) == 0 || tigon_load_be32(bytes) != SYSCALL)
            return fail("stopped");
        if (cpu.gpr[V0] == 4001)
            return (int)(cpu.gpr[A0] & 0xFFu);
        if (cpu.gpr[V0] != 4004 || !write_out(cpu.gpr[A1], cpu.gpr[A2]))
            return fail("bad system call");
        cpu.gpr[V0] = cpu.gpr[A2];
        cpu.gpr[A3] = 0;
        tigon_cpu_start(&cpu, cpu.pc + 4, cpu.cycle);
    }
}

int main(int count, char **arguments) {
    const struct tigon_cpu_port port = {.register_read = no_read, .register_write = no_write};
    const struct tigon_timing timing = tigon_timing_default();
    const bool native = count > 1 && strcmp(arguments[1], "--native") == 0;
    arguments += native;
    count -= native;
    if (count > 2 && strcmp(arguments[1], "--pieces") == 0) {
        piece = strtoul(arguments[2], NULL, 0);
        arguments += 2;
        count -= 2;
    }
    if (count < 3 || piece == 0)
        return fail("usage: run_program [--native] [--pieces CYCLES] ENTRY ADDRESS:FILE...");
    if (tigon_memory_initialise(&memory, 2048u << 10) != 0)
        return fail("no memory");
    tigon_bus_initialise(&bus);
    tigon_cpu_initialise(&cpu, TIGON_CORE_A, &memory, &bus, &timing, &port);
    if (native && tigon_cpu_set_native(&cpu, true))
        tigon_engine->set_patience(cpu.native, 1);
    for (int i = 2; i < count; i++)
        if (!load(arguments[i]))
            return fail(arguments[i]);
    tigon_cpu_start(&cpu, (uint32_t)strtoul(arguments[1], NULL, 0), 0);
    int status = run();
    tigon_cpu_set_native(&cpu, false);
    tigon_memory_destroy(&memory);
    return status;
}
