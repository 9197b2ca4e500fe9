/* SPDX-License-Identifier: MIT */
#include "sim/command/outputs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct output {
    char *path;
    char *what;
};

static struct output *outputs;
static size_t output_count;

/* Whether both name one file, which may exist already or be made by the run. */
static bool same_file(const char *left, const char *right) {
    struct stat a, b;
    if (stat(left, &a) == 0 && stat(right, &b) == 0)
        return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    const char *left_slash = strrchr(left, '/');
    const char *right_slash = strrchr(right, '/');
    if (strcmp(left_slash ? left_slash + 1 : left, right_slash ? right_slash + 1 : right) != 0)
        return false;
    char *left_directory = left_slash ? strndup(left, (size_t)(left_slash - left) + 1) : NULL;
    char *right_directory = right_slash ? strndup(right, (size_t)(right_slash - right) + 1) : NULL;
    const bool same =
        strcmp(left, right) == 0 || (stat(left_directory ? left_directory : ".", &a) == 0 &&
                                     stat(right_directory ? right_directory : ".", &b) == 0 &&
                                     a.st_dev == b.st_dev && a.st_ino == b.st_ino);
    free(left_directory);
    free(right_directory);
    return same;
}

void outputs_note(struct settings *settings, const config_setting_t *at, const char *path,
                  const char *format, ...) {
    char *what = NULL;
    va_list arguments;
    if (!path || strcmp(path, "-") == 0)
        return;
    va_start(arguments, format);
    if (vasprintf(&what, format, arguments) < 0)
        abort();
    va_end(arguments);
    for (size_t i = 0; i < output_count; i++) {
        if (!same_file(outputs[i].path, path))
            continue;
        if (at)
            settings_complain(settings, at, "%s: %s would overwrite %s", path, what,
                              outputs[i].what);
        else
            settings_complain_option(settings, "%s: %s would overwrite %s", path, what,
                                     outputs[i].what);
        free(what);
        return;
    }
    struct output *larger = realloc(outputs, (output_count + 1) * sizeof *larger);
    char *copy = strdup(path);
    if (!larger || !copy)
        abort();
    outputs = larger;
    outputs[output_count++] = (struct output){copy, what};
}

void outputs_forget(void) {
    for (size_t i = 0; i < output_count; i++) {
        free(outputs[i].path);
        free(outputs[i].what);
    }
    free(outputs);
    outputs = NULL;
    output_count = 0;
}
