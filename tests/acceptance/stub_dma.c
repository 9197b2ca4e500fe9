#include "tests/acceptance/acceptance.h"
const struct acceptance dma_tests[] = {{NULL, NULL, NULL, NULL}};
