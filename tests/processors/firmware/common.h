/* SPDX-License-Identifier: MIT */
/* What the two processors of the test image share. */
#ifndef TESTS_PROCESSORS_FIRMWARE_COMMON_H
#define TESTS_PROCESSORS_FIRMWARE_COMMON_H

/* So few that the queues are full most of the time. */
#define NIC_MESSAGE_LIMIT 2u
#include "fw-runtime/messages.h"
#include "fw-runtime/port.h"
#include "tests/processors/interface.h"

struct common {
    struct nic_messages questions, answers;                 /* to B, to A */
    volatile uint32_t sections;                             /* under the lock */
    volatile uint32_t wrong_b, full_b, waits_b, wake_ups_b; /* told by B, for A to tell the host */
};
extern struct common common NIC_COMMON;

/* A message: its number in every word, each in another form, so that a half is none. */
static inline void message_write(volatile uint32_t *words, uint32_t number) {
    for (uint32_t i = 0; i < NIC_MESSAGE_WORDS; i++)
        words[i] = number + (i << 24);
}

static inline bool message_is(const volatile uint32_t *words, uint32_t number) {
    bool whole = true;
    for (uint32_t i = 0; i < NIC_MESSAGE_WORDS; i++)
        whole &= words[i] == number + (i << 24);
    return whole;
}

#define SECTION_COUNTS 8u

/* Loses counts unless one processor at a time is here. */
static inline void count_section(void) {
    nic_lock();
    for (uint32_t i = 0; i < SECTION_COUNTS; i++)
        common.sections = common.sections + 1;
    nic_unlock();
}

#endif
