/* SPDX-License-Identifier: MIT */
/* Items: interrupts and how they are held back. */
#include "tests/ethernet/items.h"

static const struct traffic_plan paced = {
    .frames = 1000, .shortest = 200, .longest = 200, .pieces = 1};

#define PACE_NS UINT64_C(20000)

enum { HELD_TICKS = 1000, HELD_FRAMES = 64 };

static void prepare_receive(struct trial *trial) {
    trial->sides[1].options.receive_ticks = HELD_TICKS;
    trial->sides[1].options.receive_descriptors = HELD_FRAMES;
}

/* One frame every 20 us; when each was sent is kept for the other side. */
static void send_paced(struct side *side) {
    struct traffic *traffic = &side->traffic;
    while (traffic->sent < traffic->sends && !side->trial->over) {
        side->trial->sent_ns[traffic->sent % SENT_TIMES] = tigon_host_now_ns(side->host);
        (void)traffic_send(traffic, 1);
        tigon_host_sleep_ns(side->host, PACE_NS);
    }
}

/* Until all frames are there; the longest that one waited for its interrupt. */
static uint64_t receive_paced(struct side *side) {
    struct traffic *traffic = &side->traffic;
    uint64_t longest_ns = 0;
    while (traffic->received < traffic->expected && !side->trial->over &&
           ethernet_wait(&side->ethernet, UINT64_C(20000000))) {
        const uint64_t sent_ns = side->trial->sent_ns[traffic->received % SENT_TIMES];
        const uint64_t waited_ns = tigon_host_now_ns(side->host) - sent_ns;
        if (traffic_receive(traffic) > 0 && waited_ns > longest_ns)
            longest_ns = waited_ns;
    }
    ethernet_leave(&side->ethernet);
    return longest_ns;
}

static void run_receive(struct side *side) {
    if (!item_meet(side))
        return;
    traffic_begin(&side->traffic, &paced);
    if (!item_meet(side))
        return;
    const uint64_t before = item_interrupts(side);
    if (side->index == 0) {
        send_paced(side);
        item_meet(side);
        return;
    }
    const uint64_t begun_ns = tigon_host_now_ns(side->host);
    const uint64_t waited_us = receive_paced(side) / 1000;
    const uint64_t took_us = (tigon_host_now_ns(side->host) - begun_ns) / 1000;
    const uint64_t count = item_interrupts(side) - before;
    /* Some for each time that the ticks ran out, some for each full batch, and the last. */
    const uint64_t most = took_us / HELD_TICKS + paced.frames / HELD_FRAMES + 4;
    if (item_need(side, side->traffic.received == paced.frames && side->traffic.wrong == 0,
                  "%u of %u frames were received", (unsigned)side->traffic.received,
                  (unsigned)paced.frames) &&
        item_need(side, count <= most,
                  "%u interrupts for %u frames in %u us, not %u at most: %u us or %u frames each",
                  (unsigned)count, (unsigned)paced.frames, (unsigned)took_us, (unsigned)most,
                  HELD_TICKS, HELD_FRAMES) &&
        item_need(side, waited_us <= HELD_TICKS + HELD_TICKS / 2,
                  "a frame waited %u us for an interrupt that was due after %u us",
                  (unsigned)waited_us, HELD_TICKS))
        item_figure(side, "%u interrupts for %u frames, %u us at most", (unsigned)count,
                    (unsigned)paced.frames, (unsigned)waited_us);
    item_meet(side);
}

/* ------------------------------------------------------------------------------------------------
 * Sending */

enum { SENT = 10 };
#define SEND_TICKS 60000u

static void prepare_send(struct trial *trial) {
    trial->sides[0].options.send_ticks = SEND_TICKS;
    trial->sides[0].options.send_descriptors = 100;
}

static void prepare_alarm(struct trial *trial) {
    prepare_send(trial);
    trial->sides[0].options.send_flags = RING_COALESCE_ALARM;
}

static bool send_some(struct side *side, uint32_t count, uint32_t flags, uint32_t *number) {
    const struct traffic_plan plan = {.first = *number,
                                      .frames = count,
                                      .shortest = 100,
                                      .longest = 100,
                                      .pieces = 1,
                                      .flags = flags};
    traffic_begin(&side->traffic, &plan);
    *number += count;
    return item_need(side, traffic_send(&side->traffic, count) == count,
                     "the send ring has no room for %u frames", (unsigned)count);
}

/* Frames of which nothing is told, until the ticks run out; then one with DESCRIPTOR_NOW. */
static void run_send(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    uint32_t number = 0;
    if (side->index == 1 || !send_some(side, SENT, 0, &number))
        return;
    const uint64_t before = item_interrupts(side);
    tigon_host_sleep_ns(side->host, SEND_TICKS / 3 * UINT64_C(1000));
    if (!item_need(side, item_interrupts(side) == before && ethernet_unsent(ethernet) == SENT,
                   "%u of %u frames were told of, with %u interrupts, long before %u us",
                   SENT - (unsigned)ethernet_unsent(ethernet), SENT,
                   (unsigned)(item_interrupts(side) - before), SEND_TICKS))
        return;
    tigon_host_sleep_ns(side->host, SEND_TICKS * UINT64_C(1000));
    if (!item_need(side, item_interrupts(side) == before + 1 && ethernet_unsent(ethernet) == 0,
                   "%u of %u frames were told of, with %u interrupts, after %u us",
                   SENT - (unsigned)ethernet_unsent(ethernet), SENT,
                   (unsigned)(item_interrupts(side) - before), SEND_TICKS))
        return;
    item_pass(side, 1000000);
    if (!send_some(side, 1, DESCRIPTOR_NOW, &number))
        return;
    tigon_host_sleep_ns(side->host, 1000000);
    if (!item_need(side, item_interrupts(side) == before + 2 && ethernet_unsent(ethernet) == 0,
                   "a frame to be told of at once was not within 1 ms"))
        return;
    item_pass(side, 1000000);
    ethernet_set_shared(ethernet, SHARED_SEND_DESCRIPTORS, SENT);
    (void)ethernet_command(ethernet, COMMAND_UPDATE_SHARED, 0);
    item_pass(side, 1000000);
    if (!send_some(side, SENT, 0, &number))
        return;
    tigon_host_sleep_ns(side->host, 2000000);
    item_need(side, item_interrupts(side) == before + 3 && ethernet_unsent(ethernet) == 0,
              "%u frames were not told of within 2 ms, although %u are the most that may wait",
              SENT, SENT);
}

/* The index is told of at once, the interrupt waits. */
static void run_alarm(struct side *side) {
    uint32_t number = 0;
    if (side->index == 1 || !send_some(side, SENT, 0, &number))
        return;
    const uint64_t before = item_interrupts(side);
    tigon_host_sleep_ns(side->host, SEND_TICKS / 3 * UINT64_C(1000));
    if (!item_need(side, item_interrupts(side) == before && ethernet_unsent(&side->ethernet) == 0,
                   "%u of %u frames were told of, with %u interrupts, long before %u us",
                   SENT - (unsigned)ethernet_unsent(&side->ethernet), SENT,
                   (unsigned)(item_interrupts(side) - before), SEND_TICKS))
        return;
    tigon_host_sleep_ns(side->host, SEND_TICKS * UINT64_C(1000));
    item_need(side, item_interrupts(side) == before + 1, "%u interrupts for %u frames after %u us",
              (unsigned)(item_interrupts(side) - before), SENT, SEND_TICKS);
}

/* ------------------------------------------------------------------------------------------------
 * The mask, and mailbox 0 */

static void run_masked(struct side *side) {
    uint32_t labels[LABELS] = {0};
    struct ethernet *ethernet = &side->ethernet;
    const uint8_t *to = side->traffic.peers[0];
    if (side->index == 1) {
        ethernet_set_shared(ethernet, SHARED_MASK_INTERRUPTS, 1);
        item_pass(side, 1000000);
    }
    const uint64_t before = item_interrupts(side);
    if (!item_meet(side))
        return;
    for (unsigned i = 0; i < 20 && side->index == 0; i++)
        item_send_label(side, to, i);
    tigon_host_sleep_ns(side->host, 10000000);
    if (side->index == 1) {
        item_need(side, item_interrupts(side) == before, "%u interrupts although they are masked",
                  (unsigned)(item_interrupts(side) - before));
        item_need(side, ethernet->indexes[4] != 0,
                  "not one of 20 frames was received while interrupts were masked");
        ethernet_set_shared(ethernet, SHARED_MASK_INTERRUPTS, 0);
        tigon_host_sleep_ns(side->host, 1000000);
    }
    if (!item_meet(side))
        return;
    if (side->index == 0)
        item_send_label(side, to, 20);
    tigon_host_sleep_ns(side->host, 5000000);
    if (side->index == 1 && item_take_labels(side, labels, 5000000)) {
        item_need(side, item_interrupts(side) > before,
                  "no interrupt within 5 ms after they are unmasked and a frame has come");
        for (unsigned i = 0; i <= 20; i++)
            item_need(side, labels[i] == 1, "frame %u was received %u times", i,
                      (unsigned)labels[i]);
    }
}

/* While mailbox 0 is not 0 the host is at work: what comes then is told of when it is 0 again. */
static void run_at_work(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    if (side->index == 1)
        ethernet_mailbox(ethernet, MAILBOX_INTERRUPT, 1);
    if (!item_meet(side))
        return;
    const uint64_t before = item_interrupts(side);
    if (side->index == 0)
        item_send_label(side, side->traffic.peers[0], 1);
    tigon_host_sleep_ns(side->host, 5000000);
    if (side->index == 1) {
        item_need(side, item_interrupts(side) == before, "%u interrupts while the host is at work",
                  (unsigned)(item_interrupts(side) - before));
        ethernet_mailbox(ethernet, MAILBOX_INTERRUPT, 0);
        tigon_host_sleep_ns(side->host, 5000000);
        item_need(side, item_interrupts(side) == before + 1,
                  "%u interrupts within 5 ms after the host's work, for a frame that came "
                  "meanwhile",
                  (unsigned)(item_interrupts(side) - before));
    }
    item_meet(side);
}

static void run_late(struct side *side) {
    const struct traffic_plan plan = {.frames = 5000, .shortest = 60, .longest = 1514};
    const uint64_t before = side->ethernet.late;
    if (!item_exchange(side, &plan))
        return;
    item_need(side, side->ethernet.late == before,
              "board %u: %u times work was found for which no interrupt had come within 1 ms",
              side->index, (unsigned)(side->ethernet.late - before));
}

const struct item interrupt_items[] = {
    {"receive coalescing", "interrupts by ticks and by number of frames, no more and no later",
     WIRES, FIBRE_1M, prepare_receive, run_receive, false, 0, BOARD},
    {"send coalescing", "the same of sends, and DESCRIPTOR_NOW", WIRES, FIBRE_1M, prepare_send,
     run_send, false, 0, BOARD},
    {"coalesced alarms", "with RING_COALESCE_ALARM only the interrupt waits", WIRES, FIBRE_1M,
     prepare_alarm, run_alarm, false, 0, OWN_FIRMWARE},
    {"masked interrupts", "none while masked, one after", WIRES, FIBRE_1M, NULL, run_masked, false,
     0, BOARD},
    {"host at work", "no interrupt while mailbox 0 says so, one after", WIRES, FIBRE_1M, NULL,
     run_at_work, false, 0, OWN_FIRMWARE},
    {"no lost interrupts", "in 5000 frames each way the host never waits in vain", WIRES, FIBRE,
     NULL, run_late, false, 0, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
