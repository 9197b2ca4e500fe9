/* SPDX-License-Identifier: MIT */
/* Waiting for one of several requests, and for all: which is reported, what is left of the list,
 * and that each way to end early leaves the rest posted. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>
#include <string.h>

enum { COUNT = 4 };

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    libemp_request requests[COUNT];
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture.mock = mock_create();
    fixture.board = mock_start(fixture.mock);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(libemp_post_receive(fixture.board, 1, i, NULL, 0, &fixture.requests[i]),
                         0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    libemp_abandon(fixture->board);
    mock_destroy(fixture->mock);
    return 0;
}

static void finish(const struct fixture *fixture, size_t index, enum emp_result result) {
    mock_finish(fixture->mock, fixture->requests[index] & 0xFFFF, result, 0);
}

static void wait_any__reports_the_first_of_the_list(void **state) {
    struct fixture *fixture = *state;
    struct libemp_completion completion;
    size_t index = 99;
    finish(fixture, 2, EMP_RESULT_OK);
    finish(fixture, 1, EMP_RESULT_OK);
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, LIBEMP_FOREVER,
                                     &index, &completion),
                     0);
    assert_int_equal(index, 1);
    assert_int_equal(completion.peer, 1);
    assert_int_equal(completion.tag, 1);
    fixture->requests[1] = LIBEMP_NO_REQUEST;
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, 0, &index, NULL), 0);
    assert_int_equal(index, 2);
}

static void wait_any__tells_results_and_strangers(void **state) {
    struct fixture *fixture = *state;
    size_t index = 99;
    finish(fixture, 3, EMP_RESULT_PEER_RESTARTED);
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, 0, &index, NULL),
                     -ECONNRESET);
    assert_int_equal(index, 3);
    /* It is no request any more. */
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, 0, &index, NULL),
                     -EINVAL);
    assert_int_equal(index, 3);
}

static void wait_any__comes_too_late(void **state) {
    struct fixture *fixture = *state;
    size_t index = 99;
    const uint64_t before = fixture->mock->now_ns;
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, 50000, &index, NULL),
                     -ETIMEDOUT);
    assert_true(fixture->mock->now_ns - before >= 50000);
    assert_int_equal(index, 99);
    finish(fixture, 0, EMP_RESULT_OK); /* still posted */
    assert_int_equal(libemp_wait_any(fixture->board, fixture->requests, COUNT, 0, &index, NULL), 0);
}

static void wait_any__refuses_lists_without_requests(void **state) {
    struct fixture *fixture = *state;
    libemp_request none[] = {LIBEMP_NO_REQUEST, LIBEMP_NO_REQUEST};
    size_t index;
    struct libemp_board *board = fixture->board;
    assert_int_equal(libemp_wait_any(board, none, 2, 0, &index, NULL), -EINVAL);
    assert_int_equal(libemp_wait_any(board, NULL, 0, 0, &index, NULL), -EINVAL);
    assert_int_equal(libemp_wait_any(board, fixture->requests, COUNT, 0, NULL, NULL), -EINVAL);
}

static void set_state(const struct fixture *fixture, uint32_t value) {
    fixture->mock->sram[(BOARD_CONTROL_ADDRESS / 4) + BOARD_CONTROL_STATE_WORD] = value;
}

static void waits__notice_firmware_that_stops(void **state) {
    struct fixture *fixture = *state;
    size_t index;
    set_state(fixture, BOARD_CONTROL_STATE_STOPPED);
    assert_int_equal(
        libemp_wait_any(fixture->board, fixture->requests, COUNT, LIBEMP_FOREVER, &index, NULL),
        -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "stopped"));
    assert_int_equal(
        libemp_wait_all(fixture->board, fixture->requests, COUNT, LIBEMP_FOREVER, NULL, NULL),
        -EIO);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_not_equal(fixture->requests[i], LIBEMP_NO_REQUEST);
}

static void wait_all__stores_each_result(void **state) {
    struct fixture *fixture = *state;
    struct libemp_completion completions[COUNT];
    int results[COUNT] = {1, 1, 1, 1};
    for (size_t i = 0; i < COUNT; i++)
        finish(fixture, i, i == 1 ? EMP_RESULT_PEER_RESTARTED : EMP_RESULT_OK);
    assert_int_equal(
        libemp_wait_all(fixture->board, fixture->requests, COUNT, 0, results, completions),
        -ECONNRESET);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(fixture->requests[i], LIBEMP_NO_REQUEST);
        assert_int_equal(results[i], i == 1 ? -ECONNRESET : 0);
        assert_int_equal(completions[i].tag, i);
    }
    /* Nothing is left to wait for. */
    assert_int_equal(libemp_wait_all(fixture->board, fixture->requests, COUNT, 0, NULL, NULL), 0);
    assert_int_equal(libemp_wait_all(fixture->board, NULL, 0, 0, NULL, NULL), 0);
    assert_int_equal(libemp_wait_all(fixture->board, NULL, 1, 0, NULL, NULL), -EINVAL);
}

static void wait_all__can_be_repeated_after_a_time_out(void **state) {
    struct fixture *fixture = *state;
    finish(fixture, 0, EMP_RESULT_OK);
    finish(fixture, 2, EMP_RESULT_OK);
    assert_int_equal(libemp_wait_all(fixture->board, fixture->requests, COUNT, 1000, NULL, NULL),
                     -ETIMEDOUT);
    assert_int_equal(fixture->requests[0], LIBEMP_NO_REQUEST);
    assert_int_not_equal(fixture->requests[1], LIBEMP_NO_REQUEST);
    finish(fixture, 1, EMP_RESULT_OK);
    finish(fixture, 3, EMP_RESULT_OK);
    assert_int_equal(libemp_wait_all(fixture->board, fixture->requests, COUNT, 1000, NULL, NULL),
                     0);
    assert_int_equal(libemp_descriptors_free(fixture->board), libemp_descriptor_limit());
}

static void wait_all__stops_at_what_is_no_request(void **state) {
    struct fixture *fixture = *state;
    libemp_request list[] = {fixture->requests[0], 0x12345678, fixture->requests[1]};
    finish(fixture, 0, EMP_RESULT_OK);
    finish(fixture, 1, EMP_RESULT_OK);
    assert_int_equal(libemp_wait_all(fixture->board, list, 3, 0, NULL, NULL), -EINVAL);
    assert_int_equal(list[0], LIBEMP_NO_REQUEST);
    assert_int_equal(list[2], fixture->requests[1]);
}

static void read_register__borders(void **state) {
    const struct fixture *fixture = *state;
    struct board *board = libemp_hardware(fixture->board);
    uint32_t value = 0;
    fixture->mock->registers[0x3FC / 4] = 77;
    assert_int_equal(board_read_register(board, 0x3FC, &value), 0);
    assert_int_equal(value, 77);
    assert_int_equal(board_read_register(board, 0x400, &value), -EINVAL);
    assert_int_equal(board_read_register(board, 0x142, &value), -EINVAL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(wait_any__reports_the_first_of_the_list),
        TEST(wait_any__tells_results_and_strangers),
        TEST(wait_any__comes_too_late),
        TEST(wait_any__refuses_lists_without_requests),
        TEST(waits__notice_firmware_that_stops),
        TEST(wait_all__stores_each_result),
        TEST(wait_all__can_be_repeated_after_a_time_out),
        TEST(wait_all__stops_at_what_is_no_request),
        TEST(read_register__borders),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
