/* SPDX-License-Identifier: MIT */
/* Boards of the Linux driver, which posts: libemp over a driver that takes and refuses what the
 * test says. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include "host/driver/uapi/emp_ioctl.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SHARE = 100, TAG_BITS = EMP_IOCTL_TAG_BITS, NODES = EMP_BOARD_LIMIT };

static struct {
    int file; /* the words in which requests end */
    int refusal;
    uint32_t submitted; /* requests that it was given */
    uint32_t pieces;    /* of the last one */
    int call_error;     /* of every call but those for information */
} driver;

static void submit(struct emp_ioctl_batch *batch) {
    struct emp_ioctl_entry *entries = (struct emp_ioctl_entry *)(uintptr_t)batch->entries;
    for (batch->done = 0; batch->done < batch->count; batch->done++) {
        struct emp_ioctl_entry *entry = &entries[batch->done];
        if (entry->kind == EMP_IOCTL_COLLECT || entry->kind == EMP_IOCTL_CANCEL)
            continue;
        driver.submitted++;
        driver.pieces = entry->piece_count;
        entry->request = driver.submitted % SHARE;
        entry->error = driver.refusal;
        if (entry->error) {
            batch->done++;
            return;
        }
    }
}

/* In place of the system's. */
int ioctl(int file, unsigned long command, ...) {
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    assert_int_equal(file, driver.file);
    if (command == EMP_INFORMATION) {
        *(struct emp_ioctl_information *)argument =
            (struct emp_ioctl_information){.version = EMP_IOCTL_VERSION,
                                           .protocol_hash = EMP_PROTOCOL_HASH,
                                           .running = 1,
                                           .descriptors = SHARE,
                                           .ends_step = 6,
                                           .tag_bits = TAG_BITS};
    } else if (driver.call_error) {
        errno = -driver.call_error;
        return -1;
    } else if (command == EMP_SUBMIT) {
        submit(argument);
    }
    return 0;
}

static int channel(void *handle) {
    (void)handle;
    return driver.file;
}

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    struct libemp_memory *memory;
};

static int set_up(void **state) {
    static struct fixture fixture;
    static struct board_backend backend;
    static const struct board_backend *const backends[] = {&backend, NULL};
    struct libemp_options options;
    memset(&driver, 0, sizeof driver);
    driver.file = memfd_create("ends", MFD_CLOEXEC);
    assert_true(driver.file >= 0 && ftruncate(driver.file, SHARE << 6) == 0);
    backend = mock_backend;
    backend.channel = channel;
    fixture.mock = mock_create();
    libemp_abandon(mock_start(fixture.mock)); /* firmware runs */
    libemp_options_defaults(&options);
    options.board.backends = backends;
    options.board.environment = fixture.mock;
    assert_int_equal(libemp_open(&fixture.board, "mock:0", &options), 0);
    assert_int_equal(libemp_attach(fixture.board), 0);
    void *page = libemp_allocate(fixture.board, EMP_PAGE_BYTES);
    assert_int_equal(libemp_register(fixture.board, page, EMP_PAGE_BYTES, &fixture.memory), 0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    assert_int_equal(libemp_close(fixture->board), 0);
    mock_destroy(fixture->mock);
    return close(driver.file);
}

static void limits__are_those_of_the_board(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_board *board = fixture->board;
    libemp_request request;
    uint8_t address[6] = {2};
    struct libemp_board *other = mock_start(fixture->mock);
    assert_int_equal(libemp_board_node_limit(board), NODES);
    assert_int_equal(libemp_board_node_limit(other), libemp_node_limit());
    assert_int_equal(libemp_board_tag_bits(other), libemp_tag_bits());
    assert_int_equal(libemp_board_tag_bits(board),
                     libemp_tag_bits() < TAG_BITS ? libemp_tag_bits() : TAG_BITS);
    assert_int_equal(libemp_close(other), 0);

    /* Refused at once, also while receives are held. */
    const uint64_t tag = UINT64_C(1) << libemp_board_tag_bits(board);
    for (unsigned held = 0; held < 2; held++) {
        assert_int_equal(libemp_post_receive(board, NODES, 0, NULL, 0, &request), -EINVAL);
        assert_int_equal(libemp_post_receive(board, 1, tag, NULL, 0, &request), -EINVAL);
        assert_int_equal(libemp_post_send(board, 1, tag, NULL, 0, &request), -EINVAL);
        libemp_hold_receives(board);
    }
    assert_int_equal(libemp_post_receive_matching(board, 1, 0, tag, NULL, 0, &request),
                     EMP_TAG_BITS < 64 ? -EOPNOTSUPP : -EINVAL);
    assert_int_equal(libemp_set_peer(board, NODES, address), -EINVAL);
    assert_int_equal(libemp_start(board, NULL, &(struct board_start_options){.node = NODES}),
                     -EINVAL);
    assert_int_equal(driver.submitted, 0);
}

/* Whatever the driver's reason was: one number says that it did not take the request. But it knows
 * no such peer only if its board has been started as another node since. */
static void held_receives__end_when_they_are_refused(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_board *board = fixture->board;
    static const struct {
        int reason, end;
    } refusals[] = {
        {-EINVAL, -ECONNRESET}, {-E2BIG, -EBADRQC}, {-ENOMEM, -EBADRQC}, {-ENODEV, -EBADRQC}};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        libemp_request requests[2];
        int results[2] = {0};
        driver.refusal = refusals[i].reason;
        libemp_hold_receives(board);
        for (size_t k = 0; k < 2; k++)
            assert_int_equal(libemp_post_receive(board, 1, k, NULL, 0, &requests[k]), 0);
        const libemp_request first = requests[0];
        libemp_release_receives(board);
        assert_int_equal(libemp_wait_all(board, requests, 2, LIBEMP_FOREVER, results, NULL),
                         refusals[i].end);
        if (refusals[i].end == -EBADRQC)
            assert_non_null(strstr(libemp_message(board), strerror(-refusals[i].reason)));
        for (size_t k = 0; k < 2; k++) {
            assert_int_equal(results[k], refusals[i].end);
            assert_int_equal(requests[k], LIBEMP_NO_REQUEST);
        }
        assert_int_equal(libemp_test(board, first, NULL), -EINVAL);
    }
}

static void posts__are_refused_with_the_drivers_reason(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    driver.refusal = -ENOMEM;
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &request), -ENOMEM);
    assert_int_equal(fixture->board->outstanding, 0);
}

/* Empty pieces are not handed over, so any number of them is possible. */
static void posts__leave_out_empty_pieces(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_piece pieces[600] = {{0}};
    libemp_request request;
    pieces[599] = (struct libemp_piece){fixture->memory, 0, 100};
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, pieces, 600, &request), 0);
    assert_int_equal(driver.pieces, 1);
}

static void calls__that_the_kind_of_board_lacks(void **state) {
    const struct fixture *fixture = *state;
    uint8_t address[6];
    libemp_request request;
    assert_int_equal(libemp_stop(fixture->board), -EOPNOTSUPP);
    assert_int_equal(libemp_peer(fixture->board, 1, address), -EOPNOTSUPP);
    driver.call_error = -EPERM;
    assert_int_equal(libemp_start(fixture->board, NULL, &(struct board_start_options){0}), -EPERM);
    driver.call_error = 0;
    assert_int_equal(libemp_attach(fixture->board), 0);
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, NULL, 0, &request), 0);
    assert_int_equal(libemp_give_up(fixture->board, request), -EOPNOTSUPP);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(limits__are_those_of_the_board),
        TEST(held_receives__end_when_they_are_refused),
        TEST(posts__are_refused_with_the_drivers_reason),
        TEST(posts__leave_out_empty_pieces),
        TEST(calls__that_the_kind_of_board_lacks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
