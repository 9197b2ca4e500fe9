/* SPDX-License-Identifier: MIT */
/* Faults, their text form and switches: runs all groups. */
#include "tests/sim_faults/groups.h"

int main(void) {
    return fault_text_tests() + wire_fault_tests() + board_fault_tests() + switch_tests();
}
