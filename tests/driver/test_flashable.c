/* SPDX-License-Identifier: MIT */
/* Firmware files that the driver takes, and those that it does not. */
#include "tests/host/check.h"

#include "host/board/board.h"
#include "host/board/image_format.h"
#include "host/driver/flashable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { FILE_LIMIT = 1 << 20 };

struct file {
    uint8_t bytes[FILE_LIMIT];
    size_t count;
};

static int set_up(void **state) {
    const char *elf = getenv("EMP_IMAGE");
    static struct file read;
    struct file *file = &read;
    char path[512];
    if (!elf || strlen(elf) < 4)
        return -1;
    (void)snprintf(path, sizeof path, "%.*s.bin", (int)strlen(elf) - 4, elf);
    FILE *stream = fopen(path, "rb");
    if (stream) {
        file->count = fread(file->bytes, 1, sizeof file->bytes, stream);
        (void)fclose(stream);
    }
    assert_true(file->count > 0);
    *state = file;
    return 0;
}

static int check(const struct file *file, size_t count) {
    struct flashable image;
    const char *reason = NULL;
    /* Behind the bytes that may be read nothing is: the sanitizer sees a step too far. */
    uint8_t *copy = malloc(count ? count : 1);
    assert_non_null(copy);
    memcpy(copy, file->bytes, count);
    const int error = flashable_check(copy, count, &image, &reason);
    free(copy);
    assert_non_null(reason);
    assert_int_equal(error == 0, reason[0] == 0);
    return error;
}

static void put(struct file *file, size_t offset, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        file->bytes[offset + i] = (uint8_t)(word >> (24 - 8 * i));
}

/* A file that its writer meant so. */
static void sign(struct file *file) {
    put(file, file->count - 4, (uint32_t)crc32(0, file->bytes, (uInt)file->count - 4));
}

static size_t tail(const struct file *file, size_t word) {
    return file->count - BOARD_IMAGE_TAIL_BYTES + 4 * word;
}

static void flashable__is_what_the_library_reads(void **state) {
    const struct file *file = *state;
    struct board_image *expected;
    struct board_image_information information;
    struct board_segment segment;
    struct flashable image;
    const char *reason;
    assert_int_equal(flashable_check(file->bytes, file->count, &image, &reason), 0);
    assert_int_equal(board_image_open(&expected, getenv("EMP_IMAGE")), 0);
    board_image_information(expected, &information);
    assert_int_equal(image.information.start, information.start);
    assert_int_equal(image.information.protocol_hash, information.protocol_hash);
    assert_int_equal(image.information.load, information.load);
    uint32_t *words = calloc(image.segment.words, 4);
    assert_non_null(words);
    flashable_copy(file->bytes, &image, words);
    for (size_t i = 0; i < board_image_segment(expected, i, &segment); i++)
        assert_memory_equal(words + (segment.address - image.segment.address) / 4, segment.content,
                            4 * (size_t)segment.words);
    free(words);
    board_image_close(expected);
}

static void flashable__no_bit_may_differ(void **state) {
    struct file *file = *state;
    for (size_t i = 0; i < file->count; i += i < 64 || i + 64 > file->count ? 1 : 997) {
        file->bytes[i] ^= (uint8_t)(1U << i % 8);
        assert_true(check(file, file->count) < 0);
        file->bytes[i] ^= (uint8_t)(1U << i % 8);
    }
    assert_int_equal(check(file, file->count), 0);
}

static void flashable__is_whole(void **state) {
    const struct file *file = *state;
    for (size_t count = 0; count < file->count; count += count < 128 ? 1 : 499)
        assert_true(check(file, count) < 0);
    assert_int_equal(check(file, file->count - 1), -ENOEXEC);
}

/* The CRC holds, but not the rest. */
static void flashable__fits_into_every_board(void **state) {
    struct file *file = *state;
    const struct {
        size_t offset;
        uint32_t word;
        int error;
    } changes[] = {
        {BOARD_IMAGE_START_OFFSET, 0, -ENOEXEC},
        {BOARD_IMAGE_START_OFFSET, BOARD_IMAGE_END_ADDRESS - 4, -ENOEXEC},
        {BOARD_IMAGE_START_OFFSET, 0x4002, -ENOEXEC},
        {BOARD_IMAGE_LOAD_OFFSET, 0x2000, -ENOEXEC},
        {BOARD_IMAGE_LOAD_OFFSET, BOARD_IMAGE_END_ADDRESS - 0x1000, -ENOEXEC},
        {tail(file, BOARD_IMAGE_TAIL_PAYLOAD), 0, -ENOEXEC},
        {tail(file, BOARD_IMAGE_TAIL_PAYLOAD), UINT32_MAX - 3, -ENOEXEC},
        {tail(file, BOARD_IMAGE_TAIL_NAMES), UINT32_MAX, -ENOEXEC},
        {tail(file, BOARD_IMAGE_TAIL_FORMAT), BOARD_IMAGE_FORMAT + 1, -ENOEXEC},
        {tail(file, BOARD_IMAGE_TAIL_MEMORY), BOARD_IMAGE_END_ADDRESS + 4, -EFBIG},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct file *changed = malloc(sizeof *changed);
        assert_non_null(changed);
        *changed = *file;
        put(changed, changes[i].offset, changes[i].word);
        sign(changed);
        assert_int_equal(check(changed, changed->count), changes[i].error);
        free(changed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(flashable__is_what_the_library_reads, set_up),
        cmocka_unit_test_setup(flashable__no_bit_may_differ, set_up),
        cmocka_unit_test_setup(flashable__is_whole, set_up),
        cmocka_unit_test_setup(flashable__fits_into_every_board, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
