/* SPDX-License-Identifier: MIT */
/*
 * The PCI bus under the DMA engines: how long a transfer's data takes while two engines share the
 * wires, and access to host memory by bus address (tigon2.md 12.4).
 *
 * Model: alone, a channel moves data at its sustained rate, which is below the peak of the bus
 * because of turnaround and target wait states. With both active the shares of bus time they need
 * add up; above the peak both slow down in proportion. A change of partner re-times the transfer
 * under way, exactly, in integer arithmetic.
 */
#ifndef SIM_HOST_BUS_H
#define SIM_HOST_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/schedule.h"

struct tigon_board;
struct tigon_knobs;

enum tigon_pci_channel_index { TIGON_PCI_READ, TIGON_PCI_WRITE };

struct tigon_pci_channel {
    struct tigon_event event;
    bool active;
    uint64_t rate; /* bytes per second alone */
    uint64_t work; /* ticks of exclusive use still needed at `since` */
    uint64_t since;
    uint32_t cycles_per_beat; /* core cycles for 8 bytes at `rate`, 16.16 */
    struct tigon_board *board;
    void (*done)(struct tigon_board *board, unsigned channel);
};

struct tigon_pci {
    struct tigon_pci_channel channel[2];
    uint64_t peak; /* bytes per second */
    uint64_t
        demand; /* peak, or the sum of both rates when that is more: slowdown = demand / peak */
};

/* Fills in rates by bus kind where the knobs leave 0. `done` is called when data of a channel is
 * through. */
void tigon_pci_initialise(struct tigon_board *board,
                          void (*done)(struct tigon_board *board, unsigned channel));

/* Starts moving `bytes` at board->now; the channel must be idle. */
void tigon_pci_begin(struct tigon_board *board, unsigned channel, uint32_t bytes);
/* Stops it without calling done. */
void tigon_pci_abort(struct tigon_board *board, unsigned channel);

/* Longest time `bytes` can take, partner active throughout. */
uint64_t tigon_pci_worst_ticks(const struct tigon_board *board, unsigned channel, uint32_t bytes);

/* The bytes behind a bus address, or NULL unless the whole range is host memory. */
uint8_t *tigon_pci_memory(struct tigon_board *board, uint64_t bus_address, size_t length);

#endif
