/* SPDX-License-Identifier: MIT */
/* Ends that the board writes to host memory. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>

static int set_up(void **state) {
    *state = mock_create();
    return 0;
}

static int tear_down(void **state) {
    mock_destroy(*state);
    return 0;
}

#if EMP_ENDS_IN_MEMORY
static void ends_in_memory__the_board_is_not_read(void **state) {
    struct mock *mock = *state;
    struct libemp_board *board = mock_start_in_memory(mock);
    libemp_request requests[2];
    struct libemp_completion completion;
    assert_int_equal(libemp_post_receive(board, 1, 42, NULL, 0, &requests[0]), 0);
    assert_int_equal(libemp_post_receive(board, 1, 42, NULL, 0, &requests[1]), 0);
    const uint64_t reads = board->hardware->statistics.reads;
    assert_int_equal(libemp_test(board, requests[0], NULL), -EAGAIN);
    mock_finish(mock, 0, EMP_RESULT_TRUNCATED, 77);
    assert_int_equal(libemp_test(board, requests[0], &completion), -EMSGSIZE);
    assert_int_equal(completion.length, 77);
    assert_int_equal(libemp_test(board, requests[1], NULL), -EAGAIN);
    mock_finish(mock, 1, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_wait(board, requests[1], LIBEMP_FOREVER, NULL), 0);
    assert_int_equal(board->hardware->statistics.reads, reads);
    assert_int_equal(libemp_close(board), 0);
}

static void ends_in_memory__wait_is_late_or_notices_stopped_firmware(void **state) {
    struct mock *mock = *state;
    struct libemp_board *board = mock_start_in_memory(mock);
    libemp_request request;
    assert_int_equal(libemp_post_receive(board, 1, 42, NULL, 0, &request), 0);
    const uint64_t start = mock->now_ns;
    assert_int_equal(libemp_wait(board, request, 5000000, NULL), -ETIMEDOUT);
    assert_in_range(mock->now_ns - start, 5000000, 5100000);
    emp_control_set_state(&mock->sram[EMP_CONTROL_ADDRESS / 4], EMP_CONTROL_STATE_STOPPED);
    assert_int_equal(libemp_wait(board, request, LIBEMP_FOREVER, NULL), -EIO);
    libemp_abandon(board);
}

static void ends_in_memory__test_notices_a_reset(void **state) {
    struct mock *mock = *state;
    struct libemp_board *board = mock_start_in_memory(mock);
    libemp_request request;
    assert_int_equal(libemp_post_receive(board, 1, 42, NULL, 0, &request), 0);
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(libemp_test(board, request, NULL), -EAGAIN);
    mock_set_descriptor_word(mock, 0, EMP_DESCRIPTOR_OWNER_WORD, 0);
    int error = -EAGAIN;
    for (size_t i = 0; i < 1024 && error == -EAGAIN; i++)
        error = libemp_test(board, request, NULL);
    assert_int_equal(error, -EIO);
    libemp_abandon(board);
}

/* A handle that attaches only to look, with ends in memory or without, takes nothing. */
static void ends_in_memory__stay_with_the_handle_that_posts(void **state) {
    struct mock *mock = *state;
    struct libemp_board *first = mock_start_in_memory(mock);
    libemp_request requests[2];
    uint32_t value;
    assert_int_equal(libemp_post_receive(first, 1, 42, NULL, 0, &requests[0]), 0);
    struct libemp_board *second = mock_start_in_memory(mock);
    struct libemp_board *third = mock_start(mock);
    assert_int_equal(libemp_counter(second, 0, &value), 0);
    assert_int_equal(libemp_counter(third, 0, &value), 0);
    mock_finish(mock, 0, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_wait(first, requests[0], 1000000, NULL), 0);
    assert_int_equal(libemp_post_receive(first, 1, 42, NULL, 0, &requests[1]), 0);
    assert_int_equal(libemp_close(second), 0);
    assert_int_equal(libemp_close(third), 0);
    mock_finish(mock, 0, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_wait(first, requests[1], 1000000, NULL), 0);
    assert_int_equal(libemp_close(first), 0);
}

/* The handle that posts last learns of ends. */
static void ends_in_memory__follows_the_handle(void **state) {
    struct mock *mock = *state;
    struct libemp_board *first = mock_start_in_memory(mock);
    struct libemp_board *second = mock_start_in_memory(mock);
    struct libemp_board *third = mock_start(mock);
    libemp_request request;
    assert_int_equal(libemp_attach(second), 0);
    assert_int_equal(libemp_post_receive(second, 1, 42, NULL, 0, &request), 0);
    mock_finish(mock, request & 0xFFFF, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_test(second, request, NULL), 0);
    assert_int_equal(libemp_attach(third), 0);
    assert_int_equal(libemp_post_receive(third, 1, 42, NULL, 0, &request), 0);
    mock_finish(mock, request & 0xFFFF, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_test(third, request, NULL), 0);
    assert_int_equal(libemp_close(first), 0);
    assert_int_equal(libemp_close(second), 0);
    assert_int_equal(libemp_close(third), 0);
}
#else
static void ends_in_memory__is_refused(void **state) {
    struct mock *mock = *state;
    struct libemp_options options;
    struct libemp_board *board = NULL;
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&mock_backend, NULL};
    options.board.environment = mock;
    options.ends_in_memory = true;
    assert_int_equal(libemp_open(&board, "mock:0", &options), -EOPNOTSUPP);
    assert_null(board);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
#if EMP_ENDS_IN_MEMORY
        TEST(ends_in_memory__the_board_is_not_read),
        TEST(ends_in_memory__wait_is_late_or_notices_stopped_firmware),
        TEST(ends_in_memory__test_notices_a_reset),
        TEST(ends_in_memory__stay_with_the_handle_that_posts),
        TEST(ends_in_memory__follows_the_handle),
#else
        TEST(ends_in_memory__is_refused),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
