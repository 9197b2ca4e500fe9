/* SPDX-License-Identifier: MIT */
/*
 * The cost of the firmware on the simulated board: cycles for each frame, one-way time, bandwidth.
 * Prints; test_firmware.c holds the limits.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emp_layout.h"
#include "tests/firmware/measure.h"

static const char *image = FIRMWARE_IMAGE;

static void report_latency(uint32_t bytes) {
    struct measure_latency latency;
    if (measure_latency(image, bytes, 50, &latency))
        printf("%8u bytes: one way %6.2f us, %u busy cycles a message and side\n", bytes,
               latency.one_way_us, latency.busy_cycles);
    else
        printf("%8u bytes: failed\n", bytes);
}

static void report_bandwidth(uint32_t bytes, unsigned count, bool both, bool pieces) {
    struct measure_bandwidth result;
    (void)pieces;
    if (!measure_bandwidth(image, bytes, count, both, &result)) {
        printf("%8u bytes: failed\n", bytes);
        return;
    }
    printf("%8u bytes %s: %6.1f Mb/s, busy cycles a frame: sender %u, receiver %u\n", bytes,
           both ? "both ways" : "one way  ", result.megabits, result.sender_cycles,
           result.receiver_cycles);
}

/* What a receive in front costs that the message does not match, in cycles of a core of 88 MHz. */
static void report_walk(enum measure_walk kind, const char *name) {
    static const unsigned counts[] = {1, 16, 128, 600};
    struct measure_latency none, some;
    if (!measure_walk(image, kind, 0, 50, &none))
        return;
    for (unsigned i = 0; i < sizeof counts / sizeof *counts; i++)
        if (measure_walk(image, kind, counts[i], 50, &some))
            printf("%8u receives %s in front: one way %7.2f us, %5.1f cycles each\n", counts[i],
                   name, some.one_way_us, (some.one_way_us - none.one_way_us) * 88 / counts[i]);
}

int main(int argc, char **argv) {
    static const uint32_t small[] = {0, 4, 10, 100, 1464, 1500, 4096};
    static const uint32_t large[] = {4096, 16384, 65536, 262144};
    if (argc > 1)
        image = argv[1];
    for (unsigned i = 0; i < sizeof small / sizeof *small; i++)
        report_latency(small[i]);
    for (unsigned i = 0; i < sizeof large / sizeof *large; i++)
        report_bandwidth(large[i], 40, false, false);
    report_bandwidth(65536, 30, true, false);
    report_walk(MEASURE_NAMED, "of the same hash");
    if (EMP_TAG_BITS == 64)
        report_walk(MEASURE_WILDCARDS, "with wildcards");
    return 0;
}
