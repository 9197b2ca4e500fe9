/* SPDX-License-Identifier: MIT */
/* Link: SERDES modes, configuration words, attentions (tigon2.md 7). */
#include "tests/sim_devices/bench.h"

/* tigon2.md 7: boot-time transceiver detection, words 1, 2, 4 ... 0x4000 come back within 2 us */
static void test_loopback_echo(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    set_reg(board, 0x238, SERDES_LOOPBACK);
    for (uint32_t word = 1; word <= 0x4000; word <<= 1) {
        set_reg(board, 0x204, word);
        pass_ns(bench, 2000);
        assert_int_equal(reg(board, 0x224), word);
    }
    /* A board with internal SERDES echoes only in that mode, not with the pins of an external one.
     */
    set_reg(board, 0x238, 0x00C801FB);
    set_reg(board, 0x044, 0xF280);
    set_reg(board, 0x204, 0x0040);
    pass_ns(bench, 2000);
    assert_int_equal(reg(board, 0x224), 0);
    bench_destroy(bench);
}

/* tigon2.md 7: a frame sent in loopback comes back */
static void test_loopback_frame(void **state) {
    (void)state;
    struct bench *bench = bench_make(1, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    set_reg(board, 0x238, SERDES_LOOPBACK);
    uint8_t frame[64], bytes[64];
    make_frame(board, frame, sizeof frame, 1);
    tigon_board_poke(board, T_BASE, frame, sizeof frame);
    tigon_board_poke32(board, T_BASE - 0x2800, T_BASE);
    tigon_board_poke32(board, T_BASE - 0x2800 + 4, 64);
    set_reg(board, 0x0D4, T_BASE + 64);
    set_reg(board, 0x0F0, T_BASE - 0x2800 + 8);
    pass_ns(bench, 5000);
    assert_true(reg(board, 0x060) & 1u << 6);
    tigon_board_peek(board, R_BASE, bytes, sizeof bytes);
    assert_memory_equal(bytes, frame, sizeof frame);
    bench_destroy(bench);
}

/* tigon2.md 7 and 6.4: sync, configuration words both ways, bits 18 and 19, attentions 24-26 */
static void test_negotiation(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct tigon_board *board = bench->board, *peer = bench->peer;
    set_reg(board, 0x238, SERDES_NORMAL);
    set_reg(board, 0x204, 0x2000);
    set_reg(peer, 0x200, 0xE2);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x220), 0); /* no signal */
    assert_int_equal(reg(peer, 0x220), 0);  /* its SERDES is not on */
    set_reg(peer, 0x238, SERDES_NORMAL);
    pass_ns(bench, 5000);
    assert_int_equal(reg(peer, 0x220),
                     0x060C0000); /* sync, configuration; attentions sync and word */
    assert_int_equal(reg(peer, 0x224), 0x2000);
    assert_int_equal(reg(board, 0x220), 0x03040000); /* sync, idle: link */
    assert_true(reg(peer, 0x060) & 1u << 25);
    set_reg(peer, 0x220, 0x06000000);
    assert_int_equal(reg(peer, 0x060), 0);
    set_reg(peer, 0x204, 0x2040); /* acknowledge */
    set_reg(peer, 0x200, 0xE0);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x224), 0x2040);
    assert_true(reg(board, 0x220) & 1u << 19);
    set_reg(board, 0x200, 0xE2);
    set_reg(peer, 0x200, 0xE2);
    pass_ns(bench, 5000);
    assert_int_equal(reg(board, 0x220) & 0x000C0000, 0x00040000);
    assert_int_equal(reg(peer, 0x220) & 0x000C0000, 0x00040000);
    assert_int_equal(reg(peer, 0x224), 0x2000); /* the last word stays */
    bench_destroy(bench);
}

/* Pulled plug: both lose sync and say so; frames are lost; plugged in again the link returns */
static void test_cut(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    tigon_wire_set_cut(bench->wire, true);
    pass_ns(bench, 5000);
    assert_int_equal(reg(bench->board, 0x220), 0x03000802);
    assert_int_equal(reg(bench->peer, 0x220), 0x03000802);
    uint8_t frame[60];
    make_frame(bench->peer, frame, sizeof frame, 1);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(bench->peer, 0x0E0), T_BASE - 0x2000);
    struct tigon_wire_statistics statistics;
    tigon_wire_statistics(bench->wire, 0, &statistics);
    assert_int_equal(statistics.cut, 1);
    tigon_wire_set_cut(bench->wire, false);
    pass_ns(bench, 5000);
    assert_true(reg(bench->board, 0x220) & 1u << 18);
    assert_true(reg(bench->peer, 0x220) & 1u << 18);
    tigon_wire_inject(bench->wire, 0, frame, sizeof frame, false);
    pass_ns(bench, 5000);
    assert_int_equal(reg(bench->peer, 0x0E0), T_BASE - 0x2000 + 8);
    /* A reset of one board takes the link down at the other. */
    tigon_board_reset(bench->board);
    pass_ns(bench, 5000);
    assert_false(reg(bench->peer, 0x220) & 1u << 18);
    bench_destroy(bench);
}

/* A frame in flight when configuration words begin does not exist for the peer, and no frame leaves
 * while they last. */
static void test_no_frames_while_negotiating(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct tigon_board *board = bench->board;
    bring_up(board);
    bring_up(bench->peer);
    link_up(bench);
    for (uint32_t i = 0; i < 2; i++) {
        tigon_board_poke32(board, T_BASE - 0x2800 + 8 * i, T_BASE + 64 * i);
        tigon_board_poke32(board, T_BASE - 0x2800 + 8 * i + 4, 64);
    }
    set_reg(board, 0x0D4, T_BASE + 128);
    set_reg(board, 0x0F0, T_BASE - 0x2800 + 16);
    pass_ns(bench, 300);
    set_reg(board, 0x200, 0x20);
    pass_ns(bench, 5000);
    struct tigon_statistics statistics;
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.transmit_no_link, 1);
    assert_int_equal(reg(board, 0x0F4), T_BASE - 0x2800 + 8); /* sent all the same */
    assert_int_equal(reg(bench->peer, 0x0E0), T_BASE - 0x2000);
    bench_destroy(bench);
}

int link_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loopback_echo),
        cmocka_unit_test(test_loopback_frame),
        cmocka_unit_test(test_negotiation),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_no_frames_while_negotiating),
    };
    return cmocka_run_group_tests_name("link", tests, NULL, NULL);
}
