/* SPDX-License-Identifier: MIT */
/* Receives that hosts take back, before, while and after a message meets them. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"
#include "tests/end_to_end/storm.h"

#include "emp/emp_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    TAG = 1,
    GO = 2, /* of the messages by which the receiver tells the sender to go on */
    MEMORY_BYTES = 65536,
    FOREVER_NS = 2000000000
};

struct place {
    uint8_t *bytes;
    struct libemp_memory *memory;
    libemp_request request;
};

static int make_place(struct pair_side *side, struct place *place, size_t bytes) {
    place->bytes = libemp_allocate(side->board, bytes);
    return place->bytes ? libemp_register(side->board, place->bytes, bytes, &place->memory)
                        : -ENOMEM;
}

static int post(struct pair_side *side, bool send, uint16_t tag, struct place *place,
                size_t bytes) {
    const struct libemp_piece piece = {place->memory, 0, bytes};
    return (send ? libemp_post_send : libemp_post_receive)(side->board, side->peer, tag, &piece, 1,
                                                           &place->request);
}

static int end_of(struct pair_side *side, const struct place *place) {
    return libemp_wait(side->board, place->request, FOREVER_NS, NULL);
}

static bool all(const struct place *place, size_t bytes, int value) {
    for (size_t i = 0; i < bytes; i++)
        if (place->bytes[i] != value)
            return false;
    return true;
}

static int tell(struct pair_side *side, struct place *place) {
    const int error = post(side, true, GO, place, 0);
    return error ? error : end_of(side, place);
}

static int be_told(struct pair_side *side, struct place *place) {
    const int error = post(side, false, GO, place, 0);
    return error ? error : end_of(side, place);
}

/* Sends `*argument` messages of 64 bytes, each when the receiver says so; the n-th is filled with
 * 'a' + n. */
static int send_when_told(struct pair_side *side, void *argument) {
    struct place place;
    struct place go;
    need(make_place(side, &place, MEMORY_BYTES) == 0);
    need(make_place(side, &go, 1) == 0);
    for (unsigned i = 0; i < *(unsigned *)argument; i++) {
        memset(place.bytes, 'a' + (int)(i % 26), 64);
        need(be_told(side, &go) == 0);
        need(post(side, true, TAG, &place, 64) == 0);
        need(end_of(side, &place) == 0);
    }
    return 0;
}

/* First, middle and last of five; what is left gets the messages in order. */
static int cancel_before(struct pair_side *side, void *argument) {
    static const unsigned cancelled[] = {2, 0, 4};
    struct place place[5];
    struct place go;
    uint32_t too_late = 1;
    (void)argument;
    need(make_place(side, &go, 1) == 0);
    for (unsigned i = 0; i < 5; i++) {
        need(make_place(side, &place[i], 4096) == 0);
        need(post(side, false, TAG, &place[i], 4096) == 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        need(libemp_deregister(place[cancelled[i]].memory) == -EBUSY);
        need(libemp_cancel(side->board, place[cancelled[i]].request) == 0);
        need(end_of(side, &place[cancelled[i]]) == -ECANCELED);
        need(libemp_cancel(side->board, place[cancelled[i]].request) == -EINVAL);
    }
    need(libemp_deregister(place[2].memory) == 0);
    memset(place[2].bytes, 'X', 4096); /* the program's own again */
    need(post(side, false, TAG, &place[4], 4096) == 0);
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned meets[] = {1, 3, 4};
        const struct place *receive = &place[meets[i]];
        need(tell(side, &go) == 0);
        need(end_of(side, receive) == 0);
        need(all(receive, 64, 'a' + (int)i) && receive->bytes[64] == 0);
    }
    need(all(&place[0], 4096, 0) && all(&place[2], 4096, 'X'));
    need(libemp_counter(side->board, (size_t)libemp_find_counter("cancels_too_late"), &too_late) ==
         0);
    need(too_late == 0);
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static void cancel__before_a_message_comes(void **state) {
    unsigned messages = 3;
    (void)state;
    exchange_programs(send_when_told, cancel_before, &messages, 1, 0);
    exchange_programs(send_when_told, cancel_before, &messages, 2, 0.2);
}

/* The message has come, unseen by its host: the cancel changes nothing, and does not hit the
 * receive that is posted in the same descriptor next, which may even stand in the ring before it is
 * taken. */
static int cancel_after(struct pair_side *side, void *argument) {
    struct place place;
    struct place go;
    uint32_t too_late = 0;
    libemp_request before;
    (void)argument;
    need(make_place(side, &place, 4096) == 0);
    need(make_place(side, &go, 1) == 0);
    need(post(side, false, TAG, &place, 4096) == 0);
    need(tell(side, &go) == 0);
    tigon_host_sleep_ns(side->host, 5000000);
    before = place.request;
    need(libemp_cancel(side->board, before) == 0);
    need(libemp_test(side->board, before, NULL) == 0);
    need(all(&place, 64, 'a'));
    need(post(side, false, TAG, &place, 4096) == 0);
    need((place.request & 0xFFFF) == (before & 0xFFFF) && place.request != before);
    need(libemp_cancel(side->board, before) == -EINVAL);
    need(libemp_wait(side->board, place.request, 1000000, NULL) == -ETIMEDOUT);
    need(tell(side, &go) == 0);
    need(end_of(side, &place) == 0);
    need(all(&place, 64, 'b'));
    need(libemp_counter(side->board, (size_t)libemp_find_counter("cancels_too_late"), &too_late) ==
         0);
    need(too_late == 1);
    return 0;
}

static void cancel__after_the_message_has_come(void **state) {
    unsigned messages = 2;
    (void)state;
    exchange_programs(send_when_told, cancel_after, &messages, 3, 0);
}

/* A cancel at every moment of a message of two collections, in steps of half a microsecond: it ends
 * one way or the other, and the message comes whole into the first receive that was not cancelled.
 */
enum { MOMENTS = 300, STEP_NS = 500, LONG_BYTES = 7000 };

struct moments {
    unsigned cancelled;
    unsigned late;
};

static int send_long(struct pair_side *side, void *argument) {
    struct place place;
    struct place go;
    (void)argument;
    need(make_place(side, &place, MEMORY_BYTES) == 0);
    need(make_place(side, &go, 1) == 0);
    for (unsigned i = 0; i < MOMENTS; i++) {
        memset(place.bytes, 1 + (int)(i % 200), LONG_BYTES);
        need(be_told(side, &go) == 0);
        need(post(side, true, TAG, &place, LONG_BYTES) == 0);
        need(end_of(side, &place) == 0);
    }
    return 0;
}

static int cancel_while(struct pair_side *side, void *argument) {
    struct moments *moments = argument;
    struct place first;
    struct place second;
    struct place go;
    need(make_place(side, &first, LONG_BYTES + 1) == 0);
    need(make_place(side, &second, LONG_BYTES + 1) == 0);
    need(make_place(side, &go, 1) == 0);
    for (unsigned i = 0; i < MOMENTS; i++) {
        const int value = 1 + (int)(i % 200);
        memset(first.bytes, 0, LONG_BYTES + 1);
        memset(second.bytes, 0, LONG_BYTES + 1);
        need(post(side, false, TAG, &first, LONG_BYTES + 1) == 0);
        need(post(side, false, TAG, &second, LONG_BYTES + 1) == 0);
        need(tell(side, &go) == 0);
        tigon_host_sleep_ns(side->host, STEP_NS * i);
        need(libemp_cancel(side->board, first.request) == 0);
        const int error = end_of(side, &first);
        need(error == 0 || error == -ECANCELED);
        const struct place *whole = error ? &second : &first;
        const struct place *empty = error ? &first : &second;
        moments->cancelled += error != 0;
        moments->late += error == 0;
        if (error == 0)
            need(libemp_cancel(side->board, second.request) == 0);
        need(end_of(side, &second) == (error ? 0 : -ECANCELED));
        need(all(whole, LONG_BYTES, value) && whole->bytes[LONG_BYTES] == 0);
        need(all(empty, LONG_BYTES + 1, 0));
    }
    return 0;
}

static void cancel__while_frames_arrive(void **state) {
    struct moments moments = {0, 0};
    (void)state;
    exchange_programs(send_long, cancel_while, &moments, 4, 0);
    assert_in_range(moments.cancelled, 10, MOMENTS - 10);
    assert_int_equal(moments.cancelled + moments.late, MOMENTS);
    moments = (struct moments){0, 0};
    exchange_programs(send_long, cancel_while, &moments, 5, 0.05);
    assert_in_range(moments.cancelled, 10, MOMENTS - 10);
}

/* Receives nobody answers, of every format, more of them than the board can keep pages of, and as
 * many as there are descriptors, until the ring has come round several times. */
static int cancel_unanswered(struct pair_side *side, void *argument) {
    static const size_t sizes[] = {100, 20000, 40000, 60000, 0};
    static struct place many[640];
    struct place place;
    struct place go;
    (void)argument;
    need(make_place(side, &place, MEMORY_BYTES) == 0);
    need(make_place(side, &go, 1) == 0);
    for (unsigned turn = 0; turn < 4; turn++) {
        size_t count = 0;
        for (; count < 640; count++) {
            many[count].memory = place.memory;
            const int error =
                post(side, false, TAG, &many[count], turn < 2 ? sizes[count % 5] : 100);
            if (error == -EAGAIN)
                break;
            need(error == 0);
        }
        need(count == 640 || turn < 2);
        for (size_t i = 0; i < count; i++) { /* every other one first */
            const size_t half = (count + 1) / 2;
            const size_t which = i < half ? 2 * i : 2 * (i - half) + 1;
            need(libemp_cancel(side->board, many[which].request) == 0);
        }
        for (size_t i = 0; i < count; i++)
            need(end_of(side, &many[i]) == -ECANCELED);
        need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    }
    need(all(&place, MEMORY_BYTES, 0));
    need(post(side, false, TAG, &place, MEMORY_BYTES) == 0);
    need(tell(side, &go) == 0);
    need(end_of(side, &place) == 0);
    need(all(&place, 64, 'a') && place.bytes[64] == 0);
    return 0;
}

static void cancel__what_nobody_answers(void **state) {
    unsigned messages = 1;
    (void)state;
    exchange_programs(send_when_told, cancel_unanswered, &messages, 6, 0);
}

static void cancel__storms(void **state) {
    uint64_t cancelled = 0;
    uint64_t late = 0;
    uint64_t too_late = 0;
    uint64_t unmatched = 0;
    (void)state;
    for (uint32_t seed = 1; seed <= 6; seed++) {
        struct storm storm = {.seed = seed, .messages = 40, .one_in = 4U << seed};
        struct pair_options options;
        exchange_options(&options, seed, seed % 2 * 0.05, seed % 3 * 0.05, seed % 4 * 0.05);
        assert_int_equal(storm_try(&storm, &options), 0);
        for (unsigned side = 0; side < 2; side++) {
            cancelled += storm.cancelled[side];
            late += storm.late[side];
            too_late += storm.too_late[side];
            unmatched += storm.unmatched[side];
        }
    }
    assert_true(cancelled > 500 && late > 10 && too_late >= late && unmatched > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel__before_a_message_comes),
        cmocka_unit_test(cancel__after_the_message_has_come),
        cmocka_unit_test(cancel__while_frames_arrive),
        cmocka_unit_test(cancel__what_nobody_answers),
        cmocka_unit_test(cancel__storms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
