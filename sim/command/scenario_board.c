/* SPDX-License-Identifier: MIT */
/* A board of a scenario: image, initial contents, watched words and dumps. */
#include "sim/command/scenario_read.h"

#include "sim/command/outputs.h"
#include "sim/command/suggest.h"
#include "sim/chip/eeprom.h"
#include "sim/core/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DATA_LIMIT = 16 << 20, /* bytes of one poke */
    REGISTERS_BYTES = 0x4000
};

#define WATCH_EVERY_NS  UINT64_C(1000)
#define TRACE_RECORDS   UINT64_C(40)
#define ADDRESS_LIMIT   UINT64_C(0x7FFFFF) /* of the SRAM window */
#define NO_LIMIT        UINT64_MAX
#define SCRATCHPAD_LAST (TIGON_SCRATCHPAD + TIGON_SCRATCHPAD_A_SIZE - 1)

/* Chooses one of `words` by member `name`. */
static bool choose(const struct reader *reader, const config_setting_t *group, const char *name,
                   const char *const *words, unsigned count, unsigned *choice) {
    const char *text;
    char expected[128] = "";
    if (!settings_text(reader->settings, group, name, &text))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(text, words[i]) == 0) {
            *choice = i;
            return true;
        }
    for (unsigned i = 0; i < count; i++)
        (void)snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s",
                       i == 0           ? ""
                       : i + 1 == count ? " or "
                                        : ", ",
                       words[i]);
    settings_complain(reader->settings, config_setting_get_member(group, name),
                      "%s: expected %s, found \"%.40s\"", name, expected, text);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Places and data */

static const char *const place_names[] = {"memory", "scratchpad_a", "scratchpad_b", "host_memory",
                                          "register"};
enum { PLACES = sizeof place_names / sizeof *place_names };

static uint64_t first_of(enum scenario_place place) {
    return place == SCENARIO_SCRATCHPAD_A || place == SCENARIO_SCRATCHPAD_B ? TIGON_SCRATCHPAD : 0;
}

/* Last address of a place of this board. */
static uint64_t last_of(const struct scenario_board *board, enum scenario_place place) {
    switch (place) {
    case SCENARIO_SRAM:
        return ADDRESS_LIMIT;
    case SCENARIO_SCRATCHPAD_A:
        return SCRATCHPAD_LAST;
    case SCENARIO_SCRATCHPAD_B:
        return TIGON_SCRATCHPAD + TIGON_SCRATCHPAD_B_SIZE - 1;
    case SCENARIO_HOST_MEMORY:
        return board->knobs.host_memory_base + board->knobs.host_memory_bytes - 1;
    default:
        return REGISTERS_BYTES - 1;
    }
}

/* Which place a group names, and its address. */
static bool read_place(const struct reader *reader, const config_setting_t *group,
                       const struct scenario_board *board, enum scenario_place *place,
                       uint64_t *address) {
    int found = -1;
    for (int i = 0; i < PLACES; i++) {
        const config_setting_t *member = config_setting_get_member(group, place_names[i]);
        if (!member)
            continue;
        if (found >= 0) {
            settings_complain(reader->settings, member, "%s: the place is given as %s already",
                              place_names[i], place_names[found]);
            return false;
        }
        found = i;
    }
    if (found < 0) {
        settings_complain(reader->settings, group,
                          "expected a place here: memory, register, host_memory, scratchpad_a or "
                          "scratchpad_b = ADDRESS");
        return false;
    }
    *place = (enum scenario_place)found;
    const uint64_t base = *place == SCENARIO_HOST_MEMORY ? board->knobs.host_memory_base : 0;
    const uint64_t first = first_of(*place) + base;
    if (!settings_number(reader->settings, group, place_names[found], first, last_of(board, *place),
                         address))
        return false;
    if (*place == SCENARIO_HOST_MEMORY || *place == SCENARIO_SRAM || *address % 4 == 0)
        return true;
    settings_complain(reader->settings, config_setting_get_member(group, place_names[found]),
                      "%s: expected a multiple of 4", place_names[found]);
    return false;
}

static bool data_from_numbers(const struct reader *reader, const config_setting_t *group,
                              const char *name, size_t size, bool little,
                              struct scenario_data *data) {
    const config_setting_t *list = settings_list(reader->settings, group, name);
    const unsigned count = list ? (unsigned)config_setting_length(list) : 0;
    bool good = list != NULL;
    data->bytes = scenario_allocate(count, size);
    for (unsigned i = 0; i < count; i++) {
        uint64_t value = 0;
        if (!settings_number_of(reader->settings, config_setting_get_elem(list, i), 0,
                                size == 4 ? UINT32_MAX : UINT8_MAX, &value))
            good = false;
        if (size == 4)
            tigon_store_be32(data->bytes + (size_t)i * 4,
                             little ? __builtin_bswap32((uint32_t)value) : (uint32_t)value);
        else
            data->bytes[i] = (uint8_t)value;
    }
    data->length = count * size;
    return good;
}

static bool data_from_file(const struct reader *reader, const config_setting_t *group,
                           struct scenario_data *data) {
    char *path = settings_path(reader->settings, group, "file");
    FILE *file = path ? fopen(path, "rb") : NULL;
    int error = file ? 0 : errno;
    if (file) {
        data->bytes = scenario_allocate(DATA_LIMIT, 1);
        errno = 0;
        data->length = fread(data->bytes, 1, DATA_LIMIT, file);
        error = ferror(file) ? (errno ? errno : EIO) : fgetc(file) != EOF ? EFBIG : 0;
        (void)fclose(file);
    }
    if (path && error)
        settings_complain(reader->settings, config_setting_get_member(group, "file"),
                          "%s: cannot be read: %s", path, strerror(error));
    free(path);
    return path && !error;
}

/* Bytes as `words`, `bytes`, `text`, `file` or `zeros`. */
static bool read_data(const struct reader *reader, const config_setting_t *group,
                      struct scenario_data *data) {
    static const char *const forms[] = {"words", "little_words", "bytes", "text",
                                        "file",  "zeros",        "value"};
    struct settings *settings = reader->settings;
    const char *form = NULL;
    const char *text;
    uint64_t number = 0;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const config_setting_t *member = config_setting_get_member(group, forms[i]);
        if (member && form) {
            settings_complain(settings, member, "%s: the content is given as %s already", forms[i],
                              form);
            return false;
        }
        if (member)
            form = forms[i];
    }
    if (!form) {
        settings_complain(settings, group,
                          "expected content here: value, words, little_words, bytes, text, file or "
                          "zeros");
        return false;
    }
    if (strcmp(form, "words") == 0)
        return data_from_numbers(reader, group, form, 4, false, data);
    if (strcmp(form, "little_words") == 0)
        return data_from_numbers(reader, group, form, 4, true, data);
    if (strcmp(form, "bytes") == 0)
        return data_from_numbers(reader, group, form, 1, false, data);
    if (strcmp(form, "file") == 0)
        return data_from_file(reader, group, data);
    if (strcmp(form, "zeros") == 0) {
        if (!settings_number(settings, group, form, 1, DATA_LIMIT, &number))
            return false;
        data->bytes = scenario_allocate(number, 1);
        data->length = number;
        return true;
    }
    if (strcmp(form, "value") == 0) {
        if (!settings_number(settings, group, form, 0, UINT32_MAX, &number))
            return false;
        data->bytes = scenario_allocate(1, 4);
        data->length = 4;
        tigon_store_be32(data->bytes, (uint32_t)number);
        return true;
    }
    if (!settings_text(settings, group, form, &text))
        return false;
    data->bytes = (uint8_t *)strdup(text);
    data->length = strlen(text);
    return true;
}

/* Whether `length` bytes at `address` lie in the place. */
static bool check_range(const struct reader *reader, const config_setting_t *group,
                        const struct scenario_board *board, enum scenario_place place,
                        uint64_t address, uint64_t length) {
    const uint64_t last = last_of(board, place);
    if (place == SCENARIO_REGISTER && length % 4 != 0) {
        settings_complain(reader->settings, group, "registers are words of 4 bytes, found %" PRIu64,
                          length);
        return false;
    }
    if (length == 0) {
        settings_complain(reader->settings, group, "expected at least one byte");
        return false;
    }
    if (length - 1 <= last - address)
        return true;
    settings_complain(reader->settings, group,
                      "%" PRIu64 " bytes from 0x%" PRIX64 " pass the end of %s at 0x%" PRIX64,
                      length, address, place_names[place], last);
    return false;
}

/* ------------------------------------------------------------------------------------------------
 * Lists of a board */

static const config_setting_t *list_of(const struct reader *reader, const config_setting_t *group,
                                       const char *name, unsigned *count) {
    const config_setting_t *list = settings_list(reader->settings, group, name);
    *count = list ? (unsigned)config_setting_length(list) : 0;
    return list;
}

static void read_pokes(const struct reader *reader, const config_setting_t *group,
                       struct scenario_board *board) {
    static const char *const names[] = {
        "memory", "scratchpad_a", "scratchpad_b", "host_memory", "register",
        "words",  "little_words", "bytes",        "text",        "file",
        "zeros",  "value",        "at",           NULL};
    unsigned count;
    const config_setting_t *list = list_of(reader, group, "poke", &count);
    board->pokes = scenario_allocate(count, sizeof *board->pokes);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_poke *poke = &board->pokes[board->poke_count++];
        if (!settings_check(reader->settings, element, "a poke", names))
            continue;
        poke->timed = settings_time(reader->settings, element, "at", &poke->at_ns);
        if (read_place(reader, element, board, &poke->place, &poke->address) &&
            read_data(reader, element, &poke->data))
            (void)check_range(reader, element, board, poke->place, poke->address,
                              poke->data.length);
    }
}

static const struct {
    const char *name;
    uint64_t bytes;
} memories[SCENARIO_MEMORIES] = {
    {"eeprom", TIGON_EEPROM_BYTES}, {"flash", TIGON_FLASH_SIZE}, {"prom", TIGON_PROM_SIZE}};

static void read_contents(const struct reader *reader, const config_setting_t *group,
                          enum scenario_memory memory, struct scenario_content *contents) {
    static const char *const names[] = {"address", "words", "little_words", "bytes", "text",
                                        "file",    "zeros", "value",        NULL};
    const uint64_t bytes = memories[memory].bytes;
    unsigned count;
    const config_setting_t *list = list_of(reader, group, memories[memory].name, &count);
    contents->pokes = scenario_allocate(count, sizeof *contents->pokes);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_poke *poke = &contents->pokes[contents->count++];
        if (!settings_check(reader->settings, element, "content of a memory", names))
            continue;
        (void)settings_number(reader->settings, element, "address", 0, bytes - 1, &poke->address);
        if (read_data(reader, element, &poke->data) && poke->data.length > bytes - poke->address)
            settings_complain(reader->settings, element,
                              "%zu bytes from 0x%" PRIX64 " pass the end of the %s, %" PRIu64
                              " bytes",
                              poke->data.length, poke->address, memories[memory].name, bytes);
    }
}

static void read_dumps(const struct reader *reader, const config_setting_t *group,
                       struct scenario_board *board) {
    static const char *const names[] = {"memory",   "scratchpad_a", "scratchpad_b", "host_memory",
                                        "register", "length",       "file",         NULL};
    unsigned count;
    const config_setting_t *list = list_of(reader, group, "dump", &count);
    board->dumps = scenario_allocate(count, sizeof *board->dumps);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_dump *dump = &board->dumps[board->dump_count++];
        if (!settings_check(reader->settings, element, "a dump", names) ||
            !read_place(reader, element, board, &dump->place, &dump->address))
            continue;
        dump->length = 4;
        dump->file = settings_path(reader->settings, element, "file");
        outputs_note(reader->settings, element, dump->file, "a dump of board %s", board->name);
        if (settings_number(reader->settings, element, "length", 1, NO_LIMIT, &dump->length))
            (void)check_range(reader, element, board, dump->place, dump->address, dump->length);
    }
}

static void read_watches(const struct reader *reader, const config_setting_t *group,
                         struct scenario_board *board) {
    static const char *const names[] = {"memory", "name", "every", NULL};
    unsigned count;
    const config_setting_t *list = list_of(reader, group, "watch", &count);
    board->watches = scenario_allocate(count, sizeof *board->watches);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        struct scenario_watch *watch = &board->watches[board->watch_count++];
        uint64_t address = 0;
        const char *name = NULL;
        watch->every_ns = WATCH_EVERY_NS;
        if (!settings_check(reader->settings, element, "a watched word", names) ||
            !settings_need(reader->settings, element, "memory"))
            continue;
        if (settings_number(reader->settings, element, "memory", 0, ADDRESS_LIMIT, &address) &&
            address % 4 != 0)
            settings_complain(reader->settings, element, "memory: expected a multiple of 4");
        watch->address = (uint32_t)address;
        if (settings_time(reader->settings, element, "every", &watch->every_ns) &&
            watch->every_ns == 0)
            settings_complain(reader->settings, element, "every: expected more than no time");
        if (settings_text(reader->settings, element, "name", &name))
            watch->name = strdup(name);
        else if (asprintf(&watch->name, "0x%05" PRIX64, address) < 0)
            watch->name = NULL;
    }
}

/* ------------------------------------------------------------------------------------------------
 * Image */

static void read_image(const struct reader *reader, const config_setting_t *group,
                       struct scenario_image *image) {
    static const char *const names[] = {"file", "format", "load", "start", "prefix", NULL};
    static const char *const formats[] = {"auto", "elf", "tg2", "raw", "header"};
    struct settings *settings = reader->settings;
    const config_setting_t *member = config_setting_get_member(group, "image");
    uint64_t address = 0;
    unsigned format = SCENARIO_IMAGE_BY_CONTENT;
    const char *prefix;
    if (!member)
        return;
    if (config_setting_get_string(member)) {
        image->file = settings_path(settings, group, "image");
        return;
    }
    if (!settings_check(settings, member, "an image", names) ||
        !settings_need(settings, member, "file"))
        return;
    image->file = settings_path(settings, member, "file");
    (void)choose(reader, member, "format", formats, 5, &format);
    image->format = (enum scenario_image_format)format;
    image->has_load = settings_number(settings, member, "load", 0, UINT32_MAX, &address);
    image->load = (uint32_t)address;
    image->has_start = settings_number(settings, member, "start", 0, UINT32_MAX, &address);
    image->start = (uint32_t)address;
    if (settings_text(settings, member, "prefix", &prefix))
        image->prefix = strdup(prefix);
    if (image->has_load && format != SCENARIO_IMAGE_RAW)
        settings_complain(settings, member,
                          "load: only an image of format \"raw\" needs a load address");
    if (!image->has_load && format == SCENARIO_IMAGE_RAW)
        settings_complain(settings, member, "a raw image needs a load address: load = 0x4000");
    if (image->prefix && format != SCENARIO_IMAGE_BY_CONTENT && format != SCENARIO_IMAGE_HEADER)
        settings_complain(settings, member, "prefix: only an image of format \"header\" has names");
}

void scenario_read_board(const struct reader *reader, const config_setting_t *group,
                         struct scenario_board *board) {
    static const char *const names[] = {
        "name", "knobs", "mac_address", "eeprom", "flash", "prom",          "image", "load",
        "at",   "poke",  "dump",        "watch",  "trace", "trace_records", NULL};
    static const char *const loads[] = {"program", "direct", "host"};
    static const char *const traces[] = {"none", "transitions", "alteon"};
    struct settings *settings = reader->settings;
    unsigned choice = 0;
    if (!settings_check(settings, group, "a board", names))
        return;
    scenario_knobs(reader, group, &board->knobs);
    board->has_mac_address =
        settings_mac_address(settings, group, "mac_address", board->mac_address);
    for (enum scenario_memory i = 0; i < SCENARIO_MEMORIES; i++)
        read_contents(reader, group, i, &board->contents[i]);
    read_image(reader, group, &board->image);
    if (choose(reader, group, "load", loads, 3, &choice))
        board->load = (enum scenario_load)choice;
    if (config_setting_get_member(group, "load") && !config_setting_get_member(group, "image"))
        settings_complain(settings, config_setting_get_member(group, "load"),
                          "load: the board has no image");
    (void)settings_time(settings, group, "at", &board->load_at_ns);
    read_pokes(reader, group, board);
    read_dumps(reader, group, board);
    read_watches(reader, group, board);
    choice = 0;
    (void)choose(reader, group, "trace", traces, 3, &choice);
    board->trace = (enum scenario_trace)choice;
    board->trace_records = TRACE_RECORDS;
    (void)settings_number(settings, group, "trace_records", 1, 1000000, &board->trace_records);
}

void scenario_free_board(struct scenario_board *board) {
    for (size_t i = 0; i < board->poke_count; i++)
        free(board->pokes[i].data.bytes);
    for (size_t m = 0; m < SCENARIO_MEMORIES; m++) {
        for (size_t i = 0; i < board->contents[m].count; i++)
            free(board->contents[m].pokes[i].data.bytes);
        free(board->contents[m].pokes);
    }
    for (size_t i = 0; i < board->dump_count; i++)
        free(board->dumps[i].file);
    for (size_t i = 0; i < board->watch_count; i++)
        free(board->watches[i].name);
    free(board->pokes);
    free(board->dumps);
    free(board->watches);
    free(board->image.file);
    free(board->image.prefix);
}
