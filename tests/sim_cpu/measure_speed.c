/* SPDX-License-Identifier: MIT */
/*
 * How many instructions per second of processor time the interpreter does, all costs on. Not a
 * test: prints figures. Configurations: one busy core in scratchpad; the same with SRAM data and a
 * device streams on the bus all the time; code in SRAM; two busy cores, strict and with run-ahead.
 */
#include "sim/core/cpu.h"
#include "tests/sim_cpu/assemble.h"

#include <stdio.h>
#include <time.h>

static uint32_t read_register(void *context, unsigned core, uint32_t offset, uint64_t cycle) {
    (void)context, (void)core, (void)offset, (void)cycle;
    return 0;
}
static void write_register(void *context, unsigned core, uint32_t offset, uint32_t value,
                           uint64_t cycle) {
    (void)context, (void)core, (void)offset, (void)value, (void)cycle;
}

static const struct tigon_cpu_port port = {.register_read = read_register,
                                           .register_write = write_register};
static struct tigon_memory memory;
static struct tigon_bus bus;
static struct tigon_cpu cores[2];

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* Checksum-like work: 24 instructions a turn with loads, stores, shifts, taken and untaken
 * branches and a call; `sram` makes one load and one store of them go to SRAM. */
static void load_program(unsigned core, uint32_t base, bool sram) {
    int32_t data = sram ? 0x100 : 0x1000;
    uint32_t words[] = {LUI(A0, sram ? 0x0010 : 0x00C0), LUI(A1, 0x00C0), ORI(T0, ZERO, 1), NOP,
                        /* loop */
                        LW(T1, data, A0), ADDU(T2, T1, T0), SRL(T3, T2, 3), XOR(T0, T2, T3),
                        SW(T0, data, A0), LHU(T4, 0x1402, A1), ADDU(T4, T4, T0), SH(T4, 0x1402, A1),
                        ANDI(V0, T0, 1), BEQ(V0, ZERO, 3), SLL(V1, T0, 5), ADDIU(V1, V1, 7),
                        XOR(T0, T0, V1), LBU(V0, 0x1407, A1), SLTIU(V1, V0, 40), BNE(V1, ZERO, 2),
                        ADDIU(V0, V0, 1), ORI(V0, ZERO, 0), JAL(base + 4 * 26), SB(V0, 0x1407, A1),
                        BEQ(ZERO, ZERO, -21), NOP,
                        /* function */
                        ADDIU(SP, SP, -8), SUBU(S0, S0, T0), JR(RA), ADDIU(SP, SP, 8)};
    uint8_t bytes[sizeof words];
    for (size_t i = 0; i < sizeof words / 4; i++)
        tigon_store_be32(bytes + 4 * i, words[i]);
    tigon_memory_debug_write(&memory, core, base, bytes, sizeof bytes);
}

static void prepare(bool streams) {
    struct tigon_timing timing = tigon_timing_default();
    tigon_memory_initialise(&memory, 1u << 20);
    tigon_bus_initialise(&bus);
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_initialise(&cores[core], core, &memory, &bus, &timing, &port);
    tigon_cpu_pair(&cores[0], &cores[1]);
    for (unsigned i = 0; streams && i < 2; i++)
        tigon_bus_stream_begin(&bus, i ? TIGON_BUS_DMA_WRITE : TIGON_BUS_MAC_RECEIVE, i,
                               i ? 0x30F5C : 0x5A1CB, UINT32_MAX);
}

static void report(const char *name, double seconds, unsigned busy) {
    uint64_t instructions = 0, cycles = cores[0].cycle;
    for (unsigned i = 0; i < busy; i++)
        instructions += cores[i].statistics.instructions;
    printf("%-34s %6.0f M instructions/s  %5.2f simulated s/s  %.3f cycles/instruction\n", name,
           (double)instructions / seconds / 1e6, (double)cycles / 88e6 / seconds,
           (double)cycles * busy / (double)instructions);
    tigon_memory_destroy(&memory);
}

static void one(const char *name, uint32_t base, bool sram, bool streams, uint64_t cycles) {
    prepare(streams);
    load_program(0, base, sram);
    tigon_cpu_start(&cores[0], base, 0);
    double start = now();
    tigon_cpu_run(&cores[0], cycles);
    report(name, now() - start, 1);
}

static void two(const char *name, uint32_t run_ahead, bool streams, uint64_t cycles) {
    prepare(streams);
    for (unsigned core = 0; core < 2; core++) {
        load_program(core, 0x00C00000, true);
        tigon_cpu_set_run_ahead(&cores[core], run_ahead);
        tigon_cpu_start(&cores[core], 0x00C00000, 0);
    }
    double start = now();
    tigon_cpu_run_pair(&cores[0], &cores[1], cycles);
    report(name, now() - start, 2);
}

int main(void) {
    one("one core, scratchpad", 0x00C00000, false, false, 100000000);
    one("one core, SRAM data", 0x00C00000, true, false, 100000000);
    one("one core, SRAM data, two streams", 0x00C00000, true, true, 100000000);
    one("one core, text in SRAM", 0x00010000, false, false, 100000000);
    two("two cores, SRAM data, strict", 0, false, 40000000);
    two("two cores, SRAM data, run-ahead", TIGON_CPU_RUN_AHEAD_DEFAULT, false, 40000000);
    two("the same with two streams", TIGON_CPU_RUN_AHEAD_DEFAULT, true, 40000000);
    return 0;
}
