/* SPDX-License-Identifier: MIT */
/* Operations on a board of another process. */
#include "host/board/socket.h"

#include "sim/serve/client/tigon_client.h"

#include <errno.h>
#include <time.h>

static int socket_open(void *environment, const char *name, void **handle) {
    struct tigon_client *client;
    (void)environment;
    const int error = tigon_client_open(&client, name, 0);
    if (error)
        return error == -EBUSY ? error : -ENODEV;
    *handle = client;
    return 0;
}

static void socket_close(void *handle) {
    tigon_client_close(handle);
}

static uint32_t socket_read32(void *handle, uint32_t offset) {
    uint32_t value = UINT32_MAX;
    (void)tigon_client_read32(handle, offset, &value);
    return value;
}

static void socket_write32(void *handle, uint32_t offset, uint32_t value) {
    (void)tigon_client_write32(handle, offset, value);
}

static void socket_write_block(void *handle, uint32_t offset, const uint32_t *words, size_t count) {
    (void)tigon_client_write_block(handle, offset, words, count);
}

static uint32_t socket_poll32(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                              uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    uint32_t value = UINT32_MAX;
    if (tigon_client_poll32(handle, offset, mask, unchanged, spend_ns, until_ns, turns, &value))
        *turns = 1;
    return value;
}

static int socket_translate(void *handle, const void *address, uint64_t *bus_address) {
    const struct tigon_client_information *information = tigon_client_information(handle);
    const uintptr_t start = (uintptr_t)tigon_client_memory(handle);
    const uintptr_t byte = (uintptr_t)address;
    if (byte < start || byte - start >= information->memory_bytes)
        return -EFAULT;
    *bus_address = information->memory_base + (byte - start);
    return 0;
}

static uint64_t socket_memory_writes(void *handle) {
    uint64_t count = 0;
    (void)tigon_client_write_count(handle, &count);
    return count;
}

static void socket_poll_memory(void *handle, const volatile void *memory, size_t bytes,
                               uint64_t seen, uint64_t interval_ns, uint64_t timeout_ns) {
    uint64_t bus_address;
    bool written;
    if (socket_translate(handle, (const void *)memory, &bus_address) == 0)
        (void)tigon_client_poll_memory(handle, bus_address, bytes, seen, interval_ns, timeout_ns,
                                       &written);
}

/* The clock of a board whose server is gone runs on with the machine's own, later than any moment
 * before. So each time-out still ends. */
static uint64_t socket_now_ns(void *handle) {
    struct timespec now;
    uint64_t ns = 0;
    if (tigon_client_now_ns(handle, &ns) == 0)
        return ns;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return UINT64_C(1) << 63 |
           ((uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec);
}

static void socket_spend_ns(void *handle, uint64_t ns) {
    (void)tigon_client_spend_ns(handle, ns);
}

static void socket_sleep_ns(void *handle, uint64_t ns) {
    (void)tigon_client_sleep_ns(handle, ns);
}

static void *socket_allocate(void *handle, size_t bytes) {
    uint64_t bus_address;
    if (tigon_client_allocate(handle, bytes, &bus_address))
        return NULL;
    return tigon_client_pointer(handle, bus_address, bytes);
}

static void socket_release(void *handle, void *memory, size_t bytes) {
    (void)handle; /* simulated host memory lives as long as the world */
    (void)memory;
    (void)bytes;
}

static void socket_unpin(void *handle, const void *address, size_t bytes) {
    (void)handle; /* never swapped */
    (void)address;
    (void)bytes;
}

/* Of both names: what a list of initialisers would say twice. */
#define OPERATIONS                                                                                 \
    .open = socket_open, .close = socket_close, .read32 = socket_read32,                           \
    .write32 = socket_write32, .write_block = socket_write_block, .poll32 = socket_poll32,         \
    .memory_writes = socket_memory_writes, .poll_memory = socket_poll_memory,                      \
    .now_ns = socket_now_ns, .spend_ns = socket_spend_ns, .sleep_ns = socket_sleep_ns,             \
    .allocate = socket_allocate, .release = socket_release, .translate = socket_translate,         \
    .unpin = socket_unpin

const struct board_backend board_socket = {.scheme = "socket", OPERATIONS};
const struct board_backend board_served = {.scheme = "sim", OPERATIONS};
