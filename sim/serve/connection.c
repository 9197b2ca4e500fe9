/* SPDX-License-Identifier: MIT */
/* Messages in and out of a socket whose peer may send anything. */
#include "sim/serve/server_private.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Known only by its socket where processes have no such descriptors, or this one is not seen. */
static int open_process(int descriptor) {
    struct ucred peer = {0};
    socklen_t length = sizeof peer;
    if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0 || peer.pid <= 0)
        return -1;
    return pidfd_open(peer.pid, 0);
}

void connection_open(struct connection *connection, int descriptor) {
    connection->descriptor = descriptor;
    connection->process = open_process(descriptor);
    connection->filled = 0;
}

int connection_message(const struct connection *connection, struct tigon_serve_header *header,
                       const uint8_t **payload) {
    if (connection->filled < sizeof *header)
        return 0;
    memcpy(header, connection->bytes, sizeof *header);
    header->length = le32toh(header->length);
    header->type = le16toh(header->type);
    header->reserved = le16toh(header->reserved);
    header->sequence = le32toh(header->sequence);
    if (header->length < sizeof *header || header->length > TIGON_SERVE_MESSAGE_BYTES)
        return -EPROTO;
    *payload = connection->bytes + sizeof *header;
    return connection->filled >= header->length;
}

void connection_consume(struct connection *connection, const struct tigon_serve_header *header) {
    connection->filled -= header->length;
    memmove(connection->bytes, connection->bytes + header->length, connection->filled);
}

static void forget_process(struct connection *connection) {
    if (connection->process >= 0)
        (void)close(connection->process);
    connection->process = -1;
}

void connection_close(struct connection *connection) {
    forget_process(connection);
    if (connection->descriptor >= 0)
        (void)close(connection->descriptor);
    connection->descriptor = -1;
}

void connection_end(struct connection *connection) {
    forget_process(connection);
    (void)shutdown(connection->descriptor, SHUT_RDWR); /* what has come before is read to its end */
}

void connection_read(struct connection *connection) {
    const size_t room = sizeof connection->bytes - connection->filled;
    if (connection->descriptor < 0 || room == 0)
        return;
    /* The kernel drops file descriptors that come with it, as this call receives none. */
    const ssize_t count =
        recv(connection->descriptor, connection->bytes + connection->filled, room, MSG_DONTWAIT);
    if (count > 0)
        connection->filled += (size_t)count;
    else if (count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR))
        connection_close(connection);
}

/* Whether there is room again. */
static bool wait_for_room(int descriptor, int patience_ms) {
    struct pollfd entry = {.fd = descriptor, .events = POLLOUT};
    return poll(&entry, 1, patience_ms) == 1 && (entry.revents & POLLOUT);
}

int connection_send(struct connection *connection, const struct tigon_serve_header *header,
                    const void *payload, size_t length, const int *descriptors, int patience_ms) {
    struct tigon_serve_header wire = *header;
    union {
        struct cmsghdr header; /* for its alignment */
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    wire.length = htole32((uint32_t)(sizeof wire + length));
    wire.type = htole16(header->type);
    wire.reserved = 0;
    wire.sequence = htole32(header->sequence);
    wire.status = (int32_t)htole32((uint32_t)header->status);
    wire.now_ps = htole64(header->now_ps);
    wire.writes = htole64(header->writes);
    struct iovec parts[2] = {{&wire, sizeof wire}, {(void *)payload, length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};
    if (descriptors) {
        memset(&control, 0, sizeof control);
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        struct cmsghdr *first = CMSG_FIRSTHDR(&message);
        first->cmsg_level = SOL_SOCKET;
        first->cmsg_type = SCM_RIGHTS;
        first->cmsg_len = CMSG_LEN(2 * sizeof(int));
        memcpy(CMSG_DATA(first), descriptors, 2 * sizeof(int));
    }
    size_t left = sizeof wire + length;
    while (left > 0 && connection->descriptor >= 0) {
        const ssize_t sent = sendmsg(connection->descriptor, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0) {
            const int error = errno;
            if (error == EINTR || (error == EAGAIN && patience_ms != 0 &&
                                   wait_for_room(connection->descriptor, patience_ms)))
                continue;
            connection_close(connection);
            return -error;
        }
        left -= (size_t)sent;
        message.msg_control = NULL; /* went with the first bytes */
        message.msg_controllen = 0;
        for (size_t i = 0, gone = (size_t)sent; i < 2; i++) {
            const size_t part = gone < parts[i].iov_len ? gone : parts[i].iov_len;
            parts[i].iov_base = (char *)parts[i].iov_base + part;
            parts[i].iov_len -= part;
            gone -= part;
        }
    }
    return left ? -ENOTCONN : 0;
}
