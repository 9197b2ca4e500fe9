/* SPDX-License-Identifier: MIT */
/*
 * What a node of node.h stands on: the wire, the host, one timer, counters. On the chip inline
 * functions over the project's own timers and trace; elsewhere functions a test provides.
 */
#ifndef TESTS_OVERHEAD_RUNTIME_H
#define TESTS_OVERHEAD_RUNTIME_H

#include <stdint.h>

enum runtime_counter {
    RUNTIME_REPEATED, /* frames seen before */
    RUNTIME_REFUSED,  /* frames with a field out of range */
    RUNTIME_FOREIGN,  /* frames of other protocols */
    RUNTIME_NEVER,    /* events the protocol excludes */
    RUNTIME_COUNTERS
};

#ifdef NIC_PORT_HEADER

#include "fw-runtime/port.h"
#include "fw-runtime/timers.h"
#include "fw-runtime/trace.h"

#define RUNTIME_FRAMES 16u /* of 8 words, of which 5 are used */
#define RUNTIME_ITEMS  16u

/* In SRAM, where the MAC and the host look. */
extern uint32_t runtime_frames[RUNTIME_FRAMES][8] NIC_ENTRY;
extern uint32_t runtime_items[RUNTIME_ITEMS][2] NIC_ENTRY;
extern volatile uint32_t runtime_timeout NIC_ENTRY; /* microseconds, live */

extern uint32_t runtime_frames_sent NIC_FAST NIC_ENTRY;
extern uint32_t runtime_items_told NIC_FAST NIC_ENTRY;
extern uint32_t runtime_counters[RUNTIME_COUNTERS] NIC_FAST NIC_ENTRY;

/* An acknowledgement has item 0. */
void runtime_send(uint32_t kind, uint32_t bit, uint32_t item);
/* To the host: an item of its own has been accepted, or one of the peer has come. */
void runtime_accepted(uint32_t item);
void runtime_deliver(uint32_t item);

static inline void runtime_count(enum runtime_counter counter) {
    runtime_counters[counter]++;
}

/* Out of line: what it counts is a fault, and calling it makes the compiler expect that. */
void runtime_count_rare(enum runtime_counter counter) NIC_COLD;

static inline void runtime_timer_arm(uint32_t microseconds) {
    nic_timer_arm(0, microseconds);
}
static inline void runtime_timer_cancel(void) {
    nic_timer_cancel(0);
}

#else

#define NIC_ENTRY
#define NIC_FAST

extern uint32_t runtime_timeout;

void runtime_send(uint32_t kind, uint32_t bit, uint32_t item);
void runtime_accepted(uint32_t item);
void runtime_deliver(uint32_t item);
void runtime_count(enum runtime_counter counter);
#define runtime_count_rare(counter) runtime_count(counter)
void runtime_timer_arm(uint32_t microseconds);
void runtime_timer_cancel(void);

#endif
#endif
