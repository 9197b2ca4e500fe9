/* SPDX-License-Identifier: MIT */
/* A board of `tigonsim serve`: "socket:left.sock", or "sim:left.sock" with board_served, for
 * programs that use no world of their own. options.environment is not used.
 *
 * Time is virtual, of the simulated world. When the connection is lost, reads give all ones as from
 * a board that has gone, and time jumps to its end so that waits with a limit come to theirs. */
#ifndef HOST_BOARD_SOCKET_H
#define HOST_BOARD_SOCKET_H

#include "host/board/board.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct board_backend board_socket;
extern const struct board_backend board_served;

#ifdef __cplusplus
}
#endif

#endif
