#include "tests/acceptance/acceptance.h"
const struct acceptance fuzz_tests[] = {{NULL, NULL, NULL, NULL}};
