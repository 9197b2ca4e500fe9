/* SPDX-License-Identifier: MIT */
/* Reading images: the contents of a good file, and that damaged ones are refused. */
#include "tests/host/check.h"

#include "tests/host/elf_file.h"

#include "host/emp/libemp.h"

#include <errno.h>

static struct elf_file file;
static struct board_image *image;

static int set_up(void **state) {
    (void)state;
    elf_file_defaults(&file);
    image = NULL;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    board_image_close(image);
    elf_file_close();
    return 0;
}

static int open_file(void) {
    return board_image_open(&image, elf_file_write(&file, 0));
}

static void image__words_are_big_endian_and_padded(void **state) {
    (void)state;
    struct board_segment segment;
    assert_int_equal(open_file(), 0);
    assert_int_equal(board_image_entry(image), 0x4000);
    assert_int_equal(board_image_segment(image, 0, NULL), 1);
    assert_int_equal(board_image_segment(image, 0, &segment), 1);
    assert_int_equal(segment.address, 0x4000);
    assert_int_equal(segment.words, 3);
    assert_int_equal(segment.content[0], 0x01080F16);
    assert_int_equal(segment.content[2] & 0xFFFF, 0);
    assert_int_equal(segment.content[2] >> 24, elf_file_byte(0, 8));
}

static void image__empty_and_other_segments_are_skipped(void **state) {
    (void)state;
    struct board_segment segment;
    file.segments = 4;
    file.segment[1] = (struct elf_segment){.type = 1, .address = 3, .file_bytes = 0};
    file.segment[2] = (struct elf_segment){.type = 4, .address = 1, .file_bytes = 9};
    file.segment[3] = (struct elf_segment){.type = 1, .address = 0x8000, .file_bytes = 4};
    assert_int_equal(open_file(), 0);
    assert_int_equal(board_image_segment(image, 1, &segment), 2);
    assert_int_equal(segment.address, 0x8000);
    assert_int_equal(segment.content[0] >> 24, elf_file_byte(3, 0));
}

static void image__headers_inside_a_segment_are_not_loaded(void **state) {
    (void)state;
    struct board_segment segment;
    file.sections = true;
    file.header_bytes = 96;
    file.segments = 2;
    file.segment[1] = (struct elf_segment){.type = 1, .address = 0x6000, .file_bytes = 4};
    assert_int_equal(open_file(), 0);
    assert_int_equal(board_image_segment(image, 0, &segment), 2);
    assert_int_equal(segment.address, 0x4000);
    assert_int_equal(segment.words, 3);
    assert_int_equal(segment.content[0], 0x01080F16);
    assert_int_equal(board_image_segment(image, 1, &segment), 2);
    assert_int_equal(segment.address, 0x6000);
    assert_int_equal(segment.content[0] >> 24, elf_file_byte(1, 0));
}

static void image__refuses_other_files(void **state) {
    (void)state;
    assert_int_equal(board_image_open(&image, "no/such/file"), -ENOENT);
    assert_int_equal(board_image_open(&image, "."), -EISDIR);
    assert_int_equal(board_image_open(NULL, "no/such/file"), -EINVAL);
    assert_int_equal(board_image_open(&image, NULL), -EINVAL);
    file.class = 2;
    assert_int_equal(open_file(), -ENOEXEC);
    set_up(NULL);
    file.data = 1;
    assert_int_equal(open_file(), -ENOEXEC);
    set_up(NULL);
    file.machine = 62;
    assert_int_equal(open_file(), -ENOEXEC);
    set_up(NULL);
    file.type = 1;
    assert_int_equal(open_file(), -ENOEXEC);
}

static void image__refuses_bad_addresses(void **state) {
    (void)state;
    static const struct {
        uint32_t address;
        int error;
    } cases[] = {{0x4001, -ENOEXEC}, {0x4002, -ENOEXEC}, {0x1FFC, -EFBIG},
                 {0x200000, -EFBIG}, {0x1FFFFC, -EFBIG}, {0xC00000, -EFBIG}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        set_up(NULL);
        file.entry = file.segment[0].address = cases[i].address;
        assert_int_equal(open_file(), cases[i].error);
    }
    set_up(NULL);
    file.entry = 0x4002;
    assert_int_equal(open_file(), -ENOEXEC);
    file.entry = 0x400C;
    assert_int_equal(open_file(), -ENOEXEC);
    file.entry = 0x3FFC;
    assert_int_equal(open_file(), -ENOEXEC);
}

static void image__refuses_too_many_segments(void **state) {
    (void)state;
    file.segments = 17;
    for (uint32_t i = 0; i < 17; i++)
        file.segment[i] =
            (struct elf_segment){.type = 1, .address = 0x4000 + 16 * i, .file_bytes = 4};
    assert_int_equal(open_file(), -ENOEXEC);
    file.segments = 16;
    assert_int_equal(open_file(), 0);
}

static void image__refuses_content_beyond_the_file(void **state) {
    (void)state;
    file.segment[0].offset = 0xFFFFFFF8;
    assert_int_equal(open_file(), -ENOEXEC);
    set_up(NULL);
    file.segment[0].file_bytes = 100;
    for (size_t length = 1; length < 52 + 32 + 100; length++)
        assert_int_equal(board_image_open(&image, elf_file_write(&file, length)), -ENOEXEC);
    assert_int_equal(board_image_open(&image, elf_file_write(&file, 52 + 32 + 100)), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(image__words_are_big_endian_and_padded),
        TEST(image__empty_and_other_segments_are_skipped),
        TEST(image__headers_inside_a_segment_are_not_loaded),
        TEST(image__refuses_other_files),
        TEST(image__refuses_bad_addresses),
        TEST(image__refuses_too_many_segments),
        TEST(image__refuses_content_beyond_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
