/* SPDX-License-Identifier: MIT */
/* A board of `tigonsim serve`: "socket:left.sock". Link host/board/socket.o and libtigon_client.a.
 * options.environment is not used.
 *
 * Time is virtual, of the simulated world. When the connection is lost, reads give all ones as from
 * a board that has gone, and time jumps to its end so that waits with a limit come to theirs. */
#ifndef HOST_BOARD_SOCKET_H
#define HOST_BOARD_SOCKET_H

#include "host/board/board.h"

extern const struct board_backend board_socket;

#endif
