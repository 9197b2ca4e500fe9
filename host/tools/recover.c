/* SPDX-License-Identifier: MIT */
/* Requests that nothing answers. A board goes on with what is posted when its program has ended,
 * and reads and writes memory that is no longer the program's. So a program leaves nothing behind:
 * what the board cannot end, ends as it is loaded again. The driver does all this itself. */
#include "host/tools/tool.h"

#include "emp/emp_layout.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LOOK_NS   UINT64_C(1000000)
#define GRACE_NS  UINT64_C(100000000)  /* to end what the board can end */
#define MARGIN_US UINT64_C(1000000)    /* beyond the silence time */
#define LINK_NS   UINT64_C(5000000000) /* for a link to come up again */

enum { REASON_BYTES = 512, COMMAND_BYTES = 1024 };

/* What a board is started with. */
struct configuration {
    struct board_status status;
    size_t peer_count;
    struct {
        uint16_t node;
        uint8_t address[6];
    } peers[EMP_NODE_LIMIT];
    uint32_t parameters[EMP_PARAMETER_COUNT];
};

void tool_cancel(struct tool_session *session, libemp_request request) {
    if (request == LIBEMP_NO_REQUEST || libemp_cancel(session->board, request) == -EINVAL)
        return; /* it has ended */
    if (session->left_count == TOOL_LEFT_LIMIT)
        (void)tool_recover(session);
    if (session->left_count == TOOL_LEFT_LIMIT)
        return; /* the board has stopped, or is stopped as it is closed */
    session->left[session->left_count++] = request;
}

/* -EIO is also the end of a request; the next look then finds that there is none. */
static void look(struct tool_session *session) {
    size_t kept = 0;
    for (size_t i = 0; i < session->left_count; i++) {
        const libemp_request request = session->left[i];
        (void)(libemp_give_up(session->board, request) == 0); /* where that is possible */
        const int error = libemp_test(session->board, request, NULL);
        if (error == -EAGAIN || error == -EIO)
            session->left[kept++] = request;
    }
    session->left_count = kept;
}

/* Until as many signals have come, too. */
static int settle(struct tool_session *session, uint64_t timeout_ns, int signals) {
    const uint64_t start = tool_now_ns(session);
    for (;;) {
        look(session);
        if (session->left_count == 0)
            return 0;
        if (tool_now_ns(session) - start >= timeout_ns || tool_stopped() >= signals)
            return -ETIMEDOUT;
        board_sleep_ns(libemp_hardware(session->board), LOOK_NS);
    }
}

int tool_settle(struct tool_session *session, uint64_t timeout_ns) {
    return settle(session, timeout_ns, INT32_MAX);
}

/* A message that is arriving ends when its sender has been silent for once to twice this time. */
static uint32_t silence_us(struct tool_session *session) {
    uint32_t value;
    const int index = libemp_find_parameter("silence_timeout");
    return index < 0 || libemp_parameter(session->board, (size_t)index, &value) ? 0 : value;
}

static int wait_silence(struct tool_session *session) {
    const uint64_t limit_us = 2 * (uint64_t)silence_us(session) + MARGIN_US;
    if (limit_us == MARGIN_US || board_link(libemp_hardware(session->board)) <= 0)
        return -ETIMEDOUT;
    (void)tool_say("%s: a message has begun; waiting until its node is given up as silent, at most "
                   "%.1f s. Interrupt again to load the board anew instead",
                   session->options->board, (double)limit_us / 1e6);
    return settle(session, limit_us * 1000, tool_stopped() + 1);
}

/* ------------------------------------------------------------------------------------------------
 * Loading again */

static int read_configuration(struct tool_session *session, struct configuration *configuration) {
    *configuration = (struct configuration){0};
    int error = board_status(libemp_hardware(session->board), &configuration->status);
    for (size_t i = 0; i < EMP_PARAMETER_COUNT && !error; i++)
        error = libemp_parameter(session->board, i, &configuration->parameters[i]);
    for (size_t node = 0; node < EMP_NODE_LIMIT && !error; node++) {
        configuration->peers[configuration->peer_count].node = (uint16_t)node;
        error = libemp_peer(session->board, (uint16_t)node,
                            configuration->peers[configuration->peer_count].address);
        configuration->peer_count += !error;
        error = error == -ENOENT ? 0 : error;
    }
    return error;
}

static int write_configuration(struct tool_session *session,
                               const struct configuration *configuration) {
    struct libemp_parameter_information information;
    int error = 0;
    for (size_t i = 0; i < configuration->peer_count && !error; i++)
        error = libemp_set_peer(session->board, configuration->peers[i].node,
                                configuration->peers[i].address);
    for (size_t i = 0; libemp_parameter_information(i, &information) && !error; i++)
        if (information.live && configuration->parameters[i] != information.initial)
            error = libemp_set_parameter(session->board, i, configuration->parameters[i]);
    return error;
}

/* The image that `emp load` would load, if it is of the specification that the board runs. */
static struct board_image *open_image(const struct configuration *configuration,
                                      const char **path) {
    struct board_image *image = NULL;
    struct board_image_information information;
    char reason[REASON_BYTES];
    *path = tool_default_image();
    if (!*path || board_image_open_explained(&image, *path, reason, sizeof reason))
        return NULL;
    board_image_information(image, &information);
    if (information.protocol_hash == configuration->status.protocol_hash)
        return image;
    board_image_close(image);
    return NULL;
}

static void add(char command[COMMAND_BYTES], const char *option, const uint8_t *address) {
    const size_t used = strlen(command);
    (void)snprintf(command + used, COMMAND_BYTES - used, "%s%02x:%02x:%02x:%02x:%02x:%02x", option,
                   address[0], address[1], address[2], address[3], address[4], address[5]);
}

/* What the user would type. */
static void describe(const struct tool_session *session, const struct configuration *configuration,
                     char command[COMMAND_BYTES]) {
    char option[32];
    (void)snprintf(command, COMMAND_BYTES, "emp load --board=%s --node=%u", session->options->board,
                   configuration->status.node);
    add(command, " --mac=", configuration->status.mac_address);
    for (size_t i = 0; i < configuration->peer_count; i++) {
        (void)snprintf(option, sizeof option, " --peer=%u=", configuration->peers[i].node);
        add(command, option, configuration->peers[i].address);
    }
}

static int start(struct tool_session *session, const struct configuration *configuration,
                 const struct board_image *image) {
    struct board_start_options options = {.node = configuration->status.node};
    memcpy(options.mac_address, configuration->status.mac_address, sizeof options.mac_address);
    int error = libemp_start(session->board, image, &options);
    if (!error)
        error = write_configuration(session, configuration);
    /* A board whose partner is away has no link, and needs none. */
    if (!error && configuration->status.link)
        (void)(board_wait_link(libemp_hardware(session->board), LINK_NS) == 0);
    return error;
}

static int load_again(struct tool_session *session) {
    const char *board = session->options->board;
    struct configuration configuration;
    char command[COMMAND_BYTES];
    const char *path = NULL;
    int status = TOOL_FAILED;
    const bool cancels = silence_us(session) != 0;
    int error = read_configuration(session, &configuration);
    struct board_image *image = error ? NULL : open_image(&configuration, &path);
    if (!error)
        error = libemp_stop(session->board);
    session->left_count = 0;
    describe(session, &configuration, command);
    (void)tool_say(
        "%s: a message was not delivered, and the board would go on using this program's "
        "memory%s",
        board, cancels ? "" : "; this profile cannot take a message back");
    if (error)
        (void)tool_fail(session, error, board);
    else if (!image)
        (void)tool_say("%s: stopped, because no image of its specification is installed. Load it "
                       "again: %s IMAGE",
                       board, command);
    else if ((error = start(session, &configuration, image)) != 0)
        (void)tool_say("%s: loading it again failed: %s. Try: %s", board,
                       tool_reason(session, error), command);
    else
        status = TOOL_DONE;
    if (!status)
        (void)tool_say("%s: loaded again from %s, with its node number, addresses and parameters",
                       board, path);
    board_image_close(image);
    return status;
}

int tool_recover(struct tool_session *session) {
    if (session->left_count == 0)
        return TOOL_DONE;
    if (tool_is_driven(session)) {
        session->left_count = 0;
        return TOOL_DONE;
    }
    /* Firmware that stopped stays as it is, for `emp dump`. */
    if (board_check_running(libemp_hardware(session->board)))
        return tool_fail(session, -EIO, session->options->board);
    if (tool_settle(session, GRACE_NS) == 0 || wait_silence(session) == 0)
        return TOOL_DONE;
    return load_again(session);
}
