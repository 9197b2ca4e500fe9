/* SPDX-License-Identifier: MIT */
/* "Did you mean ...?" */
#ifndef SIM_COMMAND_SUGGEST_H
#define SIM_COMMAND_SUGGEST_H

#include <stddef.h>

/* The one of `names` that is nearest to `word`, or NULL when none is near: at most one letter in
 * three may differ. */
const char *suggest(const char *word, const char *const *names, size_t count);

#endif
