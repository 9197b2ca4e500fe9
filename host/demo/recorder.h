/* SPDX-License-Identifier: MIT */
/* Records what the firmware of a simulated board does, for hsmc conform; docs/conformance.md has
 * the format.
 *
 * The transition ring is read through the simulator's back door, so recording takes no simulated
 * time and changes nothing. What the ring has lost by wrapping is recorded as a gap. With an image
 * that keeps the protocol's border out of line (build/firmware/emp_a_observed.elf) calls of events,
 * expiries and devices are recorded with their arguments too, in order with the transitions. */
#ifndef HOST_DEMO_RECORDER_H
#define HOST_DEMO_RECORDER_H

#include "sim/tigon.h"

struct recorder;

/* Begins to record a board into the file `path`. `image` is the ELF file it will run. Call before
 * the world runs; at most one recorder a board. 0 or a negative errno value. */
int recorder_open(struct recorder **recorder, struct tigon_board *board, const char *image,
                  const char *path);

/* Writes what is left and the state of the protocol, and closes. Call before the world is
 * destroyed. 0 or the negative errno value of the first write that failed. NULL is allowed. */
int recorder_close(struct recorder *recorder);

#endif
