/* SPDX-License-Identifier: MIT */
/* The devices of the simulated board: runs all groups. */
#include "tests/sim_devices/bench.h"

int main(void) {
    return register_tests() + dma_tests() + mac_tests() + link_tests() + host_tests() +
           wire_tests() + world_tests() + capture_tests() + part_tests() + ahead_tests();
}
