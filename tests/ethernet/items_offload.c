/* SPDX-License-Identifier: MIT */
/* Items: checksums and VLAN tags by the board. */
#include "tests/ethernet/items.h"

static void with_flags(struct trial *trial, uint32_t flags) {
    for (unsigned i = 0; i < 2; i++) {
        trial->sides[i].options.send_flags = flags;
        trial->sides[i].options.receive_flags = flags;
        trial->sides[i].options.skew = ETHERNET_ANY_SKEW;
    }
}

static void prepare_sums(struct trial *trial) {
    with_flags(trial, RING_TRANSPORT_SUM | RING_IP_SUM | RING_NO_PSEUDO);
}

/* As the Linux driver does it. */
static void prepare_transport(struct trial *trial) {
    with_flags(trial, RING_TRANSPORT_SUM | RING_NO_PSEUDO);
}

static void exchange(struct side *side, const struct traffic_plan *plan) {
    if (item_exchange(side, plan) && side->index == 0)
        item_figure(side, "%.0f Mb/s to board 0", item_megabits(side));
}

static void run_sums(struct side *side) {
    const struct traffic_plan plan = {.frames = 3000,
                                      .shortest = TRAFFIC_INTERNET_SHORTEST,
                                      .longest = 1514,
                                      .pieces = 1,
                                      .internet = true,
                                      .sums = DESCRIPTOR_TRANSPORT_SUM | DESCRIPTOR_IP_SUM};
    exchange(side, &plan);
}

static void run_pieces(struct side *side) {
    static const unsigned pieces[] = {2, 4, 0};
    struct traffic_plan plan = {.frames = 1500,
                                .shortest = TRAFFIC_INTERNET_SHORTEST,
                                .longest = 1514,
                                .internet = true,
                                .sums = DESCRIPTOR_TRANSPORT_SUM};
    for (unsigned i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        plan.pieces = pieces[i];
        if (!item_exchange(side, &plan))
            return;
        plan.first += plan.frames;
    }
}

/* Frames of other protocols, and frames whose sums the host made, on boards that could. */
static void run_without(struct side *side) {
    struct traffic_plan plan = {.frames = 600, .shortest = 60, .longest = 1514};
    if (!item_exchange(side, &plan))
        return;
    plan.first = plan.frames;
    plan.internet = true;
    exchange(side, &plan);
}

static void run_wrong(struct side *side) {
    const struct traffic_plan plan = {.frames = 600,
                                      .shortest = TRAFFIC_INTERNET_SHORTEST,
                                      .longest = 1514,
                                      .internet = true,
                                      .wrong_sums = true};
    if (item_exchange(side, &plan))
        item_need(side, side->traffic.bad_sums == plan.frames,
                  "board %u: the sums of %u of %u wrong frames say that they are wrong",
                  side->index, (unsigned)side->traffic.bad_sums, (unsigned)plan.frames);
}

/* ------------------------------------------------------------------------------------------------
 * VLAN tags */

static void prepare_tags(struct trial *trial) {
    with_flags(trial, RING_VLAN);
}

/* Board 1 knows nothing of tags. */
static void prepare_tags_left(struct trial *trial) {
    prepare_tags(trial);
    trial->sides[1].options.send_flags = trial->sides[1].options.receive_flags = 0;
}

static void prepare_tags_and_sums(struct trial *trial) {
    with_flags(trial, RING_VLAN | RING_TRANSPORT_SUM | RING_NO_PSEUDO);
}

static bool all_on_wire(struct side *side, uint32_t tagged, uint32_t frames) {
    return item_need(side, side->trial->wire_tagged == tagged && side->trial->wire_frames == frames,
                     "%u frames with a tag among %u on the wire, not %u among %u",
                     (unsigned)side->trial->wire_tagged, (unsigned)side->trial->wire_frames,
                     (unsigned)tagged, (unsigned)frames);
}

static void run_tags(struct side *side) {
    struct traffic_plan plan = {.frames = 1000, .shortest = 60, .longest = 1500, .tags = true};
    item_watch_wire(side->trial);
    if (!item_exchange(side, &plan) || !all_on_wire(side, 2 * plan.frames, 2 * plan.frames) ||
        !item_meet(side))
        return;
    plan.first = plan.frames;
    plan.tags = false;
    if (item_exchange(side, &plan))
        all_on_wire(side, 2 * plan.frames, 4 * plan.frames);
}

/* What one board puts in the other's host finds in the frame, and the other way round. */
static void run_tags_left(struct side *side) {
    const struct traffic_plan plan = {.frames = 1000,
                                      .shortest = 60,
                                      .longest = 1500,
                                      .tags = side->index == 0,
                                      .tags_in_frame = side->index == 1,
                                      .tags_left = side->index == 1};
    item_watch_wire(side->trial);
    if (item_exchange(side, &plan))
        all_on_wire(side, 2 * plan.frames, 2 * plan.frames);
}

static void run_tags_and_sums(struct side *side) {
    const struct traffic_plan plan = {.frames = 1500,
                                      .shortest = 60,
                                      .longest = 1500,
                                      .tags = true,
                                      .internet = true,
                                      .sums = DESCRIPTOR_TRANSPORT_SUM};
    exchange(side, &plan);
}

static void prepare_small_buffer(struct trial *trial) {
    prepare_tags(trial);
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.transmit_share = 60;
}

/* Frames of 68 bytes with CRC. Packed to multiples of 8 they would begin at each of these before
 * the end of the receive buffer, of 128 kB, in nine rounds. */
static void run_tags_at_the_end(struct side *side) {
    const struct traffic_plan plan = {
        .frames = 17000, .shortest = 60, .longest = 60, .pieces = 1, .tags = true};
    (void)item_exchange(side, &plan);
}

const struct item offload_items[] = {
    {"checksums", "of UDP, TCP and IP, made by one board and added up by the other", WIRES, FIBRE,
     prepare_sums, run_sums, false, 2000, BOARD},
    {"checksums of pieces", "the same of UDP and TCP in frames of 2, 4 and 1 pieces of any length",
     WIRES, FIBRE_512K, prepare_transport, run_pieces, false, 2000, BOARD},
    {"checksums not wanted", "frames are left as they are", WIRES, FIBRE_1M, prepare_sums,
     run_without, false, 0, BOARD},
    {"wrong checksums", "are seen as wrong", WIRES, FIBRE_1M, prepare_transport, run_wrong, false,
     0, BOARD},
    {"VLAN tags", "put in, seen on the wire, taken out; and frames without", ALL_KINDS,
     FIBRE_1M | ONE_DMA_512K, prepare_tags, run_tags, false, 0, BOARD},
    {"VLAN tags of one side", "a host that does not have them taken out finds them in the frame",
     WIRES, FIBRE_512K, prepare_tags_left, run_tags_left, false, 0, BOARD},
    {"headers at the end", "frames that begin shortly before the end of the receive buffer", WIRES,
     FIBRE_512K, prepare_small_buffer, run_tags_at_the_end, false, 3000, BOARD},
    {"VLAN tags and checksums", "together", WIRES, FIBRE_1M, prepare_tags_and_sums,
     run_tags_and_sums, false, 0, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
