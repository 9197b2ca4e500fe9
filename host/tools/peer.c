/* SPDX-License-Identifier: MIT */
/* The node that a subcommand sends to: looked at before anything is posted, because a message that
 * has begun cannot simply be taken back; and what to say when it does not answer. */
#include "host/tools/tool.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LOOK_S 0.001 /* between two looks at the link */

enum { LIST_BYTES = 512, WHAT_BYTES = 64 };

/* " 1 3 7", or " none". */
static void list_peers(struct tool_session *session, char list[LIST_BYTES]) {
    size_t used = 0;
    uint8_t address[6];
    (void)snprintf(list, LIST_BYTES, " none");
    for (size_t node = 0; node < libemp_node_limit() && used < LIST_BYTES - 8; node++)
        if (libemp_peer(session->board, (uint16_t)node, address) == 0)
            used += (size_t)snprintf(list + used, LIST_BYTES - used, " %zu", node);
}

int tool_check_peer(struct tool_session *session, uint16_t peer) {
    struct board_status status;
    char known[LIST_BYTES];
    uint8_t address[6];
    if (peer == LIBEMP_ANY_SOURCE && libemp_tag_bits() < 64)
        return tool_say(
                   "expected the node to receive from (--answer NODE, or recv --node=NODE): this "
                   "profile has no receives for all nodes") +
               TOOL_USAGE - TOOL_FAILED;
    if (peer == LIBEMP_ANY_SOURCE)
        return TOOL_DONE;
    int error = board_status(libemp_hardware(session->board), &status);
    if (!error && status.node == peer)
        return tool_say("%s: node %u is this board itself; expected another node",
                        session->options->board, peer);
    if (!error)
        error = libemp_peer(session->board, peer, address);
    if (error == -ENOENT) {
        list_peers(session, known);
        return tool_say("%s: it does not know the Ethernet address of node %u (known nodes:%s); "
                        "load it again: emp load --force --node=%u --peer=%u=ADDRESS ...",
                        session->options->board, peer, known, status.node, peer);
    }
    return error && error != -EOPNOTSUPP ? tool_fail(session, error, "node") : TOOL_DONE;
}

int tool_reach_peer(struct tool_session *session, uint16_t peer) {
    const uint64_t timeout = tool_timeout_ns(session->options);
    const uint64_t start = tool_now_ns(session);
    const int status = tool_check_peer(session, peer);
    if (status)
        return status;
    for (;;) {
        const int up = board_link(libemp_hardware(session->board));
        if (up > 0)
            return TOOL_DONE;
        if (up < 0)
            return tool_fail(session, up, "link");
        if (tool_stopped())
            return tool_fail(session, -EINTR, "link");
        if (tool_now_ns(session) - start >= timeout) {
            (void)tool_say("%s: the link is down, so nothing was sent; is the cable connected, and "
                           "firmware loaded into the board of node %u?",
                           session->options->board, peer);
            return TOOL_TIMED_OUT;
        }
        tool_sleep_s(session, LOOK_S);
    }
}

int tool_fail_peer(const struct tool_session *session, int error, const char *what, uint16_t peer,
                   const char *partner) {
    char node[WHAT_BYTES] = "another node";
    if (peer != LIBEMP_ANY_SOURCE)
        (void)snprintf(node, sizeof node, "node %u", peer);
    switch (error) {
    case -ETIMEDOUT:
        (void)tool_say(
            "%s: no answer in time: expected one of %s within %g s; does `%s` run there?", what,
            node, (double)tool_timeout_ns(session->options) / 1e9, partner);
        break;
    case -EHOSTUNREACH:
        (void)tool_say("%s: %s has fallen silent; do its board and its link work? (`emp info` "
                       "there)",
                       what, node);
        break;
    case -ECONNRESET:
        (void)tool_say("%s: the board of %s was loaded again meanwhile; repeat the command", what,
                       node);
        break;
    default:
        return tool_fail(session, error, what);
    }
    return tool_status(error);
}
