/* SPDX-License-Identifier: MIT */
/*
 * Worlds of a row of seeds: PROGRAM FIRST_SEED WORLDS MESSAGES [rows] [KNOB=VALUE ...]
 *
 * A line of JSON for each world that failed, and one for all of them. With `rows` one for each
 * world, too: which rows of the spec its boards took, and what else happened in it; and the last
 * line has the names of all that may happen. scripts/campaign.py runs it.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/campaign_worlds/world.h"

static struct hosts hosts;
bool world_rows[EMP_TRANSITION_COUNT];

static const char *finding_of(const char **text) {
    static const char *const names[] = {[WORLD_STUCK] = "stuck",
                                        [WORLD_LEAKED] = "leaked",
                                        [WORLD_STOPPED] = "stopped",
                                        [WORLD_STRAYED] = "strayed"};
    enum history_finding finding = history_verdict(hosts.history, text);
    if (finding != HISTORY_FINE)
        return history_name(finding);
    *text = hosts.failure;
    return hosts.failed == WORLD_RUNNING ? NULL : names[hosts.failed];
}

/* The names of what happened in the world, or of all that may. */
static void print_deeds(bool all) {
    static const struct {
        const char *name;
        size_t offset;
    } deeds[] = {
#define DEED(name) {#name, offsetof(struct deeds, name)},
        WORLD_DEEDS(DEED)
#undef DEED
    };
    const char *separator = "";
    printf(", \"deeds\": [");
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds; i++) {
        bool done;
        memcpy(&done, (const char *)&hosts.deeds + deeds[i].offset, sizeof done);
        if (all || done) {
            printf("%s\"%s\"", separator, deeds[i].name);
            separator = ", ";
        }
    }
    printf("]");
}

static void print_rows(uint64_t seed) {
    const char *separator = "";
    printf("{\"world\": %" PRIu64 ", \"rows\": [", seed);
    for (uint32_t row = 0; row < EMP_TRANSITION_COUNT; row++)
        if (world_rows[row]) {
            printf("%s%" PRIu32, separator, row);
            separator = ", ";
        }
    printf("]");
    print_deeds(false);
    printf("}\n");
}

int main(int argc, char **argv) {
    uint64_t first, worlds, frames = 0, messages = 0, dropped = 0, failed = 0;
    uint64_t duplicated = 0, delayed = 0, restarts = 0;
    uint32_t each;
    if (argc < 4) {
        (void)fprintf(stderr, "usage: %s FIRST_SEED WORLDS MESSAGES [rows] [KNOB=VALUE ...]\n",
                      argv[0]);
        return 2;
    }
    const bool rows = argc > 4 && strcmp(argv[4], "rows") == 0;
    first = strtoull(argv[1], NULL, 10);
    worlds = strtoull(argv[2], NULL, 10);
    each = (uint32_t)strtoul(argv[3], NULL, 10);
    world_prepare(&hosts);
    for (uint64_t i = 0; i < worlds; i++) {
        struct plan plan;
        struct world_counts counts = {0};
        const char *finding, *text;
        plan_draw(&plan, first + i, each);
        for (int argument = rows ? 5 : 4; argument < argc; argument++)
            if (!plan_set(&plan, argv[argument])) {
                (void)fprintf(stderr, "%s: '%s' is no KNOB=VALUE\n", argv[0], argv[argument]);
                return 2;
            }
        plan_complete(&plan);
        memset(world_rows, 0, sizeof world_rows);
        world_run(&hosts, &plan, &counts);
        finding = finding_of(&text);
        if (finding != NULL) {
            failed++;
            printf("{\"seed\": %" PRIu64 ", \"finding\": \"%s\", \"text\": \"%s\", "
                   "\"after_us\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"knobs\": ",
                   first + i, finding, text, counts.now_ns / 1000, hosts.posted);
            plan_print(&plan);
            printf("}\n");
        }
        hosts.deeds.lost = counts.dropped != 0;
        hosts.deeds.duplicated = counts.duplicated != 0;
        hosts.deeds.delayed = counts.delayed != 0;
        if (rows)
            print_rows(first + i);
        messages += hosts.posted;
        frames += counts.frames;
        dropped += counts.dropped;
        duplicated += counts.duplicated;
        delayed += counts.delayed;
        restarts += hosts.restarted;
        history_free(hosts.history);
        (void)fflush(stdout);
    }
    printf("{\"worlds\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"frames\": %" PRIu64
           ", \"frames_dropped\": %" PRIu64 ", \"frames_duplicated\": %" PRIu64
           ", \"frames_delayed\": %" PRIu64 ", \"restarts\": %" PRIu64 ", \"failed\": %" PRIu64,
           worlds, messages, frames, dropped, duplicated, delayed, restarts, failed);
    if (rows)
        print_deeds(true);
    printf("}\n");
    return failed != 0;
}
