/* SPDX-License-Identifier: MIT */
/*
 * Slots of the SRAM bus, in core cycles: 64 bits per cycle, one master per cycle, priority MAC
 * receive > MAC transmit > DMA write > DMA read > CPU A > CPU B (tigon2.md 12.4).
 *
 * Devices do not request each beat: they announce a stream of evenly spaced beats. Core accesses
 * are granted one by one in the slots that the streams leave. The model is deterministic: the
 * result depends only on the sequence of calls, so calls must come in global cycle order (cpu.h
 * describes how cores ensure that).
 *
 * The set of cycles that the beats of all devices take does not depend on their order: a beat takes
 * the first free cycle from its own on. So a stream sets the bits of all its beats when it begins,
 * and core accesses read these bits, TIGON_BUS_WINDOW cycles to a word.
 *
 * Exact within the model: no core is granted a slot that a beat takes, and beats of several streams
 * that fall into one cycle queue up. Simplified: between the cores the first request is served
 * first (equal cycles: the caller runs A first), a granted burst is not revoked for a stream that
 * is announced later, and where no core has used the bus for TIGON_BUS_WINDOWS windows, beats that
 * waited for more than two windows are dropped.
 */
#ifndef TIGON_SIM_BUS_H
#define TIGON_SIM_BUS_H

#include <stdbool.h>
#include <stdint.h>

/* In priority order. */
enum tigon_bus_master {
    TIGON_BUS_MAC_RECEIVE,
    TIGON_BUS_MAC_TRANSMIT,
    TIGON_BUS_DMA_WRITE,
    TIGON_BUS_DMA_READ,
    TIGON_BUS_CPU_A,
    TIGON_BUS_CPU_B,
    TIGON_BUS_MASTERS
};

#define TIGON_BUS_STREAMS 64u

#define TIGON_BUS_WINDOW  64u  /* cycles; bits of tigon_bus.taken */
#define TIGON_BUS_WINDOWS 128u /* at most so many windows are known at a time */

#define TIGON_BUS_PATTERNS      4u
#define TIGON_BUS_PATTERN_WORDS 64u

/* The cycles that beats of a period request, counted from that of the first: bit n is set if a beat
 * requests the n-th cycle. There are few periods, and streams of one period differ only in their
 * start. */
struct tigon_bus_pattern {
    uint32_t period; /* 0: not in use */
    uint64_t bits[TIGON_BUS_PATTERN_WORDS];
};

struct tigon_bus_stream {
    enum tigon_bus_master master;
    uint32_t beats;
    uint32_t period;      /* cycles, 16.16 fixed point */
    uint32_t pattern;     /* index of its pattern, TIGON_BUS_PATTERNS if it has none */
    uint64_t start;       /* cycle of the first beat */
    uint64_t known_until; /* its beats that request a cycle before this one are in words */
    uint64_t last;        /* that the last beat requests */
};

/* Fields that nearly every access needs come first, in two cache lines. */
struct tigon_bus {
    uint64_t window;    /* first cycle of the window in which cores look for slots */
    uint64_t taken;     /* its word; bit n: a device takes cycle window + n */
    uint64_t core_free; /* first cycle after the last slot granted to a core */
    /* Everything before it is known: the end of the window, or host_cycle if that comes first. */
    uint64_t plain_until;
    /* Accesses of a polling host: single beats of DMA write, `host_period` ticks apart. They are
     * placed only when another master uses the bus. */
    uint64_t host_cycle; /* of the next, UINT64_MAX if none */
    uint64_t host_ticks; /* the same, exact */
    uint64_t host_period;
    uint64_t host_period_cycles;       /* whole ones */
    uint64_t beats[TIGON_BUS_MASTERS]; /* slots used; for devices, including those announced */
    uint64_t known_until;              /* end of the last window whose word is valid */
    uint64_t furthest; /* in the last window in which any beat takes or requests a cycle */
    uint64_t beyond;   /* beats without a place before known_until */
    /* Called before a device or a host changes the load of the bus, while one of these words is not
     * 0, which is rare. May be NULL. */
    const unsigned *change_matters[2];
    void (*before_change)(void *context);
    void *before_change_context;
    uint64_t stalls[TIGON_BUS_MASTERS]; /* cycles waited; only of cores */
    uint64_t streams_dropped; /* streams cut short because TIGON_BUS_STREAMS were pending */
    uint64_t words[TIGON_BUS_WINDOWS]; /* indexed by window number; valid before known_until */
    /* The most recent streams; most are over. Needed to revoke beats, and for beats that are not in
     * words yet. */
    unsigned next_stream;
    unsigned streams_used;                                 /* the other elements are invalid */
    struct tigon_bus_stream streams[TIGON_BUS_STREAMS];    /* without beats: not in use */
    struct tigon_bus_pattern patterns[TIGON_BUS_PATTERNS]; /* of the first periods there were */
};

void tigon_bus_initialise(struct tigon_bus *bus);

/* Announces `beats` 8-byte beats of `master`. The k-th (from 0) requests the cycle
 * floor(start_cycle + k * cycles_per_beat). The spacing is 16.16 fixed point; below 1.0 it counts
 * as 1.0. Several streams of one master may be pending. */
void tigon_bus_stream_begin(struct tigon_bus *bus, enum tigon_bus_master master,
                            uint64_t start_cycle, uint32_t cycles_per_beat_16_16, uint32_t beats);

/* The same for a single beat, which requests this cycle. */
void tigon_bus_beat(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle);

/* Drops the beats of `master` that are due at `cycle` or later (transfer stopped early). */
void tigon_bus_stream_cancel(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle);

/* A host begins to access SRAM at `ticks` and every `period` ticks from then on. Until it ends the
 * result is as if each access were a stream of one beat of TIGON_BUS_DMA_WRITE begun at its time.
 * The end drops the accesses at `ticks` and later, but for those that a granted burst of a core has
 * waited for. Returns whether the first of them is such a one, and so has its slot. */
void tigon_bus_host_begin(struct tigon_bus *bus, uint64_t ticks, uint64_t period);
bool tigon_bus_host_end(struct tigon_bus *bus, uint64_t ticks);

/* Whether no device and no host uses the bus at `cycle` or later, by what is announced so far. */
bool tigon_bus_quiet(const struct tigon_bus *bus, uint64_t cycle);

/* Makes plain_until greater than `cycle`, at which a core is about to request a slot. */
void tigon_bus_reach(struct tigon_bus *bus, uint64_t cycle);

/* A core takes `beats` slots (at least 1), the first not before `cycle`. Returns the cycle after
 * the last one, so cycle + beats on an idle bus. */
uint64_t tigon_bus_access(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle,
                          uint32_t beats);

/* The same for one beat. The fast path: most are granted at once. */
static inline uint64_t tigon_bus_core_beat(struct tigon_bus *bus, enum tigon_bus_master master,
                                           uint64_t cycle) {
    /* The window begins at a multiple of its length, and not after core_free. */
    if (cycle < bus->plain_until && bus->core_free <= cycle &&
        (bus->taken >> cycle % TIGON_BUS_WINDOW & 1u) == 0) {
        bus->core_free = cycle + 1u;
        bus->beats[master]++;
        return cycle + 1u;
    }
    return tigon_bus_access(bus, master, cycle, 1);
}

#endif
