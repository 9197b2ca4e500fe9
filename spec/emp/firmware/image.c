/* SPDX-License-Identifier: MIT */
/*
 * The whole image but for start-up code, as one translation unit.
 *
 * Between a doorbell and a frame on the wire lie some ten small functions in as many files. Seen
 * together and as a whole program (build.mk), those called from one place disappear, and so do the
 * structures that carry a frame's fields from one to the next: a third of the instructions. What
 * lies where is said by NIC_HOT and NIC_COLD and, of the protocol, by the spec; names of static
 * objects must differ between these files.
 */
#include "spec/emp/firmware/settings.h"
#include "spec/emp/firmware/glue.h"

/* Functions whose calls a simulator charges for (published.charges). */
#ifdef EMP_CHARGED
#include "emp_charged.h"
#endif

#include "fw-runtime/runtime.c"
#include "fw-runtime/gather.c"
#include "fw-runtime/vlan.c"

#include "spec/emp/firmware/memory.c"
#include "spec/emp/firmware/postings.c"
#include "emp_nic.c"
#include "spec/emp/firmware/start.c"
#include "spec/emp/firmware/wire.c"
#if GLUE_APART
#include "spec/emp/firmware/sending.c"
#endif
#if NIC_HANDS_OVER
#include "spec/emp/firmware/placing.c"
#elif NIC_PROCESSORS > 1 && !GLUE_APART
#include "spec/emp/firmware/between.c"
#endif

/* Generated code has labels and cases without use. */
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#if NIC_PROCESSORS > 1
#include "emp_a.c" /* what a placement has on processor A; second.c is B's */
#else
#include "emp.c"
#endif
#include "frame.c"
