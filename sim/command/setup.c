#include "sim/command/setup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct tigon_board *board_of(const struct setup *setup, const struct scenario_end *end) {
    return setup->boards[end->index].board;
}

static int make_boards(struct setup *setup, const char *path, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    int status = 0;
    for (size_t i = 0; i < scenario->board_count; i++) {
        struct setup_board *board = &setup->boards[i];
        board->setup = setup;
        board->scenario = &scenario->boards[i];
        board->board = tigon_world_add_board_with(setup->world, &board->scenario->knobs);
        if (!board->board) {
            (void)fprintf(complaints, "%s:%u: board %s cannot be made: %s\n", path,
                          board->scenario->line, board->scenario->name, strerror(errno));
            return -1;
        }
        if (board->scenario->image.file && board->scenario->load != SCENARIO_LOAD_BY_PROGRAM &&
            image_read(&board->image, &board->scenario->image, board->problem,
                       sizeof board->problem)) {
            (void)fprintf(complaints, "%s:%u: image: %s\n", path, board->scenario->line,
                          board->problem);
            status = -1;
        }
    }
    return status;
}

static int make_wires(struct setup *setup, const char *path, FILE *complaints) {
    const struct scenario *scenario = setup->scenario;
    for (size_t i = 0; i < scenario->wire_count; i++) {
        const struct scenario_wire *wire = &scenario->wires[i];
        struct tigon_wire *made = tigon_world_connect(setup->world, board_of(setup, &wire->ends[0]),
                                                      board_of(setup, &wire->ends[1]));
        const int error = !made           ? errno
                          : wire->capture ? -tigon_wire_capture(made, wire->capture)
                                          : 0;
        if (!error)
            continue;
        (void)fprintf(complaints, "%s:%u: wire %s: %s\n", path, wire->line, wire->name,
                      strerror(error));
        return -1;
    }
    return 0;
}

static void program_ended(struct setup_program *program, int result) {
    struct setup *setup = program->setup;
    program->finished = true;
    program->result = result;
    program->end_ns = tigon_world_now_ns(setup->world);
    if (--setup->programs_left == 0 && setup->scenario->stop_with_programs)
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
        struct setup_program *program = &setup->programs[i];
        program->setup = setup;
        if (program_load(&program->program, &scenario->programs[i], problem, sizeof problem)) {
            (void)fprintf(complaints, "%s:%u: run: %s\n", path, scenario->programs[i].line,
                          problem);
            status = -1;
            continue;
        }
        (void)tigon_host_start(tigon_board_host(setup->boards[scenario->programs[i].board].board),
                               scenario->programs[i].name, run_program, program);
    }
    return status;
}

int setup_create(struct setup *setup, const struct scenario *scenario, const char *path,
                 FILE *complaints) {
    *setup = (struct setup){.scenario = scenario};
    setup->boards = calloc(scenario->board_count + 1, sizeof *setup->boards);
    setup->programs = calloc(scenario->program_count + 1, sizeof *setup->programs);
    if (!setup->boards || !setup->programs)
        abort();
    setup->world = tigon_world_create(&scenario->knobs, scenario->seed);
    if (!setup->world) {
        (void)fprintf(complaints, "%s: the knobs cannot be combined: %s\n", path, strerror(errno));
        return -1;
    }
    if (make_boards(setup, path, complaints) || make_wires(setup, path, complaints))
        return -1;
    return make_programs(setup, path, complaints);
}

int setup_finish(struct setup *setup, FILE *complaints) {
    (void)setup;
    (void)complaints;
    return 0;
}

void setup_destroy(struct setup *setup) {
    if (setup->world)
        tigon_world_destroy(setup->world);
    for (size_t i = 0; setup->boards && i < setup->scenario->board_count; i++)
        image_free(&setup->boards[i].image);
    for (size_t i = 0; setup->programs && i < setup->scenario->program_count; i++)
        program_unload(&setup->programs[i].program);
    free(setup->boards);
    free(setup->programs);
    *setup = (struct setup){0};
}
