/* SPDX-License-Identifier: MIT */
/*
 * Cycle costs of the cores: every figure tigon2.md 12.4 recommends for a core, as a named knob.
 *
 * None of them is a published property of the chip; they are calibration knobs. Device, PCI and
 * wire costs live with their devices.
 */
#ifndef TIGON_SIM_TIMING_H
#define TIGON_SIM_TIMING_H

#include <stdint.h>

/* All fields are core cycles unless the name says otherwise. */
struct tigon_timing {
    /* Control flow. Every instruction costs 1 cycle to issue; the delay slot is an instruction of
     * its own, so a taken branch costs nothing more by default. */
    uint32_t taken_branch_extra; /* 0: added to a taken branch, jump or JOFF */
    uint32_t nullified_slot;     /* 1: the empty cycle of a branch-likely not taken */
    uint32_t priority_encode;    /* 1: PRI, in all */

    /* Loads and stores, in all unless said otherwise. */
    uint32_t load_use_interlock; /* 1: extra when a scratchpad load feeds the next instruction */
    uint32_t scratchpad_load;    /* 1 */
    uint32_t scratchpad_store;   /* 1 */
    uint32_t sram_load;          /* 6: idle bus; the core waits for the data, so no interlock */
    uint32_t sram_store;         /* 1: when the one-entry write buffer is free */
    uint32_t sram_store_drain;   /* 2: idle bus; from acceptance until the buffer is free again */
    uint32_t register_read;      /* 4 */
    uint32_t register_write;     /* 1 */

    uint32_t slow_memory; /* 20: a load or store of flash or boot PROM */

    /* The one-line instruction cache in front of SRAM. */
    uint32_t instruction_line_bytes; /* 64: a power of two, 32 to 256; one beat moves 8 bytes */
    uint32_t instruction_line_miss;  /* 4: on top of the beats */
};

static inline struct tigon_timing tigon_timing_default(void) {
    return (struct tigon_timing){
        .taken_branch_extra = 0,
        .nullified_slot = 1,
        .priority_encode = 1,
        .load_use_interlock = 1,
        .scratchpad_load = 1,
        .scratchpad_store = 1,
        .sram_load = 6,
        .sram_store = 1,
        .sram_store_drain = 2,
        .register_read = 4,
        .register_write = 1,
        .slow_memory = 20,
        .instruction_line_bytes = 64,
        .instruction_line_miss = 4,
    };
}

#endif
