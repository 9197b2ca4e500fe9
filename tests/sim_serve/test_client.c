/* SPDX-License-Identifier: MIT */
/* Two threads with a board each: libemp over sockets, and the client library's refusals.
 *
 *     build/tests/serve_client LEFT_SOCKET RIGHT_SOCKET
 */
#include "host/board/socket.h"
#include "host/emp/libemp.h"
#include "sim/serve/client/tigon_client.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 20000, TAG = 7 };

struct side {
    const char *path;
    uint16_t node;
    int error;
    char message[200];
};

/* One message each way, many pages long, so that every kind of descriptor is used. */
static int exchange(struct side *side, struct libemp_board *board, struct board_image *image) {
    const uint16_t peer = (uint16_t)(1 - side->node);
    const uint8_t address[6] = {2, 0x54, 0x47, 0, 0, (uint8_t)peer};
    const struct board_start_options start = {.node = side->node};
    struct libemp_memory *memory[2];
    libemp_request received;
    libemp_request sent;
    int error = libemp_start(board, image, &start);
    if (!error)
        error = libemp_set_peer(board, peer, address);
    if (!error)
        error = board_wait_link(libemp_hardware(board), 1000000000);
    if (error)
        return error;
    uint8_t *out = libemp_allocate(board, BYTES);
    uint8_t *in = libemp_allocate(board, BYTES);
    if (!out || !in)
        return -ENOMEM;
    for (size_t i = 0; i < BYTES; i++)
        out[i] = (uint8_t)(i * 7 + side->node);
    error = libemp_register(board, out, BYTES, &memory[0]);
    if (!error)
        error = libemp_register(board, in, BYTES, &memory[1]);
    if (error)
        return error;
    const struct libemp_piece outgoing = {memory[0], 0, BYTES};
    const struct libemp_piece incoming = {memory[1], 0, BYTES};
    error = libemp_post_receive(board, peer, TAG, &incoming, 1, &received);
    if (!error)
        error = libemp_post_send(board, peer, TAG, &outgoing, 1, &sent);
    if (!error)
        error = libemp_wait(board, received, LIBEMP_FOREVER, NULL);
    if (!error)
        error = libemp_wait(board, sent, LIBEMP_FOREVER, NULL);
    for (size_t i = 0; i < BYTES && !error; i++)
        if (in[i] != (uint8_t)(i * 7 + peer))
            error = -EBADMSG;
    return error;
}

static void *run(void *argument) {
    struct side *side = argument;
    struct libemp_options options;
    struct board_image *image = NULL;
    struct libemp_board *board = NULL;
    char name[150];
    libemp_options_defaults(&options);
    options.board.backends = (const struct board_backend *const[]){&board_socket, NULL};
    (void)snprintf(name, sizeof name, "socket:%s", side->path);
    side->error = board_image_open(&image, getenv("EMP_IMAGE"));
    if (!side->error)
        side->error = libemp_open(&board, name, &options);
    if (!side->error)
        side->error = exchange(side, board, image);
    if (board) {
        (void)snprintf(side->message, sizeof side->message, "%s", libemp_message(board));
        libemp_abandon(board);
    }
    board_image_close(image);
    return NULL;
}

static int check_refusals(const char *path) {
    struct tigon_client *client = NULL;
    uint64_t value;
    uint32_t word;
    if (tigon_client_open(&client, "/nowhere/x.sock", 0) != -ENOENT || client ||
        !strstr(tigon_client_open_message(), "/nowhere/x.sock"))
        return 1;
    if (tigon_client_open(&client, path, 0) != 0)
        return 2;
    if (tigon_client_read(client, 0x4000, 4, &value) != -EINVAL ||
        tigon_client_read(client, 1, 2, &value) != -EINVAL ||
        !strstr(tigon_client_message(client), "0x4000"))
        return 3;
    if (tigon_client_pointer(client, tigon_client_information(client)->memory_base, SIZE_MAX))
        return 4;
    if (tigon_client_board(client, 99, (uint8_t[6]){0}, NULL) != -ENOENT)
        return 5;
    if (tigon_client_write32(client, 3, 1) != 0) /* posted: the next call reports it */
        return 6;
    if (tigon_client_read32(client, 0, &word) != -EINVAL)
        return 7;
    if (tigon_client_read32(client, 0, &word) != -ECONNRESET)
        return 8;
    if (tigon_client_read32(client, 0, &word) != -ENOTCONN)
        return 9;
    tigon_client_close(client);
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[2];
    if (argc != 3)
        return 2;
    const int refused = check_refusals(argv[1]);
    if (refused) {
        (void)fprintf(stderr, "refusal %d is not as documented\n", refused);
        return 1;
    }
    struct side sides[2] = {{.path = argv[1], .node = 0}, {.path = argv[2], .node = 1}};
    for (size_t i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, run, &sides[i]) != 0)
            return 2;
    for (size_t i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    for (size_t i = 0; i < 2; i++)
        if (sides[i].error)
            (void)fprintf(stderr, "%s: %s: %s\n", sides[i].path, strerror(-sides[i].error),
                          sides[i].message);
    return sides[0].error || sides[1].error;
}
