/* SPDX-License-Identifier: MIT */
/* Many worlds in which a board is stopped, closed or started anew amid heavy traffic, and a table
 * of what its former life did afterwards, which is nothing. What `make quiet` runs; exit status 1
 * when it did something. */
#include "tests/end_to_end/quiet_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct sums {
    uint64_t worlds, wrong, writes, reads, frames, cores, latest_ns;
};

static void print_row(enum quiet_bus bus, enum quiet_act act, const struct sums *sums) {
    printf("%-8s %-13s %7" PRIu64 " %7" PRIu64 " %11" PRIu64 " %10" PRIu64 " %11" PRIu64
           " %13" PRIu64 " %10" PRIu64 "\n",
           quiet_bus_name(bus), quiet_act_name(act), sums->worlds, sums->wrong, sums->writes,
           sums->reads, sums->frames, sums->cores, sums->latest_ns);
}

/* quiet COUNT [FIRST]: COUNT worlds of each bus kind for each act, of seeds from FIRST on. */
int main(int argc, char **argv) {
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 250;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    static struct quiet quiet;
    uint64_t worlds = 0, wrong = 0;
    printf("%-8s %-13s %7s %7s %11s %10s %11s %13s %10s\n", "bus", "board", "worlds", "wrong",
           "late writes", "late reads", "late frames", "cores running", "latest ns");
    for (enum quiet_bus bus = 0; bus < QUIET_BUSES; bus++)
        for (enum quiet_act act = 0; act < QUIET_ACTS; act++) {
            struct sums sums = {0};
            for (uint64_t seed = first; seed < first + count; seed++) {
                quiet.bus = bus;
                quiet.act = act;
                quiet.seed = seed;
                quiet_run(&quiet);
                if (quiet_failed(&quiet) && sums.wrong++ == 0)
                    printf("%s\n", quiet.report);
                sums.worlds++;
                sums.writes += quiet.late_writes;
                sums.reads += quiet.late_reads;
                sums.frames += quiet.late_frames;
                sums.cores += quiet.cores_running;
                if (quiet.latest_ns > sums.latest_ns)
                    sums.latest_ns = quiet.latest_ns;
                if (isatty(STDERR_FILENO))
                    (void)fprintf(stderr, "\r%" PRIu64 " worlds", worlds + sums.worlds);
            }
            print_row(bus, act, &sums);
            worlds += sums.worlds;
            wrong += sums.wrong;
        }
    if (isatty(STDERR_FILENO))
        (void)fputc('\n', stderr);
    printf("%" PRIu64 " worlds, %" PRIu64 " of each bus kind; %" PRIu64 " not quiet\n", worlds,
           worlds / QUIET_BUSES, wrong);
    return wrong != 0;
}
