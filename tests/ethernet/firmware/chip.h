/* SPDX-License-Identifier: MIT */
/* The chip as C code of both cores sees it. */
#ifndef ETHERNET_CHIP_H
#define ETHERNET_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/ethernet/firmware/counters.h"
#include "tests/ethernet/firmware/registers.h"
#include "tests/ethernet/interface.h"

/* Set by start.S; GCC leaves $k1 alone. */
register volatile uint32_t *chip __asm__("k1");
#define HW(offset) (chip[(offset) / 4])

#define SRAM(address)      (*(volatile uint32_t *)(address))
#define SRAM_HALF(address) (*(volatile uint16_t *)(address))

/* Variables that DMA or the other core must reach; all others of core A are in its scratchpad. */
#define IN_SRAM __attribute__((section(".sram")))

/* What runs for every frame, in a file whose other functions run from SRAM. */
#define FAST __attribute__((section(".fast")))

/* Code of core A that stays in SRAM, among such as is in the scratchpad. */
#define RARE __attribute__((section(".rare"), noinline))

/* DMA descriptor (tigon2.md 5.3). The two last words are ours. An index for the host is read by the
 * DMA straight out of `index`. */
struct dma {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t local;
    uint32_t length;
    uint32_t state;
    uint32_t sum_address;
    uint32_t index;
    uint32_t kind;
};

/* What has happened and the host has not been told. A writes, B looks at the time. */
struct untold {
    uint32_t waiting; /* not 0: B raises an event when the time has come, and clears it */
    uint32_t until;
};

/* What both cores look at. */
struct shared {
    uint32_t transmit_base; /* read only once B runs */
    uint32_t assist;        /* B is the DMA assist; likewise */
    struct untold returns;
    struct untold sends;
    uint32_t failed; /* DMAs that failed, counted by B */
};
extern volatile struct shared shared;

/* An attention that is none: a transfer that ended at a 4 GB line of host memory (tigon2.md 13.7).
 */
static inline bool dma_failed(uint32_t state, uint32_t left) {
    uint32_t attentions = state & DMA_ATTENTIONS;
    if (left == 0)
        attentions &= ~DMA_HOST_OVERFLOW;
    return attentions != 0;
}

/* A transfer that failed is tried so often, then it counts as done. */
#define DMA_TRIES 4u

#endif
