#include "tests/acceptance/acceptance.h"
const struct acceptance mac_tests[] = {{NULL, NULL, NULL, NULL}};
