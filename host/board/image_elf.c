/* SPDX-License-Identifier: MIT */
/* Images as the linker makes them: what an ELF file wants in memory, at its load addresses, and the
 * names in it. */
#include "host/board/image_file.h"

#include "host/board/internal.h"

#include <errno.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_SECTION ".hsm_names"

/* What of the segment is to be loaded. Linkers may round segments to pages of the file, so that
 * they begin with the file's own header; the sections say what is meant. A file stripped of
 * sections is taken at the segment's word. */
static int add_segment(struct board_image *image, Elf *elf, const GElf_Phdr *segment,
                       const uint8_t *file, size_t file_bytes) {
    if (segment->p_type != PT_LOAD || segment->p_filesz == 0)
        return 0;
    if (segment->p_offset > file_bytes || segment->p_filesz > file_bytes - segment->p_offset)
        return image_fail(image, -ENOEXEC, "cut short: a segment passes the end of the file");
    const uint64_t end = segment->p_offset + segment->p_filesz;
    bool found = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            return image_fail(image, -ENOEXEC, "a section cannot be read");
        found = true;
        if (header.sh_type != SHT_PROGBITS || !(header.sh_flags & SHF_ALLOC) ||
            header.sh_size == 0 || header.sh_offset < segment->p_offset ||
            header.sh_offset >= end || header.sh_size > end - header.sh_offset)
            continue;
        const uint64_t address = segment->p_paddr + (header.sh_offset - segment->p_offset);
        const int error = image_add(image, file + header.sh_offset, header.sh_size, address);
        if (error)
            return error;
    }
    return found ? 0
                 : image_add(image, file + segment->p_offset, segment->p_filesz, segment->p_paddr);
}

/* What is used behind all that is loaded: bss. */
static void add_memory(struct board_image *image, Elf *elf) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOBITS &&
            (header.sh_flags & SHF_ALLOC) && header.sh_addr < MEMORY_BYTES &&
            header.sh_size <= MEMORY_BYTES - header.sh_addr &&
            header.sh_addr + header.sh_size > image->information.memory_end)
            image->information.memory_end = (uint32_t)(header.sh_addr + header.sh_size);
    }
}

struct function {
    uint32_t address;
    uint32_t bytes;
    const char *name;
};

static int compare(const void *left, const void *right) {
    const struct function *a = left;
    const struct function *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return strcmp(a->name, b->name);
}

static Elf_Scn *find_section(Elf *elf, uint32_t type, const char *name, GElf_Shdr *header) {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        const char *found =
            gelf_getshdr(section, header) ? elf_strptr(elf, names, header->sh_name) : NULL;
        if (found && header->sh_type == type && strcmp(found, name) == 0)
            return section;
    }
    return NULL;
}

/* The functions by their addresses; NULL if there are none. */
static struct function *find_functions(Elf *elf, size_t *count) {
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, SHT_SYMTAB, ".symtab", &header);
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    const size_t entries = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
    struct function *functions = entries ? calloc(entries, sizeof *functions) : NULL;
    *count = 0;
    for (size_t i = 0; functions && i < entries && *count < IMAGE_LIST_LIMIT; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
            symbol.st_size == 0)
            continue;
        const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name && *name)
            functions[(*count)++] =
                (struct function){(uint32_t)symbol.st_value, (uint32_t)symbol.st_size, name};
    }
    if (functions)
        qsort(functions, *count, sizeof *functions, compare);
    return functions;
}

/* The section's lines, and one for each function. */
static int add_names(struct board_image *image, Elf *elf) {
    GElf_Shdr header;
    Elf_Scn *section = find_section(elf, SHT_PROGBITS, NAMES_SECTION, &header);
    const Elf_Data *data = section ? elf_rawdata(section, NULL) : NULL;
    char *text = NULL;
    size_t bytes = 0;
    size_t count = 0;
    FILE *stream = open_memstream(&text, &bytes);
    if (!stream)
        return image_fail(image, -ENOMEM, "out of memory");
    if (data && data->d_buf)
        (void)fwrite(data->d_buf, 1, data->d_size, stream);
    struct function *functions = find_functions(elf, &count);
    for (size_t i = 0; i < count; i++)
        (void)fprintf(stream, "symbol 0x%08" PRIX32 " %" PRIu32 " %s\n", functions[i].address,
                      functions[i].bytes, functions[i].name);
    free(functions);
    int error = fclose(stream) ? image_fail(image, -ENOMEM, "out of memory") : 0;
    if (!error)
        error = image_take_names(image, text, bytes);
    free(text);
    return error;
}

static int read_headers(struct board_image *image, Elf *elf, const uint8_t *bytes, size_t count) {
    GElf_Ehdr header;
    size_t headers;
    if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return image_fail(image, -ENOEXEC, "a damaged ELF file");
    if (header.e_ident[EI_CLASS] != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2MSB ||
        header.e_machine != EM_MIPS)
        return image_fail(image, -ENOEXEC,
                          "expected an ELF file for a 32-bit big-endian MIPS (machine %d), found "
                          "machine %d, %s, %s",
                          EM_MIPS, header.e_machine,
                          header.e_ident[EI_CLASS] == ELFCLASS64 ? "64 bit" : "32 bit",
                          header.e_ident[EI_DATA] == ELFDATA2MSB ? "big-endian" : "little-endian");
    if (header.e_type != ET_EXEC || elf_getphdrnum(elf, &headers) != 0)
        return image_fail(image, -ENOEXEC,
                          "expected an ELF file linked to fixed addresses, found another type");
    for (size_t i = 0; i < headers; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment))
            return image_fail(image, -ENOEXEC, "a segment cannot be read");
        const int error = add_segment(image, elf, &segment, bytes, count);
        if (error)
            return error;
    }
    image->information.start = (uint32_t)header.e_entry;
    add_memory(image, elf);
    return image_check_entry(image);
}

int image_read_elf(struct board_image *image, uint8_t *bytes, size_t count) {
    if (elf_version(EV_CURRENT) == EV_NONE)
        return image_fail(image, -ENOEXEC, "libelf is too old");
    Elf *elf = elf_memory((char *)bytes, count);
    int error = read_headers(image, elf, bytes, count);
    if (!error)
        error = add_names(image, elf);
    (void)elf_end(elf);
    return error;
}
