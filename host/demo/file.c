/* SPDX-License-Identifier: MIT */
#include "host/demo/file.h"

#include "emp/emp_layout.h"

static int run(struct pair_side *side, struct transfer *transfer,
               int (*part)(struct node *node, struct transfer *transfer)) {
    struct node node = {.board = side->board, .peer = side->peer};
    const int error = part(&node, transfer);
    return error ? pair_fail(side, error, node.message) : 0;
}

int file_send(struct pair_side *side, void *argument) {
    return run(side, argument, transfer_send);
}

int file_receive(struct pair_side *side, void *argument) {
    return run(side, argument, transfer_receive);
}

uint64_t file_frames(uint64_t bytes) {
    if (bytes <= EMP_FIRST_FRAME_PAYLOAD)
        return 1;
    return 1 + (bytes - EMP_FIRST_FRAME_PAYLOAD + EMP_FRAME_PAYLOAD - 1) / EMP_FRAME_PAYLOAD;
}
