/* SPDX-License-Identifier: MIT */
/*
 * Core A: which frames are for this host. The MAC decides by address, and for groups by a hash of
 * 128 bits (tigon2.md 6.3, 16.5), which also lets through groups that the host has not joined;
 * those end here.
 */
#include "tests/ethernet/firmware/core_a.h"

#define GROUPS 64u

bool host_up;
static bool promiscuous;
static bool all_groups;
static bool by_address; /* unicast is looked at again, too */
static uint32_t groups;
static uint32_t list[GROUPS][2]; /* bytes 0 and 1, bytes 2 to 5 */
static uint32_t unlisted;        /* groups beyond the list: then all are let through */

/* Bit number in the table: the low end of a CRC-32 that is not inverted in the end. */
RARE static uint32_t hash(uint32_t high, uint32_t low) {
    uint32_t crc = 0xFFFFFFFFu;
    for (uint32_t i = 0; i < 6; i++) {
        const uint32_t byte = i < 2 ? high >> (8 - 8 * i) : low >> (40 - 8 * i);
        crc ^= byte & 0xFF;
        for (uint32_t bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xEDB88320u : 0);
    }
    return crc & 0x7F;
}

/* The first register has the highest bits. */
RARE static void write_hash(void) {
    uint32_t table[4] = {0, 0, 0, 0};
    const bool all = all_groups || unlisted != 0;
    for (uint32_t i = 0; i < groups; i++) {
        const uint32_t bit = hash(list[i][0], list[i][1]);
        table[3 - bit / 32] |= 1u << bit % 32;
    }
    for (uint32_t i = 0; i < 4; i++)
        HW(MULTICAST_HASH + 4 * i) = all ? 0xFFFFFFFFu : table[i];
}

RARE void filter_begin(void) {
    write_hash();
}

/* Where a group is in the list, or `groups`. */
static uint32_t find(uint32_t high, uint32_t low) {
    uint32_t i = 0;
    while (i < groups && (list[i][0] != high || list[i][1] != low))
        i++;
    return i;
}

RARE void add_group(uint32_t high, uint32_t low) {
    const uint32_t at = find(high & 0xFFFF, low);
    if (at == groups && groups == GROUPS) {
        unlisted++;
    } else if (at == groups) {
        list[at][0] = high & 0xFFFF;
        list[at][1] = low;
        groups++;
    }
    write_hash();
}

RARE void remove_group(uint32_t high, uint32_t low) {
    const uint32_t at = find(high & 0xFFFF, low);
    if (at < groups) {
        groups--;
        list[at][0] = list[groups][0];
        list[at][1] = list[groups][1];
    } else if (unlisted != 0) {
        unlisted--;
    }
    write_hash();
}

RARE void set_all_groups(bool on) {
    all_groups = on;
    write_hash();
}

RARE void set_promiscuous(bool on) {
    promiscuous = on;
    mac_promiscuous(on);
}

RARE void set_by_address(bool on) {
    by_address = on;
}

static uint32_t drop(uint32_t counter) {
    count(counter);
    return 0;
}

uint32_t cast_of(uint32_t first, uint32_t second) {
    const uint32_t high = first >> 16;
    const uint32_t low = first << 16 | second >> 16;
    if ((high & 0x100) == 0) {
        if (by_address && !promiscuous &&
            (high != (HW(MAC_ADDRESS_HIGH) & 0xFFFF) || low != HW(MAC_ADDRESS_LOW)))
            return drop(COUNTER_DROPPED_FILTER);
        return DESCRIPTOR_UNICAST;
    }
    if (high == 0xFFFF && low == 0xFFFFFFFFu)
        return DESCRIPTOR_BROADCAST;
    if (promiscuous || all_groups || unlisted != 0 || find(high, low) != groups)
        return DESCRIPTOR_MULTICAST;
    return drop(COUNTER_DROPPED_GROUP);
}
