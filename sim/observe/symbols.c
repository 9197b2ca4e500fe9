/* SPDX-License-Identifier: MIT */
/* Symbols by libelf, lines by libdw; see symbols.h. */
#include "sim/observe/symbols.h"

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct value {
    char *name;
    uint32_t value;
};

struct line {
    uint32_t address;
    unsigned number; /* 0: from here on unknown */
    const char *file;
};

struct tigon_symbols {
    struct tigon_function *functions;
    size_t function_count;
    struct value *values;
    size_t value_count;
    struct line *lines;
    size_t line_count;
    unsigned core;
    bool divided; /* the image is for both cores */
    bool failed;  /* out of memory */
    Dwarf *dwarf; /* owns the names of files */
    int descriptor;
};

/* Room for one more element of an array that doubles; NULL when memory is used up. */
static void *grow(void *items, size_t count, size_t bytes) {
    if (count & (count - 1))
        return items;
    return realloc(items, (count ? count * 2 : 1) * bytes);
}

static void add_value(struct tigon_symbols *symbols, const char *name, uint32_t number) {
    struct value *values = grow(symbols->values, symbols->value_count, sizeof *values);
    char *copy = values ? strdup(name) : NULL;
    if (values)
        symbols->values = values;
    if (!copy) {
        symbols->failed = true;
        return;
    }
    symbols->values[symbols->value_count++] = (struct value){copy, number};
}

static void add_function(struct tigon_symbols *symbols, const char *name, uint32_t start,
                         uint32_t bytes) {
    struct tigon_function *functions =
        grow(symbols->functions, symbols->function_count, sizeof *functions);
    if (functions)
        symbols->functions = functions;
    else
        symbols->failed = true;
    if (functions)
        functions[symbols->function_count++] = (struct tigon_function){name, start, bytes};
}

#define SECOND             "second"
#define SCRATCHPAD         0x00C00000U
#define SCRATCHPADS_AT_END 0x00C04000U

static bool is_in_scratchpad(uint64_t address) {
    return address >= SCRATCHPAD && address < SCRATCHPADS_AT_END;
}

static const char *section_name(Elf *elf, const GElf_Shdr *header) {
    size_t names;
    const char *name =
        elf_getshdrstrndx(elf, &names) == 0 ? elf_strptr(elf, names, header->sh_name) : NULL;
    return name ? name : "";
}

static bool is_seconds(Elf *elf, const GElf_Shdr *header) {
    return strncmp(section_name(elf, header), "." SECOND, sizeof SECOND) == 0 &&
           is_in_scratchpad(header->sh_addr);
}

static bool is_divided(Elf *elf) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && is_seconds(elf, &header))
            return true;
    }
    return false;
}

static bool is_seconds_source(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return path && strncmp(slash ? slash + 1 : path, SECOND, sizeof SECOND - 1) == 0;
}

/* Whether a symbol lies in the scratchpad of the other core, or is of its sources alone: both may
 * have functions of one name in SRAM. `source` is where a local symbol comes from. */
static bool is_others(const struct tigon_symbols *symbols, Elf *elf, const GElf_Sym *symbol,
                      const char *source) {
    GElf_Shdr header;
    Elf_Scn *found = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    if (!symbols->divided || !found || !gelf_getshdr(found, &header))
        return false;
    if (is_in_scratchpad(header.sh_addr))
        return is_seconds(elf, &header) != (symbols->core == 1);
    return source && GELF_ST_BIND(symbol->st_info) == STB_LOCAL &&
           is_seconds_source(source) != (symbols->core == 1);
}

/* Whether there is code at a symbol: linkers put names at the ends of sections, too. */
static bool is_code(Elf *elf, const GElf_Sym *symbol) {
    GElf_Shdr header;
    Elf_Scn *found = symbol->st_shndx < SHN_LORESERVE ? elf_getscn(elf, symbol->st_shndx) : NULL;
    return found && gelf_getshdr(found, &header) && (header.sh_flags & SHF_EXECINSTR) != 0 &&
           symbol->st_value - header.sh_addr < header.sh_size;
}

/* Whether one of the first `count` functions is at `address` or goes over it. */
static bool is_covered(const struct tigon_symbols *symbols, size_t count, uint32_t address) {
    for (size_t i = 0; i < count; i++)
        if (symbols->functions[i].start == address ||
            address - symbols->functions[i].start < symbols->functions[i].bytes)
            return true;
    return false;
}

/* Functions of one symbol table; with `labels` its global labels in code outside all functions, as
 * in assembler sources without `.type`. */
static void read_table(struct tigon_symbols *symbols, Elf *elf, const GElf_Shdr *header,
                       Elf_Data *data, bool labels) {
    const size_t functions = symbols->function_count;
    const char *source = NULL;
    for (size_t i = 1; i < header->sh_size / header->sh_entsize; i++) {
        GElf_Sym symbol;
        const char *name = NULL;
        if (gelf_getsym(data, (int)i, &symbol))
            name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (GELF_ST_TYPE(symbol.st_info) == STT_FILE)
            source = name;
        if (!name || !*name || symbol.st_shndx == SHN_UNDEF ||
            is_others(symbols, elf, &symbol, source))
            continue;
        const unsigned type = GELF_ST_TYPE(symbol.st_info);
        const bool global = GELF_ST_BIND(symbol.st_info) != STB_LOCAL;
        const bool code = labels ? type == STT_NOTYPE && global && is_code(elf, &symbol) &&
                                       !is_covered(symbols, functions, (uint32_t)symbol.st_value)
                                 : type == STT_FUNC;
        if (!labels && type != STT_SECTION && type != STT_FILE)
            add_value(symbols, name, (uint32_t)symbol.st_value);
        if (code && (symbol.st_value & 3) == 0)
            add_function(symbols, name, (uint32_t)symbol.st_value, (uint32_t)symbol.st_size);
    }
}

static void read_tables(struct tigon_symbols *symbols, Elf *elf, bool labels) {
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section)) != NULL;) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB ||
            header.sh_entsize == 0)
            continue;
        Elf_Data *data = elf_getdata(section, NULL);
        if (data)
            read_table(symbols, elf, &header, data, labels);
    }
}

static int by_start(const void *left, const void *right) {
    const struct tigon_function *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes > b->bytes ? -1 : 1; /* the longest of several names first */
    return strcmp(a->name, b->name);
}

static int by_name(const void *left, const void *right) {
    return strcmp(((const struct value *)left)->name, ((const struct value *)right)->name);
}

static int by_address(const void *left, const void *right) {
    const struct line *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    /* The end of one sequence is the beginning of the next. */
    return (a->number != 0) - (b->number != 0);
}

/* One name for each address, sizes that do not overlap. */
static void tidy(struct tigon_symbols *symbols) {
    struct tigon_function *functions = symbols->functions;
    size_t kept = 0;
    if (symbols->function_count)
        qsort(functions, symbols->function_count, sizeof *functions, by_start);
    for (size_t i = 0; i < symbols->function_count; i++)
        if (kept == 0 || functions[i].start != functions[kept - 1].start)
            functions[kept++] = functions[i];
    symbols->function_count = kept;
    for (size_t i = 0; i < kept; i++) {
        const uint32_t room = i + 1 < kept ? functions[i + 1].start - functions[i].start : 0;
        if (functions[i].bytes < 4 || (room && functions[i].bytes > room))
            functions[i].bytes = room ? room : 4;
    }
}

static void add_line(struct tigon_symbols *symbols, Dwarf_Line *from, bool seconds) {
    Dwarf_Addr address;
    int number = 0;
    bool end = false;
    if (dwarf_lineaddr(from, &address) || dwarf_lineno(from, &number) ||
        dwarf_lineendsequence(from, &end))
        return;
    if (symbols->divided && is_in_scratchpad(address) && seconds != (symbols->core == 1))
        return;
    const char *file = dwarf_linesrc(from, NULL, NULL);
    struct line *lines = grow(symbols->lines, symbols->line_count, sizeof *lines);
    if (!lines) {
        symbols->failed = true;
        return;
    }
    symbols->lines = lines;
    lines[symbols->line_count++] =
        (struct line){(uint32_t)address, end || !file || number < 0 ? 0 : (unsigned)number, file};
}

static void read_lines(struct tigon_symbols *symbols) {
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dwarf_nextcu(symbols->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
        Dwarf_Die unit;
        Dwarf_Lines *lines;
        size_t count;
        if (dwarf_offdie(symbols->dwarf, offset + header, &unit) &&
            dwarf_getsrclines(&unit, &lines, &count) == 0)
            for (size_t i = 0; i < count; i++)
                add_line(symbols, dwarf_onesrcline(lines, i),
                         is_seconds_source(dwarf_diename(&unit)));
        offset = next;
    }
    if (symbols->line_count)
        qsort(symbols->lines, symbols->line_count, sizeof *symbols->lines, by_address);
}

static bool is_mips(Elf *elf) {
    GElf_Ehdr header;
    return elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header) &&
           header.e_ident[EI_CLASS] == ELFCLASS32 && header.e_machine == EM_MIPS;
}

/* The names of functions are those of the values, which stay. */
static const char *kept_name(const struct tigon_symbols *symbols, const char *name) {
    const struct value key = {.name = (char *)(uintptr_t)name};
    const struct value *found =
        symbols->value_count
            ? bsearch(&key, symbols->values, symbols->value_count, sizeof key, by_name)
            : NULL;
    return found ? found->name : "?";
}

int tigon_symbols_load(struct tigon_symbols **symbols, const char *path, unsigned core) {
    struct tigon_symbols *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    int error = 0;
    result->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (result->descriptor < 0)
        error = -errno;
    else if (elf_version(EV_CURRENT) == EV_NONE)
        error = -ENOEXEC;
    Elf *elf = error ? NULL : elf_begin(result->descriptor, ELF_C_READ, NULL);
    if (!error && !is_mips(elf))
        error = -ENOEXEC;
    result->core = core;
    if (!error) {
        result->divided = is_divided(elf);
        read_tables(result, elf, false);
        read_tables(result, elf, true);
        if (result->value_count)
            qsort(result->values, result->value_count, sizeof *result->values, by_name);
        for (size_t i = 0; i < result->function_count; i++)
            result->functions[i].name = kept_name(result, result->functions[i].name);
        tidy(result);
    }
    if (elf)
        (void)elf_end(elf);
    if (!error && (result->dwarf = dwarf_begin(result->descriptor, DWARF_C_READ)) != NULL)
        read_lines(result);
    if (!error && result->failed)
        error = -ENOMEM;
    if (error) {
        tigon_symbols_free(result);
        return error;
    }
    *symbols = result;
    return 0;
}

void tigon_symbols_free(struct tigon_symbols *symbols) {
    if (!symbols)
        return;
    if (symbols->dwarf)
        (void)dwarf_end(symbols->dwarf);
    if (symbols->descriptor >= 0)
        (void)close(symbols->descriptor);
    for (size_t i = 0; i < symbols->value_count; i++)
        free(symbols->values[i].name);
    free(symbols->values);
    free(symbols->functions);
    free(symbols->lines);
    free(symbols);
}

size_t tigon_symbols_count(const struct tigon_symbols *symbols) {
    return symbols->function_count;
}

const struct tigon_function *tigon_symbols_function(const struct tigon_symbols *symbols,
                                                    size_t index) {
    return index < symbols->function_count ? &symbols->functions[index] : NULL;
}

bool tigon_symbols_value(const struct tigon_symbols *symbols, const char *name, uint32_t *value) {
    const struct value key = {.name = (char *)(uintptr_t)name};
    const struct value *found =
        symbols->value_count
            ? bsearch(&key, symbols->values, symbols->value_count, sizeof key, by_name)
            : NULL;
    if (!found)
        return false;
    *value = found->value;
    return true;
}

bool tigon_symbols_line(const struct tigon_symbols *symbols, uint32_t address, const char **file,
                        unsigned *line) {
    size_t low = 0, high = symbols->line_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (symbols->lines[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || symbols->lines[low - 1].number == 0)
        return false;
    *file = symbols->lines[low - 1].file;
    *line = symbols->lines[low - 1].number;
    return true;
}
