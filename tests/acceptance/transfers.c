/* SPDX-License-Identifier: MIT */
/* tigon2.md 15 items 5 to 7 and 5.4: DMA by hand, by the assist, by the other core. */
#include "tests/acceptance/acceptance.h"

#include <string.h>

#define TRANSFERS 512u /* of firmware/manual.c: 4 ways * 4 * 4 alignments * 8 lengths */
#define PLACE     64u
#define AREA      65536u

struct areas {
    uint8_t *source, *destination;
};

static struct areas make_areas(struct tigon_host *host) {
    struct areas areas;
    uint64_t source, destination;
    areas.source = tigon_host_allocate(host, AREA, &source);
    areas.destination = tigon_host_allocate(host, AREA, &destination);
    if (!areas.source || !areas.destination)
        broken("no host memory");
    for (uint32_t i = 0; i < AREA; i++)
        areas.source[i] = (uint8_t)(i * 7u + (i >> 8) + 1u);
    memset(areas.destination, 0xEE, AREA);
    argument(host, 0, (uint32_t)source);
    argument(host, 1, (uint32_t)destination);
    return areas;
}

/* The expected destination of each transfer, by the rules of tigon2.md 5.2 written out again: each
 * pass in words reverses the bytes of each group of four, and of a shorter rest. */
static void reverse(uint8_t *bytes, uint32_t length) {
    for (uint32_t group = 0; group < length; group += 4) {
        const uint32_t size = length - group < 4 ? length - group : 4;
        for (uint32_t k = 0; k < size / 2; k++) {
            const uint8_t keep = bytes[group + k];
            bytes[group + k] = bytes[group + size - 1 - k];
            bytes[group + size - 1 - k] = keep;
        }
    }
}

static unsigned places_wrong(const struct areas *areas) {
    static const uint8_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 21};
    unsigned wrong = 0;
    for (uint32_t place = 0; place < TRANSFERS; place++) {
        const uint32_t way = place / 128, host = place / 32 % 4, length = lengths[place % 8];
        uint8_t expected[PLACE];
        memset(expected, 0xEE, sizeof expected);
        uint8_t *bytes = expected + 8 + (3 - host);
        memcpy(bytes, areas->source + (size_t)place * PLACE + host, length);
        if (way & 1)
            reverse(bytes, length);
        if (way & 2)
            reverse(bytes, length);
        wrong += memcmp(expected, areas->destination + (size_t)place * PLACE, PLACE) != 0;
    }
    return wrong;
}

static int host_of_manual(struct tigon_host *host, void *context) {
    struct test *test = context;
    load(host, "manual");
    const struct areas areas = make_areas(host);
    start(host);
    wait_stopped(host, 0x140);
    print_log(test, host);
    check(test, "places in host memory that are not as they should be", places_wrong(&areas), 0);
    note(test, "places in host memory: %u, all as they should be", TRANSFERS);
    return 0;
}

static void test_manual(struct test *test) {
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_manual, test);
    world_run(test, 200);
}

struct ring {
    struct test *test;
    bool software;
};

static int host_of_ring(struct tigon_host *host, void *context) {
    const struct ring *ring = context;
    load(host, "ring");
    const struct areas areas = make_areas(host);
    argument(host, 2, ring->software);
    start(host);
    wait_stopped(host, 0x140);
    print_log(ring->test, host);
    check(ring->test, "bytes that went in and out again",
          (uint64_t)memcmp(areas.source, areas.destination, 63 * 96), 0);
    check(ring->test, "the byte behind them", areas.destination[63 * 96], 0xEE);
    struct tigon_statistics statistics;
    tigon_board_statistics(tigon_host_board(host), &statistics);
    note(ring->test, "host: reads by the assist %llu, writes by the assist %llu",
         (unsigned long long)statistics.dma_read.ring_high,
         (unsigned long long)statistics.dma_write.ring_high);
    return 0;
}

static void ring_world(struct test *test, bool software) {
    struct ring ring = {test, software};
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_ring, &ring);
    world_run(test, 200);
    world_end(test);
}

static void test_ring(struct test *test) {
    ring_world(test, false);
}

static void test_software_assist(struct test *test) {
    ring_world(test, true);
}

static int host_of_assist(struct tigon_host *host, void *context) {
    struct test *test = context;
    load(host, "assist");
    const struct areas areas = make_areas(host);
    start(host);
    const bool interrupted = tigon_host_wait_interrupt(host, 5000000);
    note(test, "host: interrupt %s", interrupted ? "seen" : "missing");
    wait_stopped(host, 0x140);
    print_log(test, host);
    uint32_t index;
    memcpy(&index, areas.destination + 0x100, sizeof index);
    note(test, "host: index written out of a descriptor 0x%X", index);
    return 0;
}

static void test_assist(struct test *test) {
    world_make(test, 1, NULL);
    (void)tigon_host_start(host_of(test, 0), "host", host_of_assist, test);
    world_run(test, 200);
}

const struct acceptance dma_tests[] = {
    {"15.5", "manual DMA: every alignment, both byte orders, checksum, abort", "manual",
     test_manual},
    {"15.6", "ring DMA: 63 descriptors fill the ring, events are levels", "ring", test_ring},
    {"15.7", "ring DMA: the same with the assist off and CPU B serving", "software_assist",
     test_software_assist},
    {"5.4", "DMA assist: low rings, one at a time, stored checksum, recovery", "assist",
     test_assist},
    {NULL, NULL, NULL, NULL},
};
