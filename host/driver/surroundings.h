/* SPDX-License-Identifier: GPL-2.0 */
/* What the driver's checks need of the kernel, and stand-ins for tests in user space. */
#ifndef HOST_DRIVER_SURROUNDINGS_H
#define HOST_DRIVER_SURROUNDINGS_H

#ifdef __KERNEL__
#include <linux/crc32.h>
#include <linux/io.h>
#include <linux/nospec.h>
#include <linux/uaccess.h>

/* What the board finds by its ring is in memory before the ring names it. */
#define write_before_ring() wmb()

/* 0, or something else for an address that is not the program's. */
#define copy_from_program(to, address, bytes) copy_from_user(to, u64_to_user_ptr(address), bytes)

/* Of IEEE 802.3. */
#define crc_of(bytes, count) (crc32_le(~0U, bytes, count) ^ ~0U)
#else
#include <stdatomic.h>
#include <string.h>
#include <zlib.h>

#define array_index_nospec(index, size) (index)
#define write_before_ring()		atomic_thread_fence(memory_order_release)
#define copy_from_program(to, address, bytes)                                                      \
	(!memcpy(to, (const void *)(uintptr_t)(address), bytes))
#define crc_of(bytes, count) ((uint32_t)crc32(0, bytes, (uInt)(count)))
#endif

#endif
