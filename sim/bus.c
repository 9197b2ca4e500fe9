/* See bus.h. */
#include "sim/bus.h"

#include <stdbool.h>
#include <string.h>

#include "sim/time.h"

/* A stream more than this many beats behind is moved up without looking at each beat. The beats
 * passed over cannot matter: that many slots ago any queue of devices has long been served. */
#define LOOK_BACK 64u

/* From so many pending streams on it pays to serve those that are over. */
#define MANY_STREAMS 6u

void tigon_bus_initialise(struct tigon_bus *bus) {
    memset(bus, 0, sizeof *bus);
    bus->next_due = UINT64_MAX;
    bus->host_cycle = UINT64_MAX;
}

static void find_next_due(struct tigon_bus *bus) {
    bus->next_due = UINT64_MAX;
    for (unsigned i = 0; i < bus->stream_count; i++) {
        uint64_t due = bus->streams[i].due >> 16;
        if (due < bus->next_due)
            bus->next_due = due;
    }
}

/* Streams stay sorted by priority, so that equal due cycles are served in that order. */
static void remove_stream(struct tigon_bus *bus, unsigned index) {
    bus->stream_count--;
    memmove(&bus->streams[index], &bus->streams[index + 1],
            (bus->stream_count - index) * sizeof bus->streams[0]);
}

static uint64_t last_beat_cycle(const struct tigon_bus_stream *stream) {
    return (stream->due + (uint64_t)(stream->beats_left - 1u) * stream->period) >> 16;
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

static void give_device_slot(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t due) {
    uint64_t slot = due > bus->device_free ? due : bus->device_free;
    bus->beats[master]++;
    bus->stalls[master] += slot - due;
    bus->device_free = slot + 1u;
}

static void pass_over_old_beats(struct tigon_bus *bus, uint64_t cycle) {
    for (unsigned i = bus->stream_count; i-- > 0;) {
        struct tigon_bus_stream *stream = &bus->streams[i];
        const uint64_t behind = cycle << 16 > stream->due ? (cycle << 16) - stream->due : 0;
        if (behind <= (uint64_t)LOOK_BACK * stream->period)
            continue;
        if (behind >= ((uint64_t)stream->beats_left + LOOK_BACK / 2u) * stream->period) {
            bus->beats[stream->master] += stream->beats_left;
            remove_stream(bus, i);
        } else {
            const uint64_t skip = behind / stream->period - LOOK_BACK / 2u;
            bus->beats[stream->master] += skip;
            stream->beats_left -= (uint32_t)skip;
            stream->due += skip * stream->period;
        }
    }
    find_next_due(bus);
}

/* Give slots to all stream beats due at or before `cycle`, in order of time, then priority. */
static void serve_streams(struct tigon_bus *bus, uint64_t cycle) {
    if (bus->next_due + LOOK_BACK < cycle)
        pass_over_old_beats(bus, cycle);
    while (bus->next_due <= cycle) {
        const struct tigon_bus_stream *streams = bus->streams;
        unsigned first = 0, second = 0;
        uint64_t first_due = streams[0].due >> 16, second_due = UINT64_MAX;
        for (unsigned i = 1; i < bus->stream_count; i++) {
            const uint64_t due = streams[i].due >> 16;
            if (due < first_due) {
                second_due = first_due;
                second = first;
                first_due = due;
                first = i;
            } else if (due < second_due) {
                second_due = due;
                second = i;
            }
        }
        /* All beats of the first that come before any of the others. Streams are in order of
         * priority, so of two that are due at once the one at the lower place goes first. */
        struct tigon_bus_stream *stream = &bus->streams[first];
        uint64_t last = second < first ? second_due - 1u : second_due;
        if (last > cycle)
            last = cycle;
        uint64_t due = stream->due, free = bus->device_free, waited = 0;
        const uint32_t before = stream->beats_left;
        uint32_t left = before;
        do {
            const uint64_t wanted = due >> 16;
            const uint64_t slot = wanted > free ? wanted : free;
            waited += slot - wanted;
            free = slot + 1u;
            due += stream->period;
        } while (--left != 0 && due >> 16 <= last);
        bus->device_free = free;
        bus->stalls[stream->master] += waited;
        bus->beats[stream->master] += before - left;
        stream->beats_left = left;
        stream->due = due;
        bus->next_due = second_due;
        if (left == 0)
            remove_stream(bus, first);
        else if (due >> 16 < second_due)
            bus->next_due = due >> 16;
    }
}

static void begin_stream(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t start_cycle,
                         uint32_t cycles_per_beat_16_16, uint32_t beats) {
    /* While no core uses the bus nothing looks at streams; what is over must not pile up. */
    if (bus->stream_count >= MANY_STREAMS && start_cycle != 0)
        serve_streams(bus, start_cycle - 1u);
    if (bus->stream_count == TIGON_BUS_STREAMS)
        drop_earliest_ending(bus, start_cycle);
    unsigned place = bus->stream_count;
    while (place > 0 && bus->streams[place - 1].master > master) {
        bus->streams[place] = bus->streams[place - 1];
        place--;
    }
    bus->streams[place] = (struct tigon_bus_stream){
        .master = master,
        .beats_left = beats,
        .period = cycles_per_beat_16_16 < 0x10000u ? 0x10000u : cycles_per_beat_16_16,
        .due = start_cycle << 16,
    };
    bus->stream_count++;
    if (start_cycle < bus->next_due)
        bus->next_due = start_cycle;
}

static __attribute__((noinline)) void announce_host(struct tigon_bus *bus, uint64_t cycle) {
    while (bus->host_cycle <= cycle) {
        begin_stream(bus, TIGON_BUS_DMA_WRITE, bus->host_cycle, 1u << 16, 1);
        bus->host_ticks += bus->host_period;
        bus->host_cycle = tigon_cycle_at_or_after(bus->host_ticks);
    }
}

void tigon_bus_host_begin(struct tigon_bus *bus, uint64_t ticks, uint64_t period) {
    bus->host_ticks = ticks;
    bus->host_period = period;
    bus->host_cycle = tigon_cycle_at_or_after(ticks);
}

void tigon_bus_host_end(struct tigon_bus *bus, uint64_t ticks) {
    while (bus->host_cycle != UINT64_MAX && bus->host_ticks < ticks)
        announce_host(bus, bus->host_cycle);
    bus->host_cycle = UINT64_MAX;
}

void tigon_bus_stream_begin(struct tigon_bus *bus, enum tigon_bus_master master,
                            uint64_t start_cycle, uint32_t cycles_per_beat_16_16, uint32_t beats) {
    if (bus->host_cycle <= start_cycle)
        announce_host(bus, start_cycle);
    if (beats != 0)
        begin_stream(bus, master, start_cycle, cycles_per_beat_16_16, beats);
}

void tigon_bus_stream_cancel(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle) {
    if (bus->host_cycle <= cycle)
        announce_host(bus, cycle);
    for (unsigned i = bus->stream_count; i-- > 0;) {
        struct tigon_bus_stream *stream = &bus->streams[i];
        if (stream->master != master || last_beat_cycle(stream) < cycle)
            continue;
        if (stream->due >> 16 >= cycle) {
            remove_stream(bus, i);
            continue;
        }
        /* Beats k = 0 .. n-1 with due + k * period < cycle remain. */
        uint64_t span = (cycle << 16) - stream->due;
        stream->beats_left = (uint32_t)((span + stream->period - 1u) / stream->period);
    }
    find_next_due(bus);
}

uint64_t tigon_bus_access(struct tigon_bus *bus, enum tigon_bus_master master, uint64_t cycle,
                          uint32_t beats) {
    if (bus->host_cycle <= cycle)
        announce_host(bus, cycle);
    if (master < TIGON_BUS_CPU_A) {
        serve_streams(bus, cycle);
        for (uint32_t i = 0; i < beats; i++)
            give_device_slot(bus, master, cycle + i);
        return bus->device_free;
    }
    uint64_t slot = cycle > bus->core_free ? cycle : bus->core_free;
    for (uint32_t left = beats;; slot++) {
        for (;;) {
            if (bus->next_due <= slot)
                serve_streams(bus, slot);
            if (bus->device_free <= slot)
                break;
            slot = bus->device_free;
        }
        if (--left == 0)
            break;
    }
    bus->core_free = slot + 1u;
    bus->beats[master] += beats;
    bus->stalls[master] += slot + 1u - cycle - beats;
    return slot + 1u;
}
