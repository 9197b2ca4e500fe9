/* SPDX-License-Identifier: MIT */
#include "sim/command/charge_options.h"
#include "sim/command/debug_options.h"
#include "sim/command/observe_options.h"
#include "sim/command/run.h"
#include "sim/command/serve_options.h"

/* The debugger comes first: it continues in another process, which opens all the others' files. */
const struct run_part *const run_parts[] = {
    &debug_part, &charge_part, &observe_part, &serve_part, NULL,
};
