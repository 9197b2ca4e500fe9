/* SPDX-License-Identifier: MIT */
/* Many worlds, each with faults drawn from its own seed: messages both ways between two boards that
 * run the real firmware, every byte compared; in one of eight worlds the hosts take receives back
 * all the time. `make conform` checks the traces of these worlds; a failing seed is printed with
 * the command that repeats it. */
#include "tests/host/check.h"

#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/storm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emp/emp_layout.h"
#include "sim/base/random.h"

enum { MESSAGES = 40, STORM_EVERY = 8 };

/* Up to `most`, but one time in three none at all: faults must also be met one by one. */
static double draw(struct tigon_random *random, double most) {
    const bool none = tigon_random_below(random, 3) == 0;
    const double share = (double)tigon_random_below(random, 1001) / 1000;
    return none ? 0 : most * share;
}

/* One time in four each of the faults that have a shape of their own (sim/fault.h). Cables are
 * pulled in test_edges.c. */
static void draw_faults(struct tigon_random *random, bool through_switch, char *text,
                        size_t bytes) {
    static const char *const directions[2][3] = {{"left->right", "right->left", "left<->right"},
                                                 {"left->switch", "switch->left", "*->*"}};
    static const unsigned events[] = {6, 12, 13, 14, 15, 22, 25, 28};
    const char *where = directions[through_switch][tigon_random_below(random, 3)];
    uint64_t kinds = tigon_random_next(random);
    kinds &= tigon_random_next(random);
    const unsigned share = (unsigned)tigon_random_below(random, 100);
    const unsigned at = 20 + (unsigned)tigon_random_below(random, 15);
    size_t used = 0;
    text[0] = 0;
#define ADD(...) used += (size_t)snprintf(text + used, bytes - used, __VA_ARGS__)
    if (kinds & 1)
        ADD("%s: lose in bursts enter %u.%02u%% leave %u%%\n", where, share / 50, share,
            5 + share / 2);
    if (kinds & 2)
        ADD("%s: reorder by %u %u%%\n", where, 1 + share * share / 100, 1 + share / 5);
    if (kinds & 4)
        ADD("%s: truncate %u%%\n", where, share / 10);
    if (kinds & 8)
        ADD("%s: lose at %ums for %ums\n", where, at, 1 + share / 4);
    if (kinds & 16)
        ADD("%s: duplicate frames %u-%u\n", where, share, share + at);
    if (kinds & 32)
        ADD("%s: lengthen %u%%\n", where, share / 10);
    if (kinds & 64)
        ADD("%s: pause by %uus every %uus until 1s\n", where, share * 2, 50 + share * 3);
    /* Levels, so that nothing is missed but time (tigon2.md 4). */
    if (kinds & 128)
        ADD("left: hide event %u of core A about every 1ms for %uus until 1s\n",
            events[share % (sizeof events / sizeof *events)], 1 + share * 3);
    /* Not back: a trace of that world would be none. */
    if (kinds & 256)
        ADD("right: jump timer by %uus about every %ums until 1s\n", 1 + share * share, at);
#undef ADD
}

static bool run(uint64_t seed, uint64_t *messages) {
    struct tigon_random random = tigon_random_for(seed, 0, 0);
    struct pair_options options;
    exchange_options(&options, seed, draw(&random, 0.3), draw(&random, 0.3), draw(&random, 0.3));
    options.knobs.wire_corrupt_visible = draw(&random, 0.1);
    if (EMP_CHECKS_FRAMES) /* else nothing finds it */
        options.knobs.wire_corrupt_silent = draw(&random, 0.1);
    char faults[1024];
    options.through_switch = tigon_random_below(&random, 4) == 0;
    /* Of two bits that flip in one frame, one on each wire, a sum misses some pairs. */
    if (options.through_switch)
        options.knobs.wire_corrupt_silent = 0;
    draw_faults(&random, options.through_switch, faults, sizeof faults);
    options.faults = faults;
    struct exchange exchange = {
        .plan = {{exchange_any_size, MESSAGES, 6, 9, 5, 0, 0},
                 {exchange_any_size, MESSAGES, 6, 9, 5, 0, 0}},
        .seed = (uint32_t)seed,
    };
    struct storm storm = {.seed = (uint32_t)seed,
                          .messages = MESSAGES,
                          .one_in = 4u << tigon_random_below(&random, 8)};
    const int error =
        seed % STORM_EVERY == 0 ? storm_try(&storm, &options) : exchange_try(&exchange, &options);
    *messages += UINT64_C(2) * MESSAGES;
    if (!error)
        return true;
    printf("\nseed %" PRIu64 ": %s; loss %.3f, duplicates %.3f, delays %.3f, corrupt %.3f%s\n%s"
           "repeat it with: build/tests/campaign 1 %" PRIu64 "\n",
           seed, strerror(-error), options.knobs.wire_loss, options.knobs.wire_duplicate,
           options.knobs.wire_delay, options.knobs.wire_corrupt_visible,
           options.through_switch ? ", through a switch" : "", faults, seed);
    return false;
}

int main(int argc, char **argv) {
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t failed = 0, messages = 0;
    for (uint64_t i = 0; i < count; i++) {
        failed += !run(first + i, &messages);
        if (isatty(STDERR_FILENO))
            (void)fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " worlds, %" PRIu64 " failed", i + 1,
                          count, failed);
    }
    if (isatty(STDERR_FILENO))
        (void)fputc('\n', stderr);
    printf("%" PRIu64 " worlds, %" PRIu64 " messages, %" PRIu64 " worlds failed\n", count, messages,
           failed);
    return failed ? 1 : 0;
}
