/* SPDX-License-Identifier: MIT */
/*
 * Core A: what the host wants: the information block and the words of the shared area. What cannot
 * be had is refused as a whole.
 */
#include "tests/ethernet/firmware/core_a.h"

#define LARGEST_SEND_RING 512u /* what the copy has room for, send.c */

struct settings settings;
IN_SRAM static volatile uint32_t information[INFORMATION_BYTES / 4];

/* One DMA by hand (tigon2.md 5.1), before B runs. */
static bool fetch(struct bus_address from, volatile uint32_t *local, uint32_t length) {
    HW(READ_HOST_HIGH) = from.high;
    HW(READ_HOST_LOW) = from.low;
    HW(READ_LOCAL) = (uint32_t)local;
    HW(READ_LENGTH) = length;
    HW(READ_STATE) = settings.read_state | DMA_WORDS;
    while ((HW(READ_STATE) & DMA_START) != 0)
        ;
    const bool failed = dma_failed(HW(READ_STATE), HW(READ_LENGTH) & 0xFFFF);
    HW(READ_STATE) = DMA_RESET;
    return !failed;
}

static struct bus_address address_at(uint32_t offset) {
    return (struct bus_address){information[offset / 4], information[offset / 4 + 1]};
}

static struct control control_at(uint32_t offset) {
    const uint32_t word = information[offset / 4 + 2];
    return (struct control){
        .ring = address_at(offset), .length = word >> 16, .flags = word & 0xFFFF};
}

static bool power_of_two(uint32_t entries, uint32_t least, uint32_t most) {
    return entries >= least && entries <= most && (entries & (entries - 1)) == 0;
}

static bool used(const struct control *control) {
    return (control->flags & RING_DISABLED) == 0;
}

/* Checksums need an engine that nothing comes between (tigon2.md 5.5), and the bytes as they are
 * (3.6). */
static bool sums_possible(void) {
    bool sums = (settings.sends.flags & (RING_TRANSPORT_SUM | RING_IP_SUM)) != 0;
    for (uint32_t i = 0; i < BUFFER_RINGS; i++)
        if (used(&settings.buffers[i]) &&
            (settings.buffers[i].flags & (RING_TRANSPORT_SUM | RING_IP_SUM)) != 0)
            sums = settings.summed_returns = true;
    if (sums && (SRAM(SHARED_MODE) & MODE_ONE_DMA) != 0)
        return false;
    return !settings.summed_returns || (HW(PCI_STATE) & PCI_ALL_BYTES) == 0;
}

static bool possible(void) {
    const uint32_t orders =
        MODE_BYTE_SWAP_DATA | MODE_WORD_SWAP_DESCRIPTORS | MODE_BYTE_SWAP_DESCRIPTORS;
    const uint32_t standard = settings.buffers[STANDARD].length;
    return (SRAM(SHARED_MODE) & orders) == (MODE_BYTE_SWAP_DATA | MODE_WORD_SWAP_DESCRIPTORS) &&
           (settings.sends.flags & RING_IN_HOST) != 0 && used(&settings.sends) &&
           power_of_two(settings.sends.length, 128, LARGEST_SEND_RING) &&
           power_of_two(settings.returns.length, 128, RETURNS) &&
           used(&settings.buffers[STANDARD]) && standard >= 60 && sums_possible();
}

bool read_information(void) {
    settings.read_state = (SRAM(SHARED_DMA_READ) & DMA_TUNING) | DMA_START;
    settings.write_state = (SRAM(SHARED_DMA_WRITE) & DMA_TUNING) | DMA_START;
    const struct bus_address from = {SRAM(SHARED_INFORMATION_HIGH), SRAM(SHARED_INFORMATION_LOW)};
    if (!fetch(from, information, INFORMATION_BYTES))
        return false;
    settings.events = control_at(INFORMATION_EVENTS);
    settings.sends = control_at(INFORMATION_SENDS);
    settings.buffers[MINI] = control_at(INFORMATION_MINI);
    settings.buffers[STANDARD] = control_at(INFORMATION_STANDARD);
    settings.buffers[JUMBO] = control_at(INFORMATION_JUMBO);
    settings.returns = control_at(INFORMATION_RETURNS);
    settings.event_producer = address_at(INFORMATION_EVENT_PRODUCER);
    settings.return_producer = address_at(INFORMATION_RETURN_PRODUCER);
    settings.send_consumer = address_at(INFORMATION_SEND_CONSUMER);
    settings.statistics = address_at(INFORMATION_STATISTICS_AT);
    settings.refused = !possible();
    read_tunables();
    return true;
}

static uint32_t any_if_zero(uint32_t most) {
    return most == 0 ? ~0u : most;
}

void read_tunables(void) {
    settings.receive_us = SRAM(SHARED_RECEIVE_TICKS);
    settings.send_us = SRAM(SHARED_SEND_TICKS);
    settings.receive_most = any_if_zero(SRAM(SHARED_RECEIVE_DESCRIPTORS));
    settings.send_most = any_if_zero(SRAM(SHARED_SEND_DESCRIPTORS));
    settings.statistics_us = SRAM(SHARED_STATISTICS_TICKS);
}
