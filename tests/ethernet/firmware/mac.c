/* SPDX-License-Identifier: MIT */
/* Core A: the MAC's own registers, and its attentions. */
#include "tests/ethernet/firmware/core_a.h"

static uint32_t transmit_state = MAC_TRANSMIT_FIBRE;            /* HW[200] */
static uint32_t receive_state = MAC_RECEIVE_USUAL | MAC_ENABLE; /* HW[220] */

void take_address(void) {
    HW(MAC_ADDRESS_HIGH) = SRAM(SHARED_ADDRESS_HIGH);
    HW(MAC_ADDRESS_LOW) = SRAM(SHARED_ADDRESS_LOW);
    HW(BACK_OFF_SEED) = SRAM(SHARED_ADDRESS_LOW);
}

void mac_begin(void) {
    HW(MAC_TRANSMIT) = MAC_RESET;
    HW(MAC_RECEIVE) = MAC_RESET;
    take_address();
    HW(MAC_GAPS) = MAC_GAPS_USUAL;
    HW(MAC_THRESHOLDS) = 0x100B07E3u;
    HW(MAC_CLEARED) = 0;
    HW(MAC_RECEIVE) = receive_state | MAC_RECEIVE_ATTENTION;
}

/* Enabled, the transmitter sends frames and idle between them; else configuration words
 * (tigon2.md 16.2). */
void set_port(uint32_t bits, bool enabled) {
    transmit_state = (transmit_state & MAC_SEND_PAUSE) | bits | (enabled ? MAC_ENABLE : 0);
    HW(MAC_TRANSMIT) = transmit_state;
}

static uint32_t with(uint32_t word, uint32_t bit, bool set) {
    return set ? word | bit : word & ~bit;
}

void set_pause(bool send, bool obey) {
    transmit_state = with(transmit_state, MAC_SEND_PAUSE, send);
    receive_state = with(receive_state, MAC_OBEY_PAUSE, obey);
    HW(MAC_TRANSMIT) = transmit_state;
    HW(MAC_RECEIVE) = receive_state;
}

void mac_promiscuous(bool on) {
    receive_state = with(receive_state, MAC_PROMISCUOUS, on);
    HW(MAC_RECEIVE) = receive_state;
}

/* Disabling a receiver that is synchronised raises an attention (tigon2.md 16.1). */
bool signal_present(void) {
    HW(MAC_RECEIVE) = receive_state | MAC_SIGNAL_ATTENTIONS;
    HW(MAC_RECEIVE) = receive_state & ~MAC_ENABLE;
    const bool present = (HW(MAC_RECEIVE) & MAC_SIGNAL_ATTENTIONS) != 0;
    HW(MAC_RECEIVE) = receive_state | MAC_SIGNAL_ATTENTIONS;
    return present;
}

/* The MAC stands still between these two; its statistics may be written. */
void mac_stop(void) {
    HW(MAC_TRANSMIT) = transmit_state | MAC_STOP;
    HW(MAC_RECEIVE) = receive_state | MAC_STOP;
}

void mac_go(void) {
    HW(MAC_RECEIVE) = receive_state;
    HW(MAC_TRANSMIT) = transmit_state;
}

void receive_attention(void) {
    const uint32_t state = HW(MAC_RECEIVE);
    HW(MAC_RECEIVE) = receive_state | (state & MAC_RECEIVE_ATTENTION);
    if ((state & MAC_BUFFER_ATTENTION) != 0)
        count(COUNTER_EXHAUSTED);
    if ((state & MAC_LINK_ATTENTIONS) != 0)
        link_attention(state);
}

void transmit_attention(void) {
    const uint32_t state = HW(MAC_TRANSMIT);
    HW(MAC_TRANSMIT) = transmit_state | (state & MAC_TRANSMIT_ATTENTION);
    count(COUNTER_UNDERRUNS);
}
