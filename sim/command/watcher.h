/* SPDX-License-Identifier: MIT */
/* End conditions of a run that the scenario defines, and watched words. This module does not change
 * the simulation: cores are observed, and memory is read between two pieces of the run. */
#ifndef SIM_COMMAND_WATCHER_H
#define SIM_COMMAND_WATCHER_H

#include "sim/command/setup.h"

struct watcher;

/* NULL after error lines on `complaints`. `news` gets a line for each change of a watched
 * word; NULL keeps them for the result alone. */
struct watcher *watcher_create(struct setup *setup, const char *path, FILE *news, FILE *complaints);
void watcher_destroy(struct watcher *watcher);

/* When the next read is due, in ns; UINT64_MAX when no word is watched. */
uint64_t watcher_due(const struct watcher *watcher);

/* Looks. True when a condition came true that ends the run. */
bool watcher_look(struct watcher *watcher);

/* The condition that ended the run, or NULL. */
const struct scenario_stop *watcher_reason(const struct watcher *watcher);

/* Changes of watched words: board, name and the list of time and value, as JSON. */
cJSON *watcher_json(const struct watcher *watcher, size_t board);

#endif
