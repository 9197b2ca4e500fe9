/* SPDX-License-Identifier: MIT */
/*
 * Cursor over scattered host memory: where does byte `offset` of a buffer lie that is given as a
 * list of pieces of any size?
 *
 * Moving to the piece that holds an offset costs one look-up for each piece in between, so frames
 * in order cost nothing most of the time, and going back a little for a retransmission costs a
 * little.
 */
#ifndef FW_RUNTIME_GATHER_H
#define FW_RUNTIME_GATHER_H

#include "fw-runtime/port.h"

struct nic_piece {
    uint32_t high; /* bus address */
    uint32_t low;
    uint32_t bytes;
};

/* By the protocol's glue: piece `index` of list `list`; false when there are not that many. */
bool nic_on_piece(uint32_t list, uint32_t index, struct nic_piece *piece);

struct nic_gather {
    uint32_t high; /* of the current piece */
    uint32_t low;
    uint32_t start; /* offsets start .. end - 1 of the buffer lie in it */
    uint32_t end;
    uint32_t index;
};

/* Stands on the first piece; with no piece at all, on nothing. */
void nic_gather_open(struct nic_gather *gather, uint32_t list);

/* Moves to the piece that holds `offset`; false when the list ends before it. */
bool nic_gather_move(struct nic_gather *gather, uint32_t list, uint32_t offset);

static inline bool nic_gather_seek(struct nic_gather *gather, uint32_t list, uint32_t offset) {
    if (offset - gather->start < gather->end - gather->start)
        return true;
    return nic_gather_move(gather, list, offset);
}

#endif
