/* SPDX-License-Identifier: MIT */
/*
 * Accesses and descriptors at random (tigon2.md 15, "never crash"): hosts, both cores of two boards
 * and the wire act against all rules, under the sanitizers. The test requires that the run ends
 * when it should, that a report can be made, and that a second run with the same seed ends the same
 * to the last counter and byte. SIM_FUZZ=N tries N seeds instead of a few.
 */
#include "tests/acceptance/acceptance.h"

#include <stdlib.h>
#include <string.h>

#define FEW             4u
#define RUN_NS          3000000u
#define HOST_ACCESSES   1500u
#define RINGS           0x1F8000u
#define DMA_RINGS       0x1FB000u
#define TRANSMIT_BUFFER 0x1FC000u
#define RING_WORDS      (0x8000u / 4u)

struct fuzz {
    struct test *test;
    uint64_t random;
    bool gentle; /* the cores keep running, the rings keep their places */
    bool descriptors;
};

static uint32_t draw(struct fuzz *fuzz) {
    fuzz->random = fuzz->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(fuzz->random >> 32);
}

/* A word that a descriptor or pointer register might well hold. */
static uint32_t plausible(struct fuzz *fuzz) {
    const uint32_t value = draw(fuzz);
    switch (value >> 29) {
    case 0:
        return value & 0xFFFu;
    case 1:
        return 0x1FC000u + (value & 0x3FFFu);
    case 2:
        return value & 0x1FFFFFu;
    case 3:
        return (value & 0x002E0FFCu) | 0x84u;
    case 4:
        return value & 0xFFFFFu; /* host memory */
    default:
        return value;
    }
}

/* Registers that stop a core, reset the chip, move the rings or take the link down. */
static bool harsh(uint32_t offset) {
    return offset == 0x040 || offset == 0x140 || offset == 0x240 || offset == 0x0C0 ||
           offset == 0x0D0 || offset == 0x11C || offset == 0x200 || offset == 0x220 ||
           offset == 0x238;
}

static void access_one(struct fuzz *fuzz, struct tigon_host *host) {
    const uint32_t kind = draw(fuzz) & 7u, offset = draw(fuzz) & 0x3FFCu, value = plausible(fuzz);
    const uint32_t chip = offset & 0x3FCu;
    switch (kind) {
    case 0:
    case 1:
        if (!(fuzz->gentle && harsh(chip)))
            tigon_host_write32(host, chip, value);
        break;
    case 2:
        if (!(fuzz->gentle && offset < 0x1000))
            tigon_host_write32(host, offset, value);
        break;
    case 3:
        sram_write(host, RINGS + 4u * (draw(fuzz) % RING_WORDS), value);
        break;
    case 4: {
        uint8_t frame[2048];
        const uint32_t length = value % sizeof frame;
        for (uint32_t i = 0; i < length; i++)
            frame[i] = (uint8_t)(value >> (i & 15u));
        tigon_wire_inject(fuzz->test->wire, value & 1u, frame, length, (value & 14u) == 0);
        break;
    }
    case 5:
        tigon_host_sleep_ns(host, value & 0x7FFu);
        break;
    default:
        (void)tigon_host_read32(host, offset);
        break;
    }
}

/* Word `index` of a DMA descriptor, mostly one that can be done; 5 and 6 are the words of a MAC
 * descriptor. */
static uint32_t ring_word(struct fuzz *fuzz, unsigned index) {
    const uint32_t value = draw(fuzz);
    if ((value & 0xF0000000u) == 0)
        return draw(fuzz);
    switch (index) {
    case 0:
        return 0;
    case 1:
        return value & 0x3FFFFu;
    case 2: /* never into the text of the cores */
        return 0x1F8000u | (value & 0x7FFFu);
    case 3:
        return value & 0x7FFu;
    case 4:
        return (value & 0x002A0E0Au) | 0x84u;
    case 5:
        return TRANSMIT_BUFFER | (value & 0x40001FF8u);
    default:
        return value & 0x3FFu;
    }
}

static int host_of_fuzz(struct tigon_host *host, void *context) {
    struct fuzz *fuzz = context;
    load(host, "noise");
    argument(host, 0, draw(fuzz) >> 1);
    argument(host, 1, fuzz->gentle);
    for (uint32_t i = 0; fuzz->descriptors && i < RING_WORDS; i++) {
        const bool dma = 4u * i >= DMA_RINGS - RINGS && 4u * i < TRANSMIT_BUFFER - RINGS;
        sram_write(host, RINGS + 4u * i, ring_word(fuzz, dma ? i % 8u : 5u + i % 2u));
    }
    start(host);
    for (unsigned i = 0; i < HOST_ACCESSES; i++)
        access_one(fuzz, host);
    tigon_host_sleep_ns(host, RUN_NS);
    return 0;
}

static uint64_t add_to_hash(uint64_t hash, const void *data, size_t length) {
    const uint8_t *bytes = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

/* Everything that two equal runs must have equal. */
static uint64_t outcome(const struct test *test) {
    static uint8_t sram[1u << 20];
    uint64_t hash = 14695981039346656037u;
    for (unsigned i = 0; i < 2; i++) {
        struct tigon_statistics statistics;
        memset(&statistics, 0, sizeof statistics);
        tigon_board_statistics(board_of(test, i), &statistics);
        hash = add_to_hash(hash, &statistics, sizeof statistics);
        tigon_board_peek(board_of(test, i), 0, sram, sizeof sram);
        hash = add_to_hash(hash, sram, sizeof sram);
        hash = add_to_hash(hash, tigon_host_memory(host_of(test, i)),
                           tigon_host_memory_size(host_of(test, i)));
    }
    const uint64_t now = tigon_world_now_ticks(test->world);
    return add_to_hash(hash, &now, sizeof now);
}

static uint64_t one_world(struct test *test, uint64_t seed, bool gentle, bool descriptors) {
    struct fuzz fuzz[2];
    world_make(test, 2,
               (const char *const[]){"stop_on_fault=0", "receive_truncates=1",
                                     "host_memory_bytes=256K", NULL});
    tigon_world_set_log_hook(test->world, NULL, NULL); /* it has much to complain about */
    for (unsigned i = 0; i < 2; i++) {
        fuzz[i] = (struct fuzz){test, seed * 2 + i, gentle, descriptors};
        (void)tigon_host_start(host_of(test, i), "fuzz", host_of_fuzz, &fuzz[i]);
    }
    world_run(test, 200);
    check(test, "length of the report", strlen(tigon_world_report(test->world)) > 0, 1);
    const uint64_t hash = outcome(test);
    world_end(test);
    return hash;
}

static void many_worlds(struct test *test, bool gentle, bool descriptors) {
    const char *wanted = getenv("SIM_FUZZ");
    const uint64_t count = wanted ? strtoull(wanted, NULL, 10) : FEW;
    for (uint64_t seed = 0; seed < count; seed++) {
        const uint64_t first = one_world(test, seed, gentle, descriptors);
        if (one_world(test, seed, gentle, descriptors) != first)
            note(test, "WRONG seed %llu: two runs differ", (unsigned long long)seed);
    }
    note(test, "every world ended in time, and twice the same");
}

static void test_registers(struct test *test) {
    many_worlds(test, false, false);
}

static void test_descriptors(struct test *test) {
    many_worlds(test, true, true);
}

const struct acceptance fuzz_tests[] = {
    {"3", "fuzz: registers at random from hosts and all four cores", "fuzz_registers",
     test_registers},
    {"5, 6", "fuzz: rings full of noise, served", "fuzz_descriptors", test_descriptors},
    {NULL, NULL, NULL, NULL},
};
