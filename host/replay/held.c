#include "host/replay/held.h"

#include "build/gen/emp/emp_layout.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST = 60 }; /* what a MAC pads a frame to */
enum { HEADER_WORDS = (EMP_FRAME_BYTES + EMP_MESSAGE_HEADER_BYTES) / 4 };

static const char *const names[HELD_FIELDS] = {
    "kind",  "position",   "sender", "contact",      "length", "message",
    "frame", "collection", "size",   "total_length", "frames", "tag",
};

const char *held_field_name(enum held_field field) {
    return names[field];
}

static void read_header(struct held_frame *frame) {
    uint32_t words[HEADER_WORDS] = {0};
    for (size_t i = 0; i < sizeof words && i < frame->length; i++)
        words[i / 4] |= (uint32_t)frame->bytes[i] << (24 - i % 4 * 8);
    uint32_t *field = frame->field;
    memset(field, 0, sizeof frame->field);
    field[HELD_KIND] = emp_frame_get_kind(words);
    field[HELD_POSITION] = emp_frame_get_position(words);
    field[HELD_SENDER] = emp_frame_get_sender(words);
    field[HELD_CONTACT] = emp_frame_get_contact(words);
    field[HELD_LENGTH] = emp_frame_get_length(words);
    field[HELD_MESSAGE] = emp_frame_get_message(words);
    field[HELD_FRAME] = emp_frame_get_frame(words);
    field[HELD_COLLECTION] = emp_frame_get_collection(words);
    field[HELD_SIZE] = emp_frame_get_size(words);
    if (field[HELD_KIND] == EMP_FRAME_KIND_HEADER) {
        const uint32_t *message = words + EMP_FRAME_BYTES / 4;
        field[HELD_TOTAL_LENGTH] = emp_message_header_get_total_length(message);
        field[HELD_FRAMES] = emp_message_header_get_frames(message);
        field[HELD_TAG] = emp_message_header_get_tag(message);
    }
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
    read_header(frame);
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
static enum held_field parse(const char *word, uint32_t *value) {
    const char *equals = strchr(word, '=');
    char *end;
    if (!equals || equals[1] < '0' || equals[1] > '9')
        return HELD_FIELDS;
    *value = (uint32_t)strtoul(equals + 1, &end, 0);
    if (*end != ' ' && *end != 0)
        return HELD_FIELDS;
    for (unsigned i = 0; i < HELD_FIELDS; i++)
        if (strlen(names[i]) == (size_t)(equals - word) &&
            strncmp(names[i], word, (size_t)(equals - word)) == 0)
            return (enum held_field)i;
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
        const enum held_field field = parse(word, &value);
        named[field] = true;
        equal[field] |= frame->field[field] == value;
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

static void write_header(struct held_frame *frame, const uint8_t *to, const uint8_t *from) {
    uint32_t words[HEADER_WORDS] = {0};
    const uint32_t *field = frame->field;
    emp_frame_set_destination_high(words, (uint32_t)to[0] << 24 | (uint32_t)to[1] << 16 |
                                              (uint32_t)to[2] << 8 | to[3]);
    emp_frame_set_destination_low(words, (uint32_t)to[4] << 8 | to[5]);
    emp_frame_set_source_high(words, (uint32_t)from[0] << 8 | from[1]);
    emp_frame_set_source_low(words, (uint32_t)from[2] << 24 | (uint32_t)from[3] << 16 |
                                        (uint32_t)from[4] << 8 | from[5]);
    emp_frame_set_type(words, EMP_FRAME_TYPE_VALUE);
    emp_frame_set_kind(words, field[HELD_KIND]);
    emp_frame_set_position(words, field[HELD_POSITION]);
    emp_frame_set_sender(words, field[HELD_SENDER]);
    emp_frame_set_contact(words, field[HELD_CONTACT]);
    emp_frame_set_length(words, field[HELD_LENGTH]);
    emp_frame_set_message(words, field[HELD_MESSAGE]);
    emp_frame_set_frame(words, field[HELD_FRAME]);
    emp_frame_set_collection(words, field[HELD_COLLECTION]);
    emp_frame_set_size(words, field[HELD_SIZE]);
    frame->length = EMP_FRAME_BYTES;
    if (field[HELD_KIND] == EMP_FRAME_KIND_HEADER) {
        uint32_t *message = words + EMP_FRAME_BYTES / 4;
        emp_message_header_set_total_length(message, field[HELD_TOTAL_LENGTH]);
        emp_message_header_set_frames(message, field[HELD_FRAMES]);
        emp_message_header_set_tag(message, field[HELD_TAG]);
        frame->length += EMP_MESSAGE_HEADER_BYTES;
    }
    for (size_t i = 0; i < frame->length; i++)
        frame->bytes[i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
}

bool held_forge(const struct tigon_board *from, const struct tigon_board *to, unsigned from_side,
                const char *wanted, struct held_frame *frame, const char **mistake) {
    uint8_t source[6];
    uint8_t destination[6];
    *mistake = NULL;
    memset(frame, 0, sizeof *frame);
    frame->from_side = from_side;
    wanted += strspn(wanted, " ");
    for (const char *word = wanted; *word; word = next_word(word)) {
        uint32_t value;
        const enum held_field field = parse(word, &value);
        if (field == HELD_FIELDS) {
            *mistake = word;
            return false;
        }
        frame->field[field] = value;
    }
    tigon_board_mac_address(from, source);
    tigon_board_mac_address(to, destination);
    write_header(frame, destination, source);
    if (frame->field[HELD_KIND] == EMP_FRAME_KIND_HEADER ||
        frame->field[HELD_KIND] == EMP_FRAME_KIND_DATA)
        frame->length += frame->field[HELD_LENGTH];
    if (frame->length > HELD_FRAME_BYTES)
        frame->length = HELD_FRAME_BYTES;
    if (frame->length < SHORTEST)
        frame->length = SHORTEST;
    return true;
}

void held_release(const struct held *held, const struct held_frame *frame) {
    tigon_wire_inject(held->wire, frame->from_side, frame->bytes, frame->length, false);
}
