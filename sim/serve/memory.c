/* SPDX-License-Identifier: MIT */
/* Host memory that a client has, or that earlier ones have left. */
#include "sim/serve/server_private.h"

#include <errno.h>
#include <stdlib.h>

enum { PAGE_BYTES = 4096 };

/* By page of host memory: which clients have it (enum tigon_serve_owner), 0: none. */
int memory_open(struct session *session) {
    session->page_count = tigon_host_memory_size(session->host) / PAGE_BYTES;
    session->owners = calloc(session->page_count, 1);
    return session->owners ? 0 : -ENOMEM;
}

/* The number of the page with this bus address, or page_count. */
static size_t page_of(const struct session *session, uint64_t address) {
    const uint64_t base = tigon_host_bus_address(session->host, tigon_host_memory(session->host));
    const uint64_t page = (address - base) / PAGE_BYTES;
    return address >= base && page < session->page_count ? (size_t)page : session->page_count;
}

void memory_take(struct session *session, uint64_t address, uint64_t bytes) {
    const size_t first = page_of(session, address);
    for (size_t i = 0; i < (bytes + PAGE_BYTES - 1) / PAGE_BYTES; i++)
        session->owners[first + i] = TIGON_SERVE_MINE;
}

static void free_page(struct session *session, size_t page) {
    session->owners[page] = 0;
    (void)tigon_host_free(session->host, tigon_host_memory(session->host) + page * PAGE_BYTES,
                          PAGE_BYTES);
}

bool memory_free(struct session *session, uint64_t address, uint64_t bytes) {
    const size_t first = page_of(session, address);
    const uint64_t count = bytes / PAGE_BYTES + (bytes % PAGE_BYTES != 0);
    if (address % PAGE_BYTES != 0 || count == 0 || count > session->page_count - first)
        return false;
    for (size_t i = 0; i < count; i++)
        if (session->owners[first + i] != TIGON_SERVE_MINE)
            return false;
    for (size_t i = 0; i < count; i++)
        free_page(session, first + i);
    return true;
}

void memory_give_back(struct session *session, uint64_t owners, const uint64_t kept[2]) {
    const size_t first = page_of(session, kept[0]);
    const size_t second = page_of(session, kept[1]);
    for (size_t page = 0; page < session->page_count; page++)
        if ((session->owners[page] & owners) && page != first && page != second)
            free_page(session, page);
}

void memory_leave(struct session *session) {
    for (size_t page = 0; page < session->page_count; page++)
        if (session->owners[page])
            session->owners[page] = TIGON_SERVE_LEFT;
}

void memory_release(struct session *session) {
    for (size_t page = 0; page < session->page_count; page++)
        session->owners[page] = 0;
    tigon_host_release_memory(session->host);
}
