/* SPDX-License-Identifier: MIT */
#include "sim/command/setup.h"

#include "sim/command/loader.h"
#include "sim/command/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FAULT_MESSAGES = 8192 };

struct setup *setup_current; /* for programs, which only have a pointer to their host */

static int make_boards(struct setup *setup, const char *path, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    int status = 0;
    for (size_t i = 0; i < scenario->board_count; i++) {
        struct setup_board *board = &setup->boards[i];
        const struct scenario_board *from = &scenario->boards[i];
        board->setup = setup;
        board->scenario = from;
        board->board = tigon_world_add_board_with(setup->world, &from->knobs);
        if (!board->board) {
            (void)fprintf(complaints, "%s:%u: board %s: its knobs cannot be combined: %s\n", path,
                          from->line, from->name, strerror(errno));
            return -1;
        }
        (void)tigon_board_set_name(board->board, from->name);
        if (from->image.file)
            board->names = names_read(from->image.file);
        if (from->image.file && from->load != SCENARIO_LOAD_BY_PROGRAM &&
            image_read(&board->image, &from->image, board->problem, sizeof board->problem)) {
            (void)fprintf(complaints, "%s:%u: image: %s\n", path, from->line, board->problem);
            status = -1;
            continue;
        }
        loader_prepare(board);
    }
    return status;
}

static void make_switches(struct setup *setup) {
    const struct scenario *scenario = setup->scenario;
    for (size_t i = 0; i < scenario->switch_count; i++) {
        setup->switches[i] = tigon_world_add_switch(setup->world, scenario->switches[i].ports);
        if (!setup->switches[i])
            abort(); /* the number of ports was checked */
        (void)tigon_switch_set_name(setup->switches[i], scenario->switches[i].name);
    }
}

static struct tigon_wire *connect(const struct setup *setup, const struct scenario_wire *wire) {
    const struct scenario_end *left = &wire->ends[0];
    const struct scenario_end *right = &wire->ends[1];
    if (left->is_switch && right->is_switch)
        return tigon_world_connect_switches(setup->world, setup->switches[left->index], left->port,
                                            setup->switches[right->index], right->port);
    if (left->is_switch)
        return tigon_world_connect_port(setup->world, setup->boards[right->index].board,
                                        setup->switches[left->index], left->port);
    if (right->is_switch)
        return tigon_world_connect_port(setup->world, setup->boards[left->index].board,
                                        setup->switches[right->index], right->port);
    return tigon_world_connect(setup->world, setup->boards[left->index].board,
                               setup->boards[right->index].board);
}

static int make_wires(struct setup *setup, const char *path, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    for (size_t i = 0; i < scenario->wire_count; i++) {
        const struct scenario_wire *wire = &scenario->wires[i];
        setup->wires[i] = connect(setup, wire);
        if (!setup->wires[i]) {
            (void)fprintf(complaints, "%s:%u: wire %s: %s\n", path, wire->line, wire->name,
                          errno == ELOOP ? "frames could run in circles: there is no spanning tree"
                                         : strerror(errno));
            return -1;
        }
        const int error = wire->capture ? tigon_wire_capture(setup->wires[i], wire->capture) : 0;
        if (error) {
            (void)fprintf(complaints, "%s:%u: capture: %s: %s\n", path, wire->line, wire->capture,
                          strerror(-error));
            return -1;
        }
    }
    return 0;
}

static int make_faults(const struct setup *setup, const char *path, FILE *complaints) {
    char messages[FAULT_MESSAGES] = "";
    const struct scenario *scenario = setup->scenario;
    if (!scenario->faults || !*scenario->faults)
        return 0;
    if (tigon_world_add_faults(setup->world, scenario->faults, "faults", messages,
                               sizeof messages) >= 0)
        return 0;
    /* The text is a list of its own: its lines are counted from where the scenario begins it. */
    for (char *line = messages; *line;) {
        unsigned number = 0;
        unsigned column = 0;
        int at = 0;
        char *end = line + strcspn(line, "\n");
        const bool more = *end != 0;
        *end = 0;
        if (sscanf(line, "faults:%u:%u: %n", &number, &column, &at) == 2 && at > 0 && number >= 1 &&
            number <= scenario->fault_count)
            (void)fprintf(complaints, "%s:%u: fault, column %u: %s\n", path,
                          scenario->fault_lines[number - 1], column, line + at);
        else
            (void)fprintf(complaints, "%s: %s\n", path, line);
        line = more ? end + 1 : end;
    }
    return -1;
}

static void program_ended(struct setup_program *program, int result) {
    struct setup *setup = program->setup;
    program->finished = true;
    program->result = result;
    program->end_ns = tigon_world_now_ns(setup->world);
    setup->programs_left--;
    if (result != program->program.scenario->expect && setup->scenario->stop_with_failure)
        setup->failed = true;
    if (setup->failed || (setup->programs_left == 0 && setup->scenario->stop_with_programs))
        tigon_world_stop(setup->world);
}

static int run_program(struct tigon_host *host, void *argument) {
    struct setup_program *program = argument;
    const struct scenario_program *scenario = program->program.scenario;
    if (scenario->start_ns > 0)
        tigon_host_sleep_ns(host, scenario->start_ns);
    program->started = true;
    const int result =
        program->program.function(host, scenario->argument_count, program->program.copies);
    program_ended(program, result);
    return result;
}

static int make_programs(struct setup *setup, const char *path, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    char problem[512];
    int status = 0;
    setup->programs_left = scenario->program_count;
    for (size_t i = 0; i < scenario->program_count; i++) {
        const struct scenario_program *from = &scenario->programs[i];
        struct setup_program *program = &setup->programs[i];
        program->setup = setup;
        if (program_load(&program->program, from, problem, sizeof problem)) {
            (void)fprintf(complaints, "%s:%u: run: %s\n", path, from->line, problem);
            status = -1;
            continue;
        }
        (void)tigon_host_start(tigon_board_host(setup->boards[from->board].board), from->name,
                               run_program, program);
    }
    return status;
}

int setup_create(struct setup *setup, const struct scenario *scenario, const char *path,
                 FILE *complaints) {
    *setup = (struct setup){.scenario = scenario};
    setup->boards = scenario_allocate(scenario->board_count, sizeof *setup->boards);
    setup->switches = scenario_allocate(scenario->switch_count, sizeof(struct tigon_switch *));
    setup->wires = scenario_allocate(scenario->wire_count, sizeof(struct tigon_wire *));
    setup->programs = scenario_allocate(scenario->program_count, sizeof *setup->programs);
    setup_current = setup;
    setup->world = tigon_world_create(&scenario->knobs, scenario->seed);
    if (!setup->world) {
        (void)fprintf(complaints, "%s: the knobs cannot be combined: %s\n", path, strerror(errno));
        return -1;
    }
    tigon_world_set_run_on(setup->world, true);
    make_switches(setup);
    const int boards = make_boards(setup, path, complaints);
    if (setup->scenario->board_count && !setup->boards[setup->scenario->board_count - 1].board)
        return -1; /* one could not be made */
    if (make_wires(setup, path, complaints) || make_faults(setup, path, complaints) || boards)
        return -1;
    return make_programs(setup, path, complaints);
}

void setup_capture_path(char path[SETUP_PATH_BYTES], const char *directory,
                        const struct scenario_wire *wire) {
    (void)snprintf(path, SETUP_PATH_BYTES, "%s/%s.pcapng", directory, wire->name);
}

int setup_capture(struct setup *setup, const char *directory, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    if (mkdir(directory, 0777) && errno != EEXIST) {
        (void)fprintf(complaints, "tigonsim: %s: cannot be made: %s\n", directory, strerror(errno));
        return -1;
    }
    for (size_t i = 0; i < scenario->wire_count; i++) {
        char path[SETUP_PATH_BYTES];
        setup_capture_path(path, directory, &scenario->wires[i]);
        const int error = tigon_wire_capture(setup->wires[i], path);
        if (error && error != -EBUSY) { /* the scenario captures it elsewhere */
            (void)fprintf(complaints, "tigonsim: %s: %s\n", path, strerror(-error));
            return -1;
        }
    }
    return 0;
}

int setup_finish(struct setup *setup, FILE *complaints) {
    int status = 0;
    for (size_t i = 0; i < setup->scenario->wire_count; i++) {
        const int error = tigon_wire_end_capture(setup->wires[i]);
        if (!error)
            continue;
        (void)fprintf(complaints, "tigonsim: capture of wire %s: %s\n",
                      setup->scenario->wires[i].name, strerror(-error));
        status = -1;
    }
    return status;
}

void setup_destroy(struct setup *setup) {
    if (setup->world)
        tigon_world_destroy(setup->world);
    for (size_t i = 0; setup->boards && i < setup->scenario->board_count; i++) {
        image_free(&setup->boards[i].image);
        names_free(setup->boards[i].names);
        free(setup->boards[i].timed);
        cJSON_Delete(setup->boards[i].figures);
    }
    for (size_t i = 0; setup->programs && i < setup->scenario->program_count; i++)
        program_unload(&setup->programs[i].program);
    free(setup->boards);
    free(setup->switches);
    free(setup->wires);
    free(setup->programs);
    *setup = (struct setup){0};
    setup_current = NULL;
}
