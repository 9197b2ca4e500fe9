/* Core A: start, MAC, events that belong to no other part. */
#include "tests/ethernet/firmware/core_a.h"

struct place place;
struct settings settings;
static uint32_t filter; /* bits of HW[220] */

extern void start_b(void);

void count(uint32_t counter) {
    SRAM(AREA_COUNTERS + 4 * counter)++;
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

/* One DMA by hand (tigon2.md 5.1), before B runs. */
static bool read_by_hand(uint32_t high, uint32_t low, volatile uint32_t *local, uint32_t length) {
    HW(READ_HOST_HIGH) = high;
    HW(READ_HOST_LOW) = low;
    HW(READ_LOCAL) = (uint32_t)local;
    HW(READ_LENGTH) = length;
    HW(READ_STATE) = DMA_WORDS;
    while ((HW(READ_STATE) & DMA_START) != 0)
        ;
    return (HW(READ_STATE) & DMA_ATTENTIONS) == 0;
}

static void stop_with(uint32_t state) {
    SRAM(AREA_STATE) = state;
    for (;;)
        HW(CPU_A_STATE) = CPU_HALT;
}

static struct host_ring ring(const volatile uint32_t *words) {
    return (struct host_ring){.high = words[0], .low = words[1], .entries = words[2]};
}

static bool possible(uint32_t entries) {
    return entries >= 4 && (entries & (entries - 1)) == 0;
}

static void read_control_block(void) {
    static volatile uint32_t block[BLOCK_WORDS];
    if (!read_by_hand(SRAM(AREA_BLOCK_HIGH), SRAM(AREA_BLOCK_LOW), block, sizeof block))
        stop_with(STATE_NO_BLOCK);
    settings.sends = ring(block + BLOCK_SENDS_HIGH);
    settings.buffers = ring(block + BLOCK_BUFFERS_HIGH);
    settings.returns = ring(block + BLOCK_RETURNS_HIGH);
    settings.report_high = block[BLOCK_REPORT_HIGH];
    settings.report_low = block[BLOCK_REPORT_LOW];
    settings.options = block[BLOCK_OPTIONS];
    settings.longest = block[BLOCK_LONGEST];
    shared.report_us = block[BLOCK_REPORT_US];
    if (!possible(settings.sends.entries) || !possible(settings.buffers.entries) ||
        !possible(settings.returns.entries) ||
        settings.returns.entries < settings.buffers.entries || block[BLOCK_REPORT_US] == 0)
        stop_with(STATE_BAD_BLOCK);
}

/* A third of what is left to transmit, the rest to receive. */
static void place_buffers(uint32_t size) {
    const uint32_t top = MEMORY_END - size + 0x10000 + 0x3000;
    uint32_t share = (MEMORY_END - top) >> 2;
    share += share >> 2; /* 5/16 */
    place.transmit = top;
    place.receive = (top + share) & ~0xFFFu;
    place.to_send_ring = top - TO_SEND_RING;
    place.received_ring = top - RECEIVED_RING;
    place.read_ring = top - READ_RING;
    place.write_ring = top - WRITE_RING;
    shared.transmit_base = top;
}

static void prepare_rings(void) {
    HW(ASSIST_STATE) = 0;
    HW(NEXT_ENABLE) = 3;
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

uint32_t mac_receive_state(void) {
    return MAC_RECEIVE_USUAL | MAC_ENABLE | filter;
}

void take_filter(void) {
    filter = (SRAM(AREA_FILTER) & FILTER_PROMISCUOUS) != 0 ? MAC_PROMISCUOUS : 0;
    for (uint32_t i = 0; i < 16; i += 4)
        HW(MULTICAST_HASH + i) = SRAM(AREA_FILTER + 4 + i);
    HW(MAC_RECEIVE) = mac_receive_state();
}

static void start_mac(void) {
    HW(MAC_TRANSMIT) = MAC_RESET;
    HW(MAC_RECEIVE) = MAC_RESET;
    HW(MAC_ADDRESS_HIGH) = SRAM(AREA_ADDRESS_HIGH);
    HW(MAC_ADDRESS_LOW) = SRAM(AREA_ADDRESS_LOW);
    HW(BACK_OFF_SEED) = SRAM(AREA_ADDRESS_LOW);
    HW(MAC_GAPS) = 0x241F;
    HW(MAC_THRESHOLDS) = 0x100B07E3u;
    HW(MAC_CLEARED) = 0;
    take_filter();
    HW(MAC_TRANSMIT) = MAC_TRANSMIT_FIBRE; /* words first: link.c */
}

void initialise(void) {
    const uint32_t size = memory_size();
    SRAM(AREA_MEMORY) = size;
    for (uint32_t i = 0; i < COUNTERS; i++)
        SRAM(AREA_COUNTERS + 4 * i) = 0;
    HW(TIMER) = 0;
    place_buffers(size);
    prepare_rings();
    read_control_block();
    start_mac();
    send_begin();
    link_begin();

    enabled_events = 1u << EVENT_TIMER | 1u << EVENT_DMA_FAILED | 1u << EVENT_TRANSMIT_ATTENTION |
                     1u << EVENT_RECEIVE_ATTENTION | 1u << EVENT_REPORT | 1u << EVENT_MAILBOX |
                     1u << EVENT_READ_DONE | 1u << EVENT_WRITE_DONE | 1u << EVENT_FETCH_BUFFERS |
                     1u << EVENT_RECEIVED | 1u << EVENT_FETCH_SENDS | 1u << EVENT_SEND;
    HW(CPU_B_STATE) = CPU_HALT;
    HW(CPU_B_COUNTER) = (uint32_t)start_b;
    HW(CPU_B_STATE) = 0;
    SRAM(AREA_STATE) = STATE_RUNNING;
}

void unexpected(void) {
    count(COUNTER_UNEXPECTED);
    enabled_events &= HW(EVENT_A) ^ enabled_events;
}

/* The link is looked at every millisecond. */
void tick(void) {
    HW(TIMER_REFERENCE_A) = HW(TIMER) + 1000;
    link_look();
}

void receive_attention(void) {
    const uint32_t state = HW(MAC_RECEIVE);
    HW(MAC_RECEIVE) = mac_receive_state() | (state & MAC_RECEIVE_ATTENTION);
    if ((state & MAC_BUFFER_ATTENTION) != 0)
        count(COUNTER_NO_SPACE);
    if ((state & MAC_LINK_ATTENTIONS) != 0)
        link_look();
}

void transmit_attention(void) {
    const uint32_t state = HW(MAC_TRANSMIT);
    HW(MAC_TRANSMIT) = state & ~MAC_RESET;
    count(COUNTER_UNEXPECTED);
}

void dma_failed(void) {
    clear_event(EVENT_DMA_FAILED);
    SRAM(AREA_COUNTERS + 4 * COUNTER_DMA_FAILED) = shared.failed;
}
