/* SPDX-License-Identifier: MIT */
/* Core A: start. */
#include "tests/ethernet/firmware/queue.h"

struct place place;

extern void start_b(void);

void fail_start(uint32_t state) {
    SRAM(FIRMWARE_STATE) = state;
    for (;;)
        HW(CPU_A_STATE) = CPU_HALT;
}

static void lock(void) {
    do
        HW(SEMAPHORE_A) = 1;
    while (HW(SEMAPHORE_A) == 0);
}

static void unlock(void) {
    HW(SEMAPHORE_A) = 1;
}

void raise_event(uint32_t event) {
    lock();
    HW(EVENT_A) |= 1u << event;
    unlock();
}

void clear_event(uint32_t event) {
    lock();
    HW(EVENT_A) &= ~(1u << event);
    unlock();
}

/* The fitted SRAM repeats (tigon2.md 2.2): a size is found when its double shows what lies at it.
 */
static uint32_t memory_size(void) {
    uint32_t size = 0x40000;
    while (size < 0x800000) {
        SRAM(size) = 0x5A17C0DEu;
        SRAM(2 * size) = 0;
        const bool same = SRAM(size) == 0;
        SRAM(2 * size) = 0x3C96E10Fu;
        if (same && SRAM(size) == 0x3C96E10Fu)
            return size;
        size *= 2;
    }
    return size;
}

/* Below its scratchpad the stack goes on in SRAM (tigon2.md 2.1). */
static void check_stack(void) {
    const uint32_t below = 0x00BFFFF0u;
    const uint32_t there = (below - HW(CPU_A_STACK)) & (MEMORY_END - 1);
    SRAM(below) = 0xDEADBEEFu;
    if (SRAM(there) != 0xDEADBEEFu)
        fail_start(STATE_BAD_STACK);
}

#define VARIABLES_END 0x18000u /* image.lds */
#define RINGS_BYTES   0x3000u
#define PAGE          0x1000u
#define LEAST_SEND    0x10000u
#define LEAST_RECEIVE 0x20000u

/* The host says how many 64ths of what is left are to transmit. */
static void place_buffers(uint32_t size) {
    const uint32_t begin = MEMORY_END - size + VARIABLES_END + RINGS_BYTES;
    const uint32_t space = MEMORY_END - begin;
    uint32_t share = 0;
    for (uint32_t bit = 0; bit < 6; bit++) /* there is no multiplication */
        if ((SRAM(SHARED_TRANSMIT_SHARE) >> bit & 1) != 0)
            share += space >> 6 << bit;
    share &= ~(PAGE - 1);
    if (share < LEAST_SEND)
        share = LEAST_SEND;
    if (share > space - LEAST_RECEIVE)
        share = (space - LEAST_RECEIVE) & ~(PAGE - 1);
    place.transmit = begin;
    place.receive = begin + share;
    place.to_send_ring = begin - TO_SEND_RING;
    place.received_ring = begin - RECEIVED_RING;
    place.read_ring = begin - READ_RING;
    place.write_ring = begin - WRITE_RING;
    shared.transmit_base = begin;
}

static void prepare_rings(void) {
    HW(ASSIST_STATE) = 0;
    HW(READ_STATE) = DMA_RESET;
    HW(WRITE_STATE) = DMA_RESET;
    HW(TRANSMIT_BASE) = place.transmit;
    HW(TRANSMIT_PRODUCER) = place.transmit;
    HW(TRANSMIT_CONSUMER) = place.transmit;
    HW(RECEIVE_BASE) = place.receive;
    HW(RECEIVE_PRODUCER) = place.receive;
    HW(RECEIVE_CONSUMER) = place.receive;
    for (uint32_t i = 0; i < 12; i += 4) {
        HW(READ_RING_PRODUCER + i) = 0;
        HW(WRITE_RING_PRODUCER + i) = 0;
        HW(READ_LOW_RING + i) = 0;
        HW(WRITE_LOW_RING + i) = 0;
        HW(TO_SEND_PRODUCER + i) = place.to_send_ring;
        HW(RECEIVED_PRODUCER + i) = place.received_ring;
    }
    for (uint32_t i = 0; i < RECEIVED_BYTES; i += 8) {
        SRAM(place.received_ring + i) = 0;
        SRAM(place.received_ring + i + 4) = 0x01000000u;
    }
}

static void start_assist(void) {
    const bool by_hardware = (SRAM(SHARED_MODE) & MODE_ONE_DMA) != 0;
    settings.assist = by_hardware ? ASSIST_ENABLE | ASSIST_ONE : 0;
    shared.assist = by_hardware ? 0 : 1;
    HW(ASSIST_STATE) = settings.assist;
    HW(CPU_B_STATE) = CPU_HALT;
    HW(CPU_B_COUNTER) = (uint32_t)start_b;
    HW(CPU_B_STATE) = CPU_NULL_PAGE;
}

/* What is served when the configuration is no good: events still go to the host. */
#define EVENTS_OF_REFUSAL                                                                          \
    (1u << EVENT_TIMER | 1u << EVENT_WRITE_DONE | 1u << EVENT_MAILBOX |                            \
     1u << EVENT_RECEIVE_ATTENTION)
#define EVENTS_OF_USUAL                                                                            \
    (EVENTS_OF_REFUSAL | 1u << EVENT_TRANSMIT_ATTENTION | 1u << EVENT_TELL_RETURNS |               \
     1u << EVENT_TELL_SENDS | 1u << EVENT_READ_DONE | 1u << EVENT_FETCH_BUFFERS |                  \
     1u << EVENT_LEDS | 1u << EVENT_RECEIVED | 1u << EVENT_FETCH_SENDS | 1u << EVENT_SEND)

void initialise(void) {
    HW(NEXT_ENABLE) = 3;
    HW(CPU_A_STATE) |= CPU_NULL_PAGE;
    check_stack();
    const uint32_t size = memory_size();
    SRAM(FIRMWARE_MEMORY) = size;
    for (uint32_t i = 0; i < COUNTERS; i++)
        SRAM(FIRMWARE_COUNTERS + 4 * i) = 0;
    HW(TIMER) = 0;
    place_buffers(size);
    prepare_rings();
    queue_begin();
    if (!read_information())
        fail_start(STATE_NO_INFORMATION);
    start_assist();
    enabled_events = settings.refused ? EVENTS_OF_REFUSAL : EVENTS_OF_USUAL;
    /* Hardware tells A of failed transfers; B looks at those that it starts itself. */
    if (settings.assist != 0)
        enabled_events |= 1u << EVENT_READ_ATTENTION | 1u << EVENT_WRITE_ATTENTION;
    HW(TIMER_REFERENCE_A) = HW(TIMER) + 1000;
    if (settings.refused) {
        SRAM(FIRMWARE_STATE) = STATE_BAD_CONFIGURATION;
        tell_event(EVENT_ERROR, 3, 0);
        return;
    }
    mac_begin();
    filter_begin();
    send_begin();
    receive_begin();
    link_begin();
    host_begin();
    SRAM(FIRMWARE_STATE) = STATE_RUNNING;
    tell_event(EVENT_UP, 0, 0);
}

void unexpected(void) {
    count(COUNTER_UNEXPECTED);
    enabled_events &= HW(EVENT_A) ^ enabled_events;
}

/* Every millisecond. */
void tick(void) {
    static uint32_t seen;
    HW(TIMER_REFERENCE_A) = HW(TIMER) + 1000;
    host_look();
    if (settings.refused)
        return;
    link_tick();
    statistics_tick();
    const uint32_t failed = shared.failed; /* B counts on */
    SRAM(FIRMWARE_COUNTERS + 4 * COUNTER_DMA_FAILED) += failed - seen;
    seen = failed;
}
