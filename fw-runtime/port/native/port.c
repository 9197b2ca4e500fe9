/* SPDX-License-Identifier: MIT */
/*
 * NIC_PORT_SOURCE of the native port: the whole port, as a part of an image's one translation unit,
 * which names it by `native_nic`.
 */
#include "fw-runtime/port/native/devices.h"

#include "fw-runtime/port/native/host.c"
#include "fw-runtime/port/native/wire.c"
#include "fw-runtime/port/native/events.c"
