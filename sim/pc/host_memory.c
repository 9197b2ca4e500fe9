/* SPDX-License-Identifier: MIT */
/* Host memory: one array, bus addresses, and handing out its pages. */
#include "sim/pc/host_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/base/abort.h"
#include "sim/tigon.h"

#define PAGE_BYTES 4096u

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
        .next_page = 1, /* bus address 0 is too good an invalid address to give away */
    };
    pages->memory.bytes = mmap(NULL, pages->memory.size, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages->memory.bytes == MAP_FAILED)
        return -ENOMEM;
    pages->scatter_step = choose_step(page_count(pages) - scatter_start(pages));
    return 0;
}

void tigon_host_pages_free(struct tigon_host_pages *pages) {
    munmap(pages->memory.bytes, pages->memory.size);
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
    memset(all->memory.bytes + PAGE_BYTES, 0, (all->next_page - 1) * PAGE_BYTES);
    if (all->scattered)
        memset(all->memory.bytes + scatter_start(all) * PAGE_BYTES, 0,
               all->memory.size - scatter_start(all) * PAGE_BYTES);
    all->next_page = 1;
    all->scattered = 0;
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

void *tigon_host_allocate(struct tigon_host *host, size_t bytes, uint64_t *bus_address) {
    struct tigon_host_pages *all = tigon_host_pages(host);
    const size_t pages = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    if (pages > scatter_start(all) - all->next_page)
        return NULL;
    uint8_t *memory = all->memory.bytes + all->next_page * PAGE_BYTES;
    all->next_page += pages;
    if (bus_address)
        *bus_address = tigon_host_bus_address(host, memory);
    return memory;
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
    if (wanted > available - all->scattered)
        return -ENOMEM;
    for (size_t i = 0; i < wanted; i++) {
        const size_t page = start + all->scattered++ * all->scatter_step % available;
        pages[i] = all->memory.base + page * PAGE_BYTES;
    }
    return 0;
}
