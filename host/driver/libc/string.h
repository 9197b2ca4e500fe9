/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <string.h>. */
#ifndef HOST_DRIVER_LIBC_STRING_H
#define HOST_DRIVER_LIBC_STRING_H

#include <linux/string.h>

#endif
