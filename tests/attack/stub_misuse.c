#include "tests/attack/world.h"
void misuse_attacks(struct attacks *list) {
    (void)list;
}
