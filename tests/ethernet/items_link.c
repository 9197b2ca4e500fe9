/* SPDX-License-Identifier: MIT */
/* Items: the cable, negotiation and PAUSE. */
#include "tests/ethernet/items.h"

static bool await_link(struct side *side, bool up, const char *when) {
    return item_need(side, ethernet_await_link(&side->ethernet, up, ETHERNET_LINK_NS),
                     "board %u: no event that the link is %s within %u ms %s", side->index,
                     up ? "up" : "down", (unsigned)(ETHERNET_LINK_NS / 1000000), when) &&
           item_meet(side);
}

/* Frames that the far end is not ready for yet are nobody's fault. */
static bool settle(struct side *side) {
    item_pass(side, 20000000);
    return item_meet(side);
}

static void run_cable(struct side *side) {
    struct traffic_plan plan = {.frames = 300, .shortest = 60, .longest = 1514};
    if (!item_exchange(side, &plan))
        return;
    for (unsigned i = 0; i < 3; i++) {
        if (side->index == 0)
            item_cut_wire(side->trial, true);
        if (!await_link(side, false, "after the cable was pulled"))
            return;
        item_pass(side, 50000000 + i * 70000000u);
        if (!item_meet(side))
            return;
        if (side->index == 0)
            item_cut_wire(side->trial, false);
        plan.first += plan.frames;
        if (!await_link(side, true, "after the cable was put in again") || !settle(side) ||
            !item_exchange(side, &plan))
            return;
    }
    item_figure(side, "%u times up, %u times down", (unsigned)side->ethernet.link_ups,
                (unsigned)side->ethernet.link_downs);
}

/* By command of one side, with other words for PAUSE; then of the other. */
static void run_negotiate(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    struct traffic_plan plan = {.frames = 300, .shortest = 60, .longest = 1514};
    for (unsigned i = 0; i < 4; i++) {
        const uint32_t ups = ethernet->link_ups;
        if (!item_exchange(side, &plan))
            return;
        plan.first += plan.frames;
        if (side->index == i % 2) {
            ethernet_set_shared(ethernet, SHARED_LINK,
                                ETHERNET_LINK_USUAL | (i < 2 ? LINK_SEND_PAUSE : 0));
            (void)ethernet_command(ethernet, COMMAND_NEGOTIATE, 0);
        }
        item_pass(side, 300000000);
        if (!await_link(side, true, "after a command to negotiate") || !settle(side))
            return;
        if (side->index == i % 2 &&
            !item_need(side, ethernet->link_ups > ups,
                       "board %u: no event of the link after a command to negotiate", side->index))
            return;
    }
    (void)item_exchange(side, &plan);
}

/* ------------------------------------------------------------------------------------------------
 * PAUSE */

static void prepare_pause(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.link = ETHERNET_LINK_USUAL | LINK_SEND_PAUSE;
}

static void prepare_no_pause(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.link &= ~(LINK_OBEY_PAUSE | LINK_NEGOTIATE_PAUSE);
}

/* Board 1 looks at what has come every 10 ms only: more than its buffers and its SRAM hold. */
static bool to_slow_host(struct side *side, const struct traffic_plan *plan, uint64_t *lost) {
    struct tigon_statistics before, after;
    const struct tigon_board *board = tigon_host_board(side->host);
    tigon_board_statistics(board, &before);
    side->traffic.gap_ns = side->index == 1 ? 10000000 : 0;
    side->traffic.quiet_ns = 200000000;
    if (!item_exchange_some(side, plan, false))
        return false;
    tigon_board_statistics(board, &after);
    *lost = after.dropped_no_buffer - before.dropped_no_buffer + after.dropped_no_descriptor -
            before.dropped_no_descriptor;
    const struct traffic *traffic = &side->traffic;
    return side->index == 0 ||
           item_need(side,
                     traffic->received + *lost == plan->frames && traffic->repeated == 0 &&
                         traffic->backwards == 0,
                     "board 1 received %u of %u frames (%u again, %u out of order), and its MAC "
                     "dropped %u",
                     (unsigned)traffic->received, (unsigned)plan->frames,
                     (unsigned)traffic->repeated, (unsigned)traffic->backwards, (unsigned)*lost);
}

static void run_pause(struct side *side) {
    const struct traffic_plan plan = {
        .frames = 4000, .shortest = 1514, .longest = 1514, .pieces = 1};
    struct tigon_statistics sender;
    uint64_t lost = 0;
    if (!to_slow_host(side, &plan, &lost) || side->index == 0)
        return;
    tigon_board_statistics(tigon_host_board(item_other(side)->host), &sender);
    item_need(side, sender.dropped_pause > 0, "board 0 was sent no PAUSE");
    item_need(side, lost == 0, "board 1 received %u of %u frames in spite of PAUSE",
              (unsigned)side->traffic.received, (unsigned)plan.frames);
    item_figure(side, "%u of %u frames, %u PAUSE", (unsigned)side->traffic.received,
                (unsigned)plan.frames, (unsigned)sender.dropped_pause);
}

/* Short frames fill the ring of descriptors before the buffer: whether PAUSE then comes in time is
 * the chip's affair (tigon2.md 16.9), so losses are told, and must be counted. */
static void run_pause_mixed(struct side *side) {
    const struct traffic_plan plan = {.frames = 8000, .shortest = 60, .longest = 1514, .pieces = 1};
    uint64_t lost = 0;
    if (to_slow_host(side, &plan, &lost) && side->index == 1)
        item_figure(side, "%u of %u frames", (unsigned)side->traffic.received,
                    (unsigned)plan.frames);
}

/* Without PAUSE the same host loses frames, and all is well again afterwards. */
static void run_slow(struct side *side) {
    struct traffic_plan plan = {.frames = 4000, .shortest = 60, .longest = 1514, .pieces = 1};
    uint64_t lost = 0;
    if (!to_slow_host(side, &plan, &lost))
        return;
    if (side->index == 1) {
        item_need(side, lost > 0, "board 1 lost no frame of %u", (unsigned)plan.frames);
        item_figure(side, "%u of %u frames", (unsigned)side->traffic.received,
                    (unsigned)plan.frames);
    }
    side->traffic.gap_ns = 0;
    plan.first = plan.frames;
    plan.frames = 1000;
    (void)item_exchange(side, &plan);
}

const struct item link_items[] = {
    {"cable", "out and in, three times: events down and up, and frames again", WIRES,
     FIBRE_512K | EXTERNAL_1M | COPPER_1M, NULL, run_cable, false, 9000, BOARD},
    {"negotiation by command", "the link comes up again and carries frames", WIRES, FIBRE_1M, NULL,
     run_negotiate, false, 20000, BOARD},
    {"PAUSE", "4000 frames of 1514 bytes to a slow host, none lost", WIRES, FIBRE, prepare_pause,
     run_pause, false, 4000, BOARD},
    {"PAUSE, mixed frames", "each of 8000 received, or counted as dropped", WIRES, FIBRE,
     prepare_pause, run_pause_mixed, false, 4000, BOARD},
    {"slow host", "without PAUSE: each received or counted as dropped, then all is well", WIRES,
     FIBRE, prepare_no_pause, run_slow, false, 4000, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
