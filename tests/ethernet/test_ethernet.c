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
        stage->traffic[i]->numbered = frames;
        stage->traffic[i]->expected = frames;
    }
}

static uint32_t firmware_counter(const struct stage *stage, unsigned board, unsigned counter) {
    return tigon_board_peek32(tigon_world_board(stage->world, board), AREA_COUNTERS + 4 * counter);
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
            print_message(
                "  board %u: %u frames, %u kB, %u interrupts (%u repeated) in %u us from %u us\n",
                i, (unsigned)traffic->received, (unsigned)(traffic->bytes / 1000),
                (unsigned)traffic->ethernet.interrupts,
                (unsigned)firmware_counter(stage, i, COUNTER_REPEATED),
                (unsigned)((traffic->ended_ns - traffic->begun_ns) / 1000),
                (unsigned)(traffic->begun_ns / 1000));
    }
}

static void stage_end(struct stage *stage) {
    tigon_world_destroy(stage->world);
    for (unsigned i = 0; i < stage->boards; i++)
        free(stage->traffic[i]);
}

/* Both ways, every length, no loss: everything arrives once, in order. */
static void expect_all(const struct stage *stage, uint32_t frames) {
    for (unsigned i = 0; i < stage->boards; i++) {
        const struct traffic *traffic = stage->traffic[i];
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(stage->world, i), &statistics);
        if (traffic->received != frames)
            fail_msg("board %u: %u of %u frames received; STARVED %u, NO_SPACE %u", i,
                     (unsigned)traffic->received, (unsigned)frames,
                     (unsigned)firmware_counter(stage, i, COUNTER_STARVED),
                     (unsigned)firmware_counter(stage, i, COUNTER_NO_SPACE));
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

static uint32_t mac_statistic(const struct stage *stage, unsigned board, unsigned index) {
    return tigon_board_peek32(tigon_world_board(stage->world, board), 0x80 + 4 * index);
}

/* Words of the MAC statistics (tigon2.md 6.3). */
enum { MAC_CRC_ERRORS = 18, MAC_NOT_OURS = 24, MAC_NO_GROUP = 25, MAC_NO_SPACE = 27 };
enum { MAC_BROADCAST = 29, MAC_GROUP = 30, MAC_UNICAST = 31 };

/* One way of running the boards on which everything must arrive. */
struct variant {
    const char *name;
    const char *knobs[4];
    uint32_t options, report_us, ring_entries, first, shortest, longest, frames, burst;
    unsigned boards;
};

static const struct variant variants[] = {
    {"as the firmware was made", {NULL}, 0, 100, 128, 0, 60, 1514, 1500, 16, 2},
    {"512 kB, space freed by hand, 32-bit bus",
     {"sram_bytes=512K", "bus_kind=32/33", NULL},
     OPTION_FREE_BY_HAND,
     50,
     64,
     1,
     60,
     1514,
     1000,
     0,
     2},
    {"2 MB, alarms by DMA, host memory above 4 GB",
     {"sram_bytes=2M", "host_memory_base=0x1FFF00000", NULL},
     OPTION_ALARM_BY_DMA,
     100,
     256,
     3,
     60,
     1514,
     1000,
     64,
     2},
    {"jumbo frames", {NULL}, 0, 100, 64, 5, 7000, 9014, 300, 8, 2},
    {"jumbo frames on 512 kB", {"sram_bytes=512K", NULL}, 0, 100, 64, 7, 8000, 9014, 200, 8, 2},
    {"frames that the MAC fills up", {NULL}, 0, 10, 32, 2, 20, 66, 800, 32, 2},
    {"rings of four, a report every microsecond", {NULL}, 0, 1, 4, 0, 60, 300, 200, 1, 2},
    {"external SERDES", {"transceiver=external", NULL}, 0, 100, 64, 0, 60, 1514, 100, 16, 2},
    {"no cut-through", {"transmit_cut_through=0", NULL}, 0, 100, 64, 0, 60, 1514, 400, 16, 2},
    {"only software hands data to the MAC and frees its ring",
     {"hand_dma_feeds_mac=0", "transmit_full_by_reference=1", NULL},
     0,
     100,
     64,
     0,
     60,
     1514,
     400,
     16,
     2},
    {"three boards on a switch", {NULL}, 0, 100, 256, 0, 60, 1514, 600, 4, 3},
};

static void passes_frames(void **state) {
    const struct variant *variant = *state;
    struct stage stage = stage_make(variant->boards, variant->knobs);
    for (unsigned i = 0; i < stage.boards; i++) {
        stage.traffic[i]->options = (struct ethernet_options){.firmware = variant->options,
                                                              .report_us = variant->report_us,
                                                              .ring_entries = variant->ring_entries,
                                                              .longest = variant->longest,
                                                              .first = variant->first};
        stage.traffic[i]->shortest = variant->shortest;
        stage.traffic[i]->longest = variant->longest;
        stage.traffic[i]->burst = variant->burst;
    }
    stage_frames(&stage, variant->frames);
    stage_run(&stage);
    expect_all(&stage, variant->frames);
    stage_end(&stage);
}

/* What the wire did to frames shows in what arrives, to the frame. */
static void counts_what_is_lost(void **state) {
    (void)state;
    static const char *const knobs[] = {"wire_loss=0.05", "wire_duplicate=0.03",
                                        "wire_corrupt_visible=0.04", "wire_delay=0.05", NULL};
    struct stage stage = stage_make(2, knobs);
    stage_frames(&stage, 1200);
    stage_run(&stage);
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_wire_statistics wire;
        const struct traffic *traffic = stage.traffic[i];
        tigon_wire_statistics(stage.wire, 1 - i, &wire);
        assert_int_equal(wire.frames, 1200);
        assert_true(wire.lost > 20 && wire.duplicated > 10 && wire.corrupted_visible > 20);
        /* A damaged frame may have come twice. */
        const uint32_t damaged = firmware_counter(&stage, i, COUNTER_DAMAGED);
        assert_in_range(damaged, wire.corrupted_visible, wire.corrupted_visible + wire.duplicated);
        assert_int_equal(mac_statistic(&stage, i, MAC_CRC_ERRORS), damaged);
        assert_int_equal(traffic->received + damaged, wire.delivered);
        assert_int_equal(wire.delivered, 1200 - wire.lost + wire.duplicated);
        assert_int_equal(traffic->received - traffic->repeated + wire.lost + wire.corrupted_visible,
                         1200);
        assert_true(traffic->backwards > 0);
        assert_int_equal(mac_statistic(&stage, i, MAC_UNICAST),
                         firmware_counter(&stage, i, COUNTER_RECEIVED) + damaged);
    }
    stage_end(&stage);
}

/* A host that looks away for long: the buffers run out, frames are dropped and counted, and all is
 * well again afterwards, on every SRAM size and with both ways to free the space. */
static void survives_a_slow_host(void **state) {
    static const char *const sizes[] = {"sram_bytes=512K", "sram_bytes=1M", "sram_bytes=2M"};
    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const char *const knobs[] = {sizes[n], NULL};
        struct stage stage = stage_make(2, knobs);
        stage.traffic[0]->frames = 3000;
        stage.traffic[0]->shortest = 1500;
        stage.traffic[0]->options.ring_entries = 512;
        stage.traffic[0]->burst = 0;
        stage.traffic[1]->shortest = 1500;
        stage.traffic[1]->options.ring_entries = 32;
        stage.traffic[1]->options.firmware = n == 1 ? OPTION_FREE_BY_HAND : 0;
        stage.traffic[1]->gap_ns = 2000000;
        stage.traffic[1]->numbered = 3000;
        stage.traffic[1]->expected = 3000;
        stage_run(&stage);
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(stage.world, 1), &statistics);
        const uint64_t dropped = statistics.dropped_no_buffer + statistics.dropped_no_descriptor;
        assert_true(dropped > 0);
        assert_true(firmware_counter(&stage, 1, COUNTER_STARVED) > 0);
        assert_true(firmware_counter(&stage, 1, COUNTER_NO_SPACE) > 0);
        assert_int_equal(mac_statistic(&stage, 1, MAC_NO_SPACE), dropped);
        assert_int_equal(stage.traffic[1]->received + dropped +
                             firmware_counter(&stage, 1, COUNTER_DAMAGED),
                         3000);
        assert_int_equal(stage.traffic[1]->repeated + stage.traffic[1]->backwards, 0);
        stage_end(&stage);
    }
}

static void unplug(void *wire) {
    tigon_wire_set_cut(wire, true);
}

static void plug(void *wire) {
    tigon_wire_set_cut(wire, false);
}

/* The fibre is pulled for a while: both sides agree anew, and later frames arrive. */
static void finds_the_link_again(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    struct stage stage = stage_make(2, knobs);
    stage_frames(&stage, 800);
    for (unsigned i = 0; i < 2; i++) {
        stage.traffic[i]->gap_ns = 1000000;
        stage.traffic[i]->quiet_ns = 60000000;
    }
    tigon_world_call_at(stage.world, 30000000, unplug, stage.wire);
    tigon_world_call_at(stage.world, 33000000, plug, stage.wire);
    stage_run(&stage);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(firmware_counter(&stage, i, COUNTER_LINK_UP), 2);
        assert_int_equal(firmware_counter(&stage, i, COUNTER_LINK_DOWN), 1);
        assert_int_equal(stage.traffic[i]->repeated + stage.traffic[i]->backwards, 0);
        assert_int_equal(stage.traffic[i]->next[0], 800);
    }
    stage_end(&stage);
}

/* A transfer is aborted on the bus: B sees it, resets the engine and does it again. */
static void break_read(void *board) {
    tigon_board_break_dma(board, false, 0x80000000u);
}

static void break_write(void *board) {
    tigon_board_break_dma(board, true, 0x02000000u);
}

static void goes_on_after_a_failed_dma(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    struct stage stage = stage_make(2, knobs);
    stage_frames(&stage, 300);
    tigon_world_call_at(stage.world, 27500000, break_read, tigon_world_board(stage.world, 0));
    tigon_world_call_at(stage.world, 28000000, break_write, tigon_world_board(stage.world, 1));
    stage_run(&stage);
    expect_all(&stage, 300);
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_statistics statistics;
        tigon_board_statistics(tigon_world_board(stage.world, i), &statistics);
        assert_int_equal(i == 0 ? statistics.dma_read.errors : statistics.dma_write.errors, 1);
        assert_int_equal(firmware_counter(&stage, i, COUNTER_DMA_FAILED), 1);
    }
    stage_end(&stage);
}

/* Entries that make no frame are refused, and those after them are sent. */
struct refusals {
    struct ethernet ethernet;
    uint32_t sent, refused;
};

static int refusing_program(struct tigon_host *host, void *argument) {
    struct refusals *refusals = argument;
    struct ethernet *ethernet = &refusals->ethernet;
    const struct ethernet_options options = {
        .report_us = 20, .ring_entries = 64, .longest = 1514, .first = 1};
    if (ethernet_open(ethernet, host, &options, image) < 0)
        return 1;
    while (!ethernet_link(ethernet))
        if (!ethernet_wait(ethernet, 500000000))
            return 2;
    uint8_t frame[1600] = {0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2, 0x88, 0xB5};
    static const uint32_t cuts[][5] = {
        {100}, {13}, {1515}, {20, 0, 20}, {64}, {700, 700, 200}, {8, 8, 8, 8, 8}, {15, 15, 15, 15}};
    static const unsigned pieces[] = {1, 1, 1, 3, 1, 3, 5, 4};
    for (unsigned i = 0; i < 8; i++)
        ethernet_send(ethernet, frame, cuts[i], pieces[i]);
    /* A frame of forty pieces. */
    for (unsigned i = 0; i < 40; i++) {
        static const uint32_t one[] = {1};
        ethernet_send(ethernet, frame, one, 1);
        if (i < 39)
            ethernet->sends[((ethernet->sent - 1) & 63) * ENTRY_WORDS + ENTRY_LENGTH] = 1;
    }
    ethernet_push(ethernet);
    while (!ethernet_all_sent(ethernet))
        if (!ethernet_wait(ethernet, 5000000))
            return 3;
    static const uint32_t last[] = {60};
    ethernet_send(ethernet, frame, last, 1);
    ethernet_push(ethernet);
    while (!ethernet_all_sent(ethernet))
        if (!ethernet_wait(ethernet, 5000000))
            return 4;
    refusals->sent = ethernet_counter(ethernet, COUNTER_SENT);
    refusals->refused = ethernet_counter(ethernet, COUNTER_SEND_REFUSED);
    return 0;
}

static int only_open(struct tigon_host *host, void *argument) {
    const struct ethernet_options options = {.report_us = 100, .ring_entries = 64, .longest = 1514};
    return ethernet_open(argument, host, &options, image) < 0;
}

static void refuses_impossible_frames(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    struct stage stage = stage_make(2, knobs);
    struct refusals refusals = {0};
    struct ethernet other;
    struct tigon_host *host = tigon_board_host(tigon_world_board(stage.world, 0));
    const int program = tigon_host_start(host, "refusals", refusing_program, &refusals);
    tigon_host_start(tigon_board_host(tigon_world_board(stage.world, 1)), "other", only_open,
                     &other);
    assert_int_equal(tigon_world_run(stage.world, 200000000), TIGON_END_FINISHED);
    int result = -1;
    assert_true(tigon_host_finished(host, program, &result));
    assert_int_equal(result, 0);
    assert_int_equal(refusals.sent, 4);    /* 100, 64, four times 15, 60 */
    assert_int_equal(refusals.refused, 7); /* of forty pieces: 32, then 8 */
    stage_end(&stage);
}

/* What the firmware cannot work with it says. */
struct start {
    struct ethernet ethernet;
    struct ethernet_options options;
    const char *image;
};

static int starting_program(struct tigon_host *host, void *argument) {
    struct start *start = argument;
    return ethernet_open(&start->ethernet, host, &start->options, start->image) == 0 ? 0 : 1;
}

static void says_why_it_does_not_start(void **state) {
    (void)state;
    static const struct {
        const char *knob, *image, *error;
        uint32_t ring_entries;
    } starts[] = {
        {"transceiver=internal", image, "", 64},
        {"transceiver=copper", image, "the firmware stopped with 45544804", 64},
        {"transceiver=internal", image, "the firmware stopped with 45544803", 48},
        {"transceiver=internal", "build/ethernet/none.bin", "cannot open build/ethernet/none.bin",
         64},
    };
    for (unsigned i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        const char *const knobs[] = {starts[i].knob, NULL};
        struct stage stage = stage_make(2, knobs);
        struct start start = {
            .options = {.report_us = 100, .ring_entries = starts[i].ring_entries, .longest = 1514},
            .image = starts[i].image};
        struct tigon_host *host = tigon_board_host(tigon_world_board(stage.world, 0));
        const int program = tigon_host_start(host, "start", starting_program, &start);
        assert_int_equal(tigon_world_run(stage.world, 100000000), TIGON_END_FINISHED);
        int result = -1;
        assert_true(tigon_host_finished(host, program, &result));
        assert_string_equal(start.ethernet.error, starts[i].error);
        assert_int_equal(result, starts[i].error[0] == '\0' ? 0 : 1);
        stage_end(&stage);
    }
}

/* The addresses a board accepts, and its statistics. */
struct filtering {
    struct ethernet ethernet;
    struct tigon_wire *wire;
    uint32_t counts[3][7];
};

static uint32_t take_all(struct ethernet *ethernet) {
    const uint8_t *frame;
    uint32_t count = 0;
    while (ethernet_wait(ethernet, 2000000))
        while (ethernet_receive(ethernet, &frame) != 0) {
            count++;
            ethernet_release(ethernet);
        }
    return count;
}

static int filtering_program(struct tigon_host *host, void *argument) {
    struct filtering *filtering = argument;
    struct ethernet *ethernet = &filtering->ethernet;
    static const uint8_t groups[2][6] = {{0x01, 0, 0x5E, 0, 0, 1}, {0x33, 0x33, 0, 0, 0, 0x16}};
    static const unsigned statistics[6] = {MAC_NOT_OURS, MAC_NO_GROUP, MAC_BROADCAST,
                                           MAC_GROUP,    MAC_UNICAST,  MAC_NO_SPACE};
    const struct ethernet_options options = {.report_us = 50, .ring_entries = 64, .longest = 1514};
    if (ethernet_open(ethernet, host, &options, image) < 0)
        return 1;
    while (!ethernet_link(ethernet))
        if (!ethernet_wait(ethernet, 500000000))
            return 2;
    for (unsigned round = 0; round < 3; round++) {
        /* Only the own address and broadcasts; two groups too; everything. */
        ethernet_filter(ethernet, round == 2, groups, round == 1 ? 2 : 0);
        ethernet_clear_statistics(ethernet);
        tigon_host_sleep_ns(host, 100000);
        uint8_t frame[100] = {0};
        const uint8_t to[6][6] = {{0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF},
                                  {0x02, 9, 9, 9, 9, 9},
                                  {0x01, 0, 0x5E, 0, 0, 1},
                                  {0x33, 0x33, 0, 0, 0, 0x16},
                                  {0x01, 0, 0x5E, 7, 7, 7}};
        for (unsigned i = 0; i < 6; i++) {
            memcpy(frame, i < 5 ? to[i] : ethernet->address, 6);
            tigon_wire_inject(filtering->wire, 1, frame, sizeof frame, false);
            tigon_host_sleep_ns(host, 20000);
        }
        filtering->counts[round][6] = take_all(ethernet);
        for (unsigned i = 0; i < 6; i++)
            filtering->counts[round][i] = ethernet_mac_statistic(ethernet, statistics[i]);
    }
    return 0;
}

static void accepts_by_address(void **state) {
    (void)state;
    static const char *const knobs[] = {NULL};
    struct stage stage = stage_make(2, knobs);
    struct filtering filtering = {.wire = stage.wire};
    struct ethernet other;
    struct tigon_host *host = tigon_board_host(tigon_world_board(stage.world, 0));
    const int program = tigon_host_start(host, "filtering", filtering_program, &filtering);
    tigon_host_start(tigon_board_host(tigon_world_board(stage.world, 1)), "other", only_open,
                     &other);
    assert_int_equal(tigon_world_run(stage.world, 300000000), TIGON_END_FINISHED);
    int result = -1;
    assert_true(tigon_host_finished(host, program, &result));
    assert_int_equal(result, 0);
    /* not ours, no group, broadcast, group, unicast, no space, frames at the host */
    static const uint32_t expected[3][7] = {
        {1, 3, 1, 0, 1, 0, 2}, {1, 1, 1, 2, 1, 0, 4}, {0, 0, 1, 3, 2, 0, 6}};
    for (unsigned round = 0; round < 3; round++)
        for (unsigned i = 0; i < 7; i++)
            if (filtering.counts[round][i] != expected[round][i])
                fail_msg("round %u, count %u: %u instead of %u", round, i,
                         (unsigned)filtering.counts[round][i], (unsigned)expected[round][i]);
    stage_end(&stage);
}

/* The same run with cores that are simulated turn by turn: no frame and no time changes. */
static void parking_changes_nothing(void **state) {
    (void)state;
    static const char *const knobs[2][2] = {{"idle_parking=1", NULL}, {"idle_parking=0", NULL}};
    uint64_t ended[2][2];
    uint64_t interrupts[2][2];
    for (unsigned n = 0; n < 2; n++) {
        struct stage stage = stage_make(2, knobs[n]);
        stage_frames(&stage, 60);
        stage_run(&stage);
        for (unsigned i = 0; i < 2; i++) {
            ended[n][i] = stage.traffic[i]->ended_ns;
            interrupts[n][i] = stage.traffic[i]->ethernet.interrupts;
        }
        stage_end(&stage);
    }
    assert_memory_equal(ended[0], ended[1], sizeof ended[0]);
    assert_memory_equal(interrupts[0], interrupts[1], sizeof interrupts[0]);
}

int main(void) {
    enum { VARIANTS = sizeof variants / sizeof variants[0], OTHERS = 8 };
    static const struct CMUnitTest others[OTHERS] = {
        cmocka_unit_test(counts_what_is_lost),       cmocka_unit_test(survives_a_slow_host),
        cmocka_unit_test(finds_the_link_again),      cmocka_unit_test(goes_on_after_a_failed_dma),
        cmocka_unit_test(refuses_impossible_frames), cmocka_unit_test(accepts_by_address),
        cmocka_unit_test(parking_changes_nothing),   cmocka_unit_test(says_why_it_does_not_start),
    };
    struct CMUnitTest tests[VARIANTS + OTHERS] = {{0}};
    for (unsigned i = 0; i < VARIANTS; i++) {
        tests[i].name = variants[i].name;
        tests[i].test_func = passes_frames;
        tests[i].initial_state = (void *)&variants[i];
    }
    memcpy(tests + VARIANTS, others, sizeof others);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
