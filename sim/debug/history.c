/* SPDX-License-Identifier: MIT */
/*
 * Snapshots as sleeping processes; see debugger.h. Their shared state is one piece of memory
 * (struct debug_session); all other state is private to each process, as it was when the process
 * was forked.
 *
 * Processes: the supervisor, which waits; the live one, which runs the world; the snapshots, which
 * sleep in debug_history_take. To go back, the live process writes the target into the session,
 * wakes a snapshot and ends. The snapshot forks a copy of itself, the new live process, and sleeps
 * again. Only one of them ever runs, so the session needs no lock.
 *
 * No process tests by a signal whether another is alive: a zombie accepts signals, too. The
 * supervisor alone holds the write end of a pipe. The kernel closes it when the supervisor ends,
 * even if its parent never waits for it, and sleeping snapshots see the end of the pipe.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/debug/debugger_private.h"
#include "sim/time.h"

static struct debug_session *supervised;

static void pass_on(int number) {
    if (supervised->live > 0)
        (void)kill(supervised->live, number);
}

/* --- the supervisor */

/* A snapshot owns no resource but itself, so it needs no orderly end. Only after its end may
 * another snapshot use the slot. */
static void dismiss(struct debug_slot *slot) {
    /* Once: the supervisor clears it when it sees that the process has ended, at any time. */
    const pid_t pid = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);
    if (pid <= 0)
        return;
    (void)kill(pid, SIGKILL);
    (void)waitpid(pid, NULL, 0); /* fails at once when it is not our own child */
    slot->pid = 0;
}

static void forget_process(struct debug_session *session, pid_t pid) {
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        pid_t expected = pid; /* or the live process has given the slot to another already */
        (void)__atomic_compare_exchange_n(&session->slots[i].pid, &expected, 0, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    }
}

static _Noreturn void supervise(struct debug_session *session, int held) {
    supervised = session;
    (void)signal(SIGTERM, pass_on);
    (void)signal(SIGHUP, pass_on);
    int status = 0;
    for (;;) {
        siginfo_t ended;
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) {
            if (errno == EINTR)
                continue;
            status = 1 << 8;
            break;
        }
        /* While it is a zombie no other process can get its number, so slots never hold the number
         * of a stranger. Before `live` is read: see debug_history_wake. */
        forget_process(session, ended.si_pid);
        const bool was_live = ended.si_pid == __atomic_load_n(&session->live, __ATOMIC_SEQ_CST);
        (void)waitpid(ended.si_pid, &status, 0);
        if (was_live)
            break;
    }
    (void)close(held); /* the snapshots end, also one whose number is not in its slot yet ... */
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++)
        dismiss(&session->slots[i]); /* ... and those that are stopped */
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR) {
    }
    if (WIFSIGNALED(status)) { /* the same end for the parent; no second core */
        (void)prctl(PR_SET_DUMPABLE, 0);
        (void)signal(WTERMSIG(status), SIG_DFL);
        (void)raise(WTERMSIG(status));
    }
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

static bool supervisor_lives(const struct debug_session *session) {
    struct pollfd request = {.fd = session->supervisor_pipe};
    return poll(&request, 1, 0) <= 0;
}

/* The live process must not outlive the supervisor, which is the process that users see and end. */
static void follow_supervisor(const struct debug_session *session) {
    while (getppid() != session->supervisor) { /* the process between is about to end */
        if (!supervisor_lives(session))
            _exit(1);
        (void)sched_yield();
    }
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!supervisor_lives(session)) /* it ended before that */
        _exit(1);
}

static void close_descriptors(const struct debug_session *session) {
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++)
        if (session->slots[i].wake >= 0)
            (void)close(session->slots[i].wake);
    (void)close(session->supervisor_pipe);
}

/* For all processes to come. Returns the end that the supervisor alone may keep, or -errno. */
static int open_descriptors(struct debug_session *session) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -errno;
    session->supervisor_pipe = ends[0];
    int error = 0;
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        session->slots[i].wake = error ? -1 : eventfd(0, EFD_CLOEXEC);
        if (!error && session->slots[i].wake < 0)
            error = -errno;
    }
    if (!error)
        return ends[1];
    close_descriptors(session);
    (void)close(ends[1]);
    return error;
}

/* Returns in the live process. */
static int start_supervisor(struct debug_session *session) {
    const int held = open_descriptors(session);
    if (held < 0)
        return held;
    session->supervisor = getpid();
    (void)fflush(NULL);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    const pid_t pid = fork();
    if (pid > 0) {
        session->live = pid;
        supervise(session, held);
    }
    const int error = pid < 0 ? -errno : 0;
    (void)close(held);
    if (error) {
        close_descriptors(session);
        return error;
    }
    session->live = getpid();
    follow_supervisor(session);
    return 0;
}

int debug_history_open(struct tigon_debugger *debugger) {
    struct debug_session *session =
        mmap(NULL, sizeof *session, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (session == MAP_FAILED)
        return -errno;
    const int error = debugger->options.snapshot_limit > 0 ? start_supervisor(session) : 0;
    if (error)
        (void)munmap(session, sizeof *session);
    else
        debugger->session = session;
    return error;
}

void debug_history_close(struct tigon_debugger *debugger) {
    debug_history_forget(debugger);
    if (debug_history_exists(debugger))
        close_descriptors(debugger->session);
    (void)munmap(debugger->session, sizeof *debugger->session);
    debugger->session = NULL;
}

bool debug_history_exists(const struct tigon_debugger *debugger) {
    return debugger->session->supervisor != 0;
}

/* --- files */

static void note_files(struct tigon_debugger *debugger) {
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;
    debugger->file_count = 0;
    while (directory && (entry = readdir(directory)) != NULL) {
        const int descriptor = (int)strtol(entry->d_name, NULL, 10);
        struct stat status;
        if (descriptor <= STDERR_FILENO || debugger->file_count == DEBUG_OPEN_FILES ||
            fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        struct debug_file *file = &debugger->files[debugger->file_count++];
        file->descriptor = descriptor;
        file->offset = lseek(descriptor, 0, SEEK_CUR);
        file->writable = (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
    }
    if (directory)
        (void)closedir(directory);
}

/* The descriptors of all copies share one offset. */
static void restore_files(const struct tigon_debugger *debugger) {
    for (size_t i = 0; i < debugger->file_count; i++) {
        const struct debug_file *file = &debugger->files[i];
        if (file->offset < 0 || lseek(file->descriptor, file->offset, SEEK_SET) < 0)
            continue;
        if (file->writable && ftruncate(file->descriptor, file->offset) != 0)
            (void)fprintf(stderr, "tigon debugger: an output file cannot be shortened: %s\n",
                          strerror(errno));
    }
}

/* --- snapshots */

static struct debug_slot *free_slot(struct debug_session *session) {
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++)
        if (session->slots[i].pid == 0)
            return &session->slots[i];
    return NULL;
}

static const struct debug_slot *neighbour(const struct debug_session *session,
                                          const struct debug_slot *slot, bool later) {
    const struct debug_slot *best = NULL;
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        const struct debug_slot *other = &session->slots[i];
        if (other->pid == 0 || other == slot)
            continue;
        if (later
                ? other->position > slot->position && (!best || other->position < best->position)
                : other->position <= slot->position && (!best || other->position > best->position))
            best = other;
    }
    return best;
}

/* Drops the snapshot whose loss makes the smallest gap compared with its age, so that they are
 * dense near the present and ever sparser before. The first is the beginning of history and
 * stays. */
static void thin_out(struct tigon_debugger *debugger) {
    struct debug_session *session = debugger->session;
    struct debug_slot *worst = NULL;
    double least = 0;
    unsigned count = 0;
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        struct debug_slot *slot = &session->slots[i];
        if (slot->pid == 0 || slot->kept)
            continue;
        count++;
        const struct debug_slot *before = neighbour(session, slot, false);
        const struct debug_slot *after = neighbour(session, slot, true);
        if (!before)
            continue;
        const uint64_t end = after ? after->position : debugger->position;
        const double gap =
            (double)(end - before->position) / (double)(debugger->position - slot->position + 1);
        if (!worst || gap < least) {
            worst = slot;
            least = gap;
        }
    }
    if (worst && count >= debugger->options.snapshot_limit)
        dismiss(worst);
}

static void wait_to_be_woken(const struct debug_slot *slot, const struct debug_session *session) {
    struct pollfd events[] = {{.fd = slot->wake, .events = POLLIN},
                              {.fd = session->supervisor_pipe}};
    uint64_t count;
    int ready;
    do
        ready = poll(events, 2, -1);
    while (ready < 0 && errno == EINTR);
    if (ready < 0 || events[1].revents != 0 ||
        read(slot->wake, &count, sizeof count) != (ssize_t)sizeof count)
        _exit(1);
}

/* A grandchild, so that the supervisor inherits it when the process between has ended. */
static bool became_copy(void) {
    const pid_t between = fork();
    if (between == 0) {
        const pid_t copy = fork();
        if (copy == 0)
            return true;
        _exit(copy < 0);
    }
    int status = 0;
    while (between > 0 && waitpid(between, &status, 0) < 0 && errno == EINTR) {
    }
    return between < 0 || status != 0; /* fork failed: this process continues */
}

/* Whether the process has ended, also one that its parent has not waited for yet. What the kernel
 * cannot say, for want of a descriptor, counts as no. */
static bool has_ended(pid_t pid) {
    struct pollfd process = {.fd = pidfd_open(pid, 0), .events = POLLIN};
    if (process.fd < 0)
        return errno == ESRCH;
    const bool ended = poll(&process, 1, 0) > 0;
    (void)close(process.fd);
    return ended;
}

/* Whether the slot holds a snapshot. A user, or a kernel short of memory, may have ended the
 * process. The supervisor clears the slots of its own children, but perhaps later than this. */
static bool holds(struct debug_slot *slot) {
    const pid_t pid = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);
    if (pid > 0 && has_ended(pid)) {
        (void)waitpid(pid, NULL, WNOHANG); /* when it is a child of ours */
        slot->pid = 0;
    }
    return slot->pid > 0;
}

static int sleep_as(struct tigon_debugger *debugger, struct debug_slot *slot) {
    struct debug_session *session = debugger->session;
    const pid_t self = getpid();
    for (;;) {
        wait_to_be_woken(slot, session);
        if (!became_copy())
            continue;
        if (getpid() == self)
            slot->pid = 0;
        session->live = getpid();
        follow_supervisor(session);
        restore_files(debugger);
        return -1;
    }
}

int debug_history_take(struct tigon_debugger *debugger, bool kept) {
    struct debug_session *session = debugger->session;
    if (!debug_history_exists(debugger))
        return 0;
    thin_out(debugger);
    struct debug_slot *slot = free_slot(session);
    if (!slot)
        return 0;
    (void)fflush(NULL);
    note_files(debugger);
    const unsigned number = session->next_number + 1;
    slot->position = debugger->position;
    slot->number = number;
    slot->ns = debugger->inside
                   ? tigon_ns_from_ticks(debugger->inside->cpu->cycle * TIGON_TICKS_PER_CYCLE)
                   : tigon_world_now_ns(debugger->world);
    slot->inside = debugger->inside != NULL;
    slot->kept = kept;
    debugger->unsnapshotted_change = false;
    debugger->own = slot;
    const pid_t pid = fork();
    if (pid == 0)
        return sleep_as(debugger, slot);
    if (pid < 0)
        return 0;
    slot->pid = pid;
    session->next_number = number;
    return (int)number;
}

void debug_history_forget(struct tigon_debugger *debugger) {
    if (debug_history_exists(debugger))
        for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++)
            dismiss(&debugger->session->slots[i]);
}

struct debug_slot *debug_history_before(struct tigon_debugger *debugger, uint64_t limit) {
    struct debug_slot *best = NULL;
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        struct debug_slot *slot = &debugger->session->slots[i];
        /* From one between two instructions, the next position is the first to be seen. */
        if (!holds(slot) || slot->position + (slot->inside ? 0u : 1u) >= limit)
            continue;
        if (!best || slot->position > best->position ||
            (slot->position == best->position && slot->number > best->number))
            best = slot;
    }
    return best;
}

struct debug_slot *debug_history_first(struct tigon_debugger *debugger) {
    struct debug_slot *first = NULL;
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        struct debug_slot *slot = &debugger->session->slots[i];
        if (holds(slot) && (!first || slot->number < first->number))
            first = slot;
    }
    return first;
}

struct debug_slot *debug_history_numbered(struct tigon_debugger *debugger, unsigned number) {
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++)
        if (holds(&debugger->session->slots[i]) && debugger->session->slots[i].number == number)
            return &debugger->session->slots[i];
    return NULL;
}

/* The supervisor clears the slot of a process that has ended and then compares the live one; this
 * process sets the live one and then reads the slot. So one of both detects a snapshot that ends
 * meanwhile. */
void debug_history_wake(struct tigon_debugger *debugger, struct debug_slot *slot) {
    struct debug_session *session = debugger->session;
    const uint64_t one = 1;
    const pid_t pid = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);
    if (pid <= 0)
        return;
    (void)fflush(NULL);
    __atomic_store_n(&session->live, pid, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&slot->pid, __ATOMIC_SEQ_CST) != pid ||
        write(slot->wake, &one, sizeof one) != (ssize_t)sizeof one) {
        session->live = getpid();
        _exit(1); /* the supervisor may have given up already */
    }
    _exit(0);
}

void debug_history_cut(struct tigon_debugger *debugger) {
    for (size_t i = 0; i < DEBUG_SNAPSHOTS; i++) {
        struct debug_slot *slot = &debugger->session->slots[i];
        if (slot->pid != 0 && slot->position > debugger->position)
            dismiss(slot);
    }
}
