/* SPDX-License-Identifier: MIT */
/* Boards stopped, closed and started anew amid heavy traffic; `make quiet` takes many more. */
#include "tests/host/check.h"

#include "tests/end_to_end/quiet_world.h"

enum { WORLDS = 12 /* of each bus kind */ };

static struct quiet quiet;

static void run(enum quiet_bus bus) {
    for (unsigned i = 0; i < WORLDS; i++) {
        quiet = (struct quiet){
            .bus = bus, .act = (enum quiet_act)(i % QUIET_ACTS), .seed = 1 + i / QUIET_ACTS};
        quiet_run(&quiet);
        if (quiet_failed(&quiet))
            fail_msg("%s", quiet.report);
    }
}

static void quiet__on_a_fast_bus(void **state) {
    (void)state;
    run(QUIET_64_66);
}

static void quiet__on_the_slowest_bus(void **state) {
    (void)state;
    run(QUIET_32_33);
}

static void quiet__when_writes_are_slow(void **state) {
    (void)state;
    run(QUIET_SLOW);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet__on_a_fast_bus),
        cmocka_unit_test(quiet__on_the_slowest_bus),
        cmocka_unit_test(quiet__when_writes_are_slow),
    };
    return cmocka_run_group_tests_name("quiet", tests, NULL, NULL);
}
