/* SPDX-License-Identifier: MIT */
/*
 * What processor B runs of an image for two, as one translation unit: as image.c for processor A.
 */
#define NIC_PROCESSOR 1
#include "spec/emp/firmware/settings.h"
#include "spec/emp/firmware/glue.h"

/* As in image.c. */
#ifdef EMP_CHARGED
#include "emp_charged.h"
#endif

#include "fw-runtime/second.c"
#include "fw-runtime/gather.c"
#include "fw-runtime/vlan.c"

#include "spec/emp/firmware/memory.c"
#include "spec/emp/firmware/postings.c"
#include "emp_nic_b.c"
#include "spec/emp/firmware/start.c"
#if NIC_RECEIVES || NIC_TRANSMITS
#include "spec/emp/firmware/wire.c"
#endif
#if GLUE_APART
#include "spec/emp/firmware/sending.c"
#endif
#if NIC_HANDS_OVER
#include "spec/emp/firmware/placing.c"
#elif !GLUE_APART
#include "spec/emp/firmware/between.c"
#endif

/* Generated code has labels and cases without use. */
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wimplicit-fallthrough"
#include "emp_b.c"
#if NIC_RECEIVES
#include "frame.c"
#endif
