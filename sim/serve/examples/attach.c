/* SPDX-License-Identifier: MIT */
/* A host program of a scenario as a process of its own:
 *
 *     image=build/firmware/emp_a.elf
 *     build/tigonsim serve sim/serve/examples/emp.scenario &
 *     build/tigon_attach right.sock build/emp/host.so pong --image=$image --peer=0 &
 *     build/tigon_attach left.sock build/emp/host.so ping --image=$image --peer=1
 *
 * PROGRAM is a shared object with tigon_main (sim/program.h), the same as for scenarios. What a
 * program reports as figures is printed. Exit status: 0 when the program returned 0, 1 when not, 2
 * when it could not begin. */
#include "sim/program.h"
#include "sim/serve/client/remote_host.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { CANNOT_BEGIN = 2 };

void tigon_program_figure(struct tigon_host *host, const char *name, double value) {
    (void)host;
    (void)printf("%s %.17g\n", name, value);
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

int main(int argc, char **argv) {
    int (*function)(struct tigon_host * host, int argc, char **argv);
    struct tigon_client *client;
    if (argc < 3 || strcmp(argv[1], "--help") == 0) {
        (void)fputs("Usage: tigon_attach SOCKET PROGRAM [ARGUMENTS...]\n"
                    "Runs a host program on a board of `tigonsim serve`.\n",
                    argc < 3 ? stderr : stdout);
        return argc < 3 ? CANNOT_BEGIN : 0;
    }
    if (load(argv[2], &function) != 0)
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
