/* SPDX-License-Identifier: MIT */
/* Firmware images as people have them: ELF, the tg2.bin of the Linux driver, raw bytes, and the C
 * arrays of the public drivers (tigon2.md 10). */
#ifndef SIM_COMMAND_IMAGE_H
#define SIM_COMMAND_IMAGE_H

#include "sim/command/scenario.h"

enum { IMAGE_SEGMENTS = 32 };

struct image_segment {
    uint32_t address; /* CPU address; scratchpads are allowed */
    uint32_t length;
    uint8_t *bytes;
};

struct image {
    uint32_t start; /* where core A begins */
    size_t count;
    struct image_segment segments[IMAGE_SEGMENTS];
    char version[32]; /* the image's own version text, may be empty */
};

/* Reads one. 0, or -1 with a sentence that begins with the file's name. Free in every case. */
int image_read(struct image *image, const struct scenario_image *scenario, char *problem,
               size_t problem_bytes);
void image_free(struct image *image);

/* Address of a symbol of an ELF file. False when there is none, or the file is no ELF file. */
bool image_symbol(const char *file, const char *name, uint32_t *address);

/* Content of a section of an ELF file, with a zero behind it, to be given to free. NULL when there
 * is none, or the file is no ELF file. */
char *image_section(const char *file, const char *name);

/* For image.c: the C arrays in `text`. Segments and start are added to `image`. */
int image_read_header(struct image *image, const char *text, const char *prefix, char *problem,
                      size_t problem_bytes);
/* Adds a segment with a copy of `bytes`. 0 or -1 with a sentence. */
int image_add(struct image *image, uint32_t address, const uint8_t *bytes, size_t length,
              char *problem, size_t problem_bytes);

#endif
