/*
 * Core A: the link over fibre (tigon2.md 7): the transceiver is found by an echo, then both sides
 * agree by configuration words with a link timer of 10 ms, in the manner of clause 37 of IEEE
 * 802.3.
 */
#include "tests/ethernet/firmware/core_a.h"

#define SERDES_LOOPBACK 0x00C801F6u
#define SERDES_RESET    0x00C801FBu
#define SERDES_NORMAL   0x00C801FEu
#define PINS            0x0000F000u
#define PINS_LOOPBACK   0x0000F080u
#define PINS_NORMAL     0x0000A080u
#define LINK_TIMER_US   10000

static enum { NO_SIGNAL, ABILITY, ACKNOWLEDGE, COMPLETE, IDLE, UP } state;
static uint32_t since; /* when the state began, microseconds */
static uint32_t heard; /* the word seen last */

static uint32_t waited(void) {
    return HW(TIMER) - since;
}

static void enter(unsigned next) {
    state = next;
    since = HW(TIMER);
}

static bool echoes(void) {
    for (uint32_t word = 1; word <= 0x4000; word <<= 1) {
        HW(LINK_WORD_SENT) = word;
        const uint32_t begun = HW(TIMER);
        while (HW(LINK_WORD_RECEIVED) != word)
            if (HW(TIMER) - begun > 3)
                return false;
    }
    return true;
}

static bool find_transceiver(void) {
    HW(SERDES) = SERDES_RESET;
    HW(SERDES) = SERDES_LOOPBACK;
    if (echoes()) {
        HW(LINK_WORD_SENT) = 0;
        HW(SERDES) = SERDES_NORMAL;
        return true;
    }
    const uint32_t control = HW(LOCAL_CONTROL) & ~(PINS | 0x80u);
    HW(LOCAL_CONTROL) = control | PINS_LOOPBACK;
    const bool found = echoes();
    HW(LINK_WORD_SENT) = 0;
    HW(LOCAL_CONTROL) = control | PINS_NORMAL;
    return found;
}

/* What is sent in place of idle while bit 1 of HW[200] is clear (tigon2.md 16.2). */
static void send_word(uint32_t word) {
    HW(LINK_WORD_SENT) = word;
    HW(MAC_TRANSMIT) = MAC_TRANSMIT_FIBRE;
}

static void send_idle(void) {
    HW(MAC_TRANSMIT) = MAC_TRANSMIT_FIBRE | MAC_ENABLE;
}

static void restart(void) {
    set_link(false);
    heard = 0;
    send_word(LINK_FULL_DUPLEX);
    enter(ABILITY);
}

void link_begin(void) {
    if (!find_transceiver()) {
        SRAM(AREA_STATE) = STATE_NO_SERDES;
        for (;;)
            HW(CPU_A_STATE) = CPU_HALT;
    }
    HW(TIMER_REFERENCE_A) = HW(TIMER) + 1000;
    restart();
}

/* From the timer and from attentions of the receiver. */
void link_look(void) {
    const uint32_t status = HW(MAC_RECEIVE);
    const bool sync = (status & MAC_SYNC) != 0;
    const bool words = (status & MAC_CONFIGURING) != 0;
    const uint32_t word = words ? HW(LINK_WORD_RECEIVED) & 0xFFFF : 0;
    const bool twice = word == heard;
    heard = word;

    if (!sync) {
        if (state != NO_SIGNAL) {
            restart();
            enter(NO_SIGNAL);
        }
        return;
    }
    switch (state) {
    case NO_SIGNAL:
        restart();
        break;
    case ABILITY:
        if (words && twice) {
            send_word(LINK_FULL_DUPLEX | LINK_ACKNOWLEDGED);
            enter(ACKNOWLEDGE);
        } else if (!words && waited() > 2 * LINK_TIMER_US) { /* a peer that does not negotiate */
            send_idle();
            enter(IDLE);
        }
        break;
    case ACKNOWLEDGE:
        if (words && (word & LINK_ACKNOWLEDGED) != 0)
            enter(COMPLETE);
        else if (waited() > 5 * LINK_TIMER_US)
            restart();
        break;
    case COMPLETE:
        if (waited() >= LINK_TIMER_US) {
            send_idle();
            enter(IDLE);
        }
        break;
    case IDLE: /* the peer takes as long before it listens to frames */
        if (words) {
            if ((word & LINK_ACKNOWLEDGED) == 0 || waited() > 2 * LINK_TIMER_US)
                restart();
        } else if (waited() >= LINK_TIMER_US) {
            set_link(true);
            enter(UP);
        }
        break;
    case UP:
        if (words)
            restart();
        break;
    }
}
