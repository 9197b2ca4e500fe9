/* SPDX-License-Identifier: MIT */
/* A program that tries everything its file of the Linux driver allows:
 *
 *     hostile DEVICE PORT CALLS SEED     random calls with random arguments
 *     hostile DEVICE PORT greedy         the longest messages to node 1, as many as it can, for
 * good
 *
 * Memory around what it registers holds a pattern; it says so if any of that has changed. */
#include "host/driver/uapi/emp_ioctl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LONGEST = 1671168 - 4096, GREEDY_SENDS = 8 };

enum { PAGE = 4096, REGIONS = 16, REGION_PAGES = 4, PATTERN = 0x5A, ENTRIES = 66, HANDLES = 64 };

struct hostile {
    int file;
    uint64_t random;
    uint8_t *memory; /* REGIONS times: a page with the pattern, REGION_PAGES to register */
    uint32_t handles[HANDLES];
    uint32_t requests[HANDLES];
    size_t next;
    uint64_t succeeded;
};

static uint64_t draw(struct hostile *hostile) {
    hostile->random ^= hostile->random << 13;
    hostile->random ^= hostile->random >> 7;
    hostile->random ^= hostile->random << 17;
    return hostile->random;
}

static uint32_t below(struct hostile *hostile, uint32_t limit) {
    return (uint32_t)(draw(hostile) >> 33) % limit;
}

/* Usually near what makes sense, at times anything. */
static uint64_t number(struct hostile *hostile, uint32_t usual) {
    static const uint64_t borders[] = {0,          1,          4095,        4096,      UINT16_MAX,
                                       UINT32_MAX, INT32_MAX,  1671168,     1671169,   UINT64_MAX,
                                       INT64_MAX,  1ULL << 60, 0x80000000U, 0x1000000, 409};
    switch (below(hostile, 8)) {
    case 0:
        return borders[below(hostile, sizeof borders / sizeof *borders)];
    case 1:
        return draw(hostile);
    default:
        return below(hostile, usual);
    }
}

static uint8_t *region(const struct hostile *hostile, uint32_t index) {
    return hostile->memory + (size_t)index * (REGION_PAGES + 1) * PAGE + PAGE;
}

static uint64_t address(struct hostile *hostile) {
    switch (below(hostile, 16)) {
    case 0:
        return draw(hostile);
    case 1:
        return UINT64_C(0xFFFF888000000000) + draw(hostile) % 0x10000000; /* the kernel's */
    case 2:
        return 0;
    default:
        return (uintptr_t)region(hostile, below(hostile, REGIONS)) + below(hostile, PAGE);
    }
}

static void call(struct hostile *hostile, unsigned long command, void *argument) {
    hostile->succeeded += ioctl(hostile->file, command, argument) == 0;
}

static void try_memory(struct hostile *hostile) {
    struct emp_ioctl_memory memory = {.address = address(hostile),
                                      .bytes = number(hostile, (REGION_PAGES - 1) * PAGE)};
    if (below(hostile, 3)) {
        /* Nothing but the regions may be registered: the rest is to be found untouched. */
        if (memory.address >= (uintptr_t)hostile->memory && memory.bytes > 3 * PAGE)
            memory.bytes = PAGE;
        call(hostile, EMP_REGISTER, &memory);
        hostile->handles[below(hostile, HANDLES)] = memory.handle;
    } else {
        memory.handle = below(hostile, 4) ? hostile->handles[below(hostile, HANDLES)]
                                          : (uint32_t)number(hostile, HANDLES);
        call(hostile, EMP_DEREGISTER, &memory);
    }
}

static struct emp_ioctl_piece piece(struct hostile *hostile) {
    return (struct emp_ioctl_piece){.handle = below(hostile, 8)
                                                  ? hostile->handles[below(hostile, HANDLES)]
                                                  : (uint32_t)number(hostile, HANDLES),
                                    .length = (uint32_t)number(hostile, 2 * PAGE),
                                    .offset = number(hostile, PAGE)};
}

static void try_batch(struct hostile *hostile) {
    static struct emp_ioctl_entry entries[ENTRIES];
    static struct emp_ioctl_piece pieces[ENTRIES][8];
    const uint32_t count = below(hostile, 16) ? below(hostile, 8) : below(hostile, ENTRIES);
    struct emp_ioctl_batch batch = {.entries =
                                        below(hostile, 64) ? (uintptr_t)entries : address(hostile),
                                    .count = below(hostile, 64) ? count : (uint32_t)draw(hostile)};
    for (uint32_t i = 0; i < count; i++) {
        const bool known = below(hostile, 4) != 0;
        for (uint32_t k = 0; k < 8; k++)
            pieces[i][k] = piece(hostile);
        entries[i] = (struct emp_ioctl_entry){
            .kind = (uint32_t)number(hostile, 5),
            .request =
                known ? hostile->requests[below(hostile, HANDLES)] : (uint32_t)number(hostile, 128),
            .peer = below(hostile, 4) ? below(hostile, 3) : (uint32_t)number(hostile, 20),
            .piece_count = (uint32_t)(below(hostile, 32) ? below(hostile, 9) : number(hostile, 9)),
            .pieces = below(hostile, 32) ? (uintptr_t)pieces[i] : address(hostile),
            .tag = number(hostile, 4),
            .ignored = below(hostile, 2) ? 0 : number(hostile, 4)};
    }
    call(hostile, EMP_SUBMIT, &batch);
    for (uint32_t i = 0; i < count; i++)
        if (entries[i].kind <= EMP_IOCTL_PEEK && entries[i].error == 0)
            hostile->requests[hostile->next++ % HANDLES] = entries[i].request;
}

static void try_board(struct hostile *hostile) {
    uint32_t words[EMP_IOCTL_WORDS_LIMIT];
    struct emp_ioctl_words read = {.address = (uint32_t)number(hostile, 0x300),
                                   .count = (uint32_t)number(hostile, 40),
                                   .words =
                                       below(hostile, 8) ? (uintptr_t)words : address(hostile)};
    struct emp_ioctl_start start = {.node = (uint16_t)number(hostile, 20),
                                    .epoch = (uint16_t)number(hostile, 300)};
    struct emp_ioctl_peer peer = {.node = (uint16_t)number(hostile, 20)};
    struct emp_ioctl_parameter parameter = {.index = (uint32_t)number(hostile, 6),
                                            .value = (uint32_t)number(hostile, 1000)};
    struct emp_ioctl_translation translation = {.handle = (uint32_t)number(hostile, 4),
                                                .count = number(hostile, 4),
                                                .pages = address(hostile)};
    struct emp_ioctl_information information;
    read.address = below(hostile, 2) ? 0x200 + 4 * below(hostile, 32) : read.address;
    switch (below(hostile, 8)) {
    case 0:
        call(hostile, EMP_START, &start);
        break;
    case 1:
        call(hostile, EMP_SET_PEER, &peer);
        break;
    case 2:
        call(hostile, EMP_SET_PARAMETER, &parameter);
        break;
    case 3:
        call(hostile, EMP_TRUST, NULL);
        break;
    case 4:
        call(hostile, EMP_TRANSLATE, &translation);
        break;
    case 5:
        call(hostile, EMP_INFORMATION, &information);
        break;
    case 6:
        call(hostile, EMP_BIND, (void *)(uintptr_t)number(hostile, 5));
        break;
    default:
        call(hostile, EMP_READ, &read);
    }
}

static void try_mapping(struct hostile *hostile) {
    const size_t bytes = (size_t)(1 + below(hostile, 6)) * PAGE;
    const int protection = (int)below(hostile, 8);
    const off_t place =
        below(hostile, 2) ? EMP_IOCTL_MAP_REGISTERS : (off_t)below(hostile, 4) * PAGE;
    void *memory = mmap(NULL, bytes, protection, below(hostile, 2) ? MAP_SHARED : MAP_PRIVATE,
                        hostile->file, place);
    if (memory == MAP_FAILED)
        return;
    hostile->succeeded++;
    if (mprotect(memory, bytes, PROT_READ | PROT_WRITE) == 0 && place == EMP_IOCTL_MAP_ENDS)
        (void)fprintf(stderr, "hostile: completion words became writable\n");
    (void)munmap(memory, bytes);
}

static bool untouched(const struct hostile *hostile) {
    for (uint32_t i = 0; i <= REGIONS; i++)
        for (size_t k = 0; k < PAGE; k++)
            if ((region(hostile, i) - PAGE)[k] != PATTERN)
                return false;
    return true;
}

/* Its own memory is all that it names: what it wants is the card's time. */
static int be_greedy(const struct hostile *hostile) {
    struct emp_ioctl_memory memory = {.bytes = LONGEST};
    struct emp_ioctl_entry entries[GREEDY_SENDS];
    bool posted[GREEDY_SENDS] = {false};
    void *bytes = mmap(NULL, LONGEST, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (bytes == MAP_FAILED)
        return -ENOMEM;
    memory.address = (uintptr_t)bytes;
    if (ioctl(hostile->file, EMP_REGISTER, &memory))
        return -errno;
    const struct emp_ioctl_piece all = {.handle = memory.handle, .length = LONGEST};
    for (size_t i = 0;; i = (i + 1) % GREEDY_SENDS) {
        struct emp_ioctl_batch batch = {.entries = (uintptr_t)&entries[i], .count = 1};
        if (posted[i])
            entries[i].kind = EMP_IOCTL_COLLECT;
        else
            entries[i] = (struct emp_ioctl_entry){
                .kind = EMP_IOCTL_SEND, .peer = 1, .piece_count = 1, .pieces = (uintptr_t)&all};
        if (ioctl(hostile->file, EMP_SUBMIT, &batch))
            return -errno;
        if (entries[i].error != -EAGAIN)
            posted[i] = !posted[i] && entries[i].error == 0;
    }
}

/* Root's rights are not a program's. */
static int drop_rights(void) {
    const struct rlimit locked = {.rlim_cur = 8 << 20, .rlim_max = 8 << 20};
    return setrlimit(RLIMIT_MEMLOCK, &locked) || setgid(1000) || setuid(1000);
}

int main(int count, char **arguments) {
    static struct hostile hostile;
    const size_t bytes = ((size_t)REGIONS * (REGION_PAGES + 1) + 1) * PAGE;
    const bool greedy = count == 4 && strcmp(arguments[3], "greedy") == 0;
    if (count != 5 && !greedy)
        return EXIT_FAILURE;
    hostile.memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    hostile.file = open(arguments[1], O_RDWR);
    if (hostile.file < 0 || hostile.memory == MAP_FAILED || drop_rights() ||
        ioctl(hostile.file, EMP_BIND, strtoul(arguments[2], NULL, 0))) {
        (void)fprintf(stderr, "hostile: %s\n", strerror(errno));
        return EXIT_FAILURE;
    }
    if (greedy) {
        (void)fprintf(stderr, "hostile: %s\n", strerror(-be_greedy(&hostile)));
        return EXIT_FAILURE;
    }
    memset(hostile.memory, PATTERN, bytes);
    hostile.random = strtoull(arguments[4], NULL, 0) * 2 + 1;
    const uint64_t calls = strtoull(arguments[3], NULL, 0);
    for (uint64_t i = 0; i < calls; i++) {
        const uint32_t kind = below(&hostile, 32);
        if (kind < 22)
            try_batch(&hostile);
        else if (kind < 27)
            try_memory(&hostile);
        else if (kind < 30)
            try_board(&hostile);
        else if (kind == 30)
            try_mapping(&hostile);
        else
            call(&hostile, (unsigned long)draw(&hostile), (void *)(uintptr_t)address(&hostile));
    }
    (void)printf("hostile: %" PRIu64 " calls, %" PRIu64 " succeeded, memory around %s\n", calls,
                 hostile.succeeded, untouched(&hostile) ? "untouched" : "CHANGED");
    return untouched(&hostile) ? EXIT_SUCCESS : EXIT_FAILURE;
}
