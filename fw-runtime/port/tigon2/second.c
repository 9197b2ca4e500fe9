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
#else
#include "fw-runtime/port/tigon2/processors.c"
#endif
