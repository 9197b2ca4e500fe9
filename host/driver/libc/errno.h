/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <errno.h>. */
#ifndef HOST_DRIVER_LIBC_ERRNO_H
#define HOST_DRIVER_LIBC_ERRNO_H

#include <linux/errno.h>

#endif
