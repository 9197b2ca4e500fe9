/* SPDX-License-Identifier: MIT */
/*
 * Sets of bits in common memory that both processors change: under the lock.
 */
#ifndef SPEC_EMP_FIRMWARE_BITS_H
#define SPEC_EMP_FIRMWARE_BITS_H

/* Takes all bits of a set. */
static inline uint32_t bits_taken(volatile uint32_t *set) {
    uint32_t found;
    if (*set == 0)
        return 0;
    nic_lock();
    found = *set;
    *set = 0;
    nic_unlock();
    return found;
}

/* Puts a bit into a set, and wakes the other processor. */
static inline void bits_put(volatile uint32_t *set, uint32_t bit) {
    nic_lock();
    *set |= 1u << bit;
    nic_unlock();
    nic_signal();
}

#endif
