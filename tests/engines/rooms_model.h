/* The types of the generated C for SPIN's pan.c. */
#ifndef ROOMS_MODEL_H
#define ROOMS_MODEL_H

#include <stdint.h>

#include "rooms_check.h"

#define ROOMS_PORT_HEADER "rooms_port.h"
#include "rooms.h"

#endif
