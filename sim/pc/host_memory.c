/* SPDX-License-Identifier: MIT */
/* Host memory: one array, bus addresses, and handing out its pages. */
#include "sim/pc/host_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/abort.h"
#include "sim/tigon.h"

#define PAGE_BYTES 4096u

enum tigon_page_state {
    PAGE_FRESH, /* zero, for nothing has been given it */
    PAGE_TAKEN,
    PAGE_USED /* free again */
};

static size_t page_count(const struct tigon_host_pages *all) {
    return all->memory.size / PAGE_BYTES;
}

/* Scattered pages come from the upper half, contiguous ones from the rest. */
static size_t scatter_start(const struct tigon_host_pages *all) {
    return all->scatter ? page_count(all) / 2 : page_count(all);
}

/* A step near the golden section of `count` and coprime to it visits every page once, neighbours
 * far apart. */
static size_t choose_step(size_t count) {
    size_t step = count * 618 / 1000 | 1;
    for (;; step++) {
        size_t a = count, b = step;
        while (b) {
            const size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a <= 1)
            return step;
    }
}

int tigon_host_pages_initialise(struct tigon_host_pages *pages, const struct tigon_knobs *knobs) {
    *pages = (struct tigon_host_pages){
        .memory.size = knobs->host_memory_bytes & ~(uint64_t)(PAGE_BYTES - 1),
        .memory.base = knobs->host_memory_base,
        .scatter = knobs->host_scatter,
        .first_free = 1, /* bus address 0 is too good an invalid address to give away */
        .end = 1,
    };
    pages->memory.bytes = mmap(NULL, pages->memory.size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages->memory.bytes == MAP_FAILED)
        return -ENOMEM;
    pages->states = calloc(page_count(pages), 1);
    if (!pages->states) {
        munmap(pages->memory.bytes, pages->memory.size);
        return -ENOMEM;
    }
    pages->scatter_step = choose_step(page_count(pages) - scatter_start(pages));
    return 0;
}

void tigon_host_pages_free(struct tigon_host_pages *pages) {
    munmap(pages->memory.bytes, pages->memory.size);
    free(pages->states);
}

int tigon_host_share_memory(struct tigon_host *host) {
    struct tigon_host_pages *pages = tigon_host_pages(host);
    const int descriptor = memfd_create("tigon-host-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (descriptor < 0)
        return -errno;
    /* Sealed: somebody else's truncation would be our bus error. */
    if (ftruncate(descriptor, (off_t)pages->memory.size) != 0 ||
        fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        goto failed;
    for (size_t at = 0; at < pages->memory.size; at += PAGE_BYTES) {
        static const uint8_t zeros[PAGE_BYTES];
        if (memcmp(pages->memory.bytes + at, zeros, PAGE_BYTES) != 0 &&
            pwrite(descriptor, pages->memory.bytes + at, PAGE_BYTES, (off_t)at) !=
                (ssize_t)PAGE_BYTES)
            goto failed;
    }
    if (mmap(pages->memory.bytes, pages->memory.size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED, descriptor, 0) != pages->memory.bytes)
        goto failed;
    return descriptor;
failed:;
    const int error = errno ? errno : ENOSPC;
    (void)close(descriptor);
    return -error;
}

void tigon_host_release_memory(struct tigon_host *host) {
    struct tigon_host_pages *all = tigon_host_pages(host);
    memset(all->memory.bytes + PAGE_BYTES, 0, (all->end - 1) * PAGE_BYTES);
    if (all->scattered)
        memset(all->memory.bytes + scatter_start(all) * PAGE_BYTES, 0,
               all->memory.size - scatter_start(all) * PAGE_BYTES);
    memset(all->states, PAGE_FRESH, page_count(all));
    all->first_free = 1;
    all->end = 1;
    all->scattered = 0;
    all->scattered_taken = 0;
}

static void take_page(struct tigon_host_pages *all, size_t page) {
    if (all->states[page] == PAGE_USED)
        memset(all->memory.bytes + page * PAGE_BYTES, 0, PAGE_BYTES);
    all->states[page] = PAGE_TAKEN;
}

uint8_t *tigon_host_memory(struct tigon_host *host) {
    return tigon_host_pages(host)->memory.bytes;
}

size_t tigon_host_memory_size(const struct tigon_host *host) {
    return tigon_host_pages_seen(host)->memory.size;
}

uint64_t tigon_host_bus_address(const struct tigon_host *host, const void *pointer) {
    const struct tigon_host_pages *all = tigon_host_pages_seen(host);
    const uintptr_t offset = (uintptr_t)pointer - (uintptr_t)all->memory.bytes;
    if (offset > all->memory.size)
        tigon_abort("address outside host memory");
    return all->memory.base + offset;
}

void *tigon_host_pointer(struct tigon_host *host, uint64_t bus_address) {
    const struct tigon_host_pages *all = tigon_host_pages(host);
    if (bus_address < all->memory.base || bus_address - all->memory.base >= all->memory.size)
        return NULL;
    return all->memory.bytes + (bus_address - all->memory.base);
}

/* The lowest pages that are free and follow each other; 0: there are not so many. */
static size_t find_pages(const struct tigon_host_pages *all, size_t wanted) {
    const size_t end = scatter_start(all);
    size_t found = 0;
    for (size_t page = all->first_free; page < end; page++) {
        found = all->states[page] == PAGE_TAKEN ? 0 : found + 1;
        if (found >= wanted)
            return page + 1 - found;
    }
    return 0;
}

void *tigon_host_allocate(struct tigon_host *host, size_t bytes, uint64_t *bus_address) {
    struct tigon_host_pages *all = tigon_host_pages(host);
    const size_t wanted = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    const size_t first = wanted <= scatter_start(all) ? find_pages(all, wanted) : 0;
    if (first == 0)
        return NULL;
    for (size_t page = first; page < first + wanted; page++)
        take_page(all, page);
    if (first == all->first_free)
        all->first_free = first + wanted;
    if (first + wanted > all->end)
        all->end = first + wanted;
    uint8_t *memory = all->memory.bytes + first * PAGE_BYTES;
    if (bus_address)
        *bus_address = tigon_host_bus_address(host, memory);
    return memory;
}

bool tigon_host_free(struct tigon_host *host, void *memory, size_t bytes) {
    struct tigon_host_pages *all = tigon_host_pages(host);
    const size_t at = (uintptr_t)memory - (uintptr_t)all->memory.bytes;
    const size_t first = at / PAGE_BYTES;
    const size_t count = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    if (at % PAGE_BYTES != 0 || first >= page_count(all) || count > page_count(all) - first)
        return false;
    for (size_t page = first; page < first + count; page++)
        if (all->states[page] != PAGE_TAKEN)
            return false;
    for (size_t page = first; page < first + count; page++) {
        all->states[page] = PAGE_USED;
        if (page >= scatter_start(all))
            all->scattered_taken--;
    }
    if (count && first < all->first_free)
        all->first_free = first;
    return true;
}

int tigon_host_allocate_pages(struct tigon_host *host, size_t bytes, uint64_t *pages) {
    const size_t wanted = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    struct tigon_host_pages *all = tigon_host_pages(host);
    const size_t start = scatter_start(all);
    const size_t available = page_count(all) - start;
    if (!all->scatter) {
        uint64_t first = 0;
        if (!tigon_host_allocate(host, bytes, &first))
            return -ENOMEM;
        for (size_t i = 0; i < wanted; i++)
            pages[i] = first + i * PAGE_BYTES;
        return 0;
    }
    if (wanted > available - all->scattered_taken)
        return -ENOMEM;
    for (size_t i = 0; i < wanted; i++) {
        size_t page;
        do
            page = start + all->scattered++ % available * all->scatter_step % available;
        while (all->states[page] == PAGE_TAKEN);
        take_page(all, page);
        all->scattered_taken++;
        pages[i] = all->memory.base + page * PAGE_BYTES;
    }
    return 0;
}
