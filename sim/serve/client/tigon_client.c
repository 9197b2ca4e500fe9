/* SPDX-License-Identifier: MIT */
/* The other end of sim/serve/protocol.h. */
#include "sim/serve/client/tigon_client.h"

#include "sim/serve/protocol.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { HELLO_WORDS = 9 + TIGON_SERVE_NAME_WORDS };

struct tigon_client {
    pid_t process; /* that has attached */
    int socket;    /* -1 once the connection is broken */
    int interrupt;
    int memory_file;
    uint32_t sequence;
    struct tigon_client_information information;
    uint64_t features; /* that the server has, too */
    uint8_t *memory;
    bool line;   /* of the interrupt line, by the last message */
    bool posted; /* something since the last reply: time has moved since */
    uint64_t now_ps;
    uint64_t writes;
    char message[300];
    uint64_t answer[TIGON_SERVE_PAGES_LIMIT + 1]; /* and room for the end of a sentence */
};

static _Thread_local char open_message[400];

static int fail(struct tigon_client *client, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int fail(struct tigon_client *client, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(client->message, sizeof client->message, format, arguments);
    va_end(arguments);
    return error;
}

/* The connection is of no use any more. */
static int broken(struct tigon_client *client, int error) {
    if (client->socket >= 0) {
        (void)close(client->socket);
        client->socket = -1;
        return fail(client, error, "the connection to the simulator is lost: %s", strerror(-error));
    }
    return -ENOTCONN;
}

static int send_all(struct tigon_client *client, const void *bytes, size_t length, bool more) {
    const char *next = bytes;
    while (length > 0) {
        const ssize_t sent =
            send(client->socket, next, length, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -errno;
        next += sent;
        length -= (size_t)sent;
    }
    return 0;
}

/* `descriptors` (two) receives the file descriptors passed along, -1 for none; may be NULL. */
static int receive_all(struct tigon_client *client, void *bytes, size_t length, int *descriptors) {
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(2 * sizeof(int))];
    } control;
    char *next = bytes;
    while (length > 0) {
        struct iovec part = {next, length};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (descriptors) {
            message.msg_control = control.bytes;
            message.msg_controllen = sizeof control.bytes;
        }
        const ssize_t count = recvmsg(client->socket, &message, MSG_CMSG_CLOEXEC);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count < 0 ? -errno : -ECONNRESET;
        const struct cmsghdr *first = descriptors ? CMSG_FIRSTHDR(&message) : NULL;
        if (first && first->cmsg_level == SOL_SOCKET && first->cmsg_type == SCM_RIGHTS &&
            first->cmsg_len == CMSG_LEN(2 * sizeof(int)))
            memcpy(descriptors, CMSG_DATA(first), 2 * sizeof(int));
        next += count;
        length -= (size_t)count;
    }
    return 0;
}

/* Sends a request of `count` words, and `tail` after them. */
static int send_request(struct tigon_client *client, enum tigon_serve_type type,
                        const uint64_t *words, size_t count, const void *tail, size_t tail_bytes) {
    uint64_t wire[8];
    if (client->socket < 0)
        return -ENOTCONN;
    for (size_t i = 0; i < count; i++)
        wire[i] = htole64(words[i]);
    const struct tigon_serve_header header = {
        .length = htole32((uint32_t)(sizeof header + 8 * count + tail_bytes)),
        .type = htole16((uint16_t)type),
        .sequence = htole32(++client->sequence)};
    unsigned char start[sizeof header + sizeof wire];
    memcpy(start, &header, sizeof header);
    memcpy(start + sizeof header, wire, 8 * count);
    int error = send_all(client, start, sizeof header + 8 * count, tail_bytes > 0);
    if (!error && tail_bytes)
        error = send_all(client, tail, tail_bytes, false);
    /* A server that closed the connection may have sent the reason. */
    return error == -EPIPE || error == -ECONNRESET ? 0 : error;
}

/* One message of the server: its header in host order, its payload in client->answer. */
static int receive_message(struct tigon_client *client, struct tigon_serve_header *header,
                           int *descriptors) {
    int error = receive_all(client, header, sizeof *header, descriptors);
    if (error)
        return error;
    header->length = le32toh(header->length);
    header->type = le16toh(header->type);
    header->sequence = le32toh(header->sequence);
    header->status = (int32_t)le32toh((uint32_t)header->status);
    header->now_ps = le64toh(header->now_ps);
    header->writes = le64toh(header->writes);
    if (header->length < sizeof *header ||
        header->length - sizeof *header > sizeof client->answer - sizeof *client->answer)
        return -EPROTO;
    const size_t length = header->length - sizeof *header;
    error = receive_all(client, client->answer, length, NULL);
    ((char *)client->answer)[length] = 0;
    return error;
}

/* Waits for the reply to the last request, of at least `count` words. An error text before the
 * server closes the connection comes as the reply to some request, possibly an earlier posted
 * one. */
static int receive_reply(struct tigon_client *client, enum tigon_serve_type type, size_t count,
                         int *descriptors) {
    struct tigon_serve_header header;
    for (;;) {
        const int error = receive_message(client, &header, descriptors);
        if (error)
            return broken(client, error);
        if (header.type == TIGON_SERVE_INTERRUPT && header.length == sizeof header + 8) {
            client->line = le64toh(client->answer[0]) != 0;
            continue;
        }
        if (header.status)
            return fail(client, header.status, "%.*s", TIGON_SERVE_TEXT_BYTES,
                        (const char *)client->answer);
        if (header.type != (uint16_t)type || header.sequence != client->sequence ||
            header.length < sizeof header + 8 * count)
            return broken(client, -EPROTO);
        client->now_ps = header.now_ps;
        client->writes = header.writes;
        client->posted = false;
        for (size_t i = 0; i < (header.length - sizeof header) / 8; i++)
            client->answer[i] = le64toh(client->answer[i]);
        return 0;
    }
}

bool tigon_client_is_foreign(const struct tigon_client *client) {
    return client->process != getpid();
}

/* Not `broken`: the parent's connection is as good as before. */
static int refuse_child(struct tigon_client *client) {
    return fail(client, -EACCES, "process %d has attached to the board, and this is a child of it",
                (int)client->process);
}

static int call(struct tigon_client *client, enum tigon_serve_type type, const uint64_t *words,
                size_t count, size_t answers) {
    if (tigon_client_is_foreign(client))
        return refuse_child(client);
    const int error = send_request(client, type, words, count, NULL, 0);
    if (error)
        return broken(client, error);
    return receive_reply(client, type, answers, NULL);
}

/* A request without reply. */
static int post(struct tigon_client *client, enum tigon_serve_type type, const uint64_t *words,
                size_t count, const void *tail, size_t tail_bytes) {
    if (tigon_client_is_foreign(client))
        return refuse_child(client);
    const int error = send_request(client, type, words, count, tail, tail_bytes);
    client->posted = true;
    return error ? broken(client, error) : 0;
}

/* ------------------------------------------------------------------------------------------------
 * Opening and closing */

static int connect_to(struct tigon_client *client, const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return fail(client, -ENAMETOOLONG, "a socket's path has at most %zu characters",
                    sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path) + 1);
    client->socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (client->socket < 0 ||
        connect(client->socket, (const struct sockaddr *)&address, sizeof address) != 0) {
        const int error = -errno;
        return fail(client, error, "%s", strerror(-error));
    }
    return 0;
}

static int map_memory(struct tigon_client *client) {
    struct stat status;
    const int memory = client->memory_file;
    const uint64_t bytes = client->information.memory_bytes;
    /* Only an existing range may be accessed. */
    if (memory < 0 || client->interrupt < 0 || fstat(memory, &status) != 0 ||
        (uint64_t)status.st_size < bytes || bytes == 0)
        return fail(client, -EPROTO, "the server did not pass host memory");
    client->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (client->memory == MAP_FAILED) {
        client->memory = NULL;
        return fail(client, -errno, "host memory cannot be mapped: %s", strerror(errno));
    }
    return 0;
}

static int say_hello(struct tigon_client *client, unsigned features) {
    const uint64_t words[] = {TIGON_SERVE_MAGIC, TIGON_SERVE_VERSION, TIGON_SERVE_VERSION,
                              features | TIGON_SERVE_FREES | TIGON_SERVE_ROWS};
    int descriptors[2] = {-1, -1};
    int error = send_request(client, TIGON_SERVE_HELLO, words, 4, NULL, 0);
    if (!error)
        error = receive_reply(client, TIGON_SERVE_HELLO, HELLO_WORDS, descriptors);
    client->memory_file = descriptors[0];
    client->interrupt = descriptors[1];
    const uint64_t *answer = client->answer;
    if (!error && answer[0] != TIGON_SERVE_MAGIC)
        error = fail(client, -EPROTO, "this is no server of simulated boards");
    if (!error) {
        struct tigon_client_information *information = &client->information;
        information->version = (uint32_t)answer[1];
        client->features = answer[2];
        information->free_running = answer[3] == TIGON_SERVE_FREE;
        information->board = (uint32_t)answer[4];
        information->board_count = (uint32_t)answer[5];
        information->memory_bytes = answer[6];
        information->memory_base = answer[7];
        client->line = answer[8] != 0;
        for (size_t i = 0; i < TIGON_SERVE_NAME_WORDS; i++) {
            const uint64_t part = htole64(answer[9 + i]);
            memcpy(information->name + 8 * i, &part, 8);
        }
        information->name[sizeof information->name - 1] = 0;
        error = map_memory(client);
    }
    return error;
}

int tigon_client_open(struct tigon_client **result, const char *path, unsigned features) {
    struct tigon_client *client = calloc(1, sizeof *client);
    *result = NULL;
    open_message[0] = 0;
    if (!client)
        return -ENOMEM;
    client->process = getpid();
    client->socket = -1;
    client->interrupt = -1;
    client->memory_file = -1;
    int error = connect_to(client, path);
    if (!error)
        error = say_hello(client, features);
    if (error) {
        (void)snprintf(open_message, sizeof open_message, "%.90s: %s", path, client->message);
        tigon_client_close(client);
        return error;
    }
    *result = client;
    return 0;
}

const char *tigon_client_open_message(void) {
    return open_message;
}

void tigon_client_close(struct tigon_client *client) {
    if (!client)
        return;
    if (client->memory)
        (void)munmap(client->memory, client->information.memory_bytes);
    if (client->memory_file >= 0)
        (void)close(client->memory_file);
    if (client->interrupt >= 0)
        (void)close(client->interrupt);
    if (client->socket >= 0 && !tigon_client_is_foreign(client))
        (void)shutdown(client->socket, SHUT_RDWR); /* a child may have the socket for long */
    if (client->socket >= 0)
        (void)close(client->socket);
    free(client);
}

const char *tigon_client_message(const struct tigon_client *client) {
    return client->message;
}

const struct tigon_client_information *tigon_client_information(const struct tigon_client *client) {
    return &client->information;
}

int tigon_client_board(struct tigon_client *client, uint32_t index, uint8_t mac_address[6],
                       char *name) {
    const int error =
        call(client, TIGON_SERVE_BOARD, (const uint64_t[]){index}, 1, 1 + TIGON_SERVE_NAME_WORDS);
    if (error)
        return error;
    for (unsigned i = 0; i < 6; i++)
        mac_address[i] = (uint8_t)(client->answer[0] >> (40 - 8 * i));
    for (size_t i = 0; name && i < TIGON_SERVE_NAME_WORDS; i++) {
        const uint64_t part = htole64(client->answer[1 + i]);
        memcpy(name + 8 * i, &part, 8);
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * Registers */

int tigon_client_read(struct tigon_client *client, uint32_t offset, unsigned width,
                      uint64_t *value) {
    const int error = call(client, TIGON_SERVE_READ, (const uint64_t[]){offset, width}, 2, 1);
    if (!error)
        *value = client->answer[0];
    return error;
}

int tigon_client_read32(struct tigon_client *client, uint32_t offset, uint32_t *value) {
    uint64_t word = 0;
    const int error = tigon_client_read(client, offset, 4, &word);
    if (!error)
        *value = (uint32_t)word;
    return error;
}

int tigon_client_read_words(struct tigon_client *client, uint32_t offset, uint32_t step,
                            uint32_t *words, size_t count) {
    const bool row = client->features & TIGON_SERVE_ROWS;
    for (size_t done = 0; done < count;) {
        const size_t left = count - done;
        const size_t now = row ? (left < TIGON_SERVE_ROW_WORDS ? left : TIGON_SERVE_ROW_WORDS) : 1;
        const uint32_t at = offset + (uint32_t)done * step;
        const int error =
            row ? call(client, TIGON_SERVE_READ_ROW, (const uint64_t[]){at, step, now}, 3, now)
                : call(client, TIGON_SERVE_READ, (const uint64_t[]){at, 4}, 2, 1);
        if (error)
            return error;
        for (size_t i = 0; i < now; i++)
            words[done + i] = (uint32_t)client->answer[i];
        done += now;
    }
    return 0;
}

int tigon_client_write(struct tigon_client *client, uint32_t offset, unsigned width,
                       uint64_t value) {
    return post(client, TIGON_SERVE_WRITE, (const uint64_t[]){offset, width, value}, 3, NULL, 0);
}

int tigon_client_write32(struct tigon_client *client, uint32_t offset, uint32_t value) {
    return tigon_client_write(client, offset, 4, value);
}

int tigon_client_write_block(struct tigon_client *client, uint32_t offset, const uint32_t *words,
                             size_t count) {
    uint32_t wire[TIGON_SERVE_BLOCK_WORDS];
    if (count == 0)
        return 0;
    if (count > TIGON_SERVE_BLOCK_WORDS)
        return fail(client, -EINVAL, "a block has at most %d words", TIGON_SERVE_BLOCK_WORDS);
    for (size_t i = 0; i < count; i++)
        wire[i] = htole32(words[i]);
    return post(client, TIGON_SERVE_WRITE_BLOCK, (const uint64_t[]){offset, count}, 2, wire,
                4 * count);
}

int tigon_client_poll32(struct tigon_client *client, uint32_t offset, uint32_t mask,
                        uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns, uint64_t *turns,
                        uint32_t *value) {
    const uint64_t words[] = {offset, mask, unchanged, spend_ns, until_ns, *turns};
    const int error = call(client, TIGON_SERVE_POLL, words, 6, 2);
    if (error)
        return error;
    *value = (uint32_t)client->answer[0];
    *turns = client->answer[1];
    return 0;
}

int tigon_client_configuration_read(struct tigon_client *client, uint32_t offset, unsigned width,
                                    uint32_t *value) {
    const int error =
        call(client, TIGON_SERVE_CONFIGURATION_READ, (const uint64_t[]){offset, width}, 2, 1);
    if (!error)
        *value = (uint32_t)client->answer[0];
    return error;
}

int tigon_client_configuration_write(struct tigon_client *client, uint32_t offset, unsigned width,
                                     uint32_t value) {
    return call(client, TIGON_SERVE_CONFIGURATION_WRITE, (const uint64_t[]){offset, width, value},
                3, 0);
}

int tigon_client_reset(struct tigon_client *client) {
    return call(client, TIGON_SERVE_RESET, NULL, 0, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Host memory */

uint8_t *tigon_client_memory(const struct tigon_client *client) {
    return client->memory;
}

int tigon_client_memory_descriptor(const struct tigon_client *client) {
    return client->memory_file;
}

void *tigon_client_pointer(const struct tigon_client *client, uint64_t bus_address, size_t length) {
    const uint64_t at = bus_address - client->information.memory_base;
    const uint64_t bytes = client->information.memory_bytes;
    if (bus_address < client->information.memory_base || at >= bytes || length > bytes - at)
        return NULL;
    return client->memory + at;
}

int tigon_client_allocate(struct tigon_client *client, size_t bytes, uint64_t *bus_address) {
    const int error = call(client, TIGON_SERVE_ALLOCATE, (const uint64_t[]){bytes}, 1, 1);
    if (!error)
        *bus_address = client->answer[0];
    return error;
}

int tigon_client_allocate_pages(struct tigon_client *client, size_t bytes, uint64_t *pages) {
    const size_t count = bytes / 4096 + (bytes % 4096 != 0);
    if (count > TIGON_SERVE_PAGES_LIMIT)
        return fail(client, -EINVAL, "at most %d pages at a time", TIGON_SERVE_PAGES_LIMIT);
    const int error = call(client, TIGON_SERVE_ALLOCATE_PAGES, (const uint64_t[]){bytes}, 1, count);
    if (!error)
        memcpy(pages, client->answer, count * sizeof *pages);
    return error;
}

static int check_frees(struct tigon_client *client) {
    return client->features & TIGON_SERVE_FREES
               ? 0
               : fail(client, -EOPNOTSUPP, "the simulator takes no memory back: it is older");
}

int tigon_client_free(struct tigon_client *client, uint64_t bus_address, size_t bytes) {
    const int error = check_frees(client);
    return error
               ? error
               : call(client, TIGON_SERVE_FREE_PAGES, (const uint64_t[]){bus_address, bytes}, 2, 0);
}

int tigon_client_give_back(struct tigon_client *client, bool mine, bool left,
                           const uint64_t kept[2]) {
    const uint64_t owners = (mine ? TIGON_SERVE_MINE : 0) | (left ? TIGON_SERVE_LEFT : 0);
    const int error = check_frees(client);
    return error ? error
                 : call(client, TIGON_SERVE_GIVE_BACK, (const uint64_t[]){owners, kept[0], kept[1]},
                        3, 0);
}

/* ------------------------------------------------------------------------------------------------
 * Time */

/* Brings now_ps and writes up to date: a write takes time, and its end is not reported. In free
 * running, time passes without requests. */
static int synchronise(struct tigon_client *client) {
    if (!tigon_client_is_foreign(client) && !client->posted && !client->information.free_running &&
        client->socket >= 0)
        return 0;
    return call(client, TIGON_SERVE_SYNCHRONISE, NULL, 0, 0);
}

int tigon_client_now_ps(struct tigon_client *client, uint64_t *ps) {
    const int error = synchronise(client);
    if (!error)
        *ps = client->now_ps;
    return error;
}

int tigon_client_now_ns(struct tigon_client *client, uint64_t *ns) {
    const int error = tigon_client_now_ps(client, ns);
    if (!error)
        *ns /= 1000;
    return error;
}

int tigon_client_write_count(struct tigon_client *client, uint64_t *count) {
    const int error = synchronise(client);
    if (!error)
        *count = client->writes;
    return error;
}

int tigon_client_spend_ns(struct tigon_client *client, uint64_t ns) {
    return call(client, TIGON_SERVE_SPEND, (const uint64_t[]){ns}, 1, 0);
}

int tigon_client_sleep_ns(struct tigon_client *client, uint64_t ns) {
    return call(client, TIGON_SERVE_SLEEP, (const uint64_t[]){ns}, 1, 0);
}

int tigon_client_wait_interrupt(struct tigon_client *client, uint64_t timeout_ns, bool *up) {
    const int error =
        call(client, TIGON_SERVE_WAIT_INTERRUPT, (const uint64_t[]){timeout_ns}, 1, 1);
    if (!error)
        *up = client->answer[0] != 0;
    return error;
}

int tigon_client_poll_memory(struct tigon_client *client, uint64_t bus_address, size_t length,
                             uint64_t seen, uint64_t interval_ns, uint64_t timeout_ns,
                             bool *written) {
    const uint64_t words[] = {bus_address, length, seen, interval_ns, timeout_ns};
    const int error = call(client, TIGON_SERVE_POLL_MEMORY, words, 5, 1);
    if (!error)
        *written = client->answer[0] != 0;
    return error;
}

int tigon_client_interrupt_line(struct tigon_client *client, bool *up) {
    /* Events come before the reply to a later request. */
    const int error = call(client, TIGON_SERVE_SYNCHRONISE, NULL, 0, 0);
    if (!error)
        *up = client->line;
    return error;
}

bool tigon_client_interrupt_line_seen(const struct tigon_client *client) {
    return client->line;
}

int tigon_client_interrupt_descriptor(const struct tigon_client *client) {
    return client->interrupt;
}
