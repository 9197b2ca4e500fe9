/* SPDX-License-Identifier: MIT */
/* Firmware images: what an ELF file wants in memory, at its load addresses. */
#include "host/board/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FIRST_ADDRESS = 0x2000, /* below live the shared words, above everything is cleared first */
    SEGMENT_LIMIT = 16
};

struct board_image {
    uint32_t entry;
    size_t count;
    struct board_segment segments[SEGMENT_LIMIT];
    uint32_t *content[SEGMENT_LIMIT];
};

static uint32_t big_endian(const unsigned char *bytes, size_t count) {
    uint32_t word = 0; /* a last word that is not full ends with zero bytes */
    for (size_t i = 0; i < 4; i++)
        word = word << 8 | (i < count ? bytes[i] : 0U);
    return word;
}

static int add_content(struct board_image *image, const unsigned char *content, uint64_t bytes,
                       uint32_t address) {
    if (address % 4 != 0 || image->count == SEGMENT_LIMIT)
        return -ENOEXEC;
    if (address < FIRST_ADDRESS || address >= MEMORY_BYTES || bytes > MEMORY_BYTES - address)
        return -EFBIG;
    const size_t words = ((size_t)bytes + 3) / 4;
    uint32_t *copy = malloc(words * sizeof *copy);
    if (!copy)
        return -ENOMEM;
    for (size_t i = 0; i < words; i++)
        copy[i] = big_endian(content + 4 * i, (size_t)bytes - 4 * i);
    image->content[image->count] = copy;
    image->segments[image->count++] =
        (struct board_segment){.address = address, .words = (uint32_t)words, .content = copy};
    return 0;
}

/* What of the segment is to be loaded. Linkers may round segments to pages of the file, so that
 * they begin with the file's own header; the sections say what is meant. A file stripped of
 * sections is taken at the segment's word. */
static int add_segment(struct board_image *image, Elf *elf, const GElf_Phdr *segment,
                       const unsigned char *file, size_t file_bytes) {
    if (segment->p_type != PT_LOAD || segment->p_filesz == 0)
        return 0;
    if (segment->p_offset > file_bytes || segment->p_filesz > file_bytes - segment->p_offset)
        return -ENOEXEC;
    const uint64_t end = segment->p_offset + segment->p_filesz;
    bool found = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return -ENOEXEC;
        found = true;
        if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_size == 0 || header.sh_offset < segment->p_offset ||
            header.sh_offset >= end || header.sh_size > end - header.sh_offset)
            continue;
        const uint64_t address = segment->p_paddr + (header.sh_offset - segment->p_offset);
        const int error =
            add_content(image, file + header.sh_offset, header.sh_size, (uint32_t)address);
        if (error)
            return error;
    }
    return found ? 0
                 : add_content(image, file + segment->p_offset, segment->p_filesz,
                               (uint32_t)segment->p_paddr);
}

static bool entry_is_loaded(const struct board_image *image) {
    for (size_t i = 0; i < image->count; i++)
        if (image->entry >= image->segments[i].address &&
            image->entry - image->segments[i].address < image->segments[i].words * 4)
            return image->entry % 4 == 0;
    return false;
}

static int read_image(struct board_image *image, Elf *elf) {
    GElf_Ehdr header;
    size_t headers;
    size_t bytes;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
        header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2MSB ||
        header.e_machine != EM_MIPS || header.e_type != ET_EXEC ||
        elf_getphdrnum(elf, &headers) != 0)
        return -ENOEXEC;
    const unsigned char *file = (const unsigned char *)elf_rawfile(elf, &bytes);
    if (!file)
        return -ENOEXEC;
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            return -ENOEXEC;
        const int error = add_segment(image, elf, &segment, file, bytes);
        if (error)
            return error;
    }
    image->entry = (uint32_t)header.e_entry;
    return entry_is_loaded(image) ? 0 : -ENOEXEC;
}

int board_image_open(struct board_image **image, const char *path) {
    if (!image || !path)
        return -EINVAL;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return -ENOEXEC;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0)
        return -errno;
    struct board_image *new = calloc(1, sizeof *new);
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    int error = -ENOMEM;
    if (fstat(file, &status) == 0 && S_ISDIR(status.st_mode))
        error = -EISDIR; /* opened, but never read */
    else if (new)
        error = elf ? read_image(new, elf) : -ENOEXEC;
    elf_end(elf);
    close(file);
    if (error) {
        board_image_close(new);
        return error;
    }
    *image = new;
    return 0;
}

void board_image_close(struct board_image *image) {
    if (!image)
        return;
    for (size_t i = 0; i < image->count; i++)
        free(image->content[i]);
    free(image);
}

size_t board_image_segment(const struct board_image *image, size_t index,
                           struct board_segment *segment) {
    if (segment && index < image->count)
        *segment = image->segments[index];
    return image->count;
}

uint32_t board_image_entry(const struct board_image *image) {
    return image->entry;
}
