/* SPDX-License-Identifier: MIT */
/* Items: frames to and fro without checksums. */
#include "tests/ethernet/items.h"

static void exchange(struct side *side, const struct traffic_plan *plan) {
    if (item_exchange(side, plan) && side->index == 0)
        item_figure(side, "%.0f Mb/s to board 0", item_megabits(side));
}

static void any_skew(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.skew = ETHERNET_ANY_SKEW;
}

/* Each push fills the ring of 256: several times what a ring of 64 transfers holds. */
static void run_batches(struct side *side) {
    const struct traffic_plan plan = {.frames = 4000, .shortest = 60, .longest = 300, .pieces = 1};
    exchange(side, &plan);
}

static void run_lengths(struct side *side) {
    const struct traffic_plan plan = {
        .frames = 4 * 1455, .shortest = 60, .longest = 1514, .pieces = 1};
    exchange(side, &plan);
}

static void run_pieces(struct side *side) {
    static const unsigned pieces[] = {2, 4, 1, 0};
    struct traffic_plan plan = {.frames = 1500, .shortest = 60, .longest = 1514};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        plan.pieces = pieces[i];
        if (!item_exchange(side, &plan))
            return;
        plan.first += plan.frames;
    }
}

static void run_short(struct side *side) {
    const struct traffic_plan plan = {.frames = 600, .shortest = TRAFFIC_SHORTEST, .longest = 66};
    exchange(side, &plan);
}

static void prepare_jumbo(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++) {
        struct ethernet_options *options = &trial->sides[i].options;
        options->mtu = JUMBO_BYTES;
        options->jumbo = true;
        options->skew = 2;
    }
}

static void prepare_rings(struct trial *trial) {
    prepare_jumbo(trial);
    any_skew(trial);
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.mini = true;
}

/* Lengths that each belong to one ring, whether or not a firmware counts the CRC. */
static void run_rings(struct side *side) {
    static const struct {
        uint32_t shortest, longest;
        unsigned ring;
        const char *name;
    } rings[] = {{60, ETHERNET_MINI_BYTES - 8, ETHERNET_MINI, "mini"},
                 {ETHERNET_MINI_BYTES + 8, 1514, ETHERNET_STANDARD, "standard"},
                 {1526, JUMBO_BYTES, ETHERNET_JUMBO, "jumbo"}};
    struct traffic_plan plan = {.frames = 1100};
    for (unsigned i = 0; i < sizeof rings / sizeof *rings; i++) {
        plan.shortest = rings[i].shortest;
        plan.longest = rings[i].longest;
        if (!item_exchange(side, &plan) ||
            !item_need(side, side->traffic.rings[rings[i].ring] == plan.frames,
                       "board %u: %u of %u frames of %u to %u bytes in the %s ring", side->index,
                       (unsigned)side->traffic.rings[rings[i].ring], (unsigned)plan.frames,
                       (unsigned)plan.shortest, (unsigned)plan.longest, rings[i].name))
            return;
        plan.first += plan.frames;
    }
    plan.frames = 3000;
    plan.shortest = 60;
    plan.longest = JUMBO_BYTES;
    exchange(side, &plan);
}

static void run_jumbo(struct side *side) {
    struct traffic_plan plan = {
        .frames = 400, .shortest = JUMBO_BYTES, .longest = JUMBO_BYTES, .pieces = 1};
    if (!item_exchange(side, &plan))
        return;
    plan.first = plan.frames;
    plan.shortest = 7000;
    plan.pieces = 0;
    exchange(side, &plan);
}

static void run_jumbo_reset(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    struct traffic_plan plan = {.frames = 100, .shortest = 1600, .longest = JUMBO_BYTES};
    if (!item_exchange(side, &plan))
        return;
    (void)ethernet_command(ethernet, COMMAND_RESET_JUMBO, 0);
    if (!item_need(side, ethernet_await_event(ethernet, EVENT_JUMBO_RESET, 1, 100000000),
                   "board %u: no event 9 after the command to reset the jumbo ring", side->index))
        return;
    ethernet_renew_jumbo(ethernet);
    item_pass(side, 1000000);
    plan.first = plan.frames;
    plan.frames = 300;
    exchange(side, &plan);
}

static void run_mixed(struct side *side) {
    const struct traffic_plan plan = {.frames = 20000, .shortest = 60, .longest = 1514};
    exchange(side, &plan);
}

static void run_full(struct side *side) {
    struct traffic_plan plan = {.frames = 3000, .shortest = 1514, .longest = 1514, .pieces = 1};
    double one_way;
    if (!item_one_way(side, &plan))
        return;
    one_way = item_megabits(&side->trial->sides[1]);
    plan.first = plan.frames;
    if (item_exchange(side, &plan) && side->index == 0)
        item_figure(side, "%.0f Mb/s one way, %.0f + %.0f both ways", one_way, item_megabits(side),
                    item_megabits(item_other(side)));
}

/* A receiver that cannot keep up may lose frames, but each must be counted by the MAC. */
static void run_smallest(struct side *side) {
    const struct traffic_plan plan = {.frames = 20000, .shortest = 60, .longest = 60, .pieces = 1};
    struct tigon_statistics before, after;
    const struct tigon_board *board = tigon_host_board(side->host);
    tigon_board_statistics(board, &before);
    if (!item_exchange_some(side, &plan, false) || side->index == 0)
        return;
    tigon_board_statistics(board, &after);
    const struct traffic *traffic = &side->traffic, *sender = &item_other(side)->traffic;
    const uint64_t dropped = after.dropped_no_buffer - before.dropped_no_buffer +
                             after.dropped_no_descriptor - before.dropped_no_descriptor;
    const double sending = (double)(sender->sent_all_ns - sender->begun_ns) / 1e9;
    const double receiving = (double)(traffic->ended_ns - traffic->begun_ns) / 1e9;
    item_need(side,
              traffic->received + dropped == plan.frames && traffic->repeated == 0 &&
                  traffic->backwards == 0,
              "board 1 received %u of %u frames (%u again, %u out of order), and its MAC dropped "
              "%u",
              (unsigned)traffic->received, (unsigned)plan.frames, (unsigned)traffic->repeated,
              (unsigned)traffic->backwards, (unsigned)dropped);
    item_need(side, traffic->received >= plan.frames / 10, "board 1 received %u of %u frames only",
              (unsigned)traffic->received, (unsigned)plan.frames);
    item_figure(side, "%.0f frames/s sent, %.0f received, %u dropped",
                (double)plan.frames / sending, (double)traffic->received / receiving,
                (unsigned)dropped);
}

const struct item frame_items[] = {
    {"batches", "4000 frames each way, the send ring filled at once", ALL_KINDS,
     FIBRE_512K | ONE_DMA_1M, NULL, run_batches, false, 0, BOARD},
    {"lengths", "all from 60 to 1514 bytes, four times, to and from any address", ALL_KINDS,
     FIBRE | COPPER_1M, any_skew, run_lengths, false, 2000, BOARD},
    {"pieces", "frames of 2, 4 and 1 pieces at any address", ALL_KINDS, FIBRE_512K | ONE_DMA_1M,
     any_skew, run_pieces, false, 2000, BOARD},
    {"short frames", "of 20 to 66 bytes, filled up to 60", WIRES, FIBRE_1M, NULL, run_short, false,
     0, BOARD},
    {"three rings", "mini, standard and jumbo ring, buffers at all skews, each for its lengths",
     WIRES, FIBRE, prepare_rings, run_rings, false, 4000, BOARD},
    {"jumbo frames", "of 9014 bytes, and of 7000 to 9014 in pieces", ALL_KINDS, FIBRE,
     prepare_jumbo, run_jumbo, false, 2000, BOARD},
    {"jumbo ring reset", "its buffers are the host's again, and then it goes on", WIRES, FIBRE_1M,
     prepare_jumbo, run_jumbo_reset, false, 0, BOARD},
    {"mixed frames", "20000 each way, none lost", ALL_KINDS, FIBRE, any_skew, run_mixed, false,
     4000, BOARD},
    {"full frames", "3000 of 1514 bytes one way, then both ways", WIRES, FIBRE_1M, NULL, run_full,
     false, 2000, BOARD},
    {"smallest frames", "20000 at full rate, each received or counted as dropped", WIRES, FIBRE,
     NULL, run_smallest, false, 2000, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
