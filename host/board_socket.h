/* SPDX-License-Identifier: MIT */
/* libemp's way to a board of `tigonsim serve`: "socket:left.sock". Link host/board_socket.o and
 * libtigon_client.a. options.environment is not used.
 *
 * Time is virtual, of the simulated world. When the connection is lost, reads give all ones as from
 * a board that has gone, and time jumps to its end so that waits with a limit come to theirs. */
#ifndef HOST_BOARD_SOCKET_H
#define HOST_BOARD_SOCKET_H

#include "host/libemp.h"

extern const struct libemp_backend libemp_socket;

#endif
