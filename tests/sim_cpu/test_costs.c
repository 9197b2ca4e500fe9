/* SPDX-License-Identifier: MIT */
/* What instructions cost, and who waits for the SRAM bus: tigon2.md 12.4. */
#include "tests/sim_cpu/fixture.h"

#include <stdlib.h>
#include <string.h>

static int make(void **state) {
    *state = fixture_make(2u << 20, NULL);
    return 0;
}
static int unmake(void **state) {
    fixture_destroy(*state);
    return 0;
}

/* Cycles the words take in A's scratchpad, without the HALT after them. A0 points at the
 * registers, A1 at scratchpad data, S0 at SRAM data. */
static uint64_t cost(struct fixture *f, const uint32_t *words, size_t count) {
    struct tigon_cpu *cpu = &f->cores[0];
    cpu->gpr[A0] = TIGON_REGISTERS;
    cpu->gpr[A1] = SCRATCH + 0x1000;
    cpu->gpr[S0] = 0x3000;
    uint64_t before = cpu->cycle += 100; /* let the write buffer of the last one drain */
    fixture_place(f, 0, SCRATCH, words, count);
    PLACE(f, 0, SCRATCH + 4 * (uint32_t)count, HALT);
    assert_int_equal(fixture_run(f, SCRATCH), TIGON_CPU_HALTED);
    return cpu->cycle - before - 1;
}
#define COST(...)                                                                                  \
    cost(f, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void private_work_costs_a_cycle_each(void **state) {
    struct fixture *f = *state;
    assert_int_equal(COST(NOP, ADDIU(T0, ZERO, 1), SLL(T0, T0, 3), PRI(T1, T0, T0)), 4);
    assert_int_equal(COST(BEQ(ZERO, ZERO, 1), NOP), 2);
    assert_int_equal(COST(BNE(ZERO, ZERO, 1), NOP), 2);
    assert_int_equal(COST(JAL(SCRATCH + 8), NOP), 2);
    assert_int_equal(COST(SW(T0, 0, A1), SW(T0, 4, A1), LW(T1, 0, A1), NOP), 4);
}

static void load_use_interlock_is_one_cycle(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    assert_int_equal(COST(LW(T0, 0, A1), ADDU(T1, T0, ZERO)), 3);
    assert_int_equal(COST(LW(T0, 0, A1), NOP, ADDU(T1, T0, ZERO)), 3);
    assert_int_equal(COST(LBU(T0, 0, A1), SW(T0, 4, A1)), 3);
    assert_int_equal(COST(LW(T0, 0, A1), BNE(T0, ZERO, 1), NOP), 4);
    assert_int_equal(COST(LW(T0, 0, A1), SLL(T1, T2, 1)), 2);
    assert_int_equal(COST(LW(T0, 0, A1), LW(T0, 0, A1)), 2);     /* overwriting is no use */
    assert_int_equal(COST(LW(T0, 0, A1), LW(T1, 0, T0)), 3 + 5); /* SRAM address 0 */
    assert_int_equal(cpu->statistics.load_use_stalls, 4);
}

static void sram_and_registers_cost_what_the_table_says(void **state) {
    struct fixture *f = *state;
    assert_int_equal(COST(LW(T0, 0, S0)), 6);
    assert_int_equal(COST(LW(T0, 0, S0), ADDU(T1, T0, T0)), 7);
    assert_int_equal(COST(SW(T0, 0, S0)), 1);
    assert_int_equal(COST(SW(T0, 0, S0), NOP, SW(T0, 0, S0)), 3);
    assert_int_equal(COST(SW(T0, 0, S0), SW(T0, 0, S0), SW(T0, 0, S0)), 1 + 2 + 2);
    assert_int_equal(COST(SW(T0, 0, S0), LW(T0, 0, S0)), 1 + 1 + 6);
    assert_int_equal(COST(LW(T0, EVENT, A0), ADDU(T1, T0, T0)), 5);
    assert_int_equal(COST(SW(T0, PLAIN, A0)), 1);
}

static void knobs_turn(void **state) {
    (void)state;
    struct tigon_timing timing = tigon_timing_default();
    timing.taken_branch_extra = 2;
    timing.nullified_slot = 3;
    timing.priority_encode = 4;
    timing.load_use_interlock = 5;
    timing.scratchpad_load = 3;
    timing.scratchpad_store = 2;
    timing.sram_load = 11;
    timing.sram_store = 3;
    timing.sram_store_drain = 9;
    timing.register_read = 7;
    timing.register_write = 8;
    timing.instruction_line_bytes = 128;
    timing.instruction_line_miss = 20;
    struct fixture *f = fixture_make(2u << 20, &timing);
    assert_int_equal(COST(BEQ(ZERO, ZERO, 1), NOP), 4);
    assert_int_equal(COST(BNEL(ZERO, ZERO, 1), NOP, NOP), 1 + 3 + 1);
    assert_int_equal(COST(PRI(T0, T0, T0)), 4);
    assert_int_equal(COST(LW(T0, 0, A1), ADDU(T0, T0, T0)), 3 + 5 + 1);
    assert_int_equal(COST(SB(T0, 0, A1)), 2);
    assert_int_equal(COST(LW(T0, 0, S0)), 11);
    assert_int_equal(COST(SW(T0, 0, S0), SW(T0, 0, S0)), 9 + 3);
    assert_int_equal(COST(LW(T0, EVENT, A0)), 7);
    assert_int_equal(COST(SW(T0, PLAIN, A0)), 8);
    uint64_t before = f->cores[0].cycle;
    PLACE(f, 0, 0x1040, [31] = NOP, [32] = HALT);
    assert_int_equal(fixture_run(f, 0x1040), TIGON_CPU_HALTED);
    assert_int_equal(f->cores[0].cycle - before, 33 + 2 * (20 + 16));
    fixture_destroy(f);
}

static void instruction_line_misses_cost_four_and_eight_beats(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *cpu = &f->cores[0];
    PLACE(f, 0, 0x1000, [15] = NOP, [16] = HALT);
    assert_int_equal(fixture_run(f, 0x1000), TIGON_CPU_HALTED);
    assert_int_equal(cpu->cycle, 12 + 16 + 12 + 1);
    assert_int_equal(cpu->statistics.instruction_line_misses, 2);
    /* A loop inside one line misses once; through two lines, twice a turn. */
    uint64_t before = cpu->cycle;
    PLACE(f, 0, 0x2000, ADDIU(T0, ZERO, 10), ADDIU(T0, T0, -1), BNE(T0, ZERO, -2), NOP, HALT);
    assert_int_equal(fixture_run(f, 0x2000), TIGON_CPU_HALTED);
    assert_int_equal(cpu->cycle - before, 12 + 1 + 30 + 1);
    before = cpu->cycle;
    PLACE(f, 0, 0x2030, ADDIU(T0, ZERO, 10), NOP, NOP, ADDIU(T0, T0, -1), BNE(T0, ZERO, -2), NOP,
          HALT);
    assert_int_equal(fixture_run(f, 0x2030), TIGON_CPU_HALTED);
    assert_int_equal(cpu->cycle - before, 12 + 3 + 30 + 12 + 9 * 24 + 1);
    /* The line survives a visit to scratchpad. */
    before = cpu->cycle;
    PLACE(f, 0, SCRATCH, JR(RA), NOP);
    PLACE(f, 0, 0x3000, LUI(T1, 0x00C0), JALR(RA, T1), NOP, HALT);
    assert_int_equal(fixture_run(f, 0x3000), TIGON_CPU_HALTED);
    assert_int_equal(cpu->cycle - before, 12 + 6);
}

static void a_stream_takes_its_slots_from_a_core(void **state) {
    struct fixture *f = *state;
    struct tigon_bus *bus = &f->bus;
    /* Beats in cycles 10, 12, 15, 17 (every 2.5). */
    tigon_bus_stream_begin(bus, TIGON_BUS_DMA_READ, 10, 0x28000, 4);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 9, 1), 10);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 10, 1), 12);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_B, 11, 4), 19); /* 13 14 16 18 */
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 17, 1), 20);
    assert_int_equal(bus->beats[TIGON_BUS_DMA_READ], 4);
    assert_int_equal(bus->stalls[TIGON_BUS_CPU_A], 1 + 2);
    assert_int_equal(bus->stalls[TIGON_BUS_CPU_B], 4);
    (void)tigon_bus_access(bus, TIGON_BUS_CPU_A, 70, 1); /* the next window */
    assert_true(tigon_bus_quiet(bus, 71));
    /* A core sees it as a longer load: the slot of cycle 100 is taken. */
    tigon_bus_stream_begin(bus, TIGON_BUS_MAC_RECEIVE, 100, 0x10000, 3);
    f->cores[0].cycle = 0;
    assert_int_equal(COST(LW(T0, 0, S0)), 6 + 3);
    assert_int_equal(f->cores[0].statistics.bus_stalls, 3);
}

static void colliding_streams_queue(void **state) {
    struct fixture *f = *state;
    struct tigon_bus *bus = &f->bus;
    tigon_bus_stream_begin(bus, TIGON_BUS_DMA_READ, 50, 0x40000, 1);
    tigon_bus_stream_begin(bus, TIGON_BUS_MAC_RECEIVE, 50, 0x40000, 1);
    tigon_bus_stream_begin(bus, TIGON_BUS_DMA_WRITE, 50, 0x40000, 1);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 50, 1), 54);
}

static void a_cancelled_stream_gives_its_slots_back(void **state) {
    struct fixture *f = *state;
    struct tigon_bus *bus = &f->bus;
    tigon_bus_stream_begin(bus, TIGON_BUS_MAC_TRANSMIT, 10, 0x10000, 100);
    tigon_bus_stream_begin(bus, TIGON_BUS_MAC_TRANSMIT, 90, 0x10000, 100);
    tigon_bus_stream_cancel(bus, TIGON_BUS_MAC_TRANSMIT, 20);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 15, 1), 21);
    assert_int_equal(bus->beats[TIGON_BUS_MAC_TRANSMIT], 10);
    assert_int_equal(tigon_bus_access(bus, TIGON_BUS_CPU_A, 90, 1), 91);
    /* More streams than there is room for: counted, not forgotten in silence. */
    for (unsigned i = 0; i <= TIGON_BUS_STREAMS; i++)
        tigon_bus_stream_begin(bus, TIGON_BUS_DMA_WRITE, 1000 + i, 0x10000, 1);
    assert_int_equal(bus->streams_dropped, 0); /* the first was over when the last began */
    for (unsigned i = 0; i < TIGON_BUS_STREAMS; i++)
        tigon_bus_stream_begin(bus, TIGON_BUS_DMA_WRITE, 2000, 0x10000, 1);
    assert_int_equal(bus->streams_dropped, 0);
    tigon_bus_stream_begin(bus, TIGON_BUS_DMA_WRITE, 2000, 0x10000, 1);
    assert_int_equal(bus->streams_dropped, 1);
}

/* The same in the plainest way: a table of cycles. */
#define CYCLES  40000
#define MASTERS 4u
struct table {
    uint8_t demand[MASTERS][CYCLES], taken[CYCLES];
};

static void work_out(struct table *table) {
    unsigned queue = 0;
    for (unsigned t = 0; t < CYCLES; t++) {
        for (unsigned master = 0; master < MASTERS; master++)
            queue += table->demand[master][t];
        table->taken[t] = queue > 0;
        queue -= queue > 0;
    }
}

/* One seed in three has cores that leave the bus alone for longer than it works out, and streams
 * that go on for longer; in another one a master's streams are cancelled on the way. */
static void bus_agrees_with_a_table_of_cycles(void **state) {
    (void)state;
    static struct table table;
    for (unsigned seed = 1; seed <= 300; seed++) {
        struct tigon_bus bus;
        uint32_t random = seed * 2654435761u;
#define NEXT(n) (((random = random * 1664525u + 1013904223u) >> 8) % (n))
        const bool far = seed % 3 == 0;
        const uint64_t end = far ? CYCLES : 6000;
        uint64_t cancel = seed % 3 == 1 ? NEXT(2000) : UINT64_MAX;
        memset(&table, 0, sizeof table);
        tigon_bus_initialise(&bus);
        unsigned streams = NEXT(5);
        for (unsigned i = 0; i < streams + 20; i++) {
            uint64_t start = NEXT(i < streams ? 1000 : end);
            uint32_t period = (seed % 3 == 2 ? 0x38000 : 0x58000) + NEXT(0x80000);
            uint32_t beats = i < streams ? 1 + NEXT(far ? 9000 : 400) : 1 + NEXT(3);
            unsigned master = NEXT(MASTERS);
            if (i >= streams)
                period = 0x10000;
            tigon_bus_stream_begin(&bus, master, start, period, beats);
            for (uint64_t k = 0; k < beats; k++)
                if (start + (k * period >> 16) < CYCLES)
                    table.demand[master][start + (k * period >> 16)]++;
        }
        work_out(&table);
        uint64_t cycle = 0, free_from = 0;
        while (cycle < end - 400) {
            uint32_t left = NEXT(3) == 0 ? 8 : 1;
            uint64_t slot = cycle > free_from ? cycle : free_from;
            if (slot >= cancel) {
                const unsigned master = NEXT(MASTERS);
                tigon_bus_stream_cancel(&bus, master, slot);
                memset(&table.demand[master][slot], 0, CYCLES - slot);
                work_out(&table);
                cancel = UINT64_MAX;
            }
            for (uint32_t i = left; i > 0; slot++)
                i -= !table.taken[slot];
            enum tigon_bus_master master = NEXT(2) ? TIGON_BUS_CPU_A : TIGON_BUS_CPU_B;
            assert_int_equal(tigon_bus_access(&bus, master, cycle, left), slot);
            free_from = slot;
            cycle += NEXT(20) == 0 ? NEXT(far ? 15000 : 1500) : NEXT(12);
        }
    }
}

static void the_other_cores_burst_is_waited_for(void **state) {
    struct fixture *f = *state;
    struct tigon_cpu *a = &f->cores[0], *b = &f->cores[1];
    PLACE(f, 0, 0x1000, HALT);
    PLACE(f, 1, SCRATCH, LW(T0, 0x100, ZERO), HALT);
    tigon_cpu_start(a, 0x1000, 0);
    tigon_cpu_start(b, SCRATCH, 0);
    tigon_cpu_run_pair(a, b, 1000);
    assert_int_equal(a->cycle, 13); /* A goes first */
    assert_int_equal(b->cycle, 8 + 6 + 1);
    assert_int_equal(b->statistics.bus_stalls, 8);
    assert_int_equal(f->bus.stalls[TIGON_BUS_CPU_B], 8);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)

int cost_tests(void) {
    const struct CMUnitTest tests[] = {
        TEST(private_work_costs_a_cycle_each),
        TEST(load_use_interlock_is_one_cycle),
        TEST(sram_and_registers_cost_what_the_table_says),
        TEST(knobs_turn),
        TEST(instruction_line_misses_cost_four_and_eight_beats),
        TEST(a_stream_takes_its_slots_from_a_core),
        TEST(colliding_streams_queue),
        TEST(a_cancelled_stream_gives_its_slots_back),
        TEST(bus_agrees_with_a_table_of_cycles),
        TEST(the_other_cores_burst_is_waited_for),
    };
    return cmocka_run_group_tests_name("costs", tests, NULL, NULL);
}
