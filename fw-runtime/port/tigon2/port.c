/* SPDX-License-Identifier: MIT */
/*
 * NIC_PORT_SOURCE of the Tigon2: the whole port, as a part of an image's one translation unit.
 */
#include "fw-runtime/port/tigon2/board.c"
#include "fw-runtime/port/tigon2/dma.c"
#include "fw-runtime/port/tigon2/link.c"
#include "fw-runtime/port/tigon2/receive.c"
#include "fw-runtime/port/tigon2/transmit.c"
