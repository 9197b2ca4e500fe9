/* SPDX-License-Identifier: MIT */
/*
 * Translated text (sim/native/native.h) beside the interpreter, instruction by instruction in
 * effect: the same random text on two boards, run in the same pieces, must leave both cores alike
 * in every field after every piece, wherever that ends.
 *
 * CPU_TEXTS=n in the environment makes n texts in each comparison.
 */
#include "tests/sim_cpu/fixture.h"

#include <stdlib.h>

#include "sim/native/native_private.h"
#include "sim/base/random.h"
#include "sim/time.h"

enum {
    TEXT_WORDS = 160,
    DATA = 0x1000,      /* in the scratchpad */
    SRAM_DATA = 0x10000 /* and there */
};

static uint32_t draw(struct tigon_random *random, uint32_t limit) {
    return (uint32_t)tigon_random_below(random, limit);
}

/* Registers that text computes with. The others are bases, return addresses and words of text. */
static uint32_t some_register(struct tigon_random *random) {
    static const uint8_t registers[] = {ZERO, V0, V1, T0, T1, T2, T3, T4, S0, S1};
    return registers[draw(random, sizeof registers)];
}

static uint32_t random_access(struct tigon_random *random) {
    static const uint8_t majors[] = {0x20, 0x21, 0x23, 0x24, 0x25, 0x28, 0x29, 0x2B};
    static const uint8_t sizes[] = {1, 2, 4, 1, 2, 1, 2, 4};
    const uint32_t kind = draw(random, 8), place = draw(random, 40);
    const uint32_t value = some_register(random);
    if (place < 4) { /* a register: PLAIN can be polled, the next is noted */
        static const uint16_t places[] = {PLAIN, PLAIN, PLAIN - 4, PLAIN - 4, STEADY, TIMER};
        return immediate_word(draw(random, 2) ? 0x23 : 0x2B, K1, value,
                              places[draw(random, sizeof places / sizeof *places)]);
    }
    if (place == 4) /* text changes: one of two words, or part of one */
        return immediate_word(majors[5 + kind % 3], GP, draw(random, 2) ? S3 : S4,
                              (int32_t)(4 * draw(random, TEXT_WORDS - 16)));
    if (place == 5 && kind == 7) /* the same of what is taken for a constant */
        return special_word(0x26, GP, S7, GP, 0);
    if (place == 5) /* a base changes: what accesses were expected to go to is wrong from now on */
        return draw(random, 6) ? special_word(0x26, A0 + kind % 2, S5, A0 + kind % 2, 0)
                               : special_word(0x26, K1, S6, K1, 0);
    const uint32_t offset = sizes[kind] * draw(random, 32);
    if (place < 9)
        return immediate_word(majors[kind], GP, value, (int32_t)(DATA + offset));
    return immediate_word(majors[kind], place < 28 ? A1 : A0, value, (int32_t)offset);
}

static uint32_t random_branch(struct tigon_random *random, uint32_t at) {
    const uint32_t to = draw(random, TEXT_WORDS);
    const int32_t distance = (int32_t)to - (int32_t)at - 1;
    const uint32_t rs = some_register(random), rt = some_register(random);
    switch (draw(random, 20)) {
    case 0:
        return J(SCRATCH + 4 * to);
    case 1:
        return JAL(SCRATCH + 4 * to);
    case 2:
        return JR(RA);
    case 3:
        return JALR(draw(random, 4) ? T4 : RA, RA);
    case 4:
        return JOFF(GP, S2);
    case 5:
        return immediate_word(0x01, rs, 0x10 + draw(random, 4), distance); /* linking */
    case 6:
    case 7:
    case 8:
        return immediate_word(0x01, rs, draw(random, 4), distance);
    case 9:
    case 10:
    case 11:
        return immediate_word((draw(random, 2) ? 0x06 : 0x16) + draw(random, 2), rs, ZERO,
                              distance);
    default:
        return immediate_word((draw(random, 3) ? 0x04 : 0x14) + draw(random, 2), rs, rt, distance);
    }
}

static uint32_t random_word(struct tigon_random *random, uint32_t at) {
    static const uint8_t functions[] = {0x04, 0x06, 0x07, 0x21, 0x21, 0x23, 0x24,
                                        0x25, 0x26, 0x27, 0x2A, 0x2B, 0x20, 0x22};
    static const uint8_t shifts[] = {0x00, 0x02, 0x03};
    const uint32_t d = some_register(random), s = some_register(random), t = some_register(random);
    const int32_t value = (int32_t)draw(random, 3) - 1 + (draw(random, 2) ? 0 : 0x1234);
    switch (draw(random, 16)) {
    case 0:
    case 1:
        return special_word(functions[draw(random, draw(random, 50) ? 12 : 14)], s, t, d, 0);
    case 2:
        return special_word(shifts[draw(random, 3)], 0, t, d, draw(random, 32));
    case 3:
        return PRI(d, s, t);
    case 4:
    case 5:
    case 6:
        return immediate_word(0x09 + draw(random, 7), s, d, value);
    case 7:
    case 8:
    case 9:
        return random_branch(random, at);
    default:
        return random_access(random);
    }
}

static struct tigon_timing random_timing(struct tigon_random *random) {
    struct tigon_timing timing = tigon_timing_default();
    if (draw(random, 3) == 0) {
        timing.taken_branch_extra = draw(random, 3);
        timing.nullified_slot = draw(random, 3);
        timing.priority_encode = 1 + draw(random, 3);
        timing.load_use_interlock = draw(random, 4);
        timing.scratchpad_load = 1 + draw(random, 3);
        timing.scratchpad_store = 1 + draw(random, 3);
        timing.sram_store_drain = 2 + draw(random, 9);
        timing.sram_load = 1 + draw(random, 9);
        timing.sram_store = 1 + draw(random, 2);
        timing.register_read = 1 + draw(random, 5);
        timing.register_write = 1 + draw(random, 2);
        if (draw(random, 8) == 0)
            timing.scratchpad_load = 30000; /* no block can have many of these */
    }
    return timing;
}

static void start_text(struct fixture *f, unsigned core, struct tigon_random *random,
                       bool wakes_other) {
    struct tigon_cpu *cpu = &f->cores[core];
    tigon_cpu_set_run_ahead(cpu, draw(random, 3) ? TIGON_CPU_RUN_AHEAD_DEFAULT : 0);
    uint32_t words[TEXT_WORDS + 2];
    for (uint32_t i = 0; i < TEXT_WORDS; i++)
        words[i] = random_word(random, i);
    for (uint32_t i = 0; wakes_other && i < 4; i++)
        words[draw(random, TEXT_WORDS)] = SW(some_register(random), OTHER_EVENT, K1);
    words[TEXT_WORDS] = J(SCRATCH);
    words[TEXT_WORDS + 1] = NOP;
    fixture_place(f, core, SCRATCH, words, TEXT_WORDS + 2);
    for (unsigned i = 1; i < 32; i++)
        cpu->gpr[i] = draw(random, 2) ? draw(random, 8) : (uint32_t)tigon_random_next(random);
    cpu->gpr[A0] = SRAM_DATA;
    cpu->gpr[A1] = SCRATCH + DATA;
    cpu->gpr[K1] = TIGON_REGISTERS;
    cpu->gpr[GP] = SCRATCH;
    cpu->gpr[RA] = SCRATCH + 4 * draw(random, TEXT_WORDS);
    cpu->gpr[S2] = draw(random, TEXT_WORDS / 2 - 8);
    cpu->gpr[S3] = ADDIU(T0, T1, 3);
    cpu->gpr[S4] = random_word(random, 0);
    cpu->gpr[S5] = SRAM_DATA ^ (SCRATCH + DATA);
    cpu->gpr[S6] = SRAM_DATA ^ TIGON_REGISTERS;
    cpu->gpr[S7] = 0x40;
    assert_true(tigon_cpu_start(cpu, SCRATCH, 0));
}

static struct fixture *make(uint64_t seed, bool native) {
    struct tigon_random random = tigon_random_for(seed, 1, 0);
    const struct tigon_timing timing = random_timing(&random);
    const bool before = fixture_native(native);
    const bool words = fixture_words(native ? seed % 4 != 0 : seed % 8 == 1);
    struct fixture *f = fixture_make(1u << 20, &timing);
    (void)fixture_native(before);
    (void)fixture_words(words);
    fixture_timer(f);
    start_text(f, 0, &random, false);
    return f;
}

/* Whether the core has had effects since this was asked last; how many are counted is not defined.
 */
static bool acted(struct fixture *f, unsigned core) {
    const uint64_t before = f->effects[core];
    f->effects[core] = tigon_poll_effects(&f->cores[core]);
    return f->effects[core] != before;
}

static void expect_alike(struct fixture *a, struct fixture *b, unsigned core) {
    const struct tigon_cpu *one = &a->cores[core], *other = &b->cores[core];
    assert_int_equal(one->pc, other->pc);
    assert_int_equal(one->npc, other->npc);
    assert_int_equal(one->cycle, other->cycle);
    assert_int_equal(one->state, other->state);
    assert_int_equal(one->parked, other->parked);
    assert_int_equal(one->load_register, other->load_register);
    assert_int_equal(acted(a, core), acted(b, core));
    assert_int_equal(one->write_buffer_free, other->write_buffer_free);
    assert_memory_equal(one->gpr, other->gpr, 32 * sizeof one->gpr[0]); /* the last is nobody's */
    assert_memory_equal(&one->statistics, &other->statistics, sizeof one->statistics);
    assert_int_equal(a->trace, b->trace);
    assert_int_equal(a->access_ticks, b->access_ticks);
}

static uint64_t texts(uint64_t usually) {
    const char *wanted = getenv("CPU_TEXTS");
    return wanted ? strtoul(wanted, NULL, 0) : usually;
}

static void text_means_the_same(void **state) {
    (void)state;
    const uint64_t most = texts(400);
    uint64_t instructions = 0;
    for (uint64_t seed = 0; seed < most; seed++) {
        struct fixture *f[2] = {make(seed, false), make(seed, true)};
        struct tigon_random random = tigon_random_for(seed, 2, 0);
        uint64_t at = 0;
        assert_null(f[0]->cores[0].native);
        for (unsigned piece = 0; piece < 150; piece++) {
            at += 1 + (draw(&random, 4) ? draw(&random, 40) : draw(&random, 600));
            const uint32_t value = draw(&random, 4), what = draw(&random, 12);
            for (unsigned i = 0; i < 2; i++) {
                (void)tigon_cpu_run(&f[i]->cores[0], at);
                if (what == 0)
                    fixture_event(f[i], 0, value, at);
                if (what == 1)
                    tigon_bus_stream_begin(&f[i]->bus, value, at, 0x10000 + 0x9000 * value, 90);
                if (what == 2 && value == 0) { /* as a host does, through a register */
                    tigon_cpu_settle(&f[i]->cores[0], at);
                    tigon_memory_scratchpad_write32(&f[i]->memory, 0, SCRATCH + 4 * (piece % 64),
                                                    ADDIU(T2, T2, 1));
                }
            }
            expect_alike(f[0], f[1], 0);
        }
        assert_memory_equal(f[0]->memory.scratchpad, f[1]->memory.scratchpad,
                            sizeof f[0]->memory.scratchpad);
        assert_memory_equal(f[0]->memory.sram, f[1]->memory.sram, f[0]->memory.sram_size);
        instructions += f[0]->cores[0].statistics.instructions;
        for (unsigned i = 0; i < 2; i++)
            fixture_destroy(f[i]);
    }
    assert_true(instructions > most * 1000); /* or too many stop at once */
}

static struct fixture *make_pair(uint64_t seed, bool native) {
    struct tigon_random random = tigon_random_for(seed, 3, 0);
    const struct tigon_timing timing = random_timing(&random);
    const bool before = fixture_native(native);
    const bool words = fixture_words(native ? seed % 4 != 0 : seed % 8 == 1);
    struct fixture *f = fixture_make(1u << 20, &timing);
    (void)fixture_native(before);
    (void)fixture_words(words);
    fixture_timer(f);
    for (unsigned core = 0; core < 2; core++) {
        /* Where a parked core stands, and how far one runs ahead, depends on when it parks. */
        tigon_cpu_set_parking(&f->cores[core], false, 0);
        start_text(f, core, &random, true);
    }
    return f;
}

/* Both cores, which hand over to each other within translated text. */
static void pairs_mean_the_same(void **state) {
    (void)state;
    const uint64_t most = texts(400);
    uint64_t instructions[2] = {0, 0};
    for (uint64_t seed = 0; seed < most; seed++) {
        struct fixture *f[2] = {make_pair(seed, false), make_pair(seed, true)};
        struct tigon_random random = tigon_random_for(seed, 4, 0);
        uint64_t at = 0;
        for (unsigned piece = 0; piece < 100; piece++) {
            at += 1 + (draw(&random, 4) ? draw(&random, 40) : draw(&random, 900));
            const uint32_t value = draw(&random, 4), what = draw(&random, 12);
            const unsigned core = draw(&random, 2);
            uint64_t reached[2];
            for (unsigned i = 0; i < 2; i++) {
                reached[i] = tigon_cpu_run_pair(&f[i]->cores[0], &f[i]->cores[1], at);
                if (what == 0)
                    fixture_event(f[i], core, value, at);
                if (what == 1)
                    tigon_bus_stream_begin(&f[i]->bus, value, at, 0x10000 + 0x9000 * value, 90);
                if (what == 2)
                    tigon_bus_host_begin(&f[i]->bus, at * TIGON_TICKS_PER_CYCLE,
                                         (3u + value) * TIGON_TICKS_PER_CYCLE + value);
                if (what == 3)
                    tigon_bus_host_end(&f[i]->bus, at * TIGON_TICKS_PER_CYCLE);
                if (what == 4 && value == 0) {
                    tigon_cpu_settle(&f[i]->cores[core], at);
                    tigon_memory_scratchpad_write32(&f[i]->memory, core, SCRATCH + 4 * (piece % 64),
                                                    ADDIU(T2, T2, 1));
                }
                if (what == 5 && value == 0)
                    tigon_cpu_halt(&f[i]->cores[core], at);
                if (what == 5 && value == 1)
                    tigon_cpu_state_write(&f[i]->cores[core], 0, at);
            }
            assert_int_equal(reached[0], reached[1]);
            for (unsigned each = 0; each < 2; each++)
                expect_alike(f[0], f[1], each);
            assert_memory_equal(f[0]->bus.beats, f[1]->bus.beats, sizeof f[0]->bus.beats);
            assert_memory_equal(f[0]->bus.stalls, f[1]->bus.stalls, sizeof f[0]->bus.stalls);
            assert_int_equal(f[0]->bus.core_free, f[1]->bus.core_free);
        }
        assert_memory_equal(f[0]->memory.scratchpad, f[1]->memory.scratchpad,
                            sizeof f[0]->memory.scratchpad);
        assert_memory_equal(f[0]->memory.sram, f[1]->memory.sram, f[0]->memory.sram_size);
        for (unsigned core = 0; core < 2; core++)
            instructions[core] += f[0]->cores[core].statistics.instructions;
        for (unsigned i = 0; i < 2; i++)
            fixture_destroy(f[i]);
    }
    for (unsigned core = 0; core < 2; core++)
        assert_true(instructions[core] > most * 500);
}

/* Two boards whose text is the same but for some words, and changes in one of them at a time. */
static void shared_text_means_the_same(void **state) {
    (void)state;
    const uint64_t most = texts(100);
    uint64_t instructions = 0;
    for (uint64_t seed = 0; seed < most; seed++) {
        struct fixture *f[4]; /* two interpreted ones, and the same with translated text */
        struct tigon_random random = tigon_random_for(seed, 5, 0);
        for (unsigned i = 0; i < 4; i++)
            f[i] = make(seed, i >= 2);
        if (f[2]->cores[0].native)
            assert_true(tigon_cpu_share_native(&f[3]->cores[0], &f[2]->cores[0]));
        for (unsigned other = draw(&random, 4); other > 0; other--) {
            const uint32_t at = SCRATCH + 4 * draw(&random, TEXT_WORDS);
            const int32_t by = (int32_t)draw(&random, 9);
            PLACE(f[1], 0, at, ADDIU(T2, T2, by));
            PLACE(f[3], 0, at, ADDIU(T2, T2, by));
        }
        uint64_t at = 0;
        for (unsigned piece = 0; piece < 100; piece++) {
            at += 1 + (draw(&random, 4) ? draw(&random, 40) : draw(&random, 600));
            const uint32_t value = draw(&random, 4), what = draw(&random, 12);
            const uint32_t word = SCRATCH + 4 * draw(&random, 64);
            for (unsigned i = 0; i < 4; i++) {
                (void)tigon_cpu_run(&f[i]->cores[0], at + 7 * (i % 2));
                if (what == 0)
                    fixture_event(f[i], 0, value, at + 7 * (i % 2));
                if (what == 1 && value == i % 2) {
                    tigon_cpu_settle(&f[i]->cores[0], at + 7 * (i % 2));
                    tigon_memory_scratchpad_write32(&f[i]->memory, 0, word, ADDIU(T2, T2, 1));
                }
            }
            expect_alike(f[0], f[2], 0);
            expect_alike(f[1], f[3], 0);
        }
        for (unsigned i = 0; i < 2; i++)
            assert_memory_equal(f[i]->memory.scratchpad, f[i + 2]->memory.scratchpad,
                                sizeof f[i]->memory.scratchpad);
        instructions += f[1]->cores[0].statistics.instructions;
        fixture_destroy(f[2]); /* the first goes, the other has still all */
        (void)tigon_cpu_run(&f[1]->cores[0], at + 5000);
        (void)tigon_cpu_run(&f[3]->cores[0], at + 5000);
        expect_alike(f[1], f[3], 0);
        fixture_destroy(f[0]);
        fixture_destroy(f[1]);
        fixture_destroy(f[3]);
    }
    assert_true(instructions > most * 700);
}

/* Text that has changed needs more patience. */
static bool ready_at_last(struct tigon_native *native, uint32_t pc) {
    for (unsigned i = 0; i < 40; i++)
        if (tigon_engine->ready(native, pc))
            return true;
    return false;
}

/* What one has translated the other need not, as long as it holds the same words. */
static void sharing(void **state) {
    (void)state;
    struct fixture *f[2];
    for (unsigned i = 0; i < 2; i++) {
        f[i] = fixture_make(1u << 20, NULL);
        PLACE(f[i], 0, SCRATCH, ADDIU(T0, T0, 1), BEQ(ZERO, ZERO, 2), NOP, HALT, ADDIU(T1, T1, 1),
              BEQ(ZERO, ZERO, -6), NOP);
    }
    struct tigon_cpu *one = &f[0]->cores[0], *other = &f[1]->cores[0];
    if (!tigon_cpu_set_native(one, true)) {
        for (unsigned i = 0; i < 2; i++)
            fixture_destroy(f[i]);
        skip(); /* not on this host */
    }
    (void)tigon_cpu_set_native(other, false);
    assert_false(tigon_cpu_share_native(other, one));
    assert_true(tigon_cpu_set_native(other, true));
    assert_true(tigon_cpu_set_native(&f[1]->cores[1], true));
    assert_false(tigon_cpu_share_native(&f[1]->cores[1], one)); /* text for the other core */
    assert_true(tigon_cpu_share_native(other, one));
    tigon_engine->set_patience(one->native, 1);
    tigon_engine->set_patience(other->native, 1);
    const struct native_text *text = one->native->text;
    assert_true(tigon_engine->ready(one->native, SCRATCH));
    assert_int_equal(text->block_count, 1);
    assert_true(tigon_engine->ready(other->native, SCRATCH));
    assert_int_equal(text->block_count, 1);
    PLACE(f[1], 0, SCRATCH + 16, ADDIU(T1, T1, 3));
    assert_true(ready_at_last(other->native, SCRATCH));
    assert_int_equal(text->block_count, 2);
    for (unsigned i = 0; i < 2; i++) {
        tigon_cpu_start(&f[i]->cores[0], SCRATCH, 0);
        tigon_cpu_run(&f[i]->cores[0], 6000);
    }
    assert_in_range(one->gpr[T1], 990, 1100);
    assert_in_range(other->gpr[T1], 2970, 3300);
    const uint32_t before = text->block_count;
    PLACE(f[1], 0, SCRATCH + 16, ADDIU(T1, T1, 1)); /* as it was */
    assert_true(ready_at_last(other->native, SCRATCH));
    assert_int_equal(text->block_count, before);
    for (unsigned i = 0; i < 2; i++)
        fixture_destroy(f[i]);
}

/* Text that is met seldom is not translated; text that changes is forgotten. */
static void patience(void **state) {
    (void)state;
    struct fixture *f = fixture_make(1u << 20, NULL);
    struct tigon_cpu *cpu = &f->cores[0];
    if (!tigon_cpu_set_native(cpu, true)) {
        fixture_destroy(f);
        skip(); /* not on this host */
    }
    tigon_engine->set_patience(cpu->native, 3);
    PLACE(f, 0, SCRATCH, ADDIU(T0, T0, 1), BEQ(ZERO, ZERO, -2), NOP, HALT);
    assert_false(tigon_engine->ready(cpu->native, SCRATCH));
    assert_false(tigon_engine->ready(cpu->native, SCRATCH));
    assert_true(tigon_engine->ready(cpu->native, SCRATCH));
    for (unsigned i = 0; i < 5; i++) /* HALT never is */
        assert_false(tigon_engine->ready(cpu->native, SCRATCH + 12));
    tigon_cpu_start(cpu, SCRATCH, 0);
    tigon_cpu_run(cpu, 3000);
    assert_int_equal(cpu->gpr[T0], (3000 + TIGON_CPU_RUN_AHEAD_DEFAULT + 2) / 3);
    PLACE(f, 0, SCRATCH + 8, HALT); /* the delay slot */
    assert_int_equal(tigon_cpu_run(cpu, 6000), TIGON_CPU_HALTED);
    assert_false(tigon_engine->ready(cpu->native, SCRATCH));
    fixture_destroy(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(text_means_the_same),
                                       cmocka_unit_test(pairs_mean_the_same),
                                       cmocka_unit_test(shared_text_means_the_same),
                                       cmocka_unit_test(sharing), cmocka_unit_test(patience)};
    return cmocka_run_group_tests_name("translated text", tests, NULL, NULL);
}
