/* SPDX-License-Identifier: MIT */
/* emp load: from an image file to running firmware. The image is checked before the board is
 * touched. */
#include "host/tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ONE_STATION "the address of one station such as 02:54:47:00:00:01"

enum { PEER_LIMIT = 256, REASON_BYTES = 512, MAC_TEXT = 18 };

struct peer {
    uint16_t node;
    uint8_t address[6];
};

struct arguments {
    struct tool_options common;
    const char *image;
    bool force;
    bool wait_link;
    bool has_address; /* start.mac_address */
    struct board_start_options start;
    size_t peer_count;
    struct peer peers[PEER_LIMIT];
};

static const struct tool_option option_table[] = {
    {{"node", 'n', "NUMBER", 0, "The board's own node number (default 0)", 0},
     TOOL_TO_NODE(start.node)},
    {{"peer", 'p', "NODE=MAC", 0, "Ethernet address of another node; repeatable", 0},
     TOOL_TO_PARSER},
    {{"force", 'f', NULL, 0, "Also a board whose firmware runs; its messages are lost", 0},
     TOOL_TO_FLAG(force)},
    {{"wait-link", 'w', NULL, 0, "Return only when the link is up", 0}, TOOL_TO_FLAG(wait_link)},
    {{"mac", 'M', "MAC", 0, "Own Ethernet address (default: the one in the board's EEPROM)", 0},
     TOOL_TO_PARSER},
    {{"epoch", 'e', "NUMBER", 0, "Incarnation (default: counted in the board's EEPROM)", 0},
     TOOL_TO_NUMBER(start.epoch, 1, UINT16_MAX)},
    {.kind = TOOL_OWN},
};

static void add_peer(struct arguments *arguments, char *text, struct argp_state *state) {
    char *equals = strchr(text, '=');
    struct peer *peer = &arguments->peers[arguments->peer_count];
    if (!equals || !tool_parse_address(equals + 1, peer->address)) {
        argp_error(state, "expected --peer NODE=MAC, with " ONE_STATION ", found %s", text);
        return; /* which never happens */
    }
    if (arguments->peer_count == PEER_LIMIT)
        argp_error(state, "expected at most %d peers", PEER_LIMIT);
    *equals = 0;
    peer->node = tool_node(state, text);
    arguments->peer_count++;
}

/* What no option shows by itself. */
static void check_start(const struct arguments *arguments, struct argp_state *state) {
    const struct board_start_options *start = &arguments->start;
    if (start->epoch && start->epoch % 256 == 0)
        argp_error(state, "expected an --epoch whose low byte is not 0, found %u", start->epoch);
    for (size_t i = 0; i < arguments->peer_count; i++) {
        const struct peer *peer = &arguments->peers[i];
        if (peer->node == start->node)
            argp_error(state, "--peer: node %u is the board's own number (--node)", peer->node);
        if (arguments->has_address && memcmp(peer->address, start->mac_address, 6) == 0)
            argp_error(state, "--peer: node %u has the board's own address (--mac)", peer->node);
        for (size_t k = 0; k < i; k++) {
            const struct peer *other = &arguments->peers[k];
            if (other->node == peer->node)
                argp_error(state, "--peer: node %u is there twice", peer->node);
            if (memcmp(other->address, peer->address, 6) == 0)
                argp_error(state, "--peer: nodes %u and %u have one address", other->node,
                           peer->node);
        }
    }
}

static error_t parse(int key, char *text, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'p':
        add_peer(arguments, text, state);
        return 0;
    case 'M':
        if (!tool_parse_address(text, arguments->start.mac_address))
            argp_error(state, "expected --mac " ONE_STATION ", found %s", text);
        arguments->has_address = true;
        return 0;
    case ARGP_KEY_END:
        check_start(arguments, state);
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->image)
            argp_error(state, "expected one image, found %s, too", text);
        arguments->image = text;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct tool_syntax syntax = {
    .options = option_table,
    .parser = parse,
    .arguments = "[IMAGE]",
    .description =
        "Loads a firmware image into a board, reads it back, starts it and waits until it is "
        "ready. This card has no flash memory for firmware: it must be loaded after each power "
        "cycle. A board of the Linux driver takes no IMAGE: the driver loads its own.\v"
        "Without IMAGE: $EMP_IMAGE, or the image that was installed with emp. A damaged, "
        "foreign or too large image is refused before the board is touched.",
};

static void show_progress(void *context, const char *step, size_t done, size_t total) {
    (void)context;
    if (isatty(STDERR_FILENO))
        (void)fprintf(stderr, "\r%-8s %3zu %%%s", step, total ? 100 * done / total : 100,
                      strcmp(step, "start") == 0 && done == total ? "\n" : "");
}

/* A board that runs is somebody's. */
static int check_free(struct tool_session *session, const struct arguments *arguments) {
    struct board_status status;
    struct board *hardware = libemp_hardware(session->board);
    if (arguments->force || board_attach(hardware, 0) || board_status(hardware, &status))
        return TOOL_DONE;
    return tool_say("%s: firmware of specification 0x%08" PRIX32
                    " runs as node %u; --force loads over it, and loses its messages",
                    arguments->common.board, status.protocol_hash, status.node);
}

static int set_peers(struct tool_session *session, const struct arguments *arguments) {
    for (size_t i = 0; i < arguments->peer_count; i++) {
        const int error =
            libemp_set_peer(session->board, arguments->peers[i].node, arguments->peers[i].address);
        if (error)
            return tool_fail(session, error, "--peer");
    }
    return TOOL_DONE;
}

static void report_image(struct tool_report *report, const struct arguments *arguments,
                         const struct board_image *image) {
    struct board_image_information information;
    board_image_information(image, &information);
    tool_report_text(report, "image", "%s", arguments->image);
    if (information.flashable)
        tool_report_text(report, "version", "%u.%u.%u", information.version[0],
                         information.version[1], information.version[2]);
    tool_report_text(report, "protocol", "%s %s", information.protocol, information.profile);
    tool_report_number(report, "verified", information.load_bytes, "bytes");
}

/* `image` is NULL where a driver has its own. */
static int report(struct tool_session *session, const struct arguments *arguments,
                  const struct board_image *image) {
    struct board_status status;
    struct tool_report report;
    const int error = board_status(libemp_hardware(session->board), &status);
    if (error)
        return tool_fail(session, error, "status");
    tool_report_begin(&report, arguments->common.json);
    if (image)
        report_image(&report, arguments, image);
    else
        tool_report_text(&report, "image", "the driver's");
    tool_report_text(&report, "specification", "0x%08" PRIX32, status.protocol_hash);
    tool_report_number(&report, "node", status.node, "");
    tool_report_text(&report, "mac_address", "%02x:%02x:%02x:%02x:%02x:%02x", status.mac_address[0],
                     status.mac_address[1], status.mac_address[2], status.mac_address[3],
                     status.mac_address[4], status.mac_address[5]);
    tool_report_number(&report, "incarnation", status.epoch, "");
    tool_report_text(&report, "link", status.link ? "up" : "down");
    tool_report_end(&report);
    return TOOL_DONE;
}

static int load(struct tool_session *session, const struct arguments *arguments,
                const struct board_image *image) {
    int status = check_free(session, arguments);
    if (status)
        return status;
    int error = libemp_start(session->board, image, &arguments->start);
    if (error)
        return tool_fail(session, error, arguments->common.board);
    status = set_peers(session, arguments);
    if (status)
        return status;
    if (arguments->wait_link) {
        error =
            board_wait_link(libemp_hardware(session->board), tool_timeout_ns(&arguments->common));
        if (error)
            return tool_fail(session, error, "link");
    }
    return report(session, arguments, image);
}

static int open_image(struct arguments *arguments, struct board_image **image) {
    char reason[REASON_BYTES];
    return board_image_open_explained(image, arguments->image, reason, sizeof reason)
               ? tool_say("%s", reason)
               : TOOL_DONE;
}

/* A named image is checked before the board is touched. */
static int choose_image(const struct tool_session *session, struct arguments *arguments,
                        struct board_image **image) {
    if (tool_is_driven(session))
        return *image ? tool_say("%s: its driver loads the firmware itself; expected no image",
                                 arguments->common.board)
                      : TOOL_DONE;
    if (*image)
        return TOOL_DONE;
    arguments->image = tool_default_image();
    return arguments->image ? open_image(arguments, image)
                            : tool_say("which image? none is installed; expected IMAGE or "
                                       "EMP_IMAGE");
}

int tool_load(int argc, char **argv) {
    static struct arguments arguments;
    struct board_image *image = NULL;
    struct tool_session session;
    if (tool_parse(&syntax, argc, argv, &arguments))
        return TOOL_USAGE;
    arguments.common.progress = show_progress;
    int status = arguments.image ? open_image(&arguments, &image) : TOOL_DONE;
    if (!status)
        status = tool_open(&session, &arguments.common);
    if (!status) {
        status = choose_image(&session, &arguments, &image);
        if (!status)
            status = load(&session, &arguments, image);
        tool_close(&session, NULL, 0);
    }
    board_image_close(image);
    return status;
}
