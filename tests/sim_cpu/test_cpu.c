/* SPDX-License-Identifier: MIT */
/* All unit tests of the core; the groups are in the other files of this directory. Once with the
 * interpreter alone, once with translated text, where this host has that. */
#include "tests/sim_cpu/fixture.h"

static int all_tests(bool native) {
    (void)fixture_native(native);
    (void)fixture_words(native);
    return instruction_tests() + cost_tests() + order_tests() + loop_tests();
}

int main(void) {
    return all_tests(false) + all_tests(true) + operation_tests();
}
