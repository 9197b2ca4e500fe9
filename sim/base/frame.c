/* SPDX-License-Identifier: MIT */
/* Frames: see frame.h. */
#include "sim/base/frame.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/abort.h"

struct tigon_frame *tigon_frame_make(struct tigon_frame_pool *pool) {
    if (pool->count == pool->capacity) {
        pool->capacity = pool->capacity ? pool->capacity * 2 : 64;
        pool->all = realloc(pool->all, pool->capacity * sizeof(struct tigon_frame *));
    }
    struct tigon_frame *frame = malloc(sizeof *frame);
    if (!pool->all || !frame)
        tigon_abort("out of memory for frames");
    pool->all[pool->count++] = frame;
    tigon_event_initialise(&frame->event, NULL, frame);
    return frame;
}

void tigon_frame_pool_free(struct tigon_frame_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->all[i]);
    free(pool->all);
    memset(pool, 0, sizeof *pool);
}

void tigon_frame_finish(struct tigon_frame *frame, uint32_t length, bool bad_crc) {
    if (length < TIGON_FRAME_MINIMUM) {
        memset(frame->bytes + length, 0, TIGON_FRAME_MINIMUM - length);
        length = TIGON_FRAME_MINIMUM;
    }
    uint32_t crc = tigon_frame_crc(frame->bytes, length);
    if (bad_crc)
        crc = ~crc;
    uint8_t *const end = frame->bytes + length;
    end[0] = (uint8_t)crc;
    end[1] = (uint8_t)(crc >> 8);
    end[2] = (uint8_t)(crc >> 16);
    end[3] = (uint8_t)(crc >> 24);
    frame->length = length + TIGON_FRAME_CRC_BYTES;
    frame->bad_crc = bad_crc;
}
