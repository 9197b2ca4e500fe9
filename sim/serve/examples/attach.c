/* SPDX-License-Identifier: MIT */
/* A host program of a scenario as a process of its own:
 *
 *     build/tigonsim serve sim/serve/examples/emp.scenario &
 *     build/tigon_attach right.sock emp-pong --image=build/firmware/emp_a.elf --peer=0 &
 *     build/tigon_attach left.sock emp-ping --image=build/firmware/emp_a.elf --peer=1
 *
 * PROGRAM is one of emp-ping, emp-pong and emp-exchange, whose sources are the ones of tigonsim, or
 * a shared object with tigon_main (sim/program.h), given as a path with a slash. What a program
 * reports as figures is printed. Exit status: 0 when the program returned 0, 1 when not, 2 when it
 * could not begin. */
#include "host/demo/pair.h"
#include "host/programs/programs.h"
#include "sim/program.h"
#include "sim/serve/client/remote_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*function)(struct tigon_host *host, int argc, char **argv);
} programs[] = {
    {"emp-ping", program_emp_ping},
    {"emp-pong", program_emp_pong},
    {"emp-exchange", program_emp_exchange},
};

enum { PROGRAM_COUNT = sizeof programs / sizeof *programs, CANNOT_BEGIN = 2 };

void tigon_program_figure(struct tigon_host *host, const char *name, double value) {
    (void)host;
    (void)printf("%s %.17g\n", name, value);
}

/* The one of host/demo/pair.c, without a pair. */
int pair_fail(struct pair_side *side, int error, const char *what) {
    if (error < 0 && !side->message[0])
        (void)snprintf(side->message, sizeof side->message, "%s",
                       what ? what : libemp_message(side->board));
    return error;
}

static int load(const char *path, int (**function)(struct tigon_host *, int, char **)) {
    void *object = dlopen(path, RTLD_NOW);
    void *symbol = object ? dlsym(object, "tigon_main") : NULL;
    if (!symbol) {
        (void)fprintf(stderr, "tigon_attach: %s\n", dlerror());
        return -1;
    }
    memcpy(function, &symbol, sizeof symbol);
    return 0;
}

static int find(const char *name, int (**function)(struct tigon_host *, int, char **)) {
    if (strchr(name, '/'))
        return load(name, function);
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        if (strcmp(programs[i].name, name) == 0) {
            *function = programs[i].function;
            return 0;
        }
    (void)fprintf(stderr, "tigon_attach: no program %s; there are", name);
    for (size_t i = 0; i < PROGRAM_COUNT; i++)
        (void)fprintf(stderr, "%s %s", i ? "," : "", programs[i].name);
    (void)fputs(", and shared objects by a path with a slash\n", stderr);
    return -1;
}

int main(int argc, char **argv) {
    int (*function)(struct tigon_host * host, int argc, char **argv);
    struct tigon_client *client;
    if (argc < 3 || strcmp(argv[1], "--help") == 0) {
        (void)fputs("Usage: tigon_attach SOCKET PROGRAM [ARGUMENTS...]\n"
                    "Runs a host program on a board of `tigonsim serve`.\n",
                    argc < 3 ? stderr : stdout);
        return argc < 3 ? CANNOT_BEGIN : 0;
    }
    if (find(argv[2], &function) != 0)
        return CANNOT_BEGIN;
    if (tigon_client_open(&client, argv[1], 0) != 0) {
        (void)fprintf(stderr, "tigon_attach: %s\n", tigon_client_open_message());
        return CANNOT_BEGIN;
    }
    struct tigon_host *host = tigon_remote_host(client);
    const int result = host ? function(host, argc - 2, argv + 2) : CANNOT_BEGIN;
    if (host)
        tigon_remote_host_free(host);
    tigon_client_close(client);
    return host && result ? 1 : result;
}
