/* SPDX-License-Identifier: MIT */
/* Two cores in global order whatever the run-ahead, and parked cores as if they had run. */
#include "tests/sim_cpu/fixture.h"

#include <string.h>

#define LOOP 0x00C00100u

/* Everything a run may depend on. */
struct outcome {
    uint64_t cycle[2];
    struct tigon_cpu_statistics statistics[2];
    uint32_t gpr[2][32];
    uint64_t trace;
    uint64_t beats[TIGON_BUS_MASTERS];
    uint32_t memory_sum;
};

static struct outcome outcome_of(struct fixture *f) {
    struct outcome o;
    memset(&o, 0, sizeof o);
    for (unsigned core = 0; core < 2; core++) {
        o.cycle[core] = f->cores[core].cycle;
        o.statistics[core] = f->cores[core].statistics;
        memcpy(o.gpr[core], f->cores[core].gpr, sizeof o.gpr[core]);
    }
    o.trace = f->trace;
    memcpy(o.beats, f->bus.beats, sizeof o.beats);
    for (uint32_t at = 0; at < f->memory.sram_size; at += 4)
        o.memory_sum = o.memory_sum * 31u + tigon_memory_read32(&f->memory, at);
    return o;
}

static void expect_equal(const struct outcome *a, const struct outcome *b) {
    for (unsigned core = 0; core < 2; core++) {
        assert_int_equal(a->cycle[core], b->cycle[core]);
        assert_int_equal(a->statistics[core].instructions, b->statistics[core].instructions);
        assert_int_equal(a->statistics[core].load_use_stalls, b->statistics[core].load_use_stalls);
        assert_int_equal(a->statistics[core].register_reads, b->statistics[core].register_reads);
    }
    assert_int_equal(a->trace, b->trace);
    assert_memory_equal(a, b, sizeof *a);
}

/* Random work until T3 turns are done, then HALT: SRAM loads and stores both cores race for,
 * registers, private work, in scratchpad or in SRAM. */
static void random_program(struct fixture *f, unsigned core, uint32_t base, uint32_t seed) {
    uint32_t words[200];
    unsigned count = 0;
    uint32_t random = seed;
    words[count++] = ADDIU(T3, ZERO, 60);
    while (count < 180) {
        uint32_t r = random = random * 1664525u + 1013904223u;
        uint32_t to = T0 + (r >> 8) % 3, from = T0 + (r >> 12) % 3;
        int32_t word = (int32_t)((r >> 16) % 8) * 4;
        switch ((r >> 24) % 12) {
        case 0:
            words[count++] = LW(to, 0x400 + word, ZERO);
            break;
        case 1:
            words[count++] = SW(from, 0x400 + word, ZERO);
            break;
        case 2:
            words[count++] = LW(to, PLAIN, A0);
            break;
        case 3:
            words[count++] = SW(from, PLAIN, A0);
            break;
        case 4:
            words[count++] = LW(to, 0x1000 + word, A1);
            break;
        case 5:
            words[count++] = SW(from, 0x1000 + word, A1);
            break;
        case 6: /* skip one or two on a value that depends on the race */
            words[count++] = ANDI(V0, from, 1);
            words[count++] = BNEL(V0, ZERO, 2);
            words[count++] = XOR(to, to, from);
            words[count++] = ADDIU(to, to, 3);
            break;
        case 7:
            words[count++] = LW(to, TIMER, A0);
            break;
        default:
            words[count++] = r & 1 ? ADDU(to, to, from) : SRL(to, from, 1);
        }
    }
    int32_t back = -(int32_t)count - 1;
    words[count++] = ADDIU(T3, T3, -1);
    words[count++] = BNE(T3, ZERO, back);
    words[count++] = NOP;
    words[count++] = HALT;
    f->cores[core].gpr[A0] = TIGON_REGISTERS;
    f->cores[core].gpr[A1] = SCRATCH;
    f->cores[core].gpr[T0] = seed;
    fixture_place(f, core, base, words, count);
}

static struct outcome race(uint32_t seed, uint32_t run_ahead, uint64_t chunk) {
    struct fixture *f = fixture_make(1u << 20, NULL);
    for (unsigned core = 0; core < 2; core++) {
        uint32_t base = seed >> core & 1 ? SCRATCH : 0x10000 + 0x1000 * core;
        random_program(f, core, base, seed * 7919 + core);
        tigon_cpu_set_run_ahead(&f->cores[core], run_ahead);
        tigon_cpu_start(&f->cores[core], base, 0);
    }
    tigon_bus_stream_begin(&f->bus, TIGON_BUS_MAC_RECEIVE, 50, 0x5A1CB, 1000);
    tigon_bus_stream_begin(&f->bus, TIGON_BUS_DMA_WRITE, 77, 0x30F5C, 1500);
    uint64_t at = 0;
    while (tigon_cpu_runnable(&f->cores[0]) || tigon_cpu_runnable(&f->cores[1])) {
        at += chunk;
        assert_int_equal(tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at), at);
        assert_true(at < 10000000 + chunk);
    }
    assert_int_equal(f->cores[0].state & TIGON_CPU_STATE_FAULTS, 0);
    assert_int_equal(f->cores[1].state & TIGON_CPU_STATE_FAULTS, 0);
    struct outcome o = outcome_of(f);
    fixture_destroy(f);
    return o;
}

static void run_ahead_changes_nothing(void **state) {
    (void)state;
    for (uint32_t seed = 0; seed < 24; seed++) {
        struct outcome strict = race(seed, 0, 1);
        assert_true(strict.statistics[0].bus_stalls > 0 && strict.statistics[1].bus_stalls > 0);
        static const struct {
            uint32_t run_ahead;
            uint64_t chunk;
        } ways[] = {{0, 1000}, {1, 3},          {7, 10000000},
                    {256, 40}, {256, 10000000}, {UINT32_MAX, 100}};
        for (unsigned i = 0; i < sizeof ways / sizeof ways[0]; i++) {
            struct outcome other = race(seed, ways[i].run_ahead, ways[i].chunk);
            expect_equal(&strict, &other);
        }
    }
}

/* The loop of toolchain.md section 2 / tigon2.md 1.3: load the event word, PRI with the mask, JOFF
 * into the table; entry 0 jumps back, entry 1 handles bit 0, entry 2 (bit 1) halts. The handler
 * counts in S0, clears the event word and returns to the loop. */
static void event_loop(struct fixture *f, unsigned core, uint32_t base) {
    struct tigon_cpu *cpu = &f->cores[core];
    uint32_t handler = base + 0x200;
    cpu->gpr[K1] = TIGON_REGISTERS;
    cpu->gpr[S4] = 0xFFFFFFFF;
    cpu->gpr[S2] = base + 16;
    cpu->gpr[S0] = 0;
    PLACE(f, core, base, LW(V1, EVENT, K1), PRI(V0, V1, S4), JOFF(S2, V0), NOP, /* table */
          J(base), NOP, J(handler), NOP, HALT, NOP);
    PLACE(f, core, handler, ADDIU(S0, S0, 1), SW(ZERO, EVENT, K1), LW(T0, TIMER, K1),
          SW(S0, 0x500, ZERO), J(base), SW(T0, PLAIN, K1));
}

/* Drive a poll loop on core A with events at pseudo-random cycles; B works or polls as well. */
static struct outcome events(struct fixture *f, uint32_t start, uint32_t seed, bool polls,
                             uint64_t *parked_runs) {
    uint64_t at = 0;
    uint32_t random = seed * 2654435761u;
    fixture_polls(f, polls);
    assert_true(tigon_cpu_start(&f->cores[0], start, 0));
    for (unsigned i = 0; i < 200; i++) {
        random = random * 1664525u + 1013904223u;
        at += 1 + (random >> 8) % (random & 1 ? 40 : 900);
        assert_int_equal(tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at), at);
        *parked_runs += f->cores[0].parked;
        fixture_event(f, 0, 1, at);
    }
    tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at + 1000);
    fixture_event(f, 0, 2, at + 1000);
    tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at + 100000);
    assert_int_equal(f->cores[0].state, TIGON_CPU_STATE_HALTED | TIGON_CPU_STATE_HALT_EXECUTED);
    return outcome_of(f);
}

static void parking_changes_nothing(void **state) {
    (void)state;
    static const struct {
        uint32_t base;
        bool parks;
    } places[] = {{SCRATCH, true}, {LOOP, true}, {0x4000, true}, {0x4030, false}};
    for (unsigned place = 0; place < 4; place++) {
        for (uint32_t seed = 0; seed < 8; seed++) {
            struct outcome o[2];
            uint64_t parked[2] = {0, 0};
            for (unsigned polls = 0; polls < 2; polls++) {
                struct fixture *f = fixture_make(1u << 20, NULL);
                event_loop(f, 0, places[place].base);
                if (seed & 1) { /* a busy neighbour */
                    random_program(f, 1, 0x8000, seed);
                    tigon_cpu_start(&f->cores[1], 0x8000, 0);
                }
                tigon_bus_stream_begin(&f->bus, TIGON_BUS_MAC_RECEIVE, 50, 0x5A1CB, 20000);
                o[polls] = events(f, places[place].base, seed, polls, &parked[polls]);
                fixture_destroy(f);
            }
            assert_int_equal(parked[0], 0);
            assert_int_equal(parked[1] > 50, places[place].parks);
            expect_equal(&o[0], &o[1]);
        }
    }
}

/* Both cores poll, and each event handler of one rings the other: the wake comes from inside a
 * register access of the peer, and ties between the cores matter. */
static struct outcome ping_pong(bool polls, uint32_t phase, uint32_t run_ahead) {
    struct fixture *f = fixture_make(1u << 20, NULL);
    fixture_polls(f, polls);
    for (unsigned core = 0; core < 2; core++) {
        struct tigon_cpu *cpu = &f->cores[core];
        event_loop(f, core, SCRATCH);
        cpu->gpr[S1] = 2;
        /* Both go to SRAM after a ring, so that the ringer must not run on alone. */
        PLACE(f, core, SCRATCH + 0x200, ADDIU(S0, S0, 1), SW(ZERO, EVENT, K1), LW(T2, 0x500, ZERO),
              SLTIU(T0, S0, 100), BEQ(T0, ZERO, 7), ADDIU(T1, ZERO, 1), SW(T1, OTHER_EVENT, K1),
              LW(T2, 0x500, ZERO), SW(T2, 0x600, ZERO), LW(T2, 0x500, ZERO), J(SCRATCH), NOP,
              /* last turn: stop both */ SW(S1, OTHER_EVENT, K1), HALT);
        tigon_cpu_set_run_ahead(cpu, run_ahead);
        tigon_cpu_start(cpu, SCRATCH, core == 0 ? 0 : phase);
    }
    tigon_cpu_run_pair(&f->cores[0], &f->cores[1], 500 + phase);
    assert_int_equal(f->cores[0].parked, polls);
    fixture_event(f, 0, 1, 500 + phase);
    tigon_cpu_run_pair(&f->cores[0], &f->cores[1], 1000000);
    assert_true(tigon_cpu_stopped(&f->cores[0]) && tigon_cpu_stopped(&f->cores[1]));
    assert_int_equal(f->cores[0].gpr[S0], 100);
    struct outcome o = outcome_of(f);
    fixture_destroy(f);
    return o;
}

static void waking_each_other_is_exact(void **state) {
    (void)state;
    for (uint32_t phase = 0; phase < 24; phase++) {
        struct outcome plain = ping_pong(false, phase, 0);
        struct outcome parked = ping_pong(true, phase, 0);
        struct outcome ahead = ping_pong(true, phase, TIGON_CPU_RUN_AHEAD_DEFAULT);
        expect_equal(&plain, &parked);
        expect_equal(&plain, &ahead);
    }
}

/* A loop over two registers, left when the second changes: the change may fall between its read and
 * the read that is watched. */
static void a_change_just_before_parking_is_not_lost(void **state) {
    (void)state;
    for (uint64_t at = 1; at < 120; at++) {
        struct outcome o[2];
        for (unsigned polls = 0; polls < 2; polls++) {
            struct fixture *f = fixture_make(1u << 20, NULL);
            fixture_polls(f, polls);
            f->cores[0].gpr[K1] = TIGON_REGISTERS;
            PLACE(f, 0, LOOP, LW(T0, EVENT, K1), LW(T1, PLAIN, K1), BEQ(T1, ZERO, -3), NOP, HALT);
            tigon_cpu_start(&f->cores[0], LOOP, 0);
            tigon_cpu_run(&f->cores[0], at);
            f->registers[0][PLAIN / 4] = 1;
            tigon_cpu_wake(&f->cores[0], at);
            assert_int_equal(tigon_cpu_run(&f->cores[0], 1000), TIGON_CPU_HALTED);
            o[polls] = outcome_of(f);
            o[polls].trace = 0; /* the read that parks is made twice */
            fixture_destroy(f);
        }
        expect_equal(&o[0], &o[1]);
    }
}

/* Does this loop (from LOOP, registers set) park? */
static bool parks(struct fixture *f, const uint32_t *words, size_t count) {
    struct tigon_cpu *cpu = &f->cores[0];
    fixture_place(f, 0, LOOP, words, count);
    cpu->gpr[K1] = TIGON_REGISTERS;
    cpu->gpr[A1] = SCRATCH;
    tigon_cpu_halt(cpu, cpu->cycle);
    cpu->parked = false;
    assert_true(tigon_cpu_start(cpu, LOOP, cpu->cycle));
    return tigon_cpu_run(cpu, cpu->cycle + 2000) == TIGON_CPU_PARKED;
}
#define PARKS(...)                                                                                 \
    parks(f, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static void only_loops_without_effect_park(void **state) {
    (void)state;
    struct fixture *f = fixture_make(1u << 20, NULL);
    f->cores[0].gpr[SP] = SCRATCH + 0x800;
    assert_true(PARKS(LW(T0, EVENT, K1), BEQ(T0, ZERO, -2), NOP));
    assert_true(PARKS(LW(T0, EVENT, K1), LW(T1, PLAIN, K1), BEQ(T0, T1, -3), NOP));
    assert_true(PARKS(LW(T0, EVENT, K1), LW(T1, 0x700, A1), BEQ(T0, T1, -3), SW(T1, 0, SP)));
    assert_true(PARKS(BEQ(ZERO, ZERO, -1), LW(T0, EVENT, K1)));
    assert_false(PARKS(LW(T0, EVENT, K1), BEQ(T0, ZERO, -2), ADDIU(T1, T1, 1)));
    assert_false(PARKS(LW(T0, EVENT, K1), ADDIU(T1, T1, 1), BEQ(T0, ZERO, -3), SW(T1, 0, SP)));
    assert_false(PARKS(LW(T0, EVENT, K1), LW(T1, TIMER, K1), BEQ(T0, ZERO, -3), NOP));
    assert_false(PARKS(LW(T0, EVENT, K1), SW(ZERO, OTHER_EVENT, K1), BEQ(T0, ZERO, -3), NOP));
    fixture_destroy(f);
}

static void halting_and_reading_a_parked_core_is_exact(void **state) {
    (void)state;
    for (uint64_t at = 300; at < 360; at++) {
        uint32_t pc[2];
        uint64_t cycle[2], instructions[2];
        for (unsigned polls = 0; polls < 2; polls++) {
            struct fixture *f = fixture_make(1u << 20, NULL);
            struct tigon_cpu *cpu = &f->cores[0];
            fixture_polls(f, polls);
            tigon_cpu_set_run_ahead(cpu, at & 1 ? 256 : 0);
            event_loop(f, 0, SCRATCH);
            tigon_cpu_start(cpu, SCRATCH, 0);
            tigon_cpu_run(cpu, at);
            assert_int_equal(cpu->parked, polls);
            if (polls) {
                tigon_cpu_catch_up(cpu, at);
                assert_true(cpu->parked && cpu->cycle <= at && at - cpu->cycle < 9);
                assert_int_equal(tigon_cpu_run(cpu, at), TIGON_CPU_PARKED);
            }
            tigon_cpu_halt(cpu, at);
            pc[polls] = cpu->pc;
            cycle[polls] = cpu->cycle;
            instructions[polls] = cpu->statistics.instructions;
            fixture_destroy(f);
        }
        assert_int_equal(pc[0], pc[1]);
        assert_int_equal(cycle[0], cycle[1]);
        assert_int_equal(instructions[0], instructions[1]);
    }
}

static void an_event_brought_forward_ends_the_run(void **state) {
    (void)state;
    for (uint32_t run_ahead = 0; run_ahead < 1000; run_ahead += 333) {
        struct fixture *f = fixture_make(1u << 20, NULL);
        struct tigon_cpu *a = &f->cores[0], *b = &f->cores[1];
        a->gpr[K1] = b->gpr[K1] = TIGON_REGISTERS;
        a->gpr[T0] = 30;
        PLACE(f, 0, SCRATCH, NOP, SW(T0, DEADLINE, K1), SW(T1, PLAIN, K1), BEQ(ZERO, ZERO, -2),
              NOP);
        PLACE(f, 1, SCRATCH, SW(T1, PLAIN, K1), BEQ(ZERO, ZERO, -2), NOP);
        for (unsigned core = 0; core < 2; core++) {
            tigon_cpu_set_run_ahead(&f->cores[core], run_ahead);
            tigon_cpu_start(&f->cores[core], SCRATCH, 0);
        }
        assert_int_equal(tigon_cpu_run_pair(a, b, 10000), 31);
        assert_true(f->last_write_cycle < 31 && f->last_write_cycle >= 28);
        assert_int_equal(tigon_cpu_run_pair(a, b, 10000), 10000);
        fixture_destroy(f);
    }
}

int order_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run_ahead_changes_nothing),
        cmocka_unit_test(parking_changes_nothing),
        cmocka_unit_test(waking_each_other_is_exact),
        cmocka_unit_test(a_change_just_before_parking_is_not_lost),
        cmocka_unit_test(only_loops_without_effect_park),
        cmocka_unit_test(halting_and_reading_a_parked_core_is_exact),
        cmocka_unit_test(an_event_brought_forward_ends_the_run),
    };
    return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
