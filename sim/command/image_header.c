/* SPDX-License-Identifier: MIT */
/* The C arrays of the public drivers, read as data (tigon2.md 10).
 *
 * A driver's firmware header gives names with a common prefix their values, as variables or as
 * macros: prefixStartAddr, prefixTextAddr, prefixTextLen and so on, and the arrays prefixText,
 * prefixRodata, prefixData of 32-bit words. The parser needs no other part of C: it skips
 * everything except assignments of a number or of a list of numbers. */
#include "sim/command/image.h"

#include "sim/core/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, SCALARS = 128, ARRAYS = 32, IMAGES = 8 };

struct scalar {
    char name[NAME_BYTES];
    uint64_t value;
};

struct array {
    char name[NAME_BYTES];
    uint32_t *words;
    size_t count;
};

struct header {
    const char *at;
    unsigned line;
    struct scalar scalars[SCALARS];
    size_t scalar_count;
    struct array arrays[ARRAYS];
    size_t array_count;
    char *problem;
    size_t problem_bytes;
};

#define SAY(header, ...)                                                                           \
    ((void)snprintf((header)->problem, (header)->problem_bytes, __VA_ARGS__), -1)

/* ------------------------------------------------------------------------------------------------
 * Words of the text */

static void step(struct header *header) {
    header->line += *header->at == '\n';
    header->at++;
}

static void skip_past(struct header *header, const char *end) {
    const size_t length = strlen(end);
    while (*header->at && strncmp(header->at, end, length) != 0)
        step(header);
    for (size_t i = 0; i < length && *header->at; i++)
        step(header);
}

/* Skips blanks, comments, and quoted text: none of them contains a number. */
static void skip_blanks(struct header *header) {
    for (;;) {
        const char c = *header->at;
        if (c == '/' && header->at[1] == '*') {
            skip_past(header, "*/");
        } else if (c == '/' && header->at[1] == '/') {
            skip_past(header, "\n");
        } else if (c == '"' || c == '\'') {
            step(header);
            while (*header->at && *header->at != c && *header->at != '\n')
                step(header);
            if (*header->at)
                step(header);
        } else if (isspace((unsigned char)c)) {
            step(header);
        } else {
            return;
        }
    }
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool word(struct header *header, char name[NAME_BYTES]) {
    const char *start = header->at;
    if (!isalpha((unsigned char)*start) && *start != '_')
        return false;
    while (is_word(*header->at))
        header->at++;
    const size_t length = (size_t)(header->at - start);
    (void)snprintf(name, NAME_BYTES, "%.*s", (int)(length < NAME_BYTES ? length : NAME_BYTES - 1),
                   start);
    return true;
}

/* A number with its suffixes; a number in parentheses is one too. */
static bool number(struct header *header, uint64_t *value) {
    char *end;
    if (!isdigit((unsigned char)*header->at))
        return false;
    *value = strtoull(header->at, &end, 0);
    while (*end && strchr("uUlL", *end))
        end++;
    if (is_word(*end))
        return false;
    header->at = end;
    return true;
}

/* ------------------------------------------------------------------------------------------------
 * Assignments */

static void keep_scalar(struct header *header, const char *name, uint64_t value) {
    if (header->scalar_count == SCALARS)
        return;
    struct scalar *scalar = &header->scalars[header->scalar_count++];
    (void)snprintf(scalar->name, sizeof scalar->name, "%s", name);
    scalar->value = value;
}

static int keep_array(struct header *header, const char *name) {
    uint64_t value;
    size_t room = 0;
    if (header->array_count == ARRAYS)
        return SAY(header, "line %u: more than %d arrays", header->line, ARRAYS);
    struct array *array = &header->arrays[header->array_count++];
    (void)snprintf(array->name, sizeof array->name, "%s", name);
    for (;;) {
        skip_blanks(header);
        if (*header->at == ',') {
            step(header);
        } else if (*header->at == '}') {
            return 0;
        } else if (!number(header, &value) || value > UINT32_MAX) {
            return SAY(header, "line %u: expected a 32-bit number or } in %s", header->line, name);
        } else {
            if (array->count == room) {
                uint32_t *larger = realloc(array->words, (room = room ? 2 * room : 1024) * 4);
                if (!larger)
                    return SAY(header, "out of memory");
                array->words = larger;
            }
            array->words[array->count++] = (uint32_t)value;
        }
    }
}

/* `#define NAME 0x4000`; other directives are ignored. */
static void directive(struct header *header) {
    char name[NAME_BYTES];
    uint64_t value;
    step(header);
    while (*header->at == ' ' || *header->at == '\t')
        step(header);
    if (word(header, name) && strcmp(name, "define") == 0) {
        while (*header->at == ' ' || *header->at == '\t')
            step(header);
        if (word(header, name)) {
            while (*header->at == ' ' || *header->at == '\t' || *header->at == '(')
                step(header);
            if (number(header, &value))
                keep_scalar(header, name, value);
        }
    }
    while (*header->at && *header->at != '\n') {
        if (*header->at == '\\' && header->at[1])
            step(header);
        step(header);
    }
}

/* The text before '=' may end with brackets and attributes: the name is the word before a bracket,
 * or else the last. */
static int assignments(struct header *header) {
    char name[NAME_BYTES] = "";
    char candidate[NAME_BYTES];
    uint64_t value;
    bool named = false; /* by a bracket: no later word replaces it */
    for (;;) {
        skip_blanks(header);
        if (!*header->at)
            return 0;
        if (*header->at == '#') {
            directive(header);
        } else if (word(header, candidate)) {
            if (!named)
                memcpy(name, candidate, sizeof name);
        } else if (*header->at == '[') {
            named = *name != 0;
            skip_past(header, "]");
        } else if (*header->at == '=') {
            step(header);
            skip_blanks(header);
            if (*header->at == '{') {
                step(header);
                if (keep_array(header, name))
                    return -1;
            } else if (number(header, &value)) {
                keep_scalar(header, name, value);
            }
        } else {
            named = named && *header->at != ';' && *header->at != ',' && *header->at != '}';
            step(header);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * The image in them */

static bool find(const struct header *header, const char *prefix, const char *name,
                 uint64_t *value) {
    for (size_t i = 0; i < header->scalar_count; i++) {
        const size_t length = strlen(prefix);
        if (strncmp(header->scalars[i].name, prefix, length) == 0 &&
            strcmp(header->scalars[i].name + length, name) == 0) {
            *value = header->scalars[i].value;
            return true;
        }
    }
    return false;
}

static const struct array *find_array(const struct header *header, const char *prefix,
                                      const char *name) {
    const size_t length = strlen(prefix);
    for (size_t i = 0; i < header->array_count; i++)
        if (strncmp(header->arrays[i].name, prefix, length) == 0 &&
            strcmp(header->arrays[i].name + length, name) == 0)
            return &header->arrays[i];
    return NULL;
}

/* The only prefix there is: of the names that end with StartAddr. */
static int choose_prefix(struct header *header, const char *wanted, char prefix[NAME_BYTES]) {
    static const char ending[] = "StartAddr";
    const size_t tail = sizeof ending - 1;
    char found[IMAGES * NAME_BYTES] = "";
    size_t count = 0;
    for (size_t i = 0; i < header->scalar_count; i++) {
        const char *name = header->scalars[i].name;
        const size_t length = strlen(name);
        if (length < tail || strcmp(name + length - tail, ending) != 0)
            continue;
        char this[NAME_BYTES];
        (void)snprintf(this, sizeof this, "%.*s", (int)(length - tail), name);
        if (wanted && strcmp(this, wanted) != 0) {
            (void)snprintf(found + strlen(found), sizeof found - strlen(found), " %s", this);
            continue;
        }
        if (count > 0 && strcmp(this, prefix) == 0)
            continue; /* the same again, in another branch of the preprocessor */
        memcpy(prefix, this, sizeof this);
        (void)snprintf(found + strlen(found), sizeof found - strlen(found), " %s", this);
        count++;
    }
    if (count == 1)
        return 0;
    if (count > 1)
        return SAY(header, "has several images; say which with prefix:%.150s", found);
    if (wanted)
        return SAY(header, "has no name %.64sStartAddr; it has%.150s", wanted,
                   *found ? found : " none");
    return SAY(header, "expected C arrays of a driver: a name that ends with StartAddr");
}

static int add_section(struct header *header, struct image *image, const char *prefix,
                       const char *section) {
    char name[NAME_BYTES];
    uint64_t address;
    uint64_t length;
    (void)snprintf(name, sizeof name, "%sAddr", section);
    const bool placed = find(header, prefix, name, &address);
    (void)snprintf(name, sizeof name, "%sLen", section);
    if (!find(header, prefix, name, &length) || length == 0)
        return 0;
    const struct array *array = find_array(header, prefix, section);
    if (!placed || !array)
        return SAY(header, "%s%s has a length but no %s", prefix, section,
                   placed ? "array of words" : "address");
    const size_t words = (size_t)((length + 3) / 4);
    if (length > UINT32_MAX || array->count + 1 < words)
        return SAY(header, "%s%s announces %" PRIu64 " bytes and has %zu", prefix, section, length,
                   array->count * 4);
    uint8_t *bytes = calloc(words, 4);
    if (!bytes)
        return SAY(header, "out of memory");
    for (size_t i = 0; i < words && i < array->count; i++)
        tigon_store_be32(bytes + 4 * i, array->words[i]);
    const int error = address > UINT32_MAX ? SAY(header, "%s%sAddr is no address", prefix, section)
                                           : image_add(image, (uint32_t)address, bytes, words * 4,
                                                       header->problem, header->problem_bytes);
    free(bytes);
    return error;
}

static int make_image(struct header *header, struct image *image, const char *wanted) {
    static const char *const sections[] = {"Text", "Rodata", "Data", "Sdata"};
    char prefix[NAME_BYTES] = "";
    uint64_t start = 0;
    uint64_t release[3] = {0};
    if (choose_prefix(header, wanted, prefix))
        return -1;
    (void)find(header, prefix, "StartAddr", &start);
    image->start = (uint32_t)start;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (add_section(header, image, prefix, sections[i]))
            return -1;
    if (image->count == 0)
        return SAY(header, "%sText and its length are missing", prefix);
    if (find(header, prefix, "ReleaseMajor", &release[0]) &&
        find(header, prefix, "ReleaseMinor", &release[1]) &&
        find(header, prefix, "ReleaseFix", &release[2]))
        (void)snprintf(image->version, sizeof image->version, "%u.%u.%u", (uint8_t)release[0],
                       (uint8_t)release[1], (uint8_t)release[2]);
    return 0;
}

int image_read_header(struct image *image, const char *text, const char *prefix, char *problem,
                      size_t problem_bytes) {
    struct header *header = calloc(1, sizeof *header);
    if (!header)
        abort();
    header->at = text;
    header->line = 1;
    header->problem = problem;
    header->problem_bytes = problem_bytes;
    int error = assignments(header);
    if (!error)
        error = make_image(header, image, prefix);
    for (size_t i = 0; i < header->array_count; i++)
        free(header->arrays[i].words);
    free(header);
    return error;
}
