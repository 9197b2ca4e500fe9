/* SPDX-License-Identifier: MIT */
/* The socket on which the debugger waits for GDB; see listen.h. */
#include "sim/debug/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int bound(int family, const struct sockaddr *address, socklen_t length) {
    const int one = 1;
    const int descriptor = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0)
        return -errno;
    (void)setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(descriptor, address, length) == 0 && listen(descriptor, 1) == 0)
        return descriptor;
    const int error = -errno;
    (void)close(descriptor);
    return error;
}

static int open_path(const char *path, char *actual, size_t size) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    memcpy(address.sun_path, path, strlen(path) + 1);
    (void)snprintf(actual, size, "%s", path);
    return bound(AF_UNIX, (const struct sockaddr *)&address, sizeof address);
}

static int open_port(const char *host, const char *port, char *actual, size_t size) {
    const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char *end;
    const unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end != 0 || number > 65535)
        return -EINVAL;
    if (getaddrinfo(*host ? host : "127.0.0.1", port, &hints, &found) != 0)
        return -EINVAL;
    const int descriptor = bound(AF_INET, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    if (descriptor < 0)
        return descriptor;
    struct sockaddr_in own = {0};
    socklen_t length = sizeof own;
    char text[INET_ADDRSTRLEN] = "";
    (void)getsockname(descriptor, (struct sockaddr *)&own, &length);
    (void)inet_ntop(AF_INET, &own.sin_addr, text, sizeof text);
    (void)snprintf(actual, size, "%s:%u", text, (unsigned)ntohs(own.sin_port));
    return descriptor;
}

int debug_listen_open(const char *address, char *actual, size_t size) {
    char host[256] = "";
    if (strchr(address, '/'))
        return open_path(address, actual, size);
    const char *colon = strrchr(address, ':');
    if (!colon)
        return open_port("", address, actual, size);
    if ((size_t)(colon - address) >= sizeof host)
        return -EINVAL;
    memcpy(host, address, (size_t)(colon - address));
    return open_port(host, colon + 1, actual, size);
}

int debug_listen_accept(int listener, bool wait) {
    struct pollfd request = {.fd = listener, .events = POLLIN};
    int ready;
    do
        ready = poll(&request, 1, wait ? -1 : 0);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return -1;
    const int one = 1;
    const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    if (connection >= 0) /* small packets go back and forth; fails harmlessly on other sockets */
        (void)setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return connection;
}
