/* SPDX-License-Identifier: MIT */
/*
 * The oracle of the campaign: what it must accept, and each thing it must find.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/campaign_worlds/history.h"

enum { LEFT, RIGHT, NODES, TAGS = 2, BYTES = 32, REQUESTS = 8 };

static uint8_t sent_bytes[BYTES];
static uint8_t memory[REQUESTS][BYTES]; /* of the right node's receives */
static struct history *history;

static const uint8_t *sent(void *owner, uint32_t source, uint32_t destination, uint64_t number,
                           uint32_t bytes) {
    (void)owner;
    (void)source;
    (void)destination;
    memset(sent_bytes, (int)(number + 1), bytes);
    return sent_bytes;
}

static const uint8_t *present(void *owner, uint32_t node, uint32_t request, uint32_t bytes) {
    (void)owner;
    (void)node;
    (void)bytes;
    return memory[request];
}

static int begin(void **state) {
    const struct history_memory callbacks = {.sent = sent, .present = present};
    (void)state;
    memset(memory, 0, sizeof memory);
    history = history_create(NODES, TAGS, &callbacks);
    return 0;
}

static int end(void **state) {
    (void)state;
    history_free(history);
    return 0;
}

static void send_one(uint32_t tag) {
    history_send(history, LEFT, RIGHT, tag, BYTES);
}

static void post(uint32_t tag, uint32_t request) {
    history_receive(history, RIGHT, LEFT, tag, 0, BYTES, request);
}

static void come(uint64_t number, uint32_t request) {
    memset(memory[request], (int)(number + 1), BYTES);
}

static void received(uint32_t tag, uint32_t request) {
    history_receive_ended(history, RIGHT, request, HISTORY_OK, BYTES, LEFT, tag);
}

static void sending_ended(uint64_t number, enum history_result result) {
    history_send_ended(history, LEFT, RIGHT, number, result);
}

static void expect(enum history_finding finding) {
    const char *text;
    assert_string_equal(history_name(history_verdict(history, &text)), history_name(finding));
}

static void fine__received_out_of_order_of_completion(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++) {
        send_one(0);
        post(0, i);
        come(i, i);
    }
    received(0, 2);
    received(0, 0);
    memset(memory[2], 0, BYTES); /* the host uses it again */
    received(0, 1);
    for (unsigned i = 0; i < 3; i++)
        sending_ended(i, HISTORY_OK);
    history_end(history);
    expect(HISTORY_FINE);
}

static void fine__cancelled_receive_is_passed(void **state) {
    (void)state;
    send_one(0);
    post(0, 0);
    post(0, 1);
    history_cancel(history, RIGHT, 0);
    come(0, 1);
    sending_ended(0, HISTORY_OK);
    received(0, 1);
    history_receive_ended(history, RIGHT, 0, HISTORY_CANCELLED, 0, LEFT, 0);
    history_end(history);
    expect(HISTORY_FINE);
}

/* The receiver's host learns first: later messages come, and then the send ends as cancelled. */
static void fine__cancelled_send_is_passed(void **state) {
    (void)state;
    for (unsigned i = 0; i < 3; i++)
        send_one(0);
    history_cancel_send(history, LEFT, RIGHT, 0);
    history_cancel_send(history, LEFT, RIGHT, 1);
    post(0, 0);
    post(0, 1);
    come(0, 0); /* its cancel came too late */
    received(0, 0);
    come(2, 1);
    received(0, 1);
    sending_ended(2, HISTORY_OK);
    sending_ended(1, HISTORY_CANCELLED);
    sending_ended(0, HISTORY_OK);
    history_end(history);
    expect(HISTORY_FINE);
}

static void duplicated__cancelled_send_is_received(void **state) {
    (void)state;
    send_one(0);
    history_cancel_send(history, LEFT, RIGHT, 0);
    post(0, 0);
    come(0, 0);
    received(0, 0);
    sending_ended(0, HISTORY_CANCELLED);
    expect(HISTORY_DUPLICATED);
}

static void lost__send_cancelled_by_nobody(void **state) {
    (void)state;
    send_one(0);
    sending_ended(0, HISTORY_CANCELLED);
    expect(HISTORY_LOST);
}

static void lost__cancel_too_late_and_never_received(void **state) {
    (void)state;
    send_one(0);
    send_one(0);
    history_cancel_send(history, LEFT, RIGHT, 0);
    post(0, 0);
    come(1, 0);
    received(0, 0);
    sending_ended(0, HISTORY_OK);
    sending_ended(1, HISTORY_OK);
    history_end(history);
    expect(HISTORY_LOST);
}

static void fine__message_under_way_at_a_restart(void **state) {
    (void)state;
    send_one(0);
    send_one(0);
    history_restart(history, RIGHT);
    post(0, 3);
    come(1, 3);
    received(0, 3);
    sending_ended(0, HISTORY_RESET);
    sending_ended(1, HISTORY_RESET);
    history_end(history);
    expect(HISTORY_FINE);
}

/* The reset of a message tells that earlier ones were under way too. Their results come later. */
static void fine__message_of_a_reset_whose_result_comes_later(void **state) {
    (void)state;
    send_one(0);
    send_one(0);
    history_restart(history, RIGHT);
    send_one(0);
    send_one(0);
    sending_ended(3, HISTORY_RESET);
    send_one(0);
    post(0, 0);
    come(4, 0);
    received(0, 0);
    expect(HISTORY_FINE);
}

/* The result of message 1 is seen first. Message 0 met the receive of a node that then restarted.
 */
static void fine__send_that_ends_before_the_reset_of_an_earlier_one(void **state) {
    (void)state;
    history_restart(history, RIGHT);
    send_one(0);
    send_one(0);
    post(0, 0);
    come(1, 0);
    sending_ended(1, HISTORY_OK);
    sending_ended(0, HISTORY_RESET);
    received(0, 0);
    expect(HISTORY_FINE);
}

static void finds__send_that_ends_without_a_receive_after_a_restart(void **state) {
    (void)state;
    history_restart(history, RIGHT);
    send_one(0);
    sending_ended(0, HISTORY_OK);
    expect(HISTORY_LOST);
}

static void finds__lost_message_posted_after_a_reset(void **state) {
    (void)state;
    send_one(0);
    history_restart(history, RIGHT);
    sending_ended(0, HISTORY_RESET);
    send_one(0);
    send_one(0);
    post(0, 0);
    come(2, 0);
    received(0, 0);
    expect(HISTORY_MISORDERED);
}

static void finds__lost_message(void **state) {
    (void)state;
    send_one(0);
    history_end(history);
    expect(HISTORY_LOST);
}

static void finds__send_that_ends_without_a_receive(void **state) {
    (void)state;
    send_one(0);
    sending_ended(0, HISTORY_OK);
    expect(HISTORY_LOST);
}

static void finds__send_that_ends_before_its_bytes_have_come(void **state) {
    (void)state;
    send_one(0);
    post(0, 0);
    come(0, 0);
    memory[0][BYTES - 1] ^= 1;
    sending_ended(0, HISTORY_OK);
    expect(HISTORY_CORRUPTED);
}

static void finds__message_received_twice(void **state) {
    (void)state;
    send_one(0);
    post(0, 0);
    post(0, 1);
    come(0, 0);
    come(0, 1);
    received(0, 0);
    expect(HISTORY_FINE);
    received(0, 1);
    expect(HISTORY_DUPLICATED);
}

static void finds__one_wrong_bit(void **state) {
    (void)state;
    send_one(0);
    post(0, 0);
    come(0, 0);
    memory[0][7] ^= 0x10;
    received(0, 0);
    expect(HISTORY_CORRUPTED);
}

static void finds__wrong_length(void **state) {
    (void)state;
    send_one(0);
    post(0, 0);
    come(0, 0);
    history_receive_ended(history, RIGHT, 0, HISTORY_OK, BYTES - 1, LEFT, 0);
    expect(HISTORY_CORRUPTED);
}

static void finds__messages_of_a_tag_exchanged(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        send_one(0);
        post(0, i);
    }
    come(1, 0);
    received(0, 0);
    expect(HISTORY_MISORDERED);
}

/* Tag 1 was sent later; tag 0 has no receive. */
static void finds__message_that_passes_one_without_a_receive(void **state) {
    (void)state;
    send_one(0);
    send_one(1);
    post(1, 0);
    come(1, 0);
    received(1, 0);
    expect(HISTORY_MISORDERED);
}

static void finds__reset_without_a_restart(void **state) {
    (void)state;
    send_one(0);
    sending_ended(0, HISTORY_RESET);
    expect(HISTORY_LOST);
}

static void finds__receive_that_nobody_cancelled(void **state) {
    (void)state;
    post(0, 0);
    history_receive_ended(history, RIGHT, 0, HISTORY_CANCELLED, 0, LEFT, 0);
    expect(HISTORY_LOST);
}

/* Receives with wildcards: tag 0 or 1, as posted; what is told is the message's. */
static void post_any(uint32_t request) {
    history_receive(history, RIGHT, HISTORY_ANY_SOURCE, 0, 1, BYTES, request);
}

static void fine__wildcards_in_order(void **state) {
    (void)state;
    send_one(1);
    send_one(0);
    send_one(1);
    post_any(0);
    post(0, 1);
    post_any(2);
    for (unsigned i = 0; i < 3; i++)
        come(i, i);
    received(1, 2);
    received(0, 1);
    received(1, 0);
    history_end(history);
    expect(HISTORY_FINE);
}

/* Message 0 has no receive. */
static void post_for_the_second(uint32_t request, bool any) {
    history_let_pass(history);
    send_one(1);
    send_one(0);
    if (any)
        post_any(request);
    else
        post(request, 0);
    come(1, request);
}

static void fine__messages_pass_a_late_one(void **state) {
    (void)state;
    post_for_the_second(0, false);
    received(0, 0);
    post_any(1);
    come(0, 1);
    received(1, 1);
    history_end(history);
    expect(HISTORY_FINE);
}

static void finds__receive_for_both_has_the_later(void **state) {
    (void)state;
    post_for_the_second(0, true);
    received(0, 0);
    expect(HISTORY_MISORDERED);
}

static void fine__send_ends_and_a_wildcard_has_it(void **state) {
    (void)state;
    send_one(1);
    post(0, 1);
    post_any(0);
    sending_ended(0, HISTORY_OK);
    come(0, 0);
    received(1, 0);
    expect(HISTORY_FINE);
}

static void finds__send_ends_and_no_receive_accepts_it(void **state) {
    (void)state;
    send_one(1);
    post(0, 1);
    sending_ended(0, HISTORY_OK);
    expect(HISTORY_LOST);
}

static void finds__receive_does_not_accept_what_it_is_told(void **state) {
    (void)state;
    send_one(1);
    post(0, 0);
    come(0, 0);
    received(1, 0);
    expect(HISTORY_CORRUPTED);
}

static void finds__wildcard_is_told_another_tag(void **state) {
    (void)state;
    send_one(0);
    send_one(1);
    post_any(0);
    come(0, 0);
    received(1, 0);
    expect(HISTORY_CORRUPTED);
}

/* Message 0 had to take the wildcard, which was posted first. */
static void finds__wildcards_come_last(void **state) {
    (void)state;
    send_one(0);
    send_one(1);
    post_any(0);
    post(0, 1);
    come(0, 1);
    come(1, 0);
    received(0, 1);
    received(1, 0);
    expect(HISTORY_MISORDERED);
}

static void finds__wildcard_is_passed_and_cancelled(void **state) {
    (void)state;
    send_one(0);
    post_any(0);
    post(0, 1);
    come(0, 1);
    received(0, 1);
    history_cancel(history, RIGHT, 0);
    history_receive_ended(history, RIGHT, 0, HISTORY_CANCELLED, 0, HISTORY_ANY_SOURCE, 0);
    expect(HISTORY_MISORDERED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(fine__received_out_of_order_of_completion),
        TEST(fine__cancelled_receive_is_passed),
        TEST(fine__cancelled_send_is_passed),
        TEST(duplicated__cancelled_send_is_received),
        TEST(lost__send_cancelled_by_nobody),
        TEST(lost__cancel_too_late_and_never_received),
        TEST(fine__message_under_way_at_a_restart),
        TEST(fine__message_of_a_reset_whose_result_comes_later),
        TEST(finds__lost_message),
        TEST(fine__send_that_ends_before_the_reset_of_an_earlier_one),
        TEST(finds__send_that_ends_without_a_receive_after_a_restart),
        TEST(finds__lost_message_posted_after_a_reset),
        TEST(finds__send_that_ends_without_a_receive),
        TEST(finds__send_that_ends_before_its_bytes_have_come),
        TEST(finds__message_received_twice),
        TEST(finds__one_wrong_bit),
        TEST(finds__wrong_length),
        TEST(finds__messages_of_a_tag_exchanged),
        TEST(finds__message_that_passes_one_without_a_receive),
        TEST(finds__reset_without_a_restart),
        TEST(finds__receive_that_nobody_cancelled),
        TEST(fine__wildcards_in_order),
        TEST(fine__messages_pass_a_late_one),
        TEST(finds__receive_for_both_has_the_later),
        TEST(fine__send_ends_and_a_wildcard_has_it),
        TEST(finds__send_ends_and_no_receive_accepts_it),
        TEST(finds__receive_does_not_accept_what_it_is_told),
        TEST(finds__wildcard_is_told_another_tag),
        TEST(finds__wildcards_come_last),
        TEST(finds__wildcard_is_passed_and_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
