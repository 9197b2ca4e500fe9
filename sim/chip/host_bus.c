/* SPDX-License-Identifier: MIT */
/* PCI bus: see host_bus.h. */
#include "sim/chip/host_bus.h"

#include "sim/chip/board.h"

/* Sustained read, sustained write, peak, in bytes per second (tigon2.md 8 and 12.4). */
static const uint64_t rates[3][3] = {
    [TIGON_BUS_64_66] = {320000000, 420000000, 528000000},
    [TIGON_BUS_64_33] = {180000000, 230000000, 264000000},
    [TIGON_BUS_32_33] = {90000000, 115000000, 132000000},
};

static void through(void *context, uint64_t ticks) {
    struct tigon_pci_channel *channel = context;
    struct tigon_board *board = channel->board;
    board->now = ticks;
    tigon_pci_abort(board, (unsigned)(channel - board->pci.channel));
    channel->done(board, (unsigned)(channel - board->pci.channel));
}

static uint32_t cycles_per_beat(uint64_t rate) {
    const uint64_t core_rate = TIGON_TICKS_PER_SECOND / TIGON_TICKS_PER_CYCLE * 8u;
    const uint64_t spacing = (core_rate << 16) / rate;
    return spacing > UINT32_MAX ? UINT32_MAX : (uint32_t)spacing;
}

void tigon_pci_initialise(struct tigon_board *board,
                          void (*done)(struct tigon_board *board, unsigned channel)) {
    const struct tigon_knobs *knobs = &board->knobs;
    const uint64_t *preset = rates[knobs->bus_kind];
    struct tigon_pci *pci = &board->pci;
    pci->channel[TIGON_PCI_READ].rate = knobs->pci_read_rate ? knobs->pci_read_rate : preset[0];
    pci->channel[TIGON_PCI_WRITE].rate = knobs->pci_write_rate ? knobs->pci_write_rate : preset[1];
    pci->peak = knobs->pci_peak_rate ? knobs->pci_peak_rate : preset[2];
    pci->demand = pci->channel[0].rate + pci->channel[1].rate;
    if (pci->demand < pci->peak)
        pci->demand = pci->peak;
    for (unsigned i = 0; i < 2; i++) {
        pci->channel[i].cycles_per_beat = cycles_per_beat(pci->channel[i].rate);
        pci->channel[i].board = board;
        pci->channel[i].done = done;
        tigon_event_initialise(&pci->channel[i].event, through, &pci->channel[i]);
    }
}

/* value * numerator / denominator without overflow, rounded down; all of this file stays far below
 * 2^128. */
static uint64_t scale(uint64_t value, uint64_t numerator, uint64_t denominator) {
    __extension__ typedef unsigned __int128 wide;
    uint64_t product;
    if (!__builtin_mul_overflow(value, numerator, &product)) /* the shorter division is faster */
        return product / denominator;
    return (uint64_t)((wide)value * numerator / denominator);
}

static bool shared(const struct tigon_pci *pci) {
    return pci->channel[0].active && pci->channel[1].active;
}

/* Subtracts the work done since the last update, at the speed of that time. Where only one channel
 * is active, before or after a change, the work of the other is not used: it restarts from zero. */
static void settle(struct tigon_board *board, bool was_shared) {
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_pci_channel *channel = &board->pci.channel[i];
        uint64_t done = board->now - channel->since;
        if (was_shared)
            done = scale(done, board->pci.peak, board->pci.demand);
        channel->work -= done < channel->work ? done : channel->work;
        channel->since = board->now;
    }
}

static void retime(struct tigon_board *board) {
    const bool slow = shared(&board->pci);
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_pci_channel *channel = &board->pci.channel[i];
        if (!channel->active)
            continue;
        uint64_t left = channel->work;
        if (slow)
            left = scale(left, board->pci.demand, board->pci.peak) + 1;
        tigon_board_schedule(board, &channel->event, board->now + left);
    }
}

static uint64_t ticks_alone(const struct tigon_board *board, unsigned channel, uint32_t bytes) {
    const uint64_t rate = board->pci.channel[channel].rate;
    return (bytes * (uint64_t)TIGON_TICKS_PER_SECOND + rate - 1) / rate;
}

void tigon_pci_begin(struct tigon_board *board, unsigned channel, uint32_t bytes) {
    struct tigon_pci_channel *own = &board->pci.channel[channel];
    const bool alone = !board->pci.channel[1u - channel].active;
    if (!alone)
        settle(board, false);
    own->active = true;
    own->work = ticks_alone(board, channel, bytes);
    own->since = board->now;
    if (alone)
        tigon_board_schedule(board, &own->event, board->now + own->work);
    else
        retime(board);
}

void tigon_pci_abort(struct tigon_board *board, unsigned channel) {
    struct tigon_pci_channel *own = &board->pci.channel[channel];
    if (!own->active)
        return;
    const bool alone = !board->pci.channel[1u - channel].active;
    if (!alone)
        settle(board, true);
    own->active = false;
    tigon_schedule_cancel(board->schedule, &own->event);
    if (!alone)
        retime(board);
}

uint64_t tigon_pci_worst_ticks(const struct tigon_board *board, unsigned channel, uint32_t bytes) {
    const uint64_t alone = ticks_alone(board, channel, bytes);
    /* Each change of partner rounds by at most two ticks; the other engine, with its latency of
     * hundreds of ns between transfers, changes less often than once per 64 bytes of ours. */
    return scale(alone, board->pci.demand, board->pci.peak) + 2 + bytes / 16u;
}

uint8_t *tigon_pci_memory(struct tigon_board *board, uint64_t bus_address, size_t length) {
    const struct tigon_bus_memory *all = &board->host_side.memory;
    const uint64_t offset = bus_address - all->base;
    if (bus_address < all->base || offset > all->size || length > all->size - offset)
        return NULL;
    return all->bytes + offset;
}
