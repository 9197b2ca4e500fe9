/* SPDX-License-Identifier: MIT */
/* The names of boards and switches, which are unique in a world. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sim/chip/board.h"
#include "sim/network/switch_port.h"

/* 0 when a board or switch may be named so, or the error of tigon_board_set_name. */
static int check(const struct tigon_world *world, const char *name) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    const size_t length = strlen(name);
    if (length == 0 || length >= TIGON_NAME_BYTES || strspn(name, allowed) != length)
        return -EINVAL;
    for (size_t i = 0; i < tigon_world_board_count(world); i++)
        if (strcmp(tigon_board_name(tigon_world_board(world, i)), name) == 0)
            return -EEXIST;
    for (size_t i = 0; i < tigon_world_switch_count(world); i++)
        if (strcmp(tigon_switch_name(tigon_world_switch(world, i)), name) == 0)
            return -EEXIST;
    return 0;
}

int tigon_board_set_name(struct tigon_board *board, const char *name) {
    const int error = check(board->world, name);
    if (!error)
        (void)snprintf(board->name, sizeof board->name, "%s", name);
    return error;
}

int tigon_switch_set_name(struct tigon_switch *box, const char *name) {
    const int error = check(tigon_switch_services(box)->world, name);
    if (!error)
        tigon_switch_rename(box, name);
    return error;
}
