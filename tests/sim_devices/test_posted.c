/* What a host does ahead of time and what is made up for later (host_posted.h,
 * tigon_host_run_ahead): the same as if each access were simulated when it happens. */
#include "tests/sim_cpu/assemble.h"
#include "tests/sim_devices/bench.h"

#include "sim/host_cpu.h"
#include "sim/observer.h"

enum {
    LOG_LIMIT = 256,
    MAILBOX = 0x504, /* low word of mailbox 0 */
    WINDOW_BASE = 0x068,
    WINDOW = 0x800,
    WATCHED = 0x8000,
    TEXT = 0x4000
};

/* --------------------------------------------------------------------------------------- Ahead */

struct work {
    bool ahead;
    size_t count;
    uint64_t log[LOG_LIMIT];
};

static void note(struct work *work, uint64_t value) {
    if (work->count < LOG_LIMIT)
        work->log[work->count++] = value;
}

static void note_change(void *context, struct tigon_board *board, uint64_t ticks) {
    struct work *work = context;
    note(work, ticks);
    note(work, board->registers[0x064 / 4]);
    note(work, tigon_board_peek32(board, 0x104));
    note(work, board->statistics.host_register_writes);
}

static void note_program(void *context, const struct tigon_board *board, size_t index,
                         const char *name, enum tigon_program_state state, uint64_t ticks) {
    (void)board;
    (void)name;
    note(context, index << 8 | state);
    note(context, ticks);
}

static int worker(struct tigon_host *host, void *argument) {
    struct work *work = argument;
    const uint32_t words[] = {1, 2, 3, 4, 5, 6, 7};
    tigon_host_spend_ns(host, 100);
    if (work->ahead)
        tigon_host_run_ahead(host);
    tigon_host_spend_ns(host, 300);
    tigon_host_write32(host, MAILBOX, 0x11);
    tigon_host_spend_ns(host, 50);
    tigon_host_write_block(host, MAILBOX + 4, words, 7);
    tigon_host_write32(host, MAILBOX, 0x22);
    note(work, tigon_host_read32(host, MAILBOX));
    for (uint32_t i = 0; i < 20; i++) /* more than is kept at once */
        tigon_host_write32(host, MAILBOX, i);
    if (work->ahead)
        tigon_host_catch_up(host);
    note(work, tigon_host_now_ns(host));
    return 0;
}

static int intruder(struct tigon_host *host, void *argument) {
    for (uint32_t i = 0; i < 4; i++) {
        tigon_host_write32(host, MAILBOX, 0x100 + i);
        tigon_host_spend_ns(host, 120);
    }
    note(argument, tigon_host_now_ns(host));
    return 0;
}

static void start_intruder(void *context) {
    struct bench *bench = context;
    struct work *work = bench->observed;
    tigon_host_start(tigon_board_host(bench->board), "intruder", intruder, work);
}

static void crash(void *context) {
    struct bench *bench = context;
    tigon_host_crash(tigon_board_host(bench->board));
}

static void run_work(struct work *work, uint64_t at_ns, void (*disturb)(void *context)) {
    struct bench *bench = bench_make(1, NULL);
    const struct tigon_observer observer = {
        .context = work, .changed = note_change, .program = note_program};
    bench->observed = work;
    assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    work->count = 0;
    tigon_host_start(tigon_board_host(bench->board), "worker", worker, work);
    tigon_world_call_at(bench->world, at_ns, disturb, bench);
    tigon_world_set_run_on(bench->world, true);
    tigon_world_run(bench->world, 20000);
    bench_destroy(bench);
}

static void compare_work(uint64_t at_ns, void (*disturb)(void *context)) {
    static struct work plain, ahead;
    ahead.ahead = true;
    run_work(&plain, at_ns, disturb);
    run_work(&ahead, at_ns, disturb);
    assert_in_range(plain.count, 5, LOG_LIMIT - 1);
    assert_int_equal(plain.count, ahead.count);
    for (size_t i = 0; i < plain.count; i++)
        if (plain.log[i] != ahead.log[i])
            fail_msg("at %llu ns, entry %zu: %llu, ahead %llu", (unsigned long long)at_ns, i,
                     (unsigned long long)plain.log[i], (unsigned long long)ahead.log[i]);
}

static void test_program_ahead(void **state) {
    (void)state;
    for (uint64_t at_ns = 1; at_ns < 4200; at_ns += 13) {
        compare_work(at_ns, start_intruder);
        compare_work(at_ns, crash);
    }
}

/* ---------------------------------------------------------------------------------------- Late */

struct outcome {
    uint64_t instructions[2];
    uint32_t gpr[2][32];
    uint64_t beats[TIGON_BUS_MASTERS], stalls[TIGON_BUS_MASTERS];
    uint32_t words[64];
};

static uint64_t next_number(uint64_t *number) {
    *number ^= *number << 13;
    *number ^= *number >> 7;
    *number ^= *number << 17;
    return *number;
}

/* Words, bursts, windows and mailboxes, and once in a while other text. */
static int writer(struct tigon_host *host, void *argument) {
    uint64_t number = *(const uint64_t *)argument;
    uint32_t words[8];
    tigon_host_write32(host, WINDOW_BASE, WATCHED);
    for (unsigned turn = 0; turn < 60; turn++) {
        for (unsigned i = 0; i < 8; i++)
            words[i] = (uint32_t)next_number(&number);
        const uint32_t place = WINDOW + 4 * (uint32_t)(next_number(&number) % 8);
        switch (next_number(&number) % 8) {
        case 0:
            tigon_host_write_block(host, place, words, 1 + next_number(&number) % 8);
            break;
        case 1:
            tigon_host_write32(host, MAILBOX, words[0]);
            break;
        case 2: /* the immediate value of core A's counting */
            tigon_host_write32(host, WINDOW_BASE, TEXT);
            tigon_host_write32(host, WINDOW + 4 * 6, ADDIU(S0, S0, (int32_t)(words[0] % 9)));
            tigon_host_write32(host, WINDOW_BASE, WATCHED);
            break;
        case 3:
            (void)tigon_host_read32(host, place);
            break;
        default:
            tigon_host_write32(host, place, words[0]);
            break;
        }
        if (next_number(&number) % 3 == 0)
            tigon_host_spend_ns(host, next_number(&number) % 2000);
    }
    return 0;
}

static void ignore_change(void *context, struct tigon_board *board, uint64_t ticks) {
    (void)context;
    (void)board;
    (void)ticks;
}

static void start(struct tigon_board *board, unsigned core, uint32_t address) {
    set_reg(board, 0x144 + 0x100 * core, address);
    set_reg(board, 0x140 + 0x100 * core, 0);
}

/* Core A adds up what it reads, so that each cycle counts; B waits for the same words to change, by
 * a loop that can be parked, or through the window register. */
static struct outcome run_late(uint64_t seed, bool late, bool registers, const char *parking) {
    const char *const knobs[] = {parking, NULL};
    struct bench *bench = bench_make(1, knobs);
    struct tigon_board *board = bench->board;
    const struct tigon_observer observer = {.context = bench, .changed = ignore_change};
    struct outcome outcome;
    memset(&outcome, 0, sizeof outcome);
    if (!late)
        assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    PLACE(board, TEXT, ORI(A0, ZERO, WATCHED), ADDIU(S0, ZERO, 0), ADDIU(S1, ZERO, 0),
          /* again */ LW(V0, 0, A0), LW(V1, 12, A0), ADDU(S1, S1, V0), ADDIU(S0, S0, 1),
          ADDU(S1, S1, V1), SW(S1, 0x80, A0), BEQ(ZERO, ZERO, -7), ADDU(S2, S2, S1));
    if (registers)
        PLACE(board, TEXT + 0x800, LUI(GP, 0xC000), /* again */ LW(V0, 0x6C, GP), LW(V1, 0x68, GP),
              ADDU(S1, S1, V0), ADDU(S1, S1, V1), BEQ(ZERO, ZERO, -5), ADDU(S2, S2, S1));
    else
        PLACE(board, TEXT + 0x800, ORI(A0, ZERO, WATCHED),
              /* again */ LW(V0, 4, A0), BEQ(V0, V1, -2), NOP, ADDU(V1, V0, ZERO), ADDIU(S0, S0, 1),
              BEQ(ZERO, ZERO, -6), SW(S0, 0x84, A0));
    start(board, TIGON_CORE_B, TEXT + 0x800);
    if (seed % 2)
        start(board, TIGON_CORE_A, TEXT);
    tigon_host_start(tigon_board_host(board), "writer", writer, &seed);
    assert_int_equal(tigon_world_run(bench->world, 1000000), TIGON_END_FINISHED);
    tigon_world_set_run_on(bench->world, true);
    tigon_world_run(bench->world, tigon_world_now_ns(bench->world) + 5000);
    for (unsigned core = 0; core < 2; core++) {
        struct tigon_statistics statistics;
        tigon_board_stop_core(board, core); /* which brings one that is parked up to date */
        tigon_board_statistics(board, &statistics);
        outcome.instructions[core] = statistics.core[core].instructions;
        memcpy(outcome.gpr[core], board->cpu[core].gpr, sizeof outcome.gpr[core]);
    }
    for (uint32_t i = 0; i < 64; i++)
        outcome.words[i] = tigon_board_peek32(board, WATCHED + 4 * i);
    memcpy(outcome.beats, board->bus.beats, sizeof outcome.beats);
    memcpy(outcome.stalls, board->bus.stalls, sizeof outcome.stalls);
    bench_destroy(bench);
    return outcome;
}

static void test_late_writes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++)
        for (unsigned kind = 0; kind < 4; kind++) {
            const char *parking = kind & 1u ? "idle_parking=0" : "idle_parking=1";
            const struct outcome late = run_late(seed, true, kind & 2u, parking);
            const struct outcome early = run_late(seed, false, kind & 2u, parking);
            assert_memory_equal(late.words, early.words, sizeof late.words);
            assert_memory_equal(late.instructions, early.instructions, sizeof late.instructions);
            assert_memory_equal(late.gpr, early.gpr, sizeof late.gpr);
            assert_memory_equal(late.beats, early.beats, sizeof late.beats);
            assert_memory_equal(late.stalls, early.stalls, sizeof late.stalls);
        }
}

int posted_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_ahead),
        cmocka_unit_test(test_late_writes),
    };
    return cmocka_run_group_tests_name("posted", tests, NULL, NULL);
}
