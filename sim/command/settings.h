/* SPDX-License-Identifier: MIT */
/* Reading values out of a libconfig file, with an error line for each one that is wrong.
 *
 * Every function that reads a member of a group takes the group and the member's name, leaves
 * `*value` unchanged when the member is missing, and returns whether it was present and valid.
 * Mistakes are reported as "file:line: what was expected, what was found" and counted; reading
 * continues, so that one run shows them all, in the order of the file. */
#ifndef SIM_COMMAND_SETTINGS_H
#define SIM_COMMAND_SETTINGS_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct settings_complaint;

struct settings {
    const char *path; /* as the user named it */
    char *directory;  /* of that file; paths in it are relative to there */
    char *text;       /* of that file */
    FILE *complaints; /* where the error lines go */
    unsigned mistakes;
    struct settings_complaint *told; /* not yet printed */
    size_t told_count;
    config_t config;
};

/* Reads a file. 0; -EINVAL when it is no libconfig file, with a complaint; the -errno of opening
 * it, with a complaint. Close with settings_close in every case. */
int settings_open(struct settings *settings, const char *path, FILE *complaints);
void settings_close(struct settings *settings);
/* Prints the error lines there are, in the order of their lines. */
void settings_flush(struct settings *settings);
config_setting_t *settings_root(struct settings *settings);

/* The line of a setting. For text, libconfig reports one of the next lines, because it checks
 * whether more text follows. */
unsigned settings_line(const struct settings *settings, const config_setting_t *at);

/* One error line about `at`. */
void settings_complain(struct settings *settings, const config_setting_t *at, const char *format,
                       ...) __attribute__((format(printf, 3, 4)));

/* The same about an option, or about several together. Printed after those of lines of the file. */
void settings_complain_option(struct settings *settings, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Complains about every member of `group` that is not in `names` (ends with NULL). False when
 * `group` is no group, which it complains about too. */
bool settings_check(struct settings *settings, const config_setting_t *group, const char *what,
                    const char *const *names);

/* A member that must be there; complains when it is not. */
config_setting_t *settings_need(struct settings *settings, const config_setting_t *group,
                                const char *name);

/* A list of groups or values under `name`. NULL when missing or, with a complaint, when it is no
 * list or array. */
config_setting_t *settings_list(struct settings *settings, const config_setting_t *group,
                                const char *name);

/* Values. Text belongs to the configuration. */
bool settings_text(struct settings *settings, const config_setting_t *group, const char *name,
                   const char **value);
bool settings_switch(struct settings *settings, const config_setting_t *group, const char *name,
                     bool *value);
/* A whole number from `least` to `most`, as a number or as text with a suffix K, M or G. */
bool settings_number(struct settings *settings, const config_setting_t *group, const char *name,
                     uint64_t least, uint64_t most, uint64_t *value);
/* The same for the setting itself: an element of a list. */
bool settings_number_of(struct settings *settings, const config_setting_t *setting, uint64_t least,
                        uint64_t most, uint64_t *value);
/* Text such as "1.5 ms": a number and ns, us, ms, s or cycles (of 88 MHz). */
bool settings_time(struct settings *settings, const config_setting_t *group, const char *name,
                   uint64_t *ns);
/* The same from an option; false when `text` is no time. */
bool settings_parse_time(const char *text, uint64_t *ns);
/* "02:54:47:00:00:01". */
bool settings_mac_address(struct settings *settings, const config_setting_t *group,
                          const char *name, uint8_t address[6]);
/* The text of a setting that holds a number, switch or text, as an option would give it: for
 * knobs. False, with a complaint, for groups and lists. */
bool settings_as_text(struct settings *settings, const config_setting_t *setting, char *text,
                      size_t bytes);
/* A file name: relative ones from the scenario's directory. The caller frees it; NULL when missing
 * or wrong. */
char *settings_path(struct settings *settings, const config_setting_t *group, const char *name);
/* The same for any text. */
char *settings_resolve(const struct settings *settings, const char *path);

#endif
