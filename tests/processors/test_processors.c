/* SPDX-License-Identifier: MIT */
/*
 * Both processors of a board at work (tigon2.md 3.4, 4): messages through two queues in SRAM, a
 * lock, signals. Nothing is lost, doubled or torn, and each count under the lock is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "sim/command/image.h"
#include "sim/tigon.h"
#include "tests/processors/interface.h"

#define CPU_A_STATE   0x140u
#define CPU_A_COUNTER 0x144u
#define CPU_B_STATE   0x240u
#define SEMAPHORE_B   0x04Cu
#define CONTROL       0x200u
#define DOORBELL      (0x504u + 8u * PROCESSORS_DOORBELL)
#define TIME_LIMIT_NS UINT64_C(1000000000)
#define LOOK_NS       1000u

struct stage {
    struct tigon_world *world;
    struct tigon_board *board;
    struct image image;
    uint32_t questions; /* in bursts of so many */
    uint32_t bursts;
    uint64_t took_ns;
};

static uint32_t word_of(struct stage *stage, enum processors_word word) {
    return tigon_board_peek32(stage->board, CONTROL + 4u * word);
}

static int ask(struct tigon_host *host, void *argument) {
    struct stage *stage = argument;
    uint64_t began;
    while (word_of(stage, PROCESSORS_READY) != 1)
        tigon_host_sleep_ns(host, LOOK_NS);
    began = tigon_world_now_ns(stage->world);
    for (uint32_t burst = 1; burst <= stage->bursts; burst++) {
        tigon_host_write32(host, DOORBELL, stage->questions);
        while (word_of(stage, PROCESSORS_ANSWERS) != burst * stage->questions) {
            if (tigon_world_now_ns(stage->world) > TIME_LIMIT_NS)
                return 1;
            tigon_host_sleep_ns(host, LOOK_NS);
        }
    }
    stage->took_ns = tigon_world_now_ns(stage->world) - began;
    return 0;
}

static int begin(void **state) {
    static struct stage stage;
    struct scenario_image file = {.file = (char[]){FIRMWARE_IMAGE}};
    char problem[200];
    memset(&stage, 0, sizeof stage);
    stage.world = tigon_world_create(NULL, 1);
    stage.board = tigon_world_add_board(stage.world);
    if (image_read(&stage.image, &file, problem, sizeof problem) != 0) {
        print_error("%s\n", problem);
        return 1;
    }
    for (size_t i = 0; i < stage.image.count; i++)
        tigon_board_poke(stage.board, stage.image.segments[i].address,
                         stage.image.segments[i].bytes, stage.image.segments[i].length);
    *state = &stage;
    return 0;
}

static int end(void **state) {
    struct stage *stage = *state;
    image_free(&stage->image);
    tigon_world_destroy(stage->world);
    return 0;
}

static void start(struct stage *stage, tigon_program program) {
    enum tigon_end how;
    tigon_board_poke_register(stage->board, CPU_A_COUNTER, stage->image.start);
    tigon_board_poke_register(stage->board, CPU_A_STATE, 0);
    assert_int_equal(tigon_host_start(tigon_board_host(stage->board), "host", program, stage), 0);
    how = tigon_world_run(stage->world, TIME_LIMIT_NS);
    if (how != TIGON_END_FINISHED)
        print_error("%s: %s\n", tigon_end_name(how), tigon_world_report(stage->world));
    assert_int_equal(how, TIGON_END_FINISHED);
}

static void run(struct stage *stage, uint32_t questions, uint32_t bursts) {
    stage->questions = questions;
    stage->bursts = bursts;
    start(stage, ask);
    assert_int_equal(word_of(stage, PROCESSORS_ANSWERS), questions * bursts);
    assert_int_equal(word_of(stage, PROCESSORS_WRONG_A), 0);
    assert_int_equal(word_of(stage, PROCESSORS_WRONG_B), 0);
    /* A counts each question and each answer, B each question. */
    assert_int_equal(word_of(stage, PROCESSORS_SECTIONS), 8 * 3 * questions * bursts);
}

/* More questions than the queue holds, so both wait for each other all the time. */
static void test_a_stream_of_messages_arrives_whole_and_in_order(void **state) {
    struct stage *stage = *state;
    run(stage, 2000, 1);
    assert_true(word_of(stage, PROCESSORS_WAITS_A) + word_of(stage, PROCESSORS_WAITS_B) > 0);
    assert_true(word_of(stage, PROCESSORS_FULL_A) + word_of(stage, PROCESSORS_FULL_B) > 0);
    print_message("a question and its answer in a stream: %u ns, lock waits %u and %u, wake-ups %u "
                  "and %u, queue full %u and %u\n",
                  (unsigned)(stage->took_ns / 2000), word_of(stage, PROCESSORS_WAITS_A),
                  word_of(stage, PROCESSORS_WAITS_B), word_of(stage, PROCESSORS_WAKE_UPS_A),
                  word_of(stage, PROCESSORS_WAKE_UPS_B), word_of(stage, PROCESSORS_FULL_A),
                  word_of(stage, PROCESSORS_FULL_B));
}

/* Each time both processors are idle before: a signal that is lost is lost for good. */
static void test_single_messages_wake_the_other_processor(void **state) {
    struct stage *stage = *state;
    struct tigon_statistics counted;
    run(stage, 1, 200);
    tigon_board_statistics(stage->board, &counted);
    print_message("a question and its answer alone, busy cycles: A %u, B %u\n",
                  (unsigned)((counted.core[0].cycles - counted.core[0].parked_cycles) / 200),
                  (unsigned)((counted.core[1].cycles - counted.core[1].parked_cycles) / 200));
    assert_true(word_of(stage, PROCESSORS_WAKE_UPS_B) >= 200);
}

/* The host starts A anew, while B holds the lock for ever: A begins with a free lock. */
static void test_a_start_frees_a_lock_that_was_left(void **state) {
    struct stage *stage = *state;
    tigon_board_poke_register(stage->board, SEMAPHORE_B, 1);
    assert_int_equal(tigon_board_peek_register(stage->board, SEMAPHORE_B), 1);
    run(stage, 20, 1);
}

static int ask_for_costs(struct tigon_host *host, void *argument) {
    struct stage *stage = argument;
    while (word_of(stage, PROCESSORS_READY) != 1)
        tigon_host_sleep_ns(host, LOOK_NS);
    tigon_host_write32(host, 0x504u + 8u * PROCESSORS_COST_DOORBELL, 1);
    while (word_of(stage, PROCESSORS_SET_TIME) == 0)
        tigon_host_sleep_ns(host, LOOK_NS);
    return 0;
}

static unsigned cycles_of(struct stage *stage, enum processors_word word) {
    uint32_t microseconds = word_of(stage, word) - word_of(stage, PROCESSORS_TURNS_TIME);
    return (microseconds * 88 + PROCESSORS_COST_TURNS / 2) / PROCESSORS_COST_TURNS;
}

/* docs/ports.md has the figures. */
static void test_a_free_lock_costs_little(void **state) {
    struct stage *stage = *state;
    start(stage, ask_for_costs);
    print_message("cycles of nic_lock and nic_unlock: %u, of a signal: %u\n",
                  cycles_of(stage, PROCESSORS_LOCK_TIME), cycles_of(stage, PROCESSORS_SET_TIME));
    assert_in_range(cycles_of(stage, PROCESSORS_LOCK_TIME), 10, 40);
    assert_in_range(cycles_of(stage, PROCESSORS_SET_TIME), 15, 60);
    assert_int_equal(word_of(stage, PROCESSORS_WAITS_A), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_a_stream_of_messages_arrives_whole_and_in_order, begin,
                                        end),
        cmocka_unit_test_setup_teardown(test_single_messages_wake_the_other_processor, begin, end),
        cmocka_unit_test_setup_teardown(test_a_free_lock_costs_little, begin, end),
        cmocka_unit_test_setup_teardown(test_a_start_frees_a_lock_that_was_left, begin, end),
    };
    return cmocka_run_group_tests_name("processors", tests, NULL, NULL);
}
