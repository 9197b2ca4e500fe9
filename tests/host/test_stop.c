/* SPDX-License-Identifier: MIT */
/* Stopping and closing: memory is given back when the board is silent, and only then. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>
#include <string.h>

static struct mock *mock;
static struct libemp_board *board;
static struct libemp_memory *memory;
static libemp_request request;

static int set_up(void **state) {
    (void)state;
    mock = mock_create();
    board = mock_start(mock);
    assert_int_equal(
        libemp_register(board, libemp_allocate(board, EMP_PAGE_BYTES), EMP_PAGE_BYTES, &memory), 0);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    mock_destroy(mock);
    return 0;
}

static void post(void) {
    const struct libemp_piece piece = {memory, 0, 100};
    assert_int_equal(libemp_post_receive(board, 1, 0, &piece, 1, &request), 0);
}

static uint32_t hw(uint32_t offset) {
    return mock->registers[offset / 4];
}

static void stop__stops_all_that_moves(void **state) {
    (void)state;
    mock->registers[REGISTER_TRANSMIT_STATE / 4] = 0x040000E2; /* enabled, with an attention */
    mock->registers[REGISTER_RECEIVE_STATE / 4] = 0x00000802;
    mock->registers[REGISTER_DMA_ASSIST / 4] = 1;
    mock->dma_reads = 20;
    post();
    assert_int_equal(libemp_stop(board), 0);
    assert_int_equal(mock->dma_reads, 0); /* waited for */
    assert_int_equal(hw(REGISTER_CPU_A_STATE) >> 16 & 1, 1);
    assert_int_equal(hw(REGISTER_CPU_B_STATE) >> 16 & 1, 1);
    assert_int_equal(hw(REGISTER_DMA_ASSIST), 3);
    assert_int_equal(hw(REGISTER_TRANSMIT_STATE), 0xE5); /* stopped, reset, not enabled */
    assert_int_equal(hw(REGISTER_RECEIVE_STATE), 0x805);
    assert_int_equal(hw(REGISTER_DMA_WRITE_STATE), 0); /* a transfer that ends is not cut short */
    assert_int_equal(libemp_test(board, request, NULL), -EINVAL);
    assert_int_equal(libemp_close(board), 0);
    assert_true(mock->silent_at_unpin);
}

static void stop__drops_a_transfer_that_hangs(void **state) {
    (void)state;
    mock->dma_hangs = true;
    const uint64_t before = mock->now_ns;
    assert_int_equal(libemp_stop(board), 0);
    assert_in_range(mock->now_ns - before, 10000000, 11000000);
    assert_int_equal(libemp_close(board), 0);
    assert_true(mock->silent_at_unpin);
}

static void stop__says_when_it_cannot(void **state) {
    (void)state;
    post();
    mock->deaf = true;
    assert_int_equal(libemp_stop(board), -EIO);
    assert_non_null(strstr(libemp_message(board), "does not stop: HW[140] 0x00000000"));
    assert_int_equal(libemp_deregister(memory), -EBUSY); /* registers that may still be written */
    mock->deaf = false;
    assert_int_equal(libemp_stop(board), 0);
    assert_int_equal(libemp_deregister(memory), 0);
    assert_int_equal(libemp_close(board), 0);
}

static void close__keeps_memory_of_a_board_that_does_not_answer(void **state) {
    (void)state;
    post();
    mock->gone = true;
    assert_int_equal(libemp_close(board), -EIO);
    assert_non_null(strstr(libemp_message(board), "does not answer"));
    assert_int_equal(mock->unpinned, 0);
    mock->gone = false; /* it was a loose contact */
    assert_int_equal(libemp_close(board), 0);
    assert_int_equal(mock->unpinned, 1);
    assert_true(mock->silent_at_unpin);
}

static void close__of_an_idle_board_lets_it_finish_and_run(void **state) {
    (void)state;
    mock->dma_reads = 5;
    assert_int_equal(libemp_close(board), 0);
    assert_true(mock->silent_at_unpin);
    assert_int_equal(hw(REGISTER_CPU_A_STATE) >> 16, 0);
}

static void close__of_an_idle_board_stops_one_that_does_not_finish(void **state) {
    (void)state;
    mock->registers[REGISTER_DMA_ASSIST / 4] = 1
                                               << 15; /* a ring that the firmware does not empty */
    assert_int_equal(libemp_close(board), 0);
    assert_true(mock->silent_at_unpin);
    assert_int_equal(hw(REGISTER_CPU_A_STATE) >> 16 & 1, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(stop__stops_all_that_moves),
        TEST(stop__drops_a_transfer_that_hangs),
        TEST(stop__says_when_it_cannot),
        TEST(close__keeps_memory_of_a_board_that_does_not_answer),
        TEST(close__of_an_idle_board_lets_it_finish_and_run),
        TEST(close__of_an_idle_board_stops_one_that_does_not_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
