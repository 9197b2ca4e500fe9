/* SPDX-License-Identifier: MIT */
/*
 * Core A: the link over copper. A PHY negotiates by itself; its registers are reached bit by bit
 * over the MII management lines of HW[044] (IEEE 802.3 clause 22).
 */
#include "tests/ethernet/firmware/core_a.h"
#include "tests/ethernet/firmware/parameters.h"

#define PHY     1u      /* its address */
#define PORT_A  0x0E00u /* steps of HW[238] (tigon2.md 16.8) */
#define PORT_B  0x0E01u
#define PORT_ON 0x0001u
#define LOOK_MS 10u

enum {
    CONTROL = 0,
    STATUS = 1,
    IDENTIFIER_HIGH = 2,
    IDENTIFIER_LOW = 3,
    ADVERTISED = 4,
    PARTNER = 5,
    GIGABIT_CONTROL = 9,
    SUMMARY = 25
};

#define ABLE_PAUSE        0x0400u /* of registers 4 and 5 */
#define ABLE_ASYMMETRIC   0x0800u
#define CONTROL_NEGOTIATE 0x1200u /* enable, restart */
#define STATUS_NEGOTIATED 0x0020u
#define STATUS_LINK       0x0004u
#define IDENTIFIER        0x00206040u /* the low four bits are a revision */

/* Bits 10:8 of the summary, as the maker of the PHY has them. */
#define SUMMARY_SHIFT 8u
static const struct {
    uint32_t speed;
    bool full;
} summaries[8] = {[1] = {LINK_10, false},  [2] = {LINK_10, true},  [3] = {LINK_100, false},
                  [4] = {LINK_100, false}, [5] = {LINK_100, true}, [6] = {LINK_1000, false},
                  [7] = {LINK_1000, true}};

static bool summarises; /* the PHY is one that has this register */
static uint32_t gigabit_link;
static uint32_t slow_link;
static bool up;
static uint32_t negotiated_at; /* when that began, microseconds */

static void clock_bit(uint32_t lines) {
    const uint32_t others = HW(LOCAL_CONTROL) & ~(MII_CLOCK | MII_ENABLE | MII_OUT);
    HW(LOCAL_CONTROL) = others | lines;
    HW(LOCAL_CONTROL) = others | lines | MII_CLOCK;
}

static void send_bits(uint32_t value, uint32_t bits) {
    while (bits-- != 0)
        clock_bit(MII_ENABLE | ((value >> bits & 1) != 0 ? MII_OUT : 0));
}

#define PREAMBLE()  send_bits(0xFFFFFFFFu, 32)
#define HEADER_BITS 14u
#define READ        6u /* start bits 01, operation 10 */
#define WRITE       5u

static uint32_t read_phy(uint32_t number) {
    uint32_t value = 0;
    PREAMBLE();
    send_bits(READ << 10 | PHY << 5 | number, HEADER_BITS);
    clock_bit(0); /* turn-around */
    for (uint32_t i = 0; i < 16; i++) {
        clock_bit(0);
        value = value << 1 | ((HW(LOCAL_CONTROL) & MII_IN) != 0 ? 1u : 0);
    }
    clock_bit(0);
    return value;
}

static void write_phy(uint32_t number, uint32_t value) {
    PREAMBLE();
    send_bits(WRITE << 10 | PHY << 5 | number, HEADER_BITS);
    send_bits(2, 2); /* turn-around */
    send_bits(value, 16);
    clock_bit(0);
}

bool phy_present(void) {
    HW(LOCAL_CONTROL) &= ~LOCAL_CONTROL_PHY_RUN;
    HW(LOCAL_CONTROL) |= LOCAL_CONTROL_PHY_RUN;
    return read_phy(STATUS) != 0;
}

void copper_begin(void) {
    const uint32_t identifier = read_phy(IDENTIFIER_HIGH) << 16 | read_phy(IDENTIFIER_LOW);
    summarises = (identifier & 0xFFFFFFF0u) == IDENTIFIER;
    HW(SERDES) = PORT_A;
    HW(SERDES) = PORT_B;
    HW(SERDES) = PORT_ON;
    set_port(MAC_TRANSMIT_GIGABIT, true);
}

static uint32_t if_set(uint32_t word, uint32_t bits, uint32_t result) {
    return (word & bits) == bits ? result : 0;
}

void copper_negotiate(uint32_t gigabit, uint32_t slow) {
    const uint32_t pause = pause_wanted(gigabit != 0 ? gigabit : slow);
    gigabit_link = gigabit;
    slow_link = slow;
    up = false;
    negotiated_at = HW(TIMER);
    write_phy(ADVERTISED, 1u | if_set(slow, LINK_10 | LINK_HALF, 0x0020) |
                              if_set(slow, LINK_10 | LINK_FULL, 0x0040) |
                              if_set(slow, LINK_100 | LINK_HALF, 0x0080) |
                              if_set(slow, LINK_100 | LINK_FULL, 0x0100) |
                              if_set(pause, 2, ABLE_PAUSE) | if_set(pause, 1, ABLE_ASYMMETRIC));
    write_phy(GIGABIT_CONTROL, if_set(gigabit, LINK_1000 | LINK_FULL, 0x0200));
    write_phy(CONTROL, CONTROL_NEGOTIATE);
}

static void link_is_up(void) {
    const uint32_t summary = read_phy(SUMMARY) >> SUMMARY_SHIFT & 7;
    const uint32_t speed = summarises ? summaries[summary].speed : LINK_1000;
    const bool full = !summarises || summaries[summary].full;
    if (speed == 0)
        return; /* not yet */
    const bool gigabit = speed == LINK_1000;
    set_copper_clock(gigabit);
    set_port(gigabit ? MAC_TRANSMIT_GIGABIT : MAC_TRANSMIT_SLOW, true);
    const uint32_t partner = read_phy(PARTNER);
    settle_pause(gigabit ? gigabit_link : slow_link,
                 if_set(partner, ABLE_PAUSE, 2) | if_set(partner, ABLE_ASYMMETRIC, 1));
    up = true;
    link_changed(true, speed, full);
}

void copper_tick(void) {
    static uint32_t ticks;
    if (++ticks < LOOK_MS || (gigabit_link | slow_link) == 0)
        return;
    ticks = 0;
    const uint32_t status = read_phy(STATUS);
    const bool link = (status & STATUS_LINK) != 0 && (status & STATUS_NEGOTIATED) != 0;
    if (link && !up && HW(TIMER) - negotiated_at > COPPER_PATIENCE_US) {
        link_is_up();
    } else if (!link && up) {
        up = false;
        link_changed(false, 0, false);
    }
}
