/* SPDX-License-Identifier: MIT */
/* Charges (sim/chip/charge.h) on both boards of a pair: published-cost mode. */
#ifndef HOST_DEMO_CHARGES_H
#define HOST_DEMO_CHARGES_H

#include "host/demo/pair.h"
#include "sim/observe/charge_table.h"

#include <cjson/cJSON.h>

struct charges {
    struct tigon_charge_file *file;
    struct tigon_charging *side[2][2]; /* by core */
};

/* Begins to charge both cores of both boards by the file `path`, with the image of the pair.
 * `effects` places all effects "before" or "after" the time, or is NULL: as the file says. Call
 * between pair_open and pair_run. 0 or a negative errno value; then the pair's message says what is
 * wrong.
 */
int charges_start(struct charges *charges, struct pair *pair, const char *path,
                  const char *effects);

/* One object a line of the file, counts of both boards together. */
cJSON *charges_describe(const struct charges *charges);

/* What each core of both boards together waited for: the lock, and slots of the SRAM bus. */
cJSON *charges_describe_waits(const struct pair *pair);

/* Before pair_close; also after charges_start has failed. */
void charges_end(struct charges *charges);

#endif
