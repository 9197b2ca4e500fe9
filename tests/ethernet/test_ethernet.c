/* SPDX-License-Identifier: MIT */
/*
 * Our own Ethernet firmware on boards, beside the items (items.h), which any firmware of its kind
 * must pass: what it counts, knobs of the simulator, faults, and more than two boards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/ethernet/firmware/counters.h"
#include "tests/ethernet/station.h"

enum { MOST_BOARDS = 3 };

#define SETTLE_NS UINT64_C(20000000)

static struct image image;

/* Of the test that runs; its teardown ends it, also when the test failed. */
static struct {
    struct tigon_world *world;
    struct tigon_wire *wire;
    struct station stations[MOST_BOARDS];
    int program[MOST_BOARDS];
    unsigned boards;
    char odd[200]; /* the first odd behaviour: real silicon would punish it, so none is allowed */
} stage;

static void complain(void *context, const struct tigon_board *board, const char *message) {
    (void)context;
    if (stage.odd[0] == '\0')
        (void)snprintf(stage.odd, sizeof stage.odd, "%s: %s", tigon_board_name(board), message);
}

static int stage_end(void **state) {
    (void)state;
    tigon_world_destroy(stage.world);
    stage.world = NULL;
    for (unsigned i = 0; i < MOST_BOARDS; i++)
        traffic_free(&stage.stations[i].traffic);
    return 0;
}

static void stage_make(unsigned boards, const char *const *knobs) {
    struct tigon_knobs values;
    (void)stage_end(NULL);
    memset(&stage, 0, sizeof stage);
    stage.boards = boards;
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
        struct station *station = &stage.stations[i];
        *station = (struct station){
            .options = ethernet_defaults(),
            .image = &image,
            .plan = {.shortest = 60, .longest = 1514},
            .settle_ns = SETTLE_NS,
            .traffic = {.burst = 16, .quiet_ns = 5000000},
        };
        for (unsigned k = 0; k < boards; k++)
            if (k != i)
                tigon_board_mac_address(tigon_world_board(stage.world, k),
                                        station->traffic.peers[station->traffic.peer_count++]);
    }
}

static void stage_frames(uint32_t frames) {
    for (unsigned i = 0; i < stage.boards; i++)
        stage.stations[i].plan.frames = frames;
}

static uint32_t counter(unsigned board, unsigned number) {
    return tigon_board_peek32(tigon_world_board(stage.world, board),
                              FIRMWARE_COUNTERS + 4 * number);
}

/* Runs the traffic to its end on all boards. */
static void stage_run(void) {
    for (unsigned i = 0; i < stage.boards; i++) {
        struct tigon_host *host = tigon_board_host(tigon_world_board(stage.world, i));
        stage.program[i] = tigon_host_start(host, "station", station_program, &stage.stations[i]);
    }
    const enum tigon_end end = tigon_world_run(stage.world, 3000000000);
    assert_string_equal(stage.odd, "");
    for (unsigned i = 0; i < stage.boards; i++) {
        int result = -1;
        struct tigon_host *host = tigon_board_host(tigon_world_board(stage.world, i));
        const struct station *station = &stage.stations[i];
        const bool finished = tigon_host_finished(host, stage.program[i], &result);
        if (end != TIGON_END_FINISHED || !finished || result != 0)
            fail_msg("board %u: %s; %u received, %u wrong, %s\n%s", i, tigon_end_name(end),
                     (unsigned)station->traffic.received, (unsigned)station->traffic.wrong,
                     station->error, tigon_world_report(stage.world));
    }
}

/* Both ways, no loss: everything arrives once, in order, and is counted. */
static void expect_all(uint32_t frames) {
    for (unsigned i = 0; i < stage.boards; i++) {
        const struct traffic *traffic = &stage.stations[i].traffic;
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(stage.world, i), &statistics);
        if (traffic->received != frames)
            fail_msg("board %u: %u of %u frames received; it waited %u times for buffers", i,
                     (unsigned)traffic->received, (unsigned)frames,
                     (unsigned)counter(i, COUNTER_NO_BUFFERS));
        assert_int_equal(traffic->repeated, 0);
        assert_int_equal(traffic->backwards, 0);
        assert_int_equal(counter(i, COUNTER_SENT), frames);
        assert_int_equal(counter(i, COUNTER_RECEIVED), frames);
        assert_int_equal(counter(i, COUNTER_DAMAGED), 0);
        assert_int_equal(counter(i, COUNTER_UNEXPECTED), 0);
        assert_int_equal(statistics.transmit_frames, frames);
        assert_int_equal(statistics.unknown_registers, 0);
    }
}

static uint32_t mac_statistic(unsigned board, unsigned index) {
    return tigon_board_peek32(tigon_world_board(stage.world, board), 0x80 + 4 * index);
}

/* Words of the MAC statistics (tigon2.md 6.3). */
enum { MAC_CRC_ERRORS = 18, MAC_NO_SPACE = 27, MAC_UNICAST = 31 };

/* One way of running the boards on which everything must arrive. */
struct variant {
    const char *name;
    const char *knobs[4];
    uint32_t mode, skew, buffers, refill, shortest, longest, frames, burst;
    unsigned boards;
    bool polling;
};

static const struct variant variants[] = {
    {"as the firmware was made", {NULL}, 0, 0, 256, 16, 60, 1514, 1000, 16, 2, false},
    {"512 kB, 32-bit bus, few buffers",
     {"sram_bytes=512K", "bus_kind=32/33", NULL},
     0,
     1,
     40,
     1,
     60,
     1514,
     800,
     0,
     2,
     false},
    {"2 MB, host memory above 4 GB, polling",
     {"sram_bytes=2M", "host_memory_base=0x1FFF00000", NULL},
     0,
     3,
     500,
     64,
     60,
     1514,
     800,
     64,
     2,
     true},
    {"jumbo frames on 512 kB",
     {"sram_bytes=512K", NULL},
     0,
     7,
     64,
     8,
     8000,
     9014,
     200,
     8,
     2,
     false},
    {"no cut-through", {"transmit_cut_through=0", NULL}, 0, 0, 64, 8, 60, 1514, 400, 16, 2, false},
    {"only software hands data to the MAC and frees its ring",
     {"hand_dma_feeds_mac=0", "transmit_full_by_reference=1", NULL},
     0,
     0,
     64,
     8,
     60,
     1514,
     400,
     16,
     2,
     false},
    {"three boards on a switch", {NULL}, 0, 0, 256, 16, 60, 1514, 600, 4, 3, false},
    {"three boards on a switch, one DMA at a time",
     {NULL},
     MODE_ONE_DMA,
     5,
     256,
     16,
     60,
     1514,
     600,
     4,
     3,
     false},
};

static void passes_frames(void **state) {
    const struct variant *variant = *state;
    stage_make(variant->boards, variant->knobs);
    stage_frames(variant->frames);
    for (unsigned i = 0; i < stage.boards; i++) {
        struct station *station = &stage.stations[i];
        station->options.mode = variant->mode;
        station->options.skew = variant->skew;
        station->options.buffers = variant->buffers;
        station->options.refill = variant->refill;
        station->options.polling = variant->polling;
        station->options.jumbo = variant->longest > 1514;
        station->options.mtu = variant->longest;
        station->plan.shortest = variant->shortest;
        station->plan.longest = variant->longest;
        station->traffic.burst = variant->burst;
    }
    stage_run();
    expect_all(variant->frames);
}

/* What the wire did to frames shows in what arrives, to the frame. */
static void counts_what_is_lost(void **state) {
    (void)state;
    static const char *const knobs[] = {"wire_loss=0.05", "wire_duplicate=0.03",
                                        "wire_corrupt_visible=0.04", "wire_delay=0.05", NULL};
    stage_make(2, knobs);
    stage_frames(1200);
    stage_run();
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_wire_statistics wire;
        const struct traffic *traffic = &stage.stations[i].traffic;
        tigon_wire_statistics(stage.wire, 1 - i, &wire);
        assert_int_equal(wire.frames, 1200);
        assert_true(wire.lost > 20 && wire.duplicated > 10 && wire.corrupted_visible > 20);
        /* A damaged frame may have come twice. */
        assert_in_range(traffic->damaged, wire.corrupted_visible,
                        wire.corrupted_visible + wire.duplicated);
        assert_int_equal(counter(i, COUNTER_DAMAGED), traffic->damaged);
        assert_int_equal(mac_statistic(i, MAC_CRC_ERRORS), traffic->damaged);
        assert_int_equal(traffic->received + traffic->damaged, wire.delivered);
        assert_int_equal(wire.delivered, 1200 - wire.lost + wire.duplicated);
        assert_int_equal(traffic->received - traffic->repeated + wire.lost + wire.corrupted_visible,
                         1200);
        assert_true(traffic->backwards > 0);
        assert_int_equal(mac_statistic(i, MAC_UNICAST), wire.delivered);
    }
}

/* A host that looks away for long, on a board with 2 MB: what is dropped is counted. */
static void counts_what_a_slow_host_misses(void **state) {
    (void)state;
    static const char *const knobs[] = {"sram_bytes=2M", NULL};
    stage_make(2, knobs);
    stage_frames(3000);
    for (unsigned i = 0; i < 2; i++) {
        stage.stations[i].plan.shortest = 1500;
        stage.stations[i].plan.pieces = 1;
    }
    struct traffic *slow = &stage.stations[1].traffic;
    stage.stations[0].traffic.burst = 0;
    stage.stations[1].options.buffers = 32;
    slow->gap_ns = 2000000;
    slow->quiet_ns = 20000000;
    stage_run();
    struct tigon_statistics statistics;
    tigon_board_statistics(tigon_world_board(stage.world, 1), &statistics);
    const uint64_t dropped = statistics.dropped_no_buffer + statistics.dropped_no_descriptor;
    assert_true(dropped > 0);
    assert_true(counter(1, COUNTER_NO_BUFFERS) > 0);
    assert_true(counter(1, COUNTER_EXHAUSTED) > 0);
    assert_int_equal(mac_statistic(1, MAC_NO_SPACE), dropped);
    assert_int_equal(slow->received + dropped, 3000);
    assert_int_equal(slow->repeated + slow->backwards + slow->damaged, 0);
}

/* A transfer is aborted on the bus: the firmware sees it and does it again. */
static void break_read(void *board) {
    tigon_board_break_dma(board, false, 0x80000000u);
}

static void break_write(void *board) {
    tigon_board_break_dma(board, true, 0x02000000u);
}

struct breaking {
    struct station *station;
    struct tigon_board *board;
};

/* Some time after the exchange has begun, whenever that is. */
static int break_board(struct tigon_host *host, void *argument) {
    const struct breaking *breaking = argument;
    while (breaking->station->traffic.received < 50)
        tigon_host_sleep_ns(host, 10000);
    if (tigon_board_index(breaking->board) == 0)
        break_read(breaking->board);
    else
        break_write(breaking->board);
    return 0;
}

static void goes_on_after_a_failed_dma(void **state) {
    static const uint32_t modes[] = {0, MODE_ONE_DMA};
    static const char *const knobs[] = {NULL};
    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        stage_make(2, knobs);
        struct breaking breaking[2];
        stage_frames(300);
        for (unsigned i = 0; i < 2; i++) {
            stage.stations[i].options.mode = modes[n];
            breaking[i] = (struct breaking){&stage.stations[i], tigon_world_board(stage.world, i)};
            tigon_host_start(tigon_board_host(breaking[i].board), "break", break_board,
                             &breaking[i]);
        }
        stage_run();
        expect_all(300);
        for (unsigned i = 0; i < 2; i++) {
            struct tigon_statistics statistics;
            tigon_board_statistics(tigon_world_board(stage.world, i), &statistics);
            assert_int_equal(i == 0 ? statistics.dma_read.errors : statistics.dma_write.errors, 1);
            assert_int_equal(counter(i, COUNTER_DMA_FAILED), 1);
        }
    }
}

/* Entries that make no frame are refused, and those after them are sent. */
struct refusals {
    struct ethernet ethernet;
    uint8_t to[6];
};

static bool all_sent(struct ethernet *ethernet) {
    while (ethernet_unsent(ethernet) != 0)
        if (!ethernet_wait(ethernet, 5000000))
            return false;
    return true;
}

/* Six frames, and among them three that are none. */
static const struct {
    uint32_t cuts[5];
    unsigned pieces;
} refused[] = {
    {{100}, 1},           {{13}, 1},   {{1518}, 1},          {{20, 0, 20}, 3},     {{64}, 1},
    {{700, 700, 118}, 3}, {{9019}, 1}, {{8, 8, 8, 8, 8}, 5}, {{15, 15, 15, 15}, 4}};

static int refusing_program(struct tigon_host *host, void *argument) {
    static const uint32_t places[40] = {1, 2, 3, 4, 5};
    struct refusals *refusals = argument;
    struct ethernet *ethernet = &refusals->ethernet;
    const struct ethernet_options options = ethernet_defaults();
    if (ethernet_open(ethernet, host, &options, &image, 100000000) < 0 ||
        !ethernet_await_link(ethernet, true, 1000000000))
        return 1;
    tigon_host_sleep_ns(host, SETTLE_NS);
    uint8_t frame[9100] = {0};
    memcpy(frame, refusals->to, 6);
    memcpy(frame + 6, ethernet->address, 6);
    frame[12] = 0x88;
    frame[13] = 0xB5;
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++)
        ethernet_send(ethernet, frame, refused[i].cuts, places, refused[i].pieces, 0, 0);
    uint32_t ones[40];
    for (unsigned i = 0; i < 40; i++)
        ones[i] = 1;
    ethernet_send(ethernet, frame, ones, places, 40, 0, 0);
    ethernet_push(ethernet);
    if (!all_sent(ethernet))
        return 2;
    static const uint32_t last[] = {60};
    ethernet_send(ethernet, frame, last, places, 1, 0, 0);
    ethernet_push(ethernet);
    return all_sent(ethernet) ? 0 : 3;
}

static int only_open(struct tigon_host *host, void *argument) {
    struct ethernet *ethernet = argument;
    const struct ethernet_options options = ethernet_defaults();
    return ethernet_open(ethernet, host, &options, &image, 100000000) < 0 ||
           !ethernet_await_link(ethernet, true, 1000000000);
}

static void refuses_impossible_frames(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    stage_make(2, knobs);
    struct refusals refusals = {0};
    struct ethernet other;
    struct tigon_statistics statistics;
    struct tigon_board *board = tigon_world_board(stage.world, 0);
    tigon_board_mac_address(tigon_world_board(stage.world, 1), refusals.to);
    const int program =
        tigon_host_start(tigon_board_host(board), "refusals", refusing_program, &refusals);
    tigon_host_start(tigon_board_host(tigon_world_board(stage.world, 1)), "other", only_open,
                     &other);
    assert_int_equal(tigon_world_run(stage.world, 2000000000), TIGON_END_FINISHED);
    int result = -1;
    assert_true(tigon_host_finished(tigon_board_host(board), program, &result));
    assert_int_equal(result, 0);
    tigon_board_statistics(board, &statistics);
    assert_int_equal(statistics.transmit_frames, 7);
    assert_int_equal(counter(0, COUNTER_SENT), 7);
    /* That of forty pieces is refused as 32 and 8. */
    assert_int_equal(counter(0, COUNTER_SEND_REFUSED), 5);
}

/* What the firmware cannot work with it says. */
struct start {
    struct ethernet ethernet;
    struct ethernet_options options;
};

static int starting_program(struct tigon_host *host, void *argument) {
    struct start *start = argument;
    return ethernet_open(&start->ethernet, host, &start->options, &image, 50000000) == 0 ? 0 : 1;
}

static void says_why_it_does_not_start(void **state) {
    (void)state;
    /* Sums of the DMA engines cannot be trusted with the assist on (tigon2.md 5.5). */
    static const struct {
        uint32_t mode, flags, state;
    } starts[] = {{0, RING_TRANSPORT_SUM, STATE_RUNNING},
                  {MODE_ONE_DMA, 0, STATE_RUNNING},
                  {MODE_ONE_DMA, RING_TRANSPORT_SUM, STATE_BAD_CONFIGURATION}};
    static const char *const knobs[] = {NULL};
    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        stage_make(2, knobs);
        struct start start = {.options = ethernet_defaults()};
        struct tigon_board *board = tigon_world_board(stage.world, 0);
        start.options.mode = starts[i].mode;
        start.options.send_flags = start.options.receive_flags = starts[i].flags;
        tigon_host_start(tigon_board_host(board), "start", starting_program, &start);
        assert_int_equal(tigon_world_run(stage.world, 100000000), TIGON_END_FINISHED);
        assert_int_equal(tigon_board_peek32(board, FIRMWARE_STATE), starts[i].state);
        assert_int_equal(start.ethernet.up, starts[i].state == STATE_RUNNING);
        assert_int_equal(start.ethernet.last_code[EVENT_ERROR],
                         starts[i].state == STATE_RUNNING ? 0 : 3);
    }
}

/* The same run with cores that are simulated turn by turn: no frame and no time changes. */
static void parking_changes_nothing(void **state) {
    (void)state;
    static const char *const knobs[2][2] = {{"idle_parking=1", NULL}, {"idle_parking=0", NULL}};
    uint64_t ended[2][2];
    uint64_t interrupts[2][2];
    for (unsigned n = 0; n < 2; n++) {
        stage_make(2, knobs[n]);
        stage_frames(60);
        for (unsigned i = 0; i < 2; i++) {
            stage.stations[i].settle_ns = 1000000;
            stage.stations[i].traffic.quiet_ns = 1000000;
        }
        stage_run();
        for (unsigned i = 0; i < 2; i++) {
            ended[n][i] = stage.stations[i].traffic.ended_ns;
            interrupts[n][i] = stage.stations[i].ethernet.interrupts;
        }
    }
    assert_memory_equal(ended[0], ended[1], sizeof ended[0]);
    assert_memory_equal(interrupts[0], interrupts[1], sizeof interrupts[0]);
}

static int read_image(void **state) {
    char problem[256];
    char file[] = "build/ethernet/ethernet.elf";
    const struct scenario_image scenario = {.file = file};
    (void)state;
    if (image_read(&image, &scenario, problem, sizeof problem) == 0)
        return 0;
    print_error("%s\n", problem);
    return -1;
}

static int free_image(void **state) {
    (void)state;
    image_free(&image);
    return 0;
}

int main(void) {
    enum { VARIANTS = sizeof variants / sizeof variants[0], OTHERS = 6 };
    static const struct CMUnitTest others[OTHERS] = {
        cmocka_unit_test_teardown(counts_what_is_lost, stage_end),
        cmocka_unit_test_teardown(counts_what_a_slow_host_misses, stage_end),
        cmocka_unit_test_teardown(goes_on_after_a_failed_dma, stage_end),
        cmocka_unit_test_teardown(refuses_impossible_frames, stage_end),
        cmocka_unit_test_teardown(says_why_it_does_not_start, stage_end),
        cmocka_unit_test_teardown(parking_changes_nothing, stage_end),
    };
    struct CMUnitTest tests[VARIANTS + OTHERS] = {{0}};
    for (unsigned i = 0; i < VARIANTS; i++) {
        tests[i].name = variants[i].name;
        tests[i].test_func = passes_frames;
        tests[i].teardown_func = stage_end;
        tests[i].initial_state = (void *)&variants[i];
    }
    memcpy(tests + VARIANTS, others, sizeof others);
    return cmocka_run_group_tests(tests, read_image, free_image);
}
