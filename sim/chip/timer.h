/* SPDX-License-Identifier: MIT */
/* The microsecond timer HW[054] and its two compare registers HW[058] / HW[078] (tigon2.md 3.1, 4).
 */
#ifndef SIM_TIMER_H
#define SIM_TIMER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/schedule.h"

struct tigon_board;

struct tigon_timer_compare {
    struct tigon_event event;
    bool armed;   /* the reference was written since reset */
    bool reached; /* event bit 28, latched until the reference is written again */
    struct tigon_board *board;
};

struct tigon_timer {
    uint32_t offset; /* timer = microseconds since creation + offset, modulo 2^32 */
    struct tigon_timer_compare compare[2];
};

uint32_t tigon_timer_read(struct tigon_board *board, uint32_t offset);

#endif
