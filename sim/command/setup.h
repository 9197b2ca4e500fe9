/* SPDX-License-Identifier: MIT */
/* A scenario's world: made, started and taken apart again. */
#ifndef SIM_COMMAND_SETUP_H
#define SIM_COMMAND_SETUP_H

#include "sim/command/image.h"
#include "sim/command/program.h"
#include "sim/command/scenario.h"

#include <cjson/cJSON.h>

struct names;
struct setup;
struct timed;

/* A program of the scenario in its world. */
struct setup_program {
    struct setup *setup;
    struct program program;
    bool started;
    bool finished;
    int result;
    uint64_t end_ns;
};

/* The simulator's own actions on a board. */
struct setup_board {
    struct setup *setup;
    const struct scenario_board *scenario;
    struct tigon_board *board;
    struct names *names; /* in the image, or NULL */
    struct image image;  /* empty when the board has none or loads it itself */
    struct timed *timed; /* loader.c: one a poke */
    bool failed;         /* the loader gave up; `problem` has the reason */
    char problem[256];
    cJSON *figures; /* figures of programs: name and number, NULL before the first */
};

struct setup {
    const struct scenario *scenario;
    struct tigon_world *world;
    struct setup_board *boards;
    struct tigon_switch **switches;
    struct tigon_wire **wires;
    struct setup_program *programs;
    size_t programs_left;
    bool failed; /* something happened that ends the run early */
};

/* Makes the world. 0, or -1 after error lines on `complaints`. Call setup_destroy in every case. */
int setup_create(struct setup *setup, const struct scenario *scenario, const char *path,
                 FILE *complaints);
void setup_destroy(struct setup *setup);

enum { SETUP_PATH_BYTES = 4096 };
/* The file in `directory` that the wire gets by setup_capture. */
void setup_capture_path(char path[SETUP_PATH_BYTES], const char *directory,
                        const struct scenario_wire *wire);
/* Captures every wire in a file of its own. 0, or -1 after error lines. */
int setup_capture(struct setup *setup, const char *directory, FILE *complaints);

/* Closes captures. 0, or -1 after error lines. */
int setup_finish(struct setup *setup, FILE *complaints);

/* The present world, for functions that programs call. */
extern struct setup *setup_current;

#endif
