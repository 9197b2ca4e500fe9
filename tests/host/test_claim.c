/* SPDX-License-Identifier: MIT */
/* Which messages that a peek has met can be claimed, and by what receive. A library without peeks
 * says so. */
#include "tests/host/check.h"

#include "host/emp/internal.h"
#include "tests/host/mock.h"

#include <errno.h>

enum { TAG = 7, SOURCE = 3, BYTES = 4096 };

struct fixture {
    struct mock *mock;
    struct libemp_board *board;
    struct libemp_memory *memory;
};

static int set_up(void **state) {
    static struct fixture fixture;
    fixture.mock = mock_create();
    fixture.board = mock_start(fixture.mock);
    assert_int_equal(libemp_register(fixture.board, libemp_allocate(fixture.board, BYTES), BYTES,
                                     &fixture.memory),
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

static int claim(const struct fixture *fixture, libemp_request peek, libemp_request *request) {
    const struct libemp_piece piece = {fixture->memory, 0, 100};
    return libemp_post_claim(fixture->board, peek, &piece, 1, request);
}

#if EMP_TAG_BITS == 64
static libemp_request peek_anything(const struct fixture *fixture) {
    libemp_request peek;
    assert_int_equal(libemp_post_peek(fixture->board, LIBEMP_ANY_SOURCE, 0, UINT64_MAX, &peek), 0);
    return peek;
}

static int receive(const struct fixture *fixture, uint16_t peer, uint64_t tag, uint64_t ignored) {
    const struct libemp_piece piece = {fixture->memory, 200, 100};
    libemp_request request;
    return libemp_post_receive_matching(fixture->board, peer, tag, ignored, &piece, 1, &request);
}

/* The board ends the peek of this descriptor with a message of TAG from SOURCE. */
static void meet(const struct fixture *fixture, size_t index) {
    uint32_t words[DESCRIPTOR_WORDS] = {0};
    emp_descriptor_set_peer(words, SOURCE);
    mock_set_descriptor_word(fixture->mock, index, EMP_DESCRIPTOR_PEER_WORD,
                             words[EMP_DESCRIPTOR_PEER_WORD]);
    mock_set_descriptor_word(fixture->mock, index, EMP_DESCRIPTOR_TAG_HIGH_WORD, 0);
    mock_set_descriptor_word(fixture->mock, index, EMP_DESCRIPTOR_TAG_WORD, TAG);
    mock_finish(fixture->mock, index, EMP_RESULT_PEEKED, 100);
}

static void claim__is_a_receive_of_that_message_alone(void **state) {
    const struct fixture *fixture = *state;
    const libemp_request peek = peek_anything(fixture);
    libemp_request request;
    assert_int_equal(claim(fixture, peek, &request), -EINVAL); /* nothing was met yet */
    meet(fixture, 0);
    assert_int_equal(claim(fixture, peek, &request), -EINVAL); /* the program does not know it */
    assert_int_equal(libemp_test(fixture->board, peek, NULL), 0);
    assert_int_equal(claim(fixture, peek, &request), 0);
    const uint32_t *words = mock_descriptor(fixture->mock, 0);
    assert_int_equal(emp_descriptor_get_peer(words), SOURCE);
    assert_int_equal(libemp_decode_tag(words), TAG);
    assert_int_equal(emp_descriptor_get_wildcards(words), 0);
    assert_int_equal(emp_descriptor_get_total_length(words), 100);
    assert_int_equal(claim(fixture, peek, &request), -EINVAL); /* twice */
    mock_finish(fixture->mock, 0, EMP_RESULT_OK, 100);
    assert_int_equal(libemp_test(fixture->board, request, NULL), 0);
}

static void claim__fails_where_a_later_receive_may_take_the_message(void **state) {
    static const struct {
        uint64_t tag, ignored;
        int result; /* of the claim */
        uint16_t peer;
        bool before; /* before the peek ends, or after */
    } cases[] = {
        {TAG, 0, -ENOMSG, SOURCE, true},
        {TAG, 0, -ENOMSG, SOURCE, false},
        {TAG ^ 1, 1, -ENOMSG, LIBEMP_ANY_SOURCE, false},
        {0, UINT64_MAX, -ENOMSG, LIBEMP_ANY_SOURCE, true},
        /* It would not take the message, but the library cannot know which one is met. */
        {TAG ^ 1, 0, -ENOMSG, SOURCE, true},
        {TAG ^ 1, 0, 0, SOURCE, false},
        {TAG, 0, 0, SOURCE + 1, false},
        {TAG ^ 2, 1, 0, LIBEMP_ANY_SOURCE, false},
    };
    const struct fixture *fixture = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t index = EMP_DESCRIPTOR_LIMIT - libemp_descriptors_free(fixture->board);
        const libemp_request peek = peek_anything(fixture);
        libemp_request request;
        if (cases[i].before)
            assert_int_equal(receive(fixture, cases[i].peer, cases[i].tag, cases[i].ignored), 0);
        meet(fixture, index);
        assert_int_equal(libemp_test(fixture->board, peek, NULL), 0);
        if (!cases[i].before)
            assert_int_equal(receive(fixture, cases[i].peer, cases[i].tag, cases[i].ignored), 0);
        assert_int_equal(claim(fixture, peek, &request), cases[i].result);
        /* All stay posted, so that the next peek has the next descriptor. */
        if (cases[i].before)
            assert_int_equal(receive(fixture, SOURCE, 99, 0), 0);
    }
}

static void claim__is_not_disturbed_by_what_was_posted_before(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request, send;
    assert_int_equal(receive(fixture, SOURCE, TAG, 0), 0);
    const libemp_request peek = peek_anything(fixture);
    assert_int_equal(libemp_post_send(fixture->board, SOURCE, TAG, NULL, 0, &send), 0);
    meet(fixture, 1);
    assert_int_equal(libemp_test(fixture->board, peek, NULL), 0);
    /* Its descriptor has another use by now. */
    assert_int_equal(libemp_post_send(fixture->board, SOURCE, TAG, NULL, 0, &send), 0);
    assert_int_equal(claim(fixture, peek, &request), 0);
}

static void claim__one_for_peeks_that_met_the_same_message(void **state) {
    const struct fixture *fixture = *state;
    const libemp_request first = peek_anything(fixture), second = peek_anything(fixture);
    const libemp_request third = peek_anything(fixture);
    libemp_request request;
    meet(fixture, 0);
    meet(fixture, 1);
    assert_int_equal(libemp_test(fixture->board, first, NULL), 0);
    assert_int_equal(libemp_test(fixture->board, second, NULL), 0);
    assert_int_equal(claim(fixture, second, &request), 0);
    assert_int_equal(claim(fixture, first, &request), -ENOMSG);
    /* This one has not ended yet, and may end by that message, too. */
    meet(fixture, 2);
    assert_int_equal(libemp_test(fixture->board, third, NULL), 0);
    assert_int_equal(claim(fixture, third, &request), -ENOMSG);
}

static void claim__only_of_peeks_with_a_message(void **state) {
    const struct fixture *fixture = *state;
    const struct libemp_piece outside = {fixture->memory, BYTES, 1};
    libemp_request peek = peek_anything(fixture), request;
    assert_int_equal(libemp_cancel(fixture->board, peek), 0);
    mock_finish(fixture->mock, 0, EMP_RESULT_CANCELLED, 0);
    assert_int_equal(libemp_test(fixture->board, peek, NULL), -ECANCELED);
    assert_int_equal(claim(fixture, peek, &request), -EINVAL);
    assert_int_equal(claim(fixture, UINT32_MAX, &request), -EINVAL);

    peek = peek_anything(fixture);
    meet(fixture, 0);
    assert_int_equal(libemp_test(fixture->board, peek, NULL), 0);
    assert_int_equal(libemp_post_claim(fixture->board, peek, NULL, 0, NULL), -EINVAL);
    assert_int_equal(libemp_post_claim(fixture->board, peek, &outside, 1, &request), -EINVAL);
    assert_int_equal(claim(fixture, peek, &request), 0); /* an error costs nothing */

    peek = peek_anything(fixture);
    meet(fixture, 1);
    assert_int_equal(libemp_test(fixture->board, peek, NULL), 0);
    const libemp_request later = peek_anything(fixture); /* with its descriptor */
    assert_int_equal(claim(fixture, peek, &request), -EINVAL);
    assert_int_equal(libemp_request_index(later), 1);
}
#else
static void claim__needs_peeks(void **state) {
    const struct fixture *fixture = *state;
    libemp_request request;
    assert_int_equal(claim(fixture, 0, &request), -EOPNOTSUPP);
}
#endif

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
#if EMP_TAG_BITS == 64
        TEST(claim__is_a_receive_of_that_message_alone),
        TEST(claim__fails_where_a_later_receive_may_take_the_message),
        TEST(claim__is_not_disturbed_by_what_was_posted_before),
        TEST(claim__one_for_peeks_that_met_the_same_message),
        TEST(claim__only_of_peeks_with_a_message),
#else
        TEST(claim__needs_peeks),
#endif
    };
    return cmocka_run_group_tests_name("claim", tests, NULL, NULL);
}
