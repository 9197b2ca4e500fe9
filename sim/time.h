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
    return ticks / TIGON_TICKS_PER_CYCLE + (ticks % TIGON_TICKS_PER_CYCLE != 0);
}

static inline uint64_t tigon_add_ticks(uint64_t ticks, uint64_t more) {
    return more > TIGON_NEVER - ticks ? TIGON_NEVER : ticks + more;
}

#endif
