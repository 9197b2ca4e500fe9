/* SPDX-License-Identifier: MIT */
/* Traffic between two nodes for measurements: both sides run the same function with the counts of
 * the other side swapped. */
#ifndef HOST_TOOLS_TRAFFIC_H
#define HOST_TOOLS_TRAFFIC_H

#include "host/tools/tool.h"

enum { TRAFFIC_WINDOW_LIMIT = 32, TRAFFIC_BYTES_LIMIT = 1 << 20 };

/* What of one direction is posted: a ring of `window` places. */
struct traffic_direction {
    bool receives;
    uint64_t total;
    uint64_t posted;
    uint64_t finished;
    libemp_request requests[TRAFFIC_WINDOW_LIMIT];
};

struct traffic {
    struct tool_session *session;
    uint16_t peer;
    size_t bytes;        /* of a message */
    uint64_t out;        /* messages to send */
    uint64_t in;         /* messages to receive */
    size_t window;       /* posted and not finished, each way */
    uint64_t timeout_ns; /* without any message finished */

    struct libemp_memory *memory; /* twice `window` buffers of `bytes`: first of those that leave */
    void *pages;
    struct traffic_direction incoming;
    struct traffic_direction outgoing;
};

/* Allocates the memory. TOOL_DONE or a status after a message. */
int traffic_prepare(struct traffic *traffic);
/* Cancels what is posted, and gives the memory back. */
void traffic_release(struct traffic *traffic);

/* Posts the first receives; then the other side may begin. */
int traffic_post_receives(struct traffic *traffic);
/* Messages both ways, as many as `out` and `in` say, at the same time. 0 or a negative errno value.
 */
int traffic_stream(struct traffic *traffic);
/* One message there, one back, `out` times; the side that `begins` sends first. */
int traffic_echo(struct traffic *traffic, bool begins);

#endif
