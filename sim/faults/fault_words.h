/* SPDX-License-Identifier: MIT */
/* Shared by the reader and the writer of the text form of faults. */
#ifndef SIM_FAULT_WORDS_H
#define SIM_FAULT_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/fault.h"
#include "sim/time.h"

#define TIGON_TIME_UNITS 6u
/* From the longest, a second, to one tick. */
extern const struct tigon_time_unit {
    const char *name;
    uint64_t ticks;
} tigon_time_units[TIGON_TIME_UNITS];

#define TIGON_PAUSE_QUANTUM_TICKS (UINT64_C(512) * TIGON_TICKS_PER_NS)
#define TIGON_PAUSE_LONGEST_TICKS (UINT64_C(65535) * TIGON_PAUSE_QUANTUM_TICKS)

/* A time counts as past for the timer up to half of its range. */
#define TIGON_TIMER_JUMP_LONGEST_TICKS (UINT64_C(2147000000) * TIGON_TICKS_PER_US)

/* "lose in bursts" */
const char *tigon_fault_kind_text(enum tigon_fault_kind kind);

static inline bool tigon_fault_of_wire(enum tigon_fault_kind kind) {
    return kind <= TIGON_FAULT_UNPLUG;
}

/* A decimal number at the start of a text: value = digits / 10^places. Returns its length in
 * characters, 0 for none. */
size_t tigon_fault_read_decimal(const char *text, size_t length, uint64_t *digits,
                                unsigned *places);
uint64_t tigon_power_of_ten(unsigned exponent);

/* "1%" or "0.01", all of the text. */
bool tigon_fault_read_chance(const char *text, size_t length, double *chance);

#endif
