#include "sim/command/run.h"

const struct run_part *const run_parts[] = {
    NULL,
};
