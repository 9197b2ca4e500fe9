/* SPDX-License-Identifier: MIT */
/* emp: boards that run EMP, from the command line. emp(1) is the manual. */
#include "host/tools/tool.h"

#include <stdlib.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"load", tool_load, "load firmware into a board and start it"},
    {"flash", tool_load, "the same: this card keeps no firmware, so flashing is loading"},
    {"install", tool_install, "put an image where loaders and drivers find it"},
    {"info", tool_info, "show a board's state"},
    {"stat", tool_stat, "show a board's counters, live"},
    {"ping", tool_ping, "send messages to a node that answers them"},
    {"perf", tool_perf, "measure latency, bandwidth and message rate between two nodes"},
    {"send", tool_send, "send files, directories or standard input"},
    {"recv", tool_receive, "receive what `emp send` sends"},
    {"trace", tool_trace, "show the transitions that a board takes, live"},
    {"dump", tool_dump, "write a report about a board, also a crashed one"},
    {"param", tool_param, "show and set parameters of the protocol"},
    {"image", tool_image, "inspect firmware images, and make flashable ones"},
};

enum { COMMANDS = sizeof commands / sizeof *commands, NAME_BYTES = 32 };

static void help(FILE *stream) {
    (void)fprintf(stream, "Usage: emp COMMAND [OPTION...]\nCommands:\n");
    for (size_t i = 0; i < COMMANDS; i++)
        (void)fprintf(stream, "  %-8s %s\n", commands[i].name, commands[i].summary);
    (void)fprintf(stream, "\n`emp COMMAND --help` lists the options of a command.\n"
                          "Exit status: 0 done, 1 failed, 2 wrong usage, 3 the other side did not "
                          "answer.\n");
}

static void print_version(FILE *stream, struct argp_state *state) {
    (void)state;
    (void)fprintf(stream, "emp %s, %u-bit tags, %zu nodes\n", EMP_VERSION, libemp_tag_bits(),
                  libemp_node_limit());
}

int main(int argc, char **argv) {
    char name[NAME_BYTES];
    argp_err_exit_status = TOOL_USAGE;
    argp_program_version_hook = print_version;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)) {
        help(stdout);
        return TOOL_DONE;
    }
    if (argc > 1 && (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0)) {
        print_version(stdout, NULL);
        return TOOL_DONE;
    }
    for (size_t i = 0; argc > 1 && i < COMMANDS; i++)
        if (strcmp(argv[1], commands[i].name) == 0) {
            (void)snprintf(name, sizeof name, "emp %s", commands[i].name);
            argv[1] = name;
            return commands[i].run(argc - 1, argv + 1);
        }
    if (argc > 1)
        (void)fprintf(stderr, "emp: expected a command, found %s\n", argv[1]);
    help(stderr);
    return TOOL_USAGE;
}
