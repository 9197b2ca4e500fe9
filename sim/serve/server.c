/* SPDX-License-Identifier: MIT */
/* The sockets of a served world: connecting and disconnecting clients, and the clock in free
 * running. */
#include "sim/serve/server_private.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "sim/chip/host_control.h"
#include "sim/observer.h"
#include "sim/time.h"

enum { HELLO_WORDS = 4, HELLO_ANSWER_WORDS = 9 + TIGON_SERVE_NAME_WORDS, SEND_PATIENCE_MS = 10000 };

#define LOOK_EVERY_NS UINT64_C(1000000) /* lock step: for newcomers, while the world works */
#define PACE_EVERY_NS UINT64_C(10000)   /* free running */
#define TOO_LATE_NS   UINT64_C(100000000)
#define BACKLOG       128

void tigon_server_options_defaults(struct tigon_server_options *options) {
    *options = (struct tigon_server_options){.scale = 1.0};
}

void server_log(const struct tigon_server *server, const char *format, ...) {
    va_list arguments;
    if (!server->options.log)
        return;
    (void)fputs("tigonsim: ", server->options.log);
    va_start(arguments, format);
    (void)vfprintf(server->options.log, format, arguments);
    va_end(arguments);
    (void)fputc('\n', server->options.log);
    (void)fflush(server->options.log);
}

struct tigon_serve_header session_header(const struct session *session, uint16_t type,
                                         uint32_t sequence, int32_t status) {
    return (struct tigon_serve_header){.type = type,
                                       .sequence = sequence,
                                       .status = status,
                                       .now_ps = tigon_host_now_ps(session->host),
                                       .writes = tigon_host_write_count(session->host)};
}

bool server_has_clients(const struct tigon_server *server) {
    for (size_t i = 0; i < server->session_count; i++)
        if (server->sessions[i].attached)
            return true;
    return false;
}

void session_leave(struct session *session, const char *why) {
    server_log(session->server, "board %s: %s", tigon_board_name(session->served.board), why);
    connection_close(&session->connection);
    session->connection.filled = 0;
    session->attached = false;
    session->features = 0;
    memory_leave(session);
}

/* ------------------------------------------------------------------------------------------------
 * Hello */

static void refuse(struct tigon_server *server, struct session *session,
                   struct connection *connection, const struct tigon_serve_header *hello,
                   int32_t error, const char *format, ...) __attribute__((format(printf, 6, 7)));

static void refuse(struct tigon_server *server, struct session *session,
                   struct connection *connection, const struct tigon_serve_header *hello,
                   int32_t error, const char *format, ...) {
    char text[TIGON_SERVE_TEXT_BYTES];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const struct tigon_serve_header header =
        session_header(session, TIGON_SERVE_HELLO, hello->sequence, error);
    (void)connection_send(connection, &header, text, strlen(text), NULL, 0);
    connection_close(connection);
    server->expelled++;
    server_log(server, "board %s: a client is refused: %s", tigon_board_name(session->served.board),
               text);
}

static void attach(struct tigon_server *server, struct session *session,
                   struct connection *connection, const struct tigon_serve_header *hello,
                   uint64_t features) {
    uint64_t answer[HELLO_ANSWER_WORDS] = {0};
    const int descriptors[2] = {session->memory, session->interrupt};
    uint64_t stale;
    (void)!read(session->interrupt, &stale, sizeof stale); /* of the client before */
    const uint64_t words[] = {
        TIGON_SERVE_MAGIC,
        TIGON_SERVE_VERSION,
        features & (TIGON_SERVE_EVENTS | TIGON_SERVE_FREES | TIGON_SERVE_ROWS),
        server->options.free_running ? TIGON_SERVE_FREE : TIGON_SERVE_LOCK_STEP,
        tigon_board_index(session->served.board),
        tigon_world_board_count(server->world),
        tigon_host_memory_size(session->host),
        tigon_host_bus_address(session->host, tigon_host_memory(session->host)),
        tigon_host_interrupt_line(session->served.board),
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        answer[i] = htole64(words[i]);
    (void)snprintf((char *)&answer[9], TIGON_SERVE_NAME_WORDS * sizeof *answer, "%s",
                   tigon_board_name(session->served.board));
    const struct tigon_serve_header header =
        session_header(session, TIGON_SERVE_HELLO, hello->sequence, 0);
    session->connection = *connection;
    connection->descriptor = -1;
    connection->process = -1;
    if (connection_send(&session->connection, &header, answer, sizeof answer, descriptors, 0) != 0)
        return;
    session->features = features & TIGON_SERVE_EVENTS;
    session->attached = true;
    session->came = true;
    server->attached++;
    server_log(server, "board %s: a client attaches", tigon_board_name(session->served.board));
}

/* Whether the other side has closed; earlier bytes may still be unread. */
static bool hung_up(int descriptor) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
    return descriptor < 0 || (poll(&entry, 1, 0) == 1 && (entry.revents & (POLLHUP | POLLERR)));
}

static bool has_ended(int process) {
    struct pollfd entry = {.fd = process, .events = POLLIN};
    return process >= 0 && poll(&entry, 1, 0) == 1;
}

/* A newcomer's first message, if it is there. */
static void greet(struct tigon_server *server, struct session *session,
                  struct connection *connection) {
    struct tigon_serve_header header = {0};
    const uint8_t *payload;
    uint64_t words[HELLO_WORDS];
    const int found = connection_message(connection, &header, &payload);
    if (session->attached && has_ended(session->connection.process))
        connection_end(&session->connection);
    if (found == 0 || (session->attached && hung_up(session->connection.descriptor)))
        return; /* or the one before is about to be missed */
    if (found < 0 || header.type != TIGON_SERVE_HELLO ||
        header.length != sizeof header + sizeof words) {
        refuse(server, session, connection, &header, -EPROTO,
               "expected HELLO, a message of %zu bytes and type %d, as the first one",
               sizeof header + sizeof words, TIGON_SERVE_HELLO);
        return;
    }
    memcpy(words, payload, sizeof words);
    for (size_t i = 0; i < HELLO_WORDS; i++)
        words[i] = le64toh(words[i]);
    connection_consume(connection, &header);
    if (words[0] != TIGON_SERVE_MAGIC)
        refuse(server, session, connection, &header, -EPROTO,
               "expected the word 0x%llX in HELLO, found 0x%llX",
               (unsigned long long)TIGON_SERVE_MAGIC, (unsigned long long)words[0]);
    else if (words[1] > TIGON_SERVE_VERSION || words[2] < TIGON_SERVE_VERSION)
        refuse(server, session, connection, &header, -EPROTONOSUPPORT,
               "this simulator speaks version %u of the protocol, the client %llu to %llu",
               TIGON_SERVE_VERSION, (unsigned long long)words[1], (unsigned long long)words[2]);
    else if (session->attached)
        refuse(server, session, connection, &header, -EBUSY,
               "board %s has a client already; one at a time",
               tigon_board_name(session->served.board));
    else
        attach(server, session, connection, &header, words[3]);
}

/* ------------------------------------------------------------------------------------------------
 * Looking at the sockets */

static void accept_one(struct tigon_server *server, struct session *session) {
    const int descriptor = accept4(session->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0)
        return;
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++) {
        if (server->pending[i].connection.descriptor >= 0)
            continue;
        server->pending[i].session = session;
        connection_open(&server->pending[i].connection, descriptor);
        return;
    }
    (void)close(descriptor);
    server->expelled++;
    server_log(server, "more than %d connections that do not say hello; one is closed",
               TIGON_SERVE_PENDING);
}

static void greet_all(struct tigon_server *server) {
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++)
        if (server->pending[i].connection.descriptor >= 0)
            greet(server, server->pending[i].session, &server->pending[i].connection);
}

void server_look(struct tigon_server *server, uint64_t timeout_ns) {
    struct pollfd entries[TIGON_SERVE_PENDING + 3 * 256];
    const size_t count = server->session_count;
    size_t entry = 0;
    for (size_t i = 0; i < count; i++) {
        const struct connection *connection = &server->sessions[i].connection;
        const bool room = connection->filled < sizeof connection->bytes;
        entries[entry++] = (struct pollfd){.fd = server->sessions[i].listener, .events = POLLIN};
        /* poll passes over negative ones; so must be a full one, which would be ready for ever. */
        entries[entry++] =
            (struct pollfd){.fd = room ? connection->descriptor : -1, .events = POLLIN};
        entries[entry++] = (struct pollfd){.fd = connection->process, .events = POLLIN};
    }
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++)
        entries[entry++] =
            (struct pollfd){.fd = server->pending[i].connection.descriptor, .events = POLLIN};
    /* The array of poll() is older: a client attached here is served the next time. */
    const uint64_t attached = server->attached;
    greet_all(server);
    if (server->attached != attached)
        return;
    if (server->stopping)
        timeout_ns = 0;
    const struct timespec timeout = {(time_t)(timeout_ns / 1000000000),
                                     (long)(timeout_ns % 1000000000)};
    if (ppoll(entries, entry, &timeout, NULL) <= 0)
        return;
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++)
        if (entries[3 * count + i].revents)
            connection_read(&server->pending[i].connection);
    for (size_t i = 0; i < count; i++) {
        if (entries[3 * i + 1].revents)
            connection_read(&server->sessions[i].connection);
        if (entries[3 * i + 2].revents)
            connection_end(&server->sessions[i].connection);
        if (entries[3 * i].revents)
            accept_one(server, &server->sessions[i]);
    }
    greet_all(server);
}

uint64_t server_clock_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void server_restart_clock(struct tigon_server *server) {
    server->clock_base_ns = server_clock_ns();
    server->virtual_base_ns = tigon_world_now_ns(server->world);
}

/* Waits until the clock has caught up with virtual time, serving the sockets meanwhile. */
static void pace(struct tigon_server *server) {
    const uint64_t now = tigon_world_now_ns(server->world);
    server_look(server, 0);
    for (;;) {
        const uint64_t passed = server_clock_ns() - server->clock_base_ns;
        const double allowed =
            (double)server->virtual_base_ns + (double)passed * server->options.scale;
        const double ahead_ns = ((double)now - allowed) / server->options.scale;
        if (ahead_ns <= 0 || server->stopping) {
            if (-ahead_ns > (double)TOO_LATE_NS) {
                if (!server->late_told)
                    server_log(server, "the simulation is slower than the clock; it goes on as "
                                       "fast as it can");
                server->late_told = true;
                server_restart_clock(server);
            }
            return;
        }
        server_look(server, ahead_ns > 1e8 ? 100000000 : (uint64_t)ahead_ns + 1);
    }
}

static void look_again(void *context) {
    struct tigon_server *server = context;
    if (server->stopping) {
        tigon_world_stop(server->world);
        return;
    }
    if (server->options.free_running)
        pace(server);
    else
        server_look(server, 0);
    tigon_world_call_at(server->world,
                        tigon_world_now_ns(server->world) +
                            (server->options.free_running ? PACE_EVERY_NS : LOOK_EVERY_NS),
                        look_again, server);
}

/* The interrupt line of some board. */
static void signal_changed(void *context, const struct tigon_board *board, enum tigon_signal signal,
                           uint32_t value, uint64_t ticks) {
    struct tigon_server *server = context;
    if (signal != TIGON_SIGNAL_INTERRUPT)
        return;
    for (size_t i = 0; i < server->session_count; i++) {
        struct session *session = &server->sessions[i];
        if (session->served.board != board)
            continue;
        const uint64_t one = 1;
        if (value)
            (void)!write(session->interrupt, &one, sizeof one);
        if (session->attached && (session->features & TIGON_SERVE_EVENTS)) {
            struct tigon_serve_header header = session_header(session, TIGON_SERVE_INTERRUPT, 0, 0);
            const uint64_t level = htole64(value);
            header.now_ps = tigon_ps_from_ticks(ticks);
            /* A client that does not read its replies is disconnected; the server does not wait for
             * it. */
            (void)connection_send(&session->connection, &header, &level, sizeof level, NULL, 0);
        }
    }
}

/* ------------------------------------------------------------------------------------------------
 * Opening and closing */

static int complain(char *message, size_t bytes, int error, const char *path, const char *what) {
    (void)snprintf(message, bytes, "%.180s: %s: %s", path, what, strerror(-error));
    return error;
}

/* A socket file without a listener is left by a killed server. */
static bool abandoned(const struct sockaddr_un *address) {
    struct stat status;
    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode))
        return false;
    const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool refused = probe >= 0 &&
                         connect(probe, (const struct sockaddr *)address, sizeof *address) != 0 &&
                         errno == ECONNREFUSED;
    if (probe >= 0)
        (void)close(probe);
    return refused;
}

static int listen_at(struct session *session, char *message, size_t bytes) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = session->served.path;
    if (strlen(path) >= sizeof address.sun_path || !*path) {
        (void)snprintf(message, bytes,
                       "%.180s: expected the path of a socket, at most %zu characters", path,
                       sizeof address.sun_path - 1);
        return -ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    session->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (session->listener < 0)
        return complain(message, bytes, -errno, path, "no socket");
    if (abandoned(&address))
        (void)unlink(path);
    if (bind(session->listener, (const struct sockaddr *)&address, sizeof address) != 0)
        return complain(message, bytes, -errno, path, "the socket cannot be made here");
    session->path = strdup(path);
    if (!session->path || listen(session->listener, BACKLOG) != 0)
        return complain(message, bytes, -errno, path, "the socket cannot be made here");
    session->served.path = session->path;
    return 0;
}

static int open_session(struct tigon_server *server, struct session *session, char *message,
                        size_t bytes) {
    const char *name = tigon_board_name(session->served.board);
    session->host = tigon_board_host(session->served.board);
    int error = listen_at(session, message, bytes);
    if (error)
        return error;
    error = memory_open(session);
    if (error)
        return complain(message, bytes, error, name, "no table of its host memory");
    session->memory = tigon_host_share_memory(session->host);
    if (session->memory < 0)
        return complain(message, bytes, session->memory, name, "its host memory cannot be shared");
    session->interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (session->interrupt < 0)
        return complain(message, bytes, -errno, name, "no eventfd");
    error = tigon_host_start(session->host, "client", session_program, session);
    if (error < 0)
        return complain(message, bytes, error, name, "its host takes no program");
    server_log(server, "board %s at %s", name, session->path);
    return 0;
}

int tigon_server_open(struct tigon_server **result, struct tigon_world *world,
                      const struct tigon_server_options *options, char *message,
                      size_t message_bytes) {
    struct tigon_server *server = calloc(1, sizeof *server);
    struct session *sessions = calloc(options->board_count, sizeof *sessions);
    *result = NULL;
    if (!server || !sessions || options->board_count > 256 || !(options->scale > 0)) {
        free(server);
        free(sessions);
        (void)snprintf(message, message_bytes, "1 to 256 boards at a scale above 0 can be served");
        return -EINVAL;
    }
    server->world = world;
    server->options = *options;
    server->options.boards = NULL;
    server->sessions = sessions;
    server->session_count = options->board_count;
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++)
        server->pending[i].connection = (struct connection){.descriptor = -1, .process = -1};
    for (size_t i = 0; i < options->board_count; i++)
        sessions[i] = (struct session){.server = server,
                                       .served = options->boards[i],
                                       .listener = -1,
                                       .memory = -1,
                                       .interrupt = -1,
                                       .connection = {.descriptor = -1, .process = -1}};
    const struct tigon_observer observer = {.context = server, .signal = signal_changed};
    int error = tigon_world_attach(world, &observer);
    if (error)
        (void)snprintf(message, message_bytes, "out of memory");
    for (size_t i = 0; i < options->board_count && !error; i++)
        error = open_session(server, &sessions[i], message, message_bytes);
    if (error) {
        tigon_server_close(server);
        return error;
    }
    server->clock_base_ns = server_clock_ns();
    tigon_world_call_at(world, 0, look_again, server);
    *result = server;
    return 0;
}

static void close_descriptor(int descriptor) {
    if (descriptor >= 0)
        (void)close(descriptor);
}

void tigon_server_close(struct tigon_server *server) {
    if (!server)
        return;
    tigon_world_detach(server->world, server);
    for (size_t i = 0; i < TIGON_SERVE_PENDING; i++)
        connection_close(&server->pending[i].connection);
    for (size_t i = 0; i < server->session_count; i++) {
        struct session *session = &server->sessions[i];
        connection_close(&session->connection);
        close_descriptor(session->listener);
        close_descriptor(session->memory);
        close_descriptor(session->interrupt);
        if (session->path)
            (void)unlink(session->path);
        free(session->path);
        free(session->owners);
    }
    free(server->sessions);
    free(server);
}

void tigon_server_stop(struct tigon_server *server) {
    server->stopping = 1;
}

void tigon_server_counts(const struct tigon_server *server, uint64_t *attached,
                         uint64_t *expelled) {
    *attached = server->attached;
    *expelled = server->expelled;
}
