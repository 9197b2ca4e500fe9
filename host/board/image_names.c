/* SPDX-License-Identifier: MIT */
/* The names that an image has for tools: its spec, transitions and functions by number. */
#include "host/board/image_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The part of a line behind its kind; NULL if it is of another kind. */
static char *value_of(char *line, const char *kind) {
    const size_t length = strlen(kind);
    return strncmp(line, kind, length) == 0 && line[length] == ' ' ? line + length + 1 : NULL;
}

static int add_name(struct board_image *image, struct image_list *list, char *name) {
    if (list->count == IMAGE_LIST_LIMIT)
        return image_fail(image, -ENOEXEC, "more than %d names of one kind", IMAGE_LIST_LIMIT);
    /* Another place, for the NULL behind the last. */
    char **longer = realloc(list->names, (list->count + 2) * sizeof *longer);
    if (!longer)
        return image_fail(image, -ENOMEM, "out of memory");
    list->names = longer;
    list->names[list->count++] = name;
    list->names[list->count] = NULL;
    return 0;
}

/* A number of digits only, up to `end`. */
static bool take_number(char **text, int base, uint32_t *value) {
    char *end;
    errno = 0;
    if (**text < '0' || **text > '9')
        return false;
    const unsigned long long number = strtoull(*text, &end, base);
    if (errno || number > UINT32_MAX || end == *text)
        return false;
    *text = end;
    *value = (uint32_t)number;
    return true;
}

static int add_symbol(struct board_image *image, char *text) {
    struct image_symbol symbol;
    if (!take_number(&text, 16, &symbol.address) || *text++ != ' ' ||
        !take_number(&text, 10, &symbol.bytes) || *text++ != ' ' || !*text)
        return image_fail(image, -ENOEXEC, "a name of a function is damaged");
    symbol.name = text;
    if (image->symbol_count == IMAGE_LIST_LIMIT)
        return image_fail(image, -ENOEXEC, "more than %d functions", IMAGE_LIST_LIMIT);
    struct image_symbol *longer =
        realloc(image->symbols, (image->symbol_count + 1) * sizeof *longer);
    if (!longer)
        return image_fail(image, -ENOMEM, "out of memory");
    image->symbols = longer;
    image->symbols[image->symbol_count++] = symbol;
    return 0;
}

static int take_line(struct board_image *image, char *line) {
    struct board_image_information *information = &image->information;
    char *value;
    if ((value = value_of(line, "file")))
        return add_name(image, &image->files, value);
    if ((value = value_of(line, "transition")))
        return add_name(image, &image->transitions, value);
    if ((value = value_of(line, "symbol")))
        return add_symbol(image, value);
    if ((value = value_of(line, "protocol")))
        information->protocol = value;
    else if ((value = value_of(line, "profile")))
        information->profile = value;
    else if ((value = value_of(line, "hash")) &&
             (!take_number(&value, 16, &information->protocol_hash) || *value))
        return image_fail(image, -ENOEXEC, "the number of the spec is damaged");
    return 0; /* or of a later kind */
}

int image_take_names(struct board_image *image, const char *text, size_t bytes) {
    int error = 0;
    char *rest = NULL;
    image->names_text = malloc(bytes + 1);
    image->names_lines = malloc(bytes + 1);
    if (!image->names_text || !image->names_lines)
        return image_fail(image, -ENOMEM, "out of memory");
    memcpy(image->names_text, text, bytes);
    image->names_text[bytes] = 0;
    memcpy(image->names_lines, image->names_text, bytes + 1);
    image->names_bytes = bytes;
    if (memchr(text, 0, bytes))
        return image_fail(image, -ENOEXEC, "the names are not text");
    for (char *line = strtok_r(image->names_lines, "\n", &rest); line && !error;
         line = strtok_r(NULL, "\n", &rest))
        error = take_line(image, line);
    image->information.files = (const char *const *)image->files.names;
    image->information.file_count = image->files.count;
    image->information.transition_count = image->transitions.count;
    image->information.symbol_count = image->symbol_count;
    return error;
}

void image_free_names(struct board_image *image) {
    free(image->files.names);
    free(image->transitions.names);
    free(image->symbols);
    free(image->names_text);
    free(image->names_lines);
}

const char *board_image_transition(const struct board_image *image, size_t number) {
    return number < image->transitions.count ? image->transitions.names[number] : NULL;
}

const char *board_image_symbol(const struct board_image *image, uint32_t address,
                               uint32_t *offset) {
    for (size_t i = 0; i < image->symbol_count; i++) {
        const struct image_symbol *symbol = &image->symbols[i];
        if (address >= symbol->address && address - symbol->address < symbol->bytes) {
            *offset = address - symbol->address;
            return symbol->name;
        }
    }
    return NULL;
}
