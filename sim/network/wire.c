/* SPDX-License-Identifier: MIT */
/*
 * The wire: frames sent at one end arrive later at the other, unless chance (wire_chance.c) changes
 * that.
 */
#include "sim/network/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/abort.h"
#include "sim/network/capture.h"
#include "sim/base/frame.h"
#include "sim/base/services.h"
#include "sim/network/wire_chance.h"
#include "sim/time.h"

/* A SERDES needs a few configuration words in a row to believe one; it also keeps every effect of
 * one board on the other at a distance that lets boards run ahead of each other
 * (tigon_wire_lookahead). */
#define LINE_RECOGNITION_NS 1000u

/* A frame that waits for later ones to pass waits no longer than this: far beyond a full frame, far
 * below the time-outs of protocols. */
#define REORDER_LIMIT_NS 1000000u

struct line_event {
    struct tigon_event event;
    struct tigon_wire *wire;
    struct tigon_line line;
    unsigned from_side;
    struct line_event *next; /* while free */
    struct line_event *all;  /* every one ever made, pending or free */
};

struct direction {
    struct tigon_wire *wire;
    struct tigon_wire_end receiver;
    uint64_t index;  /* of the next frame */
    uint64_t flight; /* ticks from the end of a frame to its arrival */
    struct tigon_wire_statistics statistics;
    struct tigon_installed_fault *installed;
    struct tigon_frame *held; /* until later ones have passed; the oldest first */
    uint32_t burst_left;      /* frames still to be taken by a burst */
    unsigned unplugged;       /* reasons why the fibre is dark */
    bool chancy;              /* a fault of `faults` may hit a frame */
    struct tigon_line line;   /* as last announced by the sender */
    struct tigon_wire_end sender;
    struct tigon_faults faults;
    uint64_t stream; /* for chance */
};

struct tigon_wire {
    const struct tigon_services *services;
    struct tigon_schedule *schedule; /* this and the next two are those of the services */
    struct tigon_frame_pool *frames;
    const struct tigon_observers *observers;
    bool onlookers;                /* a tap, a filter or a capture */
    struct direction direction[2]; /* by sending side */
    uint64_t seed;
    uint64_t propagation; /* ticks */
    bool cut;             /* by tigon_wire_set_cut, one of the reasons */
    tigon_tap tap;
    void *tap_context;
    struct tigon_capture *capture;
    tigon_filter filter;
    void *filter_context;
    struct line_event *free_lines;
    struct line_event *all_lines;
};

static void set_faults(struct direction *direction, const struct tigon_faults *faults) {
    direction->faults = *faults;
    direction->chancy = tigon_chance_exists(faults);
}

struct tigon_wire *tigon_wire_create(struct tigon_services *services, unsigned number,
                                     uint64_t seed, const struct tigon_knobs *knobs,
                                     struct tigon_wire_end left, struct tigon_wire_end right) {
    struct tigon_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return NULL;
    wire->services = services;
    wire->schedule = &services->schedule;
    wire->frames = &services->frames;
    wire->observers = &services->observers;
    wire->seed = seed;
    wire->propagation = tigon_ticks_from_ns(knobs->wire_propagation_ns);
    for (unsigned side = 0; side < 2; side++) {
        struct direction *direction = &wire->direction[side];
        direction->wire = wire;
        direction->sender = side ? right : left;
        direction->receiver = side ? left : right;
        direction->stream = 2u * number + side;
        direction->flight = wire->propagation + direction->receiver.latency;
        set_faults(direction, &(struct tigon_faults){
                                  .loss = knobs->wire_loss,
                                  .duplicate = knobs->wire_duplicate,
                                  .delay = knobs->wire_delay,
                                  .delay_ns = knobs->wire_delay_ns,
                                  .corrupt_visible = knobs->wire_corrupt_visible,
                                  .corrupt_silent = knobs->wire_corrupt_silent,
                                  .burst = knobs->wire_burst,
                                  .burst_frames = (uint32_t)knobs->wire_burst_frames,
                              });
    }
    return wire;
}

void tigon_wire_destroy(struct tigon_wire *wire) {
    if (!wire)
        return;
    (void)tigon_capture_close(wire->capture);
    while (wire->all_lines) {
        struct line_event *next = wire->all_lines->all;
        free(wire->all_lines);
        wire->all_lines = next;
    }
    free(wire);
}

/* ------------------------------------------------------------------------------------------------
 * The ends */

struct tigon_board *tigon_wire_board(const struct tigon_wire *wire, unsigned side) {
    return wire->direction[side & 1u].sender.board;
}

struct tigon_switch *tigon_wire_switch(const struct tigon_wire *wire, unsigned side,
                                       unsigned *port) {
    const struct tigon_wire_end *end = &wire->direction[side & 1u].sender;
    if (port)
        *port = end->port;
    return end->box;
}

const char *tigon_wire_end_name(const struct tigon_wire *wire, unsigned side) {
    return wire->direction[side & 1u].sender.name;
}

/* ------------------------------------------------------------------------------------------------
 * Frames held back until later ones have passed */

/* When this frame arrives, the ones held before it have been passed once more. Those passed often
 * enough come at the same tick behind it, the oldest first, and pass others in turn: at any
 * distance the next frame might pass them too. */
static __attribute__((noinline)) void pass(struct direction *direction, uint64_t index,
                                           uint64_t arrival) {
    for (struct tigon_frame *held = direction->held; held && held->index < index; held = held->next)
        held->passes -= held->passes > 0;
    for (;;) {
        struct tigon_frame **place = &direction->held;
        while (*place && (*place)->passes)
            place = &(*place)->next;
        struct tigon_frame *free_now = *place;
        if (!free_now)
            return;
        *place = free_now->next;
        if (arrival < free_now->event.ticks)
            tigon_schedule_at(direction->wire->schedule, &free_now->event, arrival);
        for (struct tigon_frame *held = direction->held; held && held->index < free_now->index;
             held = held->next)
            held->passes -= held->passes > 0;
    }
}

/* Later frames come behind in the list. */
static void hold(struct direction *direction, struct tigon_frame *frame, uint32_t passes) {
    struct tigon_frame **place = &direction->held;
    while (*place)
        place = &(*place)->next;
    frame->passes = passes;
    frame->next = NULL;
    *place = frame;
}

/* No later frame arrived in time: the held frame is delivered. */
static void let_go(struct direction *direction, struct tigon_frame *frame) {
    for (struct tigon_frame **place = &direction->held; *place; place = &(*place)->next)
        if (*place == frame) {
            *place = frame->next;
            return;
        }
}

/* ------------------------------------------------------------------------------------------------
 * Sending */

/* The fast path: whether the next frame can only arrive, and no observer needs it. Then no chance
 * is drawn. (Chance is drawn by the index of a frame, so the draws of other frames stay the same.)
 */
static inline bool is_plain(const struct direction *direction) {
    const struct tigon_wire *wire = direction->wire;
    return !((unsigned)direction->chancy | (unsigned)wire->onlookers | direction->burst_left |
             direction->unplugged) &&
           !direction->installed && !wire->observers->count;
}

static inline enum tigon_arrival_fate receive(struct direction *direction,
                                              const struct tigon_frame *frame, uint64_t ticks) {
    const struct tigon_wire_end *end = &direction->receiver;
    const enum tigon_arrival_fate fate = direction->unplugged
                                             ? TIGON_ARRIVAL_CUT
                                             : end->receive(end->party, end->port, frame, ticks);
    if (fate == TIGON_ARRIVAL_CUT)
        direction->statistics.cut++;
    else
        direction->statistics.delivered++;
    return fate;
}

/* In all cases. */
static __attribute__((noinline)) void arrive_told(struct direction *direction,
                                                  struct tigon_frame *frame, uint64_t ticks) {
    const struct tigon_wire *wire = direction->wire;
    if (frame->passes) {
        let_go(direction, frame);
        pass(direction, frame->index, ticks);
    }
    const enum tigon_arrival_fate fate = receive(direction, frame, ticks);
    const struct tigon_arrival arrival = {
        .board = direction->receiver.board,
        .wire = wire,
        .from_side = frame->side,
        .index = frame->index,
        .again = frame->again,
        .bad_crc = frame->bad_crc,
        .bytes = frame->bytes,
        .length = frame->length > TIGON_FRAME_CRC_BYTES ? frame->length - TIGON_FRAME_CRC_BYTES : 0,
        .fate = fate,
        .ticks = ticks,
    };
    if (arrival.board)
        tigon_observers_arrival(wire->observers, &arrival);
    tigon_frame_release(wire->frames, frame);
}

static void arrive(void *context, uint64_t ticks) {
    struct tigon_frame *frame = context;
    struct tigon_wire *wire = frame->receiver;
    struct direction *direction = &wire->direction[frame->side];
    if (__builtin_expect(frame->passes || !is_plain(direction), 0)) {
        arrive_told(direction, frame, ticks);
        return;
    }
    (void)receive(direction, frame, ticks);
    tigon_frame_release(wire->frames, frame);
}

/* In flight from now on: its fate is settled. */
static inline void launch(struct direction *direction, struct tigon_frame *frame,
                          uint64_t arrival) {
    struct tigon_wire *wire = direction->wire;
    frame->receiver = wire;
    frame->side = (unsigned)(direction - wire->direction);
    tigon_frame_schedule(wire->schedule, frame, arrive, arrival);
}

static void deliver(struct direction *direction, struct tigon_frame *frame, uint64_t ended,
                    const struct tigon_chance *chance) {
    uint64_t arrival = tigon_add_ticks(ended + direction->flight, chance->delay_ticks);
    frame->passes = 0;
    if (chance->displacement) {
        hold(direction, frame, chance->displacement);
        arrival = tigon_add_ticks(arrival, tigon_ticks_from_ns(REORDER_LIMIT_NS));
    }
    launch(direction, frame, arrival);
    if (!chance->displacement)
        pass(direction, frame->index, arrival);
}

/* The comment in a capture for a frame that did not simply arrive. */
static const char *comment_on(enum tigon_fate fate) {
    switch (fate) {
    case TIGON_FATE_LOSE:
        return "lost on the wire";
    case TIGON_FATE_CUT:
        return "lost: the wire is cut";
    case TIGON_FATE_DUPLICATE:
        return "delivered twice";
    case TIGON_FATE_DELAY:
        return "held back on the wire";
    case TIGON_FATE_CORRUPT_VISIBLE:
        return "damaged on the wire: the receiver sees a CRC error; shown as sent";
    case TIGON_FATE_CORRUPT_SILENT:
        return "damaged before its CRC was made: only an end-to-end check sees it; shown as sent";
    case TIGON_FATE_REORDER:
        return "held back on the wire until later frames had passed";
    case TIGON_FATE_TRUNCATE:
        return "truncated on the wire; shown as sent";
    case TIGON_FATE_LENGTHEN:
        return "lengthened on the wire; shown as sent";
    case TIGON_FATE_DELIVER:
        break;
    }
    return NULL;
}

static void tell(struct tigon_wire *wire, const struct tigon_frame_view *view,
                 enum tigon_fate fate) {
    if (wire->tap)
        wire->tap(wire->tap_context, view, fate);
    if (wire->capture)
        tigon_capture_frame(wire->capture, view, comment_on(fate));
    tigon_observers_frame(wire->observers, view, fate);
}

/* A copy that follows right behind. */
static void duplicate(struct direction *direction, const struct tigon_frame *frame,
                      uint64_t ended) {
    const struct tigon_chance behind = {
        .delay_ticks = (frame->length + TIGON_FRAME_PREAMBLE + TIGON_FRAME_GAP) *
                       (uint64_t)TIGON_TICKS_PER_WIRE_BYTE};
    struct tigon_frame *copy = tigon_frame_take(direction->wire->frames);
    direction->statistics.duplicated++;
    copy->length = frame->length;
    copy->bad_crc = frame->bad_crc;
    copy->index = frame->index;
    copy->again = true;
    memcpy(copy->bytes, frame->bytes, frame->length);
    deliver(direction, copy, ended, &behind);
}

static void tell_simple(struct direction *direction, uint64_t index, uint64_t ticks,
                        enum tigon_fate fate) {
    const struct tigon_wire *wire = direction->wire;
    tigon_observers_fault(wire->observers, &(struct tigon_fault_event){
                                               .ticks = ticks,
                                               .wire = wire,
                                               .from_side = (unsigned)(direction - wire->direction),
                                               .number = index,
                                               .what = tigon_fate_name(fate)});
}

/* In all cases. */
static __attribute__((noinline)) void send_told(struct direction *direction,
                                                struct tigon_frame *frame, uint64_t started,
                                                uint64_t ended) {
    struct tigon_wire *wire = direction->wire;
    struct tigon_wire_statistics *statistics = &direction->statistics;
    const unsigned from_side = (unsigned)(direction - wire->direction);
    const uint64_t index = direction->index++;
    struct tigon_chance chance = tigon_chance_draw(
        &direction->faults, wire->seed, direction->stream, index, &direction->burst_left);
    const struct tigon_frame_view view = {
        .wire = wire,
        .from_side = from_side,
        .index = index,
        .time_ns = tigon_ns_from_ticks(started),
        .time_ticks = started,
        .bytes = frame->bytes,
        .length = frame->length - TIGON_FRAME_CRC_BYTES,
    };
    enum tigon_fate wish = TIGON_FATE_DELIVER;
    frame->index = index;
    frame->again = false;
    statistics->frames++;
    statistics->bytes += frame->length;
    if (wire->filter)
        wish = wire->filter(wire->filter_context, &view);
    if (wish != TIGON_FATE_DELIVER)
        tigon_chance_obey(&chance, wish, &direction->faults);
    if (direction->unplugged) {
        statistics->cut++;
        tell(wire, &view, TIGON_FATE_CUT);
        tigon_frame_release(wire->frames, frame);
        return;
    }
    if (chance.simple)
        tell_simple(direction, index, ended, tigon_chance_fate(&chance));
    if (wish == TIGON_FATE_DELIVER)
        tigon_chance_add_faults(&chance, direction->installed, index, frame->length, ended);
    tell(wire, &view, tigon_chance_fate(&chance));
    if (chance.lose) {
        if (wish == TIGON_FATE_DELIVER)
            statistics->lost++;
        else
            statistics->filtered++;
        tigon_frame_release(wire->frames, frame);
        return;
    }
    statistics->corrupted_silent += chance.silent;
    statistics->corrupted_visible += chance.visible;
    statistics->truncated += chance.truncate;
    statistics->lengthened += chance.lengthen;
    statistics->delayed += chance.delay;
    statistics->reordered += chance.displacement > 0;
    tigon_chance_damage(&chance, frame);
    if (chance.duplicate)
        duplicate(direction, frame, ended);
    deliver(direction, frame, ended, &chance);
}

void tigon_wire_send(struct tigon_wire *wire, unsigned from_side, struct tigon_frame *frame,
                     uint64_t started, uint64_t ended) {
    struct direction *direction = &wire->direction[from_side];
    if (__builtin_expect(!is_plain(direction) || direction->held, 0)) {
        send_told(direction, frame, started, ended);
        return;
    }
    frame->index = direction->index++;
    frame->again = false;
    frame->passes = 0;
    direction->statistics.frames++;
    direction->statistics.bytes += frame->length;
    launch(direction, frame, ended + direction->flight);
}

void tigon_wire_inject(struct tigon_wire *wire, unsigned from_side, const void *bytes,
                       size_t length, bool bad_crc) {
    struct tigon_frame *frame = tigon_frame_take(wire->frames);
    if (length > TIGON_FRAME_CAPACITY - 64)
        length = TIGON_FRAME_CAPACITY - 64;
    memcpy(frame->bytes, bytes, length);
    uint32_t crc = tigon_frame_crc(frame->bytes, length);
    if (bad_crc)
        crc = ~crc;
    for (unsigned i = 0; i < TIGON_FRAME_CRC_BYTES; i++)
        frame->bytes[length + i] = (uint8_t)(crc >> 8 * i);
    frame->length = (uint32_t)length + TIGON_FRAME_CRC_BYTES;
    frame->bad_crc = bad_crc;
    frame->index = UINT64_MAX;
    frame->again = false;
    const uint64_t now = wire->services->now;
    if (wire->capture) {
        const struct tigon_frame_view view = {.wire = wire,
                                              .from_side = from_side,
                                              .time_ns = tigon_ns_from_ticks(now),
                                              .time_ticks = now,
                                              .bytes = frame->bytes,
                                              .length = length};
        tigon_capture_frame(wire->capture, &view,
                            bad_crc ? "injected, with a CRC error" : "injected");
    }
    const struct tigon_chance chance = {.delay_ticks = (frame->length + TIGON_FRAME_PREAMBLE) *
                                                       (uint64_t)TIGON_TICKS_PER_WIRE_BYTE};
    deliver(&wire->direction[from_side], frame, now, &chance);
}

static void line_arrives(void *context, uint64_t ticks) {
    struct line_event *line = context;
    struct tigon_wire *wire = line->wire;
    const struct direction *direction = &wire->direction[line->from_side];
    struct tigon_line heard = line->line;
    if (direction->unplugged)
        heard.signal = false;
    line->next = wire->free_lines;
    wire->free_lines = line;
    const struct tigon_wire_end *end = &direction->receiver;
    end->hear(end->party, end->port, heard, ticks);
}

static void send_line(struct tigon_wire *wire, unsigned from_side, uint64_t when) {
    struct line_event *line = wire->free_lines;
    if (line) {
        wire->free_lines = line->next;
    } else {
        line = calloc(1, sizeof *line);
        if (!line)
            tigon_abort("out of memory for link changes");
        line->all = wire->all_lines;
        wire->all_lines = line;
    }
    line->wire = wire;
    line->from_side = from_side;
    line->line = wire->direction[from_side].line;
    tigon_event_initialise(&line->event, line_arrives, line);
    tigon_schedule_at(wire->schedule, &line->event,
                      when + wire->propagation + tigon_ticks_from_ns(LINE_RECOGNITION_NS));
}

void tigon_wire_line(struct tigon_wire *wire, unsigned from_side, struct tigon_line line,
                     uint64_t when) {
    wire->direction[from_side].line = line;
    send_line(wire, from_side, when);
}

void tigon_wire_unplug(struct tigon_wire *wire, unsigned from_side, bool unplug) {
    struct direction *direction = &wire->direction[from_side];
    const bool before = direction->unplugged > 0;
    if (unplug)
        direction->unplugged++;
    else if (direction->unplugged)
        direction->unplugged--;
    if ((direction->unplugged > 0) != before)
        send_line(wire, from_side, wire->services->now);
}

void tigon_wire_set_cut(struct tigon_wire *wire, bool cut) {
    if (wire->cut == cut)
        return;
    wire->cut = cut;
    for (unsigned side = 0; side < 2; side++)
        tigon_wire_unplug(wire, side, cut);
}

struct tigon_installed_fault **tigon_wire_installed(struct tigon_wire *wire, unsigned from_side) {
    return &wire->direction[from_side].installed;
}

uint64_t tigon_wire_lookahead(const struct tigon_wire *wire) {
    const uint64_t frame = (TIGON_FRAME_PREAMBLE + TIGON_FRAME_MINIMUM + TIGON_FRAME_CRC_BYTES) *
                           (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
    uint64_t least = tigon_ticks_from_ns(LINE_RECOGNITION_NS);
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t time = frame + wire->direction[side].receiver.latency;
        if (time < least)
            least = time;
    }
    return wire->propagation + least;
}

void tigon_wire_faults(const struct tigon_wire *wire, unsigned from_side,
                       struct tigon_faults *faults) {
    *faults = wire->direction[from_side & 1u].faults;
}

void tigon_wire_set_faults(struct tigon_wire *wire, unsigned from_side,
                           const struct tigon_faults *faults) {
    set_faults(&wire->direction[from_side & 1u], faults);
}

static void count_onlookers(struct tigon_wire *wire) {
    wire->onlookers = wire->tap || wire->filter || wire->capture;
}

void tigon_wire_set_tap(struct tigon_wire *wire, tigon_tap tap, void *context) {
    wire->tap = tap;
    wire->tap_context = context;
    count_onlookers(wire);
}

void tigon_wire_set_filter(struct tigon_wire *wire, tigon_filter filter, void *context) {
    wire->filter = filter;
    wire->filter_context = context;
    count_onlookers(wire);
}

int tigon_wire_capture(struct tigon_wire *wire, const char *path) {
    if (wire->capture)
        return -EBUSY;
    const struct tigon_capture_options options = {
        .path = path,
        .end = {tigon_wire_end_name(wire, 0), tigon_wire_end_name(wire, 1)},
        /* A board runs ahead of the other by the lookahead, and a frame is reported when it ends.
         */
        .horizon_ns =
            tigon_ns_from_ticks(tigon_wire_lookahead(wire) +
                                (TIGON_FRAME_CAPACITY + TIGON_FRAME_PREAMBLE + TIGON_FRAME_GAP) *
                                    (uint64_t)TIGON_TICKS_PER_WIRE_BYTE),
    };
    const int error = tigon_capture_open(&wire->capture, &options);
    count_onlookers(wire);
    return error;
}

int tigon_wire_end_capture(struct tigon_wire *wire) {
    const int error = tigon_capture_close(wire->capture);
    wire->capture = NULL;
    count_onlookers(wire);
    return error;
}

void tigon_wire_statistics(const struct tigon_wire *wire, unsigned from_side,
                           struct tigon_wire_statistics *statistics) {
    *statistics = wire->direction[from_side & 1u].statistics;
}
