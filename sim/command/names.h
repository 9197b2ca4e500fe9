/* Names for the numbers that this project's own firmware leaves in its trace ring. */
#ifndef SIM_COMMAND_NAMES_H
#define SIM_COMMAND_NAMES_H

#include <stdint.h>

/* "Send.PHY.ack.0", or NULL when EMP has no such transition. */
const char *names_emp_transition(uint32_t id);

#endif
