/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stdint.h>. */
#ifndef HOST_DRIVER_LIBC_STDINT_H
#define HOST_DRIVER_LIBC_STDINT_H

#include <linux/limits.h>
#include <linux/types.h>

#define UINT16_MAX  U16_MAX
#define UINT32_MAX  U32_MAX
#define INT32_MAX   S32_MAX
#define UINT64_MAX  U64_MAX
#define UINT64_C(c) c##ULL

#endif
