/* SPDX-License-Identifier: MIT */
/* Flashable images: what is written is read again, byte for byte the same each time; a file of
 * which one bit differs, or that is too short, too long, too large or for something else, is
 * refused. */
#include "tests/host/check.h"

#include "tests/host/elf_file.h"

#include "host/board/board.h"
#include "host/board/image_format.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { ROOM = 4096 };

static const uint8_t version[3] = {1, 2, 3};
static struct elf_file elf;
static struct board_image *image;
static char reason[240];
static char path[] = "/tmp/test_flashable_XXXXXX";
static uint8_t file[ROOM];
static size_t bytes;

static int set_up(void **state) {
    (void)state;
    elf_file_defaults(&elf);
    image = NULL;
    reason[0] = 0;
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    board_image_close(image);
    elf_file_close();
    return 0;
}

static int make_path(void **state) {
    (void)state;
    const int descriptor = mkstemp(path);
    return descriptor < 0 || close(descriptor);
}

static int remove_path(void **state) {
    (void)state;
    return unlink(path);
}

static void store(size_t count) {
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(file, 1, count, stream), count);
    assert_int_equal(fclose(stream), 0);
}

static void fetch(void) {
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    bytes = fread(file, 1, sizeof file, stream);
    assert_int_equal(fclose(stream), 0);
}

/* The ELF file as a flashable one in `file`. */
static int convert(void) {
    struct board_image *from;
    assert_int_equal(board_image_open(&from, elf_file_write(&elf, 0)), 0);
    const int error = board_image_write(from, version, path, reason, sizeof reason);
    board_image_close(from);
    if (!error)
        fetch();
    return error;
}

/* Opens the `count` bytes of `file`. */
static int open_bytes(size_t count) {
    store(count);
    board_image_close(image);
    image = NULL;
    return board_image_open_explained(&image, path, reason, sizeof reason);
}

static void put(size_t offset, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        file[offset + i] = (uint8_t)(word >> (24 - 8 * i));
}

static size_t tail_at(unsigned word) {
    return bytes - BOARD_IMAGE_TAIL_BYTES + 4 * (size_t)word;
}

/* Opens `file` with a CRC that holds, so that only the other checks can refuse it. */
static int open_signed(void) {
    put(tail_at(BOARD_IMAGE_TAIL_CRC), (uint32_t)crc32(crc32(0, NULL, 0), file, (uInt)bytes - 4));
    return open_bytes(bytes);
}

static void flashable__loads_what_the_elf_file_loads(void **state) {
    (void)state;
    struct board_image_information information;
    struct board_segment segment;
    elf.segments = 2;
    elf.segment[1] = (struct elf_segment){.type = 1, .address = 0x4014, .file_bytes = 6};
    assert_int_equal(convert(), 0);
    assert_int_equal(bytes, BOARD_IMAGE_HEADER_BYTES + 28 + BOARD_IMAGE_TAIL_BYTES);
    assert_int_equal(open_bytes(bytes), 0);
    board_image_information(image, &information);
    assert_true(information.flashable);
    assert_memory_equal(information.version, version, 3);
    assert_int_equal(information.start, 0x4000);
    assert_int_equal(information.load, 0x4000);
    assert_int_equal(information.load_bytes, 28);
    assert_int_equal(information.memory_end, 0x401C);
    assert_int_equal(information.protocol_hash, 0);
    assert_string_equal(information.protocol, "");
    assert_int_equal(board_image_segment(image, 0, &segment), 1);
    assert_int_equal(segment.words, 7);
    assert_int_equal(segment.content[0], 0x01080F16);
    assert_int_equal(segment.content[3], 0); /* between the segments */
    assert_int_equal(segment.content[5] >> 24, elf_file_byte(1, 0));
}

static void flashable__has_the_header_that_drivers_read(void **state) {
    (void)state;
    static const uint8_t header[] = {1, 2, 3, 0, 0, 0, 0x40, 0, 0, 0, 0x40, 0, 1, 8, 15, 22};
    assert_int_equal(convert(), 0);
    assert_memory_equal(file, header, sizeof header);
}

static void flashable__is_the_same_each_time(void **state) {
    (void)state;
    uint8_t first[ROOM];
    assert_int_equal(convert(), 0);
    memcpy(first, file, bytes);
    const size_t length = bytes;
    assert_int_equal(convert(), 0);
    assert_int_equal(bytes, length);
    assert_memory_equal(file, first, bytes);
    /* And from a flashable one. */
    assert_int_equal(open_bytes(bytes), 0);
    assert_int_equal(board_image_write(image, version, path, reason, sizeof reason), 0);
    fetch();
    assert_int_equal(bytes, length);
    assert_memory_equal(file, first, bytes);
}

static void flashable__refuses_every_flipped_bit(void **state) {
    (void)state;
    assert_int_equal(convert(), 0);
    for (size_t bit = 0; bit < 8 * bytes; bit++) {
        file[bit / 8] ^= (uint8_t)(1U << bit % 8);
        const int error = open_bytes(bytes);
        assert_true(error == -EBADMSG || error == -ENOEXEC);
        assert_string_not_equal(reason, "");
        file[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    assert_int_equal(open_bytes(bytes), 0);
}

static void flashable__refuses_every_other_length(void **state) {
    (void)state;
    assert_int_equal(convert(), 0);
    for (size_t length = 0; length < bytes; length++)
        assert_int_equal(open_bytes(length), -ENOEXEC);
    file[bytes] = 0;
    assert_int_equal(open_bytes(bytes + 1), -ENOEXEC);
    assert_int_equal(open_bytes(bytes), 0);
}

static void flashable__refuses_sizes_that_do_not_make_up_the_file(void **state) {
    (void)state;
    static const struct {
        unsigned word;
        uint32_t value;
    } cases[] = {{BOARD_IMAGE_TAIL_FORMAT, 2},   {BOARD_IMAGE_TAIL_PAYLOAD, 0},
                 {BOARD_IMAGE_TAIL_PAYLOAD, 10}, {BOARD_IMAGE_TAIL_PAYLOAD, 0xFFFFFFFC},
                 {BOARD_IMAGE_TAIL_NAMES, 4},    {BOARD_IMAGE_TAIL_NAMES, 0xFFFFFFFF},
                 {BOARD_IMAGE_TAIL_RESERVED, 1}, {BOARD_IMAGE_TAIL_HASH, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(convert(), 0);
        assert_int_equal(open_signed(), 0);
        put(tail_at(cases[i].word), cases[i].value);
        assert_int_equal(open_signed(), -ENOEXEC);
    }
}

static void flashable__refuses_what_no_small_board_holds(void **state) {
    (void)state;
    assert_int_equal(convert(), 0);
    put(tail_at(BOARD_IMAGE_TAIL_MEMORY), 0x80000);
    assert_int_equal(open_signed(), 0);
    put(tail_at(BOARD_IMAGE_TAIL_MEMORY), 0x80004);
    assert_int_equal(open_signed(), -EFBIG);
    assert_non_null(strstr(reason, "too large"));
    put(tail_at(BOARD_IMAGE_TAIL_MEMORY), 0x4008); /* less than what is loaded */
    assert_int_equal(open_signed(), -EFBIG);
    /* With its trailer it would pass the end of the memory in a loader that copies all of it. */
    elf.entry = elf.segment[0].address = 0x80000 - 12;
    assert_int_equal(convert(), -EFBIG);
    elf.entry = elf.segment[0].address = 0x80000 - 12 - BOARD_IMAGE_TAIL_BYTES;
    assert_int_equal(convert(), 0);
    put(BOARD_IMAGE_LOAD_OFFSET, 0x80000 - 8 - BOARD_IMAGE_TAIL_BYTES);
    assert_int_equal(open_signed(), -EFBIG);
    elf.entry = elf.segment[0].address = 0x3000;
    assert_int_equal(convert(), -EINVAL);
}

static void flashable__refuses_bad_headers(void **state) {
    (void)state;
    static const struct {
        size_t offset;
        uint32_t value;
    } cases[] = {{BOARD_IMAGE_START_OFFSET, 0x3FFC},  {BOARD_IMAGE_START_OFFSET, 0x4002},
                 {BOARD_IMAGE_START_OFFSET, 0x80000}, {BOARD_IMAGE_START_OFFSET, 0x400C},
                 {BOARD_IMAGE_LOAD_OFFSET, 0x3FFC},   {BOARD_IMAGE_LOAD_OFFSET, 0x4002},
                 {BOARD_IMAGE_LOAD_OFFSET, 0x80000},  {0, 0x01020301}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(convert(), 0);
        put(cases[i].offset, cases[i].value);
        assert_int_equal(open_signed(), -ENOEXEC);
    }
}

static void flashable__reports_files_that_cannot_be_written(void **state) {
    (void)state;
    assert_int_equal(convert(), 0);
    assert_int_equal(open_bytes(bytes), 0);
    assert_int_equal(board_image_write(image, version, "/no/such/file", reason, sizeof reason),
                     -ENOENT);
    assert_non_null(strstr(reason, "/no/such/file"));
    assert_int_equal(board_image_write(image, version, "/dev/full", reason, sizeof reason),
                     -ENOSPC);
}

/* A trailer with names that the ELF files of these tests do not have. */
static void write_named(const char *names) {
    assert_int_equal(convert(), 0);
    const size_t length = strlen(names);
    const size_t at = bytes - BOARD_IMAGE_TAIL_BYTES;
    const size_t padded = (length + 3) / 4 * 4;
    memmove(file + at + padded, file + at, BOARD_IMAGE_TAIL_BYTES);
    memset(file + at, 0, padded);
    for (size_t i = 0; i < length; i++)
        file[at + i] = (uint8_t)names[i];
    bytes += padded;
    put(tail_at(BOARD_IMAGE_TAIL_NAMES), (uint32_t)length);
}

static void flashable__names_spec_transitions_and_functions(void **state) {
    (void)state;
    struct board_image_information information;
    uint32_t offset = 0;
    write_named("protocol emp\nprofile modern\nhash 0x00001234\nfile a.hsm\nfile b.hsm\n"
                "novelty 1\ntransition Send.A.b.0\nsymbol 0x00004000 8 start\n"
                "symbol 0x00004008 4 end\n");
    put(tail_at(BOARD_IMAGE_TAIL_HASH), 0x1234);
    assert_int_equal(open_signed(), 0);
    board_image_information(image, &information);
    assert_string_equal(information.protocol, "emp");
    assert_string_equal(information.profile, "modern");
    assert_int_equal(information.protocol_hash, 0x1234);
    assert_int_equal(information.file_count, 2);
    assert_string_equal(information.files[1], "b.hsm");
    assert_null(information.files[2]);
    assert_string_equal(board_image_transition(image, 0), "Send.A.b.0");
    assert_null(board_image_transition(image, 1));
    assert_string_equal(board_image_symbol(image, 0x4006, &offset), "start");
    assert_int_equal(offset, 6);
    assert_string_equal(board_image_symbol(image, 0x4008, &offset), "end");
    assert_null(board_image_symbol(image, 0x400C, &offset));
    assert_null(board_image_symbol(image, 0x3FFC, &offset));
}

static void flashable__refuses_damaged_names(void **state) {
    (void)state;
    static const char *const cases[] = {"symbol 4",         "symbol 0x4000 x a",
                                        "symbol 0x4000 4 ", "symbol 0x100000000 4 a",
                                        "hash x",           "hash 0x1 y"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_named(cases[i]);
        assert_int_equal(open_signed(), -ENOEXEC);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(flashable__loads_what_the_elf_file_loads),
        TEST(flashable__has_the_header_that_drivers_read),
        TEST(flashable__is_the_same_each_time),
        TEST(flashable__refuses_every_flipped_bit),
        TEST(flashable__refuses_every_other_length),
        TEST(flashable__refuses_sizes_that_do_not_make_up_the_file),
        TEST(flashable__refuses_what_no_small_board_holds),
        TEST(flashable__refuses_bad_headers),
        TEST(flashable__reports_files_that_cannot_be_written),
        TEST(flashable__names_spec_transitions_and_functions),
        TEST(flashable__refuses_damaged_names),
    };
    return cmocka_run_group_tests(tests, make_path, remove_path);
}
