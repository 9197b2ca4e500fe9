/* SPDX-License-Identifier: MIT */
/* emp recv: stores what `emp send` sends. */
#include "host/tools/store.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

struct arguments {
    struct tool_options common;
    bool progress;
    bool resume;
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
    struct store store;
    uint16_t peer; /* LIBEMP_ANY_SOURCE before the first entry */
    struct libemp_memory *message;
    uint8_t *message_bytes;
    struct libemp_memory *content;
    uint8_t *content_bytes;
    libemp_request requests[TRANSFER_WINDOW]; /* of content, a ring */
    uint64_t next;                            /* of them */
    bool incomplete;
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
 * Entries */

static const char *store_reason(int error) {
    switch (error) {
    case -EISDIR:
        return "a directory has this name; move it away, or receive elsewhere";
    case -EINVAL:
        return "`emp recv` gives such names to unfinished files; send it under another one";
    case -EBUSY:
        return "another `emp recv` is receiving it here";
    case -EBADMSG:
        return "its content differs from the sender's; send it again";
    default:
        return strerror(-error);
    }
}

/* Tells the sender what came of an entry, and the user what went wrong. */
static int answer_stored(struct receiver *receiver, const char *name, int error, uint64_t offset,
                         enum transfer_status failure) {
    if (error)
        (void)tool_say("%s: %s", name, store_reason(error));
    return answer(receiver, error ? failure : TRANSFER_GO, error ? 0 : offset);
}

static int make_directory(struct receiver *receiver, struct transfer_entry *entry) {
    const char *slash = strrchr(entry->path, '/');
    const char *last = slash ? slash + 1 : entry->path;
    const int error = store_make_directory(&receiver->store, entry->path, entry->mode);
    return answer_stored(receiver, last, error, 0, TRANSFER_REFUSED);
}

static int begin_file(struct receiver *receiver, struct transfer_entry *entry) {
    uint64_t offset = 0;
    const int error = store_begin(&receiver->store, entry, receiver->arguments->resume, &offset);
    transfer_progress_begin(&receiver->progress, receiver->store.name, entry->bytes - offset,
                            tool_now_ns(receiver->session));
    return answer_stored(receiver, receiver->store.name, error, offset, TRANSFER_REFUSED);
}

static int end_file(struct receiver *receiver, const struct transfer_entry *entry) {
    const int error = store_end(&receiver->store, entry->sum);
    return answer_stored(receiver, receiver->store.name, error, 0, TRANSFER_DIFFERS);
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
            error = store_write(&receiver->store, bytes, completion.length);
        if (error)
            return error;
        transfer_progress_step(&receiver->progress, completion.length,
                               tool_now_ns(receiver->session));
        error = post_content(receiver, place);
        receiver->next++;
        if (error || completion.length < TRANSFER_MESSAGE_BYTES)
            return error;
    }
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
        return make_directory(receiver, entry);
    case TRANSFER_FILE:
    case TRANSFER_STREAM: {
        const int error = begin_file(receiver, entry);
        return error || receiver->store.file < 0 ? error : receive_content(receiver);
    }
    case TRANSFER_SUM:
        return end_file(receiver, entry);
    case TRANSFER_END:
        return answer(receiver, receiver->incomplete ? TRANSFER_REFUSED : TRANSFER_GO, 0);
    }
    return -EPROTO;
}

/* Between files there is no progress to tell. */
static int fail(const struct receiver *receiver, int error) {
    const bool amid = receiver->store.file >= 0;
    const int status = tool_fail_peer(
        receiver->session, error, amid ? transfer_progress_text(&receiver->progress) : "receive",
        receiver->peer, "emp send");
    if (amid && receiver->store.parent >= 0)
        (void)tool_say("%s: what has come is kept; `emp recv --resume` goes on with it",
                       receiver->store.name);
    return status;
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
            return fail(receiver, error);
    } while (entry.kind != TRANSFER_END);
    return receiver->incomplete ? TOOL_FAILED : TOOL_DONE;
}

static int prepare(struct receiver *receiver) {
    int status = tool_check_peer(receiver->session, receiver->peer);
    if (!status)
        status = tool_buffer(receiver->session, TRANSFER_ENTRY_BYTES, &receiver->message_bytes,
                             &receiver->message);
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
    tool_catch_signals();
    receiver = (struct receiver){.session = &session,
                                 .arguments = &arguments,
                                 .peer = arguments.peer,
                                 .progress.wanted = arguments.progress || isatty(STDERR_FILENO)};
    const bool to_output = strcmp(arguments.directory, "-") == 0;
    const int error = store_open(&receiver.store, to_output ? NULL : arguments.directory);
    if (error)
        return tool_say("%s: %s", arguments.directory, strerror(-error));
    int status = tool_attach(&session, &arguments.common);
    if (status) {
        store_close(&receiver.store);
        return status;
    }
    for (size_t i = 0; i < TRANSFER_WINDOW; i++)
        receiver.requests[i] = LIBEMP_NO_REQUEST;
    status = prepare(&receiver);
    if (!status) {
        (void)fprintf(stderr, "emp: waiting for a sender\n");
        status = receive_all(&receiver);
    }
    store_close(&receiver.store);
    tool_close(&session, receiver.requests, TRANSFER_WINDOW);
    return status;
}
