/* SPDX-License-Identifier: MIT */
#include "tests/host/elf_file.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    HEADER_BYTES = 52,
    SEGMENT_HEADER_BYTES = 32,
    SECTION_HEADER_BYTES = 40,
    FILE_BYTES = 1 << 20
};

static int descriptor = -1;

void elf_file_defaults(struct elf_file *file) {
    *file = (struct elf_file){.class = 1,
                              .data = 2,
                              .type = 2,
                              .machine = 8,
                              .entry = 0x4000,
                              .segments = 1,
                              .segment = {{.type = 1, .address = 0x4000, .file_bytes = 10}}};
}

uint8_t elf_file_byte(size_t segment, size_t index) {
    return (uint8_t)(index * 7 + segment * 31 + 1);
}

static void put(uint8_t *place, const struct elf_file *file, uint32_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        place[file->data == 2 ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

const char *elf_file_write(const struct elf_file *file, size_t truncate) {
    static uint8_t content[FILE_BYTES];
    static char path[64];
    static const uint8_t magic[4] = {0x7F, 'E', 'L', 'F'};
    size_t end = HEADER_BYTES + file->segments * SEGMENT_HEADER_BYTES;
    memset(content, 0, sizeof content);
    memcpy(content, magic, sizeof magic);
    content[4] = file->class;
    content[5] = file->data;
    content[6] = 1;
    put(content + 16, file, file->type, 2);
    put(content + 18, file, file->machine, 2);
    put(content + 20, file, 1, 4);
    put(content + 24, file, file->entry, 4);
    put(content + 28, file, HEADER_BYTES, 4);
    put(content + 40, file, HEADER_BYTES, 2);
    put(content + 42, file, SEGMENT_HEADER_BYTES, 2);
    put(content + 44, file, (uint32_t)file->segments, 2);
    if (file->sections) { /* number 0 is none, by definition */
        put(content + 32, file, (uint32_t)end, 4);
        put(content + 46, file, SECTION_HEADER_BYTES, 2);
        put(content + 48, file, (uint32_t)file->segments + 1, 2);
        end += (file->segments + 1) * SECTION_HEADER_BYTES;
    }
    uint8_t *section = content + HEADER_BYTES + file->segments * SEGMENT_HEADER_BYTES;
    for (size_t s = 0; s < file->segments; s++) {
        const struct elf_segment *segment = &file->segment[s];
        uint8_t *header = content + HEADER_BYTES + s * SEGMENT_HEADER_BYTES;
        put(header, file, segment->type, 4);
        put(header + 4, file, segment->offset ? segment->offset : (uint32_t)end, 4);
        put(header + 8, file, segment->address, 4);
        put(header + 12, file, segment->address, 4);
        put(header + 16, file, segment->file_bytes, 4);
        put(header + 20, file, segment->file_bytes, 4);
        if (file->sections) {
            section += SECTION_HEADER_BYTES;
            put(section + 4, file, 1, 4); /* content of the program ... */
            put(section + 8, file, 2, 4); /* ... that takes memory */
            put(section + 12, file, segment->address, 4);
            put(section + 16, file, (uint32_t)end, 4);
            put(section + 20, file, segment->file_bytes, 4);
            put(section + 32, file, 4, 4);
        }
        if (s == 0 && file->header_bytes) {
            const uint32_t before = file->header_bytes;
            put(header + 4, file, (uint32_t)end - before, 4);
            put(header + 8, file, segment->address - before, 4);
            put(header + 12, file, segment->address - before, 4);
            put(header + 16, file, segment->file_bytes + before, 4);
            put(header + 20, file, segment->file_bytes + before, 4);
        }
        for (size_t i = 0; i < segment->file_bytes && end < FILE_BYTES; i++)
            content[end++] = elf_file_byte(s, i);
    }
    elf_file_close();
    descriptor = memfd_create("image", 0);
    assert(descriptor >= 0);
    const size_t length = truncate ? truncate : end;
    const ssize_t written = write(descriptor, content, length);
    assert(written == (ssize_t)length);
    (void)written;
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    return path;
}

void elf_file_close(void) {
    if (descriptor >= 0)
        close(descriptor);
    descriptor = -1;
}
