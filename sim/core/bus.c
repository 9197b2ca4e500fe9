/* SPDX-License-Identifier: MIT */
/* See bus.h. */
#include "sim/core/bus.h"

#include <string.h>

#include "sim/time.h"

#define WINDOW TIGON_BUS_WINDOW

/* How far back beats may have been kept waiting from: over two windows that no core looked into
 * they find their cycles. */
#define LOOK_BACK (2u * WINDOW)

static void set_plain_until(struct tigon_bus *bus) {
    const uint64_t end = bus->window + WINDOW;
    bus->plain_until = bus->host_cycle < end ? bus->host_cycle : end;
}

void tigon_bus_initialise(struct tigon_bus *bus) {
    static const unsigned always = 1;
    memset(bus, 0, sizeof *bus);
    bus->change_matters[0] = bus->change_matters[1] = &always;
    bus->host_cycle = UINT64_MAX;
    bus->known_until = TIGON_BUS_WINDOWS * WINDOW;
    set_plain_until(bus);
}

static __attribute__((noinline)) void tell_of_change(struct tigon_bus *bus) {
    if (bus->before_change)
        bus->before_change(bus->before_change_context);
}

static inline void about_to_change(struct tigon_bus *bus) {
    if (__builtin_expect((*bus->change_matters[0] | *bus->change_matters[1]) != 0, 0))
        tell_of_change(bus);
}

bool tigon_bus_quiet(const struct tigon_bus *bus, uint64_t cycle) {
    const uint64_t place = cycle - bus->window;
    return bus->host_cycle == UINT64_MAX && bus->furthest < bus->window + WINDOW &&
           (place >= WINDOW || bus->taken >> place == 0);
}

/* ------------------------------------------------------------------------------------------------
 * Placing beats */

static inline uint64_t *word_of(struct tigon_bus *bus, uint64_t cycle) {
    return &bus->words[cycle / WINDOW % TIGON_BUS_WINDOWS];
}

/* A beat has, or requests, `cycle`. */
static inline void want(struct tigon_bus *bus, uint64_t cycle) {
    if (bus->furthest < cycle)
        bus->furthest = cycle;
}

/* Beats that found no free cycle before the window that begins at `cycle`. */
static void place_late(struct tigon_bus *bus, uint64_t cycle, uint64_t beats) {
    for (; beats != 0 && cycle < bus->known_until; cycle += WINDOW) {
        uint64_t *word = word_of(bus, cycle);
        for (; beats != 0 && *word != UINT64_MAX; beats--)
            *word |= *word + 1u;
        want(bus, cycle);
    }
    if (beats != 0)
        want(bus, bus->known_until);
    bus->beyond += beats;
}

/* Places all beats that request these cycles of the window that begins at `cycle`. A beat that
 * collides with another moves to the next cycle. The set of cycles taken in the end does not depend
 * on the order of the beats. */
static inline void place_in(struct tigon_bus *bus, uint64_t *at, uint64_t cycle, uint64_t wanted) {
    uint64_t word = *at, met = wanted & word, late = 0;
    if (met == 0) {
        *at = word | wanted;
        return;
    }
    for (; met != 0; met = wanted & word) {
        word |= wanted;
        wanted = met << 1;
        late += met >> (WINDOW - 1u);
    }
    *at = word | wanted;
    if (__builtin_expect(late != 0, 0))
        place_late(bus, cycle + WINDOW, late);
}

static inline void place(struct tigon_bus *bus, uint64_t cycle, uint64_t wanted) {
    place_in(bus, word_of(bus, cycle), cycle, wanted);
}

static inline void take_word(struct tigon_bus *bus) {
    bus->taken = *word_of(bus, bus->window);
}

/* Places a beat in its cycle of the word's window, or in the first free cycle after it: the carry
 * of the addition runs over the cycles that are taken. Returns false, and changes nothing, if the
 * window has no free cycle left. */
static inline bool place_in_word(uint64_t *at, uint64_t cycle) {
    const uint64_t word = *at, carried = word + (UINT64_C(1) << cycle % WINDOW);
    if (__builtin_expect(carried < word, 0))
        return false;
    *at = word | carried;
    return true;
}

static __attribute__((cold, noinline)) void place_after_window(struct tigon_bus *bus,
                                                               uint64_t cycle) {
    place_late(bus, (cycle | (WINDOW - 1u)) + 1u, 1);
    take_word(bus);
}

/* Places a beat in a window that is known. */
static inline void place_one(struct tigon_bus *bus, uint64_t cycle) {
    uint64_t *at = word_of(bus, cycle);
    if (!place_in_word(at, cycle))
        place_after_window(bus, cycle);
    else if (cycle - bus->window < WINDOW)
        bus->taken = *at;
}

static uint32_t pattern_of(struct tigon_bus *bus, uint32_t period) {
    uint32_t number = 0;
    for (; number < TIGON_BUS_PATTERNS; number++) {
        struct tigon_bus_pattern *pattern = &bus->patterns[number];
        if (pattern->period == period)
            break;
        if (pattern->period != 0)
            continue;
        pattern->period = period;
        for (uint64_t at = 0; at >> 16 < WINDOW * TIGON_BUS_PATTERN_WORDS; at += period)
            pattern->bits[at >> 22] |= UINT64_C(1) << (at >> 16) % WINDOW;
        break;
    }
    return number;
}

/* The number of beats of a stream that request a cycle before this one. */
static uint64_t beats_before(const struct tigon_bus_stream *stream, uint64_t cycle) {
    if (cycle <= stream->start)
        return 0;
    return (((cycle - stream->start) << 16) + stream->period - 1u) / stream->period;
}

static uint64_t cycle_of_beat(const struct tigon_bus_stream *stream, uint64_t beat) {
    return stream->start + (beat * stream->period >> 16);
}

/* The cycles that an endless stream requests in a window that no pattern word covers. */
static __attribute__((noinline)) uint64_t work_out(const struct tigon_bus_stream *stream,
                                                   uint64_t window) {
    uint64_t wanted = 0;
    for (uint64_t beat = beats_before(stream, window);; beat++) {
        const uint64_t place = cycle_of_beat(stream, beat) - window;
        if (place >= WINDOW)
            return wanted;
        wanted |= UINT64_C(1) << place;
    }
}

/* The bits of a window up to and including cycle `last`. */
static inline uint64_t up_to(uint64_t last, uint64_t window) {
    return last - window < WINDOW ? UINT64_MAX >> (WINDOW - 1u - (last - window)) : UINT64_MAX;
}

/* Places the beats of a stream, from this window to the end of what is known. Earlier windows are
 * over, or have no effect any more. */
static void place_stream(struct tigon_bus *bus, struct tigon_bus_stream *stream) {
    const uint64_t begin = stream->start & ~(uint64_t)(WINDOW - 1u);
    const uint64_t last = stream->last;
    const unsigned shift = stream->start % WINDOW;
    uint64_t window = begin;
    if (window < stream->known_until)
        window = stream->known_until;
    if (window < bus->window)
        window = bus->window;
    stream->known_until = bus->known_until;
    const uint64_t end = last < bus->known_until ? last + 1u : bus->known_until;
    if (window >= end)
        return;
    uint64_t of_pattern = begin + TIGON_BUS_PATTERN_WORDS * WINDOW;
    of_pattern = of_pattern < end ? of_pattern : end;
    if (stream->pattern != TIGON_BUS_PATTERNS && window < of_pattern) {
        const uint64_t *bits = &bus->patterns[stream->pattern].bits[(window - begin) / WINDOW];
        uint64_t before = window > begin ? bits[-1] >> 1 : 0; /* what shifts into this word */
        unsigned number = (unsigned)(window / WINDOW);
        for (; window + WINDOW < of_pattern; window += WINDOW, bits++, number++) {
            place_in(bus, &bus->words[number % TIGON_BUS_WINDOWS], window,
                     *bits << shift | before >> (WINDOW - 1u - shift));
            before = *bits >> 1;
        }
        place(bus, window,
              (*bits << shift | before >> (WINDOW - 1u - shift)) & up_to(last, window));
        window += WINDOW;
    }
    for (; window < end; window += WINDOW)
        place(bus, window, work_out(stream, window) & up_to(last, window));
}

/* As place_stream(), for a new stream with a pattern whose beats all lie in known windows and
 * within the length of one window, such as those of descriptors and short frames. They are one word
 * of the pattern. */
static inline bool place_short(struct tigon_bus *bus, struct tigon_bus_stream *stream) {
    const uint64_t start = stream->start, span = stream->last - start;
    const unsigned shift = start % WINDOW;
    if (span >= WINDOW || start < bus->window || stream->last >= bus->known_until ||
        stream->pattern == TIGON_BUS_PATTERNS)
        return false;
    const uint64_t bits =
        bus->patterns[stream->pattern].bits[0] & UINT64_MAX >> (WINDOW - 1u - span);
    const uint64_t rest = bits >> 1 >> (WINDOW - 1u - shift); /* for the next window */
    stream->known_until = bus->known_until;
    place(bus, start - shift, bits << shift);
    if (rest != 0)
        place(bus, start - shift + WINDOW, rest);
    return true;
}

/* Computes the words from two windows before that of `goal`, which is not known yet, as far as
 * there is room. */
static __attribute__((noinline)) void place_streams(struct tigon_bus *bus, uint64_t goal) {
    const uint64_t known_until = bus->known_until;
    uint64_t kept[LOOK_BACK / WINDOW] = {0};
    if (bus->window + LOOK_BACK < goal)
        bus->window = goal - LOOK_BACK;
    for (unsigned i = 0; i < LOOK_BACK / WINDOW && bus->window + i * WINDOW < known_until; i++)
        kept[i] = *word_of(bus, bus->window + i * WINDOW);
    memset(bus->words, 0, sizeof bus->words); /* the other words are of windows that are over */
    for (unsigned i = 0; i < LOOK_BACK / WINDOW; i++)
        *word_of(bus, bus->window + i * WINDOW) = kept[i];
    bus->known_until = bus->window + TIGON_BUS_WINDOWS * WINDOW;
    const uint64_t late = known_until < bus->window ? 0 : bus->beyond;
    bus->beyond = 0;
    place_late(bus, known_until, late);
    if (bus->furthest < known_until)
        return; /* the words have all beats already */
    for (unsigned i = 0; i < bus->streams_used; i++)
        if (bus->streams[i].beats != 0 && bus->streams[i].known_until <= bus->streams[i].last)
            place_stream(bus, &bus->streams[i]);
}

/* ------------------------------------------------------------------------------------------------
 * Devices and hosts */

/* When all places are in use: that of the oldest stream, which is nearly always over. */
static __attribute__((noinline)) struct tigon_bus_stream *oldest_stream(struct tigon_bus *bus,
                                                                        uint64_t now) {
    struct tigon_bus_stream *stream = &bus->streams[bus->next_stream++ % TIGON_BUS_STREAMS];
    if (stream->last < now)
        return stream;
    for (unsigned i = 0; i < TIGON_BUS_STREAMS; i++)
        if (bus->streams[i].last < stream->last)
            stream = &bus->streams[i];
    if (stream->beats != 0 && stream->last >= now)
        bus->streams_dropped++;
    return stream;
}

/* A place for one more stream. If all streams ended before the oldest window still in use, which is
 * often so, places are given out from the first one again, which is likely in the cache. */
static inline struct tigon_bus_stream *new_stream(struct tigon_bus *bus, uint64_t now) {
    const uint64_t over = bus->furthest + 2u * LOOK_BACK;
    if (over < now && over < bus->window)
        bus->streams_used = bus->next_stream = 0;
    return __builtin_expect(bus->streams_used < TIGON_BUS_STREAMS, 1)
               ? &bus->streams[bus->streams_used++]
               : oldest_stream(bus, now);
}

struct host_beat {
    uint64_t cycle, ticks;
};

/* The access of the polling host after its next one. The next one is at `cycle`. */
static inline struct host_beat host_beat_after(const struct tigon_bus *bus, uint64_t cycle) {
    const uint64_t ticks = bus->host_ticks + bus->host_period;
    const uint64_t next = cycle + bus->host_period_cycles; /* the first at or after, or one less */
    return (struct host_beat){next + (next * TIGON_TICKS_PER_CYCLE < ticks), ticks};
}

/* The next access of the polling host. */
static __attribute__((noinline)) void announce_host(struct tigon_bus *bus) {
    const uint64_t cycle = bus->host_cycle;
    const struct host_beat next = host_beat_after(bus, cycle);
    bus->beats[TIGON_BUS_DMA_WRITE]++;
    bus->host_ticks = next.ticks;
    bus->host_cycle = next.cycle;
    set_plain_until(bus);
    if (cycle - bus->window < WINDOW)
        place_one(bus, cycle);
}

void tigon_bus_host_begin(struct tigon_bus *bus, uint64_t ticks, uint64_t period) {
    about_to_change(bus);
    bus->host_ticks = ticks;
    bus->host_period = period;
    bus->host_period_cycles = period / TIGON_TICKS_PER_CYCLE;
    bus->host_cycle = tigon_cycle_at_or_after(ticks);
    set_plain_until(bus);
}

bool tigon_bus_host_end(struct tigon_bus *bus, uint64_t ticks) {
    about_to_change(bus);
    while (bus->host_cycle != UINT64_MAX && bus->host_ticks < ticks)
        announce_host(bus);
    bus->host_cycle = UINT64_MAX;
    set_plain_until(bus);
    return bus->host_ticks >= ticks + bus->host_period;
}

static inline void place_beat(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    struct tigon_bus_stream *stream = new_stream(bus, cycle);
    const bool known = cycle - bus->window < bus->known_until - bus->window;
    *stream = (struct tigon_bus_stream){.master = master,
                                        .beats = 1,
                                        .period = 0x10000u,
                                        .pattern = TIGON_BUS_PATTERNS,
                                        .start = cycle,
                                        .last = cycle,
                                        .known_until = known ? bus->known_until : 0};
    bus->beats[master]++;
    want(bus, cycle);
    if (known)
        place_one(bus, cycle);
}

/* As above, but after the accesses of the host. */
static __attribute__((noinline)) void
place_beat_later(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    do
        announce_host(bus);
    while (bus->host_cycle <= cycle);
    place_beat(bus, master, cycle);
}

static __attribute__((noinline)) void
place_told_beat(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    tell_of_change(bus);
    while (bus->host_cycle <= cycle)
        announce_host(bus);
    place_beat(bus, master, cycle);
}

/* The rare cases are functions of their own and tail calls, so that this function saves no register
 * on the stack. */
void tigon_bus_beat(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    if (__builtin_expect((*bus->change_matters[0] | *bus->change_matters[1]) != 0, 0))
        place_told_beat(bus, master, cycle);
    else if (bus->host_cycle <= cycle)
        place_beat_later(bus, master, cycle);
    else
        place_beat(bus, master, cycle);
}

void tigon_bus_stream_begin(struct tigon_bus *bus, enum tigon_bus_master master,
                            uint64_t start_cycle, uint32_t cycles_per_beat_16_16, uint32_t beats) {
    if (beats == 1) {
        tigon_bus_beat(bus, master, start_cycle);
        return;
    }
    about_to_change(bus);
    while (bus->host_cycle <= start_cycle)
        announce_host(bus);
    if (beats == 0)
        return;
    struct tigon_bus_stream *stream = new_stream(bus, start_cycle);
    stream->master = master;
    stream->beats = beats;
    stream->start = start_cycle;
    stream->known_until = 0;
    stream->period = cycles_per_beat_16_16 < 0x10000u ? 0x10000u : cycles_per_beat_16_16;
    stream->pattern = pattern_of(bus, stream->period);
    stream->last = cycle_of_beat(stream, beats - 1u);
    bus->beats[master] += beats;
    want(bus, stream->last);
    if (!place_short(bus, stream))
        place_stream(bus, stream);
    take_word(bus);
}

void tigon_bus_stream_cancel(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    const uint64_t window = bus->window;
    about_to_change(bus);
    while (bus->host_cycle <= cycle)
        announce_host(bus);
    if (cycle < window)
        cycle = window; /* past cycles stay as they are */
    bus->furthest = 0;
    for (unsigned i = 0; i < bus->streams_used; i++) {
        struct tigon_bus_stream *stream = &bus->streams[i];
        stream->known_until = 0;
        if (stream->master == master && stream->beats != 0 && stream->last >= cycle) {
            const uint32_t left = (uint32_t)beats_before(stream, cycle);
            bus->beats[master] -= stream->beats - left;
            stream->beats = left;
            stream->last = left == 0 ? 0 : cycle_of_beat(stream, left - 1u);
        }
        if (stream->beats != 0)
            want(bus, stream->last);
    }
    /* All other streams are placed again. */
    memset(bus->words, 0, sizeof bus->words);
    bus->window = window < LOOK_BACK ? 0 : window - LOOK_BACK;
    bus->known_until = bus->window;
    bus->beyond = 0;
    place_streams(bus, bus->window);
    bus->window = window;
    take_word(bus);
    set_plain_until(bus);
}

/* ------------------------------------------------------------------------------------------------
 * Cores */

/* Brings a core that was parked up to date after its peer has looked ahead on the bus. The core
 * parked after the last action of a device, so words from then on are 0. */
static __attribute__((noinline)) void step_back(struct tigon_bus *bus, uint64_t slot) {
    bus->window = slot & ~(uint64_t)(WINDOW - 1u);
    if (bus->known_until > bus->window + TIGON_BUS_WINDOWS * WINDOW)
        bus->known_until = bus->window + TIGON_BUS_WINDOWS * WINDOW;
    take_word(bus);
    set_plain_until(bus);
}

/* As tigon_bus_reach(), for all cases. */
static __attribute__((cold, noinline)) void reach_in_steps(struct tigon_bus *bus, uint64_t slot) {
    if (slot >= bus->window + WINDOW) {
        while (bus->host_cycle < bus->window + WINDOW)
            announce_host(bus);
        if (slot >= bus->known_until)
            place_streams(bus, slot & ~(uint64_t)(WINDOW - 1u));
        bus->window = slot & ~(uint64_t)(WINDOW - 1u);
        take_word(bus);
        set_plain_until(bus);
    }
    while (bus->host_cycle <= slot)
        announce_host(bus);
}

/* The fast path of a frequent call: all words are known, and at most one access of the host is
 * pending. It is placed if it lies in the window that was current or in the next one; `taken`
 * follows. Nothing changes before these conditions are checked. */
void tigon_bus_reach(struct tigon_bus *bus, uint64_t cycle) {
    const uint64_t slot = cycle > bus->core_free ? cycle : bus->core_free;
    const uint64_t was = bus->window;
    uint64_t window = was, host_cycle = bus->host_cycle;
    if (slot >= was + WINDOW) {
        if (__builtin_expect(slot >= bus->known_until, 0)) {
            reach_in_steps(bus, slot);
            return;
        }
        window = slot & ~(uint64_t)(WINDOW - 1u);
    }
    if (host_cycle <= slot) {
        const struct host_beat next = host_beat_after(bus, host_cycle);
        if (__builtin_expect(next.cycle <= slot, 0)) {
            reach_in_steps(bus, slot);
            return;
        }
        if (host_cycle - window < WINDOW || host_cycle - was < WINDOW) {
            if (!place_in_word(word_of(bus, host_cycle), host_cycle)) {
                reach_in_steps(bus, slot);
                return;
            }
        }
        bus->beats[TIGON_BUS_DMA_WRITE]++;
        bus->host_ticks = next.ticks;
        bus->host_cycle = host_cycle = next.cycle;
    }
    bus->window = window;
    bus->taken = *word_of(bus, window);
    bus->plain_until = host_cycle < window + WINDOW ? host_cycle : window + WINDOW;
}

uint64_t tigon_bus_access(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle,
                          uint32_t beats) {
    uint64_t slot = cycle > bus->core_free ? cycle : bus->core_free;
    if (__builtin_expect(slot < bus->window, 0))
        step_back(bus, slot);
    if (slot >= bus->plain_until)
        tigon_bus_reach(bus, slot);
    if (beats < WINDOW && slot + beats <= bus->plain_until &&
        (bus->taken >> slot % WINDOW & ((UINT64_C(1) << beats) - 1u)) == 0) { /* without gaps */
        bus->core_free = slot + beats;
        bus->beats[master] += beats;
        bus->stalls[master] += slot - cycle;
        return slot + beats;
    }
    for (uint32_t left = beats;;) {
        const uint64_t window = bus->window, plain_until = bus->plain_until;
        uint64_t free = UINT64_MAX << (slot - window) & ~bus->taken;
        slot = window + WINDOW;
        for (; free != 0; free &= free - 1u) {
            slot = window + (unsigned)__builtin_ctzll(free) + 1u;
            if (--left == 0 || slot >= plain_until) /* beats of a host come in between */
                break;
        }
        if (left == 0)
            break;
        tigon_bus_reach(bus, slot);
    }
    bus->core_free = slot;
    bus->beats[master] += beats;
    bus->stalls[master] += slot - cycle - beats;
    return slot;
}
