/* SPDX-License-Identifier: MIT */
/*
 * Results depend on nothing but image, knobs and seed: not on running again, observers, the pieces
 * of a run, or any shortcut of the simulator (sim/knobs.h). (What cores do ahead of their shared
 * accesses is tested in tests/sim_cpu/test_order.c.)
 *
 * An exchange under faults is run in several ways. Signals with their times, every frame with its
 * time and fate, every DMA, and the boards' counts at the end are compared; only what parking is
 * about (idle signals, parked cycles) may differ.
 */
#include "tests/host/check.h"

#include "sim/core/cpu.h"
#include "sim/observer.h"
#include "tests/end_to_end/exchange.h"
#include "tests/sim_cpu/assemble.h"

#include <string.h>

#define LIMIT_NS UINT64_C(1000000000)
#define MESSAGES 12
#define SEED     7

struct way {
    const char *knobs; /* "NAME=VALUE", separated by blanks */
    uint64_t step_ns;  /* the world is run in pieces of this length; 0: in one */
    bool watched;      /* an observer on every core */
};

struct record {
    /* Of frames, transfers, what the hosts read and signals, by board: within the wire's lookahead
     * boards are run one after the other. */
    uint64_t hash[4][2];
    uint64_t signals, frames, transfers, instructions_seen;
    uint64_t end_ns;
    struct tigon_statistics statistics[2];
};

static void add(uint64_t *hash, const void *bytes, size_t length) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i < length; i++)
        *hash = (*hash ^ at[i]) * UINT64_C(0x100000001B3);
}

static void add_number(uint64_t *hash, uint64_t number) {
    add(hash, &number, sizeof number);
}

static void on_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                      uint32_t value, uint64_t ticks) {
    struct record *record = context;
    if (signal == TIGON_SIGNAL_IDLE_A || signal == TIGON_SIGNAL_IDLE_B)
        return;
    uint64_t *hash = &record->hash[3][tigon_board_index(board)];
    record->signals++;
    add_number(hash, (uint64_t)signal);
    add_number(hash, value);
    add_number(hash, ticks);
}

static void on_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct record *record = context;
    uint64_t *hash = &record->hash[0][frame->from_side];
    record->frames++;
    add(hash, frame->bytes, frame->length);
    add_number(hash, (uint64_t)fate);
    add_number(hash, frame->time_ticks);
}

static void on_transfer(void *context, const struct tigon_transfer *transfer) {
    struct record *record = context;
    uint64_t *hash = &record->hash[1][tigon_board_index(transfer->board)];
    record->transfers++;
    add_number(hash, transfer->started);
    add_number(hash, transfer->ended);
}

static bool on_instruction(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    struct record *record = context;
    (void)core, (void)pc, (void)cycle;
    record->instructions_seen++;
    return false;
}

/* What CPU B of other firmware does while it has no work (tigon2.md 5.5): looks at the DMA assist,
 * its event word, a word in SRAM, and whether five microseconds are over; then it notes the time.
 */
static void start_core_b(struct tigon_host *host) {
    const uint32_t program[] = {LUI(K1, 0xC000),
                                LUI(A1, 0x00C0),
                                /* again */ LW(T0, 0x054, K1),
                                /* wait */ LW(T1, 0x11C, K1),
                                ANDI(T1, T1, 0x8800),
                                BNE(T1, ZERO, 7),
                                LW(T2, 0xFF0, ZERO),
                                BNE(T2, ZERO, 5),
                                LW(T1, 0x054, K1),
                                SUBU(T1, T1, T0),
                                SLTIU(T1, T1, 5),
                                BNE(T1, ZERO, -9),
                                NOP,
                                /* left */ ADDIU(T3, T3, 1),
                                BEQ(ZERO, ZERO, -13),
                                SW(T3, 0x1000, A1)};
    for (size_t i = 0; i < sizeof program / sizeof program[0]; i++) {
        tigon_host_write32(host, 0x254, 0x00C00000u + 4u * (uint32_t)i);
        tigon_host_write32(host, 0x258, program[i]);
    }
    tigon_host_write32(host, 0x244, 0x00C00000u);
    tigon_host_write32(host, 0x240, 0);
}

struct run {
    bool core_b; /* B polls the DMA assist, the timer and a word of SRAM */
    struct record record;
};

static int program(struct pair_side *side, void *argument) {
    struct run *run = argument;
    uint64_t *hash = &run->record.hash[2][side->index];
    libemp_request in[4], out;
    struct libemp_memory *memory = NULL;
    void *bytes = libemp_allocate(side->board, 8192);
    int error = bytes ? libemp_register(side->board, bytes, 8192, &memory) : -1;
    const struct libemp_piece piece = {memory, 0, 3000};
    if (run->core_b)
        start_core_b(side->host);
    for (size_t i = 0; i < 4 && !error; i++)
        error = libemp_post_receive(side->board, side->peer, 9, &piece, 1, &in[i]);
    for (size_t i = 0; i < MESSAGES && !error; i++) {
        if (i % 5 == 4)
            tigon_host_sleep_ns(side->host, 130000);
        /* What a host reads of running cores: program counter of A, a register and a word of B. */
        add_number(hash, tigon_host_read32(side->host, 0x144));
        add_number(hash, tigon_host_read32(side->host, 0x2AC));
        tigon_host_write32(side->host, 0x254, 0x00C01000);
        add_number(hash, tigon_host_read32(side->host, 0x258));
        error = libemp_post_send(side->board, side->peer, 9, &piece, 1, &out);
        if (!error)
            error = libemp_wait(side->board, in[i % 4], LIBEMP_FOREVER, NULL);
        if (!error && i + 4 < MESSAGES)
            error = libemp_post_receive(side->board, side->peer, 9, &piece, 1, &in[i % 4]);
        if (!error)
            error = libemp_wait(side->board, out, LIBEMP_FOREVER, NULL);
    }
    return error ? pair_fail(side, error, NULL) : 0;
}

static void set_knobs(struct tigon_knobs *knobs, const char *texts) {
    char text[64];
    for (int read; sscanf(texts, "%63s%n", text, &read) == 1; texts += read)
        assert_int_equal(tigon_knobs_assign(knobs, text), 0);
}

static struct record run_way(const struct way *way, bool core_b, uint64_t seed) {
    struct run run = {.core_b = core_b};
    struct pair_options options;
    struct pair pair;
    exchange_options(&options, seed, 0.03, 0.02, 0.02);
    set_knobs(&options.knobs, way->knobs);
    assert_int_equal(pair_open(&pair, &options), 0);
    const struct tigon_observer observer = {
        .context = &run.record, .signal = on_signal, .frame = on_frame, .transfer = on_transfer};
    assert_int_equal(tigon_world_attach(pair.world, &observer), 0);
    for (unsigned board = 0; board < 2 && way->watched; board++)
        for (unsigned core = 0; core < 2; core++)
            assert_true(tigon_cpu_add_observer(tigon_board_cpu(pair.side[board].hardware, core),
                                               on_instruction, &run.record));
    (void)pair_run(&pair, program, &run, program, &run, way->step_ns ? way->step_ns : LIMIT_NS);
    for (uint64_t at = way->step_ns; pair.end == TIGON_END_TIME_LIMIT && at < LIMIT_NS;) {
        at += way->step_ns;
        pair.end = tigon_world_run(pair.world, at);
    }
    if (pair.end != TIGON_END_FINISHED)
        pair_complain(&pair, stderr);
    assert_int_equal(pair.end, TIGON_END_FINISHED);
    run.record.end_ns = tigon_world_now_ns(pair.world);
    for (unsigned board = 0; board < 2; board++) {
        /* A look at its registers brings a parked core to where one that polls has come. */
        (void)tigon_board_peek_register(pair.side[board].hardware, 0x180);
        (void)tigon_board_peek_register(pair.side[board].hardware, 0x280);
        tigon_board_statistics(pair.side[board].hardware, &run.record.statistics[board]);
    }
    pair_close(&pair);
    return run.record;
}

static void compare(const struct way *ways, size_t count, bool core_b, uint64_t seed) {
    const struct record first = run_way(&ways[0], core_b, seed);
    assert_true(first.signals > 1000 && first.frames > 40 && first.transfers > 40);
    assert_true(first.statistics[0].core[0].parked_cycles > 0);
    if (core_b)
        assert_true(first.statistics[0].core[1].parked_cycles > 0);
    for (size_t i = 1; i < count; i++) {
        struct record other = run_way(&ways[i], core_b, seed);
        struct record expected = first;
        assert_int_equal(other.instructions_seen != 0, ways[i].watched);
        other.instructions_seen = 0;
        for (unsigned board = 0; board < 2; board++)
            for (unsigned core = 0; core < 2; core++) {
                if (strstr(ways[i].knobs, "idle_parking=0"))
                    assert_int_equal(other.statistics[board].core[core].parked_cycles, 0);
                other.statistics[board].core[core].parked_cycles = 0;
                expected.statistics[board].core[core].parked_cycles = 0;
            }
        if (memcmp(&expected, &other, sizeof other) != 0)
            print_error("differs with seed %llu: %s%s, in pieces of %llu ns\n",
                        (unsigned long long)seed, ways[i].knobs, ways[i].watched ? ", watched" : "",
                        (unsigned long long)ways[i].step_ns);
        assert_int_equal(expected.end_ns, other.end_ns);
        assert_int_equal(expected.signals, other.signals);
        assert_int_equal(expected.frames, other.frames);
        assert_memory_equal(expected.statistics, other.statistics, sizeof other.statistics);
        for (unsigned kind = 0; kind < 4; kind++)
            for (unsigned board = 0; board < 2; board++)
                assert_int_equal(expected.hash[kind][board], other.hash[kind][board]);
        assert_memory_equal(&expected, &other, sizeof other);
    }
}

static void same_results__core_a(void **state) {
    (void)state;
    static const struct way ways[] = {
        {"", 0, false}, /* the one that the others are compared with */
        {"", 0, false},
        {"", 0, true},
        {"", 333337, false},
        {"idle_parking=0", 0, false},
        {"idle_parking=0", 1000003, true},
        {"native_code=0", 0, false},
        {"shared_translation=0", 0, false},
        {"host_poll_watchpoint=0", 0, false},
        {"host_run_ahead=0", 0, false},
    };
    compare(ways, sizeof ways / sizeof ways[0], false, SEED);
}

#define PLAIN                                                                                      \
    "idle_parking=0 native_code=0 shared_translation=0 host_poll_watchpoint=0 host_run_ahead=0"

static void same_results__both_cores(void **state) {
    (void)state;
    static const struct way ways[] = {
        {"", 0, false},
        {"", 777777, true},
        {"idle_parking=0", 0, false},
        {"native_code=0", 0, false},
        {"native_code=0 idle_parking=0", 0, false},
        {"host_poll_watchpoint=0 host_run_ahead=0", 0, false},
        {PLAIN, 0, false},
        {PLAIN, 1000003, true},
    };
    compare(ways, sizeof ways / sizeof ways[0], true, SEED);
}

/* A line fill of a core that meets the host's polls has the same cycles: in some of these runs one
 * begins before the poll that finds a new word, and ends after it. */
static void same_results__poll_by_poll(void **state) {
    (void)state;
    static const struct way ways[] = {{"", 0, false}, {"host_poll_watchpoint=0", 0, false}};
    for (uint64_t seed = 1; seed <= 12; seed++) {
        compare(ways, sizeof ways / sizeof ways[0], false, seed);
        compare(ways, sizeof ways / sizeof ways[0], true, seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_results__core_a),
        cmocka_unit_test(same_results__both_cores),
        cmocka_unit_test(same_results__poll_by_poll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
