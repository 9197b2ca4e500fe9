/* SPDX-License-Identifier: MIT */
/* The first program: `hello BOARD PEER` receives a greeting, `hello BOARD PEER TEXT` sends one.
 * Both boards have been started by `emp load`. */
#include <libemp.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    struct libemp_options options;
    struct libemp_board *board;
    struct libemp_memory *memory;
    libemp_request request;
    if (argc < 3)
        return 2;
    const uint16_t peer = (uint16_t)(argv[2][0] - '0');
    libemp_options_defaults(&options);
    if (libemp_open(&board, argv[1], &options) || libemp_attach(board))
        return 1;
    char *buffer = libemp_allocate(board, 4096);
    if (!buffer || libemp_register(board, buffer, 4096, &memory))
        return 1;
    const struct libemp_piece piece = {memory, 0, 4096};
    if (argc > 3)
        (void)snprintf(buffer, 4096, "%s", argv[3]);
    int error = argc > 3 ? libemp_post_send(board, peer, 1, &piece, 1, &request)
                         : libemp_post_receive(board, peer, 1, &piece, 1, &request);
    if (!error)
        error = libemp_wait(board, request, LIBEMP_FOREVER, NULL);
    if (error)
        (void)fprintf(stderr, "hello: %s\n", libemp_message(board));
    else if (argc == 3)
        (void)puts(buffer);
    return libemp_close(board) || error ? 1 : 0;
}
