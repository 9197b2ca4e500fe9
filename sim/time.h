/* SPDX-License-Identifier: MIT */
/*
 * The time base of the simulated world.
 *
 * One tick is 1/11 ns. It is the largest unit in which a cycle of the 88 MHz core (125 ticks), a
 * nanosecond (11) and a byte on the wire (8 ns, 88) are all whole numbers, so no clock ever drifts
 * against another by rounding. 64 bits of ticks last 53 years.
 */
#ifndef SIM_TIME_H
#define SIM_TIME_H

#include <stdint.h>

#define TIGON_TICKS_PER_NS        11u
#define TIGON_TICKS_PER_CYCLE     125u
#define TIGON_TICKS_PER_US        11000u
#define TIGON_CYCLES_PER_US       (TIGON_TICKS_PER_US / TIGON_TICKS_PER_CYCLE)
#define TIGON_TICKS_PER_SECOND    11000000000u
#define TIGON_TICKS_PER_WIRE_BYTE 88u
#define TIGON_NEVER               UINT64_MAX

/* Saturates at TIGON_NEVER, so that "for ever" in nanoseconds stays for ever. */
static inline uint64_t tigon_ticks_from_ns(uint64_t ns) {
    return ns > TIGON_NEVER / TIGON_TICKS_PER_NS ? TIGON_NEVER : ns * TIGON_TICKS_PER_NS;
}

static inline uint64_t tigon_ns_from_ticks(uint64_t ticks) {
    return ticks / TIGON_TICKS_PER_NS;
}

/* Picoseconds, rounded down; valid for the first 106 days. */
static inline uint64_t tigon_ps_from_ticks(uint64_t ticks) {
    return ticks / TIGON_TICKS_PER_NS * 1000u +
           ticks % TIGON_TICKS_PER_NS * 1000u / TIGON_TICKS_PER_NS;
}

static inline uint64_t tigon_ticks_from_cycles(uint64_t cycles) {
    return cycles > TIGON_NEVER / TIGON_TICKS_PER_CYCLE ? TIGON_NEVER
                                                        : cycles * TIGON_TICKS_PER_CYCLE;
}

/* The first cycle that begins at or after `ticks`: what a synchroniser at the edge of the core
 * clock does. */
static inline uint64_t tigon_cycle_at_or_after(uint64_t ticks) {
    if (__builtin_expect(ticks >> 63 != 0, 0))
        return ticks / TIGON_TICKS_PER_CYCLE + (ticks % TIGON_TICKS_PER_CYCLE != 0);
#ifdef __SIZEOF_INT128__
    /* The division of 64 bits as the compiler does it is twice as long; of 63 this one is exact:
     * the factor is 2^70 / 125 and less than 1 more. */
    const uint64_t factor = UINT64_C(0x83126E978D4FDF3C);
    return (uint64_t)((unsigned __int128)(ticks + TIGON_TICKS_PER_CYCLE - 1u) * factor >> 64) >> 6;
#else
    return (ticks + TIGON_TICKS_PER_CYCLE - 1u) / TIGON_TICKS_PER_CYCLE;
#endif
}

static inline uint64_t tigon_add_ticks(uint64_t ticks, uint64_t more) {
    return more > TIGON_NEVER - ticks ? TIGON_NEVER : ticks + more;
}

#endif
