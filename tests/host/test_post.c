/* SPDX-License-Identifier: MIT */
/* Posting, hand-over, completion, exhaustion, and how often the window moves. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    struct libemp_memory *memory;
    void *buffer;
};

enum { THREE_PAGES = 3 * EMP_PAGE_BYTES, BUFFER_BYTES = 64 * EMP_PAGE_BYTES };

static int set_up(void **state) {
    static struct fixture fixture;
    fixture.mock = mock_create();
    fixture.board = mock_start(fixture.mock);
    fixture.buffer = libemp_allocate(fixture.board, BUFFER_BYTES);
    assert_int_equal(libemp_register(fixture.board, fixture.buffer, BUFFER_BYTES, &fixture.memory),
                     0);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    assert_int_equal(libemp_close(fixture->board), 0);
    mock_destroy(fixture->mock);
    return 0;
}

static int receive(const struct fixture *fixture, size_t offset, size_t bytes,
                   libemp_request *request) {
    const struct libemp_piece piece = {fixture->memory, offset, bytes};
    return libemp_post_receive(fixture->board, 1, 42, &piece, 1, request);
}

static void post__hands_over_by_ring_and_mailbox(void **state) {
    const struct fixture *fixture = *state;
    libemp_request requests[3];
    assert_int_equal(mock_posted(fixture->mock), 0);
    assert_int_equal(receive(fixture, 0, 100, &requests[0]), 0);
    assert_int_equal(mock_posted(fixture->mock), 1);
    assert_int_equal(receive(fixture, 0, 28672, &requests[1]), 0); /* takes four */
    assert_int_equal(receive(fixture, 0, 28673, &requests[2]), 0); /* takes one and a page */
    assert_int_equal(mock_posted(fixture->mock), 3);
    assert_int_equal(mock_ring(fixture->mock, 0), 0);
    assert_int_equal(mock_ring(fixture->mock, 1), 1);
    assert_int_equal(mock_ring(fixture->mock, 2), 5);
    assert_int_equal(libemp_descriptors_free(fixture->board), 640 - 6);
    assert_int_equal(emp_descriptor_get_format(mock_descriptor(fixture->mock, 1)),
                     EMP_FORMAT_CHAIN);
    const uint32_t *indirect = mock_descriptor(fixture->mock, 5);
    assert_int_equal(emp_descriptor_get_format(indirect), EMP_FORMAT_INDIRECT);
    assert_int_equal(emp_descriptor_get_length(indirect), 8);
    assert_int_equal(emp_descriptor_get_total_length(indirect), 28673);
}

/* Any look at the data would end the test: the pages cannot be accessed. */
static void post__never_looks_at_the_data(void **state) {
    const struct fixture *fixture = *state;
    static const size_t lengths[] = {EMP_INLINE_LIMIT + 1, EMP_PAGE_BYTES, 28672, BUFFER_BYTES};
    assert_int_equal(mprotect(fixture->buffer, BUFFER_BYTES, PROT_NONE), 0);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        const struct libemp_piece piece = {fixture->memory, 0, lengths[i]};
        libemp_request requests[2];
        assert_int_equal(libemp_post_send(fixture->board, 1, 42, &piece, 1, &requests[0]), 0);
        assert_int_equal(receive(fixture, 0, lengths[i], &requests[1]), 0);
        for (size_t k = 0; k < 2; k++) {
            mock_finish(fixture->mock, requests[k] & 0xFFFF, EMP_RESULT_OK, (uint32_t)lengths[i]);
            assert_int_equal(libemp_test(fixture->board, requests[k], NULL), 0);
        }
    }
    assert_int_equal(mprotect(fixture->buffer, BUFFER_BYTES, PROT_READ | PROT_WRITE), 0);
}

static void hold__sends_go_first(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece piece = {fixture->memory, 0, 4};
    libemp_request requests[4];
    libemp_hold_receives(fixture->board);
    assert_int_equal(receive(fixture, 0, 100, &requests[0]), 0);
    assert_int_equal(receive(fixture, 0, 28672, &requests[1]), 0); /* takes four */
    assert_int_equal(mock_posted(fixture->mock), 0);
    assert_int_equal(libemp_post_send(fixture->board, 1, 42, &piece, 1, &requests[2]), 0);
    assert_int_equal(mock_posted(fixture->mock), 1);
    assert_int_equal(mock_ring(fixture->mock, 0), 5);
    assert_int_equal(libemp_test(fixture->board, requests[0], NULL), -EAGAIN);
    assert_int_equal(mock_posted(fixture->mock), 3);
    assert_int_equal(mock_ring(fixture->mock, 1), 0);
    assert_int_equal(mock_ring(fixture->mock, 2), 1);
    assert_int_equal(emp_descriptor_get_total_length(mock_descriptor(fixture->mock, 0)), 100);
    assert_int_equal(emp_descriptor_get_total_length(mock_descriptor(fixture->mock, 1)), 28672);
    assert_int_equal(receive(fixture, 0, 4, &requests[3]), 0); /* the hold has ended */
    assert_int_equal(mock_posted(fixture->mock), 4);
}

static void hold__ends_with_wait_cancel_and_release(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    for (size_t way = 0; way < 6; way++) {
        const uint32_t before = mock_posted(fixture->mock);
        libemp_hold_receives(fixture->board);
        assert_int_equal(receive(fixture, 0, 4, &request), 0);
        assert_int_equal(libemp_test(fixture->board, LIBEMP_NO_REQUEST, NULL), -EINVAL);
        assert_int_equal(mock_posted(fixture->mock), before); /* no request, no end of the hold */
        if (way == 0) {
            assert_int_equal(libemp_wait(fixture->board, request, 0, NULL), -ETIMEDOUT);
        } else if (way == 1) {
            libemp_release_receives(fixture->board);
        } else if (way == 3) {
            size_t index;
            assert_int_equal(libemp_wait_any(fixture->board, &request, 1, 0, &index, NULL),
                             -ETIMEDOUT);
        } else if (way == 4) {
            libemp_request copy = request;
            assert_int_equal(libemp_wait_all(fixture->board, &copy, 1, 0, NULL, NULL), -ETIMEDOUT);
        } else if (way == 5) {
            assert_true(libemp_event_descriptor(fixture->board) >= 0);
        } else {
            assert_int_equal(libemp_cancel(fixture->board, request), 0);
            assert_int_equal(mock_ring(fixture->mock, before + 1),
                             EMP_CANCEL_REQUEST | (request & 0xFFFF));
        }
        assert_int_equal(mock_posted(fixture->mock), before + (way == 2 ? 2 : 1));
        assert_int_equal(mock_ring(fixture->mock, before), request & 0xFFFF);
    }
}

static void hold__keeps_sixteen_in_order(void **state) {
    const struct fixture *fixture = *state;
    libemp_request requests[40];
    libemp_hold_receives(fixture->board);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(receive(fixture, 0, 4, &requests[i]), 0);
    assert_int_equal(mock_posted(fixture->mock), 32);
    libemp_release_receives(fixture->board);
    assert_int_equal(mock_posted(fixture->mock), 40);
    for (size_t i = 0; i < 40; i++)
        assert_int_equal(mock_ring(fixture->mock, (uint32_t)i), requests[i] & 0xFFFF);
    libemp_hold_receives(fixture->board); /* what is held when the board stops is forgotten */
    assert_int_equal(receive(fixture, 0, 4, &requests[0]), 0);
    libemp_reset_requests(fixture->board);
    libemp_release_receives(fixture->board);
    assert_int_equal(mock_posted(fixture->mock), 40);
}

/* A log of register writes must end with the mailbox: no write may follow it. */
static uint32_t write_log[64];
static size_t write_count;
static void logged_write32(void *handle, uint32_t offset, uint32_t value) {
    write_log[write_count++] = offset;
    mock_backend.write32(handle, offset, value);
}
static void logged_write_block(void *handle, uint32_t offset, const uint32_t *words, size_t count) {
    write_log[write_count++] = offset;
    mock_backend.write_block(handle, offset, words, count);
}

static void post__writes_the_mailbox_last(void **state) {
    const struct fixture *fixture = *state;
    struct board_backend logged = mock_backend;
    libemp_request request;
    logged.write32 = logged_write32;
    logged.write_block = logged_write_block;
    fixture->board->hardware->backend = &logged;
    fixture->board->ends_taken = true; /* as by a first post, which writes more */
    write_count = 0;
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    fixture->board->hardware->backend = &mock_backend;
    /* window, descriptor, window, ring entry, mailbox */
    static const uint32_t expected[] = {0x068, 0x800, 0x068, 0x800, 0x50C};
    assert_int_equal(write_count, 5);
    assert_memory_equal(write_log, expected, sizeof expected);
}

static void post__a_descriptor_may_straddle_the_window(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    /* Descriptor 102 begins 8 bytes before the end of the first 2 kB; in modern one of those
     * before. */
    for (size_t i = 0; i <= 103; i++)
        assert_int_equal(receive(fixture, 0, 100 + i, &request), 0);
    for (size_t i = 0; i <= 103; i++) {
        const uint32_t *words = mock_descriptor(fixture->mock, i);
        assert_int_equal(emp_descriptor_get_total_length(words), 100 + i);
        assert_int_equal(emp_descriptor_get_tag(words), 42);
    }
}

static void post__the_ring_wraps(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    for (uint32_t i = 0; i < 2500; i++) {
        assert_int_equal(receive(fixture, 0, 4, &request), 0);
        assert_int_equal(mock_posted(fixture->mock), i + 1);
        assert_int_equal(mock_ring(fixture->mock, i % EMP_POSTING_RING_ENTRIES), 0);
        mock_finish(fixture->mock, 0, EMP_RESULT_OK, 4);
        assert_int_equal(libemp_test(fixture->board, request, NULL), 0);
    }
}

static void post__exhaustion_and_recovery(void **state) {
    const struct fixture *fixture = *state;
    static libemp_request requests[640];
    libemp_request extra;
    for (size_t i = 0; i < 640; i++)
        assert_int_equal(receive(fixture, 0, 4, &requests[i]), 0);
    assert_int_equal(libemp_descriptors_free(fixture->board), 0);
    assert_int_equal(receive(fixture, 0, 4, &extra), -EAGAIN);
    assert_int_equal(mock_posted(fixture->mock), 640); /* a refused post leaves no trace */
    /* Four free ones that are not adjacent do not make a chain, three adjacent and one neither. */
    static const size_t spread[] = {10, 12, 14, 16};
    for (size_t i = 0; i < 4; i++) {
        mock_finish(fixture->mock, spread[i], EMP_RESULT_OK, 4);
        assert_int_equal(libemp_test(fixture->board, requests[spread[i]], NULL), 0);
    }
    assert_int_equal(receive(fixture, 0, 28672, &extra), -EAGAIN);
    mock_finish(fixture->mock, 11, EMP_RESULT_OK, 4);
    assert_int_equal(libemp_test(fixture->board, requests[11], NULL), 0);
    assert_int_equal(receive(fixture, 0, 28672, &extra), -EAGAIN);
    mock_finish(fixture->mock, 13, EMP_RESULT_OK, 4);
    assert_int_equal(libemp_test(fixture->board, requests[13], NULL), 0);
    assert_int_equal(receive(fixture, 0, 28672, &extra), 0);
    assert_int_equal(extra & 0xFFFF, 10);
    assert_int_equal(libemp_descriptors_free(fixture->board), 2);
}

static void post__refuses_bad_arguments(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece piece = {fixture->memory, 0, 4};
    const struct libemp_piece outside = {fixture->memory, BUFFER_BYTES - 3, 4};
    libemp_request request;
    struct libemp_board *board = fixture->board;
    assert_int_equal(libemp_post_send(board, 16, 0, &piece, 1, &request), -EINVAL);
    assert_int_equal(libemp_post_send(board, 65535, 0, &piece, 1, &request), -EINVAL);
    assert_int_equal(libemp_post_send(board, 0, 0, &piece, 1, &request), -EINVAL); /* itself */
    assert_int_equal(libemp_post_send(board, 1, 0, &piece, 1, NULL), -EINVAL);
    assert_int_equal(libemp_post_send(board, 1, 0, NULL, 1, &request), -EINVAL);
    assert_int_equal(libemp_post_send(board, 1, 0, &outside, 1, &request), -EINVAL);
    assert_int_equal(libemp_descriptors_free(board), 640);
    assert_int_equal(libemp_post_send(board, 1, 0, NULL, 0, &request), 0); /* zero length */
    assert_int_equal(libemp_stop(board), 0);
    assert_int_equal(libemp_post_send(board, 1, 0, &piece, 1, &request), -ENODEV);
}

/* A piece without bytes needs no memory, wherever it stands; one with bytes does. */
static void post__takes_empty_pieces_without_memory(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece pieces[] = {{NULL, 0, 0},
                                          {fixture->memory, 8, 3},
                                          {NULL, 5, 0},
                                          {fixture->memory, 64, 4},
                                          {NULL, 0, 0}};
    const struct libemp_piece nowhere = {NULL, 0, 1};
    libemp_request request;
    struct libemp_board *board = fixture->board;
    assert_int_equal(libemp_post_send(board, 1, 0, pieces, 1, &request), 0);
    assert_int_equal(
        emp_descriptor_get_total_length(mock_descriptor(fixture->mock, request & 0xFFFF)), 0);
    assert_int_equal(libemp_post_send(board, 1, 0, pieces, 5, &request), 0); /* also inlined */
    assert_int_equal(
        emp_descriptor_get_total_length(mock_descriptor(fixture->mock, request & 0xFFFF)), 7);
    assert_int_equal(libemp_post_receive(board, 1, 0, pieces, 5, &request), 0);
    assert_int_equal(
        emp_descriptor_get_total_length(mock_descriptor(fixture->mock, request & 0xFFFF)), 7);
    assert_int_equal(libemp_deregister(fixture->memory), -EBUSY); /* the last piece has none */
    assert_int_equal(libemp_post_send(board, 1, 0, &nowhere, 1, &request), -EINVAL);
}

static void post__moves_the_window_twice_at_most(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    unsigned moves = fixture->mock->window_moves;
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    assert_int_equal(fixture->mock->window_moves - moves, 2); /* table, ring */
    moves = fixture->mock->window_moves;
    for (size_t i = 0; i < 10; i++)
        assert_int_equal(libemp_test(fixture->board, request, NULL), -EAGAIN);
    assert_int_equal(fixture->mock->window_moves - moves, 1); /* back to the table, once */
}

static int post_any(const struct fixture *fixture, enum emp_direction direction, size_t bytes,
                    libemp_request *request) {
    const struct libemp_piece piece = {fixture->memory, 0, bytes};
    return (direction == EMP_DIRECTION_SEND ? libemp_post_send : libemp_post_receive)(
        fixture->board, 1, 42, &piece, 1, request);
}

static void test__decodes_every_result(void **state) {
    const struct fixture *fixture = *state;
    static const struct {
        enum emp_direction direction;
        enum emp_result result;
        uint32_t length; /* the board's result */
        uint32_t told;   /* the program's result */
        int error;
    } cases[] = {{EMP_DIRECTION_RECEIVE, EMP_RESULT_OK, 777, 777, 0},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_OK, 0, 0, 0},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_OK, 1000, 1000, 0},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_TRUNCATED, 1001, 1001, -EMSGSIZE},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_TRUNCATED, EMP_MESSAGE_LIMIT, EMP_MESSAGE_LIMIT,
                  -EMSGSIZE},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_PEER_RESTARTED, 0, 0, -ECONNRESET},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_PEER_SILENT, 0, 0, -EHOSTUNREACH},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_CANCELLED, 0, 0, -ECANCELED},
                 {EMP_DIRECTION_RECEIVE, EMP_RESULT_BAD, 0, 0, -EBADRQC},
                 {EMP_DIRECTION_SEND, EMP_RESULT_OK, 1000, 1000, 0},
                 {EMP_DIRECTION_SEND, EMP_RESULT_PEER_RESTARTED, 0, 1000, -ECONNRESET},
                 {EMP_DIRECTION_SEND, EMP_RESULT_PEER_SILENT, 0, 1000, -EHOSTUNREACH},
                 {EMP_DIRECTION_SEND, EMP_RESULT_TOO_LONG, 0, 1000, -EBADRQC},
                 {EMP_DIRECTION_SEND, EMP_RESULT_BAD, 0, 1000, -EBADRQC}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const enum emp_direction direction = cases[i].direction;
        struct libemp_completion completion = {.length = 99};
        libemp_request request;
        assert_int_equal(post_any(fixture, direction, 1000, &request), 0);
        assert_int_equal(libemp_test(fixture->board, request, &completion), -EAGAIN);
        assert_int_equal(completion.length, 99);
        if (cases[i].result == EMP_RESULT_CANCELLED)
            assert_int_equal(libemp_cancel(fixture->board, request), 0);
        mock_finish(fixture->mock, request & 0xFFFF, cases[i].result, cases[i].length);
        assert_int_equal(libemp_test(fixture->board, request, &completion), cases[i].error);
        assert_int_equal(completion.length, cases[i].told);
        /* Spent: the same descriptor serves another request, the old name does not. */
        assert_int_equal(libemp_test(fixture->board, request, &completion), -EINVAL);
        libemp_request next;
        assert_int_equal(receive(fixture, 0, 1000, &next), 0);
        assert_int_equal(next & 0xFFFF, request & 0xFFFF);
        assert_int_not_equal(next, request);
        assert_int_equal(libemp_test(fixture->board, request, NULL), -EINVAL);
        mock_finish(fixture->mock, next & 0xFFFF, EMP_RESULT_OK, 1);
        assert_int_equal(libemp_test(fixture->board, next, NULL), 0);
    }
    assert_int_equal(libemp_descriptors_free(fixture->board), 640);
}

/* Posts, puts `word` in the descriptor, and polls: no request may end, for any word, and the
 * request is unchanged. */
static void check_foreign(const struct fixture *fixture, enum emp_direction direction, size_t bytes,
                          uint32_t word, const char *expected) {
    struct libemp_board *board = fixture->board;
    struct libemp_completion completion = {.length = 99};
    libemp_request request;
    assert_int_equal(post_any(fixture, direction, bytes, &request), 0);
    const size_t index = request & 0xFFFF;
    const uint32_t posted = mock_descriptor(fixture->mock, index)[EMP_DESCRIPTOR_OWNER_WORD];
    mock_set_descriptor_word(fixture->mock, index, EMP_DESCRIPTOR_OWNER_WORD, word);
    assert_int_equal(libemp_test(board, request, &completion), -EIO);
    assert_int_equal(libemp_wait(board, request, LIBEMP_FOREVER, &completion), -EIO);
    assert_non_null(strstr(libemp_message(board), expected));
    assert_int_equal(completion.length, 99);
    assert_int_equal(libemp_deregister(fixture->memory), -EBUSY);
    mock_set_descriptor_word(fixture->mock, index, EMP_DESCRIPTOR_OWNER_WORD, posted);
    assert_int_equal(libemp_test(board, request, &completion), -EAGAIN);
    mock_finish(fixture->mock, index, EMP_RESULT_OK, (uint32_t)bytes);
    assert_int_equal(libemp_test(board, request, &completion), 0);
    assert_int_equal(libemp_descriptors_free(board), 640);
}

static uint32_t word_of(uint32_t owner, uint32_t direction, uint32_t format, uint32_t continuations,
                        uint32_t result, uint32_t length) {
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    emp_descriptor_set_owner(words, owner);
    emp_descriptor_set_direction(words, direction);
    emp_descriptor_set_format(words, format);
    emp_descriptor_set_continuations(words, continuations);
    emp_descriptor_set_result(words, result);
    emp_descriptor_set_total_length(words, length);
    return words[EMP_DESCRIPTOR_OWNER_WORD];
}

static void test__knows_what_is_no_end_of_its_request(void **state) {
    static const char lost[] = "the board was reset or lost its memory";
    const struct fixture *fixture = *state;
    enum { OURS = EMP_OWNER_HOST, THEIRS = EMP_OWNER_NIC };
    enum { SEND = EMP_DIRECTION_SEND, RECEIVE = EMP_DIRECTION_RECEIVE };
    enum { SHORT = EMP_FORMAT_SHORT, CHAIN = EMP_FORMAT_CHAIN, INDIRECT = EMP_FORMAT_INDIRECT };
    enum { OK = EMP_RESULT_OK, TRUNCATED = EMP_RESULT_TRUNCATED, LIMIT = EMP_MESSAGE_LIMIT };
    /* A receive of 1000 bytes */
    const uint32_t words[] = {
        0, word_of(OURS, SEND, SHORT, 0, OK, 1000), word_of(OURS, RECEIVE, CHAIN, 0, OK, 1000),
        word_of(OURS, RECEIVE, INDIRECT, 0, OK, 1000), word_of(OURS, RECEIVE, SHORT, 1, OK, 1000),
        word_of(OURS, RECEIVE, SHORT, 0, OK, 1000) | 1U << EMP_DESCRIPTOR_RESERVED_SHIFT,
        word_of(OURS, RECEIVE, SHORT, 0, OK, 1001),
        word_of(OURS, RECEIVE, SHORT, 0, TRUNCATED, 1000),
        word_of(OURS, RECEIVE, SHORT, 0, TRUNCATED, LIMIT + 1),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_PENDING, 1000),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_TOO_LONG, 0),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_BAD, 1),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_PEER_RESTARTED, 1),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_PEER_SILENT, 1),
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_CANCELLED, 0), /* without a request */
        word_of(OURS, RECEIVE, SHORT, 0, EMP_RESULT_PEER_SILENT + 1, 0),
        word_of(OURS, RECEIVE, SHORT, 0, 15, 0),
        /* Another one that the board still has */
        word_of(THEIRS, RECEIVE, SHORT, 0, EMP_RESULT_PENDING, 999),
        word_of(THEIRS, RECEIVE, SHORT, 0, OK, 1000)};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        check_foreign(fixture, EMP_DIRECTION_RECEIVE, 1000, words[i], lost);
    check_foreign(fixture, EMP_DIRECTION_RECEIVE, 1000, UINT32_MAX, "does not answer any more");
    check_foreign(fixture, EMP_DIRECTION_SEND, 1000, word_of(OURS, SEND, SHORT, 0, OK, 999), lost);
    check_foreign(fixture, EMP_DIRECTION_SEND, 1000, word_of(OURS, SEND, SHORT, 0, TRUNCATED, 1001),
                  lost);
    check_foreign(fixture, EMP_DIRECTION_RECEIVE, THREE_PAGES,
                  word_of(OURS, RECEIVE, CHAIN, 2, OK, 1), lost);
}

/* A reset puts the window back to 0: in place of the descriptor the host reads low memory. */
static void test__notices_that_the_board_was_reset(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    struct libemp_completion completion = {.length = 99};
    assert_int_equal(receive(fixture, 0, 1000, &request), 0);
    assert_int_equal(libemp_test(fixture->board, request, &completion), -EAGAIN);
    fixture->mock->registers[REGISTER_WINDOW_BASE / 4] = 0;
    assert_int_equal(libemp_test(fixture->board, request, &completion), -EIO);
    assert_int_equal(libemp_wait(fixture->board, request, LIBEMP_FOREVER, &completion), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "the board was reset"));
    assert_int_equal(completion.length, 99);
}

#if EMP_TAG_BITS == 64
static int post_wildcards(const struct fixture *fixture, uint16_t peer, libemp_request *request) {
    const struct libemp_piece piece = {fixture->memory, 0, 100};
    return libemp_post_receive_matching(fixture->board, peer, UINT64_C(0xA1B2C3D4E5F60718),
                                        UINT64_C(0xFF000000000000FF), &piece, 1, request);
}

/* What the board writes when the receive meets a message. */
static void name(const struct fixture *fixture, uint32_t source, uint64_t tag) {
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    emp_descriptor_set_peer(words, source);
    mock_set_descriptor_word(fixture->mock, 0, EMP_DESCRIPTOR_PEER_WORD,
                             words[EMP_DESCRIPTOR_PEER_WORD]);
    mock_set_descriptor_word(fixture->mock, 0, EMP_DESCRIPTOR_TAG_HIGH_WORD, (uint32_t)(tag >> 32));
    mock_set_descriptor_word(fixture->mock, 0, EMP_DESCRIPTOR_TAG_WORD, (uint32_t)tag);
}

static void matching__writes_wildcards(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(post_wildcards(fixture, LIBEMP_ANY_SOURCE, &request), 0);
    const uint32_t *words = mock_descriptor(fixture->mock, 0);
    assert_int_equal(emp_descriptor_get_wildcards(words), EMP_WILDCARD_SOURCE | EMP_WILDCARD_TAG);
    assert_int_equal(emp_descriptor_get_peer(words), 0);
    assert_int_equal(emp_descriptor_get_tag_high(words), 0xA1B2C3D4);
    assert_int_equal(emp_descriptor_get_tag(words), 0xE5F60718);
    assert_int_equal(emp_descriptor_get_ignored_high(words), 0xFF000000);
    assert_int_equal(emp_descriptor_get_ignored(words), 0x000000FF);
    /* Another in the same place, without: the bits to ignore may be left, and are not read. */
    mock_finish(fixture->mock, 0, EMP_RESULT_BAD, 0);
    assert_int_equal(libemp_test(fixture->board, request, NULL), -EBADRQC);
    assert_int_equal(receive(fixture, 0, 100, &request), 0);
    assert_int_equal(emp_descriptor_get_wildcards(mock_descriptor(fixture->mock, 0)), 0);
}

static void matching__tells_source_and_tag(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_completion completion;
    libemp_request request;
    assert_int_equal(post_wildcards(fixture, LIBEMP_ANY_SOURCE, &request), 0);
    name(fixture, 7, UINT64_C(0x12B2C3D4E5F60734));
    assert_int_equal(libemp_test(fixture->board, request, &completion), -EAGAIN);
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 9);
    assert_int_equal(libemp_test(fixture->board, request, &completion), 0);
    assert_int_equal(completion.length, 9);
    assert_int_equal(completion.peer, 7);
    assert_true(completion.tag == UINT64_C(0x12B2C3D4E5F60734));
}

/* A board that lost its memory may show anything. */
static void matching__notices_what_the_receive_does_not_accept(void **state) {
    const struct fixture *fixture = *state;
    static const struct {
        uint16_t posted;
        uint16_t source;
        uint64_t tag;
    } wrong[] = {
        {1, 2, UINT64_C(0xA1B2C3D4E5F60718)},
        {LIBEMP_ANY_SOURCE, EMP_NODE_LIMIT, UINT64_C(0xA1B2C3D4E5F60718)},
        {LIBEMP_ANY_SOURCE, 2, UINT64_C(0xA1B2C3D4E5F60618)},
        {LIBEMP_ANY_SOURCE, 2, UINT64_C(0xA1B3C3D4E5F60718)},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        libemp_request request;
        assert_int_equal(post_wildcards(fixture, wrong[i].posted, &request), 0);
        name(fixture, wrong[i].source, wrong[i].tag);
        mock_finish(fixture->mock, 0, EMP_RESULT_OK, 9);
        assert_int_equal(libemp_test(fixture->board, request, NULL), -EIO);
        name(fixture, 1, UINT64_C(0xA1B2C3D4E5F60718));
        assert_int_equal(libemp_test(fixture->board, request, NULL), 0);
    }
}
#else
static void matching__refuses_wildcards_and_wide_tags(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    struct libemp_board *board = fixture->board;
    assert_int_equal(
        libemp_post_receive_matching(board, LIBEMP_ANY_SOURCE, 1, 0, NULL, 0, &request),
        -EOPNOTSUPP);
    assert_int_equal(libemp_post_receive_matching(board, 1, 1, 1, NULL, 0, &request), -EOPNOTSUPP);
    assert_int_equal(libemp_post_receive_matching(board, 1, 1, 0, NULL, 0, &request), 0);
    assert_int_equal(libemp_post_receive(board, 1, 0x10000, NULL, 0, &request), -EINVAL);
    assert_int_equal(libemp_post_send(board, 1, 0x10000, NULL, 0, &request), -EINVAL);
    assert_int_equal(libemp_post_send(board, 1, 0xFFFF, NULL, 0, &request), 0);
}
#endif

#if EMP_CANCELS_SENDS
static void cancel__of_a_send(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece piece = {fixture->memory, 0, 4};
    libemp_request send;
    assert_int_equal(libemp_post_send(fixture->board, 1, 0, &piece, 1, &send), 0);
    assert_int_equal(libemp_cancel(fixture->board, send), 0);
    assert_int_equal(mock_ring(fixture->mock, 1), EMP_CANCEL_REQUEST);
    assert_int_equal(libemp_test(fixture->board, send, NULL), -EAGAIN);
    mock_finish(fixture->mock, 0, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test(fixture->board, send, NULL), -ECANCELED);
    assert_int_equal(libemp_post_send(fixture->board, 1, 0, &piece, 1, &send), 0);
    assert_int_equal(libemp_cancel(fixture->board, send), 0);
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 4); /* it had begun */
    assert_int_equal(libemp_test(fixture->board, send, NULL), 0);
    assert_int_equal(libemp_deregister(fixture->memory), 0);
}

static void peek__tells_the_message(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_completion completion;
    libemp_request request;
    assert_int_equal(libemp_post_peek(fixture->board, 1, 7, 0, &request), 0);
    const uint32_t *words = mock_descriptor(fixture->mock, 0);
    assert_int_equal(emp_descriptor_get_wildcards(words), EMP_PEEK_ONLY);
    assert_int_equal(emp_descriptor_get_direction(words), EMP_DIRECTION_RECEIVE);
    assert_int_equal(emp_descriptor_get_total_length(words), 0);
    mock_finish(fixture->mock, 0, EMP_RESULT_PEEKED, 5000);
    assert_int_equal(libemp_test(fixture->board, request, &completion), 0);
    assert_int_equal(completion.length, 5000);
    assert_int_equal(completion.peer, 1);
    assert_int_equal(completion.tag, 7);

    /* It never ends as a receive does, nor a receive as it does. */
    assert_int_equal(libemp_post_peek(fixture->board, LIBEMP_ANY_SOURCE, 7, 1, &request), 0);
    assert_int_equal(emp_descriptor_get_wildcards(mock_descriptor(fixture->mock, 0)),
                     EMP_PEEK_ONLY | EMP_WILDCARD_SOURCE | EMP_WILDCARD_TAG);
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 0);
    assert_int_equal(libemp_test(fixture->board, request, NULL), -EIO);
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    mock_finish(fixture->mock, 1, EMP_RESULT_PEEKED, 0);
    assert_int_equal(libemp_test(fixture->board, request, NULL), -EIO);
}
#endif

static void cancel__hands_over_by_ring_and_mailbox_once(void **state) {
    const struct fixture *fixture = *state;
    uint32_t before[4 * EMP_DESCRIPTOR_BYTES / 4];
    libemp_request requests[2];
    assert_int_equal(receive(fixture, 0, 4, &requests[0]), 0);
    assert_int_equal(receive(fixture, 0, 28672, &requests[1]), 0); /* 1 to 4 */
    memcpy(before, mock_descriptor(fixture->mock, 1), sizeof before);
    assert_int_equal(libemp_cancel(fixture->board, requests[1]), 0);
    assert_int_equal(mock_posted(fixture->mock), 3);
    assert_int_equal(mock_ring(fixture->mock, 2), EMP_CANCEL_REQUEST | 1);
    assert_memory_equal(before, mock_descriptor(fixture->mock, 1), sizeof before);
    assert_int_equal(libemp_cancel(fixture->board, requests[1]), 0);
    assert_int_equal(mock_posted(fixture->mock), 3);
    /* It is the board that ends it, and only then its descriptors are free. */
    assert_int_equal(libemp_test(fixture->board, requests[1], NULL), -EAGAIN);
    assert_int_equal(libemp_descriptors_free(fixture->board), 640 - 5);
    struct libemp_completion completion = {.length = 99};
    mock_finish(fixture->mock, 1, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_wait(fixture->board, requests[1], 0, &completion), -ECANCELED);
    assert_int_equal(completion.length, 0);
    assert_int_equal(libemp_descriptors_free(fixture->board), 640 - 1);
    assert_int_equal(libemp_deregister(fixture->memory), -EBUSY); /* the other is posted */
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 4);
    assert_int_equal(libemp_test(fixture->board, requests[0], NULL), 0);
    assert_int_equal(libemp_deregister(fixture->memory), 0);
}

static void cancel__too_late_is_no_error(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 4); /* which this host has not seen yet */
    assert_int_equal(libemp_cancel(fixture->board, request), 0);
    assert_int_equal(libemp_test(fixture->board, request, NULL), 0);
    assert_int_equal(libemp_cancel(fixture->board, request), -EINVAL);
}

/* Every descriptor with as many entries as may wait at once, and the firmware takes none of
 * them. */
static void cancel__never_overflows_the_ring(void **state) {
    const struct fixture *fixture = *state;
    static libemp_request requests[640];
    for (uint32_t i = 0; i < 640; i++)
        assert_int_equal(receive(fixture, 0, 4, &requests[i]), 0);
    const uint32_t taken = mock_posted(fixture->mock);
    for (uint32_t i = 0; i < 640; i++) {
        mock_finish(fixture->mock, i, EMP_RESULT_OK, 4);
        assert_int_equal(libemp_cancel(fixture->board, requests[i]), 0);
        assert_int_equal(libemp_test(fixture->board, requests[i], NULL), 0);
        assert_int_equal(receive(fixture, 0, 4, &requests[i]), 0);
        assert_int_equal(requests[i] & 0xFFFF, i);
        for (unsigned again = 0; again < 3; again++)
            assert_int_equal(libemp_cancel(fixture->board, requests[i]), 0);
    }
    assert_int_equal(mock_posted(fixture->mock) - taken, 3 * 640);
    for (uint32_t i = 0; i < 640; i++) {
        const uint32_t first = taken + 3 * i;
        static const uint32_t flag[] = {EMP_CANCEL_REQUEST, 0, EMP_CANCEL_REQUEST};
        for (uint32_t j = 0; j < 3; j++)
            assert_int_equal(mock_ring(fixture->mock, (first + j) % EMP_POSTING_RING_ENTRIES),
                             flag[j] | i);
    }
}

static void cancel__refuses_what_is_no_posted_receive(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_board *board = fixture->board;
    const struct libemp_piece piece = {fixture->memory, 0, 4};
    libemp_request request;
    libemp_request send;
    assert_int_equal(libemp_cancel(board, 0), -EINVAL);
    assert_int_equal(libemp_cancel(board, 640), -EINVAL);
    assert_int_equal(libemp_cancel(board, UINT32_MAX), -EINVAL);
    assert_int_equal(libemp_post_send(board, 1, 0, &piece, 1, &send), 0);
    if (!EMP_CANCELS_SENDS)
        assert_int_equal(libemp_cancel(board, send), -EOPNOTSUPP);
    if (EMP_LEAVE_REQUEST == 0)
        assert_int_equal(libemp_give_up(board, send), -EOPNOTSUPP);
    assert_int_equal(receive(fixture, 0, 28672, &request), 0);
    assert_int_equal(libemp_cancel(board, request + 1), -EINVAL); /* amid its chain */
    assert_int_equal(mock_posted(fixture->mock), 2);
    assert_int_equal(libemp_stop(board), 0);
    assert_int_equal(libemp_cancel(board, request), -ENODEV);
}

static void test__knows_the_length_by_one_read(void **state) {
    const struct fixture *fixture = *state;
    for (enum emp_direction direction = 0; direction <= EMP_DIRECTION_RECEIVE; direction++) {
        struct libemp_completion completion;
        struct board_statistics before;
        struct board_statistics after;
        libemp_request request;
        const uint32_t length = direction == EMP_DIRECTION_SEND ? 5000 : 4321;
        assert_int_equal(post_any(fixture, direction, 5000, &request), 0);
        mock_finish(fixture->mock, 0, EMP_RESULT_OK, length);
        board_statistics(libemp_hardware(fixture->board), &before);
        assert_int_equal(libemp_test(fixture->board, request, &completion), 0);
        board_statistics(libemp_hardware(fixture->board), &after);
        assert_int_equal(completion.length, length);
        assert_int_equal(after.reads - before.reads, 1);
    }
}

static void test__refuses_nonsense(void **state) {
    const struct fixture *fixture = *state;
    assert_int_equal(libemp_test(fixture->board, 0, NULL), -EINVAL);
    assert_int_equal(libemp_test(fixture->board, 640, NULL), -EINVAL);
    assert_int_equal(libemp_test(fixture->board, UINT32_MAX, NULL), -EINVAL);
}

static void wait__until_finished_or_late(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(receive(fixture, 0, 100, &request), 0);
    const uint64_t start = fixture->mock->now_ns;
    assert_int_equal(libemp_wait(fixture->board, request, 50000, NULL), -ETIMEDOUT);
    assert_in_range(fixture->mock->now_ns - start, 50000, 55000);
    fixture->mock->finish_after = 30;
    fixture->mock->finish_result = EMP_RESULT_OK;
    fixture->mock->finish_length = 99;
    struct libemp_completion completion;
    assert_int_equal(libemp_wait(fixture->board, request, LIBEMP_FOREVER, &completion), 0);
    assert_int_equal(completion.length, 99);
    assert_int_equal(receive(fixture, 0, 100, &request), 0);
    assert_int_equal(libemp_wait(fixture->board, request, 0, NULL), -ETIMEDOUT); /* one look */
}

static void wait__notices_stopped_firmware(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(receive(fixture, 0, 100, &request), 0);
    uint32_t *control = &fixture->mock->sram[EMP_CONTROL_ADDRESS / 4];
    emp_control_set_state(control, EMP_CONTROL_STATE_STOPPED);
    emp_control_set_fault(control, 5);
    assert_int_equal(libemp_wait(fixture->board, request, LIBEMP_FOREVER, NULL), -EIO);
    assert_non_null(strstr(libemp_message(fixture->board), "fault 5"));
}

static void deregister__refuses_memory_in_use(void **state) {
    const struct fixture *fixture = *state;
    struct libemp_memory *other;
    libemp_request request;
    void *page = libemp_allocate(fixture->board, 100);
    assert_int_equal(libemp_register(fixture->board, page, 100, &other), 0);
    assert_int_equal(receive(fixture, 0, 100, &request), 0);
    assert_int_equal(libemp_deregister(fixture->memory), -EBUSY);
    assert_int_equal(libemp_deregister(other), 0);
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 100);
    assert_int_equal(libemp_test(fixture->board, request, NULL), 0);
    assert_int_equal(libemp_register(fixture->board, page, 100, &other), 0);
    const struct libemp_piece pieces[] = {{other, 0, 4}, {fixture->memory, 0, 4}};
    assert_int_equal(libemp_post_receive(fixture->board, 1, 0, pieces, 2, &request), 0);
    assert_int_equal(libemp_deregister(other), -EBUSY);
}

static void translate_posts__charges_pages_at_every_post(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    const struct libemp_costs *costs = &fixture->board->costs;
    uint64_t before = fixture->mock->spent_ns;
    assert_int_equal(receive(fixture, 0, THREE_PAGES, &request), 0);
    const uint64_t plain = fixture->mock->spent_ns - before;
    assert_int_equal(plain, costs->call_ns + 2 * costs->descriptor_ns);
    fixture->board->costs.translate_posts = 1;
    before = fixture->mock->spent_ns;
    assert_int_equal(receive(fixture, 0, THREE_PAGES, &request), 0);
    assert_int_equal(fixture->mock->spent_ns - before,
                     plain + costs->translate_call_ns + 3 * costs->translate_page_ns);
}

static void attach__keeps_descriptors_of_others(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(receive(fixture, 0, 4, &request), 0);
    assert_int_equal(receive(fixture, 0, 28672, &request), 0);
    struct libemp_options options;
    struct libemp_board *second;
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&mock_backend, NULL};
    options.board.environment = fixture->mock;
    assert_int_equal(libemp_open(&second, "mock:0", &options), 0);
    assert_int_equal(libemp_attach(second), 0);
    assert_int_equal(libemp_descriptors_free(second), 640 - 5);
    assert_int_equal(libemp_post_receive(second, 1, 0, NULL, 0, &request), 0);
    assert_int_equal(request & 0xFFFF, 5);
    assert_int_equal(mock_posted(fixture->mock), 3);
    assert_int_equal(libemp_close(second), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(post__hands_over_by_ring_and_mailbox),
        TEST(post__never_looks_at_the_data),
        TEST(hold__sends_go_first),
        TEST(hold__ends_with_wait_cancel_and_release),
        TEST(hold__keeps_sixteen_in_order),
        TEST(post__writes_the_mailbox_last),
        TEST(post__a_descriptor_may_straddle_the_window),
        TEST(post__the_ring_wraps),
        TEST(post__exhaustion_and_recovery),
        TEST(post__refuses_bad_arguments),
        TEST(post__takes_empty_pieces_without_memory),
        TEST(post__moves_the_window_twice_at_most),
        TEST(test__decodes_every_result),
        TEST(test__knows_what_is_no_end_of_its_request),
        TEST(test__notices_that_the_board_was_reset),
#if EMP_TAG_BITS == 64
        TEST(matching__writes_wildcards),
        TEST(matching__tells_source_and_tag),
        TEST(matching__notices_what_the_receive_does_not_accept),
#else
        TEST(matching__refuses_wildcards_and_wide_tags),
#endif
#if EMP_CANCELS_SENDS
        TEST(cancel__of_a_send),
        TEST(peek__tells_the_message),
#endif
        TEST(cancel__hands_over_by_ring_and_mailbox_once),
        TEST(cancel__too_late_is_no_error),
        TEST(cancel__never_overflows_the_ring),
        TEST(cancel__refuses_what_is_no_posted_receive),
        TEST(test__knows_the_length_by_one_read),
        TEST(test__refuses_nonsense),
        TEST(wait__until_finished_or_late),
        TEST(wait__notices_stopped_firmware),
        TEST(deregister__refuses_memory_in_use),
        TEST(translate_posts__charges_pages_at_every_post),
        TEST(attach__keeps_descriptors_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
