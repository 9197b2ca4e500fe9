/* SPDX-License-Identifier: MIT */
/* Host memory for one message, as the programs of this directory need it. */
#ifndef HOST_DEMO_PIECE_H
#define HOST_DEMO_PIECE_H

#include "host/emp/libemp.h"

/* Allocates and registers memory for a message of `bytes`, which may be 0. It lives as long as the
 * board. -ENOMEM when the host memory is used up, or libemp_register's error. */
int piece_make(struct libemp_board *board, size_t bytes, struct libemp_piece *piece);

#endif
