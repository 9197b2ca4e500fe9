/* SPDX-License-Identifier: MIT */
/* The files that a run writes: no two of them may be one, or what is written first is lost. */
#ifndef SIM_COMMAND_OUTPUTS_H
#define SIM_COMMAND_OUTPUTS_H

#include "sim/command/settings.h"

/* Notes that `path` gets what `format` says, such as "the capture of wire a-b". When another output
 * is this file already, one error line says so, about `at`, or about an option when that is NULL.
 * "-", which is standard output, and NULL are no files. */
void outputs_note(struct settings *settings, const config_setting_t *at, const char *path,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void outputs_forget(void);

#endif
