/* SPDX-License-Identifier: MIT */
/* A host program of one's own: reads the board's PCI identification, waits a while, and lights its
 * LEDs.
 *
 *     gcc -shared -fPIC -I . -o build/hello.so sim/scenarios/hello.c
 *     build/tigonsim run sim/scenarios/hello.scenario
 */
#include "sim/program.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned runs; /* each program of a scenario has an own one */

int tigon_main(struct tigon_host *host, int argc, char **argv) {
    const uint32_t who = tigon_host_read32(host, 0x000); /* copy of PCI configuration space */
    const uint32_t chip = tigon_host_read32(host, 0x040) >> 28; /* 6: the usual Tigon2 */
    const unsigned turns = argc > 1 ? (unsigned)atoi(argv[1]) : 1;

    for (unsigned i = 0; i < turns; i++) {
        tigon_host_write32(host, 0x600, i); /* SRAM 0x200, through its fixed alias */
        tigon_host_sleep_ns(host, 1000);
        runs++;
    }
    printf("%s: device %08X, chip %u, %u turns\n", argv[0], (unsigned)who, (unsigned)chip, runs);
    tigon_program_figure(host, "turns", runs);
    return tigon_host_read32(host, 0x600) == turns - 1 ? 0 : 1;
}
