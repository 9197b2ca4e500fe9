/* SPDX-License-Identifier: MIT */
/*
 * The Ragel parser of spec/emp/frame.rl: does it agree with the layouts for every kind of frame,
 * and does it accept no other? The code that hsmc generates from the layouts is the reference.
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
#define PARSE_WORDS  (EMP_FRAME_HEADER_LIMIT / 4u)
#define SHORTEST     16u /* conditions that the parser requires of its caller */
#define RANDOM_TURNS 300000

static uint32_t random_state = 0x1234567u;

static uint32_t random_word(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Parses a copy that ends where the frame ends, so that the sanitizer detects a read beyond. */
static enum emp_acceptance parse(const uint32_t *words, uint32_t bytes, struct emp_frame *frame) {
    uint32_t size = (bytes < EMP_FRAME_HEADER_LIMIT ? bytes : EMP_FRAME_HEADER_LIMIT) & ~3u;
    uint32_t *copy = malloc(size);
    enum emp_acceptance result;
    memcpy(copy, words, size);
    memset(frame, 0xAA, sizeof *frame);
    result = emp_frame_parse(copy, bytes, OWN);
    if (result == EMP_ACCEPTANCE_OK)
        emp_frame_unpack(copy, frame);
    free(copy);
    return result;
}

/* The result of the generated layouts, which do not check the address. */
static void compare(const uint32_t *words, uint32_t bytes) {
    struct emp_frame parsed;
    struct emp_frame expected;
    uint8_t raw[EMP_FRAME_HEADER_LIMIT];
    enum emp_acceptance result = parse(words, bytes, &parsed);
    emp_store_words(raw, words, sizeof raw);
    enum emp_acceptance wanted = emp_frame_read(raw, bytes, &expected);
    if (emp_frame_get_destination_high(words) != OWN)
        wanted = EMP_ACCEPTANCE_FOREIGN;
    assert_int_equal(result, wanted);
    if (wanted != EMP_ACCEPTANCE_OK)
        return;
#define SAME(name, ...) assert_int_equal(parsed.name, expected.name);
    EMP_FRAME_FIELDS(SAME)
}

/* A sound frame of a kind, everything else at random. Returns its bytes. */
static uint32_t encode(uint32_t *words, uint32_t kind) {
    struct emp_frame f = {0};
#define RANDOM(name, layout, first, mask) f.name = (__typeof__(f.name))(random_word() & (mask));
    EMP_FRAME_FIELDS(RANDOM)
    f.kind = (uint8_t)kind;
    f.sender = (uint8_t)(random_word() % EMP_NODE_LIMIT);
    f.size = (uint8_t)(random_word() % 15u + 1u);
    if (kind <= EMP_FRAME_KIND_DATA)
        f.length = (uint16_t)(random_word() % 1478u);
    memset(words, 0, sizeof(uint32_t) * PARSE_WORDS);
    emp_frame_set_destination_high(words, OWN);
    emp_frame_set_destination_low(words, 0x0001);
    emp_frame_set_source_high(words, 0x0254);
    emp_frame_set_source_low(words, 0x47000002);
    (void)emp_frame_pack(words, &f);
    return emp_frame_bytes(&f);
}

/* -------------------------------------------------------------------------------- The tests */

static void every_kind_parses_as_encoded(void **state) {
    uint32_t words[PARSE_WORDS];
    struct emp_frame frame;
    (void)state;
    for (uint32_t kind = EMP_FRAME_KIND_HEADER; kind <= EMP_FRAME_KIND_NACK; kind++)
        for (int turn = 0; turn < 2000; turn++) {
            uint32_t bytes = encode(words, kind);
            assert_int_equal(parse(words, bytes, &frame), EMP_ACCEPTANCE_OK);
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
                assert_int_equal(parse(words, shorter, &frame), EMP_ACCEPTANCE_MALFORMED);
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
    assert_int_equal(parse(words, bytes, &frame), EMP_ACCEPTANCE_FOREIGN);
    bytes = encode(words, EMP_FRAME_KIND_ACK);
    emp_frame_set_destination_high(words, 0xFFFFFFFF);
    assert_int_equal(parse(words, bytes, &frame), EMP_ACCEPTANCE_FOREIGN);
    for (uint32_t kind = 0; kind < 16; kind++) {
        bytes = encode(words, EMP_FRAME_KIND_DATA);
        emp_frame_set_kind(words, kind);
        compare(words, EMP_FRAME_HEADER_LIMIT + bytes);
    }
    bytes = encode(words, EMP_FRAME_KIND_DATA);
    emp_frame_set_sender(words, EMP_NODE_LIMIT);
    assert_int_equal(parse(words, bytes, &frame), EMP_ACCEPTANCE_MALFORMED);
}

/* Sound frames with a few bits turned over, and plain noise. */
static void agrees_with_the_layouts_on_noise(void **state) {
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
        cmocka_unit_test(agrees_with_the_layouts_on_noise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
