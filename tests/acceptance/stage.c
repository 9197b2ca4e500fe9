/* SPDX-License-Identifier: MIT */
/* Worlds and images for the tests: see acceptance.h. */
#include "tests/acceptance/acceptance.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCRATCHPAD  0x00C00000u
#define LOG_A       0x20000u
#define LOG_B       0x28000u
#define CLEAR_START 0x2000u
#define CLEAR_END   0x80000u
#define STOPPED     0x01FF0000u

/* Without the program counter, which every change of a firmware moves. */
static void report(void *context, const struct tigon_board *board, const char *message) {
    static const char at[] = " at 0x";
    struct test *test = context;
    const char *counter = strstr(message, at);
    if (counter)
        note(test, "board %zu: %.*s%s", tigon_board_index(board), (int)(counter - message), message,
             counter + strlen(at) + strspn(counter + strlen(at), "0123456789ABCDEFabcdef"));
    else
        note(test, "board %zu: %s", tigon_board_index(board), message);
}

void world_make(struct test *test, unsigned boards, const char *const *knobs) {
    struct tigon_knobs set;
    tigon_knobs_defaults(&set);
    set.host_memory_bytes = 1u << 20;
    for (; knobs && *knobs; knobs++)
        if (tigon_knobs_assign(&set, *knobs))
            broken("no knob takes '%s'", *knobs);
    world_end(test);
    test->world = tigon_world_create(&set, 1);
    if (!test->world)
        broken("cannot make a world");
    for (unsigned i = 0; i < boards; i++)
        (void)tigon_world_add_board(test->world);
    if (boards > 1)
        test->wire = tigon_world_connect(test->world, board_of(test, 0), board_of(test, 1));
    tigon_world_set_log_hook(test->world, report, test);
}

void world_end(struct test *test) {
    tigon_world_destroy(test->world);
    test->world = NULL;
    test->wire = NULL;
}

struct tigon_board *board_of(const struct test *test, unsigned index) {
    return tigon_world_board(test->world, index);
}

struct tigon_host *host_of(const struct test *test, unsigned index) {
    return tigon_board_host(board_of(test, index));
}

void world_run(struct test *test, uint64_t limit_ms) {
    const enum tigon_end end =
        tigon_world_run(test->world, tigon_world_now_ns(test->world) + limit_ms * 1000000u);
    if (end != TIGON_END_FINISHED)
        note(test, "WRONG end of the run: %s. %s", tigon_end_name(end),
             tigon_world_report(test->world));
}

uint32_t sram_read(struct tigon_host *host, uint32_t address) {
    tigon_host_write32(host, 0x068, address & ~0x7FFu);
    return tigon_host_read32(host, 0x800 + (address & 0x7FFu));
}

void sram_write(struct tigon_host *host, uint32_t address, uint32_t value) {
    tigon_host_write32(host, 0x068, address & ~0x7FFu);
    tigon_host_write32(host, 0x800 + (address & 0x7FFu), value);
}

void argument(struct tigon_host *host, unsigned index, uint32_t value) {
    tigon_host_write32(host, 0x600 + 4u * index, value);
}

static void place(struct tigon_host *host, uint32_t address, uint32_t word) {
    if (address >= SCRATCHPAD) {
        tigon_host_write32(host, 0x154, address);
        tigon_host_write32(host, 0x158, word);
    } else {
        if ((address & 0x7FFu) == 0)
            tigon_host_write32(host, 0x068, address);
        tigon_host_write32(host, 0x800 + (address & 0x7FFu), word);
    }
}

/* All segments; returns the entry point. */
static uint32_t copy_image(struct tigon_host *host, const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    elf_version(EV_CURRENT);
    Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
    GElf_Ehdr header;
    size_t segments = 0;
    if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &segments))
        broken("cannot read the image %s", path);
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr segment;
        if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_LOAD || !segment.p_filesz)
            continue;
        const Elf_Data *data =
            elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz, ELF_T_BYTE);
        const uint8_t *bytes = data->d_buf;
        tigon_host_write32(host, 0x068, (uint32_t)segment.p_vaddr & ~0x7FFu);
        for (uint32_t at = 0; at < segment.p_filesz; at += 4) {
            uint32_t word = 0;
            for (uint32_t k = 0; k < 4; k++)
                word = word << 8 | (at + k < segment.p_filesz ? bytes[at + k] : 0);
            place(host, (uint32_t)segment.p_vaddr + at, word);
        }
    }
    elf_end(elf);
    close(file);
    return (uint32_t)header.e_entry;
}

void load(struct tigon_host *host, const char *image) {
    char path[256];
    snprintf(path, sizeof path, "build/acceptance/%s.elf", image);
    tigon_host_write32(host, 0x040, 0x08000008);
    tigon_host_write32(host, 0x040, 0x22000022);
    tigon_host_write32(host, 0x140, 1u << 16);
    tigon_host_write32(host, 0x504, 0);
    tigon_host_write32(host, 0x240, 1u << 16);
    tigon_host_write32(host, 0x044, 0x200);
    tigon_host_write32(host, 0x050, 0x00100000);
    tigon_host_write32(host, 0x05C, 0x76020000 | (tigon_host_read32(host, 0x05C) & 0x00180000));
    for (uint32_t base = CLEAR_START; base < CLEAR_END; base += 0x800) {
        static const uint32_t zeros[0x800 / 4];
        tigon_host_write32(host, 0x068, base);
        tigon_host_write_block(host, 0x800, zeros, 0x800 / 4);
    }
    tigon_host_write32(host, 0x144, copy_image(host, path));
}

void start(struct tigon_host *host) {
    tigon_host_write32(host, 0x140, 0);
}

void wait_stopped(struct tigon_host *host, uint32_t state_offset) {
    while (!(tigon_host_read32(host, state_offset) & STOPPED))
        tigon_host_sleep_ns(host, 5000);
}

static void read_string(struct tigon_host *host, uint32_t address, char text[80]) {
    for (unsigned i = 0; i < 79; i++) {
        text[i] = (char)(sram_read(host, (address + i) & ~3u) >> (24u - 8u * ((address + i) & 3u)));
        if (!text[i])
            return;
    }
    text[79] = 0;
}

static void print_core(struct test *test, struct tigon_host *host, uint32_t log, char name) {
    const uint32_t count = sram_read(host, log);
    for (uint32_t i = 0; i < count; i++) {
        char text[80];
        read_string(host, sram_read(host, log + 8u + 8u * i), text);
        const bool wrong = strncmp(text, "WRONG", 5) == 0;
        note(test, "%s%c: %s 0x%X", wrong ? "WRONG " : "", name, wrong ? text + 6 : text,
             sram_read(host, log + 12u + 8u * i));
        test->wrong += wrong;
    }
    sram_write(host, log, 0);
}

void print_log(struct test *test, struct tigon_host *host) {
    print_core(test, host, LOG_A, 'A');
    print_core(test, host, LOG_B, 'B');
}

void run_image(struct test *test, struct tigon_host *host, const char *image) {
    load(host, image);
    start(host);
    wait_stopped(host, 0x140);
    print_log(test, host);
}
