/* SPDX-License-Identifier: MIT */
#include "host/demo/piece.h"

#include <errno.h>

int piece_make(struct libemp_board *board, size_t bytes, struct libemp_piece *piece) {
    const size_t room = bytes ? bytes : 1;
    void *memory = libemp_allocate(board, room);
    *piece = (struct libemp_piece){.length = bytes};
    return memory ? libemp_register(board, memory, room, &piece->memory) : -ENOMEM;
}
