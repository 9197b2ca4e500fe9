/* SPDX-License-Identifier: GPL-2.0 */
/* For code of host/board and host/emp that the kernel compiles, too: what it uses of <stdlib.h>. */
#ifndef HOST_DRIVER_LIBC_STDLIB_H
#define HOST_DRIVER_LIBC_STDLIB_H

#include <linux/slab.h>

#define calloc(count, bytes) kvcalloc(count, bytes, GFP_KERNEL)
#define free(memory)	     kvfree(memory)

#endif
