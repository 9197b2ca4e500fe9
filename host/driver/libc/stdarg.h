/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stdarg.h>. */
#ifndef HOST_DRIVER_LIBC_STDARG_H
#define HOST_DRIVER_LIBC_STDARG_H

#include <linux/stdarg.h>

#endif
