/* SPDX-License-Identifier: MIT */
/* A wire that gives nothing away by itself: every frame offered to it is kept, and arrives when
 * somebody asks for it by its header, once, several times or never. */
#ifndef HOST_REPLAY_HELD_H
#define HOST_REPLAY_HELD_H

#include "emp/emp_codec.h"
#include "sim/tigon.h"

enum { HELD_FRAME_BYTES = 1514, HELD_LIMIT = 1024 };

#define HELD_ONE_MORE(...) +1
enum { HELD_FIELDS = 0 EMP_FRAME_FIELDS(HELD_ONE_MORE) };

/* Fields of the header by their numbers: name and value. Those of the message header are 0 in other
 * frames. */
const char *held_field_name(unsigned field);
uint32_t held_field(const struct emp_frame *header, unsigned field);

struct held_frame {
    unsigned from_side;
    struct emp_frame header; /* all 0 of what is none of the protocol's */
    uint32_t digest;         /* of all bytes */
    size_t length;
    uint8_t bytes[HELD_FRAME_BYTES];
};

struct held {
    struct tigon_wire *wire;
    size_t count;                        /* frames ever offered */
    struct held_frame frame[HELD_LIMIT]; /* the last of them, frame n at n modulo the limit */
    void (*offered)(void *context, const struct held_frame *frame);
    void *context;
};

/* Holds every frame from now on. `held` must outlive the wire; `offered` (may be NULL) hears of
 * each frame as it is offered. */
void held_begin(struct held *held, struct tigon_wire *wire,
                void (*offered)(void *context, const struct held_frame *frame), void *context);

/* The frame offered last by a side whose fields have the values given: "kind=1 message=0". A field
 * may be given several times; any of its values will do. NULL when there is none; `*mistake` (may
 * not be NULL) is then the word that makes no sense, or NULL. */
const struct held_frame *held_find(const struct held *held, unsigned from_side, const char *wanted,
                                   const char **mistake);

/* A frame with the fields given, the others 0, as a side would send it to the other, but for the
 * data, which is all zero. False when `wanted` makes no sense, `*mistake` as above. */
bool held_forge(const struct tigon_board *from, const struct tigon_board *to, unsigned from_side,
                const char *wanted, struct held_frame *frame, const char **mistake);

/* Lets a frame arrive now. It stays held, so it may come again. */
void held_release(const struct held *held, const struct held_frame *frame);

#endif
