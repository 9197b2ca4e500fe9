/* SPDX-License-Identifier: MIT */
/* The whole path under loss, duplication and reordering: programs, libemp, firmware on simulated
 * boards, wire. Every byte of every message is compared, in both directions at once. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"

#include <errno.h>

static void run(uint64_t seed, double loss, double duplicate, double delay, size_t count,
                struct exchange *exchange) {
    struct pair_options options;
    exchange_options(&options, seed, loss, duplicate, delay);
    *exchange = (struct exchange){
        .plan = {{exchange_any_size, count, 6, 9, 5, 0, 0},
                 {exchange_any_size, count, 6, 9, 5, 0, 0}},
        .seed = (uint32_t)seed,
    };
    exchange_run(exchange, &options);
}

/* With every receive posted in time and nothing lost there is nothing to repeat or refuse. */
static void reliability__clean_wire_needs_no_retransmission(void **state) {
    (void)state;
    static const char *const zero[] = {"frames_malformed", "frames_dropped_order",
                                       "receiver_not_ready", "collections_retransmitted"};
    struct pair_options options;
    struct exchange exchange = {
        .plan = {{exchange_any_size, 54, 6, 20, 5, 0, 2000000},
                 {exchange_any_size, 54, 6, 20, 5, 0, 2000000}},
        .seed = 1,
    };
    exchange_options(&options, 1, 0, 0, 0);
    exchange_run(&exchange, &options);
    assert_int_equal(exchange.traffic.lost, 0);
    /* Nothing is refused but what each node sent before it knew the other. */
    assert_int_equal(exchange.traffic.negative_acknowledgements,
                     exchange_counter(&exchange, 0, "frames_dropped_contact") +
                         exchange_counter(&exchange, 1, "frames_dropped_contact"));
    assert_in_range(exchange.traffic.negative_acknowledgements, 2, 12);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < sizeof zero / sizeof *zero; i++)
            assert_int_equal(exchange_counter(&exchange, side, zero[i]), 0);
}

static void reliability__one_percent(void **state) {
    (void)state;
    struct exchange exchange;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        run(seed, 0.01, 0, 0, 54, &exchange);
        assert_true(exchange.traffic.lost > 0);
    }
}

static void reliability__five_percent(void **state) {
    (void)state;
    struct exchange exchange;
    for (uint64_t seed = 10; seed <= 12; seed++)
        run(seed, 0.05, 0, 0, 54, &exchange);
    assert_true(exchange_counter(&exchange, 0, "collections_retransmitted") > 0);
}

static void reliability__ten_percent(void **state) {
    (void)state;
    struct exchange exchange;
    for (uint64_t seed = 20; seed <= 22; seed++)
        run(seed, 0.10, 0, 0, 54, &exchange);
    assert_true(exchange.traffic.lost_acknowledgements > 0);
}

static void reliability__duplication(void **state) {
    (void)state;
    struct exchange exchange;
    run(30, 0, 0.10, 0, 54, &exchange);
    assert_true(exchange_counter(&exchange, 1, "frames_duplicate") > 0);
}

static void reliability__reordering(void **state) {
    (void)state;
    struct exchange exchange;
    for (uint64_t seed = 40; seed <= 41; seed++)
        run(seed, 0, 0, 0.10, 54, &exchange);
}

static void reliability__everything_at_once(void **state) {
    (void)state;
    struct exchange exchange;
    for (uint64_t seed = 50; seed <= 53; seed++)
        run(seed, 0.05, 0.05, 0.05, 54, &exchange);
}

static void reliability__corruption_on_the_wire_is_loss(void **state) {
    (void)state;
    struct pair_options options;
    struct exchange exchange = {
        .plan = {{exchange_any_size, 54, 6, 9, 5, 0, 0}, {exchange_any_size, 54, 6, 9, 5, 0, 0}},
        .seed = 60,
    };
    exchange_options(&options, 60, 0, 0, 0);
    options.knobs.wire_corrupt_visible = 0.05;
    exchange_run(&exchange, &options);
}

/* Bits that flip where no checksum looks must be seen here, or these tests compare nothing. */
static void reliability__the_comparison_sees_wrong_bytes(void **state) {
    (void)state;
    struct pair_options options;
    struct exchange exchange = {
        .plan = {{exchange_any_size, 54, 6, 9, 5, 0, 0}, {exchange_any_size, 54, 6, 9, 5, 0, 0}},
        .seed = 61,
    };
    exchange_options(&options, 61, 0, 0, 0);
    options.knobs.wire_corrupt_silent = 0.05;
    assert_int_equal(exchange_try(&exchange, &options), -EBADMSG);
}

/* What the receiver gets late, it gets; what it never asked for costs nothing but time. */
static void reliability__receives_posted_late(void **state) {
    (void)state;
    struct pair_options options;
    struct exchange exchange = {
        .plan = {{exchange_any_size, 27, 6, 3, 1, 8000000, 0},
                 {exchange_any_size, 27, 6, 3, 1, 5000000, 0}},
        .seed = 70,
    };
    exchange_options(&options, 70, 0.02, 0, 0);
    exchange_run(&exchange, &options);
    assert_true(exchange_counter(&exchange, 0, "receiver_not_ready") > 0);
    assert_true(exchange_counter(&exchange, 1, "receiver_not_ready") > 0);
    assert_true(exchange.traffic.negative_acknowledgements > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reliability__clean_wire_needs_no_retransmission),
        cmocka_unit_test(reliability__one_percent),
        cmocka_unit_test(reliability__five_percent),
        cmocka_unit_test(reliability__ten_percent),
        cmocka_unit_test(reliability__duplication),
        cmocka_unit_test(reliability__reordering),
        cmocka_unit_test(reliability__everything_at_once),
        cmocka_unit_test(reliability__corruption_on_the_wire_is_loss),
        cmocka_unit_test(reliability__the_comparison_sees_wrong_bytes),
        cmocka_unit_test(reliability__receives_posted_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
