/* SPDX-License-Identifier: MIT */
#include "sim/command/image.h"

#include "sim/core/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { IMAGE_FILE_LIMIT = 16 << 20, TG2_HEADER = 12, TG2_FIRST = 0x4000, TG2_LAST = 0x7FFFF };

#define SAY(problem, bytes, ...) ((void)snprintf(problem, bytes, __VA_ARGS__), -1)

void image_free(struct image *image) {
    for (size_t i = 0; i < image->count; i++)
        free(image->segments[i].bytes);
    *image = (struct image){0};
}

/* Whether a board has memory there, whatever SRAM is fitted. */
static bool is_memory(uint32_t address, size_t length) {
    const bool scratchpad = address >= TIGON_SCRATCHPAD;
    const uint32_t first = scratchpad ? TIGON_SCRATCHPAD : 0;
    const uint32_t size = scratchpad ? TIGON_SCRATCHPAD_A_SIZE : TIGON_SRAM_SPACE;
    return address - first < size && length <= size - (address - first);
}

int image_add(struct image *image, uint32_t address, const uint8_t *bytes, size_t length,
              char *problem, size_t problem_bytes) {
    if (length == 0)
        return 0;
    if (image->count == IMAGE_SEGMENTS)
        return SAY(problem, problem_bytes, "more than %d pieces", IMAGE_SEGMENTS);
    if (!is_memory(address, length) || address % 4 != 0)
        return SAY(problem, problem_bytes,
                   "%zu bytes at 0x%08" PRIX32 ": expected SRAM (below 0x200000) or scratchpad "
                   "(0xC00000 to 0xC03FFF), from a multiple of 4",
                   length, address);
    uint8_t *copy = malloc(length);
    if (!copy)
        return SAY(problem, problem_bytes, "out of memory");
    memcpy(copy, bytes, length);
    image->segments[image->count++] = (struct image_segment){address, (uint32_t)length, copy};
    return 0;
}

/* ------------------------------------------------------------------------------------------------
 * ELF */

/* Linkers may round segments to pages of the file, so that one begins with the file's own header;
 * the sections have the true extent. A file stripped of sections is loaded by its segments. */
static int add_elf_segment(struct image *image, Elf *elf, const GElf_Phdr *segment,
                           const uint8_t *file, size_t file_bytes, char *problem,
                           size_t problem_bytes) {
    if (segment->p_type != PT_LOAD || segment->p_filesz == 0)
        return 0;
    if (segment->p_offset > file_bytes || segment->p_filesz > file_bytes - segment->p_offset)
        return SAY(problem, problem_bytes, "a segment passes the end of the file");
    const uint64_t end = segment->p_offset + segment->p_filesz;
    bool found = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return SAY(problem, problem_bytes, "a section cannot be read");
        found = true;
        if (header.sh_type == SHT_NOBITS || !(header.sh_flags & SHF_ALLOC) || header.sh_size == 0 ||
            header.sh_offset < segment->p_offset || header.sh_offset >= end ||
            header.sh_size > end - header.sh_offset)
            continue;
        const uint64_t address = segment->p_paddr + (header.sh_offset - segment->p_offset);
        if (address % 4 != 0)
            continue; /* notes of tools about the file, not part of the program */
        if (image_add(image, (uint32_t)address, file + header.sh_offset, header.sh_size, problem,
                      problem_bytes))
            return -1;
    }
    return found ? 0
                 : image_add(image, (uint32_t)segment->p_paddr, file + segment->p_offset,
                             segment->p_filesz, problem, problem_bytes);
}

static int read_elf(struct image *image, uint8_t *bytes, size_t length, char *problem,
                    size_t problem_bytes) {
    GElf_Ehdr header;
    size_t headers = 0;
    int error = 0;
    if (elf_version(EV_CURRENT) == EV_NONE)
        return SAY(problem, problem_bytes, "libelf is too old");
    Elf *elf = elf_memory((char *)bytes, length);
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        error = SAY(problem, problem_bytes, "a damaged ELF file");
    else if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2MSB ||
             header.e_machine != EM_MIPS)
        error = SAY(problem, problem_bytes,
                    "expected an ELF file for a 32-bit big-endian MIPS, found machine %u, %s, %s",
                    header.e_machine, header.e_ident[EI_CLASS] == ELFCLASS64 ? "64 bit" : "32 bit",
                    header.e_ident[EI_DATA] == ELFDATA2MSB ? "big-endian" : "little-endian");
    else if (header.e_type != ET_EXEC || elf_getphdrnum(elf, &headers) != 0 || headers == 0)
        error = SAY(problem, problem_bytes,
                    "expected an ELF file linked to fixed addresses (not an object file)");
    for (size_t i = 0; i < headers && !error; i++) {
        GElf_Phdr segment;
        error = gelf_getphdr(elf, (int)i, &segment)
                    ? add_elf_segment(image, elf, &segment, bytes, length, problem, problem_bytes)
                    : SAY(problem, problem_bytes, "a segment cannot be read");
    }
    if (!error)
        image->start = (uint32_t)header.e_entry;
    (void)elf_end(elf);
    return error;
}

/* NULL where there is no such file. Its descriptor is stored in any case, for close_elf. */
static Elf *open_elf(const char *file, int *descriptor) {
    *descriptor = elf_version(EV_CURRENT) == EV_NONE ? -1 : open(file, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? NULL : elf_begin(*descriptor, ELF_C_READ, NULL);
}

static void close_elf(Elf *elf, int descriptor) {
    (void)elf_end(elf);
    if (descriptor >= 0)
        (void)close(descriptor);
}

char *image_section(const char *file, const char *name) {
    int descriptor;
    size_t names = 0;
    char *copy = NULL;
    Elf *elf = open_elf(file, &descriptor);
    const bool good = elf && elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *section = NULL; good && !copy && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        const char *found =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        const Elf_Data *data =
            found && strcmp(found, name) == 0 ? elf_rawdata(section, NULL) : NULL;
        copy = data && data->d_buf ? strndup(data->d_buf, data->d_size) : NULL;
    }
    close_elf(elf, descriptor);
    return copy;
}

bool image_symbol(const char *file, const char *name, uint32_t *address) {
    int descriptor;
    bool found = false;
    Elf *elf = open_elf(file, &descriptor);
    for (Elf_Scn *section = NULL; elf && !found && (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize && !found; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol))
                continue;
            const char *text = elf_strptr(elf, header.sh_link, symbol.st_name);
            found = text && symbol.st_shndx != SHN_UNDEF && strcmp(text, name) == 0;
            if (found)
                *address = (uint32_t)symbol.st_value;
        }
    }
    close_elf(elf, descriptor);
    return found;
}

/* ------------------------------------------------------------------------------------------------
 * tg2.bin */

static int read_tg2(struct image *image, const uint8_t *bytes, size_t length, char *problem,
                    size_t problem_bytes) {
    if (length <= TG2_HEADER || bytes[3] != 0)
        return SAY(problem, problem_bytes,
                   "expected an image of format tg2: 12 bytes of header, the fourth of them zero");
    const uint32_t start = tigon_load_be32(bytes + 4);
    const uint32_t load = tigon_load_be32(bytes + 8);
    if (start < TG2_FIRST || start > TG2_LAST || load < TG2_FIRST || load > TG2_LAST)
        return SAY(problem, problem_bytes,
                   "start 0x%08" PRIX32 " and load address 0x%08" PRIX32
                   ": expected 0x4000 to 0x7FFFF in an image of format tg2",
                   start, load);
    image->start = start;
    (void)snprintf(image->version, sizeof image->version, "%u.%u.%u", bytes[0], bytes[1], bytes[2]);
    return image_add(image, load, bytes + TG2_HEADER, length - TG2_HEADER, problem, problem_bytes);
}

static bool looks_like_tg2(const uint8_t *bytes, size_t length) {
    if (length <= TG2_HEADER || bytes[3] != 0)
        return false;
    const uint32_t start = tigon_load_be32(bytes + 4);
    const uint32_t load = tigon_load_be32(bytes + 8);
    return start >= TG2_FIRST && start <= TG2_LAST && load >= TG2_FIRST && load <= TG2_LAST;
}

/* ------------------------------------------------------------------------------------------------
 * All */

/* With a zero byte behind; NULL with errno set. */
static uint8_t *read_file(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = file ? malloc(IMAGE_FILE_LIMIT + 1) : NULL;
    int error = errno;
    *length = 0;
    if (bytes) {
        errno = 0;
        *length = fread(bytes, 1, IMAGE_FILE_LIMIT + 1, file);
        error = ferror(file) ? (errno ? errno : EIO) : *length > IMAGE_FILE_LIMIT ? EFBIG : 0;
        bytes[error ? 0 : *length] = 0;
    }
    if (file)
        (void)fclose(file);
    if (bytes && !error)
        return bytes;
    free(bytes);
    errno = error;
    return NULL;
}

static bool is_text(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length && i < 4096; i++)
        if (bytes[i] == 0 || bytes[i] >= 0x80)
            return false;
    return true;
}

static enum scenario_image_format guess(const uint8_t *bytes, size_t length) {
    if (length >= SELFMAG && memcmp(bytes, ELFMAG, SELFMAG) == 0)
        return SCENARIO_IMAGE_ELF;
    if (looks_like_tg2(bytes, length))
        return SCENARIO_IMAGE_TG2;
    return is_text(bytes, length) ? SCENARIO_IMAGE_HEADER : SCENARIO_IMAGE_BY_CONTENT;
}

static int check_start(const struct image *image, char *problem, size_t problem_bytes) {
    for (size_t i = 0; i < image->count; i++)
        if (image->start - image->segments[i].address < image->segments[i].length &&
            image->start % 4 == 0)
            return 0;
    return SAY(problem, problem_bytes,
               "the start address 0x%08" PRIX32 " is not a word of what the image loads",
               image->start);
}

static int read_content(struct image *image, const struct scenario_image *scenario, uint8_t *bytes,
                        size_t length, char *problem, size_t problem_bytes) {
    enum scenario_image_format format = scenario->format;
    if (length == 0)
        return SAY(problem, problem_bytes, "is empty");
    if (format == SCENARIO_IMAGE_BY_CONTENT)
        format = guess(bytes, length);
    switch (format) {
    case SCENARIO_IMAGE_ELF:
        return read_elf(image, bytes, length, problem, problem_bytes);
    case SCENARIO_IMAGE_TG2:
        return read_tg2(image, bytes, length, problem, problem_bytes);
    case SCENARIO_IMAGE_HEADER:
        return image_read_header(image, (const char *)bytes, scenario->prefix, problem,
                                 problem_bytes);
    case SCENARIO_IMAGE_RAW:
        image->start = scenario->load;
        return image_add(image, scenario->load, bytes, length, problem, problem_bytes);
    default:
        return SAY(problem, problem_bytes,
                   "is neither ELF, tg2 nor C arrays; a raw image needs format = \"raw\" and a "
                   "load address");
    }
}

int image_read(struct image *image, const struct scenario_image *scenario, char *problem,
               size_t problem_bytes) {
    char why[256] = "";
    size_t length = 0;
    *image = (struct image){0};
    uint8_t *bytes = read_file(scenario->file, &length);
    if (!bytes)
        return SAY(problem, problem_bytes, "%s: cannot be read: %s", scenario->file,
                   strerror(errno));
    int error = read_content(image, scenario, bytes, length, why, sizeof why);
    if (!error && scenario->has_start)
        image->start = scenario->start;
    if (!error)
        error = check_start(image, why, sizeof why);
    free(bytes);
    if (error)
        (void)snprintf(problem, problem_bytes, "%s: %s", scenario->file, why);
    return error;
}
