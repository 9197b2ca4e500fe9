/* SPDX-License-Identifier: MIT */
/*
 * The interface from a board to the computer it is plugged into: the host of sim/pc, or a test.
 */
#ifndef SIM_HOST_SIDE_H
#define SIM_HOST_SIDE_H

#include <stddef.h>
#include <stdint.h>

struct tigon_board;
struct tigon_host;

/* Memory on the PCI bus, which DMA reaches. */
struct tigon_bus_memory {
    uint8_t *bytes;
    size_t size;
    uint64_t base; /* bus address of the first byte */
};

struct tigon_host_side {
    struct tigon_host *host; /* passed to the functions, of which each may be NULL */
    struct tigon_bus_memory memory;

    /* The board's interrupt line went up. */
    void (*interrupted)(struct tigon_host *host, uint64_t ticks);

    /* The board wrote `length` bytes at a bus address inside the memory. */
    void (*memory_written)(struct tigon_host *host, uint64_t bus_address, size_t length,
                           uint64_t ticks);

    /* Values read through the host's window may have changed other than by a write to SRAM. */
    void (*window_changed)(struct tigon_host *host);

    /* Reads of a polling host up to `ticks` that the board's statistics do not count yet. */
    uint64_t (*reads_passed)(const struct tigon_host *host, uint64_t ticks);
};

#endif
