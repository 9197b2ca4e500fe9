/* SPDX-License-Identifier: MIT */
/* The memory of a host, for host_cpu.c; the part for programs is in sim/tigon.h. */
#ifndef SIM_HOST_MEMORY_H
#define SIM_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/chip/host_side.h"
#include "sim/knobs.h"

struct tigon_host;

struct tigon_host_pages {
    struct tigon_bus_memory memory;
    bool scatter;
    size_t next_page;    /* of contiguous allocation */
    size_t scattered;    /* pages given out of the upper half */
    size_t scatter_step; /* coprime to the number of pages there */
};

/* Returns 0 or -ENOMEM. */
int tigon_host_pages_initialise(struct tigon_host_pages *pages, const struct tigon_knobs *knobs);
void tigon_host_pages_free(struct tigon_host_pages *pages);

struct tigon_host_pages *tigon_host_pages(struct tigon_host *host);
const struct tigon_host_pages *tigon_host_pages_seen(const struct tigon_host *host);

#endif
