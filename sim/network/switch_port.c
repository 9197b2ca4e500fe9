/* SPDX-License-Identifier: MIT */
/*
 * The link of a port, and its output.
 *
 * Words are in the chip's byte order (tigon2.md 7). A peer that sends idle all the time, because it
 * does not negotiate, is accepted after the link timer: many switches can be configured so, and a
 * board whose firmware brings the link up by hand needs such a switch.
 */
#include "sim/network/switch_port.h"

#include <string.h>

#include "sim/time.h"
#include "sim/network/wire.h"
#include "sim/base/services.h"

#define WORD_ACKNOWLEDGE 0x0040u
#define WORD_FULL_DUPLEX 0x2000u
#define WORD_PAUSE       0x8000u
#define LINK_TIMER_NS    10000000u
#define QUANTUM_BYTES    64u

static void say(struct tigon_port *port, uint16_t word, uint64_t ticks) {
    const struct tigon_line line = {.signal = true, .configuring = word != 0, .word = word};
    if (!port->wire || tigon_line_same(line, port->said))
        return;
    port->said = line;
    tigon_wire_line(port->wire, port->side, line, ticks);
}

static uint16_t ability(const struct tigon_port *port) {
    return WORD_FULL_DUPLEX | (tigon_switch_knobs(port->box)->switch_pause ? WORD_PAUSE : 0);
}

static struct tigon_schedule *schedule(const struct tigon_port *port) {
    return &tigon_switch_services(port->box)->schedule;
}

static void release(const struct tigon_port *port, struct tigon_frame *frame) {
    tigon_frame_release(&tigon_switch_services(port->box)->frames, frame);
}

static void drop_queue(struct tigon_port *port, uint64_t ticks) {
    while (port->first) {
        struct tigon_frame *frame = port->first;
        port->first = frame->next;
        port->statistics.dropped_down++;
        tigon_switch_account(port->box, frame->side, frame->length, false, ticks);
        release(port, frame);
    }
    port->last = NULL;
    port->statistics.queue_bytes = 0;
    port->pause_wanted = -1;
    port->held_until = 0;
    port->peer_held_to = 0;
}

static void enter(struct tigon_port *port, enum tigon_port_state state, uint64_t ticks) {
    const bool was_up = port->state == TIGON_PORT_UP;
    port->state = state;
    tigon_schedule_cancel(schedule(port), &port->timer);
    if (was_up && state != TIGON_PORT_UP) {
        drop_queue(port, ticks);
        tigon_switch_forget(port->box, port->number);
    }
    switch (state) {
    case TIGON_PORT_DARK:
        say(port, ability(port), ticks);
        return;
    case TIGON_PORT_ABILITY:
        say(port, ability(port), ticks);
        break;
    case TIGON_PORT_ACKNOWLEDGE:
        say(port, ability(port) | WORD_ACKNOWLEDGE, ticks);
        return;
    case TIGON_PORT_COMPLETE:
        break;
    case TIGON_PORT_IDLE:
        say(port, 0, ticks);
        break;
    case TIGON_PORT_UP:
        say(port, 0, ticks);
        return;
    }
    tigon_schedule_at(schedule(port), &port->timer, ticks + tigon_ticks_from_ns(LINK_TIMER_NS));
}

static void timer_ends(void *context, uint64_t ticks) {
    struct tigon_port *port = context;
    if (port->state == TIGON_PORT_COMPLETE)
        enter(port, TIGON_PORT_IDLE, ticks);
    else if (!port->heard.configuring) /* in ABILITY: it does not negotiate */
        enter(port, TIGON_PORT_UP, ticks);
    /* else the peer will send idle later; tigon_port_heard detects it */
}

void tigon_port_heard(struct tigon_port *port, struct tigon_line line, uint64_t ticks) {
    port->heard = line;
    if (!line.signal) {
        if (port->state != TIGON_PORT_DARK)
            enter(port, TIGON_PORT_DARK, ticks);
        return;
    }
    switch (port->state) {
    case TIGON_PORT_DARK:
        enter(port, TIGON_PORT_ABILITY, ticks);
        break;
    case TIGON_PORT_ABILITY:
        break;
    case TIGON_PORT_ACKNOWLEDGE:
        if (!line.word) /* idle, or a peer that begins anew */
            enter(port, TIGON_PORT_ABILITY, ticks);
        break;
    case TIGON_PORT_COMPLETE:
    case TIGON_PORT_IDLE:
        if (line.configuring && !(line.word & WORD_ACKNOWLEDGE))
            enter(port, TIGON_PORT_ABILITY, ticks); /* it begins anew */
        else if (!line.configuring && port->state == TIGON_PORT_IDLE &&
                 !tigon_event_pending(&port->timer))
            enter(port, TIGON_PORT_UP, ticks);
        break;
    case TIGON_PORT_UP:
        if (line.configuring)
            enter(port, TIGON_PORT_ABILITY, ticks);
        break;
    }
    if (port->state == TIGON_PORT_ABILITY && line.word)
        enter(port, TIGON_PORT_ACKNOWLEDGE, ticks);
    if (port->state == TIGON_PORT_ACKNOWLEDGE && (line.word & WORD_ACKNOWLEDGE))
        enter(port, TIGON_PORT_COMPLETE, ticks);
}

/* -------------------------------------------------------------------------------------------------
 * Output */

static struct tigon_frame *take(struct tigon_port *port, uint64_t ticks) {
    if (port->pause_wanted >= 0) {
        static const uint8_t start[16] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 0x02, 0x54,
                                          0x48, 0x00, 0x00, 0x00, 0x88, 0x08, 0x00, 0x01};
        struct tigon_frame *frame = tigon_frame_take(&tigon_switch_services(port->box)->frames);
        memcpy(frame->bytes, start, sizeof start);
        frame->bytes[16] = (uint8_t)(port->pause_wanted >> 8);
        frame->bytes[17] = (uint8_t)port->pause_wanted;
        frame->side = TIGON_SWITCH_PORTS_MAX; /* from no port */
        tigon_frame_finish(frame, 18, false);
        port->pause_wanted = -1;
        port->statistics.pause_sent++;
        return frame;
    }
    if (!port->first || ticks < port->held_until)
        return NULL;
    struct tigon_frame *frame = port->first;
    port->first = frame->next;
    if (!port->first)
        port->last = NULL;
    port->statistics.queue_bytes -= frame->length;
    return frame;
}

static void begin_next(struct tigon_port *port, uint64_t ticks) {
    if (port->state != TIGON_PORT_UP || tigon_event_pending(&port->output))
        return;
    port->sending = ticks < port->free_at ? NULL : take(port, ticks);
    if (port->sending) {
        port->started = ticks;
        tigon_schedule_at(schedule(port), &port->output,
                          ticks + (port->sending->length + TIGON_FRAME_PREAMBLE) *
                                      (uint64_t)TIGON_TICKS_PER_WIRE_BYTE);
    } else if (port->first || port->pause_wanted >= 0) {
        const uint64_t when = port->pause_wanted < 0 && port->held_until > port->free_at
                                  ? port->held_until
                                  : port->free_at;
        tigon_schedule_at(schedule(port), &port->output, when);
    }
}

static void output(void *context, uint64_t ticks) {
    struct tigon_port *port = context;
    struct tigon_frame *frame = port->sending;
    if (!frame) { /* a gap or a PAUSE is over */
        begin_next(port, ticks);
        return;
    }
    port->sending = NULL;
    if (frame->side < TIGON_SWITCH_PORTS_MAX)
        tigon_switch_account(port->box, frame->side, frame->length, false, ticks);
    if (port->state == TIGON_PORT_UP) {
        port->statistics.sent += frame->side < TIGON_SWITCH_PORTS_MAX;
        tigon_wire_send(port->wire, port->side, frame, port->started, ticks);
    } else {
        port->statistics.dropped_down++;
        release(port, frame);
    }
    port->free_at = ticks + TIGON_FRAME_GAP * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
    begin_next(port, ticks);
}

void tigon_port_queue(struct tigon_port *port, struct tigon_frame *frame, uint64_t ticks) {
    struct tigon_switch_statistics *statistics = &port->statistics;
    const uint64_t limit = tigon_switch_knobs(port->box)->switch_queue_bytes;
    if (port->state != TIGON_PORT_UP || statistics->queue_bytes + frame->length > limit) {
        if (port->state != TIGON_PORT_UP)
            statistics->dropped_down++;
        else
            statistics->dropped_full++;
        release(port, frame);
        return;
    }
    frame->next = NULL;
    if (port->last)
        port->last->next = frame;
    else
        port->first = frame;
    port->last = frame;
    statistics->queue_bytes += frame->length;
    if (statistics->queue_bytes > statistics->queue_bytes_most)
        statistics->queue_bytes_most = statistics->queue_bytes;
    tigon_switch_account(port->box, frame->side, frame->length, true, ticks);
    begin_next(port, ticks);
}

void tigon_port_hold(struct tigon_port *port, unsigned quanta, uint64_t ticks) {
    port->held_until =
        ticks + quanta * (uint64_t)QUANTUM_BYTES * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE;
    if (!port->sending) {
        tigon_schedule_cancel(schedule(port), &port->output);
        begin_next(port, ticks);
    }
}

void tigon_port_send_pause(struct tigon_port *port, unsigned quanta, uint64_t ticks) {
    port->pause_wanted = (int)quanta;
    port->peer_held_to =
        quanta ? ticks + quanta * (uint64_t)QUANTUM_BYTES * (uint64_t)TIGON_TICKS_PER_WIRE_BYTE : 0;
    if (!port->sending) {
        tigon_schedule_cancel(schedule(port), &port->output);
        begin_next(port, ticks);
    }
}

void tigon_port_plug(struct tigon_port *port, struct tigon_wire *wire, unsigned side,
                     uint64_t ticks) {
    port->wire = wire;
    port->side = side;
    enter(port, TIGON_PORT_DARK, ticks);
}

void tigon_port_initialise(struct tigon_port *port, struct tigon_switch *box, unsigned number) {
    port->box = box;
    port->number = number;
    port->pause_wanted = -1;
    tigon_event_initialise(&port->timer, timer_ends, port);
    tigon_event_initialise(&port->output, output, port);
}
