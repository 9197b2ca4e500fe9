/* SPDX-License-Identifier: MIT */
/* A board for a subcommand: opened, attached, waited for, left in order. */
#include "host/tools/tool.h"

#include "host/board/device.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLICE_NS      UINT64_C(20000000) /* between two looks at the signals */
#define BUSY_PAUSE_NS 20000000L          /* of the real clock */

enum { BUSY_TRIES = 250 /* five seconds: a program that was killed leaves its board soon */ };

static volatile sig_atomic_t stopped;

static void on_signal(int number) {
    (void)number;
    stopped = stopped + 1;
}

/* SIGHUP stays ignored, as by nohup(1). */
void tool_catch_signals(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGPIPE, SIGHUP};
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction before;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (sigaction(numbers[i], NULL, &before) == 0 &&
            (numbers[i] != SIGHUP || before.sa_handler != SIG_IGN))
            (void)sigaction(numbers[i], &action, NULL);
}

int tool_stopped(void) {
    return stopped;
}

int tool_say(const char *format, ...) {
    va_list arguments;
    (void)fputs("emp: ", stderr);
    va_start(arguments, format);
    (void)vfprintf(stderr, format, arguments);
    va_end(arguments);
    (void)fputc('\n', stderr);
    return TOOL_FAILED;
}

int tool_status(int error) {
    return !error                                                                  ? TOOL_DONE
           : error == -ETIMEDOUT || error == -EHOSTUNREACH || error == -ECONNRESET ? TOOL_TIMED_OUT
                                                                                   : TOOL_FAILED;
}

/* A cancellation that came after it has replaced libemp's sentence about a time-out. */
const char *tool_reason(const struct tool_session *session, int error) {
    const char *message = session->board ? libemp_message(session->board) : "";
    return error == -ETIMEDOUT ? "no answer in time"
           : error == -EINTR   ? "interrupted"
           : *message          ? message
                               : strerror(-error);
}

int tool_fail(const struct tool_session *session, int error, const char *what) {
    (void)tool_say("%s: %s", what, tool_reason(session, error));
    return tool_status(error);
}

int tool_open(struct tool_session *session, const struct tool_options *options) {
    const struct timespec pause = {.tv_nsec = BUSY_PAUSE_NS};
    struct libemp_options library;
    int error = -EBUSY;
    *session = (struct tool_session){.options = options};
    if (!options->board)
        return tool_say("which board? expected --board NAME or EMP_BOARD, such as "
                        "sim:left.sock") +
               TOOL_USAGE - TOOL_FAILED;
    libemp_options_defaults(&library);
    library.ends_in_memory = options->ends_in_memory;
    library.board.progress = options->progress;
    for (unsigned i = 0; i < BUSY_TRIES && error == -EBUSY; i++) {
        if (i > 0)
            (void)nanosleep(&pause, NULL);
        error = libemp_open(&session->board, options->board, &library);
    }
    if (error == -EINVAL)
        return tool_say("%s: expected a board's name such as sim:left.sock", options->board);
    if (error == -ENXIO)
        return tool_say("%s: no such board; is the path of the socket right, and tigonsim serve "
                        "running?",
                        options->board);
    if (error == -EBUSY)
        return tool_say("%s: another program uses this board; end it, or wait until it has ended",
                        options->board);
    if (error == -EOPNOTSUPP)
        return tool_say("--ends-in-memory: this profile has no ends in memory") + TOOL_USAGE -
               TOOL_FAILED;
    return error ? tool_say("%s: %s", options->board, strerror(-error)) : TOOL_DONE;
}

bool tool_is_driven(const struct tool_session *session) {
    return board_channel(libemp_hardware(session->board)) >= 0;
}

int tool_attach(struct tool_session *session, const struct tool_options *options) {
    const int status = tool_open(session, options);
    if (status)
        return status;
    const int error = libemp_attach(session->board);
    if (error == -ENODEV)
        (void)tool_say("%s: no firmware runs; load it with `emp load`", options->board);
    else if (error)
        (void)tool_fail(session, error, options->board);
    if (error)
        tool_close(session, NULL, 0);
    return tool_status(error);
}

void tool_close(struct tool_session *session, const libemp_request *posted, size_t count) {
    if (!session->board)
        return;
    for (size_t i = 0; i < count; i++)
        tool_cancel(session, posted[i]);
    (void)tool_recover(session);
    if (libemp_close(session->board))
        libemp_abandon(session->board);
    session->board = NULL;
}

int tool_buffer(struct tool_session *session, size_t bytes, uint8_t **buffer,
                struct libemp_memory **memory) {
    *buffer = libemp_allocate(session->board, bytes);
    if (!*buffer)
        return tool_say("no memory left that the board can reach");
    const int error = libemp_register(session->board, *buffer, bytes, memory);
    return error ? tool_fail(session, error, "memory") : TOOL_DONE;
}

uint64_t tool_now_ns(const struct tool_session *session) {
    return board_now_ns(libemp_hardware(session->board));
}

void tool_sleep_s(const struct tool_session *session, double seconds) {
    uint64_t rest = (uint64_t)(seconds * 1e9);
    while (rest > 0 && !tool_stopped()) {
        const uint64_t slice = rest < SLICE_NS ? rest : SLICE_NS;
        board_sleep_ns(libemp_hardware(session->board), slice);
        rest -= slice;
    }
}

/* No clock is read, which would take time. `index` is NULL for the only request. */
static int wait_in_slices(struct tool_session *session, const libemp_request *requests,
                          size_t count, uint64_t timeout_ns, size_t *index,
                          struct libemp_completion *completion) {
    for (uint64_t rest = timeout_ns; !tool_stopped(); rest -= SLICE_NS) {
        const uint64_t slice = rest < SLICE_NS ? rest : SLICE_NS;
        const int error =
            index ? libemp_wait_any(session->board, requests, count, slice, index, completion)
                  : libemp_wait(session->board, *requests, slice, completion);
        if (error != -ETIMEDOUT || rest <= SLICE_NS)
            return error;
        if (board_check_running(libemp_hardware(session->board)))
            return -EIO; /* the firmware cannot say so when its processor has stopped */
    }
    return -EINTR;
}

int tool_wait(struct tool_session *session, libemp_request request, uint64_t timeout_ns,
              struct libemp_completion *completion) {
    return wait_in_slices(session, &request, 1, timeout_ns, NULL, completion);
}

int tool_wait_any(struct tool_session *session, const libemp_request *requests, size_t count,
                  uint64_t timeout_ns, size_t *index) {
    return wait_in_slices(session, requests, count, timeout_ns, index, NULL);
}

static int finish(struct tool_session *session, libemp_request request, uint64_t timeout_ns,
                  struct libemp_completion *completion) {
    const int error = tool_wait(session, request, timeout_ns, completion);
    if (error == -ETIMEDOUT || error == -EINTR) {
        tool_cancel(session, request);
        (void)tool_settle(session, TOOL_SETTLE_NS);
    }
    return error;
}

static int send_once(struct tool_session *session, uint16_t peer, uint64_t tag,
                     const struct libemp_piece *piece, uint64_t timeout_ns) {
    libemp_request request;
    const int error = libemp_post_send(session->board, peer, tag, piece, 1, &request);
    return error ? error : finish(session, request, timeout_ns, NULL);
}

int tool_send_message(struct tool_session *session, uint16_t peer, uint64_t tag,
                      struct libemp_memory *memory, size_t bytes, uint64_t timeout_ns) {
    const struct libemp_piece piece = {memory, 0, bytes};
    const int error = send_once(session, peer, tag, &piece, timeout_ns);
    return error == -ECONNRESET ? send_once(session, peer, tag, &piece, timeout_ns) : error;
}

int tool_receive_message(struct tool_session *session, uint16_t peer, uint64_t tag,
                         struct libemp_memory *memory, size_t bytes, uint64_t timeout_ns,
                         struct libemp_completion *completion) {
    const struct libemp_piece piece = {memory, 0, bytes};
    libemp_request request;
    const int error =
        libemp_post_receive_matching(session->board, peer, tag, 0, &piece, 1, &request);
    return error ? error : finish(session, request, timeout_ns, completion);
}

const char *tool_default_image(void) {
    static char path[PATH_MAX];
    const char *chosen = getenv("EMP_IMAGE");
    if (chosen)
        return chosen;
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length > 0) {
        path[length] = 0;
        for (unsigned level = 0; level < 2; level++) {
            char *slash = strrchr(path, '/');
            if (slash)
                *slash = 0;
        }
        const size_t used = strlen(path);
        (void)snprintf(path + used, sizeof path - used, "/lib/firmware/emp/emp.bin");
        if (access(path, R_OK) == 0)
            return path;
    }
    return access("/lib/firmware/emp/emp.bin", R_OK) == 0 ? "/lib/firmware/emp/emp.bin" : NULL;
}
