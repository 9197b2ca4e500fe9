/* SPDX-License-Identifier: MIT */
/* Descriptor encodings at the borders of the three formats, word by word. */
#include "tests/host/check.h"

#include "host/emp/internal.h"

#include <string.h>

static struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES];
static uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS];
static uint32_t page[EMP_PAGE_BYTES / 4];

static const struct libemp_header header = {
    .direction = EMP_DIRECTION_RECEIVE, .peer = 3, .tag = 0xBEEF, .length = 123456};

static int set_up(void **state) {
    (void)state;
    for (size_t i = 0; i < EMP_INDIRECT_ENTRIES; i++)
        fragments[i] = (struct libemp_fragment){UINT64_C(0x100000000) * (i + 1) + 16 * i,
                                                (uint16_t)(1000 + i)};
    memset(words, 0xA5, sizeof words);
    memset(page, 0xA5, sizeof page);
    return 0;
}

static size_t encode(size_t count) {
    return libemp_encode(&header, fragments, count, page, UINT64_C(0x7700005000), words);
}

static void check_head(enum emp_format format, uint32_t continuations, uint64_t address,
                       uint32_t length) {
    assert_int_equal(emp_descriptor_get_owner(words), EMP_OWNER_NIC);
    assert_int_equal(emp_descriptor_get_direction(words), EMP_DIRECTION_RECEIVE);
    assert_int_equal(emp_descriptor_get_format(words), format);
    assert_int_equal(emp_descriptor_get_continuations(words), continuations);
    assert_int_equal(emp_descriptor_get_reserved(words), 0);
    assert_int_equal(emp_descriptor_get_spare(words), 0);
    assert_int_equal(emp_descriptor_get_result(words), EMP_RESULT_PENDING);
    assert_int_equal(emp_descriptor_get_address_high(words), address >> 32);
    assert_int_equal(emp_descriptor_get_address_low(words), (uint32_t)address);
    assert_int_equal(emp_descriptor_get_length(words), length);
    assert_int_equal(emp_descriptor_get_total_length(words), 123456);
    assert_int_equal(emp_descriptor_get_peer(words), 3);
    assert_int_equal(emp_descriptor_get_tag(words), 0xBEEF);
}

static void encode__nothing_is_short_and_empty(void **state) {
    (void)state;
    assert_int_equal(encode(0), 1);
    check_head(EMP_FORMAT_SHORT, 0, 0, 0);
}

static void encode__one_fragment_is_short(void **state) {
    (void)state;
    assert_int_equal(encode(1), 1);
    check_head(EMP_FORMAT_SHORT, 0, UINT64_C(0x100000000), 1000);
}

/* Every chain length: fragment i must be at the address where the firmware reads it. */
static void encode__two_to_seven_fragments_are_a_chain(void **state) {
    (void)state;
    for (size_t count = 2; count <= 7; count++) {
        set_up(NULL);
        const size_t run = encode(count);
        assert_int_equal(run, 1 + count / 2);
        check_head(EMP_FORMAT_CHAIN, (uint32_t)run - 1, UINT64_C(0x100000000), 1000);
        for (size_t i = 1; i < count; i++) {
            const uint32_t *next = words + (i + 1) / 2 * DESCRIPTOR_WORDS;
            const bool first = i % 2 == 1;
            assert_int_equal(first ? emp_continuation_get_first_address_high(next)
                                   : emp_continuation_get_second_address_high(next),
                             i + 1);
            assert_int_equal(first ? emp_continuation_get_first_address_low(next)
                                   : emp_continuation_get_second_address_low(next),
                             16 * i);
            assert_int_equal(first ? emp_continuation_get_first_length(next)
                                   : emp_continuation_get_second_length(next),
                             1000 + i);
        }
        if (count % 2 == 0) /* the second half of the last continuation is empty */
            assert_int_equal(
                emp_continuation_get_second_length(words + (run - 1) * DESCRIPTOR_WORDS), 0);
    }
}

static void encode__more_fragments_use_a_page(void **state) {
    (void)state;
    static const size_t counts[] = {8, 9, 408, 409};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        set_up(NULL);
        assert_int_equal(encode(counts[c]), 1);
        check_head(EMP_FORMAT_INDIRECT, 0, UINT64_C(0x7700005000), (uint32_t)counts[c]);
        for (size_t i = 0; i < counts[c]; i++) {
            const uint32_t lengths = page[(size_t)EMP_INDIRECT_ENTRIES * 2 + i / 2];
            assert_int_equal(page[2 * i], i + 1);
            assert_int_equal(page[2 * i + 1], 16 * i);
            assert_int_equal(i % 2 == 0 ? lengths >> 16 : lengths & 0xFFFF, 1000 + i);
        }
    }
    assert_int_equal(page[EMP_PAGE_BYTES / 4 - 1], 0xA5A5A5A5); /* nothing beyond */
}

/* In numbers, so that a change of the layout is noticed here too. */
static void encode__golden_words(void **state) {
    (void)state;
#if EMP_TAG_BITS == 64
    static const uint32_t expected[] = {1, 0, 1000, 0x00030000, 0, 0xBEEF, 0x00F12003, 0, 0};
#else
    static const uint32_t expected[] = {1, 0, 1000, 0x0003BEEF, 0x00F12003};
#endif
    enum { OWNER = EMP_TAG_BITS == 64 ? 6 : 4 };
    encode(1);
    assert_memory_equal(words, expected, sizeof expected);
    encode(7);
    assert_int_equal(words[2], 1000);
    assert_int_equal(words[OWNER], 0x00F12037);
    encode(8);
    assert_int_equal(words[2], 8);
    assert_int_equal(words[OWNER], 0x00F1200B);
}

#if EMP_INLINE_LIMIT
static void encode__bytes_in_the_descriptor(void **state) {
    static const uint8_t bytes[EMP_INLINE_LIMIT] = {0x81, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0x9C};
    static const uint32_t all[] = {0x81020304, 0x05060708, 0x090A0B9C, 0x00020000, 0x12345678,
                                   0x9ABCDEF0, 0x0000060D, 0,          0};
    static const uint32_t five[] = {0x81020304, 0x05000000, 0, 0x00020000, 0x12345678,
                                    0x9ABCDEF0, 0x0000028D, 0, 0};
    struct libemp_header send = {.direction = EMP_DIRECTION_SEND,
                                 .peer = 2,
                                 .tag = UINT64_C(0x123456789ABCDEF0),
                                 .length = EMP_INLINE_LIMIT};
    (void)state;
    libemp_encode_inline(&send, bytes, words);
    assert_memory_equal(words, all, sizeof all);
    send.length = 5;
    libemp_encode_inline(&send, bytes, words);
    assert_memory_equal(words, five, sizeof five);
}
#endif

static void encode__inline_only_short_sends(void **state) {
    struct libemp_header send = {.direction = EMP_DIRECTION_SEND, .length = EMP_INLINE_LIMIT};
    const struct libemp_header receive = {.direction = EMP_DIRECTION_RECEIVE, .length = 1};
    (void)state;
    assert_int_equal(libemp_fits_inline(&send), EMP_INLINE_LIMIT != 0);
    send.length++;
    assert_false(libemp_fits_inline(&send));
    send.length = 0;
    assert_false(libemp_fits_inline(&send));
    assert_false(libemp_fits_inline(&receive));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(encode__nothing_is_short_and_empty, set_up),
        cmocka_unit_test_setup(encode__one_fragment_is_short, set_up),
        cmocka_unit_test_setup(encode__two_to_seven_fragments_are_a_chain, set_up),
        cmocka_unit_test_setup(encode__more_fragments_use_a_page, set_up),
        cmocka_unit_test_setup(encode__golden_words, set_up),
#if EMP_INLINE_LIMIT
        cmocka_unit_test_setup(encode__bytes_in_the_descriptor, set_up),
#endif
        cmocka_unit_test_setup(encode__inline_only_short_sends, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
