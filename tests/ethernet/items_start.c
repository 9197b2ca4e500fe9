/* SPDX-License-Identifier: MIT */
/* Items: start-up, commands and events, statistics. */
#include "tests/ethernet/items.h"

#include <string.h>

#define ANSWER_NS UINT64_C(100000000)

static void run_booted(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    if (ethernet_open(ethernet, side->host, &side->options, side->trial->image, ETHERNET_UP_NS) < 0)
        item_fail(side, "board %u: %s", side->index, ethernet->error);
    else if (item_need(side, ethernet->counts[EVENT_UP] == 1, "board %u sent event 1 %u times",
                       side->index, (unsigned)ethernet->counts[EVENT_UP]))
        item_figure(side, "up after %.1f ms", (double)ethernet->up_ns / 1e6);
}

static void run_link(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    const bool copper = (1u << side->trial->kind & COPPER) != 0;
    const bool known =
        ethernet->link == ETHERNET_GIGABIT || (copper && ethernet->link == ETHERNET_SLOW);
    const uint32_t state = ethernet_shared(ethernet, SHARED_LINK_STATE) |
                           ethernet_shared(ethernet, SHARED_SLOW_LINK_STATE);
    item_need(side, known, "board %u: link event code %u", side->index, (unsigned)ethernet->link);
    item_need(side, (state & LINK_UP) != 0,
              "board %u: the words of the link's state, %08X together, do not say that it is up",
              side->index, (unsigned)state);
    item_figure(side, "code %u, %.1f ms after the start", (unsigned)ethernet->link,
                (double)tigon_host_now_ns(side->host) / 1e6);
}

/* ------------------------------------------------------------------------------------------------
 * Commands and events */

static const uint8_t group[6] = {0x01, 0x00, 0x5E, 0x01, 0x02, 0x03};

static bool group_answer(struct side *side, uint32_t code, uint32_t *answers) {
    struct ethernet *ethernet = &side->ethernet;
    (*answers)++;
    return item_need(side,
                     ethernet_await_event(ethernet, EVENT_GROUPS, *answers, ANSWER_NS) &&
                         ethernet->last_code[EVENT_GROUPS] == code,
                     "board %u: %u answers to %u commands for groups, the last with code %u",
                     side->index, (unsigned)ethernet->counts[EVENT_GROUPS], (unsigned)*answers,
                     (unsigned)ethernet->last_code[EVENT_GROUPS]);
}

/* Of commands that every firmware knows. */
static bool one_round(struct side *side, uint32_t *answers) {
    static const struct {
        uint32_t number, code;
    } silent[] = {{COMMAND_HOST_STATE, 1},  {COMMAND_UPDATE_SHARED, 0},   {COMMAND_PROMISCUOUS, 1},
                  {COMMAND_PROMISCUOUS, 2}, {COMMAND_ALL_GROUPS, 1},      {COMMAND_ALL_GROUPS, 2},
                  {COMMAND_SET_ADDRESS, 0}, {COMMAND_CLEAR_STATISTICS, 0}};
    struct ethernet *ethernet = &side->ethernet;
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (!ethernet_command(ethernet, silent[i].number, silent[i].code))
            return false;
    ethernet_set_shared(ethernet, SHARED_GROUP_HIGH, (uint32_t)group[0] << 8 | group[1]);
    ethernet_set_shared(ethernet, SHARED_GROUP_LOW,
                        (uint32_t)group[2] << 24 | (uint32_t)group[3] << 16 |
                            (uint32_t)group[4] << 8 | group[5]);
    return ethernet_command(ethernet, COMMAND_ADD_GROUP, 0) && group_answer(side, 1, answers) &&
           ethernet_command(ethernet, COMMAND_REMOVE_GROUP, 0) && group_answer(side, 2, answers) &&
           ethernet_command_long(ethernet, COMMAND_ADD_GROUP_LONG, group) &&
           group_answer(side, 1, answers) &&
           ethernet_command_long(ethernet, COMMAND_REMOVE_GROUP_LONG, group) &&
           group_answer(side, 2, answers);
}

static void no_errors(struct side *side) {
    const struct ethernet *ethernet = &side->ethernet;
    item_need(side, ethernet->counts[EVENT_ERROR] == 0, "board %u: %u events of errors, code %u",
              side->index, (unsigned)ethernet->counts[EVENT_ERROR],
              (unsigned)ethernet->last_code[EVENT_ERROR]);
}

static void run_commands(struct side *side) {
    const struct traffic_plan plan = {.frames = 100, .shortest = 60, .longest = 1514};
    struct ethernet *ethernet = &side->ethernet;
    uint32_t answers = ethernet->counts[EVENT_GROUPS];
    const uint32_t before = ethernet->event;
    for (unsigned round = 0; round < 75; round++)
        if (!one_round(side, &answers)) {
            item_need(side, ethernet->error[0] == '\0', "board %u: %s", side->index,
                      ethernet->error);
            return;
        }
    no_errors(side);
    if (!item_exchange(side, &plan))
        return;
    item_figure(side, "%u words of commands, %u events", (unsigned)ethernet->command,
                (unsigned)(ethernet->event - before));
}

static void run_unknown_command(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    const uint32_t errors = ethernet->counts[EVENT_ERROR];
    (void)ethernet_command(ethernet, 0x7E, 0);
    item_need(side,
              ethernet_await_event(ethernet, EVENT_ERROR, errors + 1, ANSWER_NS) &&
                  ethernet->last_code[EVENT_ERROR] != 0,
              "board %u: no event of an error for command 0x7E within %u ms", side->index,
              (unsigned)(ANSWER_NS / 1000000));
}

/* ------------------------------------------------------------------------------------------------
 * Statistics */

static bool refresh(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    const uint32_t before = ethernet->counts[EVENT_STATISTICS];
    return ethernet_command(ethernet, COMMAND_REFRESH_STATISTICS, 0) &&
           item_need(side, ethernet_await_event(ethernet, EVENT_STATISTICS, before + 1, ANSWER_NS),
                     "board %u: no event after a refresh of statistics", side->index);
}

static void run_refresh(struct side *side) {
    for (unsigned i = 0; i < 60; i++)
        if (!ethernet_command(&side->ethernet, COMMAND_CLEAR_PROFILE, 0) || !refresh(side))
            return;
    no_errors(side);
}

enum { COUNTERS = 4 };

static bool counters_are(struct side *side, const uint64_t wanted[COUNTERS]) {
    static const struct {
        unsigned word;
        const char *name;
    } counters[COUNTERS] = {{STATISTICS_IN_UNICAST, "received"},
                            {STATISTICS_OUT_UNICAST, "sent"},
                            {STATISTICS_IN_BROADCAST, "received to all"},
                            {STATISTICS_OUT_BROADCAST, "sent to all"}};
    for (unsigned i = 0; i < COUNTERS; i++) {
        const uint64_t found = ethernet_statistic(&side->ethernet, counters[i].word);
        if (!item_need(side, found == wanted[i],
                       "board %u: statistics say %llu frames %s, not %llu", side->index,
                       (unsigned long long)found, counters[i].name, (unsigned long long)wanted[i]))
            return false;
    }
    return true;
}

static void run_statistics(struct side *side) {
    static const uint8_t all[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    static const uint64_t none[COUNTERS] = {0}, some[COUNTERS] = {500, 500, 7, 7};
    const struct traffic_plan plan = {.frames = 500, .shortest = 60, .longest = 1514};
    uint32_t labels[LABELS] = {0};
    (void)ethernet_command(&side->ethernet, COMMAND_CLEAR_STATISTICS, 0);
    if (!refresh(side) || !counters_are(side, none) || !item_exchange(side, &plan))
        return;
    for (unsigned i = 0; i < 7; i++)
        item_send_label(side, all, i);
    if (!item_take_labels(side, labels, 5000000) || !item_meet(side) || !refresh(side) ||
        !counters_are(side, some))
        return;
    (void)ethernet_command(&side->ethernet, COMMAND_CLEAR_STATISTICS, 0);
    if (refresh(side))
        (void)counters_are(side, none);
}

/* ------------------------------------------------------------------------------------------------
 * Starting anew */

static void run_again(struct side *side) {
    struct traffic_plan plan = {.frames = 300, .shortest = 60, .longest = 1514};
    for (unsigned i = 0; i < 3; i++) {
        if (i > 0)
            (void)ethernet_command(&side->ethernet, COMMAND_HOST_STATE, 2);
        if (!item_meet(side) || !item_start(side) || !item_exchange(side, &plan))
            return;
        plan.first += plan.frames;
    }
}

static void prepare_polling(struct trial *trial) {
    for (unsigned i = 0; i < 2; i++)
        trial->sides[i].options.polling = true;
}

static void run_polling(struct side *side) {
    const struct traffic_plan plan = {.frames = 2000, .shortest = 60, .longest = 1514};
    const uint64_t before = item_interrupts(side);
    if (item_exchange(side, &plan))
        item_need(side, item_interrupts(side) == before, "board %u interrupted %u times, masked",
                  side->index, (unsigned)(item_interrupts(side) - before));
}

const struct item start_items[] = {
    {"booted", "event 1 within 3 s", ALL_KINDS, ALL_KINDS, NULL, run_booted, true, 0, BOARD},
    {"link", "event 6 with code 1 (on copper, 1 or 3), and the word of its state", ALL_KINDS,
     ALL_KINDS, NULL, run_link, false, 0, BOARD},
    {"commands", "rings of commands and events wrap, each command is answered", WIRES, FIBRE_512K,
     NULL, run_commands, false, 0, BOARD},
    {"unknown command", "is answered by an event of an error", WIRES, FIBRE_1M, NULL,
     run_unknown_command, false, 0, BOARD},
    {"refreshed statistics", "each refresh is answered, and profiles can be cleared", WIRES,
     FIBRE_1M, NULL, run_refresh, false, 0, OWN_FIRMWARE},
    {"statistics", "counts of frames are those of the host, also after a clear", WIRES, FIBRE_1M,
     NULL, run_statistics, false, 0, OWN_FIRMWARE},
    {"start anew", "reset, load and run again, three times, with frames", WIRES, FIBRE_1M, NULL,
     run_again, true, 12000, BOARD},
    {"polling host", "2000 frames each way while interrupts are masked from the start", WIRES,
     FIBRE_1M, prepare_polling, run_polling, false, 0, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
