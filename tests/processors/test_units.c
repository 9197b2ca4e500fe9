/* SPDX-License-Identifier: MIT */
/*
 * The two units of the test image in one process, with sanitizers: their events in any order that
 * port.h allows. The chip's lock and the order of single accesses are proved elsewhere
 * (tests/proof).
 */
#define NIC_PROCESSORS 2

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "fw-runtime/messages.h"
#include "fw-runtime/port.h"
#include "fw-runtime/port/native/native.h"
#include "tests/processors/interface.h"

enum { ROUNDS = 500, QUESTIONS_LIMIT = 40, EVENTS_LIMIT = 10000 /* of one round */ };

extern const struct native_nic native_nic;
extern const struct native_processor native_first, native_second;
extern bool native_second_wanted;

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Delivers one event of those that wait, chosen by chance. False when none does. */
static bool deliver_any(uint32_t *chance) {
    uint32_t waiting = native_nic.waiting() & (1u << NATIVE_DOORBELL | 1u << NATIVE_WORK);
    for (uint32_t first = next_random(chance), i = 0; i < 4; i++) {
        switch ((first + i) % 4) {
        case 0:
            if (native_first.signal())
                return true;
            break;
        case 1:
            if (native_second.signal())
                return true;
            break;
        case 2:
            if ((waiting & 1u << NATIVE_DOORBELL) && native_nic.deliver(NATIVE_DOORBELL))
                return true;
            break;
        default:
            if ((waiting & 1u << NATIVE_WORK) && native_nic.deliver(NATIVE_WORK))
                return true;
        }
    }
    return false;
}

static void test_messages_arrive_in_every_order_of_events(void **state) {
    struct native_surroundings nothing;
    volatile uint32_t *control = native_nic.control();
    uint32_t chance = 1, asked = 0;
    (void)state;
    memset(&nothing, 0, sizeof nothing);
    native_nic.start(&nothing);
    assert_true(native_second_wanted);
    native_second.start();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t questions = 1 + next_random(&chance) % QUESTIONS_LIMIT;
        native_nic.ring(PROCESSORS_DOORBELL, questions);
        asked += questions;
        for (uint32_t events = 0; deliver_any(&chance); events++)
            assert_in_range(events, 0, EVENTS_LIMIT);
        assert_int_equal(control[PROCESSORS_ANSWERS], asked);
        assert_int_equal(control[PROCESSORS_WRONG_A], 0);
        assert_int_equal(control[PROCESSORS_WRONG_B], 0);
        assert_int_equal(control[PROCESSORS_SECTIONS], 8 * 3 * asked);
    }
    assert_true(control[PROCESSORS_FULL_A] > 0);
    assert_true(control[PROCESSORS_FULL_B] > 0);
    assert_true(native_first.counters->wake_ups > 0 && native_second.counters->wake_ups > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_messages_arrive_in_every_order_of_events),
    };
    return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
