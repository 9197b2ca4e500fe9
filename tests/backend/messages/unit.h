/* SPDX-License-Identifier: MIT */
/*
 * A unit of the protocol post, as the program sees it: two processors that share memory, a lock and
 * a queue each way.
 */
#ifndef TESTS_BACKEND_MESSAGES_UNIT_H
#define TESTS_BACKEND_MESSAGES_UNIT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "post.h"

#include "fw-runtime/messages.h"

struct shared {
    struct nic_messages to[2]; /* by the number of the processor that takes */
    atomic_flag locked;
    struct post_state common; /* its members that both units use; each unit has others of its own */
};
extern struct shared shared;

struct unit {
    void (*start)(void);
    bool (*take)(void); /* a message; false when there is none */
    enum hsm_verdict (*order)(const struct post_parcel *parcel);
    void (*expire)(void);
    const struct post_state *state;
};
extern const struct unit unit_a, unit_b, unit_whole;

/* What the machines tell: called by either processor. */
void told(uint16_t number, uint32_t value);

#endif
