/* SPDX-License-Identifier: MIT */
/*
 * The runtime of an image on the port it is compiled for, as a part of the image's one translation
 * unit (spec/emp/firmware/image.c says why).
 */
#include NIC_PORT_SOURCE

#include "fw-runtime/timers.c"
#include "fw-runtime/trace.c"
