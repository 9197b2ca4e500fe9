/* SPDX-License-Identifier: MIT */
#include "sim/command/progress.h"

#include <stdio.h>

#define INTERVAL_S 0.25

static double elapsed(const struct progress *progress) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - progress->begin.tv_sec) +
           (double)(now.tv_nsec - progress->begin.tv_nsec) / 1e9;
}

void progress_begin(struct progress *progress, bool shown) {
    *progress = (struct progress){.shown = shown, .next_s = INTERVAL_S};
    (void)clock_gettime(CLOCK_MONOTONIC, &progress->begin);
}

void progress_tell(struct progress *progress, uint64_t now_ns, uint64_t limit_ns) {
    if (!progress->shown)
        return;
    const double real = elapsed(progress);
    if (real < progress->next_s)
        return;
    progress->next_s = real + INTERVAL_S;
    progress->dirty = true;
    (void)fprintf(stderr, "\r  %.3f ms simulated", (double)now_ns / 1e6);
    if (limit_ns != UINT64_MAX)
        (void)fprintf(stderr, " of %.3f", (double)limit_ns / 1e6);
    if (now_ns > 0)
        (void)fprintf(stderr, ", %.1f s here, 1 : %.0f   ", real, real * 1e9 / (double)now_ns);
    (void)fflush(stderr);
}

double progress_end(struct progress *progress) {
    if (progress->dirty)
        (void)fputs("\r\033[K", stderr);
    progress->dirty = false;
    return elapsed(progress);
}
