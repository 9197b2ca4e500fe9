/* SPDX-License-Identifier: MIT */
/* Reading charges; see charge_table.h. */
#include "sim/observe/charge_table.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/observe/symbols.h"

#define WORDS_LIMIT  16u
#define CYCLES_LIMIT 1000000000u
#define CORES        2u

struct tigon_charge_file {
    struct tigon_charge_table tables[CORES];
    struct tigon_charge charges[CORES][TIGON_CHARGES];
    char *steps[CORES][TIGON_CHARGES];
};

struct reader {
    struct tigon_charge_file *file;
    struct tigon_symbols *symbols[CORES];
    const char *path;
    const char *image;
    unsigned line;
    char *message;
    size_t message_bytes;
    char *words[WORDS_LIMIT + 1]; /* of the line; NULL behind the last */
    size_t next;
};

__attribute__((format(printf, 2, 3))) static bool complain(const struct reader *reader,
                                                           const char *format, ...) {
    va_list arguments;
    const int length =
        snprintf(reader->message, reader->message_bytes, "%s:%u: ", reader->path, reader->line);
    va_start(arguments, format);
    if (length >= 0 && (size_t)length < reader->message_bytes)
        (void)vsnprintf(reader->message + length, reader->message_bytes - (size_t)length, format,
                        arguments);
    va_end(arguments);
    return false;
}

static const char *found(const struct reader *reader) {
    return reader->words[reader->next] ? reader->words[reader->next] : "the end of the line";
}

static bool accept(struct reader *reader, const char *word) {
    const char *next = reader->words[reader->next];
    if (!next || strcmp(next, word) != 0)
        return false;
    reader->next++;
    return true;
}

static bool read_number(struct reader *reader, const char *what, uint32_t least, uint32_t most,
                        uint32_t *value) {
    const char *text = reader->words[reader->next];
    char *end = NULL;
    errno = 0;
    const unsigned long long number = text ? strtoull(text, &end, 0) : 0;
    if (!text || !isdigit((unsigned char)*text) || *end || errno || number < least || number > most)
        return complain(reader, "expected %s from %u to %u, found %s", what, least, most,
                        found(reader));
    *value = (uint32_t)number;
    reader->next++;
    return true;
}

/* A function, and after it "on A" or "on B". */
static bool read_function(struct reader *reader, uint32_t *address, unsigned *core) {
    const char *name = reader->words[reader->next];
    if (!name)
        return complain(reader, "expected the name of a function, found %s", found(reader));
    reader->next++;
    *core = 0;
    if (accept(reader, "on") && !accept(reader, "A")) {
        if (!accept(reader, "B"))
            return complain(reader, "expected processor A or B, found %s", found(reader));
        *core = 1;
    }
    if (!tigon_symbols_value(reader->symbols[*core], name, address))
        return complain(reader,
                        "%s has no symbol %s that processor %c can reach: the compiler may have "
                        "dissolved it into its callers, so build the image with it out of line",
                        reader->image, name, "AB"[*core]);
    if (*address == 0 || *address % 4u != 0)
        return complain(reader, "%s is no function: its value is 0x%08x", name, *address);
    return true;
}

static bool read_end(const struct reader *reader) {
    return reader->words[reader->next] == NULL ||
           complain(reader, "expected the end of the line, found %s", found(reader));
}

/* The file has the table of a core with this charge at its end, and a copy of the step. */
static bool add_charge(struct reader *reader, unsigned core, struct tigon_charge *charge,
                       const char *step) {
    struct tigon_charge_file *file = reader->file;
    struct tigon_charge_table *table = &file->tables[core];
    if (table->count == TIGON_CHARGES)
        return complain(reader, "more than %u charges", TIGON_CHARGES);
    char *copy = strdup(step);
    if (!copy)
        return complain(reader, "out of memory");
    file->steps[core][table->count] = copy;
    charge->step = copy;
    file->charges[core][table->count++] = *charge;
    return true;
}

static bool read_executed(struct reader *reader, const char *step) {
    struct tigon_charge charge = {.place = TIGON_CHARGE_EXECUTED};
    unsigned core = 0;
    return read_function(reader, &charge.function, &core) && read_end(reader) &&
           add_charge(reader, core, &charge, step);
}

static bool read_argument(struct reader *reader, unsigned *argument) {
    if (!accept(reader, "argument"))
        return complain(reader, "expected argument and its number, found %s", found(reader));
    return read_number(reader, "the number of an argument", 1, 16, argument);
}

static bool read_charge(struct reader *reader, const char *step) {
    struct tigon_charge charge = {0};
    unsigned core = 0;
    if (!read_number(reader, "a number of cycles", 0, CYCLES_LIMIT, &charge.cycles))
        return false;
    charge.place = TIGON_CHARGE_BEFORE;
    if (accept(reader, "after"))
        charge.place = TIGON_CHARGE_AFTER;
    else if (!accept(reader, "before"))
        return complain(reader, "expected before or after, found %s", found(reader));
    if (!read_function(reader, &charge.function, &core))
        return false;
    if (accept(reader, "times")) {
        if (charge.place != TIGON_CHARGE_BEFORE)
            return complain(reader, "only a charge before its function is for so many units");
        if (!read_argument(reader, &charge.times))
            return false;
        if (accept(reader, "less") &&
            !read_number(reader, "a number of units", 1, UINT32_MAX, &charge.less))
            return false;
    }
    if (accept(reader, "if")) {
        if (!read_argument(reader, &charge.argument))
            return false;
        if (!accept(reader, "is"))
            return complain(reader, "expected is, found %s", found(reader));
        charge.not_value = accept(reader, "not");
        if (!read_number(reader, "a value", 0, UINT32_MAX, &charge.value))
            return false;
    }
    return read_end(reader) && add_charge(reader, core, &charge, step);
}

static bool read_idle(struct reader *reader) {
    uint32_t address = 0;
    unsigned core = 0;
    if (!read_function(reader, &address, &core))
        return false;
    reader->file->tables[core].idle = address;
    return read_end(reader);
}

static bool read_others(struct reader *reader) {
    if (accept(reader, "cost"))
        for (unsigned core = 0; core < CORES; core++)
            reader->file->tables[core].others_cost = true;
    else if (!accept(reader, "free"))
        return complain(reader, "expected free or cost, found %s", found(reader));
    return read_end(reader);
}

static bool read_line(struct reader *reader, char *text) {
    char *rest = NULL;
    char *step = NULL;
    size_t count = 0;
    text[strcspn(text, "#\n")] = 0;
    char *colon = strchr(text, ':');
    if (colon) {
        *colon = 0;
        step = colon + 1 + strspn(colon + 1, " \t");
        size_t length = strlen(step);
        while (length > 0 && isspace((unsigned char)step[length - 1]))
            step[--length] = 0;
    }
    for (char *word = strtok_r(text, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest)) {
        if (count == WORDS_LIMIT)
            return complain(reader, "expected at most %u words", WORDS_LIMIT);
        reader->words[count++] = word;
    }
    reader->words[count] = NULL;
    reader->next = 0;
    if (count == 0 && !step)
        return true;
    const bool charge = accept(reader, "charge");
    if (charge || accept(reader, "executed")) {
        if (!step || !*step)
            return complain(reader, "expected a colon and the step at the end");
        return charge ? read_charge(reader, step) : read_executed(reader, step);
    }
    if (step)
        return complain(reader, "only a charge names a step");
    if (accept(reader, "idle"))
        return read_idle(reader);
    if (accept(reader, "others"))
        return read_others(reader);
    return complain(reader, "expected charge, executed, idle or others, found %s", found(reader));
}

static int read_file(struct reader *reader, FILE *stream) {
    char *text = NULL;
    size_t room = 0;
    bool right = true;
    while (right && getline(&text, &room, stream) >= 0) {
        reader->line++;
        right = read_line(reader, text);
    }
    free(text);
    if (right && ferror(stream)) {
        (void)snprintf(reader->message, reader->message_bytes, "%s: cannot be read", reader->path);
        return -EIO;
    }
    if (right && reader->file->tables[0].count + reader->file->tables[1].count == 0)
        right = complain(reader, "expected at least one charge");
    return right ? 0 : -EINVAL;
}

int tigon_charge_file_read(struct tigon_charge_file **file, const char *path, const char *image,
                           char *message, size_t message_bytes) {
    struct tigon_symbols *symbols[CORES] = {NULL};
    struct tigon_charge_file *result = calloc(1, sizeof *result);
    int error = result ? 0 : -ENOMEM;
    for (unsigned core = 0; core < CORES && !error; core++) {
        error = tigon_symbols_load(&symbols[core], image, core);
        result->tables[core].charges = result->charges[core];
    }
    if (error) {
        (void)snprintf(message, message_bytes, "%s: %s", image, strerror(-error));
        tigon_symbols_free(symbols[0]);
        free(result);
        return error;
    }
    struct reader reader = {.file = result,
                            .symbols = {symbols[0], symbols[1]},
                            .path = path,
                            .image = image,
                            .message = message,
                            .message_bytes = message_bytes};
    FILE *stream = fopen(path, "r");
    if (stream) {
        error = read_file(&reader, stream);
        (void)fclose(stream);
    } else {
        error = -errno;
        (void)snprintf(message, message_bytes, "%s: %s", path, strerror(errno));
    }
    for (unsigned core = 0; core < CORES; core++)
        tigon_symbols_free(symbols[core]);
    if (error)
        tigon_charge_file_free(result);
    else
        *file = result;
    return error;
}

void tigon_charge_file_free(struct tigon_charge_file *file) {
    for (unsigned core = 0; file && core < CORES; core++)
        for (size_t i = 0; i < file->tables[core].count; i++)
            free(file->steps[core][i]);
    free(file);
}

const struct tigon_charge_table *tigon_charge_file_table(const struct tigon_charge_file *file,
                                                         unsigned core) {
    return &file->tables[core];
}

int tigon_charge_file_start(const struct tigon_charge_file *file, struct tigon_board *board,
                            struct tigon_charging *charging[2]) {
    int error = 0;
    charging[0] = charging[1] = NULL;
    for (unsigned core = 0; core < CORES && !error; core++)
        if (file->tables[core].count != 0)
            error = tigon_charging_start(&charging[core], board, core, &file->tables[core]);
    if (error) {
        tigon_charging_end(charging[0]);
        charging[0] = NULL;
    }
    return error;
}

void tigon_charge_file_place_all(struct tigon_charge_file *file, enum tigon_charge_place place) {
    for (unsigned core = 0; core < CORES; core++)
        for (size_t i = 0; i < file->tables[core].count; i++)
            if (file->charges[core][i].place != TIGON_CHARGE_EXECUTED)
                file->charges[core][i].place = place;
}
