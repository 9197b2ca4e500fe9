/* SPDX-License-Identifier: MIT */
/*
 * What the two processors' parts of the port tell each other in an image for both (halves.c).
 */
#ifndef FW_RUNTIME_TIGON2_HALVES_H
#define FW_RUNTIME_TIGON2_HALVES_H

#include "fw-runtime/port.h"

/* Each word has one writer, but for `alarmed`, which changes under the lock. */
struct tigon2_halves {
    volatile uint32_t transmit; /* bases of the MAC buffers; by A, before B starts */
    volatile uint32_t receive;
#if NIC_TRANSMITTER
    volatile uint32_t scratch_high; /* of nic_set_scratch; by A, before B starts */
    volatile uint32_t scratch_low;
#endif
    volatile uint32_t no_space; /* times the MAC has run out of receive buffer; by A */
    volatile uint32_t alarm;    /* B's deadline; by B */
    volatile uint32_t alarmed;  /* B waits for it: B sets, A clears */
    volatile uint32_t due;      /* deadlines of B that have come; by A */
#if NIC_HANDS_OVER
    volatile uint32_t dropped; /* end of the frame A took last, 0 if B has it or A looks at one */
#endif
};
extern struct tigon2_halves tigon2_halves NIC_COMMON;

/* Raises event 24 of the other processor. */
void tigon2_tell(void);

/* By B, before nic_on_second_start: its part of the port works from here on. */
void tigon2_second_begin(void);

#endif
