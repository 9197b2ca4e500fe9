/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <inttypes.h>.
 */
#ifndef HOST_DRIVER_LIBC_INTTYPES_H
#define HOST_DRIVER_LIBC_INTTYPES_H

#include <linux/types.h>

#define PRIu32 "u"
#define PRIX32 "X"
#define PRIu64 "llu"
#define PRIX64 "llX"

#endif
