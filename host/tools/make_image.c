/* SPDX-License-Identifier: MIT */
/* The build's writer of flashable images: make_image VERSION ELF OUTPUT. Exit status 1 after a
 * message. `emp image convert` does the same for people. */
#include "host/board/board.h"

#include <stdio.h>

int main(int argc, char **argv) {
    char reason[300];
    unsigned version[3];
    int end = 0;
    struct board_image *image;
    if (argc != 4 ||
        sscanf(argv[1], "%3u.%3u.%3u%n", &version[0], &version[1], &version[2], &end) != 3 ||
        argv[1][end] || version[0] > UINT8_MAX || version[1] > UINT8_MAX ||
        version[2] > UINT8_MAX) {
        (void)fprintf(stderr, "Usage: make_image MAJOR.MINOR.FIX ELF OUTPUT\n");
        return 1;
    }
    const uint8_t bytes[3] = {(uint8_t)version[0], (uint8_t)version[1], (uint8_t)version[2]};
    int error = board_image_open_explained(&image, argv[2], reason, sizeof reason);
    if (!error) {
        error = board_image_write(image, bytes, argv[3], reason, sizeof reason);
        board_image_close(image);
    }
    if (error)
        (void)fprintf(stderr, "make_image: %s\n", reason);
    return error ? 1 : 0;
}
