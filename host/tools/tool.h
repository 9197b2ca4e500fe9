/* SPDX-License-Identifier: MIT */
/* What the subcommands of `emp` share: options, the board, results, signals. */
#ifndef HOST_TOOLS_TOOL_H
#define HOST_TOOLS_TOOL_H

#include "host/emp/libemp.h"

#include <argp.h>
#include <cjson/cJSON.h>
#include <signal.h>
#include <stdio.h>

/* Exit statuses, of every subcommand. */
enum {
    TOOL_DONE = 0,
    TOOL_FAILED = 1,
    TOOL_USAGE = 2,
    TOOL_TIMED_OUT = 3 /* the other side did not answer, or went away */
};

/* ------------------------------------------------------------------------------------------------
 * Subcommands; each parses its own arguments, argv[0] is "emp NAME". */

int tool_dump(int argc, char **argv);
int tool_image(int argc, char **argv);
int tool_info(int argc, char **argv);
int tool_install(int argc, char **argv);
int tool_load(int argc, char **argv);
int tool_param(int argc, char **argv);
int tool_perf(int argc, char **argv);
int tool_ping(int argc, char **argv);
int tool_receive(int argc, char **argv);
int tool_send(int argc, char **argv);
int tool_stat(int argc, char **argv);
int tool_trace(int argc, char **argv);

/* ------------------------------------------------------------------------------------------------
 * Options */

struct tool_options {
    const char *board;
    bool json;
    double timeout_s; /* of the board's clock; negative: not given */
    bool ends_in_memory;
    void (*progress)(void *context, const char *step, size_t done, size_t total); /* of a start */
};

/* What becomes of an option's text. */
enum tool_kind {
    TOOL_OWN,     /* the subcommand's parser takes it */
    TOOL_FLAG,    /* a bool */
    TOOL_NUMBER,  /* an unsigned integer of any size, within limits */
    TOOL_NODE,    /* a uint16_t */
    TOOL_SECONDS, /* a double */
    TOOL_TEXT     /* a const char * */
};

struct tool_option {
    struct argp_option option;
    enum tool_kind kind;
    size_t at; /* in the subcommand's arguments */
    size_t bytes;
    uint64_t least; /* of a number */
    uint64_t most;
};

enum { TOOL_OPTION_LIMIT = 16 };

/* Where in `struct arguments` an option goes: behind its struct argp_option. */
#define TOOL_FIELD(field)                  offsetof(struct arguments, field), sizeof(((struct arguments *)0)->field)
#define TOOL_TO_FLAG(field)                TOOL_FLAG, TOOL_FIELD(field), 0, 0
#define TOOL_TO_NUMBER(field, least, most) TOOL_NUMBER, TOOL_FIELD(field), (least), (most)
#define TOOL_TO_NODE(field)                TOOL_NODE, TOOL_FIELD(field), 0, 0
#define TOOL_TO_SECONDS(field)             TOOL_SECONDS, TOOL_FIELD(field), 0, 0
#define TOOL_TO_TEXT(field)                TOOL_TEXT, TOOL_FIELD(field), 0, 0
#define TOOL_TO_PARSER                     TOOL_OWN, 0, 0, 0, 0

struct tool_syntax {
    const struct tool_option *options; /* the last one has no name; NULL: none */
    argp_parser_t parser; /* for arguments and TOOL_TO_PARSER, never ARGP_KEY_INIT; NULL: none */
    const char *arguments;
    const char *description;
};

/* Parses the arguments of a subcommand with a board: by its syntax, and the options that all of
 * them take. `arguments` begins with a struct tool_options, which is set; it is the input of the
 * parser. TOOL_DONE or TOOL_USAGE; after --help and what argp_error says the program has ended. */
int tool_parse(const struct tool_syntax *syntax, int argc, char **argv, void *arguments);
/* How long to wait for a side that should answer; and for one that may come at any time: only as
 * long as the option says, else for ever. */
uint64_t tool_timeout_ns(const struct tool_options *options);
uint64_t tool_patience_ns(const struct tool_options *options);

/* Numbers in arguments; a bad one ends the program with status 2 and says what was expected. A size
 * may end with k, M or G. */
uint64_t tool_number(struct argp_state *state, const char *text, uint64_t least, uint64_t most);
double tool_seconds(struct argp_state *state, const char *text);
uint16_t tool_node(struct argp_state *state, const char *text);
/* The only argument of a subcommand; another one is refused. */
const char *tool_only_argument(struct argp_state *state, const char *text);
/* The Ethernet address of one station; a group has none, and 0 is no address. */
bool tool_parse_address(const char *text, uint8_t address[6]);

/* ------------------------------------------------------------------------------------------------
 * Boards */

enum { TOOL_LEFT_LIMIT = 128 /* more than a subcommand posts */ };

struct tool_session {
    struct libemp_board *board;
    const struct tool_options *options;
    libemp_request left[TOOL_LEFT_LIMIT]; /* cancelled, but not ended */
    size_t left_count;
};

/* Opens the board; waits some seconds if another program uses it. After a failure there is a
 * message and the result is an exit status. */
int tool_open(struct tool_session *session, const struct tool_options *options);
/* The same, and attaches to its firmware. */
int tool_attach(struct tool_session *session, const struct tool_options *options);
/* Whether a driver posts for this program, and keeps the board running (host/board/device.h). */
bool tool_is_driven(const struct tool_session *session);
/* Cancels what is still posted, so that the next program finds a board that works, and closes.
 * NO_REQUEST entries are skipped. */
void tool_close(struct tool_session *session, const libemp_request *posted, size_t count);

/* ------------------------------------------------------------------------------------------------
 * Peers (peer.c) */

/* Before anything is posted for a node: is it another node, and does the board know its address?
 * LIBEMP_ANY_SOURCE is. TOOL_DONE, or a status after a message. */
int tool_check_peer(struct tool_session *session, uint16_t peer);
/* The same, and waits until the link is up, as long as the options say. */
int tool_reach_peer(struct tool_session *session, uint16_t peer);
/* As tool_fail, for a message to or from a node where `partner` should run; also says what to do.
 */
int tool_fail_peer(const struct tool_session *session, int error, const char *what, uint16_t peer,
                   const char *partner);

/* ------------------------------------------------------------------------------------------------
 * Requests that nothing answers (recover.c) */

/* Cancels a request. What has not ended yet is then in `left`, and its memory still in use. */
void tool_cancel(struct tool_session *session, libemp_request request);
#define TOOL_SETTLE_NS UINT64_C(50000000) /* for requests to end that the board can end */
/* Waits until nothing is left. In `modern` the board gives up nodes that do not take a message that
 * is left. 0, or -ETIMEDOUT. */
int tool_settle(struct tool_session *session, uint64_t timeout_ns);
/* The same, by all means: what the board cannot end within the silence time, or at all, ends as the
 * board is loaded again, with the node number, addresses and parameters that it has. Says so.
 * TOOL_DONE, or a status after a message; then the board is stopped. */
int tool_recover(struct tool_session *session);

/* ------------------------------------------------------------------------------------------------
 * Messages */

/* Why something failed, for people. */
const char *tool_reason(const struct tool_session *session, int error);
/* Prints what failed and why; the exit status for `error`. */
int tool_fail(const struct tool_session *session, int error, const char *what);
/* Prints a message of the tool's own; the value is TOOL_FAILED. */
int tool_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
int tool_status(int error);

/* Memory of the board, registered. TOOL_DONE or a status after a message. */
int tool_buffer(struct tool_session *session, size_t bytes, uint8_t **buffer,
                struct libemp_memory **memory);

/* Time of the board's clock since a moment, in nanoseconds, and waiting. */
uint64_t tool_now_ns(const struct tool_session *session);
void tool_sleep_s(const struct tool_session *session, double seconds);

/* How many of SIGINT, SIGTERM, SIGHUP and SIGPIPE have come; loops end at the first. */
int tool_stopped(void);
void tool_catch_signals(void);

/* As libemp_wait, and libemp_wait_any, in slices, so that a signal ends it, with -EINTR; the
 * request is then posted. */
int tool_wait(struct tool_session *session, libemp_request request, uint64_t timeout_ns,
              struct libemp_completion *completion);
int tool_wait_any(struct tool_session *session, const libemp_request *requests, size_t count,
                  uint64_t timeout_ns, size_t *index);

/* Tags of messages between programs of `emp`. They fit every profile. */
enum {
    TOOL_TAG_PING = 0x5001,
    TOOL_TAG_PONG = 0x5002,
    TOOL_TAG_PERF_REQUEST = 0x5003,
    TOOL_TAG_PERF_REPLY = 0x5004,
    TOOL_TAG_PERF_DATA = 0x5005,
    TOOL_TAG_ENTRY = 0x5010, /* of a transfer: host/tools/transfer.h */
    TOOL_TAG_ANSWER = 0x5011,
    TOOL_TAG_CONTENT = 0x5012
};

/* Sends memory from its beginning and waits until it has arrived; receives into it, from one node.
 * 0 or a negative errno value. After a time-out the request has been cancelled (tool_cancel). A
 * send that meets a node that was restarted is repeated once: such a node knows nothing of the one
 * before, and the first message to it ends so, even if one from it has come. */
int tool_send_message(struct tool_session *session, uint16_t peer, uint64_t tag,
                      struct libemp_memory *memory, size_t bytes, uint64_t timeout_ns);
int tool_receive_message(struct tool_session *session, uint16_t peer, uint64_t tag,
                         struct libemp_memory *memory, size_t bytes, uint64_t timeout_ns,
                         struct libemp_completion *completion);
/* The image that `emp` loads if none is named: $EMP_IMAGE, the one installed with this program, or
 * that of the system. NULL: none of these exists. The text is overwritten by the next call. */
const char *tool_default_image(void);

/* ------------------------------------------------------------------------------------------------
 * Results, as lines for people or as one JSON object */

struct tool_report {
    cJSON *object; /* NULL: as text, at once */
};

void tool_report_begin(struct tool_report *report, bool json);
void tool_report_text(struct tool_report *report, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void tool_report_number(struct tool_report *report, const char *name, double value,
                        const char *unit);
void tool_report_end(struct tool_report *report);
/* Prints an object on one line, and frees it. */
void tool_print_json(cJSON *object);

#endif
