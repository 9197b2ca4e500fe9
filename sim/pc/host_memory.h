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
    uint8_t *states;   /* of each page: enum tigon_page_state */
    size_t first_free; /* no page of contiguous allocation before it is free */
    size_t end;        /* of the pages that contiguous allocation has given out so far */
    size_t scattered;  /* pages of the upper half looked at so far, and given out */
    size_t scattered_taken;
    size_t scatter_step; /* coprime to the number of pages there */
};

/* Returns 0 or -ENOMEM. */
int tigon_host_pages_initialise(struct tigon_host_pages *pages, const struct tigon_knobs *knobs);
void tigon_host_pages_free(struct tigon_host_pages *pages);

struct tigon_host_pages *tigon_host_pages(struct tigon_host *host);
const struct tigon_host_pages *tigon_host_pages_seen(const struct tigon_host *host);

#endif
