/* Core A: mailboxes from the host, reports and interrupts to it. */
#include "tests/ethernet/firmware/core_a.h"

static volatile uint32_t words[REPORT_WORDS];
static bool reporting;    /* a report is on its way */
static uint32_t reported; /* sequence of the last one that arrived */
static bool link_up;

void unreported(void) {
    shared.unreported = 1;
}

void set_link(bool up) {
    if (up == link_up)
        return;
    link_up = up;
    count(up ? COUNTER_LINK_UP : COUNTER_LINK_DOWN);
    unreported();
}

static void interrupt(void) {
    HW(LOCAL_CONTROL) |= LOCAL_CONTROL_INTERRUPT;
    count(COUNTER_INTERRUPTS);
}

/* From B, when something is unreported. It asks again if nothing can be done now. */
void report(void) {
    clear_event(EVENT_REPORT);
    if (reporting || shared.unreported == 0 || write_slots() == 0)
        return;
    shared.unreported = 0;
    reporting = true;
    words[REPORT_SEQUENCE]++;
    words[REPORT_SENT] = sends_done();
    words[REPORT_RETURNED] = returns_done();
    words[REPORT_LINK] = link_up ? 1 : 0;
    uint32_t state = DMA_WORDS | DMA_WRITE_USUAL;
    if ((settings.options & OPTION_ALARM_BY_DMA) != 0)
        state |= DMA_WRITE_ALARM;
    queue_write(settings.report_high, settings.report_low, (uint32_t)words, sizeof words, state,
                KIND_REPORT, 0);
}

void report_delivered(void) {
    reporting = false;
    reported = words[REPORT_SEQUENCE];
    if ((settings.options & OPTION_ALARM_BY_DMA) == 0)
        interrupt();
}

/* All MAC statistics to 0, while the MAC stands still. */
static void clear_statistics(void) {
    const uint32_t transmit = MAC_TRANSMIT_FIBRE | MAC_ENABLE;
    HW(MAC_TRANSMIT) = transmit | MAC_STOP;
    HW(MAC_RECEIVE) = mac_receive_state() | MAC_STOP;
    for (uint32_t i = 0; i < 0x80; i += 4)
        SRAM(MAC_STATISTICS + i) = 0;
    HW(MAC_RECEIVE) = mac_receive_state();
    HW(MAC_TRANSMIT) = transmit;
}

/* A bit is cleared before its mailbox is read: a write after that sets it again. */
void read_mailboxes(void) {
    const uint32_t written = HW(MAILBOX_EVENT_A);
    HW(MAILBOX_EVENT_A) = written;
    if ((written & 1u << MAILBOX_INTERRUPT) != 0 && SRAM(MAILBOX(MAILBOX_INTERRUPT)) != reported) {
        /* The line dropped although a report has come that the host has not seen. */
        count(COUNTER_REPEATED);
        interrupt();
    }
    if ((written & 1u << MAILBOX_SENDS) != 0) {
        settings.sends.produced = SRAM(MAILBOX(MAILBOX_SENDS));
        raise_event(EVENT_FETCH_SENDS);
    }
    if ((written & 1u << MAILBOX_BUFFERS) != 0) {
        settings.buffers.produced = SRAM(MAILBOX(MAILBOX_BUFFERS));
        raise_event(EVENT_FETCH_BUFFERS);
    }
    if ((written & 1u << MAILBOX_COMMAND) != 0) {
        const uint32_t command = SRAM(MAILBOX(MAILBOX_COMMAND));
        if (command == COMMAND_FILTER)
            take_filter();
        else if (command == COMMAND_CLEAR)
            clear_statistics();
        SRAM(MAILBOX(MAILBOX_COMMAND)) = 0; /* done */
    }
}
