/* SPDX-License-Identifier: MIT */
/* Firmware images in memory, for the files of this library that read and write them. */
#ifndef HOST_BOARD_IMAGE_FILE_H
#define HOST_BOARD_IMAGE_FILE_H

#include "host/board/board.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    IMAGE_SEGMENT_LIMIT = 16,
    IMAGE_FILE_BYTES_LIMIT = 16 << 20, /* an ELF file with debugging information has 0.3 MB */
    IMAGE_LIST_LIMIT = 4096            /* names of one kind */
};

struct image_list {
    size_t count;
    char **names;
};

struct image_symbol {
    uint32_t address;
    uint32_t bytes;
    const char *name;
};

struct board_image {
    struct board_image_information information;
    size_t count;
    struct board_segment segments[IMAGE_SEGMENT_LIMIT];
    uint32_t *content[IMAGE_SEGMENT_LIMIT];

    char *names_text; /* as in the file */
    size_t names_bytes;
    char *names_lines; /* a copy with a zero behind each line; the lists point into it */
    struct image_list files;
    struct image_list transitions;
    size_t symbol_count;
    struct image_symbol *symbols;

    char reason[240]; /* of the failure */
};

/* Stores the sentence for people; the value is `error`. */
int image_fail(struct board_image *image, int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

uint32_t image_word(const uint8_t *bytes); /* big-endian */

/* image.c: adds what is to be loaded; the bytes are copied. */
int image_add(struct board_image *image, const uint8_t *bytes, uint64_t count, uint64_t address);
int image_check_entry(struct board_image *image);

/* image_elf.c, image_flashable.c: read all of a file. 0, or a negative errno value and a reason. */
int image_read_elf(struct board_image *image, uint8_t *bytes, size_t count);
int image_read_flashable(struct board_image *image, const uint8_t *bytes, size_t count);

/* image_names.c: takes the lines of host/board/image_format.h apart. `text` is copied. */
int image_take_names(struct board_image *image, const char *text, size_t bytes);
void image_free_names(struct board_image *image);

#ifdef __cplusplus
}
#endif

#endif
