/* SPDX-License-Identifier: MIT */
/* emp recv: stores what `emp send` sends. A file has the name NAME.part until its sum agrees. */
#include "host/tools/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_SUFFIX ".part"

struct arguments {
    struct tool_options common;
    bool progress;
    bool resume;
    bool to_output; /* content to standard output */
    uint16_t peer;
    const char *directory;
};

static const struct tool_option option_table[] = {
    {{"node", 'n', "NODE", 0, "Accept from this node only (default: from the first that sends)", 0},
     TOOL_TO_NODE(peer)},
    {{"resume", 'r', NULL, 0, "Continue files of which a part is there from an earlier try", 0},
     TOOL_TO_FLAG(resume)},
    {{"progress", 'p', NULL, 0, "Report progress on standard error", 0}, TOOL_TO_FLAG(progress)},
    {.kind = TOOL_OWN},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        arguments->directory = tool_only_argument(state, text);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct tool_syntax syntax = {
    .options = option_table,
    .parser = parse,
    .arguments = "[DIRECTORY | -]",
    .description =
        "Stores what one `emp send` sends, below DIRECTORY (default: the current one), or with - "
        "writes the content to standard output. Waits for a sender until interrupted, unless "
        "--timeout says how long.",
};

struct receiver {
    struct tool_session *session;
    const struct arguments *arguments;
    struct transfer_progress progress;
    int directory;
    uint16_t peer; /* LIBEMP_ANY_SOURCE before the first entry */
    struct libemp_memory *message;
    uint8_t *message_bytes;
    struct libemp_memory *content;
    uint8_t *content_bytes;
    libemp_request requests[TRANSFER_WINDOW]; /* of content, a ring */
    uint64_t next;                            /* of them */
    bool incomplete;

    /* The file that is being received. */
    int parent;
    int file; /* negative: none */
    char name[TRANSFER_PATH_BYTES + sizeof PART_SUFFIX];
    char part[TRANSFER_PATH_BYTES + sizeof PART_SUFFIX];
    struct sha256_ctx hash;
};

static int post_content(struct receiver *receiver, size_t place) {
    const struct libemp_piece piece = {receiver->content, place * TRANSFER_MESSAGE_BYTES,
                                       TRANSFER_MESSAGE_BYTES};
    return libemp_post_receive(receiver->session->board, receiver->peer, TOOL_TAG_CONTENT, &piece,
                               1, &receiver->requests[place]);
}

static int answer(struct receiver *receiver, enum transfer_status status, uint64_t offset) {
    const struct transfer_answer answer = {status, offset};
    receiver->incomplete |= status != TRANSFER_GO;
    return tool_send_message(receiver->session, receiver->peer, TOOL_TAG_ANSWER, receiver->message,
                             transfer_encode_answer(&answer, receiver->message_bytes),
                             tool_timeout_ns(&receiver->arguments->common));
}

/* ------------------------------------------------------------------------------------------------
 * Places below the directory. No component may be a link, which could lead out of it. */

/* The directory that holds the last component of `path`, to be closed; `*last` is that component.
 */
static int open_parent(const struct receiver *receiver, char *path, const char **last) {
    int directory = dup(receiver->directory);
    char *slash;
    while (directory >= 0 && (slash = strchr(path, '/')) != NULL) {
        *slash = 0;
        const int next = openat(directory, path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
        const int error = errno;
        (void)close(directory);
        errno = error;
        directory = next;
        path = slash + 1;
    }
    *last = path;
    return directory;
}

static int make_directory(struct receiver *receiver, struct transfer_entry *entry) {
    const char *last;
    struct stat status;
    const int parent = open_parent(receiver, entry->path, &last);
    bool made = parent >= 0 && mkdirat(parent, last, entry->mode | 0700) == 0;
    if (!made && parent >= 0 && errno == EEXIST)
        made = fstatat(parent, last, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
    if (!made)
        (void)tool_say("%s: %s", last, strerror(errno));
    if (parent >= 0)
        (void)close(parent);
    return answer(receiver, made ? TRANSFER_GO : TRANSFER_REFUSED, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Files */

static void close_file(struct receiver *receiver) {
    if (receiver->file > STDOUT_FILENO)
        (void)close(receiver->file);
    if (receiver->parent >= 0)
        (void)close(receiver->parent);
    receiver->file = receiver->parent = -1;
}

/* What is there already, into the sum; the place behind it. */
static int take_over(struct receiver *receiver, uint64_t limit, uint64_t *offset) {
    *offset = 0;
    for (;;) {
        const ssize_t count = read(receiver->file, receiver->content_bytes, TRANSFER_MESSAGE_BYTES);
        if (count < 0)
            return -errno;
        if (count == 0)
            return 0;
        if ((uint64_t)count > limit - *offset)
            return -EFBIG; /* longer than the sender's */
        sha256_update(&receiver->hash, (size_t)count, receiver->content_bytes);
        *offset += (uint64_t)count;
    }
}

/* Begins anew: what is there does not belong to it. */
static int empty_file(struct receiver *receiver, uint64_t *offset) {
    *offset = 0;
    sha256_init(&receiver->hash);
    return ftruncate(receiver->file, 0) == 0 && lseek(receiver->file, 0, SEEK_SET) == 0 ? 0
                                                                                        : -errno;
}

static int open_part(struct receiver *receiver, const struct transfer_entry *entry,
                     uint64_t *offset) {
    const bool resume = receiver->arguments->resume && entry->kind == TRANSFER_FILE;
    if (resume && faccessat(receiver->parent, receiver->part, F_OK, 0) != 0)
        (void)renameat(receiver->parent, receiver->name, receiver->parent, receiver->part);
    receiver->file = openat(receiver->parent, receiver->part,
                            O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, entry->mode | 0600);
    if (receiver->file < 0)
        return -errno;
    const int error = resume ? take_over(receiver, entry->bytes, offset) : -EFBIG;
    return error == -EFBIG ? empty_file(receiver, offset) : error;
}

static int begin_file(struct receiver *receiver, struct transfer_entry *entry) {
    const char *last = entry->path;
    uint64_t offset = 0;
    int error = 0;
    close_file(receiver);
    sha256_init(&receiver->hash);
    if (receiver->arguments->to_output) {
        receiver->file = STDOUT_FILENO;
    } else {
        receiver->parent = open_parent(receiver, entry->path, &last);
        (void)snprintf(receiver->name, sizeof receiver->name, "%s", last);
        (void)snprintf(receiver->part, sizeof receiver->part, "%s" PART_SUFFIX, last);
        error = receiver->parent < 0 ? -errno : open_part(receiver, entry, &offset);
    }
    if (error) {
        (void)tool_say("%s: %s", last, strerror(-error));
        close_file(receiver);
        return answer(receiver, TRANSFER_REFUSED, 0);
    }
    transfer_progress_begin(&receiver->progress, receiver->name, entry->bytes,
                            tool_now_ns(receiver->session));
    return answer(receiver, TRANSFER_GO, offset);
}

static int write_full(int file, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        const ssize_t now = write(file, bytes, count);
        if (now < 0 && errno == EINTR && !tool_stopped())
            continue;
        if (now < 0)
            return -errno;
        bytes += now;
        count -= (size_t)now;
    }
    return 0;
}

static int receive_content(struct receiver *receiver) {
    const uint64_t timeout = tool_timeout_ns(&receiver->arguments->common);
    for (;;) {
        struct libemp_completion completion = {0};
        const size_t place = receiver->next % TRANSFER_WINDOW;
        const uint8_t *bytes = receiver->content_bytes + place * TRANSFER_MESSAGE_BYTES;
        int error = tool_wait(receiver->session, receiver->requests[place], timeout, &completion);
        if (error == -ETIMEDOUT || error == -EINTR)
            return error;
        receiver->requests[place] = LIBEMP_NO_REQUEST;
        if (!error)
            error = write_full(receiver->file, bytes, completion.length);
        if (error)
            return error;
        sha256_update(&receiver->hash, completion.length, bytes);
        transfer_progress_step(&receiver->progress, completion.length,
                               tool_now_ns(receiver->session));
        error = post_content(receiver, place);
        receiver->next++;
        if (error || completion.length < TRANSFER_MESSAGE_BYTES)
            return error;
    }
}

static int end_file(struct receiver *receiver, const struct transfer_entry *entry) {
    uint8_t sum[TRANSFER_SUM_BYTES];
    sha256_digest(&receiver->hash, sizeof sum, sum);
    bool good = receiver->file >= 0 && memcmp(sum, entry->sum, sizeof sum) == 0;
    if (!good)
        (void)tool_say("%s: its content differs from the sender's", receiver->name);
    if (receiver->parent >= 0 && good &&
        renameat(receiver->parent, receiver->part, receiver->parent, receiver->name) != 0) {
        (void)tool_say("%s: %s", receiver->name, strerror(errno));
        good = false;
    } else if (receiver->parent >= 0 && !good) {
        (void)unlinkat(receiver->parent, receiver->part, 0);
    }
    close_file(receiver);
    return answer(receiver, good ? TRANSFER_GO : TRANSFER_DIFFERS, 0);
}

/* ------------------------------------------------------------------------------------------------
 * All */

/* From now on everything must come from this node. */
static int bind(struct receiver *receiver, uint16_t peer) {
    int error = 0;
    if (receiver->requests[0] != LIBEMP_NO_REQUEST)
        return 0;
    receiver->peer = peer;
    for (size_t i = 0; i < TRANSFER_WINDOW && !error; i++)
        error = post_content(receiver, i);
    return error;
}

static int handle(struct receiver *receiver, struct transfer_entry *entry) {
    switch (entry->kind) {
    case TRANSFER_DIRECTORY:
        return receiver->arguments->to_output ? answer(receiver, TRANSFER_REFUSED, 0)
                                              : make_directory(receiver, entry);
    case TRANSFER_FILE:
    case TRANSFER_STREAM: {
        const int error = begin_file(receiver, entry);
        return error || receiver->file < 0 ? error : receive_content(receiver);
    }
    case TRANSFER_SUM:
        return end_file(receiver, entry);
    case TRANSFER_END:
        return answer(receiver, receiver->incomplete ? TRANSFER_REFUSED : TRANSFER_GO, 0);
    }
    return -EPROTO;
}

static int receive_all(struct receiver *receiver) {
    static struct transfer_entry entry;
    struct tool_session *session = receiver->session;
    const struct tool_options *options = &receiver->arguments->common;
    do {
        struct libemp_completion completion;
        const bool first = receiver->requests[0] == LIBEMP_NO_REQUEST && receiver->next == 0;
        int error = tool_receive_message(
            session, receiver->peer, TOOL_TAG_ENTRY, receiver->message, TRANSFER_ENTRY_BYTES,
            first ? tool_patience_ns(options) : tool_timeout_ns(options), &completion);
        if (!error && !transfer_decode_entry(receiver->message_bytes, completion.length, &entry))
            return tool_say("node %u sends what `emp send` does not", completion.peer);
        if (!error)
            error = bind(receiver, completion.peer);
        if (!error)
            error = handle(receiver, &entry);
        if (error)
            return tool_fail(session, error, "receive");
    } while (entry.kind != TRANSFER_END);
    return receiver->incomplete ? TOOL_FAILED : TOOL_DONE;
}

static int prepare(struct receiver *receiver) {
    const struct arguments *arguments = receiver->arguments;
    if (!arguments->to_output) {
        receiver->directory = open(arguments->directory, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
        if (receiver->directory < 0)
            return tool_say("%s: %s", arguments->directory, strerror(errno));
    }
    const int status = tool_buffer(receiver->session, TRANSFER_ENTRY_BYTES,
                                   &receiver->message_bytes, &receiver->message);
    return status ? status
                  : tool_buffer(receiver->session, TRANSFER_WINDOW * TRANSFER_MESSAGE_BYTES,
                                &receiver->content_bytes, &receiver->content);
}

int tool_receive(int argc, char **argv) {
    struct arguments arguments = {.directory = ".", .peer = LIBEMP_ANY_SOURCE};
    static struct receiver receiver;
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    arguments.to_output = strcmp(arguments.directory, "-") == 0;
    tool_catch_signals();
    int status = tool_attach(&session, &arguments.common);
    if (status)
        return status;
    receiver = (struct receiver){.session = &session,
                                 .arguments = &arguments,
                                 .peer = arguments.peer,
                                 .directory = -1,
                                 .parent = -1,
                                 .file = -1,
                                 .progress.wanted = arguments.progress || isatty(STDERR_FILENO)};
    for (size_t i = 0; i < TRANSFER_WINDOW; i++)
        receiver.requests[i] = LIBEMP_NO_REQUEST;
    status = prepare(&receiver);
    if (!status) {
        (void)fprintf(stderr, "emp: waiting for a sender\n");
        status = receive_all(&receiver);
    }
    close_file(&receiver);
    if (receiver.directory >= 0)
        (void)close(receiver.directory);
    tool_close(&session, receiver.requests, TRANSFER_WINDOW);
    return status;
}
