/* SPDX-License-Identifier: MIT */
/*
 * The wire: 1000BASE-X through the MAC's configuration words (tigon2.md 7). Reports what the
 * registers say and does what it is told; who negotiates what is the spec's business.
 */
#include "fw-runtime/port/tigon2/board.h"

static uint32_t own_high, own_low;

NIC_COLD void nic_set_address(uint32_t high, uint32_t low) {
    own_high = high & 0xFFFF;
    own_low = low;
    TIGON2_REGISTER(MAC_ADDRESS_HIGH) = own_high;
    TIGON2_REGISTER(MAC_ADDRESS_LOW) = own_low;
    TIGON2_REGISTER(MAC_BACKOFF) = own_low;
}

NIC_COLD void tigon2_link_start(void) {
    TIGON2_REGISTER(PORT_CLEAR) = 0;
    TIGON2_REGISTER(MAC_GAPS) = 0x241F;           /* tigon2.md 3.1 */
    TIGON2_REGISTER(MAC_THRESHOLDS) = 0x100B07E3; /* value known, fields not */
    for (unsigned i = 0; i < 4; i++)
        tigon2_registers[TIGON2_MULTICAST_HASH / 4 + i] = 0;
    TIGON2_REGISTER(LINK_TRANSMIT) = 0;
    TIGON2_REGISTER(PORT_CONTROL) = TIGON2_PORT_FIBRE;
    TIGON2_REGISTER(MAC_TRANSMIT_STATE) = TIGON2_TRANSMIT_FIBRE;
    TIGON2_REGISTER(MAC_RECEIVE_STATE) = TIGON2_RECEIVE_MODE | TIGON2_RECEIVE_CLEAR;
}

/* What is already there when we begin to look raises no attention. */
NIC_COLD void tigon2_link_look(void) {
    uint32_t state = TIGON2_REGISTER(MAC_RECEIVE_STATE);
    if (state & TIGON2_RECEIVE_SYNC)
        state |= TIGON2_RECEIVE_SYNC_ATT;
    if (state & TIGON2_RECEIVE_CONFIG)
        state |= TIGON2_RECEIVE_CONF_ATT;
    tigon2_link_attention(state);
}

NIC_COLD void tigon2_link_attention(uint32_t state) {
    if (state & TIGON2_RECEIVE_SYNC_ATT)
        nic_on_link(state & TIGON2_RECEIVE_SYNC ? NIC_LINK_SYNCHRONISED : NIC_LINK_SYNC_LOST, 0);
    if (state & TIGON2_RECEIVE_CONF_ATT) {
        if (state & TIGON2_RECEIVE_CONFIG)
            nic_on_link(NIC_LINK_CONFIGURATION, TIGON2_REGISTER(LINK_RECEIVED) & 0xFFFF);
        else
            nic_on_link(NIC_LINK_IDLE, 0);
    }
}

/* One bit decides what is on the fibre: the word of HW[204], also the word 0, or idle and frames
 * (tigon2.md 16.2). */
NIC_COLD void nic_link_send(uint32_t word) {
    TIGON2_REGISTER(LINK_TRANSMIT) = word;
    TIGON2_REGISTER(MAC_TRANSMIT_STATE) = TIGON2_TRANSMIT_FIBRE;
}

NIC_COLD void nic_link_idle(void) {
    TIGON2_REGISTER(MAC_TRANSMIT_STATE) = TIGON2_TRANSMIT_FIBRE | TIGON2_MAC_ENABLE;
}

/* Of the configuration word, in the chip's byte order: PAUSE, or asymmetric PAUSE from the peer.
 * Either lets it send PAUSE frames to a station that told both (IEEE 802.3, table 28B-3). */
#define MAY_SEND_PAUSE 0x8001u

NIC_COLD void nic_link_enable(bool up) {
    uint32_t receive =
        TIGON2_REGISTER(MAC_RECEIVE_STATE) & ~(TIGON2_RECEIVE_CLEAR | TIGON2_MAC_ENABLE);
    if (NIC_OBEYS_PAUSE) {
        receive &= ~TIGON2_RECEIVE_OBEY;
        if (TIGON2_REGISTER(LINK_RECEIVED) & MAY_SEND_PAUSE)
            receive |= TIGON2_RECEIVE_OBEY;
    }
    TIGON2_REGISTER(MAC_RECEIVE_STATE) = receive | (up ? TIGON2_MAC_ENABLE : 0);
}
