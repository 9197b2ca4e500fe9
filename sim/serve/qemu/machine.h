/* SPDX-License-Identifier: MIT */
/* QEMU as a child process, with the channels through which a board reaches its guest. */
#ifndef SIM_SERVE_QEMU_MACHINE_H
#define SIM_SERVE_QEMU_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/serve/qemu/pace.h"

struct machine_options {
    const char *program;   /* QEMU */
    int core;              /* the processor on which QEMU and its caller run; -1: any */
    int memory;            /* descriptor of a file that is the guest's RAM */
    uint64_t memory_bytes; /* whole megabytes */
    bool paced;            /* the guest's time is its instructions, and it waits: pace.h */
    unsigned shift;        /* paced: an instruction takes 2^shift ns */
    char **arguments;      /* further ones for QEMU, ended by NULL */
};

struct machine {
    pid_t process;
    int proxy;     /* sockets: messages of proxy_message.h */
    int interrupt; /* commands of QEMU's "qtest" */
    int pace;      /* -1 unless paced */
    struct pace_page *pace_page;
    bool line; /* level of the interrupt line, as QEMU knows it */
};

/* Starts QEMU, which ends with this process at the latest. 0, or a negative errno value with a
 * sentence for people in `message`: -ENOEXEC when it is no QEMU 7. */
int machine_start(struct machine *machine, const struct machine_options *options, char *message,
                  size_t message_bytes);

/* Sets the interrupt line (INTA of the board's slot). Must not be called while QEMU's main thread
 * waits for us, which it does in PROXY_RESET and before the guest starts. A machine that is
 * powering off ignores it. 0 or a negative errno value: QEMU has gone. */
int machine_set_interrupt(struct machine *machine, bool line);

/* Waits for QEMU to end, closes the sockets and returns its exit status (128 and more: the number
 * of a signal, as a shell has it). */
int machine_finish(struct machine *machine);

#endif
