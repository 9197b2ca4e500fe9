/* SPDX-License-Identifier: MIT */
/*
 * The PHY of a copper board behind the two MII management lines of HW[044] (tigon2.md 3.3,
 * 7, 16.8): frame format and registers 0 to 15 of IEEE 802.3 clause 22, at address 1; its
 * identification is 0x0020604x, and register 25 sums up what was negotiated.
 *
 * Chosen: the last digit of its identification, that it negotiates by itself and at once, and that
 * it takes any partner that sends code groups for one of 1000BASE-T, full duplex, with the
 * abilities that another PHY advertises.
 */
#ifndef SIM_PHY_H
#define SIM_PHY_H

#include <stdbool.h>
#include <stdint.h>

#define TIGON_PHY_ADDRESS   1u
#define TIGON_PHY_REGISTERS 32u

enum tigon_phy_phase {
    TIGON_PHY_PREAMBLE, /* ones, then the start bits 0 and 1 */
    TIGON_PHY_HEADER,   /* 12 bits: operation, PHY address, register */
    TIGON_PHY_READ,     /* turn-around and 16 bits to the board */
    TIGON_PHY_WRITE     /* turn-around and 16 bits from it */
};

struct tigon_phy {
    bool present;
    bool clock;
    bool drive; /* we hold the line, at `level` */
    bool level;
    uint8_t phase;
    bool preamble;      /* the last bit was a one of it */
    uint8_t count;      /* bits of this phase so far */
    uint32_t shift;     /* those bits */
    uint8_t index;      /* register of this frame */
    bool partner;       /* something sends to us */
    uint16_t abilities; /* which it advertises; 0: it is no PHY */
    bool link_lost;     /* register 1 bit 2 stays 0 until it is read */
    uint16_t value;     /* being read */
    uint16_t stored[TIGON_PHY_REGISTERS];
};

/* A PHY after reset, or none: without one the line is never driven and reads 0. */
void tigon_phy_initialise(struct tigon_phy *phy, bool present);

/* Hardware reset: all registers at their defaults, any frame on the lines forgotten. */
void tigon_phy_reset(struct tigon_phy *phy);

/* New levels of the lines from the board; `data` counts while `enable`. */
void tigon_phy_lines(struct tigon_phy *phy, bool clock, bool enable, bool data);

/* The value of HW[044] bit 19. The line has no pull-up: 0, as on a board without PHY (tigon2.md 7).
 */
static inline bool tigon_phy_data(const struct tigon_phy *phy) {
    return phy->drive && phy->level;
}

/* The other end of the cable began or ceased to send, or advertises other abilities. */
void tigon_phy_partner(struct tigon_phy *phy, bool sends, uint16_t abilities);

/* Register 4, never 0; 0 without a PHY. */
uint16_t tigon_phy_advertised(const struct tigon_phy *phy);

/* Whether it sends code groups, has a link, returns its own signal. */
bool tigon_phy_sends(const struct tigon_phy *phy);
bool tigon_phy_link(const struct tigon_phy *phy);
bool tigon_phy_loopback(const struct tigon_phy *phy);

#endif
