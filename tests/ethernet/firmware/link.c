/* SPDX-License-Identifier: MIT */
/*
 * Core A: the link. Over fibre both sides agree by configuration words with a link timer of 10 ms,
 * as clause 37 of IEEE 802.3 has it (tigon2.md 7, 16.1, 16.2); copper.c has the other kind.
 */
#include "tests/ethernet/firmware/core_a.h"

#define LINK_TIMER_US 10000u
#define SILENCE_US    30000u /* a peer that sends no words for so long does not negotiate */
#define PATIENCE_US   60000u
#define MATCHES       3u

static enum transceiver transceiver;
static bool link_up;
static bool negotiating; /* by the host's choice */
static bool enabled;

static enum { NO_SIGNAL, BREAK, ABILITY, ACKNOWLEDGE, COMPLETE, IDLE, FORCED, UP } state;
static uint32_t since;   /* when the state began, microseconds */
static uint32_t heard;   /* the word seen last */
static uint32_t matches; /* how often it was seen on end */
static uint32_t ability; /* of the peer */

/* What was settled. */
struct pause {
    bool send;
    bool obey;
};
static struct pause pause;

/* Clause 37, table of pause resolution: [ours][the peer's]. */
static struct pause resolve(uint32_t ours, uint32_t theirs) {
    enum { NEITHER, SEND, OBEY, BOTH = SEND | OBEY };
    static const uint8_t table[4][4] = {
        {NEITHER, NEITHER, NEITHER, NEITHER},
        {NEITHER, NEITHER, NEITHER, SEND},
        {NEITHER, NEITHER, BOTH, BOTH},
        {NEITHER, OBEY, BOTH, BOTH},
    };
    const uint32_t result = table[ours & 3][theirs & 3];
    return (struct pause){(result & SEND) != 0, (result & OBEY) != 0};
}

/* What we ask for: 2 symmetric, 1 sending only, 3 obeying, perhaps also sending. */
uint32_t pause_wanted(uint32_t link) {
    const bool send = (link & LINK_SEND_PAUSE) != 0;
    if ((link & LINK_OBEY_PAUSE) != 0)
        return send ? 2 : 3;
    return send ? 1 : 0;
}

void settle_pause(uint32_t link, uint32_t theirs) {
    if ((link & LINK_NEGOTIATE_PAUSE) != 0 && (link & LINK_NEGOTIATE) != 0)
        pause = resolve(pause_wanted(link), theirs);
    else
        pause = (struct pause){(link & LINK_SEND_PAUSE) != 0, (link & LINK_OBEY_PAUSE) != 0};
    set_pause(pause.send, pause.obey);
}

void show_leds(void) {
    const uint32_t pattern = link_up ? 0x5Au : 0;
    clear_event(EVENT_LEDS);
    for (uint32_t bit = 0x80; bit != 0; bit >>= 1) {
        const uint32_t lines =
            HW(LOCAL_CONTROL) & ~(LOCAL_CONTROL_LED_CLOCK | LOCAL_CONTROL_LED_DATA);
        const uint32_t data = (pattern & bit) != 0 ? LOCAL_CONTROL_LED_DATA : 0;
        HW(LOCAL_CONTROL) = lines | data;
        HW(LOCAL_CONTROL) = lines | data | LOCAL_CONTROL_LED_CLOCK;
    }
}

void link_changed(bool up, uint32_t speed, bool full) {
    const bool gigabit = speed == LINK_1000;
    SRAM(SHARED_LINK_STATE) = 0;
    SRAM(SHARED_SLOW_LINK_STATE) = 0;
    if (up)
        SRAM(gigabit ? SHARED_LINK_STATE : SHARED_SLOW_LINK_STATE) =
            LINK_UP | LINK_ENABLE | speed | (full ? LINK_FULL : LINK_HALF) |
            (pause.send ? LINK_SEND_PAUSE : 0) | (pause.obey ? LINK_OBEY_PAUSE : 0);
    if (up == link_up)
        return;
    link_up = up;
    count(up ? COUNTER_LINK_UP : COUNTER_LINK_DOWN);
    raise_event(EVENT_LEDS);
    if (up)
        tell_event(EVENT_LINK, gigabit ? 1 : 3, 0);
    else
        tell_event(EVENT_LINK, 2, 0);
}

/* Fibre */

static uint32_t waited(void) {
    return HW(TIMER) - since;
}

static void enter(unsigned next) {
    state = next;
    since = HW(TIMER);
}

static void restart(void) {
    link_changed(false, 0, false);
    set_port(MAC_TRANSMIT_FIBRE, false);
    HW(LINK_WORD_SENT) = 0;
    heard = 0;
    matches = 0;
    enter(NO_SIGNAL);
}

/* Without words: frames may pass as soon as both sides are ready. */
static void force(void) {
    set_port(MAC_TRANSMIT_FIBRE, true);
    enter(FORCED);
}

static uint32_t our_word(void) {
    const uint32_t link = SRAM(SHARED_LINK);
    uint32_t word = WORD_FULL_DUPLEX;
    if ((link & LINK_NEGOTIATE_PAUSE) != 0) {
        const uint32_t wanted = pause_wanted(link);
        word |= ((wanted & 2) != 0 ? WORD_PAUSE : 0) | ((wanted & 1) != 0 ? WORD_ASYMMETRIC : 0);
    }
    return word;
}

static uint32_t pause_of(uint32_t word) {
    return ((word & WORD_PAUSE) != 0 ? 2u : 0) | ((word & WORD_ASYMMETRIC) != 0 ? 1u : 0);
}

static void up(uint32_t theirs) {
    settle_pause(SRAM(SHARED_LINK), theirs);
    enter(UP);
    link_changed(true, LINK_1000, true);
}

static void look_for_signal(void) {
    if (!enabled || !signal_present())
        return;
    if (negotiating)
        enter(BREAK);
    else
        force();
}

/* A word counts once it has been seen some times on end. */
static void listen(bool words) {
    const uint32_t word = words ? HW(LINK_WORD_RECEIVED) & 0xFFFF : 0;
    matches = word == heard ? matches + 1 : 1;
    heard = word;
}

static void negotiate(bool words) {
    const bool heard_ack = (heard & WORD_ACKNOWLEDGED) != 0;
    switch (state) {
    case BREAK: /* long enough that the peer notices */
        if (waited() >= LINK_TIMER_US) {
            HW(LINK_WORD_SENT) = our_word();
            enter(ABILITY);
        }
        break;
    case ABILITY:
        if (heard != 0 && matches >= MATCHES) {
            ability = heard & ~WORD_ACKNOWLEDGED;
            HW(LINK_WORD_SENT) = our_word() | WORD_ACKNOWLEDGED;
            enter(ACKNOWLEDGE);
        } else if (!words && waited() >= SILENCE_US && (SRAM(SHARED_LINK) & LINK_SENSE) != 0) {
            force();
        }
        break;
    case ACKNOWLEDGE:
        if ((words && heard == 0) || waited() >= PATIENCE_US)
            restart();
        else if (heard_ack && matches >= MATCHES)
            enter(COMPLETE);
        break;
    case COMPLETE:
        if (words && heard == 0) {
            restart();
        } else if (waited() >= LINK_TIMER_US) {
            set_port(MAC_TRANSMIT_FIBRE, true);
            enter(IDLE);
        }
        break;
    case IDLE: /* the peer takes as long before it listens to frames */
        if (words) {
            if (!heard_ack || waited() >= PATIENCE_US)
                restart();
        } else if (waited() >= LINK_TIMER_US) {
            up(pause_of(ability));
        }
        break;
    case FORCED:
        if (words && negotiating)
            restart();
        else if (!words && waited() >= LINK_TIMER_US)
            up(0);
        break;
    default:
        if (words)
            restart();
    }
}

/* From the timer and from attentions of the receiver. */
static void look(void) {
    const uint32_t status = HW(MAC_RECEIVE);
    const bool words = (status & MAC_CONFIGURING) != 0;
    listen(words);
    if (state != NO_SIGNAL && (status & MAC_SYNC) == 0)
        restart();
    else if (state == NO_SIGNAL)
        look_for_signal();
    else
        negotiate(words);
}

void link_attention(uint32_t attentions) {
    if ((attentions & MAC_SYNC_ATTENTION) != 0)
        count(COUNTER_SYNC);
    if (transceiver != COPPER && state == UP)
        look();
}

void link_tick(void) {
    if (transceiver == COPPER)
        copper_tick();
    else
        look();
}

void link_negotiate(uint32_t code) {
    const uint32_t link = SRAM(SHARED_LINK);
    const uint32_t slow = SRAM(SHARED_SLOW_LINK);
    enabled = code != 2 && (link & LINK_ENABLE) != 0;
    negotiating = (link & LINK_NEGOTIATE) != 0;
    if (transceiver == COPPER) {
        link_changed(false, 0, false);
        copper_negotiate(enabled ? link : 0, code != 1 && (slow & LINK_ENABLE) != 0 ? slow : 0);
    } else {
        restart();
    }
}

void link_begin(void) {
    transceiver = find_transceiver();
    if (transceiver == NO_TRANSCEIVER)
        fail_start(STATE_NO_TRANSCEIVER);
    if (transceiver == COPPER)
        copper_begin();
    link_negotiate(0);
}
