/* SPDX-License-Identifier: MIT */
/* tigon_qemu: a virtual machine whose PCI slot holds a served board. docs/kernel.md. */
#include "sim/serve/qemu/bridge.h"

#include <argp.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    OPTION_QEMU = 0x100,
    OPTION_CORE,
    OPTION_SHIFT,
    OPTION_QUANTUM,
    EXIT_OURS = 125, /* QEMU has not run, or the bridge failed */
    SHIFT_LIMIT = 10 /* QEMU's */
};

#define MEGABYTE        (UINT64_C(1) << 20)
#define LEAST_MEMORY    (32 * MEGABYTE)
#define MOST_MEMORY     (2048 * MEGABYTE) /* QEMU leaves a gap above */
#define LONGEST_QUANTUM 1000000

struct arguments {
    const char *socket;
    uint64_t quantum_ns;
    struct machine_options machine;
};

static const struct argp_option option_table[] = {
    {"qemu", OPTION_QEMU, "PROGRAM", 0, "QEMU 7 (qemu-system-x86_64)", 0},
    {"core", OPTION_CORE, "NUMBER", 0,
     "the processor on which QEMU and the bridge run (the one on which this program starts); -1: "
     "any",
     0},
    {"shift", OPTION_SHIFT, "NUMBER", 0,
     "lock step: an instruction of the guest takes 2^NUMBER ns (4)", 0},
    {"quantum", OPTION_QUANTUM, "NS", 0,
     "lock step: the guest executes at most for so long before the board catches up (20000)", 0},
    {0},
};

static long number(struct argp_state *state, const char *name, const char *text, long least,
                   long most) {
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (errno || end == text || *end || value < least || value > most)
        argp_error(state, "--%s: expected a number from %ld to %ld, found %s", name, least, most,
                   text);
    return value;
}

/* A guest whose quantum is shorter than an instruction would stop for ever where it is. */
static void check_quantum(struct argp_state *state, const struct arguments *arguments) {
    const unsigned shift = arguments->machine.shift;
    if (arguments->quantum_ns >> shift == 0)
        argp_error(state,
                   "--quantum: expected at least %lu ns, an instruction of --shift=%u, "
                   "found %llu",
                   1ul << shift, shift, (unsigned long long)arguments->quantum_ns);
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_QEMU:
        arguments->machine.program = text;
        return 0;
    case OPTION_CORE:
        arguments->machine.core = (int)number(state, "core", text, -1, CPU_SETSIZE - 1);
        return 0;
    case OPTION_SHIFT:
        arguments->machine.shift = (unsigned)number(state, "shift", text, 0, SHIFT_LIMIT);
        return 0;
    case OPTION_QUANTUM:
        arguments->quantum_ns = (uint64_t)number(state, "quantum", text, 1000, LONGEST_QUANTUM);
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->socket)
            return ARGP_ERR_UNKNOWN; /* the rest is QEMU's */
        arguments->socket = text;
        return 0;
    case ARGP_KEY_ARGS:
        arguments->machine.arguments = state->argv + state->next;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        check_quantum(state, arguments);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected the socket of a served board (build/tigonsim serve)");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp parser = {
    .options = option_table,
    .parser = parse,
    .args_doc = "SOCKET [QEMU'S ARGUMENT...]",
    .doc = "Starts QEMU with a virtual machine in whose PCI slot 4 sits the board that tigonsim "
           "serves at SOCKET. The machine's RAM is the host memory of the board.\v"
           "QEMU is started with a machine, its RAM and the board, and no other device; the "
           "arguments add a kernel (-kernel, -initrd, -append) and a console (-serial). Without a "
           "board QEMU ends; a board that vanishes while the guest runs reads as all ones, as one "
           "pulled out of its slot. The exit status is QEMU's, or 125."};

/* The RAM that QEMU can have with this board. */
static int check_information(const struct tigon_client_information *information) {
    if (information->memory_base == 0 && information->memory_bytes % MEGABYTE == 0 &&
        information->memory_bytes >= LEAST_MEMORY && information->memory_bytes <= MOST_MEMORY)
        return 0;
    (void)fprintf(stderr,
                  "tigon_qemu: the host memory of board %s becomes the guest's RAM: expected 32 MB "
                  "to 2048 MB from address 0, found %llu bytes from 0x%llx; set its knobs "
                  "host_memory_bytes and host_memory_base\n",
                  information->name, (unsigned long long)information->memory_bytes,
                  (unsigned long long)information->memory_base);
    return -EINVAL;
}

static int run(struct arguments *arguments, struct tigon_client *board) {
    const struct tigon_client_information *information = tigon_client_information(board);
    struct machine machine;
    struct stat status;
    char message[512];
    if (check_information(information))
        return EXIT_OURS;
    struct machine_options *options = &arguments->machine;
    options->memory = tigon_client_memory_descriptor(board);
    options->memory_bytes = information->memory_bytes;
    options->paced = !information->free_running;
    if (fstat(options->memory, &status) != 0 ||
        machine_start(&machine, options, message, sizeof message) != 0) {
        (void)fprintf(stderr, "tigon_qemu: %s\n", message);
        return EXIT_OURS;
    }
    struct bridge bridge = {
        .board = board,
        .machine = &machine,
        .memory_inode = status.st_ino,
        .shift = options->shift,
        .quantum_ns = arguments->quantum_ns,
    };
    const int error = bridge_run(&bridge);
    const int ended = machine_finish(&machine);
    return error ? EXIT_OURS : ended;
}

int main(int argc, char **argv) {
    static char *none[] = {NULL};
    struct tigon_client *board;
    struct arguments arguments = {.quantum_ns = 20000,
                                  .machine = {.program = "qemu-system-x86_64",
                                              .core = sched_getcpu(),
                                              .shift = 4,
                                              .arguments = none}};
    if (argp_parse(&parser, argc, argv, ARGP_IN_ORDER, NULL, &arguments))
        return EXIT_OURS;
    if (tigon_client_open(&board, arguments.socket, TIGON_CLIENT_EVENTS) != 0) {
        (void)fprintf(stderr, "tigon_qemu: %s\n", tigon_client_open_message());
        return EXIT_OURS;
    }
    const int status = run(&arguments, board);
    tigon_client_close(board);
    return status;
}
