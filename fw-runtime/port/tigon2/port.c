/* SPDX-License-Identifier: MIT */
/*
 * NIC_PORT_SOURCE of the Tigon2: the whole port, or A's half of it, as a part of an image's one
 * translation unit.
 */
#include "fw-runtime/port/tigon2/board.c"
#include "fw-runtime/port/tigon2/dma.c"
#include "fw-runtime/port/tigon2/link.c"
#if NIC_RECEIVES || NIC_WRITES
#include "fw-runtime/port/tigon2/receive.c"
#endif
#if NIC_TRANSMITS
#include "fw-runtime/port/tigon2/transmit.c"
#endif

/* Event 26: A halts the board, whichever processor transmits. */
NIC_ENTRY NIC_COLD void tigon2_on_transmit_fault(void) {
    nic_panic(TIGON2_PANIC_TRANSMIT);
}
