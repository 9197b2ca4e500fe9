#include "tests/acceptance/acceptance.h"
const struct acceptance register_tests[] = {{NULL, NULL, NULL, NULL}};
