/* SPDX-License-Identifier: MIT */
/*
 * Core A: what is between the MAC and the cable (tigon2.md 7): a PHY that answers on the MII
 * management lines, or a SERDES, inside the chip or beside it, which in loopback echoes
 * configuration words.
 */
#include "tests/ethernet/firmware/core_a.h"

#define SERDES_LOOPBACK 0x00C801F6u
#define SERDES_RESET    0x00C801FBu
#define SERDES_NORMAL   0x00C801FEu
#define PINS_RESET      0x00005000u
#define PINS_LOOPBACK   0x0000F000u
#define PINS_NOT_NORMAL 0x00004000u
#define ECHO_US         3u

static bool echoes(void) {
    for (uint32_t word = 1; word <= 0x4000; word <<= 1) {
        HW(LINK_WORD_SENT) = word;
        const uint32_t begun = HW(TIMER);
        while (HW(LINK_WORD_RECEIVED) != word)
            if (HW(TIMER) - begun > ECHO_US)
                return false;
    }
    return true;
}

static bool internal_echoes(void) {
    HW(SERDES) = SERDES_RESET;
    HW(SERDES) = SERDES_LOOPBACK;
    return echoes();
}

/* Bits are only added, but for the one that makes the loopback: in normal mode one of the output
 * enables is set, too (tigon2.md 16.7). */
static bool external_echoes(void) {
    HW(LOCAL_CONTROL) &= ~LOCAL_CONTROL_PINS;
    HW(LOCAL_CONTROL) |= PINS_RESET | LOCAL_CONTROL_PHY_RUN;
    HW(LOCAL_CONTROL) |= PINS_LOOPBACK;
    return echoes();
}

static void set_clock(uint32_t port) {
    HW(CONFIGURATION) = (HW(CONFIGURATION) & 0xF0FFFF80u) | PRESCALER | port << PORT_SHIFT;
}

void set_copper_clock(bool gigabit) {
    set_clock(gigabit ? PORT_GIGABIT : PORT_SLOW);
}

enum transceiver find_transceiver(void) {
    set_clock(PORT_INTERNAL);
    if (phy_present()) {
        set_copper_clock(true);
        return COPPER;
    }
    set_port(MAC_TRANSMIT_FIBRE, false); /* words, not idle */
    enum transceiver found = NO_TRANSCEIVER;
    if (internal_echoes()) {
        HW(SERDES) = SERDES_NORMAL;
        found = INTERNAL_SERDES;
    } else {
        set_clock(PORT_EXTERNAL);
        if (external_echoes()) {
            HW(LOCAL_CONTROL) &= ~PINS_NOT_NORMAL;
            found = EXTERNAL_SERDES;
        }
    }
    HW(LINK_WORD_SENT) = 0;
    return found;
}
