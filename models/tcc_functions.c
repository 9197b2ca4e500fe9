/* SPDX-License-Identifier: MIT */
/* Functions that gcc has built in, for verifiers that tcc compiles: it calls them by their name. */
#include <stdlib.h>

unsigned model_lowest_bit(unsigned word) __asm__("__builtin_ctz");
void model_never_reached(void) __asm__("__builtin_unreachable");

unsigned model_lowest_bit(unsigned word) {
    return (unsigned)__builtin_ctz(word);
}

void model_never_reached(void) {
    abort();
}
