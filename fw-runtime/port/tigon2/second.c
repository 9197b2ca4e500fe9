/* SPDX-License-Identifier: MIT */
/*
 * NIC_SECOND_SOURCE of the Tigon2: all that processor B has of the port, but for second_start.S.
 */
#include "fw-runtime/port.h"

#if NIC_WRITES || NIC_TRANSMITS
#include "fw-runtime/port/tigon2/board.c"
#include "fw-runtime/port/tigon2/dma.c"
#if NIC_WRITES
#include "fw-runtime/port/tigon2/receive.c"
#endif
#if NIC_TRANSMITS
#include "fw-runtime/port/tigon2/transmit.c"
#endif
#if NIC_HANDS_OVER
/* As the loop of second_start.S, but each event once, and none of them waits for the signal. */
NIC_COLD void nic_others_first(void) {
    uint32_t events = TIGON2_REGISTER(OWN_EVENT) & tigon2_enabled;
    if (events & 1u << TIGON2_EVENT_TOLD)
        tigon2_second_on_told();
    if (events & (1u << TIGON2_EVENT_WRITTEN | 1u << TIGON2_EVENT_WRITE_DONE))
        tigon2_on_write_done();
    if (events & (1u << TIGON2_EVENT_READ_NOTICE | 1u << TIGON2_EVENT_OWN_READ_DONE))
        tigon2_second_on_read_done();
#if NIC_TRANSMITS
    if (events & 1u << TIGON2_EVENT_SLOT)
        tigon2_on_slot();
#endif
    if (events & 1u << TIGON2_EVENT_WORK)
        tigon2_second_on_work();
}
#endif
#else
#include "fw-runtime/port/tigon2/processors.c"
#endif
