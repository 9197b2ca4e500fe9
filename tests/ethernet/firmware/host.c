/* SPDX-License-Identifier: MIT */
/*
 * Core A: mailboxes from the host; indices, events and interrupts to it.
 *
 * What the host is told goes through the write ring behind the data it is about, so an index may be
 * queued as soon as the data is. Not every frame is told of at once: the host's shared words say
 * how many and how long (core B looks at the time).
 */
#include "tests/ethernet/firmware/parameters.h"
#include "tests/ethernet/firmware/queue.h"

#define WAITING_EVENTS 64u /* in SRAM, when the host's ring is full */
#define STAGED_EVENTS  32u /* on their way: half of the DMA ring, each takes two slots */

static uint32_t returned; /* entries of the return ring so far */
static uint32_t untold_returns;
static bool returns_owed; /* no slot was free when it was time to tell */
static uint32_t consumed; /* index in the send ring */
static uint32_t untold_sends;
static bool sends_owed;

static uint32_t waiting_events[WAITING_EVENTS];
static uint32_t events_made;
static uint32_t events_written;
static uint32_t event_producer; /* in the host's ring */
IN_SRAM static volatile uint32_t staged_events[STAGED_EVENTS][2];

static bool alarm_suppressed; /* the host did not want an interrupt */
static bool alarm_saved;      /* the line was up */

/* Interrupts */

static bool alarm_wanted(void) {
    return SRAM(SHARED_MASK_INTERRUPTS) == 0 && SRAM(MAILBOX(MAILBOX_INTERRUPT)) == 0;
}

static bool line_up(void) {
    return (HW(HOST_CONTROL) & HOST_CONTROL_INTERRUPT) != 0;
}

void alarm(void) {
    if (!alarm_wanted()) {
        alarm_suppressed = true;
        return;
    }
    alarm_suppressed = false;
    alarm_saved = line_up();
    if (alarm_saved) {
        count(COUNTER_INTERRUPTS_SAVED);
        return;
    }
    HW(LOCAL_CONTROL) |= LOCAL_CONTROL_INTERRUPT;
    count(COUNTER_INTERRUPTS);
}

/* Any write dropped the line. If it says that the host is at work, the host will see what the line
 * told of; if it says that the host has finished, it may have looked before that. */
static void host_at_work(uint32_t value) {
    if (value != 0)
        alarm_saved = false;
    else if (ALARM_AFTER_WORK && (alarm_saved || alarm_suppressed))
        alarm();
}

/* Events */

uint32_t event_room(void) {
    return WAITING_EVENTS - (events_made - events_written);
}

/* Events are rare: the DMA itself raises the interrupt, if one is wanted (bit 21). */
RARE static void write_event_producer(void) {
    if (!alarm_wanted() || line_up()) {
        queue_index(settings.event_producer, event_producer, 0, KIND_ALARM);
        return;
    }
    queue_index(settings.event_producer, event_producer, DMA_WRITE_ALARM, KIND_NONE);
    count(COUNTER_INTERRUPTS);
}

RARE static void flush_events(void) {
    const uint32_t first = events_written;
    while (events_written != events_made) {
        const uint32_t next = (event_producer + 1) & (EVENTS - 1);
        if (next == (SRAM(SHARED_EVENT_CONSUMER) & (EVENTS - 1))) {
            count(COUNTER_EVENTS_WAITED);
            break;
        }
        if (write_room() < 2)
            break;
        volatile uint32_t *staged = staged_events[events_written & (STAGED_EVENTS - 1)];
        staged[0] = waiting_events[events_written & (WAITING_EVENTS - 1)];
        const struct bus_address to = bus_offset(settings.events.ring, 8 * event_producer);
        queue_write((struct transfer){.high = to.high,
                                      .low = to.low,
                                      .local = (uint32_t)staged,
                                      .length = 8,
                                      .state = DMA_WORDS | DMA_WRITE_USUAL});
        event_producer = next;
        events_written++;
        count(COUNTER_EVENTS);
        write_event_producer();
    }
    if (first != events_written)
        take_commands(); /* which may have waited for room */
}

RARE void tell_event(uint32_t number, uint32_t code, uint32_t index) {
    if (event_room() == 0) {
        count(COUNTER_EVENTS_LOST);
        return;
    }
    waiting_events[events_made++ & (WAITING_EVENTS - 1)] = WORD(number, code, index);
    flush_events();
}

/* Received frames */

static void write_return_producer(uint32_t kind) {
    returns_owed = write_room() == 0;
    if (!returns_owed)
        queue_index(settings.return_producer, returned & (settings.returns.length - 1), 0, kind);
}

static void report_returns(void) {
    shared.returns.waiting = 0;
    write_return_producer(KIND_ALARM);
    if (!returns_owed)
        untold_returns = 0;
}

void frame_returned(void) {
    returned++;
    untold_returns++;
    if (untold_returns >= settings.receive_most) {
        report_returns();
        return;
    }
    if (untold_returns == 1) {
        shared.returns.until = HW(TIMER) + settings.receive_us;
        shared.returns.waiting = 1;
    }
    if (KNOWS_COALESCE_ALARM && (settings.returns.flags & RING_COALESCE_ALARM) != 0)
        write_return_producer(KIND_NONE);
}

void tell_returns(void) {
    clear_event(EVENT_TELL_RETURNS);
    if (untold_returns != 0)
        report_returns();
}

/* Frames sent */

static void write_send_consumer(uint32_t kind) {
    sends_owed = write_room() == 0;
    if (!sends_owed)
        queue_index(settings.send_consumer, consumed, 0, kind);
}

static void report_sends(void) {
    shared.sends.waiting = 0;
    write_send_consumer(KIND_ALARM);
    if (!sends_owed)
        untold_sends = 0;
}

void sends_consumed(uint32_t index, bool now) {
    const bool first = untold_sends == 0;
    untold_sends += (index - consumed) & (settings.sends.length - 1);
    consumed = index;
    if (now || untold_sends >= settings.send_most) {
        report_sends();
        return;
    }
    if (first) {
        shared.sends.until = HW(TIMER) + settings.send_us;
        shared.sends.waiting = 1;
    }
    if (KNOWS_COALESCE_ALARM && (settings.sends.flags & RING_COALESCE_ALARM) != 0)
        write_send_consumer(KIND_NONE);
}

void tell_sends(void) {
    clear_event(EVENT_TELL_SENDS);
    if (untold_sends != 0)
        report_sends();
}

/* All of these */

/* The host has to know of indices from which it starts. */
RARE void host_begin(void) {
    queue_index(settings.return_producer, 0, 0, KIND_NONE);
    queue_index(settings.send_consumer, 0, 0, KIND_NONE);
}

void writes_possible(void) {
    if (returns_owed)
        report_returns();
    if (sends_owed)
        report_sends();
    if (events_written != events_made)
        flush_events();
    receive_again();
}

/* The host changes some shared words without a sign. */
RARE void host_look(void) {
    writes_possible();
    if (ALARM_AFTER_WORK && alarm_suppressed)
        alarm();
}

/* A bit is cleared before its mailbox is read: a write after that sets it again. */
void read_mailboxes(void) {
    static const uint8_t rings[] = {MAILBOX_STANDARD, MAILBOX_JUMBO, MAILBOX_MINI};
    static const uint8_t numbers[] = {STANDARD, JUMBO, MINI};
    const uint32_t written = HW(MAILBOX_EVENT_A);
    HW(MAILBOX_EVENT_A) = written;
    if ((written & 1u << MAILBOX_INTERRUPT) != 0)
        host_at_work(SRAM(MAILBOX(MAILBOX_INTERRUPT)));
    if (settings.refused)
        return;
    if ((written & 1u << MAILBOX_SENDS) != 0)
        sends_produced(SRAM(MAILBOX(MAILBOX_SENDS)));
    for (uint32_t i = 0; i < sizeof rings; i++)
        if ((written & 1u << rings[i]) != 0)
            buffers_produced(numbers[i], SRAM(MAILBOX(rings[i])));
    if ((written & 1u << MAILBOX_COMMANDS) != 0)
        take_commands();
}
