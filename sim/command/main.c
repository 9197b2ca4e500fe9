/* SPDX-License-Identifier: MIT */
/* tigonsim: the simulated boards as a program. Each subcommand is a file of its own. */
#include "sim/command/command.h"

#include "sim/command/suggest.h"

#include <argp.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct command commands[] = {
    {"run", "run a scenario: boards, images, programs, wires and faults from a file", command_run},
    {"serve", "run a scenario whose boards other programs use, over sockets", command_serve},
    {"explain", "run a scenario and tell where the time of one message goes", command_explain},
    {"knobs", "list every number that is a choice and not a fact of the chip", command_knobs},
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

int command_complain(const char *format, ...) {
    va_list arguments;
    (void)fputs("tigonsim: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    return COMMAND_USAGE;
}

static void show_help(FILE *stream) {
    (void)fputs("Usage: tigonsim COMMAND [ARGUMENTS...]\n\nSimulated Tigon2 boards.\n\n", stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        (void)fprintf(stream, "  %-10s %s\n", commands[i].name, commands[i].summary);
    (void)fputs("\n`tigonsim COMMAND --help` tells the arguments of a command.\n"
                "Exit status: 0 done; 1 the run did not go as expected; 2 wrong arguments or a "
                "file that cannot be used.\n"
                "The manual is docs/board.md.\n",
                stream);
}

static const struct command *find(const char *name) {
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int unknown(const char *name) {
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    const char *meant = suggest(name, names, COMMAND_COUNT);
    if (meant)
        return command_complain("no command %s; did you mean %s?", name, meant);
    return command_complain("no command %s; see tigonsim --help", name);
}

int main(int count, char **texts) {
    static char invocation[64];
    argp_err_exit_status = COMMAND_USAGE;
    if (count < 2) {
        show_help(stderr);
        return COMMAND_USAGE;
    }
    const bool help = strcmp(texts[1], "--help") == 0 || strcmp(texts[1], "help") == 0;
    if (help && count == 2) {
        show_help(stdout);
        return COMMAND_DONE;
    }
    const struct command *command = find(texts[help ? 2 : 1]);
    if (!command)
        return unknown(texts[help ? 2 : 1]);
    if (help) {
        static char option[] = "--help";
        texts[2] = option;
        count = 3;
    }
    /* argp names the program by argv[0] in its messages. */
    (void)snprintf(invocation, sizeof invocation, "tigonsim %s", command->name);
    texts[1] = invocation;
    return command->run(count - 1, texts + 1); /* with --help it prints that and exits */
}
