/* SPDX-License-Identifier: MIT */
/* Core A: statistics to the host: what the MAC counts, and what we count (counters.h). */
#include "tests/ethernet/firmware/parameters.h"
#include "tests/ethernet/firmware/queue.h"

#define MAC_BYTES    0x80u
#define CRC_BYTES    4u
#define TOTALS_FIRST STATISTICS_IN_BYTES
#define TOTALS_WORDS 16u

/* Counters of 64 bits as the public drivers read them, from word TOTALS_FIRST on: bytes, then
 * frames by kind, in and out. */
static volatile uint32_t totals[TOTALS_WORDS];
IN_SRAM static volatile uint32_t staged_totals[TOTALS_WORDS]; /* where DMA reaches them */

static bool on_the_way;
static uint32_t answers; /* events to come when they have arrived, and for asking meanwhile */
static uint32_t asked;
static uint32_t copied_at;

FAST static void add(uint32_t first, uint32_t count) {
    const uint32_t sum = totals[first + 1] + count;
    totals[first + 1] = sum;
    if (sum < count)
        totals[first]++;
}

/* `flags` are 0x20, 0x40 and 0x60 for what lies 2, 4 and 6 words after the bytes. */
FAST static void count_frame(uint32_t first, uint32_t flags, uint32_t length) {
    add(first - TOTALS_FIRST, length + CRC_BYTES);
    add(first - TOTALS_FIRST + ((flags & DESCRIPTOR_BROADCAST) >> 4), 1);
}

FAST void count_frame_in(uint32_t flags, uint32_t length) {
    count_frame(STATISTICS_IN_BYTES, flags, length);
}

FAST void count_frame_out(uint32_t address, uint32_t length) {
    const uint32_t first = SRAM(address);
    uint32_t flags = DESCRIPTOR_UNICAST;
    if ((first & 0x01000000u) != 0)
        flags = first == 0xFFFFFFFFu && SRAM(address + 4) >> 16 == 0xFFFFu ? DESCRIPTOR_BROADCAST
                                                                           : DESCRIPTOR_MULTICAST;
    count_frame(STATISTICS_OUT_BYTES, flags, length);
}

static void copy_words(uint32_t offset, uint32_t local, uint32_t bytes, uint32_t kind) {
    const struct bus_address to = bus_offset(settings.statistics, offset);
    queue_write((struct transfer){.high = to.high,
                                  .low = to.low,
                                  .local = local,
                                  .length = bytes,
                                  .state = DMA_WORDS | DMA_WRITE_USUAL,
                                  .kind = kind});
}

/* False: no room in the write ring. */
static bool copy(void) {
    if (write_room() < 3)
        return false;
    for (uint32_t i = 0; i < TOTALS_WORDS; i++)
        staged_totals[i] = totals[i];
    copy_words(4 * TOTALS_FIRST, (uint32_t)staged_totals, sizeof staged_totals, KIND_NONE);
    copy_words(STATISTICS_OF_MAC, MAC_STATISTICS, MAC_BYTES, KIND_NONE);
    copy_words(STATISTICS_COUNTERS, FIRMWARE_COUNTERS, 4 * COUNTERS, KIND_STATISTICS | LAST);
    on_the_way = true;
    copied_at = HW(TIMER);
    return true;
}

/* A request waits for a copy that starts after it: one under way may hold older counts. */
static void look(void) {
    if (on_the_way || asked == 0 || !copy())
        return;
    answers = asked;
    asked = 0;
}

/* Of what the host has, which nothing needs. */
static void read_from_host(void) {
    IN_SRAM static volatile uint32_t read[INFORMATION_EVENTS / 4];
    if (reads.free != 0)
        queue_read((struct transfer){.high = settings.statistics.high,
                                     .low = settings.statistics.low,
                                     .local = (uint32_t)read,
                                     .length = sizeof read,
                                     .state = DMA_WORDS,
                                     .kind = KIND_NONE | LAST});
}

void refresh_statistics(void) {
    if (REFRESH_READS) {
        read_from_host();
        return;
    }
    asked++;
    look();
}

void statistics_delivered(void) {
    on_the_way = false;
    for (; answers != 0; answers--)
        tell_event(EVENT_STATISTICS, 0, 0);
    look();
}

void statistics_tick(void) {
    const uint32_t waiting =
        (HW(RECEIVED_PRODUCER) - HW(RECEIVED_CONSUMER)) / 8 & (RECEIVED_BYTES / 8 - 1);
    if (waiting > SRAM(FIRMWARE_COUNTERS + 4 * COUNTER_MOST_WAITING))
        SRAM(FIRMWARE_COUNTERS + 4 * COUNTER_MOST_WAITING) = waiting;
    if (!on_the_way && settings.statistics_us != 0 &&
        HW(TIMER) - copied_at >= settings.statistics_us)
        (void)copy();
    look();
}

void clear_profile(void) {
    SRAM(FIRMWARE_COUNTERS + 4 * COUNTER_MOST_WAITING) = 0;
}

void clear_statistics(void) {
    mac_stop();
    for (uint32_t i = 0; i < MAC_BYTES; i += 4)
        SRAM(MAC_STATISTICS + i) = 0;
    mac_go();
    for (uint32_t i = 0; i < COUNTERS; i++)
        SRAM(FIRMWARE_COUNTERS + 4 * i) = 0;
    for (uint32_t i = 0; i < TOTALS_WORDS; i++)
        totals[i] = 0;
}
