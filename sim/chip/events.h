/* SPDX-License-Identifier: MIT */
/* Event words HW[060] / HW[070] and mailbox event words HW[064] / HW[074] (tigon2.md 4). */
#ifndef SIM_EVENTS_H
#define SIM_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_board;

#define TIGON_EVENT_TIMER              (1u << 28)
#define TIGON_EVENT_TRANSMIT_ATTENTION (1u << 26)
#define TIGON_EVENT_RECEIVE_ATTENTION  (1u << 25)
#define TIGON_EVENT_MAILBOX            (1u << 22)
#define TIGON_EVENT_READ_ATTENTION     (1u << 20)
#define TIGON_EVENT_WRITE_ATTENTION    (1u << 19)
#define TIGON_EVENT_READ_HIGH          (1u << 15)
#define TIGON_EVENT_WRITE_HIGH         (1u << 14)
#define TIGON_EVENT_READ_LOW           (1u << 13)
#define TIGON_EVENT_WRITE_LOW          (1u << 12)
#define TIGON_EVENT_RECEIVE            (1u << 6)
/* Bits that follow their source and ignore writes; all others are storage (tigon2.md 4, choice). */
#define TIGON_EVENT_HARDWARE 0x1658F040u

struct tigon_events {
    /* The present state of the sources, except attentions: bits that both words show alike, and
     * those of each word, combined with the written bits. */
    uint32_t common, own[2];
    uint32_t level[2];  /* the words as last derived */
    uint32_t hidden[2]; /* bits that read 0 whatever their sources say: a fault */
};

/* Derives both words from their sources. True if one of them changed. */
bool tigon_events_derive(struct tigon_board *board);

/* For the sources: the level of a bit in `common` or `own`, which is seen once the words are
 * derived. */
static inline void tigon_event_level(uint32_t *bits, uint32_t bit, bool up) {
    *bits = up ? *bits | bit : *bits & ~bit;
}

/* Fault injection: from board->now on these bits of the two words read 0. */
void tigon_events_hide(struct tigon_board *board, const uint32_t hidden[2]);

/* The host wrote mailbox n (0..31): sets its bit in both words. */
void tigon_mailbox_raise(struct tigon_board *board, unsigned mailbox);

#endif
