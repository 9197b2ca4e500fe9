/* SPDX-License-Identifier: MIT */
/* Small ELF files made by hand, with every field open to spoiling. */
#ifndef TESTS_HOST_ELF_FILE_H
#define TESTS_HOST_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_segment {
    uint32_t type;
    uint32_t address;
    uint32_t file_bytes;
    uint32_t offset; /* 0: where the content really is */
};

struct elf_file {
    uint8_t class;    /* 1: 32 bit */
    uint8_t data;     /* 2: big-endian */
    uint16_t type;    /* 2: executable */
    uint16_t machine; /* 8: MIPS */
    uint32_t entry;
    uint32_t header_bytes; /* the first segment begins so much before its content, as after `ld` */
    bool sections;         /* describe each segment's content by a section */
    size_t segments;
    struct elf_segment segment[20];
};

void elf_file_defaults(struct elf_file *file); /* one segment of 10 bytes at 0x4000 */

/* Content byte `index` of segment `segment`. */
uint8_t elf_file_byte(size_t segment, size_t index);

/* Writes it to an unnamed file; the path is good until elf_file_close. `truncate` > 0 cuts it. */
const char *elf_file_write(const struct elf_file *file, size_t truncate);
void elf_file_close(void);

#endif
