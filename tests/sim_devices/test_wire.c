/* SPDX-License-Identifier: MIT */
/* Faults of the wire: their kinds, their rates, and that chance depends only on seed and index. */
#include "tests/sim_devices/bench.h"

#define FRAMES 400u

struct outcome {
    enum tigon_fate fate[FRAMES];
    unsigned count;
};

static void note(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct outcome *outcome = context;
    if (frame->from_side == 0 && frame->index < FRAMES) {
        outcome->fate[frame->index] = fate;
        outcome->count++;
    }
}

/* Sends FRAMES minimum frames left to right, `spacing` apart, and `reverse` of them the other way.
 */
static void run(const char *const *knobs, uint64_t spacing, bool reverse, struct outcome *outcome,
                struct tigon_wire_statistics *statistics, struct tigon_statistics *receiver) {
    struct bench *bench = bench_make(2, knobs);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    memset(outcome, 0, sizeof *outcome);
    tigon_wire_set_tap(bench->wire, note, outcome);
    uint32_t left = T_BASE, right = T_BASE;
    for (unsigned i = 0; i < FRAMES; i++) {
        make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 60, i);
        make_frame(bench->board, tigon_host_pointer(tigon_board_host(bench->peer), 4096), 60, i);
        send_from_host(bench->board, 4096, &left, 60);
        if (reverse)
            send_from_host(bench->peer, 4096, &right, 60);
        pass_ns(bench, spacing);
        for (unsigned k = 0; k < 2; k++) {
            struct tigon_board *board = k ? bench->peer : bench->board;
            set_reg(board, 0x108, reg(board, 0x104));
            set_reg(board, 0x0E8, reg(board, 0x0E0));
            set_reg(board, 0x0C8, reg(board, 0x0C4));
        }
    }
    pass_ns(bench, 1000000);
    assert_int_equal(outcome->count, FRAMES);
    tigon_wire_statistics(bench->wire, 0, statistics);
    tigon_board_statistics(bench->peer, receiver);
    bench_destroy(bench);
}

/* Loss depends on seed, direction and frame index alone */
static void test_loss_schedule(void **state) {
    (void)state;
    static const char *const knobs[] = {"wire_loss=0.2", NULL};
    struct outcome one, two;
    struct tigon_wire_statistics statistics;
    struct tigon_statistics receiver;
    run(knobs, 3000, false, &one, &statistics, &receiver);
    assert_int_equal(statistics.frames, FRAMES);
    assert_in_range(statistics.lost, 50, 110); /* 80 expected, sigma 8 */
    assert_int_equal(statistics.delivered, FRAMES - statistics.lost);
    assert_int_equal(receiver.receive_frames, statistics.delivered);
    run(knobs, 7777, true, &two, &statistics, &receiver);
    assert_memory_equal(one.fate, two.fate, sizeof one.fate);
}

/* Each kind counts, and none shifts another's draws */
static void test_fault_kinds(void **state) {
    (void)state;
    static const char *const loss[] = {"wire_loss=0.1", NULL};
    static const char *const all[] = {"wire_loss=0.1",           "wire_duplicate=0.1",
                                      "wire_delay=0.1",          "wire_corrupt_visible=0.1",
                                      "wire_corrupt_silent=0.1", NULL};
    struct outcome one, two;
    struct tigon_wire_statistics statistics;
    struct tigon_statistics receiver;
    run(loss, 3000, false, &one, &statistics, &receiver);
    const uint64_t lost = statistics.lost;
    run(all, 3000, false, &two, &statistics, &receiver);
    assert_int_equal(statistics.lost, lost);
    for (unsigned i = 0; i < FRAMES; i++)
        assert_int_equal(one.fate[i] == TIGON_FATE_LOSE, two.fate[i] == TIGON_FATE_LOSE);
    assert_in_range(statistics.duplicated, 15, 65);
    assert_in_range(statistics.delayed, 15, 65);
    assert_in_range(statistics.corrupted_visible, 15, 65);
    assert_in_range(statistics.corrupted_silent, 15, 65);
    assert_int_equal(statistics.delivered, FRAMES - lost + statistics.duplicated);
    /* A damaged address may lose a frame at the filter; all other visible damage shows as a CRC
     * error. */
    assert_in_range(receiver.receive_crc_errors, statistics.corrupted_visible / 2,
                    statistics.corrupted_visible * 2);
}

/* The step of 20 ns in which each frame arrived, 0 if it did not. From frame `from` on a fifth is
 * lost; a tap observes them if `watched`. */
static void arrivals(unsigned from, bool watched, unsigned steps[FRAMES]) {
    struct bench *bench = bench_make(2, NULL);
    struct outcome outcome = {0};
    struct tigon_statistics receiver;
    uint64_t kept = 0;
    uint32_t local = T_BASE;
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    if (watched)
        tigon_wire_set_tap(bench->wire, note, &outcome);
    make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 60, 1);
    for (unsigned i = 0; i < FRAMES; i++) {
        if (i == from)
            tigon_wire_set_faults(bench->wire, 0, &(struct tigon_faults){.loss = 0.2});
        send_from_host(bench->board, 4096, &local, 60);
        steps[i] = 0;
        for (unsigned step = 1; step <= 150; step++) {
            pass_ns(bench, 20);
            tigon_board_statistics(bench->peer, &receiver);
            if (receiver.receive_frames > kept)
                steps[i] = step;
            kept = receiver.receive_frames;
        }
        set_reg(bench->board, 0x108, reg(bench->board, 0x104));
        set_reg(bench->peer, 0x0E8, reg(bench->peer, 0x0E0));
        set_reg(bench->peer, 0x0C8, reg(bench->peer, 0x0C4));
    }
    bench_destroy(bench);
}

/* Frames without a draw, because they can only arrive and have no observer, take their time and do
 * not shift the draws of later frames */
static void test_plain_frames(void **state) {
    (void)state;
    static unsigned watched[FRAMES], plain[FRAMES], always[FRAMES];
    unsigned lost = 0;
    arrivals(FRAMES / 2, true, watched);
    arrivals(FRAMES / 2, false, plain);
    assert_memory_equal(plain, watched, sizeof plain);
    arrivals(0, false, always);
    for (unsigned i = 0; i < FRAMES / 2; i++)
        assert_true(plain[i] > 0);
    for (unsigned i = FRAMES / 2; i < FRAMES; i++) {
        assert_int_equal(plain[i], always[i]);
        lost += plain[i] == 0;
    }
    assert_in_range(lost, 20, 60);
}

/* A burst takes the frames that follow */
static void test_bursts(void **state) {
    (void)state;
    static const char *const knobs[] = {"wire_loss=0.01", "wire_burst=1", "wire_burst_frames=5",
                                        NULL};
    struct outcome outcome;
    struct tigon_wire_statistics statistics;
    struct tigon_statistics receiver;
    run(knobs, 3000, false, &outcome, &statistics, &receiver);
    assert_true(statistics.lost >= 6);
    unsigned length = 0;
    for (unsigned i = 0; i < FRAMES; i++) {
        if (outcome.fate[i] == TIGON_FATE_LOSE) {
            length++;
        } else {
            assert_true(length == 0 || length >= 6);
            length = 0;
        }
    }
}

static enum tigon_fate drop_third(void *context, const struct tigon_frame_view *frame) {
    (void)context;
    return frame->index == 2   ? TIGON_FATE_LOSE
           : frame->index == 4 ? TIGON_FATE_DUPLICATE
           : frame->index == 6 ? TIGON_FATE_CORRUPT_VISIBLE
           : frame->index == 8 ? TIGON_FATE_CORRUPT_SILENT
                               : TIGON_FATE_DELIVER;
}

/* A filter decides about exact frames */
static void test_filter_hook(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct tigon_wire_statistics statistics;
    bring_up(bench->board);
    bring_up(bench->peer);
    set_reg(bench->peer, 0x220, 0x80A); /* promiscuous: damaged addresses too */
    set_reg(bench->board, 0x238, SERDES_NORMAL);
    set_reg(bench->peer, 0x238, SERDES_NORMAL);
    pass_ns(bench, 5000);
    tigon_wire_set_filter(bench->wire, drop_third, NULL);
    uint32_t local = T_BASE;
    uint8_t *frame = tigon_host_pointer(tigon_board_host(bench->board), 4096);
    make_frame(bench->peer, frame, 100, 1);
    for (unsigned i = 0; i < 10; i++)
        send_from_host(bench->board, 4096, &local, 100);
    pass_ns(bench, 100000);
    tigon_wire_statistics(bench->wire, 0, &statistics);
    assert_int_equal(statistics.filtered, 1);
    assert_int_equal(statistics.lost, 0);
    assert_int_equal(statistics.duplicated, 1);
    assert_int_equal(statistics.delivered, 10);
    unsigned crc_errors = 0, damaged = 0;
    for (unsigned i = 0; i < 10; i++) {
        uint32_t address, status;
        uint8_t bytes[100];
        received(bench->peer, i, &address, &status);
        tigon_board_peek(bench->peer, address, bytes, sizeof bytes);
        crc_errors += status >> 16 & 1u;
        damaged += !(status >> 16 & 1u) && memcmp(bytes, frame, sizeof bytes) != 0;
    }
    assert_int_equal(crc_errors, 1);
    assert_int_equal(damaged, 1);
    bench_destroy(bench);
}

int wire_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loss_schedule), cmocka_unit_test(test_fault_kinds),
        cmocka_unit_test(test_plain_frames),  cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_filter_hook),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
