/* SPDX-License-Identifier: MIT */
/* The effects of the faults of sim/fault.h on frames: the frames hit, the order of arrival, and
 * that only seed, fault and number decide. */
#include "tests/sim_faults/groups.h"

#include <stdlib.h>

#include "sim/observer.h"
#include "sim/base/random.h"

#define FRAMES_LIMIT   1200u
#define ARRIVALS_LIMIT 2600u
#define SPACING_NS     2000u

struct seen {
    unsigned sent;
    enum tigon_fate fate[FRAMES_LIMIT];
    uint64_t sent_ns[FRAMES_LIMIT];
    unsigned arrived;
    uint64_t order[ARRIVALS_LIMIT]; /* indexes as they came */
    uint64_t arrived_ns[ARRIVALS_LIMIT];
    size_t length[ARRIVALS_LIMIT];
    bool damaged[ARRIVALS_LIMIT];
    enum tigon_arrival_fate kept[ARRIVALS_LIMIT];
    unsigned events;
    char first_event[128];
    char last_event[128];
};

static void note_frame(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct seen *seen = context;
    if (frame->from_side != 0)
        return;
    assert_int_equal(frame->index, seen->sent);
    assert_true(seen->sent < FRAMES_LIMIT);
    seen->sent_ns[seen->sent] = frame->time_ns;
    seen->fate[seen->sent++] = fate;
}

static void note_arrival(void *context, const struct tigon_arrival *arrival) {
    struct seen *seen = context;
    if (arrival->from_side != 0)
        return;
    assert_true(seen->arrived < ARRIVALS_LIMIT);
    seen->order[seen->arrived] = arrival->index;
    seen->arrived_ns[seen->arrived] = tigon_ns_from_ticks(arrival->ticks);
    seen->length[seen->arrived] = arrival->length;
    seen->damaged[seen->arrived] = arrival->bad_crc;
    seen->kept[seen->arrived++] = arrival->fate;
}

static void note_fault(void *context, const struct tigon_fault_event *event) {
    struct seen *seen = context;
    (void)tigon_fault_event_text(event, seen->last_event, sizeof seen->last_event);
    if (seen->events++ == 0)
        memcpy(seen->first_event, seen->last_event, sizeof seen->first_event);
}

static void name_boards(struct bench *bench) {
    assert_int_equal(tigon_board_set_name(bench->board, "left"), 0);
    assert_int_equal(tigon_board_set_name(bench->peer, "right"), 0);
}

/* Empties the receive rings, so that they never fill. */
static void drain(struct tigon_board *board) {
    set_reg(board, 0x108, reg(board, 0x104));
    set_reg(board, 0x0E8, reg(board, 0x0E0));
    set_reg(board, 0x0C8, reg(board, 0x0C4));
}

/* Sends `frames` of them left to right, SPACING_NS apart from 5 us on, under these faults. */
static struct seen *run(const char *faults, unsigned frames,
                        struct tigon_wire_statistics *statistics) {
    struct bench *bench = bench_make(2, NULL);
    struct seen *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    const struct tigon_observer observer = {
        .context = seen, .frame = note_frame, .arrival = note_arrival, .fault = note_fault};
    name_boards(bench);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    set_reg(bench->peer, 0x220, 0x80A); /* promiscuous: damaged addresses too */
    pass_ns(bench, 3000);               /* link_up took 2 us */
    assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    add_faults(bench->world, faults);
    make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 60, 1);
    uint32_t local = T_BASE;
    for (unsigned i = 0; i < frames; i++) {
        send_from_host(bench->board, 4096, &local, 60);
        pass_ns(bench, SPACING_NS);
        drain(bench->board);
        drain(bench->peer);
    }
    pass_ns(bench, 3000000);
    assert_int_equal(seen->sent, frames);
    tigon_wire_statistics(bench->wire, 0, statistics);
    assert_int_equal(statistics->frames, frames);
    bench_destroy(bench);
    return seen;
}

static unsigned count(const struct seen *seen, enum tigon_fate fate) {
    unsigned total = 0;
    for (unsigned i = 0; i < seen->sent; i++)
        total += seen->fate[i] == fate;
    return total;
}

/* An exact list hits these frames and no others */
static void test_exact_list(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: lose frame 3\n"
                            "left->right: duplicate frames 5-6\n"
                            "left->right: corrupt frame 8\n"
                            "left->right: truncate to 20 frame 9\n"
                            "left->right: reorder by 2 frame 10\n"
                            "left->right: delay by 5us frame 14\n"
                            "right->left: lose\n",
                            20, &statistics);
    static const uint64_t order[] = {0,  1,  2,  4,  5,  5,  6,  6,  7,  8, 9,
                                     11, 12, 10, 13, 15, 16, 14, 17, 18, 19};
    assert_int_equal(seen->arrived, sizeof order / sizeof *order);
    assert_memory_equal(seen->order, order, sizeof order);
    assert_int_equal(statistics.lost, 1);
    assert_int_equal(statistics.duplicated, 2);
    assert_int_equal(statistics.corrupted_visible, 1);
    assert_int_equal(statistics.truncated, 1);
    assert_int_equal(statistics.reordered, 1);
    assert_int_equal(statistics.delayed, 1);
    assert_int_equal(statistics.delivered, 21);
    assert_true(seen->damaged[9] && seen->length[9] == 60);
    assert_true(seen->damaged[10] && seen->length[10] == 16); /* 20 with a placeholder CRC */
    assert_int_equal(seen->kept[10], TIGON_ARRIVAL_KEPT);
    assert_int_equal(seen->events, 7);
    assert_string_equal(seen->first_event, "left->right frame 3: lost");
    assert_string_equal(seen->last_event, "left->right frame 14: held back for 5000 ns");
    free(seen);
}

/* The same frames are met whatever else goes wrong on the wire, and by another fault others */
static void test_independence(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *one = run("left->right: lose 20%", 400, &statistics);
    assert_in_range(statistics.lost, 50, 110); /* 80 expected, sigma 8 */
    struct seen *two = run("left->right: lose 20%\n"
                           "left->right: duplicate 20%\n"
                           "left->right: reorder by 4 10%\n"
                           "left->right: corrupt 10%",
                           400, &statistics);
    assert_in_range(statistics.duplicated, 30, 90);
    unsigned both = 0;
    for (unsigned i = 0; i < 400; i++) {
        assert_int_equal(one->fate[i] == TIGON_FATE_LOSE, two->fate[i] == TIGON_FATE_LOSE);
        both += two->fate[i] == TIGON_FATE_DUPLICATE;
    }
    assert_true(both > 20); /* duplicates are not the lost ones */
    free(two);
    /* As fault number 1 it draws otherwise. */
    two = run("left->right: delay by 1ns 0%\nleft->right: lose 20%", 400, &statistics);
    assert_memory_not_equal(one->fate, two->fate, sizeof one->fate);
    free(two);
    free(one);
}

/* Frames are lost from its beginning to its end, and the link stays up */
static void test_black_hole(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: lose at 50us for 100us", 100, &statistics);
    for (unsigned i = 0; i < 100; i++) {
        /* Judged when its last byte is out, 72 bytes after the first. */
        const uint64_t ended = seen->sent_ns[i] + 576;
        const bool inside = ended >= 50000 && ended < 150000;
        assert_int_equal(seen->fate[i], inside ? TIGON_FATE_LOSE : TIGON_FATE_DELIVER);
    }
    assert_int_equal(statistics.lost, 50);
    assert_int_equal(statistics.cut, 0);
    free(seen);
    seen = run("left->right: lose 50% every 50us for 20us until 170us", 100, &statistics);
    for (unsigned i = 0; i < 100; i++) {
        const uint64_t ended = seen->sent_ns[i] + 576;
        if (ended % 50000 >= 20000 || ended < 50000 || ended > 170000)
            assert_int_equal(seen->fate[i], TIGON_FATE_DELIVER);
    }
    assert_in_range(statistics.lost, 8, 24); /* of 30, 40 % of 75 frames until then */
    free(seen);
}

/* A frame is overtaken by at most so many, and never lost */
static void test_reordering_bound(void **state) {
    (void)state;
    static const char *const faults[] = {
        "left->right: reorder by 1 30%", "left->right: reorder by 8 30%",
        "left->right: reorder by 64 20%", "left->right: reorder by 3"};
    static const unsigned bounds[] = {1, 8, 64, 3};
    for (unsigned k = 0; k < 4; k++) {
        struct tigon_wire_statistics statistics;
        struct seen *seen = run(faults[k], 400, &statistics);
        static bool there[FRAMES_LIMIT];
        unsigned most = 0, reordered = 0;
        memset(there, 0, sizeof there);
        assert_int_equal(seen->arrived, 400);
        for (unsigned i = 0; i < 400; i++) {
            unsigned overtaken = 0;
            assert_false(there[seen->order[i]]);
            there[seen->order[i]] = true;
            for (unsigned j = 0; j < i; j++)
                overtaken += seen->order[j] > seen->order[i];
            most = overtaken > most ? overtaken : most;
            reordered += overtaken > 0;
        }
        assert_true(most <= bounds[k]);
        if (k < 3) {
            assert_true(most * 4 >= bounds[k] * 3); /* the bound is about reached */
            assert_true(reordered > 20);
        }
        assert_int_equal(statistics.reordered, count(seen, TIGON_FATE_REORDER));
        free(seen);
    }
}

/* The last frame, without a later one, arrives after a millisecond */
static void test_nothing_follows(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: reorder by 4 frame 9", 10, &statistics);
    assert_int_equal(seen->arrived, 10);
    assert_int_equal(seen->order[9], 9);
    /* One frame, cable, MAC; then the limit. */
    assert_int_equal(seen->arrived_ns[9] - seen->sent_ns[9], 576 + 200 + 100 + 1000000);
    free(seen);
}

/* Bursts of Gilbert and Elliott: lengths and share as the chances say */
static void test_bursts(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: lose in bursts enter 5% leave 25%", 1200, &statistics);
    unsigned bursts = 0, lost = 0;
    for (unsigned i = 0; i < 1200; i++) {
        const bool loss = seen->fate[i] == TIGON_FATE_LOSE;
        lost += loss;
        bursts += loss && (i == 0 || seen->fate[i - 1] != TIGON_FATE_LOSE);
    }
    /* In the bad state 5 / (5 + 25) of the time: 200 of 1200, 4 at a time. */
    assert_in_range(lost, 120, 300);
    assert_in_range(lost * 10 / bursts, 25, 60);
    free(seen);
    seen = run("left->right: lose in bursts enter 5% leave 25% losing 50%", 1200, &statistics);
    assert_in_range(statistics.lost, lost * 3 / 10, lost * 7 / 10);
    free(seen);
    seen = run("left->right: lose in bursts enter 100% leave 0% frames 10-19", 30, &statistics);
    assert_int_equal(statistics.lost, 10);
    free(seen);
}

/* Truncated frames are shorter than sent and never pass for whole */
static void test_truncation(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: truncate", 200, &statistics);
    bool lengths[64] = {false};
    unsigned different = 0;
    assert_int_equal(statistics.truncated, 200);
    assert_int_equal(seen->arrived, 200);
    for (unsigned i = 0; i < 200; i++) {
        assert_true(seen->damaged[i]);
        assert_true(seen->length[i] < 60);
        different += !lengths[seen->length[i]];
        lengths[seen->length[i]] = true;
    }
    assert_true(different > 30);
    free(seen);
}

/* More bytes follow a frame: a given or a drawn number of them; the receiver sees a CRC error, also
 * where the frame is longer than its whole buffer */
static void test_lengthening(void **state) {
    (void)state;
    struct tigon_wire_statistics statistics;
    struct seen *seen = run("left->right: lengthen", 200, &statistics);
    unsigned long_ones = 0;
    assert_int_equal(statistics.lengthened, 200);
    assert_int_equal(seen->arrived, 200);
    for (unsigned i = 0; i < 200; i++) {
        assert_true(seen->damaged[i]);
        assert_in_range(seen->length[i], 61, 60 + 1518);
        assert_int_equal(seen->fate[i], TIGON_FATE_LENGTHEN);
        long_ones += seen->length[i] > 1518;
    }
    assert_in_range(long_ones, 1, 60);
    free(seen);
    seen = run("left->right: lengthen to 65535 frames 3-5\n"
               "left->right: lengthen to 64 frame 7\n" /* it has them already */
               "left->right: truncate to 20 frame 9\nleft->right: lengthen to 100 frame 9\n"
               "left->right: lengthen to 100 frame 10\nleft->right: truncate to 20 frame 10\n",
               12, &statistics);
    assert_int_equal(statistics.lengthened, 3);
    assert_int_equal(statistics.truncated, 2);
    assert_int_equal(seen->arrived, 12);
    assert_int_equal(seen->length[3], 65535 - 4);
    assert_int_equal(seen->length[7], 60);
    assert_int_equal(seen->length[9], 16);
    assert_int_equal(seen->length[10], 16);
    assert_false(seen->damaged[2] || seen->damaged[6] || seen->damaged[7] || seen->damaged[11]);
    assert_string_equal(seen->first_event, "left->right frame 3: lengthened to 65535 bytes");
    free(seen);
}

/* Injected PAUSE frames hold back a sender that obeys them, for the time they state */
static void test_pause(void **state) {
    (void)state;
    for (unsigned obeys = 0; obeys < 2; obeys++) {
        struct bench *bench = bench_make(2, NULL);
        struct seen *seen = calloc(1, sizeof *seen);
        assert_non_null(seen);
        const struct tigon_observer observer = {
            .context = seen, .frame = note_frame, .fault = note_fault};
        name_boards(bench);
        bring_up(bench->board);
        bring_up(bench->peer);
        link_up(bench);
        if (obeys)
            set_reg(bench->board, 0x220, reg(bench->board, 0x220) | TIGON_RECEIVE_OBEY_PAUSE);
        assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
        add_faults(bench->world, "right->left: pause by 100us at 10us every 90us until 150us");
        pass_ns(bench, 18000); /* to 20 us */
        make_frame(bench->peer, tigon_host_pointer(tigon_board_host(bench->board), 4096), 60, 1);
        uint32_t local = T_BASE;
        send_from_host(bench->board, 4096, &local, 60);
        pass_ns(bench, 400000);
        assert_int_equal(seen->sent, 1);
        /* The second one, at 100 us and the time of a frame: 196 quanta. */
        if (obeys)
            assert_in_range(seen->sent_ns[0], 100000 + 196 * 512, 102000 + 196 * 512);
        else
            assert_in_range(seen->sent_ns[0], 20000, 24000);
        assert_int_equal(seen->events, 2);
        assert_string_equal(seen->last_event, "right->left: PAUSE for 196 quanta");
        free(seen);
        bench_destroy(bench);
    }
}

/* Unplugging one direction takes one link down, at its times */
static void test_unplug(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct seen *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    const struct tigon_observer observer = {.context = seen, .fault = note_fault};
    name_boards(bench);
    bring_up(bench->board);
    bring_up(bench->peer);
    link_up(bench);
    assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
    add_faults(bench->world, "left->right: unplug at 10us for 20us");
    pass_ns(bench, 10000); /* to 12 us: unplugged at 10, heard 1.2 us later */
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0);
    assert_int_equal(reg(bench->board, 0x220) & 0x40000, 0x40000);
    assert_int_equal(reg(bench->peer, 0x220) & 0x03000000, 0x03000000);
    assert_string_equal(seen->last_event, "left->right: unplugged");
    pass_ns(bench, 20000);
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0x40000);
    assert_string_equal(seen->last_event, "left->right: plugged in again");
    /* Two reasons at once: dark until both are gone. */
    add_faults(bench->world, "left->right: unplug at 40us for 10us\n"
                             "left<->right: unplug at 45us for 10us");
    pass_ns(bench, 20000); /* to 52 us */
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0);
    assert_int_equal(reg(bench->board, 0x220) & 0x40000, 0);
    pass_ns(bench, 10000);
    assert_int_equal(reg(bench->peer, 0x220) & 0x40000, 0x40000);
    assert_int_equal(reg(bench->board, 0x220) & 0x40000, 0x40000);
    assert_int_equal(seen->events, 2 + 2 + 4);
    bench_destroy(bench);
    free(seen);
}

/* Flaps at random: as many as the mean predicts, the same with the same seed */
static void test_flaps(void **state) {
    (void)state;
    uint64_t hits[2];
    char last[2][128];
    for (unsigned again = 0; again < 2; again++) {
        struct bench *bench = bench_make(2, NULL);
        struct seen *seen = calloc(1, sizeof *seen);
        assert_non_null(seen);
        const struct tigon_observer observer = {.context = seen, .fault = note_fault};
        name_boards(bench);
        assert_int_equal(tigon_world_attach(bench->world, &observer), 0);
        add_faults(bench->world, "left->right: unplug about every 100us for 5us until 10ms");
        pass_ns(bench, 20000000);
        (void)tigon_world_fault(bench->world, 0, &hits[again]);
        memcpy(last[again], seen->last_event, sizeof last[again]);
        assert_int_equal(seen->events, 2 * hits[again]);
        bench_destroy(bench);
        free(seen);
    }
    assert_in_range(hits[0], 70, 130); /* 100 expected, sigma 6; some run together */
    assert_int_equal(hits[0], hits[1]);
    assert_string_equal(last[0], "left->right: plugged in again");
}

/* The report names the faults that hit */
static void test_report(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    name_boards(bench);
    add_faults(bench->world, "left->right: unplug at 10us\nleft->right: lose 1%");
    pass_ns(bench, 20000);
    assert_non_null(strstr(tigon_world_report(bench->world),
                           "fault 0 (left->right: unplug at 10us): 1 times, last at 10000 ns\n"));
    assert_null(strstr(tigon_world_report(bench->world), "lose"));
    bench_destroy(bench);
}

/* Impossible faults are refused */
static void test_impossible(void **state) {
    (void)state;
    struct bench *bench = bench_make(2, NULL);
    struct tigon_fault fault;
    static const double chances[] = {-0.1, 1.1, 0.0 / 1.0 - 2};
    tigon_fault_defaults(&fault, TIGON_FAULT_LOSE);
    assert_int_equal(tigon_world_add_fault(bench->world, &fault), -22); /* nowhere */
    fault.wire = bench->wire;
    for (unsigned i = 0; i < 3; i++) {
        fault.chance = chances[i];
        assert_int_equal(tigon_world_add_fault(bench->world, &fault), -22);
    }
    fault.chance = 1;
    fault.from_side = 2;
    assert_int_equal(tigon_world_add_fault(bench->world, &fault), -22);
    tigon_fault_defaults(&fault, TIGON_FAULT_KILL);
    fault.board = bench->board;
    assert_int_equal(tigon_world_add_fault(bench->world, &fault), -22); /* when? */
    fault.timed = true;
    assert_int_equal(tigon_world_add_fault(bench->world, &fault), 0);
    fault.kind = TIGON_FAULT_KINDS;
    assert_int_equal(tigon_world_add_fault(bench->world, &fault), -22);
    assert_null(tigon_world_fault(bench->world, 1, NULL));
    bench_destroy(bench);
}

int wire_fault_tests(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_list),      cmocka_unit_test(test_independence),
        cmocka_unit_test(test_black_hole),      cmocka_unit_test(test_reordering_bound),
        cmocka_unit_test(test_nothing_follows), cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_truncation),      cmocka_unit_test(test_unplug),
        cmocka_unit_test(test_flaps),           cmocka_unit_test(test_report),
        cmocka_unit_test(test_impossible),      cmocka_unit_test(test_lengthening),
        cmocka_unit_test(test_pause),
    };
    return cmocka_run_group_tests_name("wire faults", tests, NULL, NULL);
}
