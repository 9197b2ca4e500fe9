/* SPDX-License-Identifier: MIT */
/*
 * See phy.h. The PHY takes the board's bits at the rising edge of the clock and changes its own
 * there too, so that a driver may look before the next rising edge or after this one.
 */
#include "sim/chip/phy.h"

#include <string.h>

enum {
    CONTROL,
    STATUS,
    IDENTIFIER_HIGH,
    IDENTIFIER_LOW,
    ADVERTISED,
    PARTNER,
    GIGABIT_CONTROL = 9,
    GIGABIT_STATUS = 10,
    EXTENDED_STATUS = 15,
    SUMMARY = 25
};

#define CONTROL_RESET      0x8000u
#define CONTROL_LOOPBACK   0x4000u
#define CONTROL_POWER_DOWN 0x0800u
#define CONTROL_ISOLATE    0x0400u
#define CONTROL_RESTART    0x0200u
#define STATUS_ABLE        0x7949u /* 10 and 100 Mb/s, extended status, negotiation */
#define STATUS_NEGOTIATED  0x0020u
#define STATUS_LINK        0x0004u
#define ACKNOWLEDGED       0x4000u
#define SELECTOR           0x0001u /* IEEE 802.3 */
#define USUAL_ABILITIES    0x01E1u /* 10 and 100 Mb/s, half and full duplex */
/* Register 25: negotiation is through, 1000 Mb/s full duplex was agreed, link. */
#define SUMMARY_GIGABIT 0x8704u

#define HEADER_BITS 12u
#define DATA_BITS   16u

void tigon_phy_reset(struct tigon_phy *phy) {
    memset(phy->stored, 0, sizeof phy->stored);
    phy->stored[CONTROL] = 0x1140; /* negotiate, full duplex, 1000 Mb/s */
    phy->stored[IDENTIFIER_HIGH] = 0x0020;
    phy->stored[IDENTIFIER_LOW] = 0x6041;
    phy->stored[ADVERTISED] = USUAL_ABILITIES;
    phy->stored[GIGABIT_CONTROL] = 0x0200;
    phy->stored[EXTENDED_STATUS] = 0x2000;
    phy->phase = TIGON_PHY_PREAMBLE;
    phy->preamble = false;
    phy->drive = false;
    phy->link_lost = true;
}

void tigon_phy_initialise(struct tigon_phy *phy, bool present) {
    memset(phy, 0, sizeof *phy);
    phy->present = present;
    tigon_phy_reset(phy);
}

bool tigon_phy_sends(const struct tigon_phy *phy) {
    return phy->present &&
           !(phy->stored[CONTROL] & (CONTROL_POWER_DOWN | CONTROL_ISOLATE | CONTROL_LOOPBACK));
}

bool tigon_phy_link(const struct tigon_phy *phy) {
    return phy->partner && tigon_phy_sends(phy);
}

bool tigon_phy_loopback(const struct tigon_phy *phy) {
    return phy->present && (phy->stored[CONTROL] & CONTROL_LOOPBACK);
}

/* A partner that negotiates anew takes the link down for a moment. */
void tigon_phy_partner(struct tigon_phy *phy, bool sends, uint16_t abilities) {
    if (phy->partner && (!sends || abilities != phy->abilities))
        phy->link_lost = true;
    phy->partner = sends;
    phy->abilities = abilities;
}

uint16_t tigon_phy_advertised(const struct tigon_phy *phy) {
    return phy->present ? phy->stored[ADVERTISED] | SELECTOR : 0;
}

static uint16_t read_register(struct tigon_phy *phy, unsigned index) {
    const bool link = tigon_phy_link(phy);
    switch (index) {
    case STATUS: {
        const bool lost = phy->link_lost;
        phy->link_lost = !link;
        return (uint16_t)(STATUS_ABLE | (link ? STATUS_NEGOTIATED : 0) |
                          (link && !lost ? STATUS_LINK : 0));
    }
    case PARTNER:
        return link ? ACKNOWLEDGED | (phy->abilities ? phy->abilities : USUAL_ABILITIES) : 0;
    case GIGABIT_STATUS:
        return link ? 0x3800 : 0;
    case SUMMARY:
        return link ? SUMMARY_GIGABIT : 0;
    default:
        return phy->stored[index];
    }
}

static void write_register(struct tigon_phy *phy, unsigned index, uint16_t value) {
    switch (index) {
    case CONTROL:
        if (value & CONTROL_RESET) {
            tigon_phy_reset(phy);
            return;
        }
        phy->stored[CONTROL] = value & (uint16_t)~CONTROL_RESTART;
        if (!tigon_phy_link(phy))
            phy->link_lost = true;
        return;
    case ADVERTISED:
    case GIGABIT_CONTROL:
        phy->stored[index] = value;
        return;
    default:
        if (index > EXTENDED_STATUS) /* the maker's own: storage */
            phy->stored[index] = value;
    }
}

static void begin_frame(struct tigon_phy *phy) {
    const unsigned operation = phy->shift >> 10 & 3u, address = phy->shift >> 5 & 31u;
    phy->index = phy->shift & 31u;
    phy->count = 0;
    phy->shift = 0;
    phy->phase = TIGON_PHY_PREAMBLE;
    phy->preamble = false;
    if (address != TIGON_PHY_ADDRESS)
        return; /* the data bits of somebody else's frame hold no preamble that matters */
    if (operation == 2u) {
        phy->phase = TIGON_PHY_READ;
        phy->value = read_register(phy, phy->index);
    } else if (operation == 1u) {
        phy->phase = TIGON_PHY_WRITE;
    }
}

static void clock_rises(struct tigon_phy *phy, bool enable, bool data) {
    switch (phy->phase) {
    case TIGON_PHY_PREAMBLE:
        if (!enable) {
            phy->preamble = false;
            phy->count = 0;
        } else if (phy->count) { /* after the first start bit */
            phy->count = 0;
            phy->preamble = data;
            if (data) {
                phy->phase = TIGON_PHY_HEADER;
                phy->shift = 0;
            }
        } else if (data) {
            phy->preamble = true;
        } else {
            phy->count = phy->preamble;
            phy->preamble = false;
        }
        break;
    case TIGON_PHY_HEADER:
        phy->shift = phy->shift << 1 | (enable && data);
        if (++phy->count == HEADER_BITS)
            begin_frame(phy);
        break;
    case TIGON_PHY_READ: /* a zero in the turn-around, then the value */
        phy->count++;
        phy->drive = phy->count <= DATA_BITS + 1u;
        phy->level =
            phy->count > 1u && phy->drive && (phy->value >> (DATA_BITS + 1u - phy->count) & 1) != 0;
        if (!phy->drive) {
            phy->phase = TIGON_PHY_PREAMBLE;
            phy->count = 0;
        }
        break;
    case TIGON_PHY_WRITE:
        phy->shift = phy->shift << 1 | (enable && data);
        if (++phy->count == DATA_BITS + 2u) {
            phy->phase = TIGON_PHY_PREAMBLE;
            phy->count = 0;
            write_register(phy, phy->index, (uint16_t)phy->shift);
        }
        break;
    default:
        break;
    }
}

void tigon_phy_lines(struct tigon_phy *phy, bool clock, bool enable, bool data) {
    const bool rises = clock && !phy->clock;
    phy->clock = clock;
    if (phy->present && rises)
        clock_rises(phy, enable, data);
}
