/* SPDX-License-Identifier: MIT */
/*
 * What each operation means is written three times: in the interpreter (cpu_loop.h), in the
 * translator (sim/native) and in the proof of polling loops (poll_proof.c). Here every encoding of
 * every operation is run with operands from a list by all three.
 *
 * The operation stands in a loop that polls a register. One turn of it must leave the interpreter
 * and translated text alike. Then the loop is left only if the result differs from the
 * interpreter's, so that the core parks in it if the proof finds the same result.
 */
#include "tests/sim_cpu/fixture.h"

#include <string.h>

#include "sim/core/isa.h"

enum { DATA = 0x10000, TARGET = SCRATCH + 16, ENCODINGS = 64 + 32 + 64 };

static const uint32_t operands[] = {0,      1,      5,          31,         32,         0x7FFF,
                                    0x8000, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF8000, 0xFFFFFFFF};
#define OPERANDS (sizeof operands / sizeof operands[0])

/* All function codes, all branches on the sign, all major codes; what does not exist is invalid. */
static uint32_t encoding(unsigned number) {
    if (number == 0)
        return NOP;
    if (number < 64) { /* some may have no amount, or no result */
        const uint32_t words[] = {special_word(number, T0, T1, T2, 5),
                                  special_word(number, T0, T1, T2, 0),
                                  special_word(number, T0, T1, ZERO, 0)};
        unsigned i = 0;
        while (i < 2 && tigon_decode(words[i]).operation == TIGON_OP_INVALID)
            i++;
        return words[i];
    }
    if (number < 96)
        return immediate_word(0x01, T0, number - 64, 2);
    const uint32_t major = number - 96;
    const uint8_t operation = tigon_decode(immediate_word(major, T0, T1, 2)).operation;
    if (major == 0)
        return special_word(0x00, 0, T1, T2, 31);
    if (operation == TIGON_OP_J || operation == TIGON_OP_JAL)
        return major << 26 | (TARGET >> 2 & 0x03FFFFFFu);
    if (operation == TIGON_OP_INVALID) /* with two registers; some branches have one */
        return immediate_word(major, T0, ZERO, 2);
    if (operation >= TIGON_OP_SW) /* stores and branches read both */
        return immediate_word(major, T0, T1, 2);
    return immediate_word(major, T0, T2, operation >= TIGON_OP_LW ? 2 : 0x8003);
}

/* Operand `a` of what reads memory or jumps is an address, right or wrong by some bytes. */
static uint32_t first_operand(uint8_t operation, uint32_t a, uint32_t b) {
    if (operation >= TIGON_OP_LW && operation <= TIGON_OP_SB)
        return DATA - 2 + (a & 6u);
    if (operation == TIGON_OP_JR || operation == TIGON_OP_JALR)
        return TARGET;
    if (operation == TIGON_OP_JOFF)
        return TARGET - 8 * b;
    return a;
}

static enum tigon_cpu_stop run(struct fixture *f, uint32_t word, uint32_t a, uint32_t b,
                               uint32_t result) {
    struct tigon_cpu *cpu = &f->cores[0];
    const uint64_t now = cpu->cycle;
    tigon_cpu_reset(cpu);
    PLACE(f, 0, SCRATCH, ORI(S0, ZERO, 1), word, ORI(V1, ZERO, 7), ORI(S0, ZERO, 2),
          /* TARGET: */ LW(V0, STEADY, K1), ADDU(S1, T2, S0), BEQ(S1, S2, -7), NOP, HALT);
    PLACE(f, 0, DATA, 0x80FF7F01u, 0x7F80FF00u, 0x00008000u);
    memset(cpu->gpr, 0, sizeof cpu->gpr);
    cpu->gpr[T0] = first_operand(tigon_decode(word).operation, a, b);
    cpu->gpr[T1] = b;
    cpu->gpr[S2] = result;
    cpu->gpr[K1] = TIGON_REGISTERS;
    tigon_cpu_registers_written(cpu);
    assert_true(tigon_cpu_start(cpu, SCRATCH, now));
    /* A loop that stored something is looked at again later. */
    enum tigon_cpu_stop stop = tigon_cpu_run(cpu, now + 1000);
    for (unsigned piece = 2; piece < 40 && stop == TIGON_CPU_HORIZON; piece++)
        stop = tigon_cpu_run(cpu, now + 1000 * piece);
    return stop;
}

static void expect_alike(const struct fixture *a, const struct fixture *b) {
    const struct tigon_cpu *one = &a->cores[0], *other = &b->cores[0];
    assert_int_equal(one->pc, other->pc);
    assert_int_equal(one->npc, other->npc);
    assert_int_equal(one->cycle, other->cycle);
    assert_int_equal(one->state, other->state);
    assert_memory_equal(one->gpr, other->gpr, 32 * sizeof one->gpr[0]);
    assert_memory_equal(&one->statistics, &other->statistics, sizeof one->statistics);
    assert_memory_equal(a->memory.sram + DATA, b->memory.sram + DATA, 12);
}

static struct fixture *make(bool native) {
    const bool before = fixture_native(native);
    struct fixture *f = fixture_make(1u << 20, NULL);
    (void)fixture_native(before);
    fixture_loops(f, true);
    return f;
}

static void every_operation_means_the_same(void **state) {
    (void)state;
    struct fixture *interpreted = make(false), *translated = make(true), *polling = make(false);
    bool met[TIGON_OP_COUNT] = {false}, parked[TIGON_OP_COUNT] = {false};
    for (unsigned number = 0; number < ENCODINGS; number++) {
        const uint32_t word = encoding(number);
        const uint8_t operation = tigon_decode(word).operation;
        met[operation] = true;
        for (size_t i = 0; i < OPERANDS * OPERANDS; i++) {
            const uint32_t a = operands[i / OPERANDS], b = operands[i % OPERANDS];
            const uint32_t other = 0x5A5A5A5Au; /* no result */
            (void)run(interpreted, word, a, b, other);
            (void)run(translated, word, a, b, other);
            expect_alike(interpreted, translated);
            if (interpreted->cores[0].pc != SCRATCH + 32) /* did not come to the end */
                continue;
            parked[operation] = true;
            const uint32_t result = interpreted->cores[0].gpr[S1];
            if (run(polling, word, a, b, result) != TIGON_CPU_PARKED)
                fail_msg("%08X with %08X, %08X: the proof finds another result than %08X", word, a,
                         b, result);
        }
    }
    for (unsigned operation = TIGON_OP_INVALID; operation < TIGON_OP_COUNT; operation++) {
        const bool ends = operation == TIGON_OP_INVALID || operation == TIGON_OP_HALT;
        assert_true(met[operation]);
        assert_true(parked[operation] == !ends);
    }
    fixture_destroy(interpreted);
    fixture_destroy(translated);
    fixture_destroy(polling);
}

int operation_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_means_the_same),
    };
    return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
