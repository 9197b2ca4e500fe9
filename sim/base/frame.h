/* SPDX-License-Identifier: MIT */
/* Ethernet frames in flight, their CRC, and the pool they come from. */
#ifndef SIM_FRAME_H
#define SIM_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/schedule.h"

#define TIGON_FRAME_CRC_BYTES 4u
#define TIGON_FRAME_MINIMUM   60u /* without CRC */
#define TIGON_FRAME_CAPACITY                                                                       \
    65600u /* the 16-bit length of a descriptor, a VLAN tag, padding, CRC */
#define TIGON_FRAME_PREAMBLE 8u
#define TIGON_FRAME_GAP      12u

struct tigon_frame {
    struct tigon_frame *next; /* in the pool's list while free, in a wire's while held back */
    struct tigon_event event;
    void *receiver;  /* for the event's function */
    unsigned side;   /* that sent it, or the port of a switch it came in by */
    uint32_t passes; /* by how many later frames it may still be passed; 0: not held back */
    uint32_t length; /* destination address to CRC, both included */
    bool bad_crc;
    bool again;     /* the second copy of a duplicated frame */
    uint64_t index; /* running number of its direction; UINT64_MAX: injected */
    uint8_t bytes[TIGON_FRAME_CAPACITY];
};

struct tigon_frame_pool {
    struct tigon_frame *free;
    struct tigon_frame **all; /* every frame ever made, to be freed in the end */
    size_t count;
    size_t capacity;
};

/* For tigon_frame_take, when the pool has no free frame. */
struct tigon_frame *tigon_frame_make(struct tigon_frame_pool *pool);

/* A frame with undefined content; aborts when memory is used up. Give it back with
 * tigon_frame_release. */
static inline struct tigon_frame *tigon_frame_take(struct tigon_frame_pool *pool) {
    struct tigon_frame *frame = pool->free;
    if (__builtin_expect(!frame, 0))
        return tigon_frame_make(pool);
    pool->free = frame->next;
    return frame;
}

static inline void tigon_frame_release(struct tigon_frame_pool *pool, struct tigon_frame *frame) {
    frame->next = pool->free;
    pool->free = frame;
}

/* Calls function(frame, ticks) at `ticks`. A frame is scheduled by one owner at a time, so its
 * event is not pending before. */
static inline void tigon_frame_schedule(struct tigon_schedule *schedule, struct tigon_frame *frame,
                                        tigon_event_function function, uint64_t ticks) {
    frame->event.function = function;
    frame->event.context = frame;
    tigon_schedule_at(schedule, &frame->event, ticks);
}
void tigon_frame_pool_free(struct tigon_frame_pool *pool);

/* Frame check sequence of IEEE 802.3 over `length` bytes: the value whose bytes, least significant
 * first, follow. */
uint32_t tigon_frame_crc(const uint8_t *bytes, size_t length);

/* Pads frame->bytes from `length` to the minimum, appends the CRC (wrong when bad_crc) and sets
 * frame->length. */
void tigon_frame_finish(struct tigon_frame *frame, uint32_t length, bool bad_crc);

#endif
