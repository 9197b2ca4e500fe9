/* SPDX-License-Identifier: MIT */
/* Long messages: which segments are posted when, what a receive accepts as the next segment, and
 * that each way to end leaves no request behind. */
#include "tests/host/check.h"

#include "tests/host/mock.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum {
    MEBIBYTE = 1 << 20,
    HEADER = 16,
    BUFFER_BYTES = 3 * MEBIBYTE + EMP_PAGE_BYTES,
    ODD_OFFSET = 100
};
#define LONGEST   (UINT64_C(1) << 40)
#define CUT_SHORT (UINT64_C(1) << 63)

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    struct libemp_piece place;
    uint32_t seen; /* entries of the posting ring that the test has looked at */
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture = (struct fixture){.mock = mock_create()};
    fixture.board = mock_start(fixture.mock);
    void *buffer = libemp_allocate(fixture.board, BUFFER_BYTES);
    assert_int_equal(libemp_register(fixture.board, buffer, BUFFER_BYTES, &fixture.place.memory),
                     0);
    fixture.place.offset = ODD_OFFSET;
    *state = &fixture;
    return 0;
}

static int tear_down(void **state) {
    const struct fixture *fixture = *state;
    libemp_abandon(fixture->board);
    mock_destroy(fixture->mock);
    return 0;
}

/* The next entry of the posting ring. */
static uint32_t next_entry(struct fixture *fixture) {
    assert_true(fixture->seen < mock_posted(fixture->mock));
    return mock_ring(fixture->mock, fixture->seen++ % EMP_POSTING_RING_ENTRIES);
}

static bool is_all(const struct fixture *fixture) {
    return fixture->seen == mock_posted(fixture->mock);
}

static uint8_t *at_bus(const struct mock *mock, uint64_t bus) {
    for (size_t page = 0; page < MOCK_PAGES; page++)
        if (bus - mock_bus_page(page) < EMP_PAGE_BYTES)
            return mock->memory + page * EMP_PAGE_BYTES + bus % EMP_PAGE_BYTES;
    fail_msg("no memory at 0x%llx", (unsigned long long)bus);
    return NULL;
}

/* The memory of a descriptor's first piece, where a segment has its header. */
static uint8_t *header_of(const struct mock *mock, uint32_t descriptor) {
    const uint32_t *words = mock_descriptor(mock, descriptor);
    uint64_t bus = (uint64_t)emp_descriptor_get_address_high(words) << 32 |
                   emp_descriptor_get_address_low(words);
    if (emp_descriptor_get_format(words) == EMP_FORMAT_INDIRECT) {
        const uint32_t *page = (const uint32_t *)(const void *)at_bus(mock, bus);
        bus = (uint64_t)emp_indirect_address_get_high(page) << 32 |
              emp_indirect_address_get_low(page);
    }
    return at_bus(mock, bus);
}

static void make_header(uint8_t header[HEADER], uint32_t segment, uint64_t length) {
    static const char magic[] = {'L', 'O', 'N', 'G'};
    memcpy(header, magic, sizeof magic);
    for (unsigned i = 0; i < 4; i++)
        header[4 + i] = (uint8_t)(segment >> (24 - 8 * i));
    for (unsigned i = 0; i < 8; i++)
        header[8 + i] = (uint8_t)(length >> (56 - 8 * i));
}

/* A message meets a posted receive. */
static void arrive(const struct fixture *fixture, uint32_t descriptor, uint32_t segment,
                   uint64_t length, uint32_t bytes) {
    const uint32_t room =
        emp_descriptor_get_total_length(mock_descriptor(fixture->mock, descriptor));
    make_header(header_of(fixture->mock, descriptor), segment, length);
    mock_finish(fixture->mock, descriptor, bytes > room ? EMP_RESULT_TRUNCATED : EMP_RESULT_OK,
                bytes);
}

static void finish_send(const struct fixture *fixture, uint32_t descriptor) {
    const uint32_t *words = mock_descriptor(fixture->mock, descriptor);
    mock_finish(fixture->mock, descriptor, EMP_RESULT_OK, emp_descriptor_get_total_length(words));
}

static void expect_no_requests(const struct fixture *fixture) {
    assert_int_equal(libemp_descriptors_free(fixture->board), libemp_descriptor_limit());
}

static void send__posts_two_segments_at_a_time(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    uint64_t length = 0;
    uint8_t header[HEADER];
    fixture->place.length = 2 * MEBIBYTE + 5;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    for (uint32_t segment = 0; segment < 3; segment++) {
        const uint32_t descriptor = next_entry(fixture);
        const uint32_t *words = mock_descriptor(fixture->mock, descriptor);
        assert_int_equal(emp_descriptor_get_direction(words), EMP_DIRECTION_SEND);
        assert_int_equal(emp_descriptor_get_total_length(words),
                         HEADER + (segment < 2 ? MEBIBYTE : 5));
        make_header(header, segment, fixture->place.length);
        assert_memory_equal(header_of(fixture->mock, descriptor), header, HEADER);
        if (segment == 0)
            continue; /* two are posted */
        assert_true(is_all(fixture));
        assert_int_equal(libemp_test_long(fixture->board, transfer, &length), -EAGAIN);
        assert_true(is_all(fixture));
        finish_send(fixture, mock_ring(fixture->mock, segment - 1));
        assert_int_equal(libemp_test_long(fixture->board, transfer, &length), -EAGAIN);
    }
    finish_send(fixture, mock_ring(fixture->mock, 2));
    assert_int_equal(libemp_wait_long(fixture->board, transfer, 0, &length), 0);
    assert_true(length == fixture->place.length);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EINVAL);
    expect_no_requests(fixture);
}

static void receive__learns_the_length_from_the_first_segment(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    uint64_t length = 0;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    const uint32_t first = next_entry(fixture);
    assert_true(is_all(fixture));
    arrive(fixture, first, 0, MEBIBYTE + 1, HEADER + MEBIBYTE);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    const uint32_t second = next_entry(fixture);
    assert_true(is_all(fixture));
    arrive(fixture, second, 1, MEBIBYTE + 1, HEADER + 1);
    assert_int_equal(libemp_test_long(fixture->board, transfer, &length), 0);
    assert_true(length == MEBIBYTE + 1);
    expect_no_requests(fixture);
}

static void empty_messages__are_one_header(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer out, in;
    uint64_t length = 1;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, NULL, &out), 0);
    const uint32_t sent = next_entry(fixture);
    assert_int_equal(emp_descriptor_get_total_length(mock_descriptor(fixture->mock, sent)), HEADER);
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, NULL, &in), 0);
    arrive(fixture, next_entry(fixture), 0, 0, HEADER);
    finish_send(fixture, sent);
    assert_int_equal(libemp_wait_long(fixture->board, out, 0, &length), 0);
    assert_true(length == 0);
    assert_int_equal(libemp_wait_long(fixture->board, in, 0, &length), 0);
    assert_true(length == 0);
    expect_no_requests(fixture);
}

/* Each segment comes and is checked, also those that find no room. */
static void receive__delivers_the_beginning_of_what_is_too_long(void **state) {
    static const size_t rooms[] = {0, 1, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE - 1};
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        uint64_t length = 0;
        fixture->place.length = rooms[i];
        assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
        for (uint32_t segment = 0; segment < 3; segment++) {
            arrive(fixture, next_entry(fixture), segment, 3 * MEBIBYTE, HEADER + MEBIBYTE);
            assert_int_equal(libemp_test_long(fixture->board, transfer, &length),
                             segment < 2 ? -EAGAIN : -EMSGSIZE);
        }
        assert_true(length == 3 * MEBIBYTE);
        assert_true(is_all(fixture));
        expect_no_requests(fixture);
    }
}

/* What comes as the second of three segments; the third is cancelled when it is refused. */
static const struct stranger {
    const char *what;
    uint32_t segment;
    uint64_t length;
    uint32_t bytes;
    bool ordinary; /* no header at all */
} strangers[] = {
    {"a sender that has begun anew", 0, 3 * MEBIBYTE, HEADER + MEBIBYTE, false},
    {"a segment too late", 2, 3 * MEBIBYTE, HEADER + MEBIBYTE, false},
    {"another length of the whole", 1, 3 * MEBIBYTE + 1, HEADER + MEBIBYTE, false},
    {"a segment too short", 1, 3 * MEBIBYTE, HEADER + MEBIBYTE - 1, false},
    {"a segment too long", 1, 3 * MEBIBYTE, HEADER + MEBIBYTE + 1, false},
    {"a message without header", 1, 3 * MEBIBYTE, HEADER + MEBIBYTE, true},
    {"a message shorter than a header", 1, 3 * MEBIBYTE, HEADER - 1, false},
};

static void receive__refuses_what_is_not_the_next_segment(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers; i++) {
        const struct stranger *comes = &strangers[i];
        print_message("%s\n", comes->what);
        assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
        arrive(fixture, next_entry(fixture), 0, 3 * MEBIBYTE, HEADER + MEBIBYTE);
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
        const uint32_t second = next_entry(fixture), third = next_entry(fixture);
        arrive(fixture, second, comes->segment, comes->length, comes->bytes);
        if (comes->ordinary)
            memset(header_of(fixture->mock, second), 'x', HEADER);
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
        assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | third);
        assert_true(is_all(fixture));
        mock_finish(fixture->mock, third, EMP_RESULT_CANCELLED, 0);
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EBADE);
        expect_no_requests(fixture);
    }
}

static void receive__ends_as_a_segment_that_fails(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    arrive(fixture, next_entry(fixture), 0, 3 * MEBIBYTE, HEADER + MEBIBYTE);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    mock_finish(fixture->mock, next_entry(fixture), EMP_RESULT_PEER_RESTARTED, 0);
    const uint32_t third = next_entry(fixture);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | third);
    mock_finish(fixture->mock, third, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECONNRESET);
    assert_non_null(strstr(libemp_message(fixture->board), "long message"));
    expect_no_requests(fixture);
}

static void cancel__takes_the_rest_without_data(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    const uint32_t first = next_entry(fixture);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | first);
    arrive(fixture, first, 0, 3 * MEBIBYTE, HEADER + MEBIBYTE); /* it had matched */
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    for (uint32_t segment = 1; segment < 3; segment++) {
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
        const uint32_t descriptor = next_entry(fixture);
        const uint32_t *words = mock_descriptor(fixture->mock, descriptor);
        assert_int_equal(emp_descriptor_get_total_length(words), HEADER);
        arrive(fixture, descriptor, segment, 3 * MEBIBYTE, HEADER + MEBIBYTE);
    }
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    assert_true(is_all(fixture));
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), -EINVAL);

    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    arrive(fixture, next_entry(fixture), 0, 5, HEADER + 5); /* the only one, and all of it */
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), 0);
    expect_no_requests(fixture);
}

static void cancel__of_a_receive_that_met_nothing_ends_it(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    mock_finish(fixture->mock, next_entry(fixture), EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    expect_no_requests(fixture);
}

/* A message of five segments, of which the receiver has two posted. */
static void receive__ends_where_the_sender_cuts_the_message(void **state) {
    struct fixture *fixture = *state;
    const uint64_t length = 5 * MEBIBYTE, cut = length | CUT_SHORT;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    for (unsigned whole = 0; whole < 2; whole++) { /* the second one is, against the rule */
        assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
        arrive(fixture, next_entry(fixture), 0, length, HEADER + MEBIBYTE);
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
        arrive(fixture, next_entry(fixture), 1, cut, HEADER);
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
        arrive(fixture, next_entry(fixture), 2, whole ? length : cut,
               HEADER + (whole ? MEBIBYTE : 0));
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL),
                         whole ? -EBADE : -ECANCELED);
        assert_true(is_all(fixture));
        expect_no_requests(fixture);
    }
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    arrive(fixture, next_entry(fixture), 0, cut, HEADER);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EBADE);
}

/* The last segment that is posted goes first: it is not sent without the one before. */
static void cancel__of_a_send_cuts_the_message(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    uint8_t header[HEADER];
    if (!EMP_CANCELS_SENDS)
        skip();
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    const uint32_t first = next_entry(fixture), second = next_entry(fixture);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | second);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | first);
    finish_send(fixture, first); /* it had begun */
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    mock_finish(fixture->mock, second, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    for (uint32_t segment = 1; segment < 3; segment++) {
        const uint32_t descriptor = next_entry(fixture);
        const uint32_t *words = mock_descriptor(fixture->mock, descriptor);
        assert_int_equal(emp_descriptor_get_total_length(words), HEADER);
        make_header(header, segment, fixture->place.length | CUT_SHORT);
        assert_memory_equal(header_of(fixture->mock, descriptor), header, HEADER);
    }
    assert_true(is_all(fixture));
    finish_send(fixture, mock_ring(fixture->mock, fixture->seen - 2));
    finish_send(fixture, mock_ring(fixture->mock, fixture->seen - 1));
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    expect_no_requests(fixture);
}

static void cancel__of_a_send_of_which_nothing_is_sent_ends_it(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    if (!EMP_CANCELS_SENDS)
        skip();
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    mock_finish(fixture->mock, next_entry(fixture), EMP_RESULT_CANCELLED, 0);
    mock_finish(fixture->mock, next_entry(fixture), EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    expect_no_requests(fixture);
}

static void cancel__is_refused_for_sends_where_the_profile_has_none(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    if (EMP_CANCELS_SENDS)
        skip();
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), -EOPNOTSUPP);
    for (uint32_t segment = 0; segment < 3; segment++) {
        finish_send(fixture, mock_ring(fixture->mock, segment));
        assert_int_equal(libemp_test_long(fixture->board, transfer, NULL),
                         segment < 2 ? -EAGAIN : 0);
    }
    expect_no_requests(fixture);
}

/* After five seconds: the receive is taken back, and the send's node is given up. */
static void cancel__does_not_wait_for_ever(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    arrive(fixture, next_entry(fixture), 0, 3 * MEBIBYTE, HEADER + MEBIBYTE);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    const uint32_t second = next_entry(fixture), third = next_entry(fixture);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    assert_true(is_all(fixture));
    board_sleep_ns(libemp_hardware(fixture->board), 4900000000);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    assert_true(is_all(fixture));
    board_sleep_ns(libemp_hardware(fixture->board), 100000000);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | third);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | second);
    assert_true(is_all(fixture));
    mock_finish(fixture->mock, second, EMP_RESULT_CANCELLED, 0);
    mock_finish(fixture->mock, third, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    expect_no_requests(fixture);
#if EMP_CANCELS_SENDS
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    const uint32_t sent = next_entry(fixture), waits = next_entry(fixture);
    assert_int_equal(libemp_cancel_long(fixture->board, transfer), 0);
    fixture->seen += 2; /* as above */
    mock_finish(fixture->mock, waits, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_wait_long(fixture->board, transfer, 5000500000, NULL), -ETIMEDOUT);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | EMP_LEAVE_REQUEST | sent);
    assert_true(is_all(fixture));
    assert_int_equal(libemp_wait_long(fixture->board, transfer, 1200000, NULL), -ETIMEDOUT);
    assert_int_equal(next_entry(fixture), EMP_CANCEL_REQUEST | EMP_LEAVE_REQUEST | sent);
    assert_true(is_all(fixture));
    mock_finish(fixture->mock, sent, EMP_RESULT_PEER_SILENT, 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -ECANCELED);
    expect_no_requests(fixture);
#endif
}

static void begin__refuses_what_cannot_be(void **state) {
    struct fixture *fixture = *state;
    struct libemp_board *board = fixture->board;
    libemp_transfer transfer, other;
    fixture->place.length = BUFFER_BYTES - ODD_OFFSET + 1;
    assert_int_equal(libemp_send_long(board, 1, 7, &fixture->place, &transfer), -EINVAL);
    fixture->place.length--;
    assert_int_equal(libemp_send_long(board, 0, 7, &fixture->place, &transfer), -EINVAL);
    assert_int_equal(libemp_send_long(board, 1, 7, &fixture->place, NULL), -EINVAL);
    assert_int_equal(libemp_receive_long(board, LIBEMP_ANY_SOURCE, 7, NULL, &transfer), -EINVAL);
    expect_no_requests(fixture);
    assert_int_equal(libemp_send_long(board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_send_long(board, 1, 7, NULL, &other), -EBUSY);
    assert_int_equal(libemp_send_long(board, 2, 7, NULL, &other), 0);
    assert_int_equal(libemp_send_long(board, 1, 8, NULL, &other), 0);
    assert_int_equal(libemp_receive_long(board, 1, 7, NULL, &other), 0);
    assert_int_equal(libemp_receive_long(board, 1, 7, NULL, &other), -EBUSY);
}

static void segments__wait_for_descriptors(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer, other;
    libemp_request request;
    while (libemp_descriptors_free(fixture->board) > 1)
        assert_int_equal(libemp_post_receive(fixture->board, 2, 0, NULL, 0, &request), 0);
    fixture->place.length = 2 * MEBIBYTE;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_descriptors_free(fixture->board), 0);
    assert_int_equal(libemp_send_long(fixture->board, 1, 8, &fixture->place, &other), -EAGAIN);
    fixture->seen = mock_posted(fixture->mock) - 1;
    finish_send(fixture, next_entry(fixture));
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL),
                     -EAGAIN); /* the second one is posted */
    const uint32_t second = next_entry(fixture);
    finish_send(fixture, second);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), 0);
}

/* The second segment waits for four adjacent descriptors: no request holds the memory. */
static void deregister__waits_for_a_long_message(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    libemp_request others[EMP_DESCRIPTOR_LIMIT];
    size_t count = 0;
    uint64_t length = 0;
    while (libemp_descriptors_free(fixture->board) > 1)
        assert_int_equal(libemp_post_receive(fixture->board, 2, 0, NULL, 0, &others[count++]), 0);
    fixture->place.length = MEBIBYTE + 20000;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    fixture->seen = mock_posted(fixture->mock) - 1;
    arrive(fixture, next_entry(fixture), 0, fixture->place.length, HEADER + MEBIBYTE);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    assert_true(is_all(fixture));
    assert_int_equal(libemp_deregister(fixture->place.memory), -EBUSY);

    for (size_t i = 0; i < count; i++) {
        mock_finish(fixture->mock, mock_ring(fixture->mock, (uint32_t)i), EMP_RESULT_OK, 0);
        assert_int_equal(libemp_test(fixture->board, others[i], NULL), 0);
    }
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EAGAIN);
    arrive(fixture, next_entry(fixture), 1, fixture->place.length, HEADER + 20000);
    assert_int_equal(libemp_test_long(fixture->board, transfer, &length), 0);
    assert_int_equal(length, fixture->place.length);
    assert_int_equal(libemp_deregister(fixture->place.memory), 0);
}

static void numbers__of_ended_transfers_are_not_used_again(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer first, second;
    fixture->place.length = 5;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &fixture->place, &first), 0);
    finish_send(fixture, next_entry(fixture));
    assert_int_equal(libemp_test_long(fixture->board, first, NULL), 0);
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &second), 0);
    assert_int_equal(libemp_test_long(fixture->board, first, NULL), -EINVAL);
    assert_int_equal(libemp_wait_long(fixture->board, first, 0, NULL), -EINVAL);
    assert_int_equal(libemp_cancel_long(fixture->board, first), -EINVAL);
    assert_int_equal(libemp_test_long(fixture->board, second, NULL), -EAGAIN);
}

static void stop__ends_transfers(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer, next;
    fixture->place.length = 3 * MEBIBYTE;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    assert_int_equal(libemp_wait_long(fixture->board, transfer, 50000, NULL), -ETIMEDOUT);
    assert_int_equal(libemp_stop(fixture->board), 0);
    fixture->mock->registers[REGISTER_CPU_A_STATE / 4] = 0; /* it runs again */
    fixture->mock->registers[REGISTER_DMA_ASSIST / 4] = 1;
    assert_int_equal(libemp_attach(fixture->board), 0);
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &next), 0);
    assert_int_equal(libemp_test_long(fixture->board, transfer, NULL), -EINVAL);
    assert_int_equal(libemp_test_long(fixture->board, next, NULL), -EAGAIN);
}

/* Memory of 2^40 bytes that only seems to be registered: all its pages have the address 0. */
static struct libemp_memory *pretend_memory(struct libemp_board *board, size_t *bytes) {
    const size_t pages = LONGEST / EMP_PAGE_BYTES + 1;
    *bytes = sizeof(struct libemp_memory) + pages * sizeof(uint64_t);
    struct libemp_memory *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(memory != MAP_FAILED);
    memory->board = board;
    memory->length = LONGEST + ODD_OFFSET;
    memory->pages = pages;
    return memory;
}

/* The receive has room for the first and a part of the second segment. */
static void the_longest_message__has_all_its_segments(void **state) {
    struct fixture *fixture = *state;
    const uint64_t segments = LONGEST / MEBIBYTE;
    libemp_transfer transfer;
    uint64_t length = 0;
    uint8_t *headers[2] = {NULL, NULL};
    fixture->place.length = MEBIBYTE + 1;
    assert_int_equal(libemp_receive_long(fixture->board, 1, 7, &fixture->place, &transfer), 0);
    for (uint64_t segment = 0; segment < segments; segment++) {
        const uint32_t descriptor = next_entry(fixture);
        if (!headers[segment % 2])
            headers[segment % 2] = header_of(fixture->mock, descriptor);
        make_header(headers[segment % 2], (uint32_t)segment, LONGEST);
        mock_finish(fixture->mock, descriptor, segment ? EMP_RESULT_TRUNCATED : EMP_RESULT_OK,
                    HEADER + MEBIBYTE);
        assert_int_equal(libemp_test_long(fixture->board, transfer, &length),
                         segment + 1 < segments ? -EAGAIN : -EMSGSIZE);
    }
    assert_true(length == LONGEST);
    expect_no_requests(fixture);
}

static void the_longest_message__is_sent_from_one_piece(void **state) {
    struct fixture *fixture = *state;
    libemp_transfer transfer;
    size_t bytes;
    struct libemp_memory *memory = pretend_memory(fixture->board, &bytes);
    struct libemp_piece place = {memory, ODD_OFFSET, LONGEST + 1};
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &place, &transfer), -EINVAL);
    memory->length++;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &place, &transfer), -E2BIG);
    place.length--;
    assert_int_equal(libemp_send_long(fixture->board, 1, 7, &place, &transfer), 0);
    const uint32_t first = next_entry(fixture);
    assert_int_equal(emp_descriptor_get_total_length(mock_descriptor(fixture->mock, first)),
                     HEADER + MEBIBYTE);
    assert_int_equal(munmap(memory, bytes), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define LONG_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        LONG_TEST(send__posts_two_segments_at_a_time),
        LONG_TEST(receive__learns_the_length_from_the_first_segment),
        LONG_TEST(empty_messages__are_one_header),
        LONG_TEST(receive__delivers_the_beginning_of_what_is_too_long),
        LONG_TEST(receive__refuses_what_is_not_the_next_segment),
        LONG_TEST(receive__ends_as_a_segment_that_fails),
        LONG_TEST(cancel__takes_the_rest_without_data),
        LONG_TEST(cancel__of_a_receive_that_met_nothing_ends_it),
        LONG_TEST(receive__ends_where_the_sender_cuts_the_message),
        LONG_TEST(cancel__of_a_send_cuts_the_message),
        LONG_TEST(cancel__of_a_send_of_which_nothing_is_sent_ends_it),
        LONG_TEST(cancel__is_refused_for_sends_where_the_profile_has_none),
        LONG_TEST(cancel__does_not_wait_for_ever),
        LONG_TEST(begin__refuses_what_cannot_be),
        LONG_TEST(segments__wait_for_descriptors),
        LONG_TEST(deregister__waits_for_a_long_message),
        LONG_TEST(numbers__of_ended_transfers_are_not_used_again),
        LONG_TEST(stop__ends_transfers),
        LONG_TEST(the_longest_message__has_all_its_segments),
        LONG_TEST(the_longest_message__is_sent_from_one_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
