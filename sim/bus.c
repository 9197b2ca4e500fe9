/* See bus.h. */
#include "sim/bus.h"

#include <string.h>

#include "sim/time.h"

#define WINDOW TIGON_BUS_WINDOW

/* From so many pending streams on it pays to look for those that are over. */
#define MANY_STREAMS 6u

#ifdef __x86_64__
static bool counts_in_hardware;
#endif

/* Not every x86-64 processor can, and the library's function is a call. */
static inline unsigned count_bits(uint64_t bits) {
#ifdef __x86_64__
    if (__builtin_expect(counts_in_hardware, 1)) {
        __asm__("popcntq %1, %0" : "=r"(bits) : "r"(bits) : "cc");
        return (unsigned)bits;
    }
#endif
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static void set_plain_until(struct tigon_bus *bus) {
    const uint64_t end = bus->window + WINDOW;
    bus->plain_until = bus->host_cycle < end ? bus->host_cycle : end;
}

void tigon_bus_initialise(struct tigon_bus *bus) {
    memset(bus, 0, sizeof *bus);
    bus->host_cycle = UINT64_MAX;
    set_plain_until(bus);
#ifdef __x86_64__
    counts_in_hardware = __builtin_cpu_supports("popcnt") != 0;
#endif
}

/* Streams stay sorted by priority, so that equal due cycles are served in that order. */
static void remove_stream(struct tigon_bus *bus, unsigned index) {
    bus->stream_count--;
    memmove(&bus->streams[index], &bus->streams[index + 1],
            (bus->stream_count - index) * sizeof bus->streams[0]);
}

static uint64_t last_beat_cycle(const struct tigon_bus_stream *stream) {
    return (stream->due - stream->period + (uint64_t)stream->beats_left * stream->period) >> 16;
}

static void about_to_change(struct tigon_bus *bus) {
    if (bus->before_change)
        bus->before_change(bus->before_change_context);
}

bool tigon_bus_quiet(const struct tigon_bus *bus, uint64_t cycle) {
    const uint64_t place = cycle - bus->window;
    if (bus->host_cycle != UINT64_MAX || bus->backlog != 0 ||
        (place < WINDOW && bus->taken >> place != 0))
        return false;
    for (unsigned i = 0; i < bus->stream_count; i++)
        if (bus->streams[i].beats_left != 0) /* what is over but not worked out may still wait */
            return false;
    return true;
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

/* The cycles of the window that the pattern of a stream wants, from its next beat on. False if the
 * pattern does not say. */
static inline bool look_up(const struct tigon_bus *bus, const struct tigon_bus_stream *stream,
                           uint64_t *wanted) {
    const uint64_t window = bus->window;
    if (stream->pattern == TIGON_BUS_PATTERNS || stream->due < window << 16)
        return false;
    const uint64_t *bits = bus->patterns[stream->pattern].bits;
    if (stream->start >= window) {
        const uint64_t place = stream->start - window;
        *wanted = place < WINDOW ? bits[0] << place : 0;
        return stream->due >> 16 == stream->start;
    }
    const uint64_t place = window - stream->start;
    const uint64_t word = place / WINDOW;
    if (word + 1u >= TIGON_BUS_PATTERN_WORDS || stream->due - stream->period >= window << 16)
        return false;
    *wanted = bits[word] >> place % WINDOW | bits[word + 1u] << 1 << (WINDOW - 1u - place % WINDOW);
    return true;
}

/* Beats that want these cycles of the window, all together: what meets another's moves on by a
 * cycle and counts it. Which cycles are taken in the end, and how long all wait together, is the
 * same as if they came one by one. */
static inline void place_beats(struct tigon_bus *bus, enum tigon_bus_master master,
                               uint64_t wanted) {
    for (;;) {
        const uint64_t met = wanted & bus->taken;
        bus->taken |= wanted;
        if (met == 0)
            return;
        bus->stalls[master] += count_bits(met);
        bus->backlog += met >> (WINDOW - 1u);
        wanted = met << 1;
    }
}

/* The beats of a stream that want a cycle before the end of the window. What wants one before its
 * beginning has had it. */
static void place_stream(struct tigon_bus *bus, struct tigon_bus_stream *stream) {
    const uint64_t end = (bus->window + WINDOW) << 16;
    const uint32_t before = stream->beats_left;
    uint32_t left = before;
    uint64_t due = stream->due;
    stream->window_due = due;
    stream->window_left = left;
    uint64_t looked_up;
    if (left != 0 && look_up(bus, stream, &looked_up)) {
        const uint64_t last = last_beat_cycle(stream) - bus->window;
        if (last < WINDOW)
            looked_up &= UINT64_MAX >> (WINDOW - 1u - last);
        const unsigned count = last < WINDOW ? left : count_bits(looked_up);
        place_beats(bus, stream->master, looked_up);
        bus->beats[stream->master] += count;
        stream->due = due + (uint64_t)count * stream->period;
        stream->beats_left = left - count;
        return;
    }
    for (; left != 0 && due < bus->window << 16; left--)
        due += stream->period;
    uint64_t wanted = 0;
    for (; left != 0 && due < end; left--) {
        wanted |= UINT64_C(1) << ((due >> 16) - bus->window);
        due += stream->period;
    }
    place_beats(bus, stream->master, wanted);
    bus->beats[stream->master] += before - left;
    stream->due = due;
    stream->beats_left = left;
}

/* The beats carried over come first, whoever they belong to. */
static void begin_window(struct tigon_bus *bus) {
    bus->backlog = bus->carried > WINDOW ? bus->carried - WINDOW : 0;
    bus->taken = bus->carried >= WINDOW ? UINT64_MAX : (UINT64_C(1) << bus->carried) - 1u;
}

/* What is before `cycle` is over. */
static void pass_over(struct tigon_bus *bus, struct tigon_bus_stream *stream, uint64_t cycle) {
    if (stream->due >= cycle << 16)
        return;
    const uint64_t behind = (cycle << 16) - stream->due;
    uint64_t skip = (behind + stream->period - 1u) / stream->period;
    if (skip > stream->beats_left)
        skip = stream->beats_left;
    bus->beats[stream->master] += skip;
    stream->beats_left -= (uint32_t)skip;
    stream->due += skip * stream->period;
}

/* Move the window on until it holds `cycle`. */
static void look_at(struct tigon_bus *bus, uint64_t cycle) {
    const uint64_t goal = cycle & ~(uint64_t)(WINDOW - 1u);
    const bool far = bus->window + 3u * WINDOW < goal;
    if (bus->stream_count == 0 && (bus->backlog == 0 || far)) {
        bus->window = goal;
        bus->taken = bus->carried = bus->backlog = 0;
        set_plain_until(bus);
        return;
    }
    if (far) {
        bus->window = goal - 3u * WINDOW;
        bus->backlog = 0;
        for (unsigned i = bus->stream_count; i-- > 0;)
            pass_over(bus, &bus->streams[i], bus->window + WINDOW);
    }
    while (bus->window < goal) {
        bus->window += WINDOW;
        bus->carried = bus->backlog;
        begin_window(bus);
        for (unsigned i = bus->stream_count; i-- > 0;)
            if (bus->streams[i].beats_left == 0)
                remove_stream(bus, i);
        for (unsigned i = 0; i < bus->stream_count; i++)
            place_stream(bus, &bus->streams[i]);
    }
    set_plain_until(bus);
}

/* Only when more streams are under way at once than there is room for. */
static void drop_earliest_ending(struct tigon_bus *bus, uint64_t now) {
    unsigned earliest = 0;
    for (unsigned i = 1; i < bus->stream_count; i++)
        if (last_beat_cycle(&bus->streams[i]) < last_beat_cycle(&bus->streams[earliest]))
            earliest = i;
    bus->beats[bus->streams[earliest].master] += bus->streams[earliest].beats_left;
    if (last_beat_cycle(&bus->streams[earliest]) >= now)
        bus->streams_dropped++;
    remove_stream(bus, earliest);
}

static void begin_stream(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t start_cycle,
                         uint32_t cycles_per_beat_16_16, uint32_t beats) {
    /* While no core uses the bus nothing looks at streams; what is over must not pile up. */
    for (unsigned i = bus->stream_count; bus->stream_count >= MANY_STREAMS && i-- > 0;) {
        pass_over(bus, &bus->streams[i], start_cycle < 4u * WINDOW ? 0 : start_cycle - 4u * WINDOW);
        if (bus->streams[i].beats_left == 0 &&
            last_beat_cycle(&bus->streams[i]) - bus->window >= WINDOW)
            remove_stream(bus, i);
    }
    if (bus->stream_count == TIGON_BUS_STREAMS)
        drop_earliest_ending(bus, start_cycle);
    unsigned place = bus->stream_count;
    while (place > 0 && bus->streams[place - 1].master > master) {
        bus->streams[place] = bus->streams[place - 1];
        place--;
    }
    const uint32_t period = cycles_per_beat_16_16 < 0x10000u ? 0x10000u : cycles_per_beat_16_16;
    bus->streams[place] = (struct tigon_bus_stream){
        .master = master,
        .beats_left = beats,
        .period = period,
        .pattern = beats > 1 ? pattern_of(bus, period) : TIGON_BUS_PATTERNS,
        .start = start_cycle,
        .due = start_cycle << 16,
    };
    bus->stream_count++;
    place_stream(bus, &bus->streams[place]);
}

/* The accesses of the polling host that are due at or before `cycle`. */
static __attribute__((noinline)) void announce_host(struct tigon_bus *bus, uint64_t cycle) {
    while (bus->host_cycle <= cycle) {
        bus->beats[TIGON_BUS_DMA_WRITE]++;
        if (bus->host_cycle - bus->window < WINDOW)
            place_beats(bus, TIGON_BUS_DMA_WRITE, UINT64_C(1) << (bus->host_cycle - bus->window));
        bus->host_ticks += bus->host_period;
        bus->host_cycle = tigon_cycle_at_or_after(bus->host_ticks);
    }
    set_plain_until(bus);
}

void tigon_bus_host_begin(struct tigon_bus *bus, uint64_t ticks, uint64_t period) {
    about_to_change(bus);
    bus->host_ticks = ticks;
    bus->host_period = period;
    bus->host_cycle = tigon_cycle_at_or_after(ticks);
    set_plain_until(bus);
}

void tigon_bus_host_end(struct tigon_bus *bus, uint64_t ticks) {
    about_to_change(bus);
    while (bus->host_cycle != UINT64_MAX && bus->host_ticks < ticks)
        announce_host(bus, bus->host_cycle);
    bus->host_cycle = UINT64_MAX;
    set_plain_until(bus);
}

void tigon_bus_stream_begin(struct tigon_bus *bus, enum tigon_bus_master master,
                            uint64_t start_cycle, uint32_t cycles_per_beat_16_16, uint32_t beats) {
    about_to_change(bus);
    if (bus->host_cycle <= start_cycle)
        announce_host(bus, start_cycle);
    if (beats != 0)
        begin_stream(bus, master, start_cycle, cycles_per_beat_16_16, beats);
}

void tigon_bus_stream_cancel(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    about_to_change(bus);
    if (bus->host_cycle <= cycle)
        announce_host(bus, cycle);
    begin_window(bus);
    for (unsigned i = bus->stream_count; i-- > 0;) {
        struct tigon_bus_stream *stream = &bus->streams[i];
        if (stream->window_left != 0) { /* it was placed in this window */
            bus->beats[stream->master] -= stream->window_left - stream->beats_left;
            stream->beats_left = stream->window_left;
            stream->due = stream->window_due;
        }
        if (stream->master != master || stream->beats_left == 0 || last_beat_cycle(stream) < cycle)
            continue;
        if (stream->due >> 16 >= cycle) {
            remove_stream(bus, i);
            continue;
        }
        /* Beats k = 0 .. n-1 with due + k * period < cycle remain. */
        uint64_t span = (cycle << 16) - stream->due;
        stream->beats_left = (uint32_t)((span + stream->period - 1u) / stream->period);
    }
    for (unsigned i = 0; i < bus->stream_count; i++)
        place_stream(bus, &bus->streams[i]);
}

static inline void reach(struct tigon_bus *bus, uint64_t slot) {
    if (slot - bus->window >= WINDOW) {
        if (bus->host_cycle < bus->window + WINDOW)
            announce_host(bus, bus->window + WINDOW - 1u);
        look_at(bus, slot);
    }
    if (bus->host_cycle <= slot)
        announce_host(bus, slot);
}

void tigon_bus_reach(struct tigon_bus *bus, uint64_t cycle) {
    reach(bus, cycle > bus->core_free ? cycle : bus->core_free);
}

uint64_t tigon_bus_access(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle,
                          uint32_t beats) {
    uint64_t slot = cycle > bus->core_free ? cycle : bus->core_free;
    if (beats < WINDOW && slot + beats <= bus->plain_until && slot >= bus->window &&
        (bus->taken >> slot % WINDOW & ((UINT64_C(1) << beats) - 1u)) == 0) { /* all at once */
        bus->core_free = slot + beats;
        bus->beats[master] += beats;
        bus->stalls[master] += slot - cycle;
        return slot + beats;
    }
    for (uint32_t left = beats; left != 0;) {
        reach(bus, slot);
        const uint64_t window = bus->window, plain_until = bus->plain_until;
        uint64_t free = UINT64_MAX << (slot - window) & ~bus->taken;
        slot = window + WINDOW;
        for (; free != 0; free &= free - 1u) {
            slot = window + (unsigned)__builtin_ctzll(free) + 1u;
            if (--left == 0 || slot >= plain_until) /* a host's beats come in between */
                break;
        }
    }
    bus->core_free = slot;
    bus->beats[master] += beats;
    bus->stalls[master] += slot - cycle - beats;
    return slot;
}
