/* The chip as C code of both cores sees it. */
#ifndef ETHERNET_CHIP_H
#define ETHERNET_CHIP_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/ethernet/firmware/interface.h"
#include "tests/ethernet/firmware/registers.h"

/* Set by start.S; GCC leaves $k1 alone. */
register volatile uint32_t *chip __asm__("k1");
#define HW(offset) (chip[(offset) / 4])

#define SRAM(address) (*(volatile uint32_t *)(address))

/* DMA descriptor (tigon2.md 5.3). */
struct dma {
    uint32_t host_high;
    uint32_t host_low;
    uint32_t local;
    uint32_t length;
    uint32_t state;
    uint32_t checksum_address;
    uint32_t kind;
    uint32_t index;
};

/* What both cores look at. */
struct shared {
    uint32_t transmit_base; /* read only once B runs */
    uint32_t report_us;
    uint32_t unreported; /* set by A: something changed; cleared by A */
    uint32_t failed;     /* DMAs that failed, counted by B */
};
extern volatile struct shared shared;

#endif
