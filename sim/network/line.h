/* SPDX-License-Identifier: MIT */
/* The signal that an end of a wire sends between frames. */
#ifndef SIM_LINE_H
#define SIM_LINE_H

#include <stdbool.h>
#include <stdint.h>

struct tigon_line {
    bool signal;      /* SERDES in normal mode: code groups are on the fibre */
    bool configuring; /* configuration words instead of idle */
    uint16_t word;    /* that word, which may be 0; for a PHY the word it advertises; else 0 */
};

static inline bool tigon_line_same(struct tigon_line a, struct tigon_line b) {
    return a.signal == b.signal && a.configuring == b.configuring && a.word == b.word;
}

#endif
