/* SPDX-License-Identifier: MIT */
/* Faults inside boards and hosts: DMA that fails or hangs, flipped bits, reset, power lost, stopped
 * cores, crashed hosts. Checks the reports, and that all other parts continue. */
#include "tests/sim_faults/groups.h"

#include <errno.h>
#include <stdlib.h>

#include "sim/observer.h"
#include "tests/sim_cpu/assemble.h"

#define READ_BUSY  (reg(bench->board, 0x0B0) & TIGON_DMA_BUSY)
#define WRITE_BUSY (reg(bench->board, 0x0A0) & TIGON_DMA_BUSY)

struct log {
    unsigned count;
    char text[8][128];
};

static void note(void *context, const struct tigon_fault_event *event) {
    struct log *log = context;
    (void)tigon_fault_event_text(event, log->text[log->count % 8], sizeof log->text[0]);
    log->count++;
}

static struct bench *make(struct log *log, const char *faults) {
    static const char *const knobs[] = {"host_memory_bytes=1M", NULL};
    struct bench *bench = bench_make(2, knobs);
    const struct tigon_observer observer = {.context = log, .fault = note};
    memset(log, 0, sizeof *log);
    assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    assert_int_equal(tigon_board_set_name(bench->board, "left"), 0);
    assert_int_equal(tigon_board_set_name(bench->peer, "right"), 0);
    add_faults(bench->world, faults);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench); /* until 2 us */
    return bench;
}

/* The n-th transfer of an engine fails, counted over all its transfers */
static void test_dma_fails(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: fail dma write with 0x08000000 transfers 1-1\n"
                                     "left: fail dma read transfer 9");
    uint8_t *memory = tigon_host_pointer(tigon_board_host(bench->board), 8192);
    tigon_board_poke32(bench->board, 0x8000, 0x01020304);
    for (unsigned i = 0; i < 3; i++)
        queue_dma(bench->board, TIGON_DMA_WRITE, 8192 + 16 * i, 0x8000, 4, WRITE_WORDS);
    queue_dma(bench->board, TIGON_DMA_READ, 8192, 0x9000, 4, READ_WORDS);
    pass_ns(bench, 20000);
    assert_int_equal(memory[0], 0x04); /* the first is there, the third waits for recovery */
    assert_int_equal(memory[16], 0);
    assert_int_equal(memory[32], 0);
    assert_int_equal(reg(bench->board, 0x0A0) & TIGON_DMA_ATTENTIONS, 0x08000000);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.text[0], "left transfer 1: DMA write fails with attention 08000000");
    /* Recovery as tigon2.md 13 item 7 has it, trying again. */
    set_reg(bench->board, 0x11C, 3);
    set_reg(bench->board, 0x0A0, TIGON_DMA_RESET);
    set_reg(bench->board, 0x124, reg(bench->board, 0x124));
    set_reg(bench->board, 0x11C, 1);
    pass_ns(bench, 20000);
    assert_int_equal(memory[16], 0x04);
    assert_int_equal(memory[32], 0x04);
    assert_int_equal(log.count, 1);
    bench_destroy(bench);
}

/* A share of all transfers fails, the same ones each time */
static void test_dma_chance(void **state) {
    (void)state;
    uint64_t errors[2];
    for (unsigned again = 0; again < 2; again++) {
        struct log log;
        struct bench *bench = make(&log, "left: fail dma read 25%");
        for (unsigned i = 0; i < 200; i++) {
            queue_dma(bench->board, TIGON_DMA_READ, 8192, 0x9000, 4, READ_WORDS);
            pass_ns(bench, 2000);
            if (reg(bench->board, 0x0B0) & TIGON_DMA_ATTENTIONS) {
                set_reg(bench->board, 0x0B0, TIGON_DMA_RESET);
                set_reg(bench->board, 0x104, reg(bench->board, 0x100)); /* given up */
            }
            set_reg(bench->board, 0x108, reg(bench->board, 0x104));
        }
        struct tigon_statistics statistics;
        tigon_board_statistics(bench->board, &statistics);
        errors[again] = statistics.dma_read.errors;
        assert_int_equal(statistics.dma_read.transfers + errors[again], 200);
        assert_int_equal(log.count, errors[again]);
        bench_destroy(bench);
    }
    assert_in_range(errors[0], 30, 70); /* 50 expected, sigma 6 */
    assert_int_equal(errors[0], errors[1]);
}

/* A transfer hangs until it is cancelled; the MAC never sends the missing data */
static void test_dma_hangs(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: hang dma read transfer 1");
    struct tigon_statistics statistics;
    uint32_t local = T_BASE;
    make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 100, 1);
    for (unsigned i = 0; i < 3; i++)
        send_from_host(bench->board, 4096, &local, 100);
    pass_ns(bench, 1000000);
    assert_true(READ_BUSY);
    assert_int_equal(reg(bench->board, 0x0B0) & TIGON_DMA_ATTENTIONS, 0);
    tigon_board_statistics(bench->peer, &statistics);
    assert_int_equal(statistics.receive_frames, 1);
    assert_string_equal(log.text[0], "left transfer 1: DMA read hangs");
    set_reg(bench->board, 0x0B0, TIGON_DMA_RESET);
    assert_false(READ_BUSY);
    set_reg(bench->board, 0x104, reg(bench->board, 0x104)); /* the assist takes it up again */
    pass_ns(bench, 100000);
    tigon_board_statistics(bench->peer, &statistics);
    assert_int_equal(statistics.receive_frames, 3);
    /* By the call, and taken back by resetting the board. */
    tigon_board_hang_dma(bench->board, true);
    queue_dma(bench->board, TIGON_DMA_WRITE, 8192, 0x8000, 4, WRITE_WORDS);
    pass_ns(bench, 100000);
    assert_true(WRITE_BUSY);
    tigon_board_reset(bench->board);
    assert_false(WRITE_BUSY);
    bench_destroy(bench);
}

/* Bits flip where, when and as often as the fault states */
static void test_flips(void **state) {
    (void)state;
    struct log log;
    struct bench *bench =
        make(&log, "left: flip bit 5 of 0x8001 at 10us\n"
                   "right: flip a bit in 0x8000-0x80FF about every 1us until 1ms");
    tigon_board_poke32(bench->board, 0x8000, 0x11223344);
    pass_ns(bench, 7999);
    assert_int_equal(tigon_board_peek32(bench->board, 0x8000), 0x11223344);
    pass_ns(bench, 2);
    assert_int_equal(tigon_board_peek32(bench->board, 0x8000), 0x11023344);
    pass_ns(bench, 2000000);
    uint64_t flips;
    unsigned odd = 0;
    uint8_t bytes[0x300];
    (void)tigon_world_fault(bench->world, 1, &flips);
    assert_in_range(flips, 900, 1100);
    tigon_board_peek(bench->peer, 0x7F00, bytes, sizeof bytes);
    for (unsigned i = 0; i < sizeof bytes; i++) {
        if (i < 0x100 || i >= 0x200)
            assert_int_equal(bytes[i], 0);
        for (unsigned bit = 0; bit < 8; bit++)
            odd += (unsigned)bytes[i] >> bit & 1u;
    }
    assert_in_range(odd, 400, 900); /* of 2048 bits, a thousand flips: 640 expected */
    bench_destroy(bench);
}

static int counts(struct tigon_host *host, void *argument) {
    unsigned *turns = argument;
    while (*turns < 1000000) {
        tigon_host_sleep_ns(host, 1000);
        ++*turns;
    }
    return 0;
}

static int reads(struct tigon_host *host, void *argument) {
    uint32_t *value = argument;
    uint64_t turns = 1000000;
    (void)tigon_host_read32(host, 0x054);
    *value = tigon_host_poll32(host, 0x600, UINT32_MAX, 0, 50, UINT64_MAX, &turns);
    return 7;
}

/* Power lost: all ones to the host, dark to the peer, no DMA, no frame, no way back */
static void test_kill(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: kill at 20us");
    struct tigon_statistics before, after;
    uint32_t local = T_BASE;
    uint32_t value = 0;
    unsigned turns = 0;
    tigon_board_poke32(bench->board, 0x200, 0);
    const int program = tigon_host_start(tigon_board_host(bench->board), "reads", reads, &value);
    assert_int_equal(program, 0);
    assert_int_equal(tigon_host_start(tigon_board_host(bench->peer), "on", counts, &turns), 0);
    memset(tigon_host_pointer(tigon_board_host(bench->board), 8192), 0x55, 65535);
    pass_ns(bench, 17000); /* to 19 us: the DMA below takes more than 1 us */
    queue_dma(bench->board, TIGON_DMA_WRITE, 8192, 0x8000, 60000, WRITE_WORDS);
    make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 1500, 1);
    send_from_host(bench->board, 4096, &local, 1500);
    tigon_board_statistics(bench->peer, &before);
    assert_true(tigon_board_alive(bench->board));
    pass_ns(bench, 2000000);
    assert_false(tigon_board_alive(bench->board));
    assert_true(tigon_host_finished(tigon_board_host(bench->board), program, NULL)); /* it saw */
    assert_int_equal(value, UINT32_MAX);
    tigon_board_statistics(bench->peer, &after);
    assert_int_equal(before.receive_frames, after.receive_frames);
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0);
    const uint8_t *memory = tigon_host_pointer(tigon_board_host(bench->board), 8192);
    for (unsigned i = 0; i < 60000; i++)
        assert_int_equal(memory[i], 0x55);
    assert_memory_equal(log.text[0], "left: killed, core A at ", 24);
    tigon_board_reset(bench->board);
    tigon_board_kill(bench->board); /* no more than once */
    assert_false(tigon_board_alive(bench->board));
    assert_non_null(strstr(tigon_world_report(bench->world), "board 0: without power\n"));
    assert_non_null(
        strstr(tigon_world_report(bench->world), "fault 0 (left: kill at 20us): 1 times"));
    assert_int_equal(tigon_board_peek32(bench->board, 0x200), 0); /* for the post-mortem */
    bench_destroy(bench);
}

/* Frames in flight from a board that dies still arrive; frames to it are lost */
static void test_kill_in_flight(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: kill at 20us");
    struct tigon_statistics statistics;
    struct tigon_wire_statistics wire;
    uint8_t frame[60];
    make_frame(bench->peer, frame, sizeof frame, 1);
    pass_ns(bench, 17900);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false); /* arrives in 0.8 us */
    make_frame(bench->board, frame, sizeof frame, 1);
    tigon_wire_inject(bench->wire, 1, frame, sizeof frame, false);
    pass_ns(bench, 100000);
    tigon_board_statistics(bench->peer, &statistics);
    assert_int_equal(statistics.receive_frames, 1);
    tigon_board_statistics(bench->board, &statistics);
    assert_int_equal(statistics.receive_frames, 0);
    tigon_wire_statistics(bench->wire, 1, &wire);
    assert_int_equal(wire.cut, 1);
    bench_destroy(bench);
}

/* A reset by fault is that of the host */
static void test_reset(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: reset at 10us every 10us until 25us");
    assert_int_equal(reg(bench->board, 0x200), 0x22);
    pass_ns(bench, 10000);
    assert_int_equal(reg(bench->board, 0x200), 0);
    pass_ns(bench, 100000);
    assert_int_equal(log.count, 2);
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0);
    bench_destroy(bench);
}

/* A hidden bit reads 0 on that core alone, until the last fault that hides it is over; then the bit
 * below is visible again */
static void test_hidden_event(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: hide event 15 of core A at 10us for 20us\n"
                                     "left: hide event 15 of core A at 20us for 20us\n"
                                     "left: hide event 9 of core B");
    queue_dma(bench->board, TIGON_DMA_READ, 8192, 0x9000, 4, READ_WORDS);
    set_reg(bench->board, 0x060, 1u << 9 | 1u << 8);
    set_reg(bench->board, 0x070, 1u << 9 | 1u << 8);
    pass_ns(bench, 6000); /* to 8 us */
    assert_int_equal(reg(bench->board, 0x060) & 0x8300, 0x8300);
    assert_int_equal(reg(bench->board, 0x070) & 0x8300, 0x8100);
    for (unsigned at_us = 12; at_us < 40; at_us += 10) {
        pass_ns(bench, at_us * 1000 - tigon_world_now_ns(bench->world));
        assert_int_equal(reg(bench->board, 0x060) & 0x8300, 0x0300);
        assert_int_equal(reg(bench->board, 0x070) & 0x8300, 0x8100);
    }
    pass_ns(bench, 10000);
    assert_int_equal(reg(bench->board, 0x060) & 0x8300, 0x8300);
    assert_int_equal(log.count, 5);
    assert_string_equal(log.text[0], "left: event 9 of core B hidden");
    assert_string_equal(log.text[1], "left: event 15 of core A hidden");
    assert_string_equal(log.text[4], "left: event hidden no longer");
    bench_destroy(bench);
}

/* A core that waits for a hidden event sleeps through it and continues when it is visible */
static void test_hidden_from_a_parked_core(void **state) {
    (void)state;
    const uint32_t wait[] = {
        LUI(A0, 0xC000), LW(T0, 0x60, A0), ANDI(T0, T0, 0x100), BEQ(T0, ZERO, -3), NOP, HALT};
    struct log log;
    struct bench *bench = make(&log, "left: hide event 8 of core A at 10us for 20us");
    struct tigon_statistics statistics;
    for (unsigned i = 0; i < sizeof wait / sizeof *wait; i++)
        tigon_board_poke32(bench->board, 0x8000 + 4 * i, wait[i]);
    set_reg(bench->board, 0x144, 0x8000);
    set_reg(bench->board, 0x140, 0);
    pass_ns(bench, 18000); /* to 20 us */
    set_reg(bench->board, 0x060, 1u << 8);
    pass_ns(bench, 9500);
    assert_false(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALTED);
    tigon_board_statistics(bench->board, &statistics);
    assert_in_range(statistics.core[0].parked_cycles, 1, UINT64_MAX);
    pass_ns(bench, 1500);
    assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALTED);
    bench_destroy(bench);
}

/* The timer jumps; waits for it end at once, or later */
static void test_timer_jumps(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: jump timer by 5ms at 10us\n"
                                     "left: jump timer back by 2ms at 30us");
    const uint32_t begin = reg(bench->board, 0x054);
    set_reg(bench->board, 0x058, begin + 1000);
    set_reg(bench->board, 0x078, begin + 6000);
    pass_ns(bench, 7000); /* to 9 us */
    assert_int_equal(reg(bench->board, 0x060) & 1u << 28, 0);
    pass_ns(bench, 2000);
    assert_in_range(reg(bench->board, 0x054) - begin, 5008, 5010);
    assert_int_equal(reg(bench->board, 0x060) & 1u << 28, 1u << 28);
    assert_int_equal(reg(bench->board, 0x070) & 1u << 28, 0);
    pass_ns(bench, 2000000); /* 5 010 and 20 and 1 980 less 2 000 */
    assert_in_range(reg(bench->board, 0x054) - begin, 5008, 5010);
    assert_int_equal(reg(bench->board, 0x060) & 1u << 28, 1u << 28); /* once is enough */
    assert_int_equal(reg(bench->board, 0x070) & 1u << 28, 0);
    pass_ns(bench, 995000);
    assert_int_equal(reg(bench->board, 0x070) & 1u << 28, 1u << 28);
    assert_int_equal(log.count, 2);
    assert_memory_equal(log.text[1], "left: timer ", 12);
    bench_destroy(bench);
}

/* One core stops, the other continues */
static void test_stop_core(void **state) {
    (void)state;
    static const uint32_t loop[] = {0x24420001, 0x1000FFFE, 0}; /* addiu v0,v0,1; b .-4; nop */
    struct log log;
    struct bench *bench = make(&log, "left: stop core A at 100us");
    for (unsigned core = 0; core < 2; core++) {
        for (unsigned i = 0; i < 3; i++)
            tigon_board_poke32(bench->board, 0x8000 + 4 * i, loop[i]);
        set_reg(bench->board, 0x144 + 0x100 * core, 0x8000);
        set_reg(bench->board, 0x140 + 0x100 * core, 0);
    }
    pass_ns(bench, 198000);
    assert_true(reg(bench->board, 0x140) & TIGON_CPU_STATE_HALTED);
    assert_false(reg(bench->board, 0x240) & TIGON_CPU_STATE_HALTED);
    const uint32_t a = reg(bench->board, 0x180 + 4 * 2);
    const uint32_t b = reg(bench->board, 0x280 + 4 * 2);
    assert_in_range(b, 2 * a - a / 50 - 200, 2 * a + a / 50 + 200);
    assert_memory_equal(log.text[0], "left: core A stopped, core A at 0000800", 39);
    bench_destroy(bench);
}

/* The host's programs stop, its board and its memory do not */
static void test_crash(void **state) {
    (void)state;
    struct log log;
    struct bench *bench = make(&log, "left: crash host at 100us");
    struct tigon_host *host = tigon_board_host(bench->board);
    unsigned turns[3] = {0, 0, 0};
    uint32_t value = 0;
    assert_int_equal(tigon_host_start(host, "one", counts, &turns[0]), 0);
    assert_int_equal(tigon_host_start(host, "two", counts, &turns[1]), 1);
    assert_int_equal(tigon_host_start(tigon_board_host(bench->peer), "other", counts, &turns[2]),
                     0);
    pass_ns(bench, 198000);
    assert_true(tigon_host_crashed(host));
    assert_false(tigon_host_crashed(tigon_board_host(bench->peer)));
    assert_in_range(turns[0], 96, 99);
    assert_in_range(turns[2], 196, 199);
    assert_int_equal(turns[0], turns[1]);
    assert_false(tigon_host_finished(host, 0, NULL));
    assert_int_equal(tigon_host_start(host, "late", reads, &value), -EHOSTDOWN);
    assert_non_null(strstr(tigon_world_report(bench->world),
                           "host 0: crashed\nhost 0: program \"one\" was asleep"));
    tigon_board_poke32(bench->board, 0x8000, 0x01020304);
    queue_dma(bench->board, TIGON_DMA_WRITE, 8192, 0x8000, 4, WRITE_WORDS);
    pass_ns(bench, 10000);
    assert_int_equal(*(uint8_t *)tigon_host_pointer(host, 8192), 4);
    tigon_host_crash(host);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.text[0], "left: host crashed");
    bench_destroy(bench);
}

static int crashes_itself(struct tigon_host *host, void *argument) {
    bool *after = argument;
    tigon_host_spend_ns(host, 1000);
    tigon_host_crash(host);
    tigon_host_yield(host);
    *after = true;
    return 0;
}

static int crashes_and_returns(struct tigon_host *host, void *argument) {
    (void)argument;
    tigon_host_spend_ns(host, 1000);
    tigon_host_crash(host);
    return 1;
}

/* A program may crash its own host, while others poll; the world ends when no program is left */
static void test_crash_from_inside(void **state) {
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        struct log log;
        struct bench *bench = make(&log, "");
        struct tigon_host *host = tigon_board_host(bench->board);
        bool after = false;
        uint32_t value = 0;
        assert_int_equal(tigon_host_start(host, "polls", reads, &value), 0);
        assert_int_equal(
            tigon_host_start(host, "crash", way ? crashes_and_returns : crashes_itself, &after), 1);
        assert_int_equal(tigon_world_run(bench->world, 10000000), TIGON_END_FINISHED);
        assert_false(after);
        assert_false(tigon_host_finished(host, 1, NULL));
        bench_destroy(bench);
    }
}

int board_fault_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dma_fails),
        cmocka_unit_test(test_dma_chance),
        cmocka_unit_test(test_dma_hangs),
        cmocka_unit_test(test_flips),
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_kill_in_flight),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_stop_core),
        cmocka_unit_test(test_hidden_event),
        cmocka_unit_test(test_hidden_from_a_parked_core),
        cmocka_unit_test(test_timer_jumps),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_crash_from_inside),
    };
    return cmocka_run_group_tests_name("board faults", tests, NULL, NULL);
}
