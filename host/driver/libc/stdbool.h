/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stdbool.h>.
 */
#ifndef HOST_DRIVER_LIBC_STDBOOL_H
#define HOST_DRIVER_LIBC_STDBOOL_H

#include <linux/types.h>

#endif
