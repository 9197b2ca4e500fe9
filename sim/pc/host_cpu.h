/* A host for the devices and the world; what programs use of it is in sim/tigon.h. */
#ifndef SIM_HOST_CPU_H
#define SIM_HOST_CPU_H

#include <stddef.h>
#include <stdint.h>

#include "sim/tigon.h"

/* A host around `board`. NULL when memory is used up. */
struct tigon_host *tigon_host_create(struct tigon_world *world, struct tigon_board *board,
                                     const struct tigon_knobs *knobs);
void tigon_host_destroy(struct tigon_host *host);

/* The board's interrupt line went up. */
void tigon_host_interrupted(struct tigon_host *host, uint64_t ticks);

/* The board wrote `length` bytes at a bus address inside host memory. */
void tigon_host_memory_written(struct tigon_host *host, uint64_t bus_address, size_t length,
                               uint64_t ticks);

/* What a read through the host's window gives may have changed by other means than a write to SRAM.
 * `host` may be NULL. */
void tigon_host_look_again(struct tigon_host *host);

/* Reads of a polling host up to `ticks` that the board's statistics do not count yet. */
uint64_t tigon_host_reads_passed(const struct tigon_host *host, uint64_t ticks);

/* One line about each program that has not finished, for reports. Returns characters that it wanted
 * to write. */
int tigon_host_describe(const struct tigon_host *host, char *text, size_t size);

#endif
