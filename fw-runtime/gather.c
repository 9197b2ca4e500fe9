/* SPDX-License-Identifier: MIT */
/*
 * Scatter/gather cursor; see gather.h.
 */
#include "fw-runtime/gather.h"

static inline void stand_on(struct nic_gather *gather, uint32_t index,
                            const struct nic_piece *piece, uint32_t start) {
    gather->high = piece->high;
    gather->low = piece->low;
    gather->start = start;
    gather->end = start + piece->bytes;
    gather->index = index;
}

NIC_HOT void nic_gather_open(struct nic_gather *gather, uint32_t list) {
    struct nic_piece piece;
    if (!nic_on_piece(list, 0, &piece))
        piece = (struct nic_piece){0, 0, 0};
    stand_on(gather, 0, &piece, 0);
}

NIC_HOT bool nic_gather_move(struct nic_gather *gather, uint32_t list, uint32_t offset) {
    struct nic_piece piece;
    while (offset >= gather->end) {
        if (!nic_on_piece(list, gather->index + 1, &piece))
            return false;
        stand_on(gather, gather->index + 1, &piece, gather->end);
    }
    while (offset < gather->start) {
        if (gather->index == 0 || !nic_on_piece(list, gather->index - 1, &piece))
            return false;
        stand_on(gather, gather->index - 1, &piece, gather->start - piece.bytes);
    }
    return true;
}
