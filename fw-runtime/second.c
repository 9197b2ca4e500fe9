/* SPDX-License-Identifier: MIT */
/*
 * The runtime of a unit for processor 1, in an image on two processors, as a part of that unit; as
 * runtime.c for processor 0.
 */
#include NIC_SECOND_SOURCE

#if NIC_WRITES || NIC_TRANSMITS
#include "fw-runtime/timers.c"
#include "fw-runtime/trace.c"
#endif
