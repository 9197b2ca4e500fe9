/* The types of the generated C for SPIN's pan.c. */
#ifndef LATE_MODEL_H
#define LATE_MODEL_H

#include <stdint.h>

#include "late_check.h"

#define LATE_PORT_HEADER "late_port.h"
#include "late.h"

#endif
