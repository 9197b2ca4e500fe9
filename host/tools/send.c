/* SPDX-License-Identifier: MIT */
/* emp send: files, directories and streams to a node where `emp recv` runs. */
#include "host/tools/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <limits.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct arguments {
    struct tool_options common;
    bool progress;
    const char *name; /* of standard input */
    uint16_t peer;
    char **paths;
    size_t path_count;
};

static const struct tool_option option_table[] = {
    {{"progress", 'p', NULL, 0, "Report progress on standard error", 0}, TOOL_TO_FLAG(progress)},
    {{"name", 'N', "NAME", 0, "Name for standard input (default: stdin)", 0}, TOOL_TO_TEXT(name)},
    {.kind = TOOL_OWN},
};

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    (void)text;
    switch (key) {
    case ARGP_KEY_ARGS:
        arguments->peer = tool_node(state, state->argv[state->next]);
        arguments->paths = state->argv + state->next + 1;
        arguments->path_count = (size_t)(state->argc - state->next - 1);
        if (arguments->path_count == 0)
            argp_error(state, "expected what to send: paths, or - for standard input");
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "expected the node to send to");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct tool_syntax syntax = {
    .options = option_table,
    .parser = parse,
    .arguments = "NODE PATH...",
    .description =
        "Sends files, whole directories, or with - what standard input gives, to a node where "
        "`emp recv` runs. Each file is compared by its SHA-256 at the end. Links and special "
        "files are refused as PATH, and left out below a directory, with a message.",
};

struct sender {
    struct tool_session *session;
    const struct arguments *arguments;
    struct transfer_progress progress;
    struct libemp_memory *message; /* of an entry or an answer */
    uint8_t *message_bytes;
    struct libemp_memory *content; /* TRANSFER_WINDOW messages */
    uint8_t *content_bytes;
    bool incomplete; /* something was left out */
};

static bool is_stream(const char *path) {
    return strcmp(path, "-") == 0;
}

/* Sends an entry and waits for its answer. A status after a message. */
static int ask(struct sender *sender, const struct transfer_entry *entry,
               struct transfer_answer *answer) {
    struct tool_session *session = sender->session;
    const uint16_t peer = sender->arguments->peer;
    const uint64_t timeout = tool_timeout_ns(&sender->arguments->common);
    struct libemp_completion completion = {0};
    int error = tool_send_message(session, peer, TOOL_TAG_ENTRY, sender->message,
                                  transfer_encode_entry(entry, sender->message_bytes), timeout);
    if (!error)
        error = tool_receive_message(session, peer, TOOL_TAG_ANSWER, sender->message,
                                     TRANSFER_ANSWER_BYTES, timeout, &completion);
    if (error)
        return tool_fail_peer(session, error,
                              *entry->path                  ? entry->path
                              : entry->kind == TRANSFER_SUM ? sender->progress.path
                                                            : "the end of the transfer",
                              peer, "emp recv");
    if (!transfer_decode_answer(sender->message_bytes, completion.length, answer))
        return tool_say("node %u: its answer is not one of `emp recv`", peer);
    return TOOL_DONE;
}

/* Reads until the buffer is full or the file ends. Negative: an errno value. */
static ssize_t read_full(int file, uint8_t *buffer, size_t bytes) {
    size_t done = 0;
    while (done < bytes) {
        const ssize_t now = read(file, buffer + done, bytes - done);
        if (now < 0 && errno == EINTR && !tool_stopped())
            continue;
        if (now < 0)
            return -errno;
        if (now == 0)
            break;
        done += (size_t)now;
    }
    return (ssize_t)done;
}

/* The part that the other side has already; it counts for the sum. */
static int hash_prefix(struct sender *sender, int file, uint64_t bytes, struct sha256_ctx *hash) {
    while (bytes > 0) {
        const size_t part = bytes < TRANSFER_MESSAGE_BYTES ? (size_t)bytes : TRANSFER_MESSAGE_BYTES;
        const ssize_t count = read_full(file, sender->content_bytes, part);
        if (count < 0)
            return (int)count;
        if ((size_t)count < part)
            return -ENODATA;
        sha256_update(hash, part, sender->content_bytes);
        bytes -= part;
    }
    return 0;
}

static int send_content(struct sender *sender, int file, struct sha256_ctx *hash) {
    struct tool_session *session = sender->session;
    const uint64_t timeout = tool_timeout_ns(&sender->arguments->common);
    libemp_request requests[TRANSFER_WINDOW];
    uint64_t posted = 0;
    uint64_t finished = 0;
    bool last = false;
    int error = 0;
    while (!error && (!last || finished < posted)) {
        if (!last && posted - finished < TRANSFER_WINDOW) {
            const size_t place = posted % TRANSFER_WINDOW;
            const size_t offset = place * TRANSFER_MESSAGE_BYTES;
            const ssize_t count =
                read_full(file, sender->content_bytes + offset, TRANSFER_MESSAGE_BYTES);
            if (count < 0) {
                error = (int)count;
                break;
            }
            const struct libemp_piece piece = {sender->content, offset, (size_t)count};
            sha256_update(hash, piece.length, sender->content_bytes + offset);
            error = libemp_post_send(session->board, sender->arguments->peer, TOOL_TAG_CONTENT,
                                     &piece, 1, &requests[place]);
            posted += !error;
            last = piece.length < TRANSFER_MESSAGE_BYTES;
        } else {
            struct libemp_completion completion = {0};
            error = tool_wait(session, requests[finished % TRANSFER_WINDOW], timeout, &completion);
            if (!error) {
                finished++;
                transfer_progress_step(&sender->progress, completion.length, tool_now_ns(session));
            }
        }
    }
    for (uint64_t i = finished; i < posted; i++)
        tool_cancel(session, requests[i % TRANSFER_WINDOW]);
    return error;
}

/* -ENODATA: of the file, not of a message. */
static int fail_content(const struct sender *sender, int error) {
    const char *text = transfer_progress_text(&sender->progress);
    return error == -ENODATA
               ? tool_say("%s: shorter than the part that the other side has of it; receive it "
                          "without --resume",
                          sender->progress.path)
               : tool_fail_peer(sender->session, error, text, sender->arguments->peer, "emp recv");
}

/* A file or stream, open as `file`. */
static int send_open(struct sender *sender, int file, struct transfer_entry *entry) {
    struct transfer_answer answer = {0};
    struct sha256_ctx hash;
    int status = ask(sender, entry, &answer);
    if (status)
        return status;
    if (answer.status != TRANSFER_GO) {
        sender->incomplete = true;
        (void)tool_say("%s: the other side cannot store it", entry->path);
        return TOOL_DONE;
    }
    transfer_progress_begin(&sender->progress, entry->path,
                            entry->bytes > answer.offset ? entry->bytes - answer.offset : 0,
                            tool_now_ns(sender->session));
    sha256_init(&hash);
    int error = hash_prefix(sender, file, answer.offset, &hash);
    if (!error)
        error = send_content(sender, file, &hash);
    if (error)
        return fail_content(sender, error);
    struct transfer_entry sum = {.kind = TRANSFER_SUM};
    sha256_digest(&hash, sizeof sum.sum, sum.sum);
    status = ask(sender, &sum, &answer);
    if (!status && answer.status != TRANSFER_GO) {
        sender->incomplete = true;
        (void)tool_say("%s: the other side could not keep it; it says why", entry->path);
    }
    return status;
}

static int send_file(struct sender *sender, const char *path, struct transfer_entry *entry) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) {
        sender->incomplete = true;
        (void)tool_say("%s: %s", path, strerror(errno));
        return TOOL_DONE;
    }
    const int status = send_open(sender, file, entry);
    (void)close(file);
    return status;
}

static int send_directory(struct sender *sender, const struct transfer_entry *entry) {
    struct transfer_answer answer = {0};
    const int status = ask(sender, entry, &answer);
    if (!status && answer.status != TRANSFER_GO) {
        sender->incomplete = true;
        (void)tool_say("%s: the other side cannot make this directory", entry->path);
    }
    return status;
}

static int compare_names(const FTSENT **left, const FTSENT **right) {
    return strcmp((*left)->fts_name, (*right)->fts_name);
}

/* What a walk finds; `skipped` bytes of its path lead to the argument's own name. */
static int send_found(struct sender *sender, const FTSENT *found, size_t skipped) {
    static struct transfer_entry entry;
    if (found->fts_info == FTS_DP)
        return TOOL_DONE;
    entry = (struct transfer_entry){.mode = found->fts_statp->st_mode & 0777,
                                    .bytes = (uint64_t)found->fts_statp->st_size};
    if (snprintf(entry.path, sizeof entry.path, "%s", found->fts_path + skipped) >=
        (int)sizeof entry.path) {
        sender->incomplete = true;
        (void)tool_say("%s: the path is too long", found->fts_path);
        return TOOL_DONE;
    }
    entry.kind = found->fts_info == FTS_D ? TRANSFER_DIRECTORY : TRANSFER_FILE;
    if (found->fts_info == FTS_D)
        return send_directory(sender, &entry);
    if (found->fts_info == FTS_F)
        return send_file(sender, found->fts_accpath, &entry);
    sender->incomplete = true;
    (void)tool_say("%s: left out: %s", found->fts_path,
                   found->fts_errno ? strerror(found->fts_errno)
                                    : "neither a file nor a directory");
    return TOOL_DONE;
}

/* The argument is neither a link nor missing (check_path). */
static int send_path(struct sender *sender, const char *path) {
    char *whole = realpath(path, NULL); /* "." and ".." get a name */
    if (!whole) {
        sender->incomplete = true;
        (void)tool_say("%s: %s", path, strerror(errno));
        return TOOL_DONE;
    }
    const size_t skipped = (size_t)(strrchr(whole, '/') + 1 - whole);
    char *const list[] = {whole, NULL};
    FTS *walk = fts_open(list, FTS_PHYSICAL | FTS_NOCHDIR, compare_names);
    int status = walk ? TOOL_DONE : tool_say("%s: %s", path, strerror(errno));
    const FTSENT *found;
    while (!status && (found = fts_read(walk)) != NULL)
        status = tool_stopped() ? tool_fail(sender->session, -EINTR, found->fts_path)
                                : send_found(sender, found, skipped);
    if (walk)
        (void)fts_close(walk);
    free(whole);
    return status;
}

static int send_all(struct sender *sender) {
    const struct arguments *arguments = sender->arguments;
    static struct transfer_entry entry;
    struct transfer_answer answer = {0};
    int status = tool_reach_peer(sender->session, arguments->peer);
    if (!status)
        status = tool_buffer(sender->session, TRANSFER_ENTRY_BYTES, &sender->message_bytes,
                             &sender->message);
    if (!status)
        status = tool_buffer(sender->session, TRANSFER_WINDOW * TRANSFER_MESSAGE_BYTES,
                             &sender->content_bytes, &sender->content);
    for (size_t i = 0; !status && i < arguments->path_count; i++) {
        if (!is_stream(arguments->paths[i])) {
            status = send_path(sender, arguments->paths[i]);
            continue;
        }
        entry = (struct transfer_entry){.kind = TRANSFER_STREAM, .mode = 0644};
        (void)snprintf(entry.path, sizeof entry.path, "%s", arguments->name);
        status = send_open(sender, STDIN_FILENO, &entry);
    }
    if (!status) {
        entry = (struct transfer_entry){.kind = TRANSFER_END};
        status = ask(sender, &entry, &answer);
    }
    return status ? status : sender->incomplete ? TOOL_FAILED : TOOL_DONE;
}

/* ------------------------------------------------------------------------------------------------
 * Arguments, before anything is posted */

/* Can it be sent? Else says why not. */
static bool check_path(const char *path) {
    struct stat status;
    char whole[PATH_MAX];
    if (lstat(path, &status) != 0)
        return tool_say("%s: %s", path, strerror(errno)), false;
    if (S_ISLNK(status.st_mode))
        return tool_say("%s: a link, and links are not sent; expected a file or directory%s%s",
                        path, realpath(path, whole) ? ", such as " : "",
                        realpath(path, whole) ? whole : ""),
               false;
    if (realpath(path, whole) && whole[1] == 0)
        return tool_say("%s: has no name for the other side; expected a directory below it", path),
               false;
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return tool_say("%s: expected a file, a directory or -, found something else", path), false;
    if (access(path, S_ISDIR(status.st_mode) ? R_OK | X_OK : R_OK) != 0)
        return tool_say("%s: %s", path, strerror(errno)), false;
    return true;
}

/* The name that the other side sees: "." and ".." have one, too. */
static bool name_of(const struct arguments *arguments, const char *path, char name[PATH_MAX]) {
    char whole[PATH_MAX];
    const char *found = is_stream(path) ? arguments->name : realpath(path, whole);
    if (!found)
        return false;
    (void)snprintf(name, PATH_MAX, "%s", is_stream(path) ? found : strrchr(found, '/') + 1);
    return true;
}

/* Of two with one name the second would take the first one's place. */
static bool check_names(const struct arguments *arguments) {
    char name[PATH_MAX];
    char other[PATH_MAX];
    for (size_t i = 0; i < arguments->path_count; i++)
        for (size_t k = 0; k < i; k++)
            if (name_of(arguments, arguments->paths[i], name) &&
                name_of(arguments, arguments->paths[k], other) && strcmp(name, other) == 0)
                return tool_say("%s and %s: both would be %s at the other side; send one after "
                                "the other, into different directories",
                                arguments->paths[k], arguments->paths[i], name),
                       false;
    return true;
}

static int check_arguments(const struct arguments *arguments) {
    bool good = true;
    if (!transfer_is_path(arguments->name)) {
        (void)tool_say("--name: expected a name without .. and not longer than %d bytes, found %s",
                       TRANSFER_PATH_BYTES, arguments->name);
        return TOOL_USAGE;
    }
    for (size_t i = 0; i < arguments->path_count; i++)
        good &= is_stream(arguments->paths[i]) || check_path(arguments->paths[i]);
    if (!good)
        return tool_say("nothing was sent");
    return check_names(arguments) ? TOOL_DONE : TOOL_FAILED;
}

int tool_send(int argc, char **argv) {
    struct arguments arguments = {.name = "stdin"};
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    tool_catch_signals();
    int status = check_arguments(&arguments);
    if (!status)
        status = tool_attach(&session, &arguments.common);
    if (status)
        return status;
    struct sender sender = {.session = &session,
                            .arguments = &arguments,
                            .progress.wanted = arguments.progress || isatty(STDERR_FILENO)};
    status = send_all(&sender);
    tool_close(&session, NULL, 0);
    return status;
}
