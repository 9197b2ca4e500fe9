/* SPDX-License-Identifier: MIT */
/* A board loaded anew at moments spread over an exchange; `make kills` takes every quarter of a
 * microsecond. */
#include "tests/host/check.h"

#include "tests/end_to_end/restart_world.h"

#include <stdio.h>

enum { MOMENTS = 6, LOSSY = 2 };

static struct restart world;

static void run(unsigned board, uint64_t moment_ns, double loss, uint64_t seed) {
    world = (struct restart){.board = board,
                             .strangers = seed % 4 == 2,
                             .moment_ns = moment_ns,
                             .loss = loss,
                             .seed = seed};
    restart_run(&world);
    if (world.error)
        fail_msg("%s", world.report);
}

static void restarts__moments(void **state) {
    (void)state;
    unsigned sent[RESTART_MESSAGES] = {0}, received[RESTART_MESSAGES] = {0};
    world = (struct restart){.seed = 1};
    restart_measure(&world);
    assert_int_equal(world.error, 0);
    const uint64_t end_ns = world.end_ns;
    for (unsigned board = 0; board < 2; board++)
        for (unsigned i = 0; i < MOMENTS; i++) {
            run(board, end_ns * (2 * i + 1 + board) / (2 * MOMENTS - 2), 0, 1);
            sent[world.sent]++;
            received[world.received]++;
        }
    /* All of them happen: the moments are spread as they should be. */
    assert_true(sent[RESTART_COMPLETE] != 0 && sent[RESTART_LOST] != 0);
    assert_true(received[RESTART_COMPLETE] != 0 && received[RESTART_LOST] != 0);
    assert_true(received[RESTART_NEW] != 0);
}

static void restarts__on_a_lossy_wire(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= LOSSY; seed++)
        run(seed % 2, seed * 700000, 0.2, seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restarts__moments),
        cmocka_unit_test(restarts__on_a_lossy_wire),
    };
    return cmocka_run_group_tests_name("restarts", tests, NULL, NULL);
}
