/* SPDX-License-Identifier: MIT */
/* The top level of a scenario: knobs, boards, switches, wires, faults, programs. */
#include "sim/command/scenario_read.h"

#include "sim/command/knob_text.h"
#include "sim/command/outputs.h"
#include "sim/command/program.h"
#include "sim/command/suggest.h"
#include "sim/chip/eeprom.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { BOARDS_LIMIT = 256, PROGRAMS_LIMIT = 1024, OTHERS_LIMIT = 32, PORTS_LIMIT = 256 };

/* Ten years: the limit of a server without an end. */
#define ENDLESS_NS (UINT64_C(315360000) * 1000000000)

void *scenario_allocate(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) {
        (void)fputs("tigonsim: out of memory\n", stderr);
        abort();
    }
    return memory;
}

bool scenario_name(const struct reader *reader, const config_setting_t *group,
                   char name[SCENARIO_NAME_BYTES]) {
    const char *text;
    if (!settings_need(reader->settings, group, "name") ||
        !settings_text(reader->settings, group, "name", &text))
        return false;
    const size_t length = strlen(text);
    bool good = length > 0 && length < SCENARIO_NAME_BYTES;
    for (size_t i = 0; i < length; i++)
        good = good && (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.');
    if (!good) {
        settings_complain(reader->settings, config_setting_get_member(group, "name"),
                          "name: expected 1 to %d letters, digits, _ or ., found \"%.40s\"",
                          SCENARIO_NAME_BYTES - 1, text);
        return false;
    }
    memcpy(name, text, length + 1);
    return true;
}

static bool find_board(const struct scenario *scenario, const char *name, size_t *index) {
    for (size_t i = 0; i < scenario->board_count; i++)
        if (strcmp(scenario->boards[i].name, name) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static bool find_switch(const struct scenario *scenario, const char *name, size_t length,
                        size_t *index) {
    for (size_t i = 0; i < scenario->switch_count; i++)
        if (strlen(scenario->switches[i].name) == length &&
            memcmp(scenario->switches[i].name, name, length) == 0) {
            *index = i;
            return true;
        }
    return false;
}

static void complain_unknown(const struct reader *reader, const config_setting_t *at,
                             const char *what, const char *name) {
    const struct scenario *scenario = reader->scenario;
    const char *names[2 * BOARDS_LIMIT];
    size_t count = 0;
    for (size_t i = 0; i < scenario->board_count; i++)
        names[count++] = scenario->boards[i].name;
    for (size_t i = 0; i < scenario->switch_count; i++)
        names[count++] = scenario->switches[i].name;
    const char *meant = suggest(name, names, count);
    if (meant)
        settings_complain(reader->settings, at, "no %s %.40s; did you mean %s?", what, name, meant);
    else
        settings_complain(reader->settings, at, "no %s %.40s", what, name);
}

bool scenario_board_named(const struct reader *reader, const config_setting_t *group,
                          const char *name, size_t *board) {
    const char *text;
    const config_setting_t *member = settings_need(reader->settings, group, name);
    if (!member || !settings_text(reader->settings, group, name, &text))
        return false;
    if (find_board(reader->scenario, text, board))
        return true;
    complain_unknown(reader, member, "board", text);
    return false;
}

void scenario_knobs(const struct reader *reader, const config_setting_t *group,
                    struct tigon_knobs *knobs) {
    const config_setting_t *list = config_setting_get_member(group, "knobs");
    static const char *const none[] = {NULL};
    if (!list)
        return;
    if (!config_setting_is_group(list)) {
        (void)settings_check(reader->settings, list, "a group of knobs", none);
        return;
    }
    for (unsigned i = 0; i < (unsigned)config_setting_length(list); i++) {
        const config_setting_t *member = config_setting_get_elem(list, i);
        char value[64];
        char problem[KNOB_PROBLEM_BYTES];
        if (settings_as_text(reader->settings, member, value, sizeof value) &&
            knob_set(knobs, config_setting_name(member), value, problem))
            settings_complain(reader->settings, member, "%s", problem);
    }
}

/* ------------------------------------------------------------------------------------------------
 * Options */

/* Assignments that go to the world and every board. Those to one board have a dot in the name. */
static const char *board_prefix(const char *assignment) {
    const char *equals = strchr(assignment, '=');
    const char *dot = strchr(assignment, '.');
    return dot && equals && dot < equals ? dot : NULL;
}

static void complain_option(const struct reader *reader, const char *assignment,
                            const char *problem) {
    settings_complain_option(reader->settings, "--set %s: %s", assignment, problem);
}

static void assign_all(const struct reader *reader, struct tigon_knobs *knobs, bool complain) {
    const struct scenario_overrides *overrides = reader->overrides;
    char problem[KNOB_PROBLEM_BYTES];
    for (size_t i = 0; i < overrides->assignment_count; i++)
        if (!board_prefix(overrides->assignments[i]) &&
            knob_assign(knobs, overrides->assignments[i], problem) && complain)
            complain_option(reader, overrides->assignments[i], problem);
}

static void assign_boards(const struct reader *reader) {
    const struct scenario_overrides *overrides = reader->overrides;
    struct scenario *scenario = reader->scenario;
    char problem[KNOB_PROBLEM_BYTES];
    for (size_t i = 0; i < overrides->assignment_count; i++) {
        const char *assignment = overrides->assignments[i];
        const char *dot = board_prefix(assignment);
        bool found = !dot;
        for (size_t b = 0; b < scenario->board_count && dot; b++) {
            const char *name = scenario->boards[b].name;
            if (strlen(name) != (size_t)(dot - assignment) ||
                strncmp(name, assignment, strlen(name)) != 0)
                continue;
            found = true;
            if (knob_assign(&scenario->boards[b].knobs, dot + 1, problem))
                complain_option(reader, assignment, problem);
        }
        if (!found)
            complain_option(reader, assignment, "the scenario has no board of that name");
    }
}

/* ------------------------------------------------------------------------------------------------
 * Boards, switches, wires */

/* The list under `name` with at most `limit` elements, its length in `*count`. */
static const config_setting_t *counted(const struct reader *reader, const config_setting_t *root,
                                       const char *name, size_t limit, size_t *count) {
    const config_setting_t *list = settings_list(reader->settings, root, name);
    *count = list ? (size_t)config_setting_length(list) : 0;
    if (*count <= limit)
        return list;
    settings_complain(reader->settings, list, "%s: expected at most %zu, found %zu", name, limit,
                      *count);
    *count = 0;
    return NULL;
}

static bool name_is_taken(const struct reader *reader, const char *name) {
    size_t index;
    return find_board(reader->scenario, name, &index) ||
           find_switch(reader->scenario, name, strlen(name), &index);
}

/* Reads a name that no board or switch may have yet. */
static void new_name(const struct reader *reader, const config_setting_t *group,
                     char name[SCENARIO_NAME_BYTES]) {
    char text[SCENARIO_NAME_BYTES];
    if (!scenario_name(reader, group, text))
        return;
    if (name_is_taken(reader, text))
        settings_complain(reader->settings, config_setting_get_member(group, "name"),
                          "name: %s is taken already", text);
    else
        memcpy(name, text, sizeof text);
}

static void read_switches(const struct reader *reader, const config_setting_t *root) {
    static const char *const names[] = {"name", "ports", NULL};
    struct scenario *scenario = reader->scenario;
    size_t count;
    const config_setting_t *list = counted(reader, root, "switches", BOARDS_LIMIT, &count);
    scenario->switches = scenario_allocate(count, sizeof *scenario->switches);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *group = config_setting_get_elem(list, i);
        struct scenario_switch *box = &scenario->switches[i];
        uint64_t ports = 8;
        scenario->switch_count++; /* counted before it has a name: an empty name matches none */
        if (!settings_check(reader->settings, group, "a switch", names))
            continue;
        new_name(reader, group, box->name);
        (void)settings_number(reader->settings, group, "ports", 1, PORTS_LIMIT, &ports);
        box->ports = (unsigned)ports;
    }
}

/* What software finds in the EEPROM of a board. */
static void address_of(const struct scenario *scenario, size_t index, uint8_t address[6]) {
    const struct scenario_board *board = &scenario->boards[index];
    const struct scenario_content *eeprom = &board->contents[SCENARIO_EEPROM];
    if (board->has_mac_address)
        memcpy(address, board->mac_address, 6);
    else
        tigon_board_default_mac_address(index, address);
    for (size_t i = 0; i < eeprom->count; i++)
        for (size_t at = 0; at < eeprom->pokes[i].data.length; at++) {
            const uint64_t place = eeprom->pokes[i].address + at;
            if (place >= TIGON_EEPROM_MAC_ADDRESS && place < TIGON_EEPROM_MAC_ADDRESS + 6)
                address[place - TIGON_EEPROM_MAC_ADDRESS] = eeprom->pokes[i].data.bytes[at];
        }
}

/* Of the board that was read last: none before it may have its address. */
static void check_address(const struct reader *reader, const config_setting_t *group) {
    const struct scenario *scenario = reader->scenario;
    const size_t last = scenario->board_count - 1;
    uint8_t ours[6], other[6];
    address_of(scenario, last, ours);
    for (size_t i = 0; i < last; i++) {
        address_of(scenario, i, other);
        if (memcmp(ours, other, sizeof ours) != 0)
            continue;
        settings_complain(reader->settings, group,
                          "mac_address: board %s has %02x:%02x:%02x:%02x:%02x:%02x already; give "
                          "each board an address of its own",
                          scenario->boards[i].name, ours[0], ours[1], ours[2], ours[3], ours[4],
                          ours[5]);
        return;
    }
}

static void read_boards(const struct reader *reader, const config_setting_t *root) {
    struct scenario *scenario = reader->scenario;
    size_t count;
    const config_setting_t *list = counted(reader, root, "boards", BOARDS_LIMIT, &count);
    scenario->boards = scenario_allocate(count, sizeof *scenario->boards);
    if (!settings_need(reader->settings, root, "boards"))
        return;
    if (list && count == 0)
        settings_complain(reader->settings, list, "boards: expected at least one");
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *group = config_setting_get_elem(list, i);
        struct scenario_board *board = &scenario->boards[i];
        scenario->board_count++;
        board->knobs = scenario->knobs;
        board->line = config_setting_source_line(group);
        if (config_setting_is_group(group))
            new_name(reader, group, board->name);
        scenario_read_board(reader, group, board);
        assign_all(reader, &board->knobs, false);
        check_address(reader, group);
    }
}

/* "board", or "switch:port". */
static bool parse_end(const struct reader *reader, const config_setting_t *setting,
                      struct scenario_end *end) {
    const char *text = config_setting_get_string(setting);
    const char *colon = text ? strchr(text, ':') : NULL;
    if (!text) {
        settings_complain(reader->settings, setting,
                          "expected \"BOARD\" or \"SWITCH:PORT\" in quotes");
        return false;
    }
    *end = (struct scenario_end){0};
    if (!colon && find_board(reader->scenario, text, &end->index))
        return true;
    if (colon && find_switch(reader->scenario, text, (size_t)(colon - text), &end->index)) {
        char *after;
        const unsigned ports = reader->scenario->switches[end->index].ports;
        const unsigned long port = strtoul(colon + 1, &after, 10);
        if (!isdigit((unsigned char)colon[1]) || *after || port >= ports) {
            settings_complain(reader->settings, setting, "%s: the switch has the ports 0 to %u",
                              text, ports - 1);
            return false;
        }
        end->is_switch = true;
        end->port = (unsigned)port;
        return true;
    }
    if (!colon && find_switch(reader->scenario, text, strlen(text), &end->index))
        settings_complain(reader->settings, setting, "%s is a switch: say which port, \"%s:0\"",
                          text, text);
    else
        complain_unknown(reader, setting, colon ? "switch" : "board", text);
    return false;
}

static bool same_end(const struct scenario_end *a, const struct scenario_end *b) {
    return a->is_switch == b->is_switch && a->index == b->index && a->port == b->port;
}

static bool check_free(const struct reader *reader, const config_setting_t *setting,
                       const struct scenario_end *end) {
    const struct scenario *scenario = reader->scenario;
    for (size_t i = 0; i < scenario->wire_count; i++)
        for (unsigned side = 0; side < 2; side++)
            if (same_end(&scenario->wires[i].ends[side], end)) {
                settings_complain(reader->settings, setting,
                                  "%s has a wire already, the one of line %u",
                                  config_setting_get_string(setting), scenario->wires[i].line);
                return false;
            }
    return true;
}

static const char *end_name(const struct scenario *scenario, const struct scenario_end *end) {
    return end->is_switch ? scenario->switches[end->index].name : scenario->boards[end->index].name;
}

static bool read_wire(const struct reader *reader, const config_setting_t *group,
                      struct scenario_wire *wire) {
    static const char *const names[] = {"between", "capture", NULL};
    const struct scenario *scenario = reader->scenario;
    if (!settings_check(reader->settings, group, "a wire", names) ||
        !settings_need(reader->settings, group, "between"))
        return false;
    wire->line = config_setting_source_line(group);
    wire->capture = settings_path(reader->settings, group, "capture");
    const config_setting_t *ends = settings_list(reader->settings, group, "between");
    if (!ends)
        return false;
    if (config_setting_length(ends) != 2) {
        settings_complain(reader->settings, ends, "between: expected two ends, found %d",
                          config_setting_length(ends));
        return false;
    }
    bool good = true;
    for (unsigned side = 0; side < 2; side++) {
        const config_setting_t *setting = config_setting_get_elem(ends, side);
        good = parse_end(reader, setting, &wire->ends[side]) &&
               check_free(reader, setting, &wire->ends[side]) && good;
    }
    if (!good)
        return false;
    if (same_end(&wire->ends[0], &wire->ends[1])) {
        settings_complain(reader->settings, ends, "between: both ends are the same");
        return false;
    }
    (void)snprintf(wire->name, sizeof wire->name, "%s-%s", end_name(scenario, &wire->ends[0]),
                   end_name(scenario, &wire->ends[1]));
    outputs_note(reader->settings, config_setting_get_member(group, "capture"), wire->capture,
                 "the capture of wire %s", wire->name);
    return true;
}

static void read_wires(const struct reader *reader, const config_setting_t *root) {
    struct scenario *scenario = reader->scenario;
    size_t count;
    const config_setting_t *list = counted(reader, root, "wires", (size_t)BOARDS_LIMIT * 2, &count);
    scenario->wires = scenario_allocate(count, sizeof *scenario->wires);
    for (unsigned i = 0; i < count; i++) {
        struct scenario_wire *wire = &scenario->wires[scenario->wire_count];
        if (read_wire(reader, config_setting_get_elem(list, i), wire)) {
            scenario->wire_count++;
        } else {
            free(wire->capture);
            wire->capture = NULL;
        }
    }
}

/* Lines of sim/fault.h, each an element of the list. Their mistakes come up when the world is made.
 */
static void read_faults(const struct reader *reader, const config_setting_t *root) {
    struct scenario *scenario = reader->scenario;
    size_t bytes = 0;
    FILE *text = open_memstream(&scenario->faults, &bytes);
    const config_setting_t *list = settings_list(reader->settings, root, "faults");
    const unsigned count = list ? (unsigned)config_setting_length(list) : 0;
    if (!text)
        abort();
    scenario->fault_lines = scenario_allocate(count, sizeof *scenario->fault_lines);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        const char *line = config_setting_get_string(element);
        scenario->fault_lines[scenario->fault_count++] = settings_line(reader->settings, element);
        if (!line || strchr(line, '\n'))
            settings_complain(reader->settings, element,
                              "expected one fault in quotes, such as \"left->right: lose 1%%\"");
        (void)fprintf(text, "%s\n", line && !strchr(line, '\n') ? line : "");
    }
    (void)fclose(text);
}

/* ------------------------------------------------------------------------------------------------
 * Programs */

/* "$image" and the like within an argument. */
static char *expand(const struct reader *reader, const config_setting_t *setting,
                    const struct scenario_program *program, const char *text) {
    const struct scenario_board *board = &reader->scenario->boards[program->board];
    char *result = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&result, &bytes);
    if (!out)
        abort();
    while (*text) {
        size_t length = 1;
        if (*text != '$') {
            (void)fputc(*text++, out);
            continue;
        }
        while (islower((unsigned char)text[length]))
            length++;
        const size_t name = length - 1;
        if (text[1] == '$') {
            (void)fputc('$', out);
            length = 2;
        } else if (name == 5 && memcmp(text + 1, "image", 5) == 0) {
            if (!board->image.file)
                settings_complain(reader->settings, setting, "$image: board %s has no image",
                                  board->name);
            else
                (void)fputs(board->image.file, out);
        } else if (name == 5 && memcmp(text + 1, "board", 5) == 0) {
            (void)fprintf(out, "%zu", program->board);
        } else if (name == 4 && memcmp(text + 1, "seed", 4) == 0) {
            (void)fprintf(out, "%llu", (unsigned long long)reader->scenario->seed);
        } else if (name == 9 && memcmp(text + 1, "directory", 9) == 0) {
            const char *directory = reader->settings->directory;
            (void)fputs(*directory ? directory : "./", out);
        } else {
            settings_complain(reader->settings, setting,
                              "%.*s: expected $image, $board, $seed, $directory or $$", (int)length,
                              text);
        }
        text += length;
    }
    (void)fclose(out);
    return result;
}

static void read_arguments(const struct reader *reader, const config_setting_t *group,
                           struct scenario_program *program) {
    const config_setting_t *list = settings_list(reader->settings, group, "arguments");
    const unsigned count = list ? (unsigned)config_setting_length(list) : 0;
    program->arguments = scenario_allocate(count + 2, sizeof *program->arguments);
    program->arguments[0] = strdup(program->name);
    for (unsigned i = 0; i < count; i++) {
        const config_setting_t *element = config_setting_get_elem(list, i);
        char text[64] = "";
        const char *whole = config_setting_get_string(element);
        if (!whole && settings_as_text(reader->settings, element, text, sizeof text))
            whole = text;
        program->arguments[i + 1] = expand(reader, element, program, whole ? whole : text);
    }
    program->argument_count = (int)count + 1;
}

static void read_object(const struct reader *reader, const config_setting_t *group,
                        struct scenario_program *program) {
    const char *text;
    const config_setting_t *member = settings_need(reader->settings, group, "run");
    if (!member || !settings_text(reader->settings, group, "run", &text))
        return;
    const size_t length = strlen(text);
    if (strchr(text, '/') || (length > 3 && strcmp(text + length - 3, ".so") == 0))
        program->file = settings_path(reader->settings, group, "run");
    else
        settings_complain(reader->settings, member,
                          "run: expected a shared object (file.so), found \"%.40s\"", text);
}

static void read_program(const struct reader *reader, const config_setting_t *group,
                         struct scenario_program *program) {
    static const char *const names[] = {"name",  "board",  "run", "arguments",
                                        "start", "expect", NULL};
    struct settings *settings = reader->settings;
    if (!settings_check(settings, group, "a program", names))
        return;
    program->line = config_setting_source_line(group);
    const bool known = scenario_board_named(reader, group, "board", &program->board);
    if (config_setting_get_member(group, "name"))
        (void)scenario_name(reader, group, program->name);
    else if (known)
        (void)snprintf(program->name, sizeof program->name, "%s",
                       reader->scenario->boards[program->board].name);
    read_object(reader, group, program);
    if (known)
        read_arguments(reader, group, program);
    (void)settings_time(settings, group, "start", &program->start_ns);
    const config_setting_t *expect = config_setting_get_member(group, "expect");
    if (expect && config_setting_type(expect) != CONFIG_TYPE_INT)
        settings_complain(settings, expect, "expect: expected the number the program returns");
    else if (expect)
        program->expect = config_setting_get_int(expect);
}

static void read_programs(const struct reader *reader, const config_setting_t *root) {
    struct scenario *scenario = reader->scenario;
    size_t count;
    const config_setting_t *list = counted(reader, root, "programs", PROGRAMS_LIMIT, &count);
    scenario->programs = scenario_allocate(count, sizeof *scenario->programs);
    for (unsigned i = 0; i < count; i++) {
        scenario->program_count++;
        read_program(reader, config_setting_get_elem(list, i), &scenario->programs[i]);
    }
}

/* The simulator loads the image of a board that no program loads. */
static void decide_loading(const struct scenario *scenario) {
    for (size_t i = 0; i < scenario->board_count; i++) {
        bool has_program = false;
        for (size_t p = 0; p < scenario->program_count; p++)
            has_program = has_program || scenario->programs[p].board == i;
        if (scenario->boards[i].load == SCENARIO_LOAD_BY_PROGRAM && !has_program &&
            scenario->boards[i].image.file)
            scenario->boards[i].load = SCENARIO_LOAD_DIRECT;
    }
}

static void check_top(const struct reader *reader, const config_setting_t *root,
                      const char *const *others) {
    static const char *const own[] = {"title",  "seed",     "knobs", "boards", "switches", "wires",
                                      "faults", "programs", "stop",  "expect", NULL};
    const char *names[OTHERS_LIMIT + sizeof own / sizeof *own];
    size_t count = 0;
    for (size_t i = 0; own[i]; i++)
        names[count++] = own[i];
    for (size_t i = 0; others[i] && i < OTHERS_LIMIT; i++)
        names[count++] = others[i];
    names[count] = NULL;
    (void)settings_check(reader->settings, root, "a scenario", names);
}

void scenario_read(struct scenario *scenario, struct settings *settings,
                   const struct scenario_overrides *overrides, const char *const *others) {
    const struct reader reader = {scenario, settings, overrides};
    const config_setting_t *root = settings_root(settings);
    const char *title = settings->path;
    *scenario = (struct scenario){.seed = 1, .stop_ns = UINT64_MAX, .ending = -1};
    tigon_knobs_defaults(&scenario->knobs);
    check_top(&reader, root, others);
    (void)settings_text(settings, root, "title", &title);
    scenario->title = strdup(title);
    (void)settings_number(settings, root, "seed", 0, UINT64_MAX, &scenario->seed);
    if (overrides->has_seed)
        scenario->seed = overrides->seed;
    scenario_knobs(&reader, root, &scenario->knobs);
    assign_all(&reader, &scenario->knobs, true);
    read_boards(&reader, root);
    read_switches(&reader, root);
    assign_boards(&reader);
    read_wires(&reader, root);
    read_faults(&reader, root);
    read_programs(&reader, root);
    decide_loading(scenario);
    scenario->stop_with_programs = scenario->program_count > 0;
    scenario->stop_with_failure = true;
    scenario_read_stop(&reader, root);
    if (overrides->has_until)
        scenario->stop_ns = overrides->until_ns;
    if (!scenario->stop_with_programs && scenario->stop_ns == UINT64_MAX &&
        scenario->stop_count == 0 && settings->mistakes == 0) {
        if (overrides->endless)
            scenario->stop_ns = ENDLESS_NS;
        else
            settings_complain(settings, root,
                              "nothing ends this scenario: give it programs, stop.time or --until");
    }
    scenario_read_expect(&reader, root);
}

void scenario_free(struct scenario *scenario) {
    for (size_t i = 0; i < scenario->board_count; i++)
        scenario_free_board(&scenario->boards[i]);
    for (size_t i = 0; i < scenario->wire_count; i++)
        free(scenario->wires[i].capture);
    for (size_t i = 0; i < scenario->program_count; i++) {
        struct scenario_program *program = &scenario->programs[i];
        for (int a = 0; a < program->argument_count; a++)
            free(program->arguments[a]);
        free(program->arguments);
        free(program->file);
    }
    for (size_t i = 0; i < scenario->stop_count; i++)
        free(scenario->stops[i].symbol);
    free(scenario->stops);
    free(scenario->expects);
    free(scenario->title);
    free(scenario->boards);
    free(scenario->switches);
    free(scenario->wires);
    free(scenario->faults);
    free(scenario->fault_lines);
    free(scenario->programs);
    *scenario = (struct scenario){0};
}
