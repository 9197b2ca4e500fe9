/* SPDX-License-Identifier: MIT */
/* See driver.h: interrupts, events and commands. */
#include "tests/ethernet/driver.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tests/ethernet/firmware/registers.h"

/* A driver's slow timer, which finds what no interrupt told of. */
#define WATCH_NS 1000000u
/* How long a board may leave commands unread. */
#define COMMAND_NS 50000000u

int ethernet_fail(struct ethernet *ethernet, const char *format, ...) {
    va_list arguments;
    if (ethernet->error[0] != '\0')
        return -1;
    va_start(arguments, format);
    (void)vsnprintf(ethernet->error, sizeof ethernet->error, format, arguments);
    va_end(arguments);
    return -1;
}

uint32_t ethernet_shared(struct ethernet *ethernet, uint32_t address) {
    return tigon_host_read32(ethernet->host, SHARED_HOST + address);
}

void ethernet_set_shared(struct ethernet *ethernet, uint32_t address, uint32_t value) {
    tigon_host_write32(ethernet->host, SHARED_HOST + address, value);
}

void ethernet_mailbox(struct ethernet *ethernet, uint32_t number, uint32_t value) {
    tigon_host_write32(ethernet->host, SHARED_HOST + MAILBOX(number), value);
}

/* ------------------------------------------------------------------------------------------------
 * Events */

static void take_event(struct ethernet *ethernet, uint32_t word) {
    const uint32_t number = word >> 24, code = word >> 12 & 0xFFFu;
    if (number >= ETHERNET_EVENTS) {
        (void)ethernet_fail(ethernet, "an event with number %u", (unsigned)number);
        return;
    }
    ethernet->counts[number]++;
    ethernet->last_code[number] = code;
    if (number == EVENT_UP)
        ethernet->up = true;
    if (number != EVENT_LINK)
        return;
    ethernet->link = code;
    if (code == ETHERNET_DOWN)
        ethernet->link_downs++;
    else
        ethernet->link_ups++;
}

void ethernet_take_events(struct ethernet *ethernet) {
    const uint32_t before = ethernet->event;
    const uint32_t producer = ethernet->indexes[0] % EVENTS;
    while (ethernet->event % EVENTS != producer)
        take_event(ethernet, ethernet->events[2 * (size_t)(ethernet->event++ % EVENTS)]);
    if (ethernet->event != before)
        ethernet_set_shared(ethernet, SHARED_EVENT_CONSUMER, ethernet->event % EVENTS);
}

/* ------------------------------------------------------------------------------------------------
 * Interrupts */

/* Has the board moved an index since the last look? */
static bool anything_new(const struct ethernet *ethernet) {
    for (size_t i = 0; i < 3; i++)
        if (ethernet->indexes[4 * i] != ethernet->seen[i])
            return true;
    return false;
}

static void look(struct ethernet *ethernet) {
    for (size_t i = 0; i < 3; i++)
        ethernet->seen[i] = ethernet->indexes[4 * i];
    ethernet_reuse(ethernet);
    ethernet_take_events(ethernet);
}

void ethernet_leave(struct ethernet *ethernet) {
    if (ethernet->at_work)
        ethernet_mailbox(ethernet, MAILBOX_INTERRUPT, 0);
    ethernet->at_work = false;
}

static bool wait_interrupt(struct ethernet *ethernet, uint64_t until_ns) {
    struct tigon_host *host = ethernet->host;
    ethernet_leave(ethernet);
    /* Not before the write has arrived: the line could still be up. */
    (void)tigon_host_read32(host, HOST_CONTROL);
    for (;;) {
        const uint64_t now_ns = tigon_host_now_ns(host);
        const uint64_t left_ns = until_ns > now_ns ? until_ns - now_ns : 0;
        if (tigon_host_wait_interrupt(host, left_ns < WATCH_NS ? left_ns : WATCH_NS)) {
            ethernet->interrupts++;
            ethernet->at_work = true;
            ethernet_mailbox(ethernet, MAILBOX_INTERRUPT, 1);
            return true;
        }
        if (anything_new(ethernet)) {
            ethernet->late++;
            return true;
        }
        if (left_ns == 0)
            return false;
    }
}

static bool wait_memory(struct ethernet *ethernet, uint64_t until_ns) {
    struct tigon_host *host = ethernet->host;
    for (;;) {
        const uint64_t seen = tigon_host_write_count(host);
        const uint64_t now_ns = tigon_host_now_ns(host);
        if (anything_new(ethernet))
            return true;
        if (now_ns >= until_ns)
            return false;
        (void)tigon_host_poll(host, (const void *)(uintptr_t)ethernet->indexes, 48, seen, 200,
                              until_ns - now_ns);
    }
}

bool ethernet_wait(struct ethernet *ethernet, uint64_t timeout_ns) {
    const uint64_t until_ns = tigon_host_now_ns(ethernet->host) + timeout_ns;
    const bool told = ethernet->options.polling ? wait_memory(ethernet, until_ns)
                                                : wait_interrupt(ethernet, until_ns);
    look(ethernet);
    return told;
}

static uint64_t left(const struct ethernet *ethernet, uint64_t until_ns) {
    const uint64_t now_ns = tigon_host_now_ns(ethernet->host);
    return until_ns > now_ns ? until_ns - now_ns : 0;
}

bool ethernet_await_event(struct ethernet *ethernet, uint32_t number, uint32_t count,
                          uint64_t timeout_ns) {
    const uint64_t until_ns = tigon_host_now_ns(ethernet->host) + timeout_ns;
    ethernet_take_events(ethernet);
    while (ethernet->counts[number] < count && left(ethernet, until_ns) > 0)
        (void)ethernet_wait(ethernet, left(ethernet, until_ns));
    return ethernet->counts[number] >= count;
}

bool ethernet_await_link(struct ethernet *ethernet, bool up, uint64_t timeout_ns) {
    const uint64_t until_ns = tigon_host_now_ns(ethernet->host) + timeout_ns;
    ethernet_take_events(ethernet);
    while (ethernet_link(ethernet) != up && left(ethernet, until_ns) > 0)
        (void)ethernet_wait(ethernet, left(ethernet, until_ns));
    return ethernet_link(ethernet) == up;
}

/* ------------------------------------------------------------------------------------------------
 * Commands */

/* Until `words` more have room. */
static bool room(struct ethernet *ethernet, uint32_t words) {
    const uint64_t until_ns = tigon_host_now_ns(ethernet->host) + COMMAND_NS;
    for (;;) {
        const uint32_t consumer = ethernet_shared(ethernet, SHARED_COMMAND_CONSUMER);
        const uint32_t waiting = (ethernet->command - consumer) % COMMANDS;
        if (waiting + words < COMMANDS)
            return true;
        if (left(ethernet, until_ns) == 0) {
            (void)ethernet_fail(ethernet, "%u commands are not taken for %u ms", (unsigned)waiting,
                                COMMAND_NS / 1000000u);
            return false;
        }
        tigon_host_sleep_ns(ethernet->host, 2000);
    }
}

static void put(struct ethernet *ethernet, uint32_t word) {
    ethernet_set_shared(ethernet, SHARED_COMMANDS + 4 * (ethernet->command++ % COMMANDS), word);
}

bool ethernet_command(struct ethernet *ethernet, uint32_t number, uint32_t code) {
    if (!room(ethernet, 1))
        return false;
    put(ethernet, WORD(number, code, 0));
    ethernet_mailbox(ethernet, MAILBOX_COMMANDS, ethernet->command % COMMANDS);
    return true;
}

bool ethernet_command_long(struct ethernet *ethernet, uint32_t number, const uint8_t mac[6]) {
    if (!room(ethernet, 3))
        return false;
    put(ethernet, WORD(number, 0, 0));
    put(ethernet, (uint32_t)mac[0] << 8 | mac[1]);
    put(ethernet, (uint32_t)mac[2] << 24 | (uint32_t)mac[3] << 16 | (uint32_t)mac[4] << 8 | mac[5]);
    ethernet_mailbox(ethernet, MAILBOX_COMMANDS, ethernet->command % COMMANDS);
    return true;
}

uint64_t ethernet_statistic(const struct ethernet *ethernet, unsigned word) {
    uint32_t words[2];
    memcpy(words, ethernet->block + INFORMATION_STATISTICS + 4 * (size_t)word, sizeof words);
    return (uint64_t)words[0] << 32 | words[1];
}
