/* SPDX-License-Identifier: MIT */
#include "sim/command/knob_text.h"

#include "sim/command/suggest.h"

#include <errno.h>
#include <string.h>

enum { KNOBS_LIMIT = 256 };

static const char *similar(const char *name) {
    const char *names[KNOBS_LIMIT];
    size_t count = 0;
    while (count < KNOBS_LIMIT && (names[count] = tigon_knobs_name(count)) != NULL)
        count++;
    return suggest(name, names, count);
}

int knob_set(struct tigon_knobs *knobs, const char *name, const char *value,
             char problem[KNOB_PROBLEM_BYTES]) {
    const int error = tigon_knobs_set(knobs, name, value);
    const char *meant = error == -ENOENT ? similar(name) : NULL;
    if (error == -ENOENT) {
        (void)snprintf(problem, KNOB_PROBLEM_BYTES, "no knob %.64s; %s%s%s", name,
                       meant ? "did you mean " : "see tigonsim knobs", meant ? meant : "",
                       meant ? "?" : "");
    } else if (error) {
        char expected[KNOB_PROBLEM_BYTES / 2];
        tigon_knobs_expected(name, expected, sizeof expected);
        (void)snprintf(problem, KNOB_PROBLEM_BYTES, "knob %.48s: expected %s, found %.32s", name,
                       expected, value);
    }
    return error;
}

int knob_assign(struct tigon_knobs *knobs, const char *assignment,
                char problem[KNOB_PROBLEM_BYTES]) {
    char name[128];
    const char *equals = strchr(assignment, '=');
    if (!equals || (size_t)(equals - assignment) >= sizeof name) {
        (void)snprintf(problem, KNOB_PROBLEM_BYTES, "%.64s: expected NAME=VALUE", assignment);
        return -EINVAL;
    }
    memcpy(name, assignment, (size_t)(equals - assignment));
    name[equals - assignment] = 0;
    return knob_set(knobs, name, equals + 1, problem);
}
