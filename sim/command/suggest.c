/* SPDX-License-Identifier: MIT */
/* Levenshtein distance with a bound; names here are short. */
#include "sim/command/suggest.h"

#include <string.h>

enum { LONGEST = 64 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance(const char *left, const char *right) {
    const size_t width = strlen(right);
    size_t row[LONGEST + 1];
    for (size_t i = 0; i <= width; i++)
        row[i] = i;
    for (size_t y = 0; left[y]; y++) {
        size_t diagonal = row[0];
        row[0] = y + 1;
        for (size_t x = 0; x < width; x++) {
            const size_t above = row[x + 1];
            row[x + 1] = least(least(row[x], above) + 1, diagonal + (left[y] != right[x]));
            diagonal = above;
        }
    }
    return row[width];
}

const char *suggest(const char *word, const char *const *names, size_t count) {
    const size_t length = strlen(word);
    const char *best = NULL;
    size_t best_distance = length / 3 + 1;
    if (length > LONGEST)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strlen(names[i]) > LONGEST)
            continue;
        const size_t far = distance(word, names[i]);
        if (far < best_distance || (far == best_distance && !best)) {
            best = names[i];
            best_distance = far;
        }
    }
    return best;
}
