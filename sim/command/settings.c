/* SPDX-License-Identifier: MIT */
#include "sim/command/settings.h"

#include "sim/command/suggest.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_LIMIT = 64, FILE_BYTES_LIMIT = 16 << 20 };

/* The content, with a zero byte behind it; NULL with errno set. A zero byte inside would hide the
 * rest of the file from the parser: EILSEQ. */
static char *read_file(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t bytes = 0;
    size_t room = 0;
    if (!file)
        return NULL;
    for (;;) {
        if (bytes + 1 >= room) {
            char *larger = realloc(text, room = room ? 2 * room : 4096);
            if (!larger) {
                errno = ENOMEM;
                break;
            }
            text = larger;
        }
        const size_t got = fread(text + bytes, 1, room - bytes - 1, file);
        bytes += got;
        if (bytes > FILE_BYTES_LIMIT) {
            errno = EFBIG;
            break;
        }
        if (got > 0)
            continue;
        if (ferror(file))
            break;
        text[bytes] = 0;
        (void)fclose(file);
        if (strlen(text) == bytes)
            return text;
        free(text);
        errno = EILSEQ;
        return NULL;
    }
    const int error = errno;
    (void)fclose(file);
    free(text);
    errno = error;
    return NULL;
}

struct settings_complaint {
    unsigned line; /* 0: of another file; UINT_MAX: of an option */
    char *text;
};

static void tell(struct settings *settings, unsigned line, char *text) {
    struct settings_complaint *larger =
        realloc(settings->told, (settings->told_count + 1) * sizeof *larger);
    if (!larger || !text)
        abort();
    settings->told = larger;
    larger[settings->told_count++] = (struct settings_complaint){line, text};
    settings->mistakes++;
}

static int by_line(const void *left, const void *right) {
    const struct settings_complaint *a = left;
    const struct settings_complaint *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return 0;
}

void settings_flush(struct settings *settings) {
    /* Few, so insertion will do; it keeps the order of those of one line. */
    for (size_t i = 1; i < settings->told_count; i++) {
        const struct settings_complaint moved = settings->told[i];
        size_t to = i;
        for (; to > 0 && by_line(&settings->told[to - 1], &moved) > 0; to--)
            settings->told[to] = settings->told[to - 1];
        settings->told[to] = moved;
    }
    for (size_t i = 0; i < settings->told_count; i++) {
        (void)fputs(settings->told[i].text, settings->complaints);
        free(settings->told[i].text);
    }
    free(settings->told);
    settings->told = NULL;
    settings->told_count = 0;
}

/* Name of the file at the caller's place: libconfig keeps an included one as it was written. */
static char *file_of(const struct settings *settings, const char *included) {
    char *name = included ? settings_resolve(settings, included) : strdup(settings->path);
    if (!name)
        abort();
    return name;
}

int settings_open(struct settings *settings, const char *path, FILE *complaints) {
    const char *slash = strrchr(path, '/');
    *settings = (struct settings){.path = path, .complaints = complaints};
    config_init(&settings->config);
    settings->directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("");
    if (!settings->directory)
        return -ENOMEM;
    /* libconfig reports no more for a file that it cannot open. */
    settings->text = read_file(path);
    if (!settings->text) {
        const int error = errno;
        (void)fprintf(complaints, "%s: cannot be read: %s\n", path,
                      error == EILSEQ ? "it is no text" : strerror(error));
        settings->mistakes++;
        return -error;
    }
    config_set_include_dir(&settings->config, *settings->directory ? settings->directory : ".");
    if (config_read_string(&settings->config, settings->text))
        return 0;
    char *name = file_of(settings, config_error_file(&settings->config));
    (void)fprintf(complaints, "%s:%d: %s\n", name, config_error_line(&settings->config),
                  config_error_text(&settings->config));
    free(name);
    settings->mistakes++;
    return -EINVAL;
}

void settings_close(struct settings *settings) {
    settings_flush(settings);
    config_destroy(&settings->config);
    free(settings->text);
    free(settings->directory);
    settings->text = settings->directory = NULL;
}

config_setting_t *settings_root(struct settings *settings) {
    return config_root_setting(&settings->config);
}

/* Whether the line that begins at `start` has `text`, in quotes if `quoted`. */
static bool line_has(const char *start, const char *text, bool quoted) {
    const size_t length = strcspn(start, "\n");
    const size_t wanted = strlen(text);
    for (size_t i = 0; i + wanted <= length; i++)
        if (strncmp(start + i, text, wanted) == 0 &&
            (!quoted || (i > 0 && start[i - 1] == '"' && start[i + wanted] == '"')))
            return true;
    return false;
}

unsigned settings_line(const struct settings *settings, const config_setting_t *at) {
    const unsigned line = config_setting_source_line(at);
    const char *text = config_setting_get_string(at);
    if (!text || line == 0 || config_setting_source_file(at))
        return line;
    /* Text with escapes or in several pieces does not occur literally in the file: then search for
     * quotes. */
    for (unsigned quoted = 2; quoted-- > 0;) {
        const char *start = settings->text;
        unsigned found = 0;
        for (unsigned number = 1; number <= line; number++) {
            if (line_has(start, quoted ? text : "\"", quoted))
                found = number;
            start += strcspn(start, "\n");
            start += *start == '\n';
        }
        if (found)
            return found;
    }
    return line;
}

void settings_complain(struct settings *settings, const config_setting_t *at, const char *format,
                       ...) {
    const char *included = config_setting_source_file(at);
    const unsigned line = settings_line(settings, at);
    char *name = file_of(settings, included);
    char *message = NULL;
    char *whole = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&message, format, arguments) < 0 ||
        asprintf(&whole, "%s:%u: %s\n", name, line, message) < 0)
        abort();
    va_end(arguments);
    free(message);
    free(name);
    tell(settings, included ? 0 : line, whole);
}

void settings_complain_option(struct settings *settings, const char *format, ...) {
    char *message = NULL;
    char *whole = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&message, format, arguments) < 0 ||
        asprintf(&whole, "tigonsim: %s\n", message) < 0)
        abort();
    va_end(arguments);
    free(message);
    tell(settings, UINT_MAX, whole);
}

static const char *kind_of(const config_setting_t *setting) {
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_GROUP:
        return "a group { }";
    case CONFIG_TYPE_LIST:
        return "a list ( )";
    case CONFIG_TYPE_ARRAY:
        return "an array [ ]";
    case CONFIG_TYPE_STRING:
        return "text";
    case CONFIG_TYPE_FLOAT:
        return "a fraction";
    case CONFIG_TYPE_BOOL:
        return "true or false";
    default:
        return "a number";
    }
}

/* "name: expected ..., found ..."; an element of a list has no name. */
static void mismatch(struct settings *settings, const config_setting_t *setting,
                     const char *expected) {
    const char *name = config_setting_name(setting);
    settings_complain(settings, setting, "%s%sexpected %s, found %s", name ? name : "",
                      name ? ": " : "", expected, kind_of(setting));
}

bool settings_check(struct settings *settings, const config_setting_t *group, const char *what,
                    const char *const *names) {
    size_t count = 0;
    if (!config_setting_is_group(group)) {
        mismatch(settings, group, what);
        return false;
    }
    while (names[count] && count < NAMES_LIMIT)
        count++;
    for (unsigned i = 0; i < (unsigned)config_setting_length(group); i++) {
        const config_setting_t *member = config_setting_get_elem(group, i);
        const char *name = config_setting_name(member);
        size_t known = 0;
        while (known < count && strcmp(names[known], name) != 0)
            known++;
        if (known < count)
            continue;
        const char *meant = suggest(name, names, count);
        if (meant)
            settings_complain(settings, member, "%s has no setting %s; did you mean %s?", what,
                              name, meant);
        else
            settings_complain(settings, member, "%s has no setting %s", what, name);
    }
    return true;
}

config_setting_t *settings_need(struct settings *settings, const config_setting_t *group,
                                const char *name) {
    config_setting_t *member = config_setting_get_member(group, name);
    if (!member)
        settings_complain(settings, group, "%s is missing here", name);
    return member;
}

config_setting_t *settings_list(struct settings *settings, const config_setting_t *group,
                                const char *name) {
    config_setting_t *member = config_setting_get_member(group, name);
    if (!member || config_setting_is_list(member) || config_setting_is_array(member))
        return member;
    mismatch(settings, member, "a list ( )");
    return NULL;
}

bool settings_text(struct settings *settings, const config_setting_t *group, const char *name,
                   const char **value) {
    const config_setting_t *member = config_setting_get_member(group, name);
    if (!member)
        return false;
    const char *text = config_setting_get_string(member);
    if (!text) {
        mismatch(settings, member, "text in quotes");
        return false;
    }
    *value = text;
    return true;
}

bool settings_switch(struct settings *settings, const config_setting_t *group, const char *name,
                     bool *value) {
    const config_setting_t *member = config_setting_get_member(group, name);
    if (!member)
        return false;
    if (config_setting_type(member) != CONFIG_TYPE_BOOL) {
        mismatch(settings, member, "true or false");
        return false;
    }
    *value = config_setting_get_bool(member) != 0;
    return true;
}

/* libconfig stores numbers that fit 32 bits in an int: a hexadecimal number with the top bit set is
 * negative there. */
static bool whole_number(const config_setting_t *setting, uint64_t *value) {
    const bool hexadecimal = config_setting_get_format(setting) == CONFIG_FORMAT_HEX;
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT: {
        const int number = config_setting_get_int(setting);
        *value = (uint32_t)number;
        return number >= 0 || hexadecimal;
    }
    case CONFIG_TYPE_INT64: {
        const long long number = config_setting_get_int64(setting);
        *value = (uint64_t)number;
        return number >= 0 || hexadecimal;
    }
    case CONFIG_TYPE_STRING: {
        const char *text = config_setting_get_string(setting);
        char *end;
        if (!isdigit((unsigned char)*text))
            return false;
        errno = 0;
        *value = strtoull(text, &end, 0);
        const unsigned shift = *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
        if (errno || end[shift != 0] || *value > UINT64_MAX >> shift)
            return false;
        *value <<= shift;
        return true;
    }
    default:
        return false;
    }
}

bool settings_number_of(struct settings *settings, const config_setting_t *setting, uint64_t least,
                        uint64_t most, uint64_t *value) {
    uint64_t number;
    const char *name = config_setting_name(setting);
    if (whole_number(setting, &number) && number >= least && number <= most) {
        *value = number;
        return true;
    }
    settings_complain(settings, setting, "%s%sexpected a number from %" PRIu64 " to %" PRIu64,
                      name ? name : "", name ? ": " : "", least, most);
    return false;
}

bool settings_number(struct settings *settings, const config_setting_t *group, const char *name,
                     uint64_t least, uint64_t most, uint64_t *value) {
    const config_setting_t *member = config_setting_get_member(group, name);
    return member && settings_number_of(settings, member, least, most, value);
}

bool settings_parse_time(const char *text, uint64_t *ns) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"cycles", 1000.0 / 88.0}};
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    const double number = strtod(text, &end);
    while (*end == ' ')
        end++;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        const double time = number * units[i].ns;
        if (!(time < 1e18)) /* 30 years */
            return false;
        *ns = (uint64_t)(time + 0.5);
        return true;
    }
    return false;
}

bool settings_time(struct settings *settings, const config_setting_t *group, const char *name,
                   uint64_t *ns) {
    const config_setting_t *member = config_setting_get_member(group, name);
    if (!member)
        return false;
    const char *text = config_setting_get_string(member);
    if (text && settings_parse_time(text, ns))
        return true;
    if (text)
        settings_complain(settings, member,
                          "%s: expected a time such as \"1.5 ms\" (ns, us, ms, s, cycles), found "
                          "\"%s\"",
                          name, text);
    else
        mismatch(settings, member, "a time such as \"1.5 ms\" (ns, us, ms, s, cycles)");
    return false;
}

bool settings_mac_address(struct settings *settings, const config_setting_t *group,
                          const char *name, uint8_t address[6]) {
    const char *text;
    uint8_t bytes[6];
    int end = 0;
    if (!settings_text(settings, group, name, &text))
        return false;
    if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &bytes[0], &bytes[1], &bytes[2],
               &bytes[3], &bytes[4], &bytes[5], &end) != 6 ||
        text[end] || end != 17 || (bytes[0] & 1)) {
        settings_complain(settings, config_setting_get_member(group, name),
                          "%s: expected an address of one station such as \"02:54:47:00:00:01\", "
                          "found \"%s\"",
                          name, text);
        return false;
    }
    memcpy(address, bytes, sizeof bytes);
    return true;
}

bool settings_as_text(struct settings *settings, const config_setting_t *setting, char *text,
                      size_t bytes) {
    uint64_t number;
    int length = -1;
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_STRING:
        length = snprintf(text, bytes, "%s", config_setting_get_string(setting));
        break;
    case CONFIG_TYPE_BOOL:
        length = snprintf(text, bytes, "%d", config_setting_get_bool(setting) != 0);
        break;
    case CONFIG_TYPE_FLOAT:
        length = snprintf(text, bytes, "%.17g", config_setting_get_float(setting));
        break;
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        if (whole_number(setting, &number))
            length = snprintf(text, bytes, "%" PRIu64, number);
        else
            length = snprintf(text, bytes, "%lld", config_setting_get_int64(setting));
        break;
    default:
        break;
    }
    if (length >= 0 && (size_t)length < bytes)
        return true;
    mismatch(settings, setting, "a number, true, false or short text");
    return false;
}

char *settings_resolve(const struct settings *settings, const char *path) {
    char *resolved = NULL;
    if (*path == '/')
        return strdup(path);
    return asprintf(&resolved, "%s%s", settings->directory, path) < 0 ? NULL : resolved;
}

char *settings_path(struct settings *settings, const config_setting_t *group, const char *name) {
    const char *text;
    if (!settings_text(settings, group, name, &text))
        return NULL;
    if (*text)
        return settings_resolve(settings, text);
    settings_complain(settings, config_setting_get_member(group, name),
                      "%s: expected the name of a file, found empty text", name);
    return NULL;
}
