/* SPDX-License-Identifier: MIT */
/*
 * Both units of the protocol late, as the program sees them.
 */
#ifndef TESTS_BACKEND_MESSAGES_LATE_UNIT_H
#define TESTS_BACKEND_MESSAGES_LATE_UNIT_H

#include <stdbool.h>
#include <stdint.h>

#include "late.h"

#include "fw-runtime/messages.h"

extern struct nic_messages late_queues[2]; /* by the number of the processor that takes */
extern struct late_state late_common;
extern uint16_t late_told, late_wrapped; /* what the devices had last */
extern uint32_t late_never;              /* events that the spec excludes */

struct late_unit {
    bool (*take)(void); /* a message; false when there is none */
    enum hsm_verdict (*order)(uint16_t number);
    enum hsm_verdict (*hint)(uint16_t number);
    enum hsm_verdict (*wrapped)(uint8_t order);
};
extern const struct late_unit late_clerk, late_packer;

#endif
