/* SPDX-License-Identifier: MIT */
/* A program over libemp, for boards of the Linux driver in virtual machines:
 *
 *     courier echo BOARD NODE PEER MAC PORTS            sends messages back on so many ports of the
 *                                                       other, takes those of the rest, for good
 *     courier ping BOARD NODE PEER MAC COUNT            so many messages of all sizes, compared
 *     courier file BOARD NODE PEER MAC IN OUT           sends a file, and receives the other's
 *     courier calls BOARD NODE PEER MAC ROUNDS          how long it takes to post receives
 *     courier renew BOARD NODE PEER MAC ROUNDS          messages of new memory at an old address
 *     courier parent BOARD NODE PEER MAC SECONDS        its children may do nothing; then it is
 * killed, and leaves one for so long
 *
 * EMP_POLLS=1 in the environment has it wait in poll(2) for the ends of its requests.
 * A board that runs no firmware is started: with the image EMP_IMAGE, or by its driver.
 * NODE is the own number, MAC the address of PEER. Prints one line at its end. */
#include "host/emp/libemp.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    SLOT_BYTES = 65536,
    SLOTS = 8,
    LONG_TAG = 1,
    AGAIN_LIMIT = 100,
    POSTS = 32,
    DRIVER_TAG_BITS = 60,
    PORTS = 4,
    BOARDS = 16
};

#define LINK_NS   UINT64_C(5000000000)
#define WAIT_NS   UINT64_C(60000000000)
#define ECHO_NS   UINT64_C(50000000)
#define ANSWER_NS UINT64_C(200000000)
#define LOOK_NS   UINT64_C(100000)

_Static_assert(SLOTS == 2 * PORTS, "two receives for each port");

struct courier {
    struct libemp_board *board;
    uint16_t peer;
    uint64_t every; /* bits of a tag that a program has */
    bool polls;
    uint8_t *memory; /* SLOTS to receive, SLOTS to send */
    struct libemp_memory *registered;
};

static int fail(const struct courier *courier, const char *what, int error) {
    (void)fprintf(stderr, "courier: %s: %s (%s)\n", what, strerror(-error),
                  courier->board ? libemp_message(courier->board) : "");
    return error ? error : -EBADMSG;
}

/* As libemp_wait. */
static int wait_for(const struct courier *courier, libemp_request request, uint64_t timeout_ns,
                    struct libemp_completion *got) {
    struct board *hardware = libemp_hardware(courier->board);
    const uint64_t start = board_now_ns(hardware);
    if (!courier->polls)
        return libemp_wait(courier->board, request, timeout_ns, got);
    for (;;) {
        const int error = libemp_test(courier->board, request, got);
        const uint64_t spent_ns = board_now_ns(hardware) - start;
        if (error != -EAGAIN || spent_ns >= timeout_ns)
            return error == -EAGAIN ? -ETIMEDOUT : error;
        const uint64_t rest_ms = (timeout_ns - spent_ns) / 1000000 + 1;
        struct pollfd event = {.fd = libemp_event_descriptor(courier->board), .events = POLLIN};
        if (event.fd < 0 || poll(&event, 1, rest_ms > 60000 ? 60000 : (int)rest_ms) < 0)
            return event.fd < 0 ? event.fd : -errno;
    }
}

static uint8_t *place(const struct courier *courier, size_t slot) {
    return courier->memory + slot * SLOT_BYTES;
}

static struct libemp_piece piece(const struct courier *courier, size_t slot, size_t bytes) {
    return (struct libemp_piece){courier->registered, slot * SLOT_BYTES, bytes};
}

static int receive_any(const struct courier *courier, size_t slot, libemp_request *request) {
    const struct libemp_piece all = piece(courier, slot, SLOT_BYTES);
    return libemp_post_receive_matching(courier->board, LIBEMP_ANY_SOURCE, 0, courier->every, &all,
                                        1, request);
}

/* A node that restarts, or was given up, is met again. */
static bool goes_on(int error) {
    return error == -ECONNRESET || error == -EHOSTUNREACH;
}

/* Each port of the other board has receives of its own, so that none waits for another's message.
 */
static int receive_of_port(const struct courier *courier, size_t slot, libemp_request *request) {
    const struct libemp_piece all = piece(courier, slot, SLOT_BYTES);
    const uint64_t port = slot % PORTS;
    return libemp_post_receive_matching(courier->board, LIBEMP_ANY_SOURCE, port << DRIVER_TAG_BITS,
                                        (UINT64_C(1) << DRIVER_TAG_BITS) - 1, &all, 1, request);
}

/* Which receive has ended, and how; SLOTS: none within a while. Port 0, which is waited for, has
 * two receives, and uses them in turn. All in one libemp_wait_any would ask the board far more
 * often. */
static size_t next_of(struct courier *courier, const libemp_request *receives, size_t turn,
                      struct libemp_completion *got, int *error) {
    for (size_t i = 0; i < SLOTS; i++)
        if ((*error = libemp_test(courier->board, receives[i], got)) != -EAGAIN)
            return i;
    *error = libemp_wait(courier->board, receives[turn], LOOK_NS, got);
    const bool late = *error == -ETIMEDOUT;
    *error = late ? 0 : *error;
    return late ? SLOTS : turn;
}

static int echo(struct courier *courier, size_t ports) {
    libemp_request receives[SLOTS];
    struct libemp_completion got;
    size_t turn = 0;
    int error = 0;
    for (size_t i = 0; i < SLOTS && !error; i++)
        error = receive_of_port(courier, i, &receives[i]);
    while (!error) {
        libemp_request request;
        const size_t i = next_of(courier, receives, turn, &got, &error);
        if (i == SLOTS)
            continue;
        if (i % PORTS == 0)
            turn = PORTS - i;
        if (!error && i % PORTS < ports) {
            memcpy(place(courier, SLOTS + i), place(courier, i), got.length);
            const struct libemp_piece back = piece(courier, SLOTS + i, got.length);
            error = libemp_post_send(courier->board, got.peer, got.tag, &back, 1, &request);
            if (!error) /* a program that has died takes none; the others wait for theirs */
                error = libemp_wait(courier->board, request, ECHO_NS, NULL);
        }
        if (!error || error == -ETIMEDOUT || error == -EMSGSIZE || goes_on(error))
            error = receive_of_port(courier, i, &receives[i]);
    }
    return fail(courier, "echo", error);
}

static size_t size_of(uint32_t number) {
    static const size_t limits[] = {1, 8, 100, 1500, 4096, 20000, SLOT_BYTES};
    const size_t limit = limits[number % (sizeof limits / sizeof *limits)];
    return (number * 2654435761U >> 7) % limit + 1;
}

static void fill(uint8_t *bytes, size_t count, uint32_t seed) {
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)(seed + i * 7 + (i >> 8) * 13);
}

/* An answer to another program, which had the port before, is put aside. */
static int answer(struct courier *courier, libemp_request *receive, uint64_t tag, size_t bytes) {
    struct libemp_completion got;
    for (;;) {
        int error = wait_for(courier, *receive, ANSWER_NS, &got);
        if (error && !goes_on(error))
            return error;
        const bool mine = !error && got.tag == tag;
        if (mine &&
            (got.length != bytes || memcmp(place(courier, 0), place(courier, SLOTS), bytes) != 0))
            return -EBADMSG;
        error = receive_any(courier, 0, receive);
        if (error || mine)
            return error;
    }
}

static int ping(struct courier *courier, uint32_t count) {
    const uint64_t run = (uint64_t)getpid() << 32;
    const uint64_t start = board_now_ns(libemp_hardware(courier->board));
    libemp_request receive;
    libemp_request request;
    uint64_t bytes = 0;
    unsigned again = 0;
    int error = receive_any(courier, 0, &receive);
    for (uint32_t i = 0; i < count && !error; i++) {
        const size_t size = size_of(i);
        const struct libemp_piece all = piece(courier, SLOTS, size);
        fill(place(courier, SLOTS), size, i);
        do { /* a board that is reset loses what comes meanwhile */
            error = libemp_post_send(courier->board, courier->peer, run | i, &all, 1, &request);
            if (!error)
                error = wait_for(courier, request, WAIT_NS, NULL);
            if (!error)
                error = answer(courier, &receive, run | i, size);
            again += error != 0;
        } while ((goes_on(error) || error == -ETIMEDOUT) && again < AGAIN_LIMIT);
        bytes += size;
    }
    if (error)
        return fail(courier, "ping", error);
    const uint64_t ns = board_now_ns(libemp_hardware(courier->board)) - start;
    (void)printf("ping: %" PRIu32 " messages of %" PRIu64 " bytes intact, %u again, %" PRIu64
                 " us\n",
                 count, bytes, again, ns / 1000);
    return 0;
}

static int send_file(struct courier *courier, FILE *in, libemp_request *sends, size_t turn,
                     bool *last) {
    if (turn >= SLOTS) {
        const int error = wait_for(courier, sends[turn % SLOTS], WAIT_NS, NULL);
        if (error)
            return error;
    }
    const size_t slot = SLOTS + turn % SLOTS;
    const size_t bytes = fread(place(courier, slot), 1, SLOT_BYTES, in);
    const struct libemp_piece all = piece(courier, slot, bytes);
    *last = bytes < SLOT_BYTES;
    return libemp_post_send(courier->board, courier->peer, LONG_TAG, &all, 1, &sends[turn % SLOTS]);
}

/* A message shorter than a slot is the last of a file. Both files go at the same time. */
static int file(struct courier *courier, const char *in_name, const char *out_name) {
    FILE *in = fopen(in_name, "rb");
    FILE *out = fopen(out_name, "wb");
    libemp_request receives[SLOTS];
    libemp_request sends[SLOTS];
    struct libemp_completion got;
    bool sent = false;
    bool received = false;
    size_t turn = 0;
    int error = in && out ? 0 : -errno;
    for (size_t i = 0; i < SLOTS && !error; i++) {
        const struct libemp_piece all = piece(courier, i, SLOT_BYTES);
        error = libemp_post_receive(courier->board, courier->peer, LONG_TAG, &all, 1, &receives[i]);
    }
    for (size_t i = 0; (!sent || !received) && !error; i++) {
        if (!sent)
            error = send_file(courier, in, sends, turn++, &sent);
        if (error || received)
            continue;
        error = wait_for(courier, receives[i % SLOTS], WAIT_NS, &got);
        if (error)
            break;
        if (fwrite(place(courier, i % SLOTS), 1, got.length, out) != got.length)
            error = -EIO;
        received = got.length < SLOT_BYTES;
        const struct libemp_piece all = piece(courier, i % SLOTS, SLOT_BYTES);
        if (!error && !received)
            error = libemp_post_receive(courier->board, courier->peer, LONG_TAG, &all, 1,
                                        &receives[i % SLOTS]);
    }
    for (size_t i = turn < SLOTS ? 0 : turn - SLOTS; i < turn && !error; i++)
        error = wait_for(courier, sends[i % SLOTS], WAIT_NS, NULL);
    if (in)
        (void)fclose(in);
    if (out && fclose(out))
        error = -EIO;
    if (error)
        return fail(courier, "file", error);
    (void)printf("file: %zu messages sent\n", turn);
    return 0;
}

/* Receives that no message answers, in one system call for each or for all. */
static int post_many(struct courier *courier, bool together, uint64_t *spent_ns) {
    struct board *hardware = libemp_hardware(courier->board);
    const struct libemp_piece all = piece(courier, 0, BOARD_PAGE_BYTES);
    libemp_request requests[POSTS];
    const uint64_t start = board_now_ns(hardware);
    int error = 0;
    if (together)
        libemp_hold_receives(courier->board);
    for (size_t i = 0; i < POSTS && !error; i++)
        error = libemp_post_receive(courier->board, courier->peer, LONG_TAG, &all, 1, &requests[i]);
    libemp_release_receives(courier->board);
    *spent_ns += board_now_ns(hardware) - start;
    for (size_t i = 0; i < POSTS && !error; i++)
        error = libemp_cancel(courier->board, requests[i]);
    for (size_t i = 0; i < POSTS && !error; i++) {
        error = wait_for(courier, requests[i], WAIT_NS, NULL);
        error = error == -ECANCELED ? 0 : error;
    }
    return error;
}

static int calls(struct courier *courier, unsigned rounds) {
    uint64_t spent_ns[2] = {0};
    int error = 0;
    for (unsigned i = 0; i < 2 * rounds && !error; i++)
        error = post_many(courier, i % 2 != 0, &spent_ns[i % 2]);
    if (error)
        return fail(courier, "calls", error);
    (void)printf("calls: a receive takes %" PRIu64 " ns alone, %" PRIu64 " ns among %d\n",
                 spent_ns[0] / rounds / POSTS, spent_ns[1] / rounds / POSTS, POSTS);
    return 0;
}

static int begin(struct courier *courier, char **arguments) {
    struct libemp_options options;
    const struct board_start_options start = {.node = (uint16_t)atoi(arguments[1])};
    unsigned mac[6];
    uint8_t address[6];
    libemp_options_defaults(&options);
    courier->peer = (uint16_t)atoi(arguments[2]);
    courier->polls = getenv("EMP_POLLS") != NULL;
    if (sscanf(arguments[3], "%x:%x:%x:%x:%x:%x", &mac[0], &mac[1], &mac[2], &mac[3], &mac[4],
               &mac[5]) != 6)
        return -EINVAL;
    for (size_t i = 0; i < 6; i++)
        address[i] = (uint8_t)mac[i];
    int error = libemp_open(&courier->board, arguments[0], &options);
    if (!error)
        error = libemp_attach(courier->board);
    if (error == -ENODEV && courier->board) {
        struct board_image *image = NULL; /* the driver has its own */
        if (getenv("EMP_IMAGE"))
            error = board_image_open(&image, getenv("EMP_IMAGE"));
        if (!getenv("EMP_IMAGE") || !error)
            error = libemp_start(courier->board, image, &start);
        board_image_close(image);
    }
    /* Over the driver a node is a board; else its ports are nodes of their own. */
    const bool driver = strncmp(arguments[0], "emp", 3) == 0 && !strchr(arguments[0], 't');
    const size_t nodes = driver ? BOARDS : libemp_node_limit();
    courier->every = driver ? (UINT64_C(1) << DRIVER_TAG_BITS) - 1 : UINT64_MAX;
    for (size_t node = courier->peer; node < nodes && !error; node += BOARDS)
        error = libemp_set_peer(courier->board, (uint16_t)node, address);
    if (!error)
        error = board_wait_link(libemp_hardware(courier->board), LINK_NS);
    if (error)
        return error;
    courier->memory = libemp_allocate(courier->board, (size_t)2 * SLOTS * SLOT_BYTES);
    return courier->memory ? libemp_register(courier->board, courier->memory,
                                             (size_t)2 * SLOTS * SLOT_BYTES, &courier->registered)
                           : -ENOMEM;
}

/* Through the other board and back, from one place into another one. An answer to a board that has
 * just been started may be lost. */
static int there_and_back(const struct courier *courier, const struct libemp_piece *out,
                          const struct libemp_piece *in, uint64_t tag) {
    libemp_request receive;
    libemp_request send;
    int error = libemp_post_receive(courier->board, courier->peer, tag, in, 1, &receive);
    for (unsigned again = 0; again < AGAIN_LIMIT && !error; again++) {
        error = libemp_post_send(courier->board, courier->peer, tag, out, 1, &send);
        if (!error)
            error = wait_for(courier, send, WAIT_NS, NULL);
        if (!error)
            error = wait_for(courier, receive, ANSWER_NS, NULL);
        if (error != -ETIMEDOUT)
            return error;
        error = 0;
    }
    return error ? error : -ETIMEDOUT;
}

/* What is mapped at the same address each time is other memory, and registered anew, before the
 * old registration ends or after it. */
static int renew(struct courier *courier, unsigned rounds) {
    const size_t room = (size_t)2 * BOARD_PAGE_BYTES;
    uint8_t *place = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct libemp_memory *memory = NULL;
    struct libemp_memory *old = NULL;
    int error = place == MAP_FAILED ? -ENOMEM : 0;
    for (unsigned i = 0; i < rounds && !error; i++) {
        const size_t bytes = (size_t)(1 + i / 2 % 2) * BOARD_PAGE_BYTES;
        if (munmap(place, room) || mmap(place, bytes, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != place)
            return fail(courier, "renew", -ENOMEM);
        fill(place, bytes / 2, i);
        if (old && i % 2) {
            error = libemp_deregister(old);
            old = NULL;
        }
        if (!error)
            error = libemp_register(courier->board, place, bytes, &memory);
        if (!error && old)
            error = libemp_deregister(old);
        old = memory;
        const struct libemp_piece out = {memory, 0, bytes / 2};
        const struct libemp_piece in = {memory, bytes / 2, bytes / 2};
        if (!error)
            error = there_and_back(courier, &out, &in, i);
        if (!error && memcmp(place, place + bytes / 2, bytes / 2) != 0)
            error = -EBADMSG;
    }
    if (error)
        return fail(courier, "renew", error);
    (void)printf("renew: %u memories at one address\n", rounds);
    return 0;
}

/* In a child. The number of the first call that is not refused, 0: none. */
static int try_all(struct courier *courier, libemp_request posted) {
    struct libemp_board *board = courier->board;
    const struct libemp_piece all = piece(courier, 0, BOARD_PAGE_BYTES);
    struct libemp_memory *memory;
    libemp_request request;
    libemp_transfer transfer;
    uint32_t value;
    size_t index;
    const int results[] = {
        libemp_post_send(board, courier->peer, 1, &all, 1, &request),
        libemp_post_receive(board, courier->peer, 1, &all, 1, &request),
        libemp_send_long(board, courier->peer, 1, &all, &transfer),
        libemp_test(board, posted, NULL),
        libemp_wait(board, posted, LIBEMP_FOREVER, NULL),
        libemp_wait_any(board, &posted, 1, LIBEMP_FOREVER, &index, NULL),
        libemp_wait_all(board, &posted, 1, LIBEMP_FOREVER, NULL, NULL),
        libemp_cancel(board, posted),
        libemp_register(board, place(courier, 0), BOARD_PAGE_BYTES, &memory),
        libemp_deregister(courier->registered),
        libemp_set_peer(board, courier->peer, (const uint8_t[6]){2}),
        libemp_counter(board, 0, &value),
        libemp_event_descriptor(board),
        libemp_attach(board),
        libemp_start(board, NULL, NULL),
        libemp_stop(board),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        if (results[i] != -EACCES)
            return (int)i + 1;
    /* Without the library's own look. */
    return board_link(libemp_hardware(board)) >= 0 ? 100 : 0;
}

/* Memory that the board allocates is shared by the processes where the board is simulated. */
static int use_beside_child(struct courier *courier) {
    const struct libemp_piece out = piece(courier, SLOTS, SLOT_BYTES);
    const struct libemp_piece in = piece(courier, 0, SLOT_BYTES);
    fill(place(courier, SLOTS), SLOT_BYTES, 77);
    const int error = there_and_back(courier, &out, &in, LONG_TAG);
    const bool same = memcmp(place(courier, 0), place(courier, SLOTS), SLOT_BYTES) == 0;
    return error || same ? error : -EBADMSG;
}

/* A simulated board without requests goes on. */
static int open_again(struct courier *courier, char **arguments, libemp_request posted) {
    int error = libemp_cancel(courier->board, posted);
    if (!error && libemp_wait(courier->board, posted, WAIT_NS, NULL) == -ECANCELED)
        error = libemp_close(courier->board);
    *courier = (struct courier){0};
    return error ? error : begin(courier, arguments);
}

static int parent(struct courier *courier, char **arguments, unsigned seconds) {
    struct libemp_piece all = piece(courier, 1, BOARD_PAGE_BYTES);
    libemp_request request;
    int status = 0;
    int error = libemp_post_receive(courier->board, courier->peer, 2, &all, 1, &request);
    const pid_t tries = error ? -1 : fork();
    if (tries == 0) {
        const int let = try_all(courier, request);
        _exit(let ? let : libemp_close(courier->board) ? 101 : 0);
    }
    if (!error && (tries < 0 || waitpid(tries, &status, 0) != tries || status != 0)) {
        (void)fprintf(stderr, "courier: call %d of a child: %s\n", WEXITSTATUS(status),
                      libemp_message(courier->board));
        error = -EPROTO;
    }
    const pid_t lingers = error ? -1 : fork();
    if (lingers == 0) {
        (void)sleep(seconds);
        _exit(0);
    }
    if (!error)
        error = use_beside_child(courier);
    if (!error)
        error = open_again(courier, arguments, request);
    if (!error)
        error = use_beside_child(courier);
    all.memory = courier->registered;
    for (unsigned i = 0; i < SLOTS && !error; i++)
        error = libemp_post_receive(courier->board, courier->peer, 100 + i, &all, 1, &request);
    const pid_t left = error ? -1 : fork();
    if (left == 0) {
        (void)sleep(seconds);
        _exit(0);
    }
    if (error)
        return fail(courier, "parent", error);
    (void)printf("parent: its children were refused\n");
    (void)fflush(stdout);
    return raise(SIGKILL);
}

int main(int count, char **arguments) {
    struct courier courier = {0};
    int error = -EINVAL;
    if (count >= 6 && (error = begin(&courier, arguments + 2)) != 0)
        (void)fail(&courier, arguments[2], error);
    else if (count == 7 && strcmp(arguments[1], "echo") == 0)
        error = echo(&courier, (size_t)atoi(arguments[6]));
    else if (count == 7 && strcmp(arguments[1], "ping") == 0)
        error = ping(&courier, (uint32_t)atoi(arguments[6]));
    else if (count == 7 && strcmp(arguments[1], "calls") == 0)
        error = calls(&courier, (unsigned)atoi(arguments[6]));
    else if (count == 7 && strcmp(arguments[1], "renew") == 0)
        error = renew(&courier, (unsigned)atoi(arguments[6]));
    else if (count == 7 && strcmp(arguments[1], "parent") == 0)
        error = parent(&courier, arguments + 2, (unsigned)atoi(arguments[6]));
    else if (count == 8 && strcmp(arguments[1], "file") == 0)
        error = file(&courier, arguments[6], arguments[7]);
    else
        (void)fprintf(stderr, "courier: see tests/driver/courier.c\n");
    if (courier.board && libemp_close(courier.board))
        libemp_abandon(courier.board);
    return error ? EXIT_FAILURE : EXIT_SUCCESS;
}
