/* SPDX-License-Identifier: MIT */
/* Items: which frames a board accepts. */
#include "tests/ethernet/items.h"

#include <string.h>

enum { GROUPS = 12, OTHERS = 12, REMOVED = 5, BROADCAST = GROUPS + OTHERS };

#define ANSWER_NS UINT64_C(100000000)
#define QUIET_NS  UINT64_C(5000000)

/* The bit of the MAC's hash table that an address has (tigon2.md 6.3). */
static unsigned hash(const uint8_t address[6]) {
    uint32_t crc = 0xFFFFFFFFu;
    for (unsigned i = 0; i < 48; i++) {
        const uint32_t bit = (crc ^ (uint32_t)address[i / 8] >> i % 8) & 1;
        crc = crc >> 1 ^ (bit != 0 ? 0xEDB88320u : 0);
    }
    return crc & 127;
}

/* Groups to join, then others whose bits none of these has. */
static void make_groups(uint8_t groups[GROUPS + OTHERS][6]) {
    unsigned count = 0;
    for (unsigned i = 0; count < GROUPS + OTHERS; i++) {
        const uint8_t address[6] = {
            0x01, 0x00, 0x5E, (uint8_t)(i % 5), (uint8_t)(i * 7), (uint8_t)(i * 31 + 3)};
        bool taken = false;
        for (unsigned k = 0; k < GROUPS && k < count && count >= GROUPS; k++)
            taken = taken || hash(groups[k]) == hash(address);
        if (!taken)
            memcpy(groups[count++], address, 6);
    }
}

static bool answered(struct side *side, uint32_t count) {
    return item_need(side, ethernet_await_event(&side->ethernet, EVENT_GROUPS, count, ANSWER_NS),
                     "%u of %u commands for groups were answered",
                     (unsigned)side->ethernet.counts[EVENT_GROUPS], (unsigned)count);
}

/* Board 0 sends a frame to each; board 1 must receive those of `wanted`. */
static bool try_groups(struct side *side, uint8_t groups[GROUPS + OTHERS][6],
                       const bool wanted[GROUPS + OTHERS], const char *when) {
    static const uint8_t all[6] = {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    uint32_t labels[LABELS] = {0};
    if (!item_meet(side))
        return false;
    if (side->index == 0) {
        for (unsigned i = 0; i < GROUPS + OTHERS; i++)
            item_send_label(side, groups[i], i);
        item_send_label(side, all, BROADCAST);
    } else if (item_take_labels(side, labels, QUIET_NS)) {
        for (unsigned i = 0; i <= BROADCAST; i++) {
            const uint32_t expected = i == BROADCAST || wanted[i] ? 1 : 0;
            item_need(side, labels[i] == expected, "%s, the frame to %s %u was received %u times",
                      when,
                      i < GROUPS      ? "joined group"
                      : i < BROADCAST ? "group"
                                      : "all,",
                      i, (unsigned)labels[i]);
        }
    }
    return item_meet(side);
}

static void run_groups(struct side *side) {
    struct ethernet *ethernet = &side->ethernet;
    uint8_t groups[GROUPS + OTHERS][6];
    bool wanted[GROUPS + OTHERS] = {false};
    make_groups(groups);
    if (!try_groups(side, groups, wanted, "before any group is joined"))
        return;
    for (unsigned i = 0; i < GROUPS; i++) {
        wanted[i] = true;
        if (side->index == 1 &&
            (!ethernet_command_long(ethernet, COMMAND_ADD_GROUP_LONG, groups[i]) ||
             !answered(side, i + 1)))
            return;
    }
    if (!try_groups(side, groups, wanted, "with 12 groups joined"))
        return;
    wanted[REMOVED] = false;
    if (side->index == 1 &&
        (!ethernet_command_long(ethernet, COMMAND_REMOVE_GROUP_LONG, groups[REMOVED]) ||
         !answered(side, GROUPS + 1)))
        return;
    if (!try_groups(side, groups, wanted, "with one of them left"))
        return;
    if (side->index == 1)
        (void)ethernet_command(ethernet, COMMAND_ALL_GROUPS, 1);
    item_pass(side, 1000000);
    bool each[GROUPS + OTHERS];
    memset(each, true, sizeof each);
    if (!try_groups(side, groups, each, "with all groups on"))
        return;
    if (side->index == 1)
        (void)ethernet_command(ethernet, COMMAND_ALL_GROUPS, 2);
    item_pass(side, 1000000);
    (void)try_groups(side, groups, wanted, "with all groups off again");
}

/* Frames to board 1 itself, to another board, and to two groups. */
static bool try_addresses(struct side *side, const uint8_t addresses[][6], unsigned count,
                          const bool *wanted, const char *when) {
    uint32_t labels[LABELS] = {0};
    if (!item_meet(side))
        return false;
    if (side->index == 0)
        for (unsigned i = 0; i < count; i++)
            item_send_label(side, addresses[i], i);
    else if (item_take_labels(side, labels, QUIET_NS))
        for (unsigned i = 0; i < count; i++)
            item_need(side, labels[i] == (wanted[i] ? 1 : 0),
                      "%s, the frame to %02x:%02x:%02x:%02x:%02x:%02x was received %u times", when,
                      addresses[i][0], addresses[i][1], addresses[i][2], addresses[i][3],
                      addresses[i][4], addresses[i][5], (unsigned)labels[i]);
    return item_meet(side);
}

static void run_promiscuous(struct side *side) {
    uint8_t addresses[3][6] = {{0}, {0x02, 0x99, 0x99, 0x99, 0x99, 0x99}, {0x01, 0, 0x5E, 9, 9, 9}};
    static const bool own[] = {true, false, false}, all[] = {true, true, true};
    memcpy(addresses[0], side->trial->sides[1].address, 6);
    for (unsigned round = 0; round < 2; round++) {
        if (!try_addresses(side, addresses, 3, own, "without promiscuous mode"))
            return;
        if (side->index == 1)
            (void)ethernet_command(&side->ethernet, COMMAND_PROMISCUOUS, 1);
        item_pass(side, 1000000);
        if (!try_addresses(side, addresses, 3, all, "in promiscuous mode"))
            return;
        if (side->index == 1)
            (void)ethernet_command(&side->ethernet, COMMAND_PROMISCUOUS, 2);
        item_pass(side, 1000000);
    }
    (void)try_addresses(side, addresses, 3, own, "after promiscuous mode");
}

static void run_address(struct side *side) {
    uint8_t addresses[2][6] = {{0}, {0x02, 0x12, 0x34, 0x56, 0x78, 0x9A}};
    static const bool before[] = {true, false}, after[] = {false, true};
    memcpy(addresses[0], side->trial->sides[1].address, 6);
    if (!try_addresses(side, addresses, 2, before, "with the address of the EEPROM"))
        return;
    if (side->index == 1) {
        ethernet_set_address(&side->ethernet, addresses[1]);
        (void)ethernet_command(&side->ethernet, COMMAND_SET_ADDRESS, 0);
    }
    item_pass(side, 1000000);
    (void)try_addresses(side, addresses, 2, after, "with another address set");
}

const struct item filter_items[] = {
    {"multicast", "12 groups joined, one left, all on and off", WIRES, FIBRE_512K, NULL, run_groups,
     false, 0, BOARD},
    {"promiscuous", "on and off, twice", WIRES, FIBRE_1M, NULL, run_promiscuous, false, 0, BOARD},
    {"another address", "frames to it are received, those to the old one not", WIRES, FIBRE_1M,
     NULL, run_address, false, 0, BOARD},
    {NULL, NULL, 0, 0, NULL, NULL, false, 0, BOARD},
};
