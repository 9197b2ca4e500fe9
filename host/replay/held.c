/* SPDX-License-Identifier: MIT */
#include "host/replay/held.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 60 }; /* what a MAC pads a frame to */

const char *held_field_name(unsigned field) {
#define NAME(name, ...) #name,
    static const char *const names[] = {EMP_FRAME_FIELDS(NAME)};
    return names[field];
}

uint32_t held_field(const struct emp_frame *header, unsigned field) {
#define VALUE(name, ...) header->name,
    const uint32_t values[] = {EMP_FRAME_FIELDS(VALUE)};
    return values[field];
}

/* As much of a value as the field can hold on the wire. */
static void set_field(struct emp_frame *header, unsigned field, uint32_t value) {
    unsigned number = 0;
#define SET(name, layout, first, mask)                                                             \
    if (number++ == field)                                                                         \
        header->name = (__typeof__(header->name))(value & (mask));
    EMP_FRAME_FIELDS(SET)
}

static enum tigon_fate keep(void *context, const struct tigon_frame_view *view) {
    struct held *held = context;
    if (view->length > HELD_FRAME_BYTES)
        return TIGON_FATE_LOSE; /* no frame of this protocol is that long */
    struct held_frame *frame = &held->frame[held->count++ % HELD_LIMIT];
    frame->from_side = view->from_side;
    frame->length = view->length;
    memcpy(frame->bytes, view->bytes, view->length);
    frame->digest = 0x811C9DC5;
    for (size_t i = 0; i < frame->length; i++)
        frame->digest = (frame->digest ^ frame->bytes[i]) * 0x01000193;
    memset(&frame->header, 0, sizeof frame->header);
    (void)emp_frame_read(frame->bytes, (uint32_t)frame->length, &frame->header);
    if (held->offered)
        held->offered(held->context, frame);
    return TIGON_FATE_LOSE;
}

void held_begin(struct held *held, struct tigon_wire *wire,
                void (*offered)(void *context, const struct held_frame *frame), void *context) {
    held->wire = wire;
    held->count = 0;
    held->offered = offered;
    held->context = context;
    tigon_wire_set_filter(wire, keep, held);
}

/* Which field a word "name=number" speaks of; HELD_FIELDS when it makes no sense. */
static unsigned parse(const char *word, uint32_t *value) {
    const char *equals = strchr(word, '=');
    char *end;
    if (!equals || equals[1] < '0' || equals[1] > '9')
        return HELD_FIELDS;
    *value = (uint32_t)strtoul(equals + 1, &end, 0);
    if (*end != ' ' && *end != 0)
        return HELD_FIELDS;
    for (unsigned i = 0; i < HELD_FIELDS; i++)
        if (strlen(held_field_name(i)) == (size_t)(equals - word) &&
            strncmp(held_field_name(i), word, (size_t)(equals - word)) == 0)
            return i;
    return HELD_FIELDS;
}

static const char *next_word(const char *word) {
    word += strcspn(word, " ");
    return word + strspn(word, " ");
}

static bool fits(const struct held_frame *frame, const char *wanted) {
    bool named[HELD_FIELDS] = {false};
    bool equal[HELD_FIELDS] = {false};
    for (const char *word = wanted; *word; word = next_word(word)) {
        uint32_t value;
        const unsigned field = parse(word, &value);
        named[field] = true;
        equal[field] |= held_field(&frame->header, field) == value;
    }
    return memcmp(named, equal, sizeof named) == 0;
}

const struct held_frame *held_find(const struct held *held, unsigned from_side, const char *wanted,
                                   const char **mistake) {
    uint32_t value;
    *mistake = NULL;
    wanted += strspn(wanted, " ");
    for (const char *word = wanted; *word; word = next_word(word))
        if (parse(word, &value) == HELD_FIELDS) {
            *mistake = word;
            return NULL;
        }
    const size_t oldest = held->count > HELD_LIMIT ? held->count - HELD_LIMIT : 0;
    for (size_t n = held->count; n-- > oldest;) {
        const struct held_frame *frame = &held->frame[n % HELD_LIMIT];
        if (frame->from_side == from_side && fits(frame, wanted))
            return frame;
    }
    return NULL;
}

bool held_forge(const struct tigon_board *from, const struct tigon_board *to, unsigned from_side,
                const char *wanted, struct held_frame *frame, const char **mistake) {
    *mistake = NULL;
    memset(frame, 0, sizeof *frame);
    frame->from_side = from_side;
    wanted += strspn(wanted, " ");
    for (const char *word = wanted; *word; word = next_word(word)) {
        uint32_t value;
        const unsigned field = parse(word, &value);
        if (field == HELD_FIELDS) {
            *mistake = word;
            return false;
        }
        set_field(&frame->header, field, value);
    }
    tigon_board_mac_address(to, frame->bytes);
    tigon_board_mac_address(from, frame->bytes + 6);
    (void)emp_frame_write(frame->bytes, &frame->header);
    frame->length = emp_frame_bytes(&frame->header);
    if (frame->length > HELD_FRAME_BYTES)
        frame->length = HELD_FRAME_BYTES;
    if (frame->length < SHORTEST)
        frame->length = SHORTEST;
    return true;
}

void held_release(const struct held *held, const struct held_frame *frame) {
    tigon_wire_inject(held->wire, frame->from_side, frame->bytes, frame->length, false);
}
