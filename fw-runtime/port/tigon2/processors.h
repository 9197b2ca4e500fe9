/* SPDX-License-Identifier: MIT */
/*
 * What a processor does that has another one beside it: the lock, and bits in the two event words
 * (tigon2.md 3.4, 4). models/proof/processors.py proves this C, access by access.
 *
 * The semaphore has a face for each processor. A write to the own one takes the lock if it is free,
 * gives it back if the writer holds it, and else does nothing; so a waiter writes once for each
 * zero it reads, and the one that holds the lock must not write again before it is done. The depth
 * is for that.
 *
 * Either processor sets bits in either event word, by reading and writing all of it: only under the
 * lock. Writes to hardware bits are ignored.
 */
#ifndef FW_RUNTIME_TIGON2_PROCESSORS_H
#define FW_RUNTIME_TIGON2_PROCESSORS_H

#include <stdbool.h>
#include <stdint.h>

#include "fw-runtime/port/tigon2/registers.h"

#if NIC_PROCESSOR == 0
#define TIGON2_OWN_SEMAPHORE   TIGON2_SEMAPHORE_A
#define TIGON2_OWN_EVENT       TIGON2_EVENT
#define TIGON2_OTHER_EVENT     TIGON2_EVENT_B
#define TIGON2_OTHER_CPU_STATE TIGON2_CPU_B_STATE
#else
#define TIGON2_OWN_SEMAPHORE   TIGON2_SEMAPHORE_B
#define TIGON2_OWN_EVENT       TIGON2_EVENT_B
#define TIGON2_OTHER_EVENT     TIGON2_EVENT
#define TIGON2_OTHER_CPU_STATE TIGON2_CPU_A_STATE
#endif

extern uint32_t tigon2_lock_depth NIC_FAST;
void tigon2_count_wait(void);

static inline void nic_lock(void) {
    if (tigon2_lock_depth++ != 0)
        return;
    TIGON2_REGISTER(OWN_SEMAPHORE) = 1;
    while (__builtin_expect(TIGON2_REGISTER(OWN_SEMAPHORE) == 0, 0)) {
        tigon2_count_wait();
        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;
    }
}

static inline void nic_unlock(void) {
    if (--tigon2_lock_depth == 0)
        TIGON2_REGISTER(OWN_SEMAPHORE) = 1;
}

static inline bool nic_has_lock(void) {
    return tigon2_lock_depth != 0;
}

static inline void tigon2_raise(unsigned event) {
    nic_lock();
    TIGON2_REGISTER(OWN_EVENT) |= 1u << event;
    nic_unlock();
}

static inline void tigon2_withdraw(unsigned event) {
    nic_lock();
    TIGON2_REGISTER(OWN_EVENT) &= ~(1u << event);
    nic_unlock();
}

static inline bool tigon2_raised(unsigned event) {
    return (TIGON2_REGISTER(OWN_EVENT) & 1u << event) != 0;
}

static inline void nic_signal(void) {
    nic_lock();
    TIGON2_REGISTER(OTHER_EVENT) |= 1u << TIGON2_EVENT_SIGNAL;
    nic_unlock();
}

#endif
