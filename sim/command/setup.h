/* A scenario's world: made, started and taken apart again. */
#ifndef SIM_COMMAND_SETUP_H
#define SIM_COMMAND_SETUP_H

#include "sim/command/image.h"
#include "sim/command/program.h"
#include "sim/command/scenario.h"

struct setup;

/* A program of the scenario in its world. */
struct setup_program {
    struct setup *setup;
    struct program program;
    bool started;
    bool finished;
    int result;
    uint64_t end_ns;
};

/* What the simulator does to a board by itself. */
struct setup_board {
    struct setup *setup;
    const struct scenario_board *scenario;
    struct tigon_board *board;
    struct image image; /* empty when the board has none or loads it itself */
    bool failed;        /* the loader gave up; `problem` says why */
    char problem[256];
};

struct setup {
    const struct scenario *scenario;
    struct tigon_world *world;
    struct setup_board *boards;
    struct setup_program *programs;
    size_t programs_left;
};

/* Makes the world. 0, or -1 after error lines on `complaints`. Call setup_destroy in every case. */
int setup_create(struct setup *setup, const struct scenario *scenario, const char *path,
                 FILE *complaints);
void setup_destroy(struct setup *setup);

/* Closes captures. 0, or -1 after error lines. */
int setup_finish(struct setup *setup, FILE *complaints);

#endif
