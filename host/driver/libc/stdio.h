/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stdio.h>. */
#ifndef HOST_DRIVER_LIBC_STDIO_H
#define HOST_DRIVER_LIBC_STDIO_H

#include <linux/kernel.h>

#endif
