/* The types of the generated C of the alternating-bit protocol under a check configuration, for
 * SPIN's pan.c. */
#ifndef MODELS_ABP_MODEL_H
#define MODELS_ABP_MODEL_H

#include <stdint.h>

#include "abp_check.h"

#define ABP_PORT_HEADER "abp_port.h"
#include "abp.h"

#endif
