#include "sim/command/names.h"

#include <stddef.h>

#include "build/gen/emp/emp_transition_names.h"

const char *names_emp_transition(uint32_t id) {
    return id < sizeof transition_names / sizeof *transition_names ? transition_names[id] : NULL;
}
