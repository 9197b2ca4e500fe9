/* SPDX-License-Identifier: MIT */
/* Shared by the subcommands of tigonsim. */
#ifndef SIM_COMMAND_COMMAND_H
#define SIM_COMMAND_COMMAND_H

/* Exit statuses, as hsmc has them. */
enum {
    COMMAND_DONE = 0,
    COMMAND_FAILED = 1, /* the run did not go as the scenario expects */
    COMMAND_USAGE = 2   /* wrong arguments, or a file that cannot be used */
};

/* A subcommand gets its own arguments, its name first, and returns an exit status. */
struct command {
    const char *name;
    const char *summary; /* for the list of `tigonsim --help` */
    int (*run)(int count, char **texts);
};

int command_run(int count, char **texts);
int command_serve(int count, char **texts);
int command_explain(int count, char **texts);
int command_knobs(int count, char **texts);

/* Prints "tigonsim: " and the message as one line on standard error. Returns COMMAND_USAGE. */
int command_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
