/* SPDX-License-Identifier: MIT */
/* Observers of worlds and cores, and the parts of sim/observe/ that need no firmware image. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim/observe/describe.h"
#include "sim/observe/event_log.h"
#include "sim/observe/profile.h"
#include "sim/observe/reorder.h"
#include "sim/observer.h"
#include "sim/base/random.h"
#include "tests/sim_cpu/assemble.h"
#include "tests/sim_devices/bench.h"

/* ------------------------------------------------------------------------------------------------
 * Order */

struct order {
    uint64_t last;
    uint64_t written;
    bool wrong;
};

static void check_order(void *context, const struct tigon_reorder_entry *entry) {
    struct order *order = context;
    order->wrong |= entry->ticks < order->last;
    order->last = entry->ticks;
    order->written++;
}

/* Entries up to a horizon late come out in order; a later one is counted and not lost. */
static void test_reorder(void **state) {
    (void)state;
    struct order order = {0};
    struct tigon_random random = tigon_random_for(1, 2, 3);
    struct tigon_reorder *reorder = tigon_reorder_create(1000, check_order, &order);
    assert_non_null(reorder);
    for (uint64_t now = 0; now < 100000; now += tigon_random_below(&random, 50)) {
        const struct tigon_reorder_entry entry = {
            .ticks = now + 500 - tigon_random_below(&random, now < 1500 ? 1 : 1500),
            .source = (uint32_t)tigon_random_below(&random, 7),
            .text = strdup("text"),
        };
        assert_int_equal(tigon_reorder_add(reorder, &entry, now), 0);
    }
    assert_false(order.wrong);
    assert_true(order.written > 1000);
    assert_int_equal(tigon_reorder_late(reorder), 0);
    const struct tigon_reorder_entry late = {.ticks = 17};
    assert_int_equal(tigon_reorder_add(reorder, &late, 100000), 0);
    assert_int_equal(tigon_reorder_late(reorder), 1);
    tigon_reorder_flush(reorder);
    assert_false(order.wrong);
    tigon_reorder_free(reorder);
}

static void note_source(void *context, const struct tigon_reorder_entry *entry) {
    char *text = context;
    (void)snprintf(text + strlen(text), 4, "%u%c ", entry->source, (int)entry->value);
}

/* The order of arrival depends on how far cores run ahead, the order of writing does not. */
static void test_reorder_ties(void **state) {
    (void)state;
    static const char *const comings[] = {"2a2b1a3a1b", "1a3a2a1b2b", "3a1a1b2a2b"};
    for (size_t i = 0; i < 3; i++) {
        char text[32] = "";
        struct tigon_reorder *reorder = tigon_reorder_create(10, note_source, text);
        for (const char *at = comings[i]; *at; at += 2) {
            const struct tigon_reorder_entry entry = {
                .ticks = 5, .source = (uint32_t)(at[0] - '0'), .value = (uint64_t)at[1]};
            assert_int_equal(tigon_reorder_add(reorder, &entry, 0), 0);
        }
        tigon_reorder_flush(reorder);
        assert_string_equal(text, "1a 1b 2a 2b 3a ");
        tigon_reorder_free(reorder);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Names */

static void test_patterns(void **state) {
    (void)state;
    assert_true(tigon_describe_matches("*", "left.event_a", NULL));
    assert_true(tigon_describe_matches("right.*,left.ev*", "left.event_a", NULL));
    assert_false(tigon_describe_matches("right.*,left.dma*", "left.event_a", NULL));
    assert_false(tigon_describe_matches("", "left.event_a", NULL));
    assert_false(tigon_describe_matches("*,right.hw_0c4", "left.hw_0c4", "hw_"));
    assert_true(tigon_describe_matches("*,*.hw_0c?", "left.hw_0c4", "hw_"));
}

static void test_kinds(void **state) {
    (void)state;
    const char *text = "dma,fault";
    size_t length;
    unsigned kinds;
    assert_true(tigon_log_parse_kinds(&text, &length, &kinds));
    assert_int_equal(kinds, 1u << TIGON_LOG_DMA | 1u << TIGON_LOG_FAULT);
    text = "all";
    assert_true(tigon_log_parse_kinds(&text, &length, &kinds));
    assert_int_equal(kinds, (1u << TIGON_LOG_KIND_COUNT) - 1u);
    text = "dma,frames,send";
    assert_false(tigon_log_parse_kinds(&text, &length, &kinds));
    assert_memory_equal(text, "frames", length);
    text = "dma,";
    assert_false(tigon_log_parse_kinds(&text, &length, &kinds));
    text = "";
    assert_false(tigon_log_parse_kinds(&text, &length, &kinds));
}

static void test_json_text(void **state) {
    (void)state;
    char text[64] = "";
    FILE *stream = fmemopen(text, sizeof text, "w");
    tigon_describe_json(stream, "a\"b\\c\n\x01");
    (void)fclose(stream);
    assert_string_equal(text, "\"a\\\"b\\\\c\\u000a\\u0001\"");
}

/* ------------------------------------------------------------------------------------------------
 * Listening */

struct heard {
    unsigned signals;
    unsigned transfers;
    unsigned frames;
    unsigned kept;
    unsigned dropped;
    unsigned programs[TIGON_PROGRAM_FINISHED + 1];
    uint64_t bytes;
    uint64_t busy_ticks;
};

static void hear_signal(void *context, const struct tigon_board *board, enum tigon_signal signal,
                        uint32_t value, uint64_t ticks) {
    struct heard *heard = context;
    (void)board;
    (void)signal;
    (void)value;
    (void)ticks;
    heard->signals++;
}

static void hear_transfer(void *context, const struct tigon_transfer *transfer) {
    struct heard *heard = context;
    assert_true(transfer->ended > transfer->started);
    assert_false(transfer->write);
    assert_int_equal(transfer->ring, 0);
    heard->transfers++;
    heard->bytes += transfer->length;
    heard->busy_ticks += transfer->ended - transfer->started;
}

static void hear_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct heard *heard = context;
    (void)fate;
    assert_int_equal(frame->index, heard->frames);
    heard->frames++;
}

static void hear_arrival(void *context, const struct tigon_arrival *arrival) {
    struct heard *heard = context;
    assert_int_equal(tigon_board_index(arrival->board), 1);
    heard->kept += arrival->fate == TIGON_ARRIVAL_KEPT;
    heard->dropped += arrival->fate == TIGON_ARRIVAL_DROPPED;
}

static void hear_program(void *context, const struct tigon_board *board, size_t index,
                         const char *name, enum tigon_program_state state, uint64_t ticks) {
    struct heard *heard = context;
    (void)board;
    (void)ticks;
    assert_int_equal(index, 0);
    assert_string_equal(name, "sender");
    heard->programs[state]++;
}

enum { FRAMES = 4 };

static int send_frames(struct tigon_host *host, void *argument) {
    struct bench *bench = argument;
    uint64_t address;
    uint8_t *memory = tigon_host_allocate(host, 4096, &address);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < FRAMES; i++) {
        make_frame(bench->peer, memory, 100 + i, i);
        if (i == 3)
            memory[5] ^= 0x55; /* to somebody else */
        send_from_host(bench->board, address, &local, 100 + i);
        tigon_host_spend_ns(host, 5000);
        tigon_host_sleep_ns(host, 5000);
    }
    return 0;
}

static const struct tigon_observer listening = {
    .signal = hear_signal,
    .frame = hear_frame,
    .arrival = hear_arrival,
    .transfer = hear_transfer,
    .program = hear_program,
};

static struct bench *send_from_bench(void) {
    struct bench *bench = bench_make(2, NULL);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    tigon_host_start(tigon_board_host(bench->board), "sender", send_frames, bench);
    return bench;
}

/* Every observer receives every event, as the statistics count it; a removed one none. */
static void test_observers(void **state) {
    (void)state;
    struct heard first = {0}, second = {0}, left = {0};
    struct tigon_observer observer = listening;
    struct tigon_statistics statistics;
    struct bench *bench = bench_make(2, NULL);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    struct heard *const all[] = {&first, &left, &second};
    for (size_t i = 0; i < 3; i++) {
        observer.context = all[i];
        assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    }
    tigon_world_detach(bench->world, &left);
    tigon_world_detach(bench->world, &statistics); /* no observer */
    tigon_host_start(tigon_board_host(bench->board), "sender", send_frames, bench);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_FINISHED);
    tigon_board_statistics(bench->board, &statistics);
    assert_int_equal(first.transfers, statistics.dma_read.transfers);
    assert_int_equal(first.bytes, statistics.dma_read.bytes);
    assert_int_equal(first.frames, FRAMES);
    assert_int_equal(first.kept, 3);
    assert_int_equal(first.dropped, 1);
    assert_int_equal(first.programs[TIGON_PROGRAM_READY], 1);
    assert_int_equal(first.programs[TIGON_PROGRAM_BUSY], FRAMES);
    assert_int_equal(first.programs[TIGON_PROGRAM_ASLEEP], FRAMES);
    assert_int_equal(first.programs[TIGON_PROGRAM_FINISHED], 1);
    assert_true(first.signals > 4 * FRAMES);
    assert_memory_equal(&first, &second, sizeof first);
    assert_int_equal(left.signals + left.frames + left.transfers, 0);
    bench_destroy(bench);
}

/* clang-format off */
static const char expected_log[] =
    "        2.886  board0   send       frame 0 to board1, 100 bytes, type 88b5\n"
    "        3.148  board0   dma        read 100 bytes from host 0x1000 to 0x134000, high ring, 1.149 us\n"
    "        4.082  board1   receive    frame 0 from board0, 100 bytes, type 88b5, kept\n"
    "       12.886  board0   send       frame 1 to board1, 101 bytes, type 88b5: lost\n"
    "       13.152  board0   dma        read 101 bytes from host 0x1000 to 0x134068, high ring, 1.152 us\n"
    "       22.886  board0   send       frame 2 to board1, 102 bytes, type 88b5\n"
    "       23.155  board0   dma        read 102 bytes from host 0x1000 to 0x1340d0, high ring, 1.155 us\n"
    "       24.098  board1   receive    frame 2 from board0, 102 bytes, type 88b5, kept\n"
    "       32.886  board0   send       frame 3 to board1, 103 bytes, type 88b5\n"
    "       33.158  board0   dma        read 103 bytes from host 0x1000 to 0x134138, high ring, 1.158 us\n"
    "       34.106  board1   receive    frame 3 from board0, 103 bytes, type 88b5, dropped\n";
/* clang-format on */

static enum tigon_fate lose_second(void *context, const struct tigon_frame_view *frame) {
    (void)context;
    return frame->index == 1 ? TIGON_FATE_LOSE : TIGON_FATE_DELIVER;
}

/* Text of the log, in the order of time although a frame is reported after its transfer. */
static void test_log(void **state) {
    (void)state;
    char *text = NULL;
    size_t length;
    struct tigon_event_log *log;
    struct bench *bench = send_from_bench();
    const struct tigon_log_options options = {.stream = open_memstream(&text, &length),
                                              .kinds = 1u << TIGON_LOG_DMA | 1u << TIGON_LOG_SEND |
                                                       1u << TIGON_LOG_RECEIVE};
    tigon_wire_set_filter(bench->wire, lose_second, NULL);
    assert_int_equal(tigon_event_log_start(&log, bench->world, &options), 0);
    assert_int_equal(tigon_world_run(bench->world, UINT64_MAX), TIGON_END_FINISHED);
    assert_int_equal(tigon_event_log_end(log), 0);
    (void)fclose(options.stream);
    assert_string_equal(text, expected_log);
    free(text);
    bench_destroy(bench);
}

/* ------------------------------------------------------------------------------------------------
 * Cores */

static bool count_instructions(void *context, unsigned core, uint32_t pc, uint64_t cycle) {
    unsigned *count = context;
    (void)core;
    (void)pc;
    (void)cycle;
    (*count)++;
    return false;
}

/* A main program that calls f three times, which calls g and jumps to h without coming back; then
 * r, which calls itself three times. */
static void place_calls(struct tigon_board *board) {
    PLACE(board, 0x4000, ADDIU(SP, ZERO, 0x3000), ADDIU(S0, ZERO, 3), JAL(0x5000), NOP,
          ADDIU(S0, S0, -1), BNE(S0, ZERO, -4), NOP, JAL(0x6000), ADDIU(A0, ZERO, 3), HALT);
    PLACE(board, 0x5000, ADDIU(SP, SP, -8), SW(RA, 4, SP), JAL(0x5100), NOP, LW(RA, 4, SP), NOP,
          J(0x5200), ADDIU(SP, SP, 8));
    PLACE(board, 0x5100, JR(RA), NOP);
    PLACE(board, 0x5200, ADDIU(V0, ZERO, 1), JR(RA), NOP);
    PLACE(board, 0x6000, BEQ(A0, ZERO, 7), NOP, ADDIU(SP, SP, -8), SW(RA, 4, SP), JAL(0x6000),
          ADDIU(A0, A0, -1), LW(RA, 4, SP), ADDIU(SP, SP, 8), JR(RA), NOP);
}

static void run_calls(struct bench *bench) {
    set_reg(bench->board, 0x144, 0x4000);
    set_reg(bench->board, 0x140, 0);
    pass_ns(bench, 100000);
    assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALT_EXECUTED);
}

/* One observer set in the old way, and others beside it, all see each instruction. */
static void test_core_observers(void **state) {
    (void)state;
    unsigned only = 0, counts[TIGON_CPU_OBSERVERS] = {0}, more = 0;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_cpu *cpu = tigon_board_cpu(bench->board, 0);
    place_calls(bench->board);
    tigon_cpu_set_observer(cpu, count_instructions, &only);
    for (size_t i = 0; i < TIGON_CPU_OBSERVERS; i++)
        assert_true(tigon_cpu_add_observer(cpu, count_instructions, &counts[i]));
    assert_false(tigon_cpu_add_observer(cpu, count_instructions, &more));
    tigon_cpu_remove_observer(cpu, count_instructions, &counts[2]);
    run_calls(bench);
    assert_true(only > 50);
    assert_int_equal(only, cpu->statistics.instructions);
    for (size_t i = 0; i < TIGON_CPU_OBSERVERS; i++)
        assert_int_equal(counts[i], i == 2 ? 0 : only);
    tigon_cpu_set_observer(cpu, NULL, NULL);
    for (size_t i = 0; i < TIGON_CPU_OBSERVERS; i++)
        tigon_cpu_remove_observer(cpu, count_instructions, &counts[i]);
    assert_null(cpu->observer);
    bench_destroy(bench);
}

static const struct tigon_profile_row *row_of(const struct tigon_profile_row *rows, size_t count,
                                              uint32_t start) {
    for (size_t i = 0; i < count; i++)
        if (rows[i].function->start == start)
            return &rows[i];
    fail_msg("no function at %08x", start);
    return NULL;
}

/* Calls are found in code without symbols, run twice: the second start clears the stack. */
static void test_profile_without_symbols(void **state) {
    (void)state;
    struct tigon_execution *execution;
    struct tigon_profile *profile;
    struct tigon_profile_row *rows;
    struct tigon_cost own = {0};
    struct bench *bench = bench_make(1, NULL);
    place_calls(bench->board);
    assert_int_equal(tigon_execution_start(&execution, bench->board), 0);
    assert_int_equal(tigon_profile_start(&profile, execution), 0);
    run_calls(bench);
    run_calls(bench);
    tigon_execution_end(execution);
    const size_t count = tigon_profile_rows(profile, 0, &rows);
    assert_int_equal(count, 4);
    const struct tigon_profile_row *whole = row_of(rows, count, 0x4000);
    const struct tigon_profile_row *f = row_of(rows, count, 0x5000);
    const struct tigon_profile_row *g = row_of(rows, count, 0x5100);
    const struct tigon_profile_row *r = row_of(rows, count, 0x6000);
    assert_string_equal(g->function->name, "at_00005100");
    assert_int_equal(whole->calls, 2);
    assert_int_equal(f->calls, 6);
    assert_int_equal(g->calls, 6);
    assert_int_equal(r->calls, 8);
    assert_int_equal(f->own.instructions, 6 * (8 + 3)); /* no symbol makes h a function */
    assert_int_equal(g->own.instructions, 6 * 2);
    assert_int_equal(f->inclusive.instructions, 6 * (8 + 3 + 2));
    assert_int_equal(r->own.instructions, 2 * (3 * 10 + 4));
    assert_int_equal(r->inclusive.instructions, r->own.instructions); /* itself counts once */
    for (size_t i = 0; i < count; i++) {
        own.instructions += rows[i].own.instructions;
        own.cycles += rows[i].own.cycles;
    }
    assert_int_equal(own.instructions, bench->board->cpu[0].statistics.instructions);
    assert_int_equal(own.instructions, whole->inclusive.instructions);
    assert_int_equal(own.cycles, whole->inclusive.cycles);
    assert_true(own.cycles > own.instructions);
    free(rows);
    assert_int_equal(tigon_profile_rows(profile, 1, &rows), 0);
    tigon_profile_free(profile);
    tigon_execution_free(execution);
    bench_destroy(bench);
}

static const char *function_at(const struct tigon_symbols *symbols, uint32_t address) {
    for (size_t i = 0; i < tigon_symbols_count(symbols); i++) {
        const struct tigon_function *function = tigon_symbols_function(symbols, i);
        if (address - function->start < function->bytes)
            return function->name;
    }
    return "none";
}

/* Both scratchpads have the same addresses, and both cores have functions of one name in SRAM. */
static void test_symbols_of_either_core(void **state) {
    (void)state;
    static const char *const loops[] = {"tigon2_event_loop", "tigon2_second_event_loop"};
    static const char *const sources[] = {"start.S", "second_start.S"};
    uint32_t counters[2];
    for (unsigned core = 0; core < 2; core++) {
        struct tigon_symbols *symbols;
        uint32_t address, none;
        unsigned line;
        const char *file;
        assert_int_equal(tigon_symbols_load(&symbols, DIVIDED_IMAGE, core), 0);
        assert_true(tigon_symbols_value(symbols, loops[core], &address));
        assert_false(tigon_symbols_value(symbols, loops[1 - core], &none));
        assert_string_equal(function_at(symbols, address), loops[core]);
        assert_true(tigon_symbols_line(symbols, address, &file, &line));
        assert_string_equal(strrchr(file, '/') + 1, sources[core]);
        assert_true(tigon_symbols_value(symbols, "nic_processor_counters", &counters[core]));
        tigon_symbols_free(symbols);
    }
    assert_int_not_equal(counters[0], counters[1]);
}

/* Images come from anywhere: damaged ones are refused or read as far as they go. */
static void test_damaged_images(void **state) {
    (void)state;
    enum { DAMAGES = 150 };
    struct tigon_random random = tigon_random_for(4, 5, 6);
    struct tigon_symbols *symbols;
    char path[] = "/tmp/test_observers.XXXXXX";
    uint32_t value;
    assert_int_equal(tigon_symbols_load(&symbols, "/no/such/image", 0), -ENOENT);
    assert_int_equal(tigon_symbols_load(&symbols, __FILE__, 0), -ENOEXEC);
    assert_int_equal(tigon_symbols_load(&symbols, FIRMWARE_IMAGE, 0), 0);
    assert_true(tigon_symbols_value(symbols, "tigon2_trace", &value));
    assert_false(tigon_symbols_value(symbols, "tigon2_tracer", &value));
    tigon_symbols_free(symbols);

    FILE *image = fopen(FIRMWARE_IMAGE, "rb");
    assert_non_null(image);
    static uint8_t bytes[4u << 20];
    const size_t length = fread(bytes, 1, sizeof bytes, image);
    (void)fclose(image);
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    unsigned read = 0;
    for (unsigned i = 0; i < DAMAGES; i++) {
        const bool header = tigon_random_below(&random, 2) != 0;
        const size_t at = (size_t)(header ? tigon_random_below(&random, 64)
                                          : length - 1 - tigon_random_below(&random, 3000));
        const size_t kept =
            tigon_random_below(&random, 5) ? length : (size_t)tigon_random_below(&random, length);
        const uint8_t before = bytes[at];
        bytes[at] = (uint8_t)tigon_random_next(&random);
        assert_int_equal(ftruncate(descriptor, 0), 0);
        assert_int_equal(pwrite(descriptor, bytes, kept, 0), (ssize_t)kept);
        bytes[at] = before;
        if (tigon_symbols_load(&symbols, path, 0) == 0) {
            const char *file;
            unsigned line;
            for (uint32_t address = 0x4000; address < 0x5000; address += 4)
                (void)tigon_symbols_line(symbols, address, &file, &line);
            tigon_symbols_free(symbols);
            read++;
        }
    }
    assert_true(read > 0 && read < DAMAGES);
    (void)close(descriptor);
    (void)unlink(path);
}

static void hear_idle(void *context, const struct tigon_board *board, enum tigon_signal signal,
                      uint32_t value, uint64_t ticks) {
    uint64_t *times = context;
    (void)board;
    if (signal == TIGON_SIGNAL_IDLE_A || signal == TIGON_SIGNAL_RUNNING_A)
        times[(signal == TIGON_SIGNAL_RUNNING_A ? 2u : 0u) + value] = ticks;
}

/* A core that polls is idle from its poll to the wake, and runs until it halts. */
static void test_idle_signals(void **state) {
    (void)state;
    uint64_t times[4] = {0};
    struct bench *bench = bench_make(1, NULL);
    struct tigon_statistics statistics;
    const struct tigon_observer observer = {.context = times, .signal = hear_idle};
    assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    PLACE(bench->board, 0x4000, LUI(GP, 0xC000), LW(V0, 0x60, GP), BEQ(V0, ZERO, -2), NOP, HALT);
    set_reg(bench->board, 0x144, 0x4000);
    set_reg(bench->board, 0x140, 0);
    pass_ns(bench, 50000);
    set_reg(bench->board, 0x060, 0x80);
    pass_ns(bench, 50000);
    tigon_board_statistics(bench->board, &statistics);
    assert_true(times[3] < times[1] && times[1] < times[0] && times[0] < times[2]);
    assert_int_equal((times[0] - times[1]) / TIGON_TICKS_PER_CYCLE,
                     statistics.core[0].parked_cycles);
    assert_int_equal((times[2] - times[3]) / TIGON_TICKS_PER_CYCLE,
                     bench->board->cpu[0].cycle - times[3] / TIGON_TICKS_PER_CYCLE);
    bench_destroy(bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reorder),
        cmocka_unit_test(test_reorder_ties),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_json_text),
        cmocka_unit_test(test_observers),
        cmocka_unit_test(test_log),
        cmocka_unit_test(test_core_observers),
        cmocka_unit_test(test_profile_without_symbols),
        cmocka_unit_test(test_symbols_of_either_core),
        cmocka_unit_test(test_damaged_images),
        cmocka_unit_test(test_idle_signals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
