/* SPDX-License-Identifier: MIT */
/* A program that runs ahead (tigon_host_run_ahead): the same as if time passed at each step. */
#include "tests/sim_devices/bench.h"

#include "sim/pc/host_cpu.h"
#include "sim/observer.h"

enum {
    LOG_LIMIT = 256,
    MAILBOX = 0x504 /* low word of mailbox 0 */
};

struct work {
    struct bench *bench;
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

/* Up to eight reads of the mailbox, until it is no longer `unchanged`. */
static void await(struct tigon_host *host, struct work *work, uint32_t unchanged) {
    uint64_t turns = work->ahead ? 8 : 1;
    uint32_t value = work->ahead ? tigon_host_await32(host, MAILBOX, UINT32_MAX, unchanged, 50,
                                                      UINT64_MAX, &turns)
                                 : tigon_host_read32(host, MAILBOX);
    while (value == unchanged && turns < 8) {
        uint64_t left = 8 - turns;
        value = tigon_host_poll32(host, MAILBOX, UINT32_MAX, unchanged, 50, UINT64_MAX, &left);
        turns += left;
    }
    note(work, value);
    note(work, turns);
    note(work, tigon_host_now_ns(host));
}

static int worker(struct tigon_host *host, void *argument) {
    struct work *work = argument;
    const uint32_t words[] = {1, 2, 3, 4, 5, 6, 7};
    uint64_t turns = 3;
    tigon_host_spend_ns(host, 100);
    if (work->ahead)
        tigon_host_run_ahead(host);
    tigon_host_spend_ns(host, 300);
    tigon_host_write32(host, MAILBOX, 0x11);
    tigon_host_spend_ns(host, 500); /* the write arrives before the next is made */
    tigon_host_write_block(host, MAILBOX + 4, words, 7);
    tigon_host_write32(host, MAILBOX, 0x22);
    note(work, tigon_host_read32(host, MAILBOX));
    for (uint32_t i = 0; i < 20; i++) /* more than is kept at once */
        tigon_host_write32(host, MAILBOX, i);
    note(work, tigon_host_poll32(host, MAILBOX, UINT32_MAX, 19, 50, UINT64_MAX, &turns));
    tigon_host_spend_ns(host, 40);
    tigon_host_write32(host, MAILBOX, 0x33);
    await(host, work, 0x33);
    await(host, work, 0x32);
    tigon_host_write32(host, MAILBOX, 0x44);
    if (work->ahead)
        tigon_host_catch_up(host);
    note(work, tigon_host_now_ns(host));
    note(work, turns);
    await(host, work, 0x44);
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
    struct work *work = context;
    tigon_host_start(tigon_board_host(work->bench->board), "intruder", intruder, work);
}

static void crash(void *context) {
    const struct work *work = context;
    tigon_host_crash(tigon_board_host(work->bench->board));
}

static void look(void *context) {
    struct work *work = context;
    char text[200];
    uint64_t sum = 0;
    if (tigon_host_describe(tigon_board_host(work->bench->board), text, sizeof text) == 0)
        return;
    for (const char *at = text; *at; at++)
        sum = sum * 31 + (unsigned char)*at;
    note(work, sum);
}

static void run_work(struct work *work, uint64_t at_ns, void (*disturb)(void *context)) {
    const struct tigon_observer observer = {
        .context = work, .changed = note_change, .program = note_program};
    work->bench = bench_make(1, NULL);
    assert_int_equal(tigon_world_attach(work->bench->world, &observer), 0);
    work->count = 0;
    tigon_host_start(tigon_board_host(work->bench->board), "worker", worker, work);
    tigon_world_call_at(work->bench->world, at_ns, disturb, work);
    tigon_world_set_run_on(work->bench->world, true);
    tigon_world_run(work->bench->world, 50000);
    bench_destroy(work->bench);
}

static void compare_work(uint64_t at_ns, void (*disturb)(void *context)) {
    static struct work plain, ahead;
    ahead.ahead = true;
    run_work(&plain, at_ns, disturb);
    run_work(&ahead, at_ns, disturb);
    assert_in_range(plain.count, 4, LOG_LIMIT - 1);
    assert_int_equal(plain.count, ahead.count);
    for (size_t i = 0; i < plain.count; i++)
        if (plain.log[i] != ahead.log[i])
            fail_msg("at %llu ns, entry %zu: %llu, ahead %llu", (unsigned long long)at_ns, i,
                     (unsigned long long)plain.log[i], (unsigned long long)ahead.log[i]);
}

static void test_intruder(void **state) {
    (void)state;
    for (uint64_t at_ns = 1; at_ns < 24000; at_ns += 37)
        compare_work(at_ns, start_intruder);
}

static void test_crash(void **state) {
    (void)state;
    for (uint64_t at_ns = 1; at_ns < 24000; at_ns += 37)
        compare_work(at_ns, crash);
}

static void test_description(void **state) {
    (void)state;
    for (uint64_t at_ns = 1; at_ns < 24000; at_ns += 37)
        if (at_ns % 5 != 0) /* at which steps end, before or after the look */
            compare_work(at_ns, look);
}

/* Starting a program is no work ahead of time, and lets time pass. */
static int starter(struct tigon_host *host, void *argument) {
    const struct work *work = argument;
    if (work->ahead)
        tigon_host_run_ahead(host);
    tigon_host_spend_ns(host, 300);
    tigon_host_write32(host, MAILBOX, 0x11);
    tigon_host_start(host, "intruder", intruder, argument);
    tigon_host_spend_ns(host, 100);
    tigon_host_write32(host, MAILBOX, 0x12);
    if (work->ahead)
        tigon_host_catch_up(host);
    return 0;
}

static void start_starter(void *context) {
    const struct work *work = context;
    tigon_host_start(tigon_board_host(work->bench->board), "starter", starter, context);
}

static void test_starter(void **state) {
    (void)state;
    compare_work(40000, start_starter);
}

int ahead_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_intruder),
        cmocka_unit_test(test_crash),
        cmocka_unit_test(test_description),
        cmocka_unit_test(test_starter),
    };
    return cmocka_run_group_tests_name("ahead", tests, NULL, NULL);
}
