/* SPDX-License-Identifier: MIT */
/* The MAC and its descriptor rings from firmware (tigon2.md 6, 7). */
#ifndef ACCEPTANCE_FIRMWARE_MAC_H
#define ACCEPTANCE_FIRMWARE_MAC_H

#include "tests/acceptance/firmware/dma.h"

/* Where host and firmware meet: the firmware says how far it is, the host acts on it. */
#define PHASE 0x3F000u

/* Buffers, rings, assist, fibre, both halves of the MAC; ARGUMENT(6) and (7) are the MAC address.
 */
static inline void set_up_mac(void) {
    set_up_buffers();
    HW(0x11C) = 1;
    HW(0x208) = ARGUMENT(6);
    HW(0x20C) = ARGUMENT(7);
    HW(0x214) = 0x0000241Fu;
    HW(0x21C) = 0x100B07E3u;
    HW(0x238) = 0x00C801FEu;
    HW(0x204) = 0;
    HW(0x200) = 0xE2u;
    HW(0x220) = 0xF7000802u;
}

/* Until the peer is heard; attentions of that cleared. */
static inline void await_link(void) {
    while ((HW(0x220) & 0x000C0000u) != 0x00040000u)
        ;
    HW(0x220) = 0x07000802u;
}

/* Address `bytes` further in the transmit buffer. */
static inline uint32_t transmit_step(uint32_t address, uint32_t bytes) {
    address += bytes;
    return address < R_BASE ? address : address - (R_BASE - T_BASE);
}

/* A MAC descriptor in the next slot. */
static inline void post(uint32_t address, uint32_t length) {
    const uint32_t slot = HW(0x0FC);
    MEMORY(slot) = address;
    MEMORY(slot + 4) = length;
    HW(0x0F0) = slot + 8;
}

static inline uint32_t transmit_pending(void) {
    return ((HW(0x0F0) - HW(0x0F4)) >> 3) & 255u;
}

#endif
