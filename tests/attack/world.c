/* SPDX-License-Identifier: MIT */
#include "tests/attack/world.h"

#include <stdarg.h>
#include <stdio.h>

void world_fail(struct world_result *result, const char *format, ...) {
    va_list arguments;
    if (result->failed)
        return;
    result->failed = true;
    va_start(arguments, format);
    (void)vsnprintf(result->words, sizeof result->words, format, arguments);
    va_end(arguments);
}

void world_note(struct world_result *result, const char *format, ...) {
    va_list arguments;
    if (result->failed)
        return;
    va_start(arguments, format);
    (void)vsnprintf(result->words, sizeof result->words, format, arguments);
    va_end(arguments);
}
