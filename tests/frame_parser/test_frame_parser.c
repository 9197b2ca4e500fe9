/*
 * The Ragel parser of spec/emp/frame.rl: does it agree with the layouts for every kind of frame,
 * and does it accept nothing else? A parser written by hand from the layouts, below, is the
 * reference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spec/emp/frame.h"

#define OWN          0x02544700u
#define FRAME_WORDS  (EMP_FRAME_BYTES / 4u)
#define PARSE_WORDS  (EMP_PARSE_BYTES / 4u)
#define SHORTEST     16u /* what the parser demands of its caller */
#define RANDOM_TURNS 300000

static uint32_t random_state = 0x1234567u;

static uint32_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* ---------------------------------------------------------------------------- The reference */

static enum emp_parse reference(const uint32_t *words, uint32_t bytes, uint32_t own,
                                struct emp_frame *frame) {
    uint32_t header = EMP_FRAME_BYTES;
    memset(frame, 0, sizeof *frame);
    if (emp_frame_get_destination_high(words) != own ||
        emp_frame_get_type(words) != EMP_FRAME_TYPE_VALUE ||
        emp_frame_get_kind(words) < EMP_FRAME_KIND_HEADER ||
        emp_frame_get_kind(words) > EMP_FRAME_KIND_NACK)
        return EMP_PARSE_FOREIGN;
    if (bytes < EMP_FRAME_BYTES || emp_frame_get_sender(words) >= EMP_NODE_LIMIT ||
        emp_frame_get_size(words) == 0)
        return EMP_PARSE_MALFORMED;
    frame->kind = (uint8_t)emp_frame_get_kind(words);
    frame->position = (uint8_t)emp_frame_get_position(words);
    frame->sender = (uint8_t)emp_frame_get_sender(words);
    frame->contact = (uint16_t)emp_frame_get_contact(words);
    frame->length = (uint16_t)emp_frame_get_length(words);
    frame->message = emp_frame_get_message(words);
    frame->frame = (uint16_t)emp_frame_get_frame(words);
    frame->collection = (uint16_t)emp_frame_get_collection(words);
    frame->size = (uint8_t)emp_frame_get_size(words);
    if (frame->kind == EMP_FRAME_KIND_HEADER) {
        header += EMP_MESSAGE_HEADER_BYTES;
        if (bytes < header)
            return EMP_PARSE_MALFORMED;
        frame->total_length = emp_message_header_get_total_length(words + FRAME_WORDS);
        frame->frames = (uint16_t)emp_message_header_get_frames(words + FRAME_WORDS);
        frame->tag = (uint16_t)emp_message_header_get_tag(words + FRAME_WORDS);
    }
    if (frame->kind <= EMP_FRAME_KIND_DATA && frame->length > bytes - header)
        return EMP_PARSE_MALFORMED;
    return EMP_PARSE_OK;
}

static void assert_same(const struct emp_frame *left, const struct emp_frame *right) {
    assert_int_equal(left->kind, right->kind);
    assert_int_equal(left->position, right->position);
    assert_int_equal(left->sender, right->sender);
    assert_int_equal(left->contact, right->contact);
    assert_int_equal(left->length, right->length);
    assert_int_equal(left->message, right->message);
    assert_int_equal(left->frame, right->frame);
    assert_int_equal(left->collection, right->collection);
    assert_int_equal(left->size, right->size);
    assert_int_equal(left->total_length, right->total_length);
    assert_int_equal(left->frames, right->frames);
    assert_int_equal(left->tag, right->tag);
}

/* Parses a copy that ends where the frame ends, so that the sanitizer sees a read beyond. */
static enum emp_parse parse(const uint32_t *words, uint32_t bytes, struct emp_frame *frame) {
    uint32_t size = (bytes < EMP_PARSE_BYTES ? bytes : EMP_PARSE_BYTES) & ~3u;
    uint32_t *copy = malloc(size);
    enum emp_parse result;
    memcpy(copy, words, size);
    memset(frame, 0xAA, sizeof *frame);
    result = emp_frame_parse(copy, bytes, OWN, frame);
    free(copy);
    return result;
}

static void compare(const uint32_t *words, uint32_t bytes) {
    struct emp_frame parsed;
    struct emp_frame expected;
    enum emp_parse result = parse(words, bytes, &parsed);
    enum emp_parse wanted = reference(words, bytes, OWN, &expected);
    assert_int_equal(result, wanted);
    if (wanted == EMP_PARSE_OK)
        assert_same(&parsed, &expected);
}

/* A sound frame of a kind, everything else at random. Returns its bytes. */
static uint32_t encode(uint32_t *words, uint32_t kind) {
    uint32_t length = random_word() % 1478u;
    memset(words, 0, sizeof(uint32_t) * PARSE_WORDS);
    emp_frame_set_destination_high(words, OWN);
    emp_frame_set_destination_low(words, 0x0001);
    emp_frame_set_source_high(words, 0x0254);
    emp_frame_set_source_low(words, 0x47000002);
    emp_frame_set_type(words, EMP_FRAME_TYPE_VALUE);
    emp_frame_set_kind(words, kind);
    emp_frame_set_position(words, random_word());
    emp_frame_set_sender(words, random_word() % EMP_NODE_LIMIT);
    emp_frame_set_contact(words, random_word());
    emp_frame_set_length(words, kind <= EMP_FRAME_KIND_DATA ? length : random_word());
    emp_frame_set_message(words, random_word());
    emp_frame_set_frame(words, random_word());
    emp_frame_set_collection(words, random_word());
    emp_frame_set_size(words, random_word() % 15u + 1u);
    if (kind == EMP_FRAME_KIND_HEADER) {
        emp_message_header_set_total_length(words + FRAME_WORDS, random_word());
        emp_message_header_set_frames(words + FRAME_WORDS, random_word());
        emp_message_header_set_tag(words + FRAME_WORDS, random_word());
        return EMP_PARSE_BYTES + length;
    }
    return EMP_FRAME_BYTES + (kind == EMP_FRAME_KIND_DATA ? length : 0);
}

/* -------------------------------------------------------------------------------- The tests */

static void every_kind_parses_as_encoded(void **state) {
    uint32_t words[PARSE_WORDS];
    struct emp_frame frame;
    (void)state;
    for (uint32_t kind = EMP_FRAME_KIND_HEADER; kind <= EMP_FRAME_KIND_NACK; kind++)
        for (int turn = 0; turn < 2000; turn++) {
            uint32_t bytes = encode(words, kind);
            assert_int_equal(parse(words, bytes, &frame), EMP_PARSE_OK);
            assert_int_equal(frame.kind, kind);
            compare(words, bytes);
            compare(words, bytes + 32); /* padding after it */
        }
}

static void every_truncation_is_refused(void **state) {
    uint32_t words[PARSE_WORDS];
    struct emp_frame frame;
    (void)state;
    for (uint32_t kind = EMP_FRAME_KIND_HEADER; kind <= EMP_FRAME_KIND_NACK; kind++)
        for (int turn = 0; turn < 20; turn++) {
            uint32_t bytes = encode(words, kind);
            for (uint32_t shorter = SHORTEST; shorter < bytes; shorter++) {
                assert_int_equal(parse(words, shorter, &frame), EMP_PARSE_MALFORMED);
                compare(words, shorter);
            }
        }
}

static void foreign_frames_are_told_apart(void **state) {
    uint32_t words[PARSE_WORDS];
    struct emp_frame frame;
    (void)state;
    uint32_t bytes = encode(words, EMP_FRAME_KIND_DATA);
    emp_frame_set_type(words, 0x0800);
    assert_int_equal(parse(words, bytes, &frame), EMP_PARSE_FOREIGN);
    bytes = encode(words, EMP_FRAME_KIND_ACK);
    emp_frame_set_destination_high(words, 0xFFFFFFFF);
    assert_int_equal(parse(words, bytes, &frame), EMP_PARSE_FOREIGN);
    for (uint32_t kind = 0; kind < 16; kind++) {
        bytes = encode(words, EMP_FRAME_KIND_DATA);
        emp_frame_set_kind(words, kind);
        compare(words, EMP_PARSE_BYTES + bytes);
    }
    bytes = encode(words, EMP_FRAME_KIND_DATA);
    emp_frame_set_sender(words, EMP_NODE_LIMIT);
    assert_int_equal(parse(words, bytes, &frame), EMP_PARSE_MALFORMED);
}

/* Sound frames with a few bits turned over, and plain noise. */
static void agrees_with_the_reference_on_noise(void **state) {
    uint32_t words[PARSE_WORDS];
    (void)state;
    for (int turn = 0; turn < RANDOM_TURNS; turn++) {
        uint32_t bytes = encode(words, random_word() % 4u + 1u);
        if (turn % 4 == 0)
            for (uint32_t i = 0; i < PARSE_WORDS; i++)
                words[i] = random_word();
        for (uint32_t flips = random_word() % 4u; flips != 0; flips--)
            words[random_word() % PARSE_WORDS] ^= 1u << random_word() % 32u;
        if (random_word() % 2u)
            bytes = SHORTEST + random_word() % 1500u;
        compare(words, bytes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_parses_as_encoded),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(foreign_frames_are_told_apart),
        cmocka_unit_test(agrees_with_the_reference_on_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
