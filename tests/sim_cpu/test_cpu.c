/* All unit tests of the core; the groups are in the other files of this directory. */
#include "tests/sim_cpu/fixture.h"

int main(void) {
    return instruction_tests() + cost_tests() + order_tests() + loop_tests();
}
