/* SPDX-License-Identifier: MIT */
/* Many worlds in which something breaks, and a table of what became of them. What `make kills`
 * runs; exit status 1 when a world's end is not explained. */
#include "tests/end_to_end/kill_world.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned table[KILL_KINDS][KILL_OUTCOMES];

static void print_table(void) {
    printf("%-18s", "");
    for (unsigned outcome = 0; outcome < KILL_OUTCOMES; outcome++)
        printf(" %11s", kill_outcome_name((enum kill_outcome)outcome));
    printf("\n");
    unsigned sums[KILL_OUTCOMES] = {0};
    for (unsigned kind = 0; kind <= KILL_KINDS; kind++) {
        printf("%-18s", kind < KILL_KINDS ? kill_kind_name((enum kill_kind)kind) : "all");
        for (unsigned outcome = 0; outcome < KILL_OUTCOMES; outcome++) {
            const unsigned count = kind < KILL_KINDS ? table[kind][outcome] : sums[outcome];
            printf(" %11u", count);
            sums[outcome] += kind < KILL_KINDS ? count : 0;
        }
        printf("\n");
    }
}

/* kills COUNT [FIRST]: COUNT worlds in which a board is killed, and half as many of all kinds.
 * kills show SEED [KIND]: one world and its report. */
int main(int argc, char **argv) {
    static struct kill kill;
    if (argc > 2 && strcmp(argv[1], "show") == 0) {
        const unsigned long kind = argc > 3 ? strtoul(argv[3], NULL, 10) : KILL_KINDS;
        kill_run(strtoull(argv[2], NULL, 10), (enum kill_kind)kind, &kill);
        printf("%s\n%s at %" PRIu64 " ns\n%s", kill.fault, kill_outcome_name(kill.outcome),
               kill.ended_ns, kill.report);
        return kill.outcome == KILL_UNEXPLAINED;
    }
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const uint64_t all = count + count / 2;
    for (uint64_t i = 0; i < all; i++) {
        const enum kill_kind kind = i < count ? KILL_BOARD : KILL_KINDS;
        kill_run(first + i, kind, &kill);
        table[kill.kind][kill.outcome]++;
        if (kill.outcome == KILL_UNEXPLAINED)
            printf("%s\nrepeat it with: build/tests/kills show %" PRIu64 " %u\n%s\n", kill.fault,
                   kill.seed, (unsigned)kill.kind, kill.report);
        if (isatty(STDERR_FILENO))
            (void)fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " worlds", i + 1, all);
    }
    if (isatty(STDERR_FILENO))
        (void)fputc('\n', stderr);
    print_table();
    unsigned unexplained = 0;
    for (unsigned kind = 0; kind < KILL_KINDS; kind++)
        unexplained += table[kind][KILL_UNEXPLAINED];
    printf("%" PRIu64 " worlds, %u ends unexplained\n", all, unexplained);
    return unexplained != 0;
}
