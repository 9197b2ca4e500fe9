/* SPDX-License-Identifier: MIT */
/* A board of the Linux driver (docs/driver.md): "emp0" is /dev/emp0 with port 0, "emp0.2" with port
 * 2, and "emp0.trusted" takes the card for the program alone. options.environment is not used.
 *
 * With a port the driver posts. Then this backend gives no access to the board but to the words
 * that every program may read: the control block, parameters and counters. Other words read as 0,
 * and writes are lost. board_channel gives the file to a library that hands requests to the driver.
 */
#ifndef HOST_BOARD_DEVICE_H
#define HOST_BOARD_DEVICE_H

#include "host/board/board.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct board_backend board_device;

/* The file descriptor of a driver that posts in the library's stead, and keeps the board running;
 * it belongs to the board. -1: there is none, the library posts itself. */
int board_channel(const struct board *board);

#ifdef __cplusplus
}
#endif

#endif
