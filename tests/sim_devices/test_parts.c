/* SPDX-License-Identifier: MIT */
/* Transceivers other than the internal SERDES, faults of received frames, knobs of quirks. */
#include "tests/sim_devices/bench.h"

#include <errno.h>

/* A frame from the peer arrives at the board; returns its status word, 0 when none came. */
static uint32_t one_frame(struct bench *bench, uint32_t length) {
    uint8_t frame[2048];
    uint32_t address, status;
    struct tigon_statistics before, after;
    tigon_board_statistics(bench->board, &before);
    make_frame(bench->board, frame, length, 3);
    tigon_board_poke(bench->peer, T_BASE, frame, length);
    set_reg(bench->peer, 0x0D8, T_BASE);
    const uint32_t slot = reg(bench->peer, 0x0FC);
    tigon_board_poke32(bench->peer, slot, T_BASE);
    tigon_board_poke32(bench->peer, slot + 4u, length);
    set_reg(bench->peer, 0x0F0, slot + 8u);
    set_reg(bench->peer, 0x0D4, T_BASE + length);
    pass_ns(bench, 50000);
    tigon_board_statistics(bench->board, &after);
    if (after.receive_frames == before.receive_frames)
        return 0;
    received(bench->board, (unsigned)before.receive_frames, &address, &status);
    return status;
}

static struct bench *connected(const char *const *knobs) {
    struct bench *bench = bench_make(2, knobs);
    bring_up(bench->board);
    bring_up(bench->peer);
    return bench;
}

static void set_both(struct bench *bench, uint32_t offset, uint32_t value) {
    set_reg(bench->board, offset, value);
    set_reg(bench->peer, offset, value);
    pass_ns(bench, 2000);
}

/* tigon2.md 3.3, 7: an external SERDES listens to the general pins, not to HW[238] */
static void test_external_serdes(void **state) {
    (void)state;
    struct bench *bench = connected((const char *const[]){"transceiver=external", NULL});
    set_both(bench, 0x238, SERDES_NORMAL);
    assert_int_equal(reg(bench->board, 0x220) & 0x000C0000, 0);
    set_both(bench, 0x044, 0xF280);
    set_both(bench, 0x200, 0x20);
    for (uint32_t word = 1; word <= 0x4000; word <<= 1) {
        set_reg(bench->board, 0x204, word);
        assert_int_equal(reg(bench->board, 0x224), word);
    }
    set_both(bench, 0x200, 0x22);
    set_both(bench, 0x044, 0x5280);
    assert_int_equal(reg(bench->board, 0x220) & 0x000C0000, 0);
    assert_int_equal(one_frame(bench, 100), 0);
    set_both(bench, 0x044, 0xA280);
    assert_int_equal(reg(bench->board, 0x220) & 0x000C0000, 0x00040000);
    assert_int_equal(one_frame(bench, 100), 104);
    bench_destroy(bench);
}

/* tigon2.md 7: copper boards; no configuration words pass, and a fibre's have no effect on a PHY */
static void test_copper(void **state) {
    (void)state;
    struct bench *bench = connected((const char *const[]){"board_kind=alteon_copper", NULL});
    pass_ns(bench, 2000);
    assert_int_equal(reg(bench->board, 0x220) & 0x000C0000, 0x00040000);
    set_reg(bench->peer, 0x204, 0x2000);
    pass_ns(bench, 2000);
    assert_int_equal(reg(bench->board, 0x224), 0);
    assert_int_equal(one_frame(bench, 100), 104);
    tigon_wire_set_cut(bench->wire, true);
    pass_ns(bench, 2000);
    assert_int_equal(reg(bench->board, 0x220) & 0x000C0000, 0);
    struct tigon_statistics statistics;
    tigon_board_statistics(bench->peer, &statistics);
    assert_int_equal(statistics.transmit_no_link, 0);
    bench_destroy(bench);
}

/* tigon2.md 6.3 word 20: frames sent into a dead SERDES are carrier errors */
static void test_carrier_errors(void **state) {
    (void)state;
    struct bench *bench = connected(NULL);
    assert_int_equal(one_frame(bench, 100), 0);
    assert_int_equal(tigon_board_peek32(bench->peer, 0x080 + 4 * 20), 1);
    bench_destroy(bench);
}

/* tigon2.md 6.2: status bits that only a fault sets, for one frame */
static void test_broken_frames(void **state) {
    (void)state;
    struct bench *bench = connected(NULL);
    link_up(bench);
    tigon_board_break_receive(bench->board, 0xFFFFFFFF);
    assert_int_equal(one_frame(bench, 100), 0x007F0000 | 104);
    assert_int_equal(tigon_board_peek32(bench->board, 0x080 + 4 * 18), 1);
    assert_int_equal(one_frame(bench, 100), 104);
    tigon_board_break_receive(bench->board, 1u << 18);
    assert_int_equal(one_frame(bench, 100), 1u << 18 | 104);
    bench_destroy(bench);
}

/* tigon2.md 6.2, 13 item 8: truncated to the free space, counted as kept only when stored */
static void test_truncation(void **state) {
    (void)state;
    static const struct {
        const char *quirk;
        uint32_t status;
    } cases[] = {{"quirk_receive_length=0", 1u << 23 | 96},
                 {"quirk_receive_length=1", 1u << 23 | 1004}};
    for (size_t i = 0; i < 2; i++) {
        struct bench *bench =
            connected((const char *const[]){"receive_truncates=1", cases[i].quirk, NULL});
        link_up(bench);
        set_reg(bench->board, 0x0C8, R_BASE + 104); /* 8 of them stay unused */
        assert_int_equal(one_frame(bench, 1000), cases[i].status);
        assert_int_equal(reg(bench->board, 0x0C4), R_BASE + 96);
        assert_true(reg(bench->board, 0x220) & 1u << 30);
        assert_int_equal(tigon_board_peek32(bench->board, 0x080 + 4 * 31), 1);
        /* Less than a minimum frame is left: dropped, and not kept. */
        assert_int_equal(one_frame(bench, 1000), 0);
        assert_int_equal(tigon_board_peek32(bench->board, 0x080 + 4 * 31), 1);
        assert_int_equal(tigon_board_peek32(bench->board, 0x080 + 4 * 27), 1);
        bench_destroy(bench);
    }
}

static void test_choices(void **state) {
    (void)state;
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    assert_int_equal(knobs.board_kind, TIGON_BOARD_ALTEON_FIBRE);
    assert_int_equal(tigon_knobs_set(&knobs, "board_kind", "sgi_fibre"), 0);
    assert_int_equal(knobs.board_kind, TIGON_BOARD_SGI_FIBRE);
    assert_int_equal(tigon_knobs_set(&knobs, "board_kind", "sgi"), -EINVAL);
    assert_int_equal(tigon_knobs_set(&knobs, "transceiver", "copper"), 0);
    assert_int_equal(knobs.transceiver, TIGON_TRANSCEIVER_COPPER);
}

int part_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_external_serdes), cmocka_unit_test(test_copper),
        cmocka_unit_test(test_carrier_errors),  cmocka_unit_test(test_broken_frames),
        cmocka_unit_test(test_truncation),      cmocka_unit_test(test_choices),
    };
    return cmocka_run_group_tests_name("parts", tests, NULL, NULL);
}
