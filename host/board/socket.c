/* SPDX-License-Identifier: MIT */
/* Operations on a board of another process. */
#include "host/board/socket.h"

#include "sim/serve/client/tigon_client.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static int socket_open(void *environment, const char *name, void **handle) {
    struct tigon_client *client;
    (void)environment;
    const int error = tigon_client_open(&client, name, 0);
    if (error)
        return error == -EBUSY ? error : -ENXIO;
    *handle = client;
    return 0;
}

static void socket_close(void *handle) {
    tigon_client_close(handle);
}

static bool socket_is_foreign(void *handle) {
    return tigon_client_is_foreign(handle);
}

static uint32_t socket_read32(void *handle, uint32_t offset) {
    uint32_t value = UINT32_MAX;
    (void)tigon_client_read32(handle, offset, &value);
    return value;
}

static void socket_read_words(void *handle, uint32_t offset, uint32_t step, uint32_t *words,
                              size_t count) {
    if (tigon_client_read_words(handle, offset, step, words, count))
        memset(words, 0xFF, count * sizeof *words);
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

static uint64_t place_of(void *handle, const void *address) {
    return (uintptr_t)address - (uintptr_t)tigon_client_memory(handle);
}

/* Simulated memory is never swapped, nor mapped elsewhere. */
static int socket_pin(void *handle, const void *address, size_t bytes, uint32_t *pin) {
    const uint64_t size = tigon_client_information(handle)->memory_bytes;
    const uint64_t place = place_of(handle, address);
    *pin = 0;
    return place < size && bytes <= size - place ? 0 : -EFAULT;
}

static int socket_translate(void *handle, uint32_t pin, const void *address, size_t count,
                            uint64_t *pages) {
    const uint64_t first = tigon_client_information(handle)->memory_base +
                           place_of(handle, address) - (uintptr_t)address % BOARD_PAGE_BYTES;
    (void)pin;
    for (size_t i = 0; i < count; i++)
        pages[i] = first + i * BOARD_PAGE_BYTES;
    return 0;
}

static uint64_t socket_memory_writes(void *handle) {
    uint64_t count = 0;
    (void)tigon_client_write_count(handle, &count);
    return count;
}

static void socket_poll_memory(void *handle, const volatile void *memory, size_t bytes,
                               uint64_t seen, uint64_t interval_ns, uint64_t timeout_ns) {
    const uint64_t bus_address =
        tigon_client_information(handle)->memory_base + place_of(handle, (const void *)memory);
    bool written;
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
    (void)tigon_client_free(
        handle, tigon_client_information(handle)->memory_base + place_of(handle, memory), bytes);
}

static void socket_give_back(void *handle, bool mine, bool left, const uint64_t kept[2]) {
    (void)tigon_client_give_back(handle, mine, left, kept);
}

static int socket_unpin(void *handle, uint32_t pin) {
    (void)handle;
    (void)pin;
    return 0;
}

/* Of both names: what a list of initialisers would say twice. */
#define OPERATIONS                                                                                 \
    .open = socket_open, .close = socket_close, .is_foreign = socket_is_foreign,                   \
    .read32 = socket_read32, .read_words = socket_read_words, .write32 = socket_write32,           \
    .write_block = socket_write_block, .poll32 = socket_poll32,                                    \
    .memory_writes = socket_memory_writes, .poll_memory = socket_poll_memory,                      \
    .now_ns = socket_now_ns, .spend_ns = socket_spend_ns, .sleep_ns = socket_sleep_ns,             \
    .allocate = socket_allocate, .release = socket_release, .give_back = socket_give_back,         \
    .pin = socket_pin, .translate = socket_translate, .unpin = socket_unpin

const struct board_backend board_socket = {.scheme = "socket", OPERATIONS};
const struct board_backend board_served = {.scheme = "sim", OPERATIONS};
