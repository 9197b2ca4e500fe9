/* SPDX-License-Identifier: MIT */
/*
 * Worlds of a row of seeds: campaign_fast FIRST_SEED WORLDS MESSAGES [KNOB=VALUE ...]
 *
 * A line of JSON for each world that failed, and one for all of them. scripts/campaign.py runs it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/native_worlds/world.h"

static struct world world;

static const char *finding_of(const char **text) {
    static const char *const names[] = {[WORLD_STUCK] = "stuck",
                                        [WORLD_LEAKED] = "leaked",
                                        [WORLD_STOPPED] = "stopped",
                                        [WORLD_STRAYED] = "strayed"};
    enum history_finding finding = history_verdict(world.history, text);
    if (finding != HISTORY_FINE)
        return history_name(finding);
    *text = world.failure;
    return world.failed == WORLD_RUNNING ? NULL : names[world.failed];
}

int main(int argc, char **argv) {
    uint64_t first, worlds, frames = 0, messages = 0, dropped = 0, failed = 0;
    uint64_t duplicated = 0, delayed = 0, restarts = 0;
    uint32_t each;
    if (argc < 4) {
        (void)fprintf(stderr, "usage: campaign_fast FIRST_SEED WORLDS MESSAGES [KNOB=VALUE ...]\n");
        return 2;
    }
    first = strtoull(argv[1], NULL, 10);
    worlds = strtoull(argv[2], NULL, 10);
    each = (uint32_t)strtoul(argv[3], NULL, 10);
    world_prepare(&world);
    for (uint64_t i = 0; i < worlds; i++) {
        struct plan plan;
        const char *finding, *text;
        plan_draw(&plan, first + i, each);
        for (int argument = 4; argument < argc; argument++)
            if (!plan_set(&plan, argv[argument])) {
                (void)fprintf(stderr, "campaign_fast: '%s' is no KNOB=VALUE\n", argv[argument]);
                return 2;
            }
        plan_complete(&plan);
        world_run(&world, &plan);
        finding = finding_of(&text);
        if (finding != NULL) {
            failed++;
            printf("{\"seed\": %" PRIu64 ", \"finding\": \"%s\", \"text\": \"%s\", "
                   "\"after_us\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"knobs\": ",
                   first + i, finding, text, world.now_ns / 1000, world.posted);
            plan_print(&plan);
            printf("}\n");
        }
        messages += world.posted;
        frames += world.frames;
        dropped += world.dropped;
        duplicated += world.duplicated;
        delayed += world.delayed;
        restarts += world.restarted;
        world_end(&world);
        (void)fflush(stdout);
    }
    printf("{\"worlds\": %" PRIu64 ", \"messages\": %" PRIu64 ", \"frames\": %" PRIu64
           ", \"frames_dropped\": %" PRIu64 ", \"frames_duplicated\": %" PRIu64
           ", \"frames_delayed\": %" PRIu64 ", \"restarts\": %" PRIu64 ", \"failed\": %" PRIu64
           "}\n",
           worlds, messages, frames, dropped, duplicated, delayed, restarts, failed);
    return failed != 0;
}
