/* The small Ethernet firmware on boards: it starts, finds its link and passes frames. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ethernet/traffic.h"

enum { MOST_BOARDS = 3 };

static const char image[] = "build/ethernet/ethernet.bin";

struct stage {
    struct tigon_world *world;
    struct tigon_wire *wire;
    struct traffic *traffic[MOST_BOARDS];
    int program[MOST_BOARDS];
    unsigned boards;
};

/* Odd behaviour would be punished by real silicon: none is allowed. */
static void complain(void *context, const struct tigon_board *board, const char *message) {
    (void)context;
    fail_msg("%s: %s", tigon_board_name(board), message);
}

static struct stage stage_make(unsigned boards, const char *const *knobs) {
    struct stage stage = {.boards = boards};
    struct tigon_knobs values;
    tigon_knobs_defaults(&values);
    for (; *knobs != NULL; knobs++)
        assert_int_equal(tigon_knobs_assign(&values, *knobs), 0);
    stage.world = tigon_world_create(&values, 7);
    assert_non_null(stage.world);
    tigon_world_set_log_hook(stage.world, complain, NULL);
    for (unsigned i = 0; i < boards; i++)
        tigon_world_add_board(stage.world);
    if (boards == 2) {
        stage.wire = tigon_world_connect(stage.world, tigon_world_board(stage.world, 0),
                                         tigon_world_board(stage.world, 1));
    } else {
        struct tigon_switch *box = tigon_world_add_switch(stage.world, boards);
        for (unsigned i = 0; i < boards; i++)
            tigon_world_connect_port(stage.world, tigon_world_board(stage.world, i), box, i);
    }
    for (unsigned i = 0; i < boards; i++) {
        struct traffic *traffic = calloc(1, sizeof *traffic);
        assert_non_null(traffic);
        *traffic = (struct traffic){
            .options = {.report_us = 100, .ring_entries = 128, .longest = 1514},
            .image = image,
            .shortest = 60,
            .longest = 1514,
            .burst = 16,
            .quiet_ns = 5000000,
        };
        for (unsigned k = 0; k < boards; k++)
            if (k != i)
                tigon_board_mac_address(tigon_world_board(stage.world, k),
                                        traffic->peers[traffic->peer_count++]);
        stage.traffic[i] = traffic;
    }
    return stage;
}

static void stage_frames(struct stage *stage, uint32_t frames) {
    for (unsigned i = 0; i < stage->boards; i++) {
        stage->traffic[i]->frames = frames;
        stage->traffic[i]->expected = frames;
    }
}

/* Runs the traffic to its end on all boards. */
static void stage_run(struct stage *stage) {
    for (unsigned i = 0; i < stage->boards; i++) {
        struct tigon_host *host = tigon_board_host(tigon_world_board(stage->world, i));
        stage->program[i] = tigon_host_start(host, "traffic", traffic_program, stage->traffic[i]);
    }
    const enum tigon_end end = tigon_world_run(stage->world, 3000000000);
    for (unsigned i = 0; i < stage->boards; i++) {
        int result = -1;
        struct tigon_host *host = tigon_board_host(tigon_world_board(stage->world, i));
        const struct traffic *traffic = stage->traffic[i];
        const bool finished = tigon_host_finished(host, stage->program[i], &result);
        if (end != TIGON_END_FINISHED || !finished || result != 0)
            fail_msg("board %u: %s; %u received, %u wrong, %s\n%s", i, tigon_end_name(end),
                     (unsigned)traffic->received, (unsigned)traffic->wrong, traffic->error,
                     tigon_world_report(stage->world));
        if (getenv("ETHERNET_FIGURES") != NULL)
            print_message("  board %u: %u frames, %u kB, %u interrupts in %u us from %u us\n", i,
                          (unsigned)traffic->received, (unsigned)(traffic->bytes / 1000),
                          (unsigned)traffic->ethernet.interrupts,
                          (unsigned)((traffic->ended_ns - traffic->begun_ns) / 1000),
                          (unsigned)(traffic->begun_ns / 1000));
    }
}

static void stage_end(struct stage *stage) {
    tigon_world_destroy(stage->world);
    for (unsigned i = 0; i < stage->boards; i++)
        free(stage->traffic[i]);
}

static uint32_t firmware_counter(const struct stage *stage, unsigned board, unsigned counter) {
    return tigon_board_peek32(tigon_world_board(stage->world, board), AREA_COUNTERS + 4 * counter);
}

/* Both ways, every length, no loss: everything arrives once, in order. */
static void expect_all(const struct stage *stage, uint32_t frames) {
    for (unsigned i = 0; i < stage->boards; i++) {
        const struct traffic *traffic = stage->traffic[i];
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(stage->world, i), &statistics);
        assert_int_equal(traffic->received, frames);
        assert_int_equal(traffic->repeated, 0);
        assert_int_equal(traffic->backwards, 0);
        assert_int_equal(firmware_counter(stage, i, COUNTER_SENT), frames);
        assert_int_equal(firmware_counter(stage, i, COUNTER_RECEIVED), frames);
        assert_int_equal(firmware_counter(stage, i, COUNTER_DAMAGED), 0);
        assert_int_equal(firmware_counter(stage, i, COUNTER_UNEXPECTED), 0);
        assert_int_equal(statistics.transmit_frames, frames);
        assert_int_equal(statistics.unknown_registers, 0);
    }
}

static void passes_frames(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    struct stage stage = stage_make(2, knobs);
    stage_frames(&stage, 1500);
    stage_run(&stage);
    expect_all(&stage, 1500);
    stage_end(&stage);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
