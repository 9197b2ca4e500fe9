/* The types of the generated C of EMP under a check configuration, for SPIN's pan.c. */
#ifndef MODELS_EMP_MODEL_H
#define MODELS_EMP_MODEL_H

#include <stdint.h>

/* The parameters in which the nodes differ, and which change while they run. */
#define emp_value_node            ((uint32_t)emp_node)
#define FALLING                   now.falling
#define emp_value_epoch           ((uint32_t)now.number[emp_node])
#define emp_value_collection_size ((uint32_t)now.collection_size)
#include "emp_check.h"

#define EMP_PORT_HEADER "emp_port.h"
#include "emp.h"

#endif
