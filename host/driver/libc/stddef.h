/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stddef.h>. */
#ifndef HOST_DRIVER_LIBC_STDDEF_H
#define HOST_DRIVER_LIBC_STDDEF_H

#include <linux/stddef.h>

#endif
