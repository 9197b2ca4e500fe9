#include "tests/acceptance/acceptance.h"
const struct acceptance part_tests[] = {{NULL, NULL, NULL, NULL}};
