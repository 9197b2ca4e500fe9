/* SPDX-License-Identifier: MIT */
/* The codec of QEMU's messages, with whole, cut and random ones. */
#include "tests/host/check.h"

#include "sim/serve/qemu/proxy_message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = PROXY_HEADER_BYTES + PROXY_BODY_LIMIT, RANDOM_MESSAGES = 300000 };

/* Bodies, by command. */
static const unsigned bodies[] = {192, 8, 12, 12, 24, 24, 0, 0};

/* A message of `length` bytes in memory of exactly that size, so that the sanitizer sees a look
 * beyond it. */
static int read_exactly(const uint8_t *bytes, size_t length, struct proxy_message *message) {
    uint8_t *copy = malloc(length ? length : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, length);
    const int error = proxy_message_read(copy, length, message);
    free(copy);
    return error;
}

static void write_header(uint8_t *bytes, uint32_t command, uint64_t size) {
    const uint32_t rubbish = 0xA5A5A5A5; /* QEMU does not set these bytes */
    memcpy(bytes, &command, 4);
    memcpy(bytes + 4, &rubbish, 4);
    memcpy(bytes + 8, &size, 8);
}

static void test_accesses(void **state) {
    (void)state;
    uint8_t bytes[LONGEST] = {0};
    struct proxy_message message;
    const uint64_t address = UINT64_C(0x12345678FEBF8504);
    const uint64_t value = UINT64_C(0x1122334455667788);
    for (uint32_t width = 1; width <= 8; width *= 2) {
        write_header(bytes, PROXY_WRITE, 24);
        memcpy(bytes + 16, &address, 8);
        memcpy(bytes + 24, &value, 8);
        memcpy(bytes + 32, &width, 4);
        assert_int_equal(proxy_message_length(bytes), 40);
        assert_int_equal(read_exactly(bytes, 40, &message), 0);
        assert_int_equal(message.command, PROXY_WRITE);
        assert_int_equal(message.address, address);
        assert_int_equal(message.value, value);
        assert_int_equal(message.width, width);
    }
    const uint32_t words[] = {0x3C, 0xABCD, 2};
    write_header(bytes, PROXY_CONFIGURATION_READ, 12);
    memcpy(bytes + 16, words, sizeof words);
    assert_int_equal(read_exactly(bytes, 28, &message), 0);
    assert_int_equal(message.command, PROXY_CONFIGURATION_READ);
    assert_int_equal(message.address, 0x3C);
    assert_int_equal(message.value, 0xABCD);
    assert_int_equal(message.width, 2);
}

static void test_widths(void **state) {
    (void)state;
    uint8_t bytes[LONGEST] = {0};
    struct proxy_message message;
    for (uint32_t width = 0; width < 40; width++) {
        const bool power = width == 1 || width == 2 || width == 4 || width == 8;
        write_header(bytes, PROXY_READ, 24);
        memcpy(bytes + 32, &width, 4);
        assert_int_equal(read_exactly(bytes, 40, &message), power ? 0 : -EPROTO);
        write_header(bytes, PROXY_CONFIGURATION_WRITE, 12);
        memcpy(bytes + 24, &width, 4);
        assert_int_equal(read_exactly(bytes, 28, &message), power && width < 8 ? 0 : -EPROTO);
    }
}

static void test_memory(void **state) {
    (void)state;
    uint8_t bytes[LONGEST];
    struct proxy_message message;
    write_header(bytes, PROXY_MEMORY, 192);
    for (uint64_t i = 0; i < 24; i++)
        memcpy(bytes + 16 + 8 * i, &(uint64_t){100 + i}, 8);
    assert_int_equal(read_exactly(bytes, LONGEST, &message), 0);
    for (uint64_t i = 0; i < PROXY_REGIONS_LIMIT; i++) {
        assert_int_equal(message.regions[i].guest_address, 100 + i);
        assert_int_equal(message.regions[i].size, 108 + i);
        assert_int_equal(message.regions[i].file_offset, 116 + i);
    }
}

/* Every command with every size of its body near the right one, and every message cut short. */
static void test_sizes(void **state) {
    (void)state;
    uint8_t bytes[LONGEST] = {0};
    struct proxy_message message;
    for (uint32_t command = 0; command < PROXY_COMMANDS + 3; command++) {
        for (uint64_t size = 0; size < 300; size++) {
            const bool right =
                command < PROXY_COMMANDS && command != PROXY_REPLY && size == bodies[command];
            write_header(bytes, command, size);
            assert_int_equal(proxy_message_length(bytes), right ? 16 + (int)size : -EPROTO);
        }
        write_header(bytes, command, UINT64_MAX);
        assert_int_equal(proxy_message_length(bytes), -EPROTO);
        if (command >= PROXY_COMMANDS)
            continue;
        write_header(bytes, command, bodies[command]);
        for (size_t length = 0; length < 16 + (size_t)bodies[command]; length++)
            assert_int_equal(read_exactly(bytes, length, &message), -EPROTO);
    }
    write_header(bytes, UINT32_MAX, 0);
    assert_int_equal(proxy_message_length(bytes), -EPROTO);
}

static void test_answers(void **state) {
    (void)state;
    uint8_t bytes[PROXY_REPLY_BYTES];
    const uint64_t value = UINT64_C(0x8070605040302010);
    const uint64_t size = 8;
    const uint32_t command = 1;
    proxy_reply_write(value, bytes);
    assert_memory_equal(bytes, &command, 4);
    assert_memory_equal(bytes + 8, &size, 8);
    assert_memory_equal(bytes + 16, &value, 8);
    for (uint32_t i = 0; i < PROXY_COMMANDS + 2; i++)
        assert_int_equal(proxy_message_is_answered(i), i >= 2 && i <= 7 && i != 6);
}

static void test_random_messages(void **state) {
    (void)state;
    uint8_t bytes[LONGEST];
    struct proxy_message message;
    unsigned understood = 0;
    srandom(1);
    for (unsigned i = 0; i < RANDOM_MESSAGES; i++) {
        for (size_t at = 0; at < sizeof bytes; at += 3)
            memcpy(bytes + at, &(long){random()}, sizeof bytes - at < 4 ? sizeof bytes - at : 4);
        const uint32_t command = (uint32_t)random() % (PROXY_COMMANDS + 1);
        if (random() % 8) /* a right header, most of the time */
            write_header(bytes, command, command < PROXY_COMMANDS ? bodies[command] : 0);
        const int length = proxy_message_length(bytes);
        assert_true(length == -EPROTO || (length >= PROXY_HEADER_BYTES && length <= LONGEST));
        if (length < 0)
            continue;
        if (read_exactly(bytes, (size_t)length, &message) == 0) {
            understood++;
            assert_true(message.command < PROXY_COMMANDS && message.command != PROXY_REPLY);
        }
    }
    assert_true(understood > RANDOM_MESSAGES / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accesses), cmocka_unit_test(test_widths),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_answers),  cmocka_unit_test(test_random_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
