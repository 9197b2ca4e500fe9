/* SPDX-License-Identifier: MIT */
/*
 * The runtime of an image, as a part of its one translation unit (spec/emp/firmware/image.c says
 * why).
 */
#include "fw-runtime/port/tigon2/board.c"
#include "fw-runtime/port/tigon2/dma.c"
#include "fw-runtime/port/tigon2/link.c"
#include "fw-runtime/port/tigon2/receive.c"
#include "fw-runtime/port/tigon2/transmit.c"
#include "fw-runtime/timers.c"
#include "fw-runtime/trace.c"
