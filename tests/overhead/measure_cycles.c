/* SPDX-License-Identifier: MIT */
/*
 * What each event costs one core: measure_cycles IMAGE
 *
 * Calls node_submit, node_frame and node_timer of an image (chip/image.c) on the simulated core as
 * its event loop would, one event of a fixed script after the other, and prints a line for each:
 * name, cycles and instructions from the first instruction of the function to its return. What is
 * called returns to a HALT, which is not counted. The last line sums up what the node sent and told
 * its host, which is the same for every right implementation.
 */
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abp_codec.h"
#include "sim/core/cpu.h"

#define HALT_ADDRESS   0x00003000u
#define HALT           0x0000000Du /* BREAK without a code, the HALT of the core */
#define STACK_TOP      0x00C00200u
#define FRAME_ADDRESS  0x00002000u /* where a received frame lies */
#define TRACE_COUNT    0x00002100u /* number of trace records, for the host */
#define REGISTER_BLOCK 0xC0000000u
#define CYCLES_LIMIT   100000u
#define TIMER          0x054u

enum { A0 = 4, K0 = 26, K1 = 27, GP = 28, SP = 29, RA = 31 };

static struct tigon_memory memory;
static struct tigon_bus bus;
static struct tigon_cpu cpu;
static uint32_t doorbells; /* writes to registers, told by a sum */

static _Noreturn void fail(const char *what, const char *detail) {
    fprintf(stderr, "measure_cycles: %s: %s\n", what, detail);
    exit(2);
}

static uint32_t register_read(void *context, unsigned core, uint32_t offset, uint64_t cycle) {
    (void)context, (void)core;
    return offset == TIMER ? (uint32_t)(cycle / 88) : 0;
}

static void register_write(void *context, unsigned core, uint32_t offset, uint32_t value,
                           uint64_t cycle) {
    (void)context, (void)core, (void)cycle;
    doorbells = doorbells * 31 + (offset == 0x0F0 ? value : 0);
}

/* ------------------------------------------------------------------------------------- Images */

struct image {
    int file;
    Elf *elf;
    Elf_Data *symbols;
    size_t symbol_count;
    size_t names;
};

static void image_open(struct image *image, const char *path) {
    Elf_Scn *section = NULL;
    size_t segments;
    (void)elf_version(EV_CURRENT);
    image->file = open(path, O_RDONLY);
    image->elf = image->file < 0 ? NULL : elf_begin(image->file, ELF_C_READ, NULL);
    if (!image->elf || elf_getphdrnum(image->elf, &segments) != 0)
        fail(path, "not an image");
    for (size_t i = 0; i < segments; i++) {
        GElf_Phdr header;
        size_t size;
        char *bytes = elf_rawfile(image->elf, &size);
        if (!gelf_getphdr(image->elf, (int)i, &header) || header.p_type != PT_LOAD)
            continue;
        if (header.p_offset + header.p_filesz > size ||
            tigon_memory_debug_write(&memory, TIGON_CORE_A, (uint32_t)header.p_vaddr,
                                     bytes + header.p_offset, header.p_filesz) != header.p_filesz)
            fail(path, "a segment does not fit");
    }
    while ((section = elf_nextscn(image->elf, section)) != NULL) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
            image->symbols = elf_getdata(section, NULL);
            image->symbol_count = header.sh_size / header.sh_entsize;
            image->names = header.sh_link;
            return;
        }
    }
    fail(path, "no symbols");
}

/* 0 when there is none: traces are compiled out of most images. */
static uint32_t symbol_or_none(const struct image *image, const char *name) {
    for (size_t i = 0; i < image->symbol_count; i++) {
        GElf_Sym found;
        const char *text;
        if (!gelf_getsym(image->symbols, (int)i, &found))
            continue;
        text = elf_strptr(image->elf, image->names, found.st_name);
        if (text && strcmp(text, name) == 0)
            return (uint32_t)found.st_value;
    }
    return 0;
}

static uint32_t symbol(const struct image *image, const char *name) {
    uint32_t value = symbol_or_none(image, name);
    if (value == 0)
        fail("symbol missing", name);
    return value;
}

static void image_close(struct image *image) {
    elf_end(image->elf);
    close(image->file);
}

/* ------------------------------------------------------------------------------------- Events */

struct cost {
    uint64_t cycles;
    uint64_t instructions;
};

static struct cost halting; /* of the HALT a function returns to */

static struct cost run(uint32_t address, uint32_t argument, const char *name) {
    uint64_t begin = cpu.cycle, instructions = cpu.statistics.instructions;
    cpu.gpr[A0] = argument;
    cpu.gpr[SP] = STACK_TOP;
    cpu.gpr[RA] = HALT_ADDRESS;
    if (!tigon_cpu_start(&cpu, address, cpu.cycle))
        fail(name, "the core does not start");
    tigon_cpu_run(&cpu, begin + CYCLES_LIMIT);
    if ((cpu.state & TIGON_CPU_STATE_FAULTS) != 0 ||
        (cpu.state & TIGON_CPU_STATE_HALT_EXECUTED) == 0)
        fail(name, "did not return");
    return (struct cost){cpu.cycle - begin - halting.cycles,
                         cpu.statistics.instructions - instructions - halting.instructions};
}

static struct cost call(const struct image *image, const char *function, uint32_t argument) {
    return run(symbol(image, function), argument, function);
}

static void frame_put(uint32_t kind, uint32_t bit, uint32_t item) {
    const struct abp_frame f = {.kind = (uint8_t)kind, .bit = (uint8_t)bit, .item = item};
    uint32_t words[ABP_FRAME_BYTES / 4] = {0};
    (void)abp_frame_pack(words, &f);
    for (uint32_t i = 0; i < ABP_FRAME_BYTES / 4; i++)
        tigon_memory_write32(&memory, FRAME_ADDRESS + 4 * i, words[i]);
}

struct event {
    const char *name; /* NULL: prepares, not printed */
    enum { SUBMIT, FRAME, TIME_OUT } what;
    uint32_t kind, bit, item;
};

#define DATA ABP_FRAME_KIND_DATA
#define ACK  ABP_FRAME_KIND_ACK

/* The first round also arms the alarm for the first time; the second is as all later ones. */
static const struct event script[] = {
    {NULL, SUBMIT, 0, 0, 101},       {NULL, FRAME, DATA, 0, 201},
    {NULL, FRAME, ACK, 0, 0},        {"submit", SUBMIT, 0, 0, 102},
    {"data", FRAME, DATA, 1, 202},   {"ack", FRAME, ACK, 1, 0},
    {"late_ack", FRAME, ACK, 1, 0},  {NULL, SUBMIT, 0, 0, 103},
    {"stale_ack", FRAME, ACK, 1, 0}, {"time_out", TIME_OUT, 0, 0, 0},
    {NULL, FRAME, ACK, 0, 0},        {"repeated_data", FRAME, DATA, 1, 202},
    {"refused", FRAME, ACK, 7, 0},   {"unknown", FRAME, 9, 0, 0},
    {NULL, SUBMIT, 0, 0, 104},       {"never", SUBMIT, 0, 0, 105},
    {NULL, FRAME, ACK, 1, 0},
};

static void trail(const struct image *image) {
    uint32_t frames = symbol(image, "runtime_frames"), items = symbol(image, "runtime_items");
    uint32_t sum = doorbells;
    for (uint32_t i = 0; i < 16 * 8; i++)
        sum = sum * 31 + tigon_memory_read32(&memory, frames + 4 * i);
    for (uint32_t i = 0; i < 16 * 2; i++)
        sum = sum * 31 + tigon_memory_read32(&memory, items + 4 * i);
    printf("trail 0x%08" PRIx32 "\n", sum);
}

int main(int count, char **arguments) {
    const struct tigon_cpu_port port = {.register_read = register_read,
                                        .register_write = register_write};
    const struct tigon_timing timing = tigon_timing_default();
    struct image image = {0};
    if (count != 2)
        fail("usage", "measure_cycles IMAGE");
    if (tigon_memory_initialise(&memory, 512u << 10) != 0)
        fail("memory", "none");
    tigon_bus_initialise(&bus);
    tigon_cpu_initialise(&cpu, TIGON_CORE_A, &memory, &bus, &timing, &port);
    image_open(&image, arguments[1]);
    tigon_memory_write32(&memory, HALT_ADDRESS, HALT);
    halting = run(HALT_ADDRESS, 0, "HALT");
    cpu.gpr[K0] = 0;
    cpu.gpr[K1] = REGISTER_BLOCK;
    cpu.gpr[GP] = symbol(&image, "_gp");
    uint32_t trace_next = symbol_or_none(&image, "nic_trace_next");
    if (trace_next != 0)
        tigon_memory_scratchpad_write32(&memory, TIGON_CORE_A, trace_next, TRACE_COUNT);
    (void)call(&image, "node_start", 0);
    for (size_t i = 0; i < sizeof script / sizeof *script; i++) {
        const struct event *event = &script[i];
        struct cost cost;
        if (event->what == FRAME)
            frame_put(event->kind, event->bit, event->item);
        if (event->what == SUBMIT)
            cost = call(&image, "node_submit", event->item);
        else if (event->what == FRAME)
            cost = call(&image, "node_frame", FRAME_ADDRESS);
        else
            cost = call(&image, "node_timer", 0);
        if (event->name)
            printf("%s %" PRIu64 " %" PRIu64 "\n", event->name, cost.cycles, cost.instructions);
    }
    trail(&image);
    image_close(&image);
    tigon_memory_destroy(&memory);
    return 0;
}
