/* SPDX-License-Identifier: MIT */
/* A board loaded anew at every moment of an exchange, and a table of what became of the messages.
 * What `make kills` runs; exit status 1 when something is not as it must be. */
#include "tests/end_to_end/restart_world.h"

#include "sim/base/random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TAIL_NS                                                                                    \
    UINT64_C(20000) /* of an exchange whose programs are done: the last acknowledgements */

static uint64_t worlds, wrong, late;
static unsigned table[2][RESTART_MESSAGES];

static void run(struct restart *world) {
    restart_run(world);
    worlds++;
    if (world->error) {
        wrong++;
        printf("%s\n", world->report);
    } else {
        table[0][world->sent]++;
        table[1][world->received]++;
        late += world->late;
    }
    if (isatty(STDERR_FILENO))
        (void)fprintf(stderr, "\r%" PRIu64 " worlds", worlds);
}

static void print_table(void) {
    printf("%-28s %9s %9s %9s\n", "message of the other board", "complete", "lost", "new");
    printf("%-28s %9" PRIu64 " %9u %9" PRIu64 "\n", "sent to the one restarted",
           table[0][RESTART_COMPLETE] - late, table[0][RESTART_LOST], late);
    printf("%-28s %9u %9u %9u\n", "received from it", table[1][RESTART_COMPLETE],
           table[1][RESTART_LOST], table[1][RESTART_NEW]);
}

/* Every moment on a clean wire. Not 0: there is none without a restart. */
static int sweep(uint64_t step_ns, struct restart *world) {
    *world = (struct restart){.seed = 1};
    restart_measure(world);
    if (world->error)
        return world->error;
    const uint64_t end_ns = world->end_ns + TAIL_NS;
    for (unsigned kind = 0; kind < 4; kind++)
        for (uint64_t moment_ns = 0; moment_ns <= end_ns; moment_ns += step_ns) {
            *world = (struct restart){
                .board = kind % 2, .strangers = kind / 2, .moment_ns = moment_ns, .seed = 1};
            run(world);
        }
    printf("a board loaded anew every %" PRIu64 " ns of %" PRIu64 " ns\n", step_ns, end_ns);
    return 0;
}

/* restarts [STEP_NS [LOSSY [FIRST]]]: each board at each multiple of STEP_NS in an exchange on a
 * clean wire, and LOSSY worlds at random moments with up to 30 % of the frames lost. */
int main(int argc, char **argv) {
    const uint64_t step_ns = argc > 1 ? strtoull(argv[1], NULL, 10) : 250;
    const uint64_t lossy = argc > 2 ? strtoull(argv[2], NULL, 10) : 500;
    const uint64_t first = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
    static struct restart world;
    if (step_ns != 0 && sweep(step_ns, &world)) {
        printf("%s\n", world.report);
        return 1;
    }
    for (uint64_t seed = first; seed < first + lossy; seed++) {
        struct tigon_random random = tigon_random_for(seed, 5, 0);
        world = (struct restart){.seed = seed,
                                 .board = (unsigned)tigon_random_below(&random, 2),
                                 .strangers = tigon_random_below(&random, 2) != 0,
                                 .loss = 0.01 * (double)(1 + tigon_random_below(&random, 30)),
                                 .moment_ns = tigon_random_below(&random, 4000000)};
        run(&world);
    }
    if (isatty(STDERR_FILENO))
        (void)fputc('\n', stderr);
    print_table();
    printf("%" PRIu64 " worlds, %" PRIu64 " of them lossy; %" PRIu64 " not as they must be\n",
           worlds, lossy, wrong);
    return wrong != 0;
}
