/* SPDX-License-Identifier: MIT */
/* See items.h. */
#include "tests/ethernet/items.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MEET_NS  UINT64_C(8000000000)
#define QUIET_NS UINT64_C(50000000)
#define STEP_NS  20000u

static const struct {
    const char *name;
    const char *knobs[2];
    uint32_t mode;
} kinds[BOARD_KINDS] = {
    {"512 kB, fibre", {"sram_bytes=512K", "transceiver=internal"}, 0},
    {"1 MB, fibre", {"sram_bytes=1M", "transceiver=internal"}, 0},
    {"512 kB, fibre, one DMA at a time", {"sram_bytes=512K", "transceiver=internal"}, MODE_ONE_DMA},
    {"1 MB, fibre, one DMA at a time", {"sram_bytes=1M", "transceiver=internal"}, MODE_ONE_DMA},
    {"512 kB, external SERDES", {"sram_bytes=512K", "transceiver=external"}, 0},
    {"1 MB, external SERDES", {"sram_bytes=1M", "transceiver=external"}, 0},
    {"512 kB, copper", {"sram_bytes=512K", "transceiver=copper"}, 0},
    {"1 MB, copper", {"sram_bytes=1M", "transceiver=copper"}, 0},
};

const char *trial_kind_name(unsigned kind) {
    return kinds[kind].name;
}

/* ------------------------------------------------------------------------------------------------
 * Verdicts */

static void fail(struct trial *trial, const char *format, va_list arguments) {
    trial->over = true;
    if (trial->reason[0] == '\0')
        (void)vsnprintf(trial->reason, sizeof trial->reason, format, arguments);
}

static void trial_fail(struct trial *trial, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void trial_fail(struct trial *trial, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(trial, format, arguments);
    va_end(arguments);
}

void item_fail(struct side *side, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fail(side->trial, format, arguments);
    va_end(arguments);
}

bool item_need(struct side *side, bool holds, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (!holds)
        fail(side->trial, format, arguments);
    va_end(arguments);
    return holds;
}

void item_figure(struct side *side, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(side->trial->figure, sizeof side->trial->figure, format, arguments);
    va_end(arguments);
}

struct side *item_other(struct side *side) {
    return &side->trial->sides[1 - side->index];
}

static void notice(void *context, const struct tigon_board *board, const char *message) {
    struct trial *trial = context;
    struct odd *odd = trial->odd;
    if (trial->own)
        trial_fail(trial, "%s: %s", tigon_board_name(board), message);
    for (unsigned i = 0; i < odd->count; i++)
        if (strncmp(odd->messages[i], message, ODD_BYTES - 1) == 0)
            return;
    if (odd->count == ODD_MESSAGES)
        odd->beyond++;
    else
        (void)snprintf(odd->messages[odd->count++], ODD_BYTES, "%s", message);
}

/* ------------------------------------------------------------------------------------------------
 * What items are made of */

bool item_meet(struct side *side) {
    const struct side *other = item_other(side);
    const uint64_t until_ns = tigon_host_now_ns(side->host) + MEET_NS;
    ethernet_leave(&side->ethernet);
    side->met++;
    while (other->met < side->met && !side->trial->over) {
        tigon_host_sleep_ns(side->host, STEP_NS);
        if (tigon_host_now_ns(side->host) > until_ns)
            item_fail(side, "board %u waited in vain for the other", side->index);
    }
    return !side->trial->over;
}

bool item_start(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    if (ethernet_open(ethernet, side->host, &side->options, side->trial->image, ETHERNET_UP_NS) < 0)
        item_fail(side, "board %u does not start: %s", side->index, ethernet->error);
    else if (!ethernet_await_link(ethernet, true, ETHERNET_LINK_NS))
        item_fail(side, "board %u: no link within %u ms of the start; the last event of it was %u",
                  side->index, (unsigned)(ETHERNET_LINK_NS / 1000000), (unsigned)ethernet->link);
    return item_meet(side);
}

bool item_exchange_some(struct side *side, const struct traffic_plan *plan, bool both_ways) {
    struct traffic *traffic = &side->traffic;
    if (!item_meet(side))
        return false;
    traffic_begin(traffic, plan);
    if (!both_ways && side->index == 0)
        traffic->expected = 0;
    if (!both_ways && side->index == 1)
        traffic->sends = 0;
    if (traffic_exchange(traffic) < 0 && traffic->error[0] != '\0')
        item_fail(side, "board %u: %s", side->index, traffic->error);
    return item_meet(side);
}

static bool judge(struct side *side) {
    const struct traffic *traffic = &side->traffic;
    return item_need(side, traffic->received == traffic->expected,
                     "board %u received %u of %u frames", side->index, (unsigned)traffic->received,
                     (unsigned)traffic->expected) &&
           item_need(side,
                     traffic->repeated == 0 && traffic->backwards == 0 && traffic->damaged == 0,
                     "board %u received %u frames again, %u out of order, and %u with errors",
                     side->index, (unsigned)traffic->repeated, (unsigned)traffic->backwards,
                     (unsigned)traffic->damaged) &&
           item_need(side, traffic->plan.wrong_sums || traffic->bad_sums == 0,
                     "board %u: the sums of %u of %u frames say that they are wrong", side->index,
                     (unsigned)traffic->bad_sums, (unsigned)traffic->received);
}

bool item_exchange(struct side *side, const struct traffic_plan *plan) {
    return item_exchange_some(side, plan, true) && judge(side) && item_meet(side);
}

bool item_one_way(struct side *side, const struct traffic_plan *plan) {
    return item_exchange_some(side, plan, false) && judge(side) && item_meet(side);
}

double item_megabits(const struct side *side) {
    const struct traffic *traffic = &side->traffic;
    const double seconds = (double)(traffic->ended_ns - traffic->begun_ns) / 1e9;
    return seconds > 0 ? (double)traffic->bytes * 8 / seconds / 1e6 : 0;
}

static const uint8_t label_type[2] = {0x88, 0xB6};

void item_send_label(struct side *side, const uint8_t to[6], unsigned label) {
    static const uint32_t cuts[] = {LABEL_BYTES}, places[] = {0};
    uint8_t frame[LABEL_BYTES];
    memset(frame, (int)label, sizeof frame);
    memcpy(frame, to, 6);
    memcpy(frame + 6, side->address, 6);
    memcpy(frame + 12, label_type, 2);
    while (!ethernet_can_send(&side->ethernet, 1) && !side->trial->over)
        if (!ethernet_wait(&side->ethernet, QUIET_NS))
            item_fail(side, "board %u sends nothing for %u ms", side->index,
                      (unsigned)(QUIET_NS / 1000000));
    ethernet_send(&side->ethernet, frame, cuts, places, 1, 0, 0);
    ethernet_push(&side->ethernet);
}

bool item_take_labels(struct side *side, uint32_t counts[LABELS], uint64_t quiet_ns) {
    struct ethernet_frame frame;
    bool more = true;
    while (more && !side->trial->over) {
        more = false;
        while (ethernet_receive(&side->ethernet, &frame)) {
            const uint8_t label = frame.bytes[LABEL_BYTES - 1];
            more = true;
            if (frame.length != LABEL_BYTES || memcmp(frame.bytes + 12, label_type, 2) != 0 ||
                label >= LABELS)
                item_fail(side, "board %u received a frame of %u bytes that nobody sent",
                          side->index, (unsigned)frame.length);
            else
                counts[label]++;
            ethernet_release(&side->ethernet, &frame);
        }
        more = ethernet_wait(&side->ethernet, quiet_ns) || more;
    }
    ethernet_leave(&side->ethernet);
    if (side->ethernet.error[0] != '\0')
        item_fail(side, "board %u: %s", side->index, side->ethernet.error);
    return !side->trial->over;
}

uint64_t item_interrupts(const struct side *side) {
    struct tigon_statistics statistics;
    tigon_board_statistics(tigon_host_board(side->host), &statistics);
    return statistics.host_interrupts;
}

void item_pass(struct side *side, uint64_t ns) {
    const uint64_t until_ns = tigon_host_now_ns(side->host) + ns;
    for (uint64_t now_ns; (now_ns = tigon_host_now_ns(side->host)) < until_ns;)
        (void)ethernet_wait(&side->ethernet, until_ns - now_ns);
    ethernet_leave(&side->ethernet);
}

static void tap(void *context, const struct tigon_frame_view *frame, enum tigon_fate fate) {
    struct trial *trial = context;
    (void)fate;
    trial->wire_frames++;
    trial->wire_tagged += frame->length >= 14 &&
                          ((uint32_t)frame->bytes[12] << 8 | frame->bytes[13]) == TRAFFIC_TAG_TYPE;
}

void item_watch_wire(struct trial *trial) {
    tigon_wire_set_tap(trial->wire, tap, trial);
}

static void pull(void *wire) {
    tigon_wire_set_cut(wire, true);
}

static void plug(void *wire) {
    tigon_wire_set_cut(wire, false);
}

void item_cut_wire(struct trial *trial, bool cut) {
    tigon_world_call_at(trial->world, tigon_world_now_ns(trial->world), cut ? pull : plug,
                        trial->wire);
}

/* ------------------------------------------------------------------------------------------------
 * A run */

static int program(struct tigon_host *host, void *argument) {
    struct side *side = argument;
    side->host = host;
    if (side->trial->item->starts || item_start(side))
        side->trial->item->run(side);
    if (!side->trial->over)
        item_need(side, side->ethernet.error[0] == '\0', "board %u: %s", side->index,
                  side->ethernet.error);
    return 0;
}

static bool make_world(struct trial *trial) {
    struct tigon_knobs knobs;
    tigon_knobs_defaults(&knobs);
    for (unsigned i = 0; i < 2; i++)
        if (tigon_knobs_assign(&knobs, kinds[trial->kind].knobs[i]) != 0)
            return false;
    trial->world = tigon_world_create(&knobs, 7);
    if (trial->world == NULL)
        return false;
    tigon_world_set_log_hook(trial->world, notice, trial);
    struct tigon_board *left = tigon_world_add_board(trial->world);
    struct tigon_board *right = tigon_world_add_board(trial->world);
    trial->wire = tigon_world_connect(trial->world, left, right);
    return trial->wire != NULL;
}

static void make_sides(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &trial->sides[i];
        *side = (struct side){.trial = trial, .index = i, .options = ethernet_defaults()};
        side->options.mode = kinds[trial->kind].mode;
        side->traffic = (struct traffic){.ethernet = &side->ethernet,
                                         .peer_count = 1,
                                         .quiet_ns = QUIET_NS,
                                         .over = &trial->over};
        tigon_board_mac_address(tigon_world_board(trial->world, i), side->address);
        tigon_board_mac_address(tigon_world_board(trial->world, 1 - i), side->traffic.peers[0]);
    }
    if (trial->item->prepare != NULL)
        trial->item->prepare(trial);
    for (unsigned i = 0; i < 2; i++) {
        struct side *side = &trial->sides[i];
        side->host = tigon_board_host(tigon_world_board(trial->world, i));
        side->program = tigon_host_start(side->host, "items", program, side);
    }
}

/* Why the world stopped, in one line. */
static void judge_end(struct trial *trial, enum tigon_end end) {
    const char *report = tigon_world_report(trial->world);
    if (end != TIGON_END_FINISHED)
        trial_fail(trial, "the run did not come to its end: %s at %u ms; %.*s", tigon_end_name(end),
                   (unsigned)(tigon_world_now_ns(trial->world) / 1000000),
                   (int)strcspn(report, "\n"), report);
}

bool trial_run(struct trial *trial) {
    const uint32_t limit_ms = trial->item->limit_ms != 0 ? trial->item->limit_ms : 1000;
    trial->reason[0] = trial->figure[0] = '\0';
    trial->over = false;
    if (!make_world(trial)) {
        trial_fail(trial, "no world can be made of %s", kinds[trial->kind].name);
    } else {
        make_sides(trial);
        judge_end(trial, tigon_world_run(trial->world, ETHERNET_UP_NS + ETHERNET_LINK_NS +
                                                           limit_ms * UINT64_C(1000000)));
    }
    tigon_world_destroy(trial->world);
    trial->world = NULL;
    for (unsigned i = 0; i < 2; i++)
        traffic_free(&trial->sides[i].traffic);
    return trial->reason[0] == '\0';
}
