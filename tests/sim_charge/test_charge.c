/* SPDX-License-Identifier: MIT */
/* Charges: how long a core is busy, and when effects occur, as the table defines. */
#include <errno.h>

#include "sim/chip/charge.h"
#include "tests/sim_cpu/assemble.h"
#include "tests/sim_devices/bench.h"

enum {
    MAIN = 0x4000,
    OUTER = 0x5000,
    INNER = 0x6000,
    IDLE = 0x7000,
    STACK = 0x3000,
    ALLOWANCE = 40 /* cycles of the main program before and after the measured part */
};

#define STEP(name, address, time, moment)                                                          \
    .step = (name), .function = (address), .cycles = (time), .place = (moment)

/* When the effect of OUTER came, by call. */
struct seen {
    uint64_t cycles[4];
    unsigned count;
};

static bool see(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct seen *seen = context;
    (void)core;
    if (pc == OUTER + 4 && seen->count < 4)
        seen->cycles[seen->count++] = cycle;
    return false;
}

/* Calls OUTER `calls` times and halts. OUTER represents a step: its second instruction is its
 * effect. It calls INNER when `nested`, in a tail call when `tail`. */
static void place_program(struct tigon_board *board, int32_t calls, bool nested, bool tail) {
    PLACE(board, MAIN, ADDIU(SP, ZERO, STACK), ADDIU(S0, ZERO, calls), JAL(OUTER), ADDIU(A0, S0, 0),
          ADDIU(S0, S0, -1), BNE(S0, ZERO, -4), NOP, HALT);
    if (tail)
        PLACE(board, OUTER, NOP, NOP, J(INNER), NOP);
    else if (nested)
        PLACE(board, OUTER, ADDIU(SP, SP, -8), SW(RA, 4, SP), JAL(INNER), NOP, LW(RA, 4, SP),
              ADDIU(SP, SP, 8), JR(RA), NOP);
    else
        PLACE(board, OUTER, NOP, NOP, JR(RA), NOP);
    PLACE(board, INNER, NOP, JR(RA), NOP);
    PLACE(board, IDLE, JR(RA), NOP);
}

struct outcome {
    uint64_t busy; /* cycles from start to halt */
    struct seen seen;
    struct tigon_charge_counts counts[2];
};

static struct outcome run_on(unsigned core, const struct tigon_charge *charges, size_t count,
                             bool others_cost, int32_t calls, bool nested, bool tail) {
    struct outcome outcome = {0};
    struct bench *bench = bench_make(1, NULL);
    struct tigon_cpu *cpu = tigon_board_cpu(bench->board, core);
    const uint32_t state = core == 0 ? 0x140 : 0x240; /* the start address is behind it */
    struct tigon_charging *charging = NULL;
    const struct tigon_charge_table table = {.charges = (struct tigon_charge *)charges,
                                             .count = count,
                                             .idle = IDLE,
                                             .others_cost = others_cost};
    place_program(bench->board, calls, nested, tail);
    assert_int_equal(tigon_charging_start(&charging, bench->board, core, &table), 0);
    assert_true(tigon_cpu_add_observer(cpu, see, &outcome.seen));
    set_reg(bench->board, state + 4, MAIN);
    set_reg(bench->board, state, 0);
    const uint64_t start = cpu->cycle;
    pass_ns(bench, 2000000);
    assert_true(reg(bench->board, state) & TIGON_CPU_STATE_HALT_EXECUTED);
    outcome.busy = cpu->cycle - start;
    for (unsigned i = 0; i < outcome.seen.count; i++)
        outcome.seen.cycles[i] -= start;
    for (size_t i = 0; i < count && i < 2; i++)
        assert_true(tigon_charging_counts(charging, i, &outcome.counts[i]));
    assert_false(tigon_charging_counts(charging, count, &outcome.counts[1]));
    tigon_charging_end(charging);
    tigon_cpu_remove_observer(cpu, see, &outcome.seen);
    assert_null(cpu->observer);
    bench_destroy(bench);
    return outcome;
}

static struct outcome run(const struct tigon_charge *charges, size_t count, bool others_cost,
                          int32_t calls, bool nested, bool tail) {
    return run_on(0, charges, count, others_cost, calls, nested, tail);
}

static void assert_about(uint64_t value, uint64_t expected) {
    assert_in_range(value, expected, expected + ALLOWANCE);
}

/* Ten calls cost ten charges, wherever the effects lie. */
static void test_sum(void **state) {
    (void)state;
    const struct tigon_charge before = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};
    const struct tigon_charge after = {STEP("step", OUTER, 1000, TIGON_CHARGE_AFTER)};
    struct outcome outcome = run(&before, 1, false, 10, false, false);
    assert_about(outcome.busy, 10000);
    assert_int_equal(outcome.counts[0].charged, 10);
    assert_int_equal(outcome.counts[0].late, 0);
    assert_in_range(outcome.counts[0].own_most, 4, ALLOWANCE);
    assert_about(run(&after, 1, false, 10, false, false).busy, 10000);
}

/* Effects come at the end of the step's time or at its beginning. The first time the function's own
 * cycles are not known. */
static void test_effects(void **state) {
    (void)state;
    const struct tigon_charge before = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};
    const struct tigon_charge after = {STEP("step", OUTER, 1000, TIGON_CHARGE_AFTER)};
    struct outcome outcome = run(&before, 1, false, 3, false, false);
    assert_about(outcome.seen.cycles[0], 1000);
    assert_in_range(outcome.seen.cycles[1], 2000 - ALLOWANCE, 2000 + ALLOWANCE);
    assert_in_range(outcome.seen.cycles[2], 3000 - ALLOWANCE, 3000 + ALLOWANCE);
    outcome = run(&after, 1, false, 3, false, false);
    assert_about(outcome.seen.cycles[0], 0);
    assert_about(outcome.seen.cycles[1], 1000);
    assert_about(outcome.seen.cycles[2], 2000);
}

/* A charge inside another is on top of it; a tail call returns for both. */
static void test_nested(void **state) {
    (void)state;
    const struct tigon_charge charges[] = {{STEP("a", OUTER, 1000, TIGON_CHARGE_BEFORE)},
                                           {STEP("b", INNER, 500, TIGON_CHARGE_AFTER)}};
    assert_about(run(charges, 2, false, 10, true, false).busy, 15000);
    struct outcome outcome = run(charges, 2, false, 10, false, true);
    assert_about(outcome.busy, 15000);
    assert_int_equal(outcome.counts[0].charged, 10);
    assert_int_equal(outcome.counts[1].charged, 10);
}

/* A call inside whose condition does not hold is the outer function's own work, however often: a
 * step's effects stay at the end of its time. */
static void test_nested_without_charge(void **state) {
    (void)state;
    const struct tigon_charge charges[] = {
        {STEP("a", OUTER, 1000, TIGON_CHARGE_BEFORE)},
        {STEP("b", INNER, 500, TIGON_CHARGE_AFTER), .argument = 1, .value = 4711}};
    struct outcome outcome = run(charges, 2, false, 100, true, false);
    assert_about(outcome.busy, 100000);
    assert_in_range(outcome.counts[0].own_most, 8, 2 * ALLOWANCE);
    assert_int_equal(outcome.counts[1].charged, 0);
}

/* Only calls with the argument: the program hands over 10, 9, ... 1. */
static void test_argument(void **state) {
    (void)state;
    const struct tigon_charge seven = {STEP("step", OUTER, 5000, TIGON_CHARGE_BEFORE),
                                       .argument = 1, .value = 7};
    const struct tigon_charge eleven = {STEP("step", OUTER, 5000, TIGON_CHARGE_BEFORE),
                                        .argument = 1, .value = 11};
    struct outcome outcome = run(&seven, 1, false, 10, false, false);
    assert_int_equal(outcome.counts[0].charged, 1);
    assert_true(outcome.busy > 5000 && outcome.busy < 6000);
    assert_int_equal(run(&eleven, 1, false, 10, false, false).counts[0].charged, 0);
}

/* Calls with another argument; and cycles for each unit that the argument counts, but for two. */
static void test_units(void **state) {
    (void)state;
    struct tigon_charge charge = {STEP("step", OUTER, 5000, TIGON_CHARGE_BEFORE), .argument = 1,
                                  .value = 7};
    charge.not_value = true;
    assert_int_equal(run(&charge, 1, false, 10, false, false).counts[0].charged, 9);
    const struct tigon_charge units = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE), .times = 1,
                                       .less = 2};
    struct outcome outcome = run(&units, 1, false, 10, false, false);
    assert_int_equal(outcome.counts[0].charged, 10);
    assert_int_equal(outcome.counts[0].cycles, 1000 * (8 + 7 + 6 + 5 + 4 + 3 + 2 + 1));
    /* Two calls charge nothing, so their instructions are covered by no charge. */
    assert_in_range(outcome.busy, outcome.counts[0].cycles,
                    outcome.counts[0].cycles + 3 * ALLOWANCE);
}

/* The main program's own cycles are covered by charges, or not. */
static void test_others(void **state) {
    (void)state;
    const struct tigon_charge charge = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};
    const uint64_t covered = run(&charge, 1, false, 100, false, false).busy;
    const uint64_t on_top = run(&charge, 1, true, 100, false, false).busy;
    const uint64_t alone = run(NULL, 0, false, 100, false, false).busy;
    assert_about(covered, 100000);
    assert_true(on_top > covered + 400);
    assert_true(on_top < covered + alone);
}

/* What a function executes itself can be its cost: on top of the charge around it, or of the next
 * one. INNER has three instructions, OUTER eight. */
static void test_executed(void **state) {
    (void)state;
    const struct tigon_charge inside[] = {{STEP("a", OUTER, 1000, TIGON_CHARGE_BEFORE)},
                                          {STEP("b", INNER, 0, TIGON_CHARGE_EXECUTED)}};
    const uint64_t covered = run(inside, 1, false, 100, true, false).busy;
    struct outcome outcome = run(inside, 2, false, 100, true, false);
    assert_int_equal(outcome.counts[1].charged, 100);
    assert_in_range(outcome.counts[1].own_most, 3, ALLOWANCE);
    assert_in_range(outcome.counts[1].cycles, 300, 100 * outcome.counts[1].own_most);
    assert_about(outcome.busy, covered + outcome.counts[1].cycles);

    /* The charge inside is no part of it. */
    const struct tigon_charge around[] = {{STEP("a", OUTER, 0, TIGON_CHARGE_EXECUTED)},
                                          {STEP("b", INNER, 1000, TIGON_CHARGE_AFTER)}};
    outcome = run(around, 2, false, 100, true, false);
    assert_int_equal(outcome.counts[1].cycles, 100000);
    assert_in_range(outcome.counts[0].cycles, 800, 100 * ALLOWANCE);
    assert_about(outcome.busy, 100000 + outcome.counts[0].cycles);

    /* Nor is a function that a charge of no cycles leaves to the other charges. */
    const struct tigon_charge covered_inside[] = {{STEP("a", OUTER, 0, TIGON_CHARGE_EXECUTED)},
                                                  {STEP("b", INNER, 0, TIGON_CHARGE_BEFORE)}};
    const uint64_t whole = run(covered_inside, 1, false, 100, true, false).counts[0].cycles;
    assert_true(run(covered_inside, 2, false, 100, true, false).counts[0].cycles + 300 <= whole);
}

/* Core B is charged as core A is. */
static void test_second(void **state) {
    (void)state;
    const struct tigon_charge before = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};
    struct outcome outcome = run_on(1, &before, 1, false, 10, false, false);
    assert_about(outcome.busy, 10000);
    assert_int_equal(outcome.counts[0].charged, 10);
}

/* A charge smaller than the executed time shortens nothing, and is reported. */
static void test_late(void **state) {
    (void)state;
    const struct tigon_charge charge = {STEP("step", OUTER, 1, TIGON_CHARGE_BEFORE)};
    struct outcome outcome = run(&charge, 1, false, 100, false, false);
    const uint64_t alone = run(NULL, 0, false, 100, false, false).busy;
    assert_int_equal(outcome.busy, alone);
    assert_true(outcome.counts[0].late > 90);
    assert_true(outcome.counts[0].late_most > 0);
}

/* Time executed before an idle moment is not made up for. */
static void test_idle(void **state) {
    (void)state;
    const struct tigon_charge charge = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};
    const struct tigon_charge_table table = {
        .charges = (struct tigon_charge *)&charge, .count = 1, .idle = IDLE};
    uint64_t busy[2];
    for (unsigned idle = 0; idle < 2; idle++) {
        struct bench *bench = bench_make(1, NULL);
        struct tigon_charging *charging;
        struct tigon_cpu *cpu = tigon_board_cpu(bench->board, 0);
        place_program(bench->board, 1, false, false);
        /* 200 turns of a loop, then possibly an idle moment, then the step. */
        PLACE(bench->board, MAIN, ADDIU(S0, ZERO, 200), ADDIU(S0, S0, -1), BNE(S0, ZERO, -2), NOP,
              JAL(idle ? IDLE : INNER), NOP, JAL(OUTER), NOP, HALT);
        assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), 0);
        set_reg(bench->board, 0x144, MAIN);
        set_reg(bench->board, 0x140, 0);
        const uint64_t start = cpu->cycle;
        pass_ns(bench, 1000000);
        assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALT_EXECUTED);
        busy[idle] = cpu->cycle - start;
        tigon_charging_end(charging);
        bench_destroy(bench);
    }
    assert_about(busy[0], 1000);
    assert_in_range(busy[1], 1000 + 600, 1000 + 600 + 2 * ALLOWANCE);
}

/* Takes the lock, calls OUTER once, gives the lock back and halts. */
static void place_locked(struct tigon_board *board) {
    place_program(board, 1, false, false);
    PLACE(board, MAIN, ADDIU(SP, ZERO, STACK), LUI(S0, 0xC000), SW(S0, 0x48, S0), LW(S1, 0x48, S0),
          BEQ(S1, ZERO, -3), NOP, JAL(OUTER), NOP, SW(S0, 0x48, S0), HALT);
}

static const struct tigon_charge locked_charge = {STEP("step", OUTER, 1000, TIGON_CHARGE_BEFORE)};

/* A step's time passes when the core has given the lock back: its effect comes before, and so does
 * that of the other core, which waits for the lock. */
static void test_lock_held(void **state) {
    (void)state;
    const struct tigon_charge_table table = {.charges = (struct tigon_charge *)&locked_charge,
                                             .count = 1};
    struct bench *bench = bench_make(1, NULL);
    struct tigon_charging *charging;
    struct seen seen = {0};
    struct tigon_cpu *cpu = tigon_board_cpu(bench->board, 0);
    place_locked(bench->board);
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), 0);
    assert_true(tigon_cpu_add_observer(cpu, see, &seen));
    set_reg(bench->board, 0x144, MAIN);
    set_reg(bench->board, 0x140, 0);
    const uint64_t start = cpu->cycle;
    pass_ns(bench, 100000);
    assert_int_equal(seen.count, 1);
    assert_in_range(seen.cycles[0] - start, 1, 2 * ALLOWANCE);
    assert_in_range(cpu->cycle - start, 1000, 1000 + 3 * ALLOWANCE);
    assert_int_equal(reg(bench->board, 0x48), 0);
    tigon_cpu_remove_observer(cpu, see, &seen);
    tigon_charging_end(charging);
    bench_destroy(bench);
}

/* The time for which a core waits for the lock is no part of the step that follows. */
static void test_lock_waits(void **state) {
    (void)state;
    const struct tigon_charge_table table = {.charges = (struct tigon_charge *)&locked_charge,
                                             .count = 1};
    enum { WAIT_NS = 6000, WAIT_CYCLES = 528 };
    struct bench *bench = bench_make(1, NULL);
    struct tigon_charging *charging;
    struct tigon_cpu *cpu = tigon_board_cpu(bench->board, 0);
    place_locked(bench->board);
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), 0);
    set_reg(bench->board, 0x4C, 1); /* as core B: takes it */
    set_reg(bench->board, 0x144, MAIN);
    set_reg(bench->board, 0x140, 0);
    const uint64_t start = cpu->cycle;
    pass_ns(bench, WAIT_NS);
    set_reg(bench->board, 0x4C, 1); /* and gives it back */
    pass_ns(bench, 100000);
    assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALT_EXECUTED);
    assert_in_range(cpu->cycle - start, WAIT_CYCLES + 1000 - ALLOWANCE,
                    WAIT_CYCLES + 1000 + 2 * ALLOWANCE);
    tigon_charging_end(charging);
    bench_destroy(bench);
}

static void test_refused(void **state) {
    (void)state;
    static struct tigon_charge charges[TIGON_CHARGES + 1];
    struct bench *bench = bench_make(1, NULL);
    struct tigon_charging *charging;
    struct tigon_charge_table table = {.charges = charges, .count = TIGON_CHARGES + 1};
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), -EINVAL);
    table.count = 1; /* function 0 */
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), -EINVAL);
    charges[0].function = OUTER + 2;
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), -EINVAL);
    charges[0].function = OUTER;
    charges[0].times = 1; /* its arguments are gone when the function returns */
    charges[0].place = TIGON_CHARGE_AFTER;
    assert_int_equal(tigon_charging_start(&charging, bench->board, 0, &table), -EINVAL);
    charges[0].times = 0;
    assert_int_equal(tigon_charging_start(&charging, bench->board, 2, &table), -EINVAL);
    assert_int_equal(tigon_charging_start(&charging, bench->board, 1, &table), 0);
    tigon_charging_end(charging);
    tigon_charging_end(NULL);
    bench_destroy(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sum),       cmocka_unit_test(test_effects),
        cmocka_unit_test(test_nested),    cmocka_unit_test(test_argument),
        cmocka_unit_test(test_others),    cmocka_unit_test(test_late),
        cmocka_unit_test(test_idle),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_units),     cmocka_unit_test(test_nested_without_charge),
        cmocka_unit_test(test_lock_held), cmocka_unit_test(test_lock_waits),
        cmocka_unit_test(test_executed),  cmocka_unit_test(test_second),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
