/*
 * The wire: delay and faults. All chance for frame n of a direction comes from a generator seeded
 * with (seed, wire and direction, n), and every draw is made whether it is used or not, so one
 * fault never shifts another.
 */
#include "sim/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sim/abort.h"
#include "sim/board.h"
#include "sim/capture.h"
#include "sim/frame.h"
#include "sim/random.h"
#include "sim/world.h"

/* A SERDES needs a few configuration words in a row to believe one; it also keeps every effect of
 * one board on the other at a distance that lets boards run ahead of each other
 * (tigon_wire_lookahead). */
#define LINE_RECOGNITION_NS 1000u

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
    struct tigon_board *sender;
    struct tigon_board *receiver;
    struct tigon_faults faults;
    struct tigon_wire_statistics statistics;
    struct tigon_line line; /* as last announced by the sender */
    uint64_t stream;        /* for chance */
    uint64_t index;         /* of the next frame */
    uint32_t burst_left;    /* frames still to be taken by a burst */
};

struct tigon_wire {
    struct tigon_world *world;
    struct tigon_schedule *schedule;
    struct direction direction[2]; /* by sending side */
    uint64_t seed;
    uint64_t propagation; /* ticks */
    bool cut;
    tigon_tap tap;
    void *tap_context;
    struct tigon_capture *capture;
    tigon_filter filter;
    void *filter_context;
    struct line_event *free_lines;
    struct line_event *all_lines;
};

struct chance {
    bool lose;
    bool duplicate;
    bool delay;
    uint64_t delay_ns;
    bool visible;
    bool silent;
    uint64_t where; /* which bit suffers */
};

struct tigon_wire *tigon_wire_create(struct tigon_world *world, unsigned number, uint64_t seed,
                                     const struct tigon_knobs *knobs, struct tigon_board *left,
                                     struct tigon_board *right) {
    struct tigon_wire *wire = calloc(1, sizeof *wire);
    if (!wire)
        return NULL;
    wire->world = world;
    wire->schedule = left->schedule;
    wire->seed = seed;
    wire->propagation = tigon_ticks_from_ns(knobs->wire_propagation_ns);
    for (unsigned side = 0; side < 2; side++) {
        struct direction *direction = &wire->direction[side];
        direction->wire = wire;
        direction->sender = side ? right : left;
        direction->receiver = side ? left : right;
        direction->stream = 2u * number + side;
        direction->faults = (struct tigon_faults){
            .loss = knobs->wire_loss,
            .duplicate = knobs->wire_duplicate,
            .delay = knobs->wire_delay,
            .delay_ns = knobs->wire_delay_ns,
            .corrupt_visible = knobs->wire_corrupt_visible,
            .corrupt_silent = knobs->wire_corrupt_silent,
            .burst = knobs->wire_burst,
            .burst_frames = (uint32_t)knobs->wire_burst_frames,
        };
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

static struct chance draw(struct direction *direction) {
    const struct tigon_faults *faults = &direction->faults;
    struct tigon_random random =
        tigon_random_for(direction->wire->seed, direction->stream, direction->index);
    struct chance chance;
    chance.lose = tigon_random_chance(&random, faults->loss);
    const bool burst = tigon_random_chance(&random, faults->burst);
    chance.duplicate = tigon_random_chance(&random, faults->duplicate);
    chance.delay = tigon_random_chance(&random, faults->delay);
    chance.delay_ns = tigon_random_below(&random, faults->delay_ns + 1);
    chance.visible = tigon_random_chance(&random, faults->corrupt_visible);
    chance.silent = tigon_random_chance(&random, faults->corrupt_silent);
    chance.where = tigon_random_next(&random);
    if (direction->burst_left) {
        direction->burst_left--;
        chance.lose = true;
    } else if (chance.lose && burst) {
        direction->burst_left = faults->burst_frames;
    }
    return chance;
}

static enum tigon_fate fate_of(const struct chance *chance) {
    return chance->lose        ? TIGON_FATE_LOSE
           : chance->visible   ? TIGON_FATE_CORRUPT_VISIBLE
           : chance->silent    ? TIGON_FATE_CORRUPT_SILENT
           : chance->duplicate ? TIGON_FATE_DUPLICATE
           : chance->delay     ? TIGON_FATE_DELAY
                               : TIGON_FATE_DELIVER;
}

/* A filter's wish replaces chance altogether. */
static void obey(struct chance *chance, enum tigon_fate wish, const struct tigon_faults *faults) {
    *chance = (struct chance){.lose = wish == TIGON_FATE_LOSE,
                              .duplicate = wish == TIGON_FATE_DUPLICATE,
                              .delay = wish == TIGON_FATE_DELAY,
                              .delay_ns = faults->delay_ns,
                              .visible = wish == TIGON_FATE_CORRUPT_VISIBLE,
                              .silent = wish == TIGON_FATE_CORRUPT_SILENT,
                              .where = chance->where};
}

static void flip_bit(struct tigon_frame *frame, uint64_t where, uint32_t length) {
    const uint64_t bit = where % ((uint64_t)length * 8u);
    frame->bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

static void arrive(void *context, uint64_t ticks) {
    struct tigon_frame *frame = context;
    struct tigon_wire *wire = frame->receiver;
    struct direction *direction = &wire->direction[frame->side];
    struct tigon_board *board = direction->receiver;
    enum tigon_arrival_fate fate;
    board->now = ticks;
    if (wire->cut || !(tigon_link_status(board) & TIGON_RECEIVE_SYNC)) {
        direction->statistics.cut++;
        fate = TIGON_ARRIVAL_CUT;
    } else {
        const uint64_t kept = board->statistics.receive_frames;
        direction->statistics.delivered++;
        tigon_receive_frame(board, frame);
        fate = board->statistics.receive_frames > kept ? TIGON_ARRIVAL_KEPT : TIGON_ARRIVAL_DROPPED;
    }
    const struct tigon_arrival arrival = {
        .board = board,
        .wire = wire,
        .from_side = frame->side,
        .index = frame->index,
        .again = frame->again,
        .bad_crc = frame->bad_crc,
        .bytes = frame->bytes,
        .length = frame->length - TIGON_FRAME_CRC_BYTES,
        .fate = fate,
        .ticks = ticks,
    };
    tigon_observers_arrival(board->observers, &arrival);
    tigon_frame_release(tigon_world_frames(wire->world), frame);
}

static void deliver(struct direction *direction, struct tigon_frame *frame, uint64_t ended,
                    uint64_t hold) {
    struct tigon_wire *wire = direction->wire;
    const uint64_t latency = tigon_ticks_from_ns(direction->receiver->knobs.receive_latency_ns);
    frame->receiver = wire;
    frame->side = (unsigned)(direction - wire->direction);
    tigon_event_initialise(&frame->event, arrive, frame);
    tigon_schedule_at(wire->schedule, &frame->event, ended + wire->propagation + latency + hold);
}

/* How a capture marks what did not simply arrive. */
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
    tigon_observers_frame(tigon_world_observers(wire->world), view, fate);
}

void tigon_wire_send(struct tigon_wire *wire, unsigned from_side, struct tigon_frame *frame,
                     uint64_t started, uint64_t ended) {
    struct direction *direction = &wire->direction[from_side];
    struct tigon_wire_statistics *statistics = &direction->statistics;
    struct chance chance = draw(direction);
    const uint32_t data = frame->length - TIGON_FRAME_CRC_BYTES;
    const struct tigon_frame_view view = {
        .wire = wire,
        .from_side = from_side,
        .index = direction->index,
        .time_ns = tigon_ns_from_ticks(started),
        .time_ticks = started,
        .bytes = frame->bytes,
        .length = data,
    };
    bool filtered = false;
    frame->index = direction->index++;
    frame->again = false;
    statistics->frames++;
    statistics->bytes += frame->length;
    if (wire->filter) {
        const enum tigon_fate wish = wire->filter(wire->filter_context, &view);
        if (wish != TIGON_FATE_DELIVER) {
            obey(&chance, wish, &direction->faults);
            filtered = wish == TIGON_FATE_LOSE || wish == TIGON_FATE_CUT;
            chance.lose = filtered;
        }
    }
    if (wire->cut) {
        statistics->cut++;
        tell(wire, &view, TIGON_FATE_CUT);
        tigon_frame_release(tigon_world_frames(wire->world), frame);
        return;
    }
    tell(wire, &view, fate_of(&chance));
    if (chance.lose) {
        if (filtered)
            statistics->filtered++;
        else
            statistics->lost++;
        tigon_frame_release(tigon_world_frames(wire->world), frame);
        return;
    }
    if (chance.silent) {
        statistics->corrupted_silent++;
        flip_bit(frame, chance.where, data);
        if (!chance.visible)
            tigon_frame_finish(frame, data, frame->bad_crc);
    }
    if (chance.visible) {
        statistics->corrupted_visible++;
        flip_bit(frame, chance.where >> 8, frame->length);
        frame->bad_crc = true;
    }
    if (chance.duplicate) {
        struct tigon_frame *copy = tigon_frame_take(tigon_world_frames(wire->world));
        statistics->duplicated++;
        copy->length = frame->length;
        copy->bad_crc = frame->bad_crc;
        copy->index = frame->index;
        copy->again = true;
        memcpy(copy->bytes, frame->bytes, frame->length);
        const uint64_t again = (frame->length + TIGON_FRAME_PREAMBLE + TIGON_FRAME_GAP) *
                               (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
        deliver(direction, copy, ended, again);
    }
    statistics->delayed += chance.delay;
    deliver(direction, frame, ended, chance.delay ? tigon_ticks_from_ns(chance.delay_ns) : 0);
}

void tigon_wire_inject(struct tigon_wire *wire, unsigned from_side, const void *bytes,
                       size_t length, bool bad_crc) {
    struct tigon_frame *frame = tigon_frame_take(tigon_world_frames(wire->world));
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
    const uint64_t now = tigon_world_now_ticks(wire->world);
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
    deliver(&wire->direction[from_side], frame, now,
            (frame->length + TIGON_FRAME_PREAMBLE) * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE);
}

static void line_arrives(void *context, uint64_t ticks) {
    struct line_event *line = context;
    struct tigon_wire *wire = line->wire;
    struct tigon_board *board = wire->direction[line->from_side].receiver;
    struct tigon_line heard = line->line;
    if (wire->cut)
        heard.signal = false;
    board->now = ticks;
    line->next = wire->free_lines;
    wire->free_lines = line;
    tigon_link_heard(board, heard);
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

void tigon_wire_set_cut(struct tigon_wire *wire, bool cut) {
    if (wire->cut == cut)
        return;
    wire->cut = cut;
    for (unsigned side = 0; side < 2; side++)
        send_line(wire, side, tigon_world_now_ticks(wire->world));
}

uint64_t tigon_wire_lookahead(const struct tigon_wire *wire) {
    const uint64_t frame = (TIGON_FRAME_PREAMBLE + TIGON_FRAME_MINIMUM + TIGON_FRAME_CRC_BYTES) *
                           (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
    const uint64_t line = tigon_ticks_from_ns(LINE_RECOGNITION_NS);
    uint64_t least = line;
    for (unsigned side = 0; side < 2; side++) {
        const struct tigon_knobs *knobs = &wire->direction[side].receiver->knobs;
        const uint64_t latency = frame + tigon_ticks_from_ns(knobs->receive_latency_ns);
        if (latency < least)
            least = latency;
    }
    return wire->propagation + least;
}

void tigon_wire_faults(const struct tigon_wire *wire, unsigned from_side,
                       struct tigon_faults *faults) {
    *faults = wire->direction[from_side & 1u].faults;
}

void tigon_wire_set_faults(struct tigon_wire *wire, unsigned from_side,
                           const struct tigon_faults *faults) {
    wire->direction[from_side & 1u].faults = *faults;
}

void tigon_wire_set_tap(struct tigon_wire *wire, tigon_tap tap, void *context) {
    wire->tap = tap;
    wire->tap_context = context;
}

void tigon_wire_set_filter(struct tigon_wire *wire, tigon_filter filter, void *context) {
    wire->filter = filter;
    wire->filter_context = context;
}

int tigon_wire_capture(struct tigon_wire *wire, const char *path) {
    if (wire->capture)
        return -EBUSY;
    const struct tigon_capture_options options = {
        .path = path,
        .board = {tigon_board_index(wire->direction[0].sender),
                  tigon_board_index(wire->direction[1].sender)},
        /* A board runs ahead of the other by the lookahead, and tells of a frame when it ends. */
        .horizon_ns =
            tigon_ns_from_ticks(tigon_wire_lookahead(wire) +
                                (TIGON_FRAME_CAPACITY + TIGON_FRAME_PREAMBLE + TIGON_FRAME_GAP) *
                                    (uint64_t)TIGON_TICKS_PER_WIRE_BYTE),
    };
    return tigon_capture_open(&wire->capture, &options);
}

int tigon_wire_end_capture(struct tigon_wire *wire) {
    const int error = tigon_capture_close(wire->capture);
    wire->capture = NULL;
    return error;
}

void tigon_wire_statistics(const struct tigon_wire *wire, unsigned from_side,
                           struct tigon_wire_statistics *statistics) {
    *statistics = wire->direction[from_side & 1u].statistics;
}
