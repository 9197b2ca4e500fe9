/* SPDX-License-Identifier: MIT */
/* Incarnations: counted in the EEPROM, whatever becomes of power and part. */
#include "tests/host/check.h"

#include "tests/host/elf_file.h"
#include "tests/host/mock.h"

#include <errno.h>
#include <string.h>

enum { FIRST = 0xFC0, SECOND = 0xFE0 };

static struct mock *mock;
static struct libemp_board *board;
static struct board_image *image;

static int set_up(void **state) {
    struct elf_file file;
    (void)state;
    mock = mock_create();
    board = mock_open(mock);
    elf_file_defaults(&file);
    return board_image_open(&image, elf_file_write(&file, 0));
}

static int tear_down(void **state) {
    (void)state;
    board_image_close(image);
    libemp_abandon(board);
    mock_destroy(mock);
    elf_file_close();
    return 0;
}

static int start(uint16_t epoch) {
    const struct board_start_options options = {.node = 5, .epoch = epoch};
    return libemp_start(board, image, &options);
}

/* Starts the board; the epoch it has then, by firmware and by libemp. */
static uint16_t next(void) {
    struct board_status status;
    assert_int_equal(start(0), 0);
    assert_int_equal(board_status(libemp_hardware(board), &status), 0);
    assert_int_equal(emp_control_get_epoch(&mock->sram[EMP_CONTROL_ADDRESS / 4]), status.epoch);
    return status.epoch;
}

/* All but the EEPROM is lost. */
static void cycle_power(void) {
    memset(mock->sram, 0xA5, sizeof mock->sram);
    memset(mock->registers, 0, sizeof mock->registers);
    mock->registers[REGISTER_PCI_COMMAND / 4] = MOCK_PCI_COMMAND;
    mock->eeprom.phase = 0;
    mock->eeprom.drive = false;
    mock->eeprom_busy_ns = 0;
    mock->gone = false;
}

/* As if the board had been started `count` times, which is at least once. */
static void set_count(uint32_t count) {
    board_encode_count(count, mock->eeprom.bytes + FIRST);
    board_encode_count(count - 1, mock->eeprom.bytes + SECOND);
}

static void incarnation__is_counted_from_a_blank_part_on(void **state) {
    (void)state;
    mock->eeprom_write_ns = 10000000;
    for (uint16_t i = 1; i <= 6; i++) {
        assert_int_equal(next(), i);
        assert_int_equal(mock->eeprom_writes, i);
        if (i % 2)
            cycle_power();
    }
    /* Only the slots have changed. */
    for (size_t i = 0; i < TIGON_EEPROM_BYTES; i++)
        if ((i < 0x8C || i >= 0x94) && (i < FIRST || i >= FIRST + BOARD_COUNT_BYTES) &&
            (i < SECOND || i >= SECOND + BOARD_COUNT_BYTES))
            assert_int_equal(mock->eeprom.bytes[i], 0xFF);
}

static void incarnation__is_counted_before_the_firmware_runs(void **state) {
    (void)state;
    mock->silent = true;
    assert_int_equal(start(0), -ETIMEDOUT);
    mock->silent = false;
    assert_int_equal(next(), 2);
}

static void incarnation__has_two_bytes(void **state) {
    static const struct {
        uint32_t count;
        uint16_t epoch[2]; /* of the next two starts */
    } rows[] = {
        {253, {0x00FE, 0x00FF}},
        {254, {0x00FF, 0x0101}},
        {2 * 255 - 1, {0x01FF, 0x0201}},
        {255 * 256 - 1, {0xFFFF, 0x0001}},
        {0x80000000U - 1, {0x8080, 0x8081}}, /* no sign is seen in it */
        {UINT32_MAX, {0x0101, 0x0001}},      /* neither slot is larger for good */
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        set_count(rows[i].count);
        assert_int_equal(next(), rows[i].epoch[0]);
        assert_int_equal(next(), rows[i].epoch[1]);
    }
}

static void incarnation__follows_the_newer_slot(void **state) {
    (void)state;
    board_encode_count(40, mock->eeprom.bytes + FIRST);
    board_encode_count(41, mock->eeprom.bytes + SECOND);
    assert_int_equal(next(), 42);
    board_encode_count(60, mock->eeprom.bytes + SECOND);
    assert_int_equal(next(), 61);
    mock->eeprom.bytes[FIRST + 3] ^= 1; /* written last, with the count of 61 starts */
    assert_int_equal(next(), 61);
    memset(mock->eeprom.bytes + SECOND, 0xFF, BOARD_COUNT_BYTES);
    assert_int_equal(next(), 62);
}

/* Whichever bytes of the slot were written when the power went. */
static void incarnation__outlives_a_torn_write(void **state) {
    static const uint32_t counts[] = {1, 2, 254, 0xFF, 0x100, 0x101, 0xFFFF, 0x10000, 0xFFFFFF};
    uint8_t old[BOARD_COUNT_BYTES], new[BOARD_COUNT_BYTES];
    (void)state;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const uint32_t count = counts[i];
        board_encode_count(count - 1, old);
        board_encode_count(count + 1, new);
        for (unsigned written = 0; written < 256; written++) {
            set_count(count);
            uint8_t torn[BOARD_COUNT_BYTES];
            for (unsigned byte = 0; byte < BOARD_COUNT_BYTES; byte++)
                torn[byte] = written >> byte & 1 ? new[byte] : old[byte];
            memcpy(mock->eeprom.bytes + SECOND, torn, sizeof torn);
            uint16_t epoch;
            assert_int_equal(board_next_epoch(libemp_hardware(board), &epoch), 0);
            /* Neither of them was ever that of running firmware. */
            const bool whole = memcmp(torn, new, sizeof torn) == 0;
            const uint32_t used = whole ? count + 1 : count;
            assert_int_equal(epoch, used / 255 % 256 << 8 | (used % 255 + 1));
        }
    }
}

static void incarnation__is_new_when_the_power_fails_amid_the_write(void **state) {
    uint16_t last = 0;
    (void)state;
    for (size_t bytes = 1; bytes <= BOARD_COUNT_BYTES; bytes++) {
        mock->eeprom_bytes_left = bytes;
        assert_true(start(0) < 0);
        cycle_power();
        mock->eeprom_bytes_left = 0;
        const uint16_t epoch = next();
        assert_true(epoch > last);
        last = epoch;
    }
}

static void incarnation__is_never_guessed(void **state) {
    struct board_status status;
    (void)state;
    assert_int_equal(next(), 1);
    mock->no_eeprom = true;
    const struct board_start_options options = {.mac_address = {2, 0x54, 0x47, 0, 0, 9}};
    assert_int_equal(libemp_start(board, image, &options), -EIO);
    assert_non_null(strstr(libemp_message(board), "start it with an epoch"));
    struct board_start_options explicit = options;
    explicit.epoch = 0x1234;
    assert_int_equal(libemp_start(board, image, &explicit), 0);
    assert_int_equal(board_status(libemp_hardware(board), &status), 0);
    assert_int_equal(status.epoch, 0x1234);
    mock->no_eeprom = false;

    mock->eeprom_write_ns = 30000000; /* it does not come back in time */
    assert_int_equal(start(0), -EIO);
    assert_non_null(strstr(libemp_message(board), "does not keep the count"));
    mock->eeprom_write_ns = mock->eeprom_busy_ns = 0;

    /* Data of other programs there is not overwritten. */
    memset(mock->eeprom.bytes + FIRST, 0x55, SECOND + 32 - FIRST);
    assert_int_equal(start(0), -EIO);
    assert_non_null(strstr(libemp_message(board), "nor is it blank"));
    assert_int_equal(mock->eeprom.bytes[FIRST], 0x55);
    assert_int_equal(mock->eeprom.bytes[SECOND], 0x55);
}

static void incarnation__given_leaves_the_count_alone(void **state) {
    (void)state;
    assert_int_equal(next(), 1);
    const unsigned writes = mock->eeprom_writes;
    assert_int_equal(start(0x0301), 0);
    assert_int_equal(start(0x0300), -EINVAL);
    assert_int_equal(start(0x0001), 0);
    assert_int_equal(mock->eeprom_writes, writes);
    assert_int_equal(next(), 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(incarnation__is_counted_from_a_blank_part_on),
        TEST(incarnation__is_counted_before_the_firmware_runs),
        TEST(incarnation__has_two_bytes),
        TEST(incarnation__follows_the_newer_slot),
        TEST(incarnation__outlives_a_torn_write),
        TEST(incarnation__is_new_when_the_power_fails_amid_the_write),
        TEST(incarnation__is_never_guessed),
        TEST(incarnation__given_leaves_the_count_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
