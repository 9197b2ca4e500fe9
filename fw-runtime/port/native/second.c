/* SPDX-License-Identifier: MIT */
/*
 * NIC_SECOND_SOURCE of the native port: the second processor of an image, which a test knows by
 * `native_second`.
 */
#include "fw-runtime/port/native/processors.c"
