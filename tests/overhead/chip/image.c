/* SPDX-License-Identifier: MIT */
/*
 * One image as one translation unit, as the firmware's (spec/emp/firmware/image.c). IMAGE_NODE is
 * the node: "node_hand.c" or "node_generated.c".
 */
#include "tests/overhead/node.h"
#include "tests/overhead/runtime.h"

/* Of port_header.h; no node raises software events. */
uint32_t tigon2_software_events NIC_FAST;
bool tigon2_work_wanted NIC_FAST;

#include "fw-runtime/timers.c"
#include "fw-runtime/trace.c"
#include "tests/overhead/chip/runtime.c"
#include IMAGE_NODE
