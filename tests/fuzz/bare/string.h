/* SPDX-License-Identifier: MIT */
/* Of <string.h> what the differential harness uses, on the bare core:
 * fw-runtime/port/tigon2/memory.c. */
#ifndef TESTS_FUZZ_BARE_STRING_H
#define TESTS_FUZZ_BARE_STRING_H

#include <stddef.h>

void *memcpy(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *left, const void *right, size_t bytes);

#endif
