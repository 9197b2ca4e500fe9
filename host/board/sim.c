/* SPDX-License-Identifier: MIT */
/* Operations on a simulated board and the host it sits in. */
#include "host/board/sim.h"

#include "host/board/ahead.h"
#include "sim/tigon.h"

#include <errno.h>
#include <stdlib.h>

static int sim_open(void *environment, const char *name, void **handle) {
    struct tigon_world *world = environment;
    char *end;
    if (!world || *name < '0' || *name > '9')
        return -ENXIO;
    errno = 0;
    const unsigned long index = strtoul(name, &end, 10);
    if (*end || errno)
        return -ENXIO;
    struct tigon_board *board = tigon_world_board(world, index);
    if (!board)
        return -ENXIO;
    *handle = tigon_board_host(board);
    return 0;
}

static void sim_close(void *handle) {
    (void)handle; /* the world owns host and board */
}

static uint32_t sim_read32(void *handle, uint32_t offset) {
    return tigon_host_read32(handle, offset);
}

static uint32_t sim_poll32(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                           uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    return tigon_host_poll32(handle, offset, mask, unchanged, spend_ns, until_ns, turns);
}

static uint32_t sim_await32(void *handle, uint32_t offset, uint32_t mask, uint32_t unchanged,
                            uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    return tigon_host_await32(handle, offset, mask, unchanged, spend_ns, until_ns, turns);
}

static void sim_write32(void *handle, uint32_t offset, uint32_t value) {
    tigon_host_write32(handle, offset, value);
}

static void sim_write_block(void *handle, uint32_t offset, const uint32_t *words, size_t count) {
    tigon_host_write_block(handle, offset, words, count);
}

static void sim_run_ahead(void *handle) {
    tigon_host_run_ahead(handle);
}

static void sim_catch_up(void *handle) {
    tigon_host_catch_up(handle);
}

static uint64_t sim_memory_writes(void *handle) {
    return tigon_host_write_count(handle);
}

static void sim_poll_memory(void *handle, const volatile void *memory, size_t bytes, uint64_t seen,
                            uint64_t interval_ns, uint64_t timeout_ns) {
    (void)tigon_host_poll(handle, (const void *)memory, bytes, seen, interval_ns, timeout_ns);
}

static uint64_t sim_now_ns(void *handle) {
    return tigon_host_now_ns(handle);
}

static void sim_spend_ns(void *handle, uint64_t ns) {
    tigon_host_spend_ns(handle, ns);
}

static void sim_sleep_ns(void *handle, uint64_t ns) {
    tigon_host_sleep_ns(handle, ns);
}

static void *sim_allocate(void *handle, size_t bytes) {
    return tigon_host_allocate(handle, bytes, NULL);
}

static void sim_release(void *handle, void *memory, size_t bytes) {
    (void)tigon_host_free(handle, memory, bytes);
}

/* Simulated memory is never swapped, nor mapped elsewhere. */
static int sim_pin(void *handle, const void *address, size_t bytes, uint32_t *pin) {
    const size_t before = (size_t)((uintptr_t)address - (uintptr_t)tigon_host_memory(handle));
    const size_t size = tigon_host_memory_size(handle);
    *pin = 0;
    return before < size && bytes <= size - before ? 0 : -EFAULT;
}

static int sim_translate(void *handle, uint32_t pin, const void *address, size_t count,
                         uint64_t *pages) {
    const uint8_t *start = (const uint8_t *)address - (uintptr_t)address % BOARD_PAGE_BYTES;
    (void)pin;
    for (size_t i = 0; i < count; i++)
        pages[i] = tigon_host_bus_address(handle, start + i * BOARD_PAGE_BYTES);
    return 0;
}

static int sim_unpin(void *handle, uint32_t pin) {
    (void)handle;
    (void)pin;
    return 0;
}

static const struct board_ahead ahead = {
    .await32 = sim_await32,
    .run_ahead = sim_run_ahead,
    .catch_up = sim_catch_up,
};

const struct board_backend board_sim = {
    .scheme = "sim",
    .open = sim_open,
    .close = sim_close,
    .read32 = sim_read32,
    .write32 = sim_write32,
    .write_block = sim_write_block,
    .poll32 = sim_poll32,
    .memory_writes = sim_memory_writes,
    .poll_memory = sim_poll_memory,
    .now_ns = sim_now_ns,
    .spend_ns = sim_spend_ns,
    .sleep_ns = sim_sleep_ns,
    .allocate = sim_allocate,
    .release = sim_release,
    .pin = sim_pin,
    .translate = sim_translate,
    .unpin = sim_unpin,
    .ahead = &ahead,
};
