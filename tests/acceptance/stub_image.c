#include "tests/acceptance/acceptance.h"
const struct acceptance image_tests[] = {{NULL, NULL, NULL, NULL}};
