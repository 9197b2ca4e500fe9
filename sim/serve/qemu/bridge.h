/* SPDX-License-Identifier: MIT */
/*
 * A served board as a PCI device of a virtual machine. The guest's RAM is the board's host memory,
 * so DMA needs no part of this; accesses of the guest become requests of the board's server, and
 * the board's interrupt line the machine's.
 *
 * Time. Running freely, both sides follow the clock. In lock step the board waits for the guest:
 * from the guest's first access to a register on, the time in which the guest executes instructions
 * passes for the board, too, in steps of at most `quantum_ns`; an access takes the time that it
 * takes the board's host, and none of the guest's. Before that access the board stands still.
 */
#ifndef SIM_SERVE_QEMU_BRIDGE_H
#define SIM_SERVE_QEMU_BRIDGE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/serve/client/tigon_client.h"
#include "sim/serve/qemu/machine.h"

struct bridge {
    struct tigon_client *board;
    struct machine *machine;
    uint64_t memory_inode; /* of the file of host memory, to recognise it */
    unsigned shift;        /* an instruction of the guest takes 2^shift ns */
    uint64_t quantum_ns;
    uint64_t instructions; /* up to which time has passed for the board */
    bool started;          /* time passes */
    bool gone;             /* the server has gone: as a board that was pulled out */
};

/* Serves the guest until its machine has ended. 0, or a negative errno value after a sentence on
 * stderr. */
int bridge_run(struct bridge *bridge);

#endif
