/* SPDX-License-Identifier: MIT */
/* HW[140].. and HW[240]..: state, program counter, scratchpad port and registers of the cores
 * (tigon2.md 3.1, 3.7). */
#ifndef SIM_CORE_CONTROL_H
#define SIM_CORE_CONTROL_H

#include <stdint.h>

struct tigon_board;

struct tigon_core_control {
    uint64_t running_cycles[2]; /* of finished stretches */
    uint64_t started[2];        /* cycle at which the current stretch began */
    uint64_t parked_cycles[2];  /* of finished stretches */
    uint64_t parked_since[2];
    uint64_t scratchpad_reads; /* through HW[158] and HW[258], for knob quirk_scratchpad_read */
    unsigned running;          /* bit per core, as last seen by tigon_core_account */
    /* State registers for which that holds, without a fault: a cheap test that nothing changed.
     * UINT32_MAX: the full test is due. */
    uint32_t known_state[2];
};

/* Notes which cores run from `cycle` on, for the statistics. */
void tigon_core_account(struct tigon_board *board, uint64_t cycle);

#endif
