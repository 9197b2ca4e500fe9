#include "tests/attack/world.h"
void host_attacks(struct attacks *list) {
    (void)list;
}
