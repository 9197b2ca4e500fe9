/* SPDX-License-Identifier: MIT */
#include "sim/command/program.h"

#include "sim/command/setup.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The file's content in a memory file: the loader takes equal files for one object, these not. */
static int copy_object(const char *path) {
    char block[65536];
    const int from = open(path, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return -errno;
    int error = 0;
    const int to = memfd_create("tigonsim program", MFD_CLOEXEC);
    if (to < 0)
        error = -errno;
    while (!error) {
        const ssize_t got = read(from, block, sizeof block);
        if (got == 0)
            break;
        if (got < 0 || write(to, block, (size_t)got) != got)
            error = errno ? -errno : -EIO;
    }
    (void)close(from);
    if (!error)
        return to;
    if (to >= 0)
        (void)close(to);
    return error;
}

static int load_object(struct program *program, char *problem, size_t problem_bytes) {
    const char *path = program->scenario->file;
    char name[64];
    program->descriptor = copy_object(path);
    if (program->descriptor < 0) {
        (void)snprintf(problem, problem_bytes, "%s: cannot be read: %s", path,
                       strerror(-program->descriptor));
        return -1;
    }
    (void)snprintf(name, sizeof name, "/proc/self/fd/%d", program->descriptor);
    program->object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!program->object) {
        /* dlerror begins with the name it was given. */
        const char *why = dlerror();
        const size_t length = strlen(name);
        if (why && strncmp(why, name, length) == 0 && strncmp(why + length, ": ", 2) == 0)
            why += length + 2;
        (void)snprintf(problem, problem_bytes, "%s: cannot be loaded: %s", path, why ? why : "?");
        return -1;
    }
    /* POSIX lets a function be stored this way; C itself has no such cast. */
    *(void **)&program->function = dlsym(program->object, "tigon_main");
    if (program->function)
        return 0;
    (void)snprintf(problem, problem_bytes,
                   "%s: exports no tigon_main; expected int tigon_main(struct tigon_host *, int, "
                   "char **)",
                   path);
    return -1;
}

int program_load(struct program *program, const struct scenario_program *scenario, char *problem,
                 size_t problem_bytes) {
    *program = (struct program){.scenario = scenario, .descriptor = -1};
    if (load_object(program, problem, problem_bytes))
        return -1;
    program->copies = calloc((size_t)scenario->argument_count + 1, sizeof *program->copies);
    if (!program->copies)
        abort();
    memcpy(program->copies, scenario->arguments,
           (size_t)scenario->argument_count * sizeof *program->copies);
    return 0;
}

void program_unload(struct program *program) {
    free(program->copies);
    if (program->object)
        (void)dlclose(program->object);
    if (program->descriptor >= 0)
        (void)close(program->descriptor);
    *program = (struct program){.descriptor = -1};
}

/* ------------------------------------------------------------------------------------------------
 * Functions that programs call */

void tigon_program_figure(struct tigon_host *host, const char *name, double value) {
    struct setup_board *board =
        setup_current ? &setup_current->boards[tigon_board_index(tigon_host_board(host))] : NULL;
    if (!board)
        return;
    if (!board->figures)
        board->figures = cJSON_CreateObject();
    cJSON_DeleteItemFromObject(board->figures, name);
    cJSON_AddNumberToObject(board->figures, name, value);
}
