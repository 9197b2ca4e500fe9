/* SPDX-License-Identifier: MIT */
/* Firmware images: opening a file of any form, and what is known of an image then. */
#include "host/board/image_file.h"

#include "host/board/image_format.h"
#include "host/board/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_ADDRESS = 0x2000 /* below live the shared words, above everything is cleared first */
};

int image_fail(struct board_image *image, int error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(image->reason, sizeof image->reason, format, arguments);
    va_end(arguments);
    return error;
}

uint32_t image_word(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* A last word that is not full ends with zero bytes. */
static uint32_t word_at(const uint8_t *bytes, uint64_t count) {
    uint8_t full[4] = {0};
    memcpy(full, bytes, count < 4 ? (size_t)count : 4);
    return image_word(full);
}

int image_add(struct board_image *image, const uint8_t *bytes, uint64_t count, uint64_t address) {
    struct board_image_information *information = &image->information;
    if (address % 4 != 0)
        return image_fail(image, -ENOEXEC,
                          "%" PRIu64 " bytes at 0x%" PRIX64 ": expected a multiple of 4", count,
                          address);
    if (image->count == IMAGE_SEGMENT_LIMIT)
        return image_fail(image, -ENOEXEC, "expected at most %d pieces", IMAGE_SEGMENT_LIMIT);
    if (address < FIRST_ADDRESS || address >= MEMORY_BYTES || count > MEMORY_BYTES - address)
        return image_fail(image, -EFBIG,
                          "too large: %" PRIu64 " bytes at 0x%" PRIX64
                          "; a board has memory for firmware from 0x%X to 0x%X",
                          count, address, FIRST_ADDRESS, MEMORY_BYTES);
    const size_t words = ((size_t)count + 3) / 4;
    uint32_t *copy = malloc(words * sizeof *copy);
    if (!copy)
        return image_fail(image, -ENOMEM, "out of memory");
    for (size_t i = 0; i < words; i++)
        copy[i] = word_at(bytes + 4 * i, count - 4 * i);
    image->content[image->count] = copy;
    image->segments[image->count++] = (struct board_segment){
        .address = (uint32_t)address, .words = (uint32_t)words, .content = copy};

    const uint32_t end = (uint32_t)(address + 4 * words);
    const uint32_t end_before = information->load + information->load_bytes;
    if (image->count == 1 || address < information->load)
        information->load = (uint32_t)address;
    information->load_bytes =
        (image->count > 1 && end_before > end ? end_before : end) - information->load;
    if (information->memory_end < end)
        information->memory_end = end;
    return 0;
}

int image_check_entry(struct board_image *image) {
    const uint32_t start = image->information.start;
    for (size_t i = 0; i < image->count && start % 4 == 0; i++)
        if (start >= image->segments[i].address &&
            start - image->segments[i].address < image->segments[i].words * 4)
            return 0;
    return image_fail(image, -ENOEXEC,
                      "the start address 0x%08" PRIX32 " is not a word of what the image loads",
                      start);
}

/* All of a file, in memory to be given to free. */
static int read_file(struct board_image *image, int file, uint8_t **bytes, size_t *count) {
    struct stat status;
    if (fstat(file, &status) != 0)
        return image_fail(image, -errno, "%s", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return image_fail(image, -EISDIR, "expected a file, found a directory");
    *bytes = malloc(IMAGE_FILE_BYTES_LIMIT + 1);
    *count = 0;
    while (*bytes && *count <= IMAGE_FILE_BYTES_LIMIT) {
        const ssize_t now = read(file, *bytes + *count, IMAGE_FILE_BYTES_LIMIT + 1 - *count);
        if (now < 0 && errno != EINTR)
            return image_fail(image, -errno, "%s", strerror(errno));
        if (now == 0)
            return 0;
        *count += now > 0 ? (size_t)now : 0;
    }
    return *bytes ? image_fail(image, -EFBIG, "too large: a file of more than %d bytes",
                               IMAGE_FILE_BYTES_LIMIT)
                  : image_fail(image, -ENOMEM, "out of memory");
}

static int read_image(struct board_image *image, const char *path) {
    static const uint8_t elf[4] = {0x7F, 'E', 'L', 'F'};
    uint8_t *bytes = NULL;
    size_t count = 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return image_fail(image, -errno, "%s", strerror(errno));
    int error = read_file(image, file, &bytes, &count);
    if (!error)
        error = count >= sizeof elf && memcmp(bytes, elf, sizeof elf) == 0
                    ? image_read_elf(image, bytes, count)
                    : image_read_flashable(image, bytes, count);
    close(file);
    free(bytes);
    return error;
}

int board_image_open_explained(struct board_image **image, const char *path, char *reason,
                               size_t reason_bytes) {
    if (!image || !path) {
        (void)snprintf(reason, reason_bytes, "no path, or no place for the image");
        return -EINVAL;
    }
    struct board_image *new = calloc(1, sizeof *new);
    if (!new) {
        (void)snprintf(reason, reason_bytes, "out of memory");
        return -ENOMEM;
    }
    new->information.protocol = new->information.profile = "";
    const int error = read_image(new, path);
    if (error) {
        (void)snprintf(reason, reason_bytes, "%s: %s", path, new->reason);
        board_image_close(new);
        return error;
    }
    *image = new;
    return 0;
}

int board_image_open(struct board_image **image, const char *path) {
    return board_image_open_explained(image, path, NULL, 0);
}

void board_image_close(struct board_image *image) {
    if (!image)
        return;
    for (size_t i = 0; i < image->count; i++)
        free(image->content[i]);
    image_free_names(image);
    free(image);
}

size_t board_image_segment(const struct board_image *image, size_t index,
                           struct board_segment *segment) {
    if (segment && index < image->count)
        *segment = image->segments[index];
    return image->count;
}

uint32_t board_image_entry(const struct board_image *image) {
    return image->information.start;
}

void board_image_information(const struct board_image *image,
                             struct board_image_information *information) {
    *information = image->information;
}
