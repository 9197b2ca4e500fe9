/* The types of the generated C for SPIN's pan.c. */
#ifndef WAITING_MODEL_H
#define WAITING_MODEL_H

#include <stdint.h>

#include "waiting_check.h"

#define WAITING_PORT_HEADER "waiting_port.h"
#include "waiting.h"

#endif
