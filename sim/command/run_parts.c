#include "sim/command/observe_options.h"
#include "sim/command/run.h"

const struct run_part *const run_parts[] = {
    &observe_part,
    NULL,
};
