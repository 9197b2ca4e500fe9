/* SPDX-License-Identifier: MIT */
/* The socket on which the debugger waits for GDB. */
#ifndef SIM_DEBUG_LISTEN_H
#define SIM_DEBUG_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

/* Listens on "PORT", "HOST:PORT" or a path with a slash. Port 0 takes a free one. `actual` gets the
 * address to connect to. Returns the socket or -errno; -EINVAL for an address in no such form. */
int debug_listen_open(const char *address, char *actual, size_t size);

/* The next connection; -1 when there is none and `wait` is false, or on an error. */
int debug_listen_accept(int listener, bool wait);

#endif
