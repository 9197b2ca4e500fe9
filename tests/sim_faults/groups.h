/* SPDX-License-Identifier: MIT */
/* Groups of tests, and their shared functions: noting every hit of a fault. */
#ifndef TESTS_SIM_FAULTS_GROUPS_H
#define TESTS_SIM_FAULTS_GROUPS_H

#include "tests/sim_devices/bench.h"

int fault_text_tests(void);
int wire_fault_tests(void);
int board_fault_tests(void);
int switch_tests(void);

/* Adds faults that must be right. */
static inline void add_faults(struct tigon_world *world, const char *text) {
    char message[512];
    if (tigon_world_add_faults(world, text, "test", message, sizeof message) < 0)
        fail_msg("%s", message);
}

#endif
