/* SPDX-License-Identifier: MIT */
#include "sim/serve/qemu/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* The slot of the board, and the pin of the interrupt controller to which QEMU's machine q35
 * connects INTA of that slot. */
#define SLOT          "04.0"
#define INTERRUPT_PIN "/machine/q35/ioapic unnamed-gpio-in 20"
#define PLUGIN        "tigon_pace.so" /* beside this program */

enum {
    ARGUMENTS_LIMIT = 256,
    TEXT_BYTES = 512,
    QEMU_MAJOR = 7,
    /* QEMU that powers off serves no commands any more, but waits for its processor, which may wait
     * for us: then we must go on. Only this ends the wait, so it is long. */
    ANSWER_PATIENCE_MS = 20000
};

static int complain(char *message, size_t bytes, int error, const char *what) {
    (void)snprintf(message, bytes, "%s: %s", what, strerror(-error));
    return error;
}

/* ------------------------------------------------------------------------------------------------
 * Version */

/* The first line that `program --version` prints. */
static void read_version(const char *program, char *line, size_t bytes) {
    int ends[2];
    size_t filled = 0;
    line[0] = 0;
    if (pipe(ends) != 0)
        return;
    const pid_t process = fork();
    if (process == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)close(ends[0]);
        (void)close(ends[1]);
        (void)execlp(program, program, "--version", (char *)NULL);
        _exit(127);
    }
    (void)close(ends[1]);
    while (process > 0 && filled < bytes - 1) {
        const ssize_t count = read(ends[0], line + filled, bytes - 1 - filled);
        if (count <= 0)
            break;
        filled += (size_t)count;
    }
    (void)close(ends[0]);
    if (process > 0)
        (void)waitpid(process, NULL, 0);
    line[filled] = 0;
    line[strcspn(line, "\n")] = 0;
}

static int check_version(const char *program, char *message, size_t bytes) {
    char line[TEXT_BYTES];
    unsigned major = 0;
    read_version(program, line, sizeof line);
    if (sscanf(line, "QEMU emulator version %u.", &major) != 1) {
        (void)snprintf(message, bytes,
                       "%s: expected QEMU 7 (Debian 12: package qemu-system-x86), found %s",
                       program, line[0] ? line : "no such program");
        return -ENOEXEC;
    }
    if (major != QEMU_MAJOR) {
        (void)snprintf(message, bytes,
                       "%s: expected QEMU 7, the version of Debian 12, found \"%.100s\": later "
                       "ones serve the device x-pci-proxy-dev under KVM only",
                       program, line);
        return -ENOEXEC;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Command line */

struct command_line {
    size_t count;
    char *arguments[ARGUMENTS_LIMIT];
    bool full; /* something did not fit, or memory is used up */
};

static void add(struct command_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct command_line *line, const char *format, ...) {
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0 || line->count >= ARGUMENTS_LIMIT - 1) {
        line->full = true;
        if (length >= 0)
            free(text);
        return;
    }
    line->arguments[line->count++] = text;
    line->arguments[line->count] = NULL;
}

static void free_command_line(struct command_line *line) {
    for (size_t i = 0; i < line->count; i++)
        free(line->arguments[i]);
}

/* The directory of this program, with its slash. */
static int own_directory(char *path, size_t bytes) {
    const ssize_t length = readlink("/proc/self/exe", path, bytes);
    if (length < 0 || (size_t)length == bytes)
        return length < 0 ? -errno : -ENAMETOOLONG;
    path[length] = 0;
    path[strrchr(path, '/') + 1 - path] = 0;
    return 0;
}

/* QEMU's ends of the sockets. */
struct far_ends {
    int proxy;
    int interrupt;
    int pace;
    int page; /* no socket: the memory of the pace */
};

static void write_command_line(struct command_line *line, const struct machine_options *options,
                               const struct far_ends *far, const char *directory) {
    const uint64_t megabytes = options->memory_bytes >> 20;
    add(line, "%s", options->program);
    add(line, "-no-user-config");
    add(line, "-nodefaults");
    add(line, "-no-reboot");
    add(line, "-display");
    add(line, "none");
    add(line, "-accel");
    add(line, "tcg");
    add(line, "-machine");
    add(line, "q35,memory-backend=ram");
    add(line, "-object");
    add(line, "memory-backend-file,id=ram,size=%lluM,mem-path=/proc/self/fd/%d,share=on",
        (unsigned long long)megabytes, options->memory);
    add(line, "-m");
    add(line, "%llu", (unsigned long long)megabytes);
    add(line, "-chardev");
    add(line, "socket,id=interrupts,fd=%d", far->interrupt);
    add(line, "-object");
    add(line, "qtest,id=qtest,chardev=interrupts,log=none");
    add(line, "-device");
    add(line, "x-pci-proxy-dev,id=board,fd=%d,addr=" SLOT, far->proxy);
    if (options->paced) {
        add(line, "-icount");
        add(line, "shift=%u,sleep=off", options->shift);
        add(line, "-rtc");
        add(line, "base=2020-01-01,clock=vm");
        add(line, "-plugin");
        add(line, "%s" PLUGIN ",page=%d,socket=%d", directory, far->page, far->pace);
    }
    for (char **more = options->arguments; *more; more++)
        add(line, "%s", *more);
}

/* ------------------------------------------------------------------------------------------------
 * Start and end */

static void close_descriptor(int *descriptor) {
    if (*descriptor >= 0)
        (void)close(*descriptor);
    *descriptor = -1;
}

static void close_far_ends(struct far_ends *far) {
    close_descriptor(&far->proxy);
    close_descriptor(&far->interrupt);
    close_descriptor(&far->pace);
    close_descriptor(&far->page);
}

static int make_pair(int *near, int *far) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return -errno;
    *near = ends[0];
    *far = ends[1];
    return 0;
}

static int make_page(struct machine *machine, struct far_ends *far) {
    far->page = memfd_create("tigon-pace", MFD_CLOEXEC);
    if (far->page < 0 || ftruncate(far->page, sizeof *machine->pace_page) != 0)
        return -errno;
    machine->pace_page =
        mmap(NULL, sizeof *machine->pace_page, PROT_READ | PROT_WRITE, MAP_SHARED, far->page, 0);
    if (machine->pace_page == MAP_FAILED) {
        machine->pace_page = NULL;
        return -errno;
    }
    machine->pace_page->stop_at = PACE_NEVER;
    return 0;
}

static int make_channels(struct machine *machine, struct far_ends *far, bool paced) {
    int error = make_pair(&machine->proxy, &far->proxy);
    if (!error)
        error = make_pair(&machine->interrupt, &far->interrupt);
    if (!error && paced)
        error = make_pair(&machine->pace, &far->pace);
    if (!error && paced)
        error = make_page(machine, far);
    return error;
}

/* The child: keeps QEMU's ends and the memory, and becomes QEMU. */
static void become(const struct command_line *line, const struct far_ends *far, int memory,
                   pid_t parent) {
    const int kept[] = {far->proxy, far->interrupt, far->pace, far->page, memory};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        if (kept[i] >= 0)
            (void)fcntl(kept[i], F_SETFD, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    (void)execvp(line->arguments[0], line->arguments);
    (void)fprintf(stderr, "tigon_qemu: %s: %s\n", line->arguments[0], strerror(errno));
    _exit(127);
}

/* QEMU, the bridge and the plugin wait for each other all the time; on one processor none of the
 * waits crosses to another one, which takes several times as long. */
static void pin(int core) {
    cpu_set_t set;
    if (core < 0 || core >= CPU_SETSIZE)
        return;
    CPU_ZERO(&set);
    CPU_SET((unsigned)core, &set);
    (void)sched_setaffinity(0, sizeof set, &set);
}

int machine_start(struct machine *machine, const struct machine_options *options, char *message,
                  size_t message_bytes) {
    struct command_line line = {0};
    struct far_ends far = {-1, -1, -1, -1};
    char directory[TEXT_BYTES];
    *machine = (struct machine){.process = -1, .proxy = -1, .interrupt = -1, .pace = -1};
    int error = check_version(options->program, message, message_bytes);
    if (error)
        return error;
    error = own_directory(directory, sizeof directory);
    if (!error)
        error = make_channels(machine, &far, options->paced);
    if (error) {
        close_far_ends(&far);
        (void)machine_finish(machine);
        return complain(message, message_bytes, error, "no channels to QEMU");
    }
    write_command_line(&line, options, &far, directory);
    if (line.full) {
        error = -E2BIG;
    } else {
        const pid_t self = getpid();
        pin(options->core);
        machine->process = fork();
        if (machine->process == 0)
            become(&line, &far, options->memory, self);
        error = machine->process < 0 ? -errno : 0;
    }
    close_far_ends(&far);
    free_command_line(&line);
    if (error) {
        (void)machine_finish(machine);
        return complain(message, message_bytes, error, "QEMU cannot be started");
    }
    return 0;
}

int machine_set_interrupt(struct machine *machine, bool line) {
    char text[TEXT_BYTES];
    size_t filled = 0;
    struct pollfd answer = {.fd = machine->interrupt, .events = POLLIN};
    if (machine->line == line || machine->interrupt < 0)
        return 0;
    const int length = snprintf(text, sizeof text, "set_irq_in " INTERRUPT_PIN " %d\n", line);
    if (send(machine->interrupt, text, (size_t)length, MSG_NOSIGNAL) != length)
        return -EPIPE;
    do {
        if (poll(&answer, 1, ANSWER_PATIENCE_MS) == 0) {
            close_descriptor(&machine->interrupt);
            return 0;
        }
        const ssize_t count = read(machine->interrupt, text + filled, sizeof text - 1 - filled);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return -EPIPE;
        filled += (size_t)count;
    } while (filled < sizeof text - 1 && text[filled - 1] != '\n');
    machine->line = line;
    return strncmp(text, "OK", 2) == 0 ? 0 : -EPROTO;
}

int machine_finish(struct machine *machine) {
    int status = 0;
    close_descriptor(&machine->proxy);
    close_descriptor(&machine->interrupt);
    close_descriptor(&machine->pace);
    if (machine->pace_page)
        (void)munmap(machine->pace_page, sizeof *machine->pace_page);
    machine->pace_page = NULL;
    if (machine->process < 0)
        return 0;
    while (waitpid(machine->process, &status, 0) < 0 && errno == EINTR)
        ;
    machine->process = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
