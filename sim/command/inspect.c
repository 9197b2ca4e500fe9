/* SPDX-License-Identifier: MIT */
#include "sim/command/inspect.h"

#include "board/board_layout.h"
#include "sim/command/names.h"
#include "sim/core/memory.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* The trace of the Alteon firmware family (tigon2.md 10): where it is, and its records. */
    ALTEON_CURRENT = 0x250,
    ALTEON_START = 0x254,
    ALTEON_LENGTH = 0x258,
    ALTEON_RECORD = 32,
    ALTEON_TAG = 8,

    SHOWN_LIMIT = 4096 /* bytes of a dump without a file */
};

/* ------------------------------------------------------------------------------------------------
 * Dumps */

static void copy(const struct setup_board *board, const struct scenario_dump *dump,
                 uint8_t *bytes) {
    struct tigon_board *from = board->board;
    const uint32_t address = (uint32_t)dump->address;
    switch (dump->place) {
    case SCENARIO_SRAM:
        tigon_board_peek(from, address, bytes, dump->length);
        break;
    case SCENARIO_HOST_MEMORY:
        memcpy(bytes, tigon_host_pointer(tigon_board_host(from), dump->address), dump->length);
        break;
    default:
        for (uint32_t i = 0; i < dump->length; i += 4) {
            uint8_t word[4];
            uint32_t value = 0;
            if (dump->place == SCENARIO_REGISTER)
                value = tigon_board_peek_register(from, address + i);
            else
                (void)tigon_board_peek_scratchpad(from, dump->place == SCENARIO_SCRATCHPAD_B,
                                                  address + i, &value);
            tigon_store_be32(word, value);
            memcpy(bytes + i, word, dump->length - i < 4 ? dump->length - i : 4);
        }
        break;
    }
}

int inspect_write(const struct setup_board *board, FILE *complaints) {
    int status = 0;
    for (size_t i = 0; i < board->scenario->dump_count; i++) {
        const struct scenario_dump *dump = &board->scenario->dumps[i];
        if (!dump->file)
            continue;
        uint8_t *bytes = scenario_allocate(dump->length, 1);
        copy(board, dump, bytes);
        FILE *file = fopen(dump->file, "wb");
        bool good = file && fwrite(bytes, 1, dump->length, file) == dump->length;
        if (file && fclose(file) != 0)
            good = false;
        free(bytes);
        if (good)
            continue;
        (void)fprintf(complaints, "tigonsim: dump of board %s: %s cannot be written: %s\n",
                      board->scenario->name, dump->file, strerror(errno));
        status = -1;
    }
    return status;
}

static void print_lines(uint64_t address, const uint8_t *bytes, size_t length, FILE *stream) {
    for (size_t line = 0; line < length; line += 16) {
        (void)fprintf(stream, "  %08" PRIX64 " ", address + line);
        for (size_t i = line; i < line + 16; i++) {
            const char *gap = i % 4 == 0 ? " " : "";
            if (i < length)
                (void)fprintf(stream, "%s%02X", gap, bytes[i]);
            else
                (void)fprintf(stream, "%s  ", gap);
        }
        (void)fputs("  ", stream);
        for (size_t i = line; i < line + 16 && i < length; i++)
            (void)fputc(isprint(bytes[i]) ? bytes[i] : '.', stream);
        (void)fputc('\n', stream);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Traces. A record is given to `each`, oldest first. */

struct record {
    uint32_t microseconds;
    char name[80];
    uint32_t code;
    uint32_t arguments[4];
    unsigned argument_count;
    size_t order; /* of equal times */
};

typedef void (*each_record)(void *context, const struct record *record);

static void walk_transitions(const struct setup_board *board, each_record each, void *context) {
    const struct tigon_board *from = board->board;
    const uint32_t control = BOARD_CONTROL_ADDRESS;
    const uint32_t ring = tigon_board_peek32(from, control + 4 * BOARD_CONTROL_TRACE_WORD);
    const uint32_t entries =
        tigon_board_peek32(from, control + 4 * BOARD_CONTROL_TRACE_ENTRIES_WORD);
    const uint32_t next = tigon_board_peek32(from, control + 4 * BOARD_CONTROL_TRACE_NEXT_WORD);
    if (tigon_board_peek32(from, control + 4 * BOARD_CONTROL_MAGIC_WORD) != BOARD_CONTROL_MAGIC ||
        ring == 0 || entries == 0 || (entries & (entries - 1)) != 0)
        return;
    uint32_t count = next < entries ? next : entries;
    if (count > board->scenario->trace_records)
        count = (uint32_t)board->scenario->trace_records;
    for (uint32_t i = next - count; i != next; i++) {
        const uint32_t at = ring + BOARD_TRACE_RECORD_BYTES * (i & (entries - 1));
        const uint32_t word = tigon_board_peek32(from, at + 4);
        const char *name = names_transition(tigon_board_index(from), word >> 16);
        struct record record = {.microseconds = tigon_board_peek32(from, at),
                                .code = word >> 16,
                                .arguments = {word & 0xFFFF},
                                .argument_count = 1};
        (void)snprintf(record.name, sizeof record.name, "%s", name ? name : "?");
        each(context, &record);
    }
}

/* The pointer runs downwards and names the record written last, or the one to be written next:
 * the public record does not say. Records are put in order by their times. */
static int by_time(const void *left, const void *right) {
    const struct record *a = left;
    const struct record *b = right;
    const int32_t apart = (int32_t)(a->microseconds - b->microseconds);
    if (apart != 0)
        return apart > 0 ? 1 : -1;
    return (a->order > b->order) - (a->order < b->order);
}

static bool read_alteon(const struct tigon_board *board, uint32_t at, struct record *record) {
    uint8_t bytes[ALTEON_RECORD];
    tigon_board_peek(board, at, bytes, sizeof bytes);
    *record = (struct record){.code = tigon_load_be32(bytes + ALTEON_TAG),
                              .microseconds = tigon_load_be32(bytes + ALTEON_TAG + 4),
                              .argument_count = 4};
    for (unsigned i = 0; i < ALTEON_TAG; i++)
        record->name[i] = (char)(bytes[i] == 0 ? 0 : isprint(bytes[i]) ? bytes[i] : '.');
    for (unsigned i = 0; i < 4; i++)
        record->arguments[i] = tigon_load_be32(bytes + ALTEON_TAG + 8 + 4 * i);
    return record->name[0] != 0;
}

static void walk_alteon(const struct setup_board *board, each_record each, void *context) {
    const struct tigon_board *from = board->board;
    const uint32_t start = tigon_board_peek32(from, ALTEON_START);
    const uint32_t length = tigon_board_peek32(from, ALTEON_LENGTH);
    const uint32_t current = tigon_board_peek32(from, ALTEON_CURRENT);
    const uint32_t records = length / ALTEON_RECORD;
    if (start >= TIGON_SRAM_SPACE || length > TIGON_SRAM_SPACE || records == 0)
        return;
    struct record *all = scenario_allocate(records, sizeof *all);
    size_t count = 0;
    /* Upwards from the pointer is backwards in time; equal times keep that order reversed. */
    const uint32_t at = current - start < length ? (current - start) / ALTEON_RECORD : 0;
    for (uint32_t i = records; i-- > 0;)
        if (read_alteon(from, start + (at + i) % records * ALTEON_RECORD, &all[count])) {
            all[count].order = count;
            count++;
        }
    qsort(all, count, sizeof *all, by_time);
    const size_t wanted = board->scenario->trace_records;
    for (size_t i = count > wanted ? count - wanted : 0; i < count; i++)
        each(context, &all[i]);
    free(all);
}

static void walk(const struct setup_board *board, each_record each, void *context) {
    if (board->scenario->trace == SCENARIO_TRACE_TRANSITIONS)
        walk_transitions(board, each, context);
    if (board->scenario->trace == SCENARIO_TRACE_ALTEON)
        walk_alteon(board, each, context);
}

struct printing {
    FILE *stream;
    size_t records;
};

static void print_record(void *context, const struct record *record) {
    struct printing *printing = context;
    FILE *stream = printing->stream;
    printing->records++;
    (void)fprintf(stream, "  %10" PRIu32 " us  %4" PRIu32 "  %-44s", record->microseconds,
                  record->code, record->name);
    for (unsigned i = 0; i < record->argument_count; i++)
        (void)fprintf(stream, " %" PRIX32, record->arguments[i]);
    (void)fputc('\n', stream);
}

static void explain_no_records(const struct setup_board *board, FILE *stream) {
    const struct tigon_board *from = board->board;
    if (board->scenario->trace == SCENARIO_TRACE_TRANSITIONS)
        (void)fputs("  no records: the image has not begun its trace ring, or has none\n", stream);
    else
        (void)fprintf(
            stream,
            "  no records: the words at 0x%X (newest), 0x%X (start) and 0x%X (length) are "
            "%08" PRIX32 ", %08" PRIX32 " and %08" PRIX32 "\n",
            ALTEON_CURRENT, ALTEON_START, ALTEON_LENGTH, tigon_board_peek32(from, ALTEON_CURRENT),
            tigon_board_peek32(from, ALTEON_START), tigon_board_peek32(from, ALTEON_LENGTH));
}

void inspect_print(const struct setup_board *board, FILE *stream) {
    static const char *const places[] = {"SRAM", "scratchpad A", "scratchpad B", "host memory",
                                         "registers"};
    for (size_t i = 0; i < board->scenario->dump_count; i++) {
        const struct scenario_dump *dump = &board->scenario->dumps[i];
        if (dump->file)
            continue;
        const size_t shown = dump->length < SHOWN_LIMIT ? dump->length : SHOWN_LIMIT;
        uint8_t *bytes = scenario_allocate(dump->length, 1);
        copy(board, dump, bytes);
        (void)fprintf(stream, "%s: %s from 0x%" PRIX64 ", %" PRIu64 " bytes%s\n",
                      board->scenario->name, places[dump->place], dump->address, dump->length,
                      shown < dump->length ? "; the beginning (file = \"...\" takes all)" : "");
        print_lines(dump->address, bytes, shown, stream);
        free(bytes);
    }
    if (board->scenario->trace != SCENARIO_TRACE_NONE) {
        (void)fprintf(stream, "%s: trace\n", board->scenario->name);
        struct printing printing = {stream, 0};
        walk(board, print_record, &printing);
        if (printing.records == 0)
            explain_no_records(board, stream);
    }
}

static void add_record(void *context, const struct record *record) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "us", record->microseconds);
    cJSON_AddNumberToObject(object, "code", record->code);
    cJSON_AddStringToObject(object, "name", record->name);
    cJSON *arguments = cJSON_AddArrayToObject(object, "arguments");
    for (unsigned i = 0; i < record->argument_count; i++)
        cJSON_AddItemToArray(arguments, cJSON_CreateNumber(record->arguments[i]));
    cJSON_AddItemToArray(context, object);
}

void inspect_json(const struct setup_board *board, cJSON *object) {
    cJSON *dumps = NULL;
    for (size_t i = 0; i < board->scenario->dump_count; i++) {
        const struct scenario_dump *dump = &board->scenario->dumps[i];
        if (dump->file)
            continue;
        uint8_t *bytes = scenario_allocate(dump->length, 1);
        char *text = scenario_allocate(dump->length * 2 + 1, 1);
        copy(board, dump, bytes);
        for (size_t b = 0; b < dump->length; b++)
            (void)snprintf(text + 2 * b, 3, "%02x", bytes[b]);
        cJSON *entry = cJSON_CreateObject();
        cJSON_AddNumberToObject(entry, "address", (double)dump->address);
        cJSON_AddStringToObject(entry, "bytes", text);
        if (!dumps)
            dumps = cJSON_AddArrayToObject(object, "dumps");
        cJSON_AddItemToArray(dumps, entry);
        free(text);
        free(bytes);
    }
    if (board->scenario->trace != SCENARIO_TRACE_NONE)
        walk(board, add_record, cJSON_AddArrayToObject(object, "trace"));
}
