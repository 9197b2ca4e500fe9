/* SPDX-License-Identifier: MIT */
/* Cores that wait in loops for registers, SRAM words and the timer: parked or not, the same. */
#include "tests/sim_cpu/fixture.h"

#include <stdlib.h>
#include <string.h>

#define LOOP  0x00C00100u
#define TEXT  0x00004000u
#define WORDS 0x00001000u /* what loops poll in SRAM */

/* Everything a run may depend on. */
struct outcome {
    struct {
        uint64_t cycle, write_buffer_free;
        uint32_t pc, npc, state, load_register;
        struct tigon_cpu_statistics statistics;
        uint32_t gpr[32];
    } core[2];
    uint64_t trace;
    uint64_t beats[TIGON_BUS_MASTERS], stalls[TIGON_BUS_MASTERS], core_free;
};

static struct outcome outcome_of(const struct fixture *f) {
    struct outcome o;
    memset(&o, 0, sizeof o);
    for (unsigned core = 0; core < 2; core++) {
        const struct tigon_cpu *cpu = &f->cores[core];
        o.core[core].cycle = cpu->cycle;
        o.core[core].write_buffer_free = cpu->write_buffer_free;
        o.core[core].pc = cpu->pc;
        o.core[core].npc = cpu->npc;
        o.core[core].state = cpu->state;
        o.core[core].load_register = cpu->load_register;
        o.core[core].statistics = cpu->statistics;
        memcpy(o.core[core].gpr, cpu->gpr, sizeof o.core[core].gpr);
    }
    o.trace = f->trace;
    memcpy(o.beats, f->bus.beats, sizeof o.beats);
    memcpy(o.stalls, f->bus.stalls, sizeof o.stalls);
    o.core_free = f->bus.core_free;
    return o;
}

static void expect_equal(const struct outcome *a, const struct outcome *b) {
    for (unsigned core = 0; core < 2; core++) {
        assert_int_equal(a->core[core].cycle, b->core[core].cycle);
        assert_int_equal(a->core[core].pc, b->core[core].pc);
        assert_int_equal(a->core[core].statistics.instructions,
                         b->core[core].statistics.instructions);
        assert_memory_equal(a->core[core].gpr, b->core[core].gpr, sizeof a->core[core].gpr);
    }
    assert_memory_equal(a, b, sizeof *a);
}

static void prepare(struct fixture *f, unsigned core, uint32_t seed) {
    struct tigon_cpu *cpu = &f->cores[core];
    cpu->gpr[K1] = TIGON_REGISTERS;
    cpu->gpr[A0] = WORDS;
    cpu->gpr[A1] = SCRATCH;
    cpu->gpr[SP] = SCRATCH + 0x800;
    cpu->gpr[GP] = WORDS + 0x800; /* a stack in SRAM */
    cpu->gpr[S0] = seed;
}

/* Does core A park in this loop, which it never leaves, within 20 turns of the world? */
static bool parks(const uint32_t *words, size_t count, uint32_t base) {
    struct fixture *f = fixture_make(1u << 20, NULL);
    struct tigon_cpu *cpu = &f->cores[0];
    fixture_loops(f, true);
    fixture_place(f, 0, base, words, count);
    prepare(f, 0, 0);
    tigon_cpu_start(cpu, base, 0);
    bool parked = false;
    for (uint64_t at = 1000; at <= 20000 && !parked; at += 1000)
        parked = tigon_cpu_run(cpu, at) == TIGON_CPU_PARKED;
    fixture_destroy(f);
    return parked;
}
#define PARKS(base, ...)                                                                           \
    parks((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4, base)

static void loops_that_only_wait_park(void **state) {
    (void)state;
    static const uint32_t bases[] = {LOOP, TEXT, TEXT + 0x38}; /* the last runs over two lines */
    for (unsigned i = 0; i < 3; i++) {
        const uint32_t base = bases[i];
        assert_true(PARKS(base, BEQ(ZERO, ZERO, -1), NOP));
        assert_true(PARKS(base, LW(T0, 0, A0), BEQ(T0, ZERO, -2), NOP));
        assert_true(PARKS(base, LBU(T0, 3, A0), LHU(T1, 6, A0), BEQ(T0, T1, -3), NOP));
        assert_true(PARKS(base, LW(T0, STEADY, K1), LW(T1, 4, A0), BEQ(T0, T1, -3), NOP));
        assert_true(PARKS(base, LW(T0, STEADY, K1), ANDI(T0, T0, 0x8800), BEQ(T0, ZERO, -3), NOP));
        /* A call with its return address saved, in scratchpad and in SRAM. */
        assert_true(PARKS(base, JAL(base + 16), NOP, BEQ(V0, ZERO, -3), NOP,
                          /* function */ SW(RA, 0, SP), LW(V0, 0, A0), LW(RA, 0, SP), JR(RA), NOP));
        assert_true(PARKS(base, JAL(base + 16), NOP, BEQ(V0, ZERO, -3), NOP,
                          /* function */ SW(RA, 0, GP), LW(V0, 0, A0), LW(RA, 0, GP), JR(RA), NOP));
        /* Until the timer has gone far enough. */
        assert_true(PARKS(base, LW(T0, TIMER, K1), SUBU(T1, T0, S0), SLTIU(T1, T1, 30000),
                          BNE(T1, ZERO, -4), NOP));
        assert_true(PARKS(base, LW(T0, TIMER, K1), SUBU(T1, S0, T0), BLTZALL(T1, -3), NOP,
                          BEQ(ZERO, ZERO, -5), NOP));
    }
}

static void loops_that_do_something_do_not(void **state) {
    (void)state;
    static const uint32_t bases[] = {LOOP, TEXT};
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t base = bases[i];
        assert_false(PARKS(base, LW(T0, 0, A0), BEQ(T0, ZERO, -2), ADDIU(T1, T1, 1)));
        assert_false(
            PARKS(base, LW(T0, 0, A0), ADDIU(T1, T1, 1), BEQ(T0, ZERO, -3), SW(T1, 4, A0)));
        assert_false(PARKS(base, LW(T0, TIMER, K1), BEQ(ZERO, ZERO, -2), SW(T0, 4, A0)));
        assert_false(PARKS(base, LW(T0, TIMER, K1), BEQ(ZERO, ZERO, -2), SW(T0, 4, A1)));
        assert_false(PARKS(base, LW(T0, STEADY, K1), BEQ(ZERO, ZERO, -2), SW(T0, STEADY, K1)));
        assert_false(PARKS(base, LW(T0, OTHER_EVENT, K1), BEQ(T0, ZERO, -2), NOP)); /* not steady */
        /* Steps through memory. */
        assert_false(PARKS(base, LW(T0, 0, A0), ADDIU(A0, A0, 4), ANDI(A0, A0, 0x1FFC),
                           BEQ(T0, ZERO, -4), NOP));
    }
}

static uint32_t next(uint32_t *random, uint32_t limit) {
    *random = *random * 1664525u + 1013904223u;
    return (*random >> 10) % limit;
}
#define RANDOM(limit) next(&random, limit)

/* A random loop: reads of any kind, comparisons that leave it, a call now and then. It is left when
 * a word or register it reads is not 0, or when the timer is far enough; then what was read last is
 * stored, and the next turn of the outer loop begins, with a later deadline. */
static void random_loop(struct fixture *f, unsigned core, uint32_t base, uint32_t seed) {
    uint32_t words[120];
    int32_t leave[16];
    unsigned count = 0, leaves = 0;
    uint32_t random = seed * 2654435761u + 12345u;
    words[count++] = ADDIU(S3, ZERO, 0);
    /* outer */
    const unsigned outer = count;
    words[count++] = LW(S0, TIMER, K1);
    words[count++] = ADDIU(S2, S0, (int32_t)RANDOM(60));
    const unsigned inner = count;
    const unsigned parts = 1 + RANDOM(5);
    for (unsigned i = 0; i < parts; i++) {
        const uint32_t to = T0 + RANDOM(3);
        const int32_t word = 4 * (int32_t)RANDOM(4);
        switch (RANDOM(8)) {
        case 0:
        case 1:
            words[count++] = LW(to, word, A0);
            break;
        case 2:
            words[count++] = RANDOM(2) ? LBU(to, word + 3, A0) : LH(to, word + 2, A0);
            break;
        case 3:
            words[count++] = LW(to, RANDOM(2) ? STEADY : PLAIN, K1);
            break;
        case 4:
            words[count++] = LW(to, 0x1000 + word, A1);
            break;
        case 5: /* so many microseconds since S0 */
            words[count++] = LW(T3, TIMER, K1);
            words[count++] = SUBU(T3, T3, S0);
            words[count++] = SLTIU(T4, T3, 1 + (int32_t)RANDOM(90));
            words[count++] = immediate_word(0x0E, T4, to, 1); /* XORI */
            break;
        case 6: /* the deadline in S2 */
            words[count++] = LW(T3, TIMER, K1);
            if (RANDOM(2)) {
                words[count++] = SUBU(to, T3, S2);
                words[count++] = special_word(0x2A, ZERO, to, to, 0); /* SLT 0 < to */
            } else {
                words[count++] = special_word(0x2B, S2, T3, to, 0); /* SLTU S2 < T3 */
            }
            break;
        default: /* spill and fill */
            words[count++] = SW(S3, 8, RANDOM(2) ? GP : SP);
            words[count++] = LW(T4, 8, GP);
            words[count++] = ADDU(to, ZERO, ZERO);
        }
        if (RANDOM(4) != 0) {
            leave[leaves++] = (int32_t)count;
            words[count++] = RANDOM(3) ? BNE(to, ZERO, 0) : BNEL(to, ZERO, 0);
            words[count++] = RANDOM(2) ? NOP : ADDU(T4, to, ZERO);
        }
    }
    words[count] = BEQ(ZERO, ZERO, (int32_t)inner - (int32_t)count - 1);
    count++;
    words[count++] = NOP;
    for (unsigned i = 0; i < leaves; i++)
        words[leave[i]] |= (uint32_t)((int32_t)count - leave[i] - 1) & 0xFFFFu;
    /* left: tell, and again */
    words[count++] = ADDIU(S3, S3, 1);
    words[count++] = SW(S3, 0x700 + 4 * (int32_t)core, A0);
    words[count++] = SW(T0, 0x0E0, K1);
    words[count++] = SW(ZERO, 0, A0);
    words[count++] = SW(ZERO, STEADY, K1);
    words[count++] = SW(T1, 0x0E4, K1);
    words[count++] = SW(T2, 0x0E8, K1);
    words[count++] = SW(T4, 0x0E8, K1);
    words[count] = BEQ(ZERO, ZERO, (int32_t)outer - (int32_t)count - 1);
    count++;
    words[count++] = NOP;
    fixture_place(f, core, base, words, count);
    prepare(f, core, seed);
}

static void write_word(struct fixture *f, uint64_t at, uint32_t address, uint32_t value) {
    for (unsigned core = 0; core < 2; core++)
        tigon_cpu_before_change(&f->cores[core], at);
    tigon_memory_write32(&f->memory, address, value);
}

/* A world: one or two cores with random loops, and devices that change what they read at random
 * times, announce streams on the bus and halt a core. Times are chosen without looking. */
static struct outcome world(uint32_t seed, bool loops, unsigned *parked) {
    static const uint32_t bases[] = {SCRATCH, 0x4000, 0x4030, SCRATCH + 0x1F0};
    struct fixture *f = fixture_make(1u << 20, NULL);
    uint32_t random = seed * 40503u + 7u;
    uint64_t at = 0;
    fixture_loops(f, loops);
    const unsigned cores = 1 + RANDOM(2);
    for (unsigned core = 0; core < cores; core++) {
        const uint32_t base = bases[RANDOM(4)] + (core ? 0x400 : 0);
        random_loop(f, core, base, seed * 2 + core);
        tigon_cpu_start(&f->cores[core], base, RANDOM(200));
    }
    for (unsigned i = 0; i < 60; i++) {
        at += 1 + (RANDOM(3) == 0 ? RANDOM(60) : RANDOM(6000));
        assert_int_equal(tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at), at);
        *parked += f->cores[0].parked + f->cores[1].parked;
        const unsigned core = RANDOM(2);
        switch (RANDOM(8)) {
        case 0:
            write_word(f, at, WORDS + 4 * RANDOM(5), RANDOM(3));
            break;
        case 1:
            for (unsigned c = 0; c < 2; c++)
                tigon_cpu_before_change(&f->cores[c], at);
            tigon_bus_stream_begin(&f->bus, RANDOM(4), at, 0x10000 + RANDOM(0x60000),
                                   1 + RANDOM(200));
            break;
        case 2:
            tigon_cpu_before_change(&f->cores[core], at);
            f->registers[core][(RANDOM(2) ? STEADY : PLAIN) / 4] = RANDOM(3);
            break;
        case 3:
            tigon_cpu_settle(&f->cores[core], at);
            tigon_memory_scratchpad_write32(&f->memory, core, SCRATCH + 0x1000 + 4 * RANDOM(4),
                                            RANDOM(3));
            break;
        case 4:
            tigon_cpu_halt(&f->cores[core], at);
            break;
        case 5:
            tigon_cpu_settle(&f->cores[core], at);
            for (unsigned r = 0; r < 32; r++)
                f->trace = f->trace * 31u + f->cores[core].gpr[r] + f->cores[core].pc;
            break;
        case 6:
            if (core < cores && tigon_cpu_stopped(&f->cores[core]))
                tigon_cpu_start(&f->cores[core], f->cores[core].pc, at);
            break;
        default:
            tigon_cpu_catch_up(&f->cores[core], at);
        }
    }
    for (unsigned core = 0; core < cores; core++)
        tigon_cpu_settle(&f->cores[core], at);
    const struct outcome o = outcome_of(f);
    assert_int_equal((f->cores[0].state | f->cores[1].state) & TIGON_CPU_STATE_FAULTS, 0);
    fixture_destroy(f);
    return o;
}

static void random_loops_end_alike(void **state) {
    (void)state;
    const char *worlds = getenv("CPU_LOOPS"); /* how many, for a campaign */
    const uint32_t most = worlds ? (uint32_t)strtoul(worlds, NULL, 0) : 300;
    unsigned parked = 0;
    for (uint32_t seed = 0; seed < most; seed++) {
        unsigned none = 0;
        const struct outcome with = world(seed, true, &parked);
        const struct outcome without = world(seed, false, &none);
        assert_int_equal(none, 0);
        expect_equal(&with, &without);
        const bool native = fixture_native(false);
        const bool words = fixture_words(seed / 2 % 2 != 0);
        fixture_native(!native);
        const struct outcome otherwise = world(seed, seed % 2 != 0, &none);
        fixture_native(native);
        fixture_words(words);
        expect_equal(&with, &otherwise);
    }
    assert_true(parked / 8 > most); /* or this shows nothing */
}

/* The deadline of a loop, for every distance from a microsecond's beginning and around the places
 * where numbers wrap. */
static void a_timer_ends_parking_in_the_right_turn(void **state) {
    (void)state;
    static const uint32_t starts[] = {0, 0x7FFFFFF0u, 0x80000000u, 0xFFFFFFF8u};
    for (unsigned i = 0; i < 4; i++)
        for (uint32_t variant = 0; variant < 8; variant++)
            for (uint64_t phase = 0; phase < 90; phase += 7) {
                struct outcome o[2];
                for (unsigned loops = 0; loops < 2; loops++) {
                    struct fixture *f = fixture_make(1u << 20, NULL);
                    struct tigon_cpu *cpu = &f->cores[0];
                    fixture_loops(f, loops);
                    prepare(f, 0, 0);
                    cpu->gpr[S0] = starts[i];
                    cpu->gpr[S1] = starts[i] + 20;
                    const uint32_t compare[8] = {
                        SLTIU(T1, T0, 20),                 /* small numbers only */
                        special_word(0x2B, T0, S1, T1, 0), /* SLTU T0 < S1 */
                        special_word(0x2B, S1, T0, T1, 0), /* SLTU S1 < T0 */
                        special_word(0x2A, T0, S1, T1, 0), /* SLT */
                        special_word(0x2A, S1, T0, T1, 0), /* */
                        special_word(0x2A, T2, S0, T1, 0), /* of -T0 */
                        special_word(0x2B, S0, T2, T1, 0), /* */
                        SUBU(T1, T0, S1)};
                    PLACE(f, 0, LOOP, LW(T3, TIMER, K1), ADDU(T0, T3, S0), SUBU(T2, ZERO, T0),
                          compare[variant], BEQ(T1, S3, -5), NOP, SW(T3, 0x0E0, K1), HALT);
                    cpu->gpr[S3] = variant == 7 ? 0u - 20u : 0;
                    /* Loops while the comparison gives what it gives at first. */
                    if (variant < 7) {
                        const uint32_t t0 = starts[i], s1 = starts[i] + 20, t2 = 0u - t0;
                        const bool first[7] = {t0 < 20,
                                               t0 < s1,
                                               s1 < t0,
                                               (int32_t)t0 < (int32_t)s1,
                                               (int32_t)s1 < (int32_t)t0,
                                               (int32_t)t2 < (int32_t)t0,
                                               t0 < t2};
                        cpu->gpr[S3] = first[variant];
                    }
                    tigon_cpu_start(cpu, LOOP, phase);
                    for (uint64_t at = 500; at <= 20000; at += 500)
                        tigon_cpu_run_pair(&f->cores[0], &f->cores[1], at);
                    tigon_cpu_settle(cpu, 20000);
                    o[loops] = outcome_of(f);
                    fixture_destroy(f);
                }
                expect_equal(&o[0], &o[1]);
            }
}

int loop_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_that_only_wait_park),
        cmocka_unit_test(loops_that_do_something_do_not),
        cmocka_unit_test(random_loops_end_alike),
        cmocka_unit_test(a_timer_ends_parking_in_the_right_turn),
    };
    return cmocka_run_group_tests_name("loops", tests, NULL, NULL);
}
