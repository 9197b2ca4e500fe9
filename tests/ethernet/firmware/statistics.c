/* Core A: statistics to the host: what the MAC counts, and what we count (counters.h). */
#include "tests/ethernet/firmware/queue.h"

#define MAC_BYTES 0x80u

static bool on_the_way;
static uint32_t answers; /* events to come when they have arrived, and for asking meanwhile */
static uint32_t asked;
static uint32_t copied_at;

/* False: no room in the write ring. */
static bool copy(void) {
    if (write_room() < 2)
        return false;
    const struct bus_address to = bus_offset(settings.statistics, STATISTICS_COUNTERS);
    queue_write((struct transfer){.high = settings.statistics.high,
                                  .low = settings.statistics.low,
                                  .local = MAC_STATISTICS,
                                  .length = MAC_BYTES,
                                  .state = DMA_WORDS | DMA_WRITE_USUAL});
    queue_write((struct transfer){.high = to.high,
                                  .low = to.low,
                                  .local = FIRMWARE_COUNTERS,
                                  .length = 4 * COUNTERS,
                                  .state = DMA_WORDS | DMA_WRITE_USUAL,
                                  .kind = KIND_STATISTICS | LAST});
    on_the_way = true;
    copied_at = HW(TIMER);
    return true;
}

/* A copy that is on its way may have been made before what is asked for now. */
static void look(void) {
    if (on_the_way || asked == 0 || !copy())
        return;
    answers = asked;
    asked = 0;
}

void refresh_statistics(void) {
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
}
