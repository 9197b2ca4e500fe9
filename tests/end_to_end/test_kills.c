/* SPDX-License-Identifier: MIT */
/* Boards killed at random cycles and everything else that may break, amid an exchange: somebody
 * always says what happened, nothing hangs. `make kills` runs many more. */
#include "tests/host/check.h"

#include "tests/end_to_end/kill_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BOARDS_KILLED = 12, EACH_KIND = 1 };

static struct kill kill;

static void run(uint64_t seed, enum kill_kind kind) {
    kill_run(seed, kind, &kill);
    if (kill.outcome == KILL_UNEXPLAINED)
        fail_msg("seed %" PRIu64 ", %s: %s\n%s", seed, kill_kind_name(kind), kill.fault,
                 kill.report);
}

static void kills__boards(void **state) {
    (void)state;
    unsigned hit = 0;
    unsigned outcomes[KILL_OUTCOMES] = {0};
    for (uint64_t seed = 1; seed <= BOARDS_KILLED; seed++) {
        run(seed, KILL_BOARD);
        hit += kill.hit;
        outcomes[kill.outcome]++;
    }
    assert_true(hit > BOARDS_KILLED * 3 / 4);
    /* A board that dies is noticed, unless its last word was just spoken. */
    assert_true(outcomes[KILL_UNHARMED] < BOARDS_KILLED / 5);
}

static void kills__everything_else(void **state) {
    (void)state;
    unsigned outcomes[KILL_OUTCOMES] = {0};
    for (unsigned kind = KILL_BOARD + 1; kind < KILL_KINDS; kind++)
        for (uint64_t seed = 1; seed <= EACH_KIND; seed++) {
            run(seed, (enum kill_kind)kind);
            if (kind == KILL_EVENT) /* for at most 4 ms: events are levels, and stay */
                assert_int_equal(kill.outcome, KILL_UNHARMED);
            else if (kind != KILL_EVENT_FOR_GOOD && kind != KILL_TIMER)
                outcomes[kill.outcome]++;
        }
    assert_true(outcomes[KILL_UNHARMED] < KILL_EVENT / 2);
}

/* The same world twice ends at the same moment in the same way. */
static void kills__again(void **state) {
    (void)state;
    static struct kill first;
    for (unsigned kind = 0; kind < KILL_KINDS; kind += 6) {
        run(7, (enum kill_kind)kind);
        first = kill;
        run(7, (enum kill_kind)kind);
        assert_memory_equal(&first, &kill, sizeof kill);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kills__boards),
        cmocka_unit_test(kills__everything_else),
        cmocka_unit_test(kills__again),
    };
    return cmocka_run_group_tests_name("kills", tests, NULL, NULL);
}
