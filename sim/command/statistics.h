/* SPDX-License-Identifier: MIT */
/* The counters of a board by name, for tables, JSON and expectations. */
#ifndef SIM_COMMAND_STATISTICS_H
#define SIM_COMMAND_STATISTICS_H

#include "sim/tigon.h"

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdint.h>

/* The table's own text of a name such as "core_a.instructions", or NULL. */
const char *statistics_find(const char *name);
const char *statistics_suggest(const char *name);

uint64_t statistics_value(const struct tigon_statistics *statistics, const char *name);

/* All of them as an object; a dot in a name makes an object within. */
cJSON *statistics_json(const struct tigon_statistics *statistics);
cJSON *statistics_wire_json(const struct tigon_wire_statistics *statistics);

#endif
