/* SPDX-License-Identifier: MIT */
/* Each function is one call of tigon_client.h. */
#include "sim/serve/client/remote_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tigon_board {
    struct tigon_world *world;
    size_t index;
    uint8_t mac_address[6];
    char name[32];
};

struct tigon_world {
    struct tigon_host *host; /* of the board this process has */
    size_t board_count;
    struct tigon_board boards[];
};

struct tigon_host {
    struct tigon_client *client;
    struct tigon_world *world;
};

/* For functions whose callers handle no failure. */
static void must(const struct tigon_host *host, int error) {
    if (!error)
        return;
    (void)fprintf(stderr, "board %s: %s (%s)\n", tigon_client_information(host->client)->name,
                  tigon_client_message(host->client), strerror(-error));
    exit(EXIT_FAILURE);
}

struct tigon_host *tigon_remote_host(struct tigon_client *client) {
    const size_t count = tigon_client_information(client)->board_count;
    struct tigon_host *host = calloc(1, sizeof *host);
    struct tigon_world *world = calloc(1, sizeof *world + count * sizeof *world->boards);
    if (!host || !world) {
        free(host);
        free(world);
        return NULL;
    }
    *host = (struct tigon_host){client, world};
    world->host = host;
    world->board_count = count;
    for (size_t i = 0; i < count; i++) {
        struct tigon_board *board = &world->boards[i];
        board->world = world;
        board->index = i;
        if (tigon_client_board(client, (uint32_t)i, board->mac_address, board->name) != 0) {
            (void)fprintf(stderr, "%s\n", tigon_client_message(client));
            tigon_remote_host_free(host);
            return NULL;
        }
    }
    return host;
}

void tigon_remote_host_free(struct tigon_host *host) {
    free(host->world);
    free(host);
}

/* ------------------------------------------------------------------------------------------------
 * World and boards */

struct tigon_board *tigon_host_board(const struct tigon_host *host) {
    return &host->world->boards[tigon_client_information(host->client)->board];
}

struct tigon_world *tigon_host_world(const struct tigon_host *host) {
    return host->world;
}

size_t tigon_world_board_count(const struct tigon_world *world) {
    return world->board_count;
}

struct tigon_board *tigon_world_board(const struct tigon_world *world, size_t index) {
    struct tigon_world *mine = world->host->world;
    return index < mine->board_count ? &mine->boards[index] : NULL;
}

/* Only this process's board has a host here. */
struct tigon_host *tigon_board_host(const struct tigon_board *board) {
    struct tigon_host *host = board->world->host;
    return tigon_host_board(host) == board ? host : NULL;
}

size_t tigon_board_index(const struct tigon_board *board) {
    return board->index;
}

const char *tigon_board_name(const struct tigon_board *board) {
    return board->name;
}

void tigon_board_mac_address(const struct tigon_board *board, uint8_t address[6]) {
    memcpy(address, board->mac_address, sizeof board->mac_address);
}

uint64_t tigon_world_now_ns(const struct tigon_world *world) {
    return tigon_host_now_ns(world->host);
}

/* ------------------------------------------------------------------------------------------------
 * Registers */

uint32_t tigon_host_read32(struct tigon_host *host, uint32_t offset) {
    uint32_t value = 0;
    must(host, tigon_client_read32(host->client, offset, &value));
    return value;
}

void tigon_host_write32(struct tigon_host *host, uint32_t offset, uint32_t value) {
    must(host, tigon_client_write32(host->client, offset, value));
}

void tigon_host_write_block(struct tigon_host *host, uint32_t offset, const uint32_t *words,
                            size_t count) {
    must(host, tigon_client_write_block(host->client, offset, words, count));
}

void tigon_host_run_ahead(struct tigon_host *host) {
    (void)host; /* requests that have no answer are sent without waiting anyway */
}

void tigon_host_catch_up(struct tigon_host *host) {
    (void)host;
}

uint32_t tigon_host_poll32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                           uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                           uint64_t *turns) {
    uint32_t value = 0;
    must(host, tigon_client_poll32(host->client, offset, mask, unchanged, spend_ns, until_ns, turns,
                                   &value));
    return value;
}

uint32_t tigon_host_await32(struct tigon_host *host, uint32_t offset, uint32_t mask,
                            uint32_t unchanged, uint64_t spend_ns, uint64_t until_ns,
                            uint64_t *turns) {
    uint64_t polls = *turns - 1;
    uint32_t value = tigon_host_read32(host, offset);
    *turns = 1;
    if ((value & mask) != unchanged || polls == 0 || tigon_host_now_ns(host) >= until_ns)
        return value;
    value = tigon_host_poll32(host, offset, mask, unchanged, spend_ns, until_ns, &polls);
    *turns += polls;
    return value;
}

bool tigon_host_wait_interrupt(struct tigon_host *host, uint64_t timeout_ns) {
    bool up = false;
    must(host, tigon_client_wait_interrupt(host->client, timeout_ns, &up));
    return up;
}

/* ------------------------------------------------------------------------------------------------
 * Time */

void tigon_host_spend_ns(struct tigon_host *host, uint64_t ns) {
    must(host, tigon_client_spend_ns(host->client, ns));
}

void tigon_host_sleep_ns(struct tigon_host *host, uint64_t ns) {
    must(host, tigon_client_sleep_ns(host->client, ns));
}

void tigon_host_yield(struct tigon_host *host) {
    must(host, tigon_client_sleep_ns(host->client, 0));
}

uint64_t tigon_host_now_ps(const struct tigon_host *host) {
    uint64_t ps = 0;
    must(host, tigon_client_now_ps(host->client, &ps));
    return ps;
}

uint64_t tigon_host_now_ns(const struct tigon_host *host) {
    return tigon_host_now_ps(host) / 1000;
}

/* ------------------------------------------------------------------------------------------------
 * Memory */

uint8_t *tigon_host_memory(struct tigon_host *host) {
    return tigon_client_memory(host->client);
}

size_t tigon_host_memory_size(const struct tigon_host *host) {
    return tigon_client_information(host->client)->memory_bytes;
}

uint64_t tigon_host_bus_address(const struct tigon_host *host, const void *pointer) {
    const uint8_t *byte = pointer;
    return tigon_client_information(host->client)->memory_base +
           (uint64_t)(byte - tigon_client_memory(host->client));
}

void *tigon_host_pointer(struct tigon_host *host, uint64_t bus_address) {
    return tigon_client_pointer(host->client, bus_address, 1);
}

void *tigon_host_allocate(struct tigon_host *host, size_t bytes, uint64_t *bus_address) {
    uint64_t address;
    if (tigon_client_allocate(host->client, bytes, &address) != 0)
        return NULL;
    if (bus_address)
        *bus_address = address;
    return tigon_client_pointer(host->client, address, bytes);
}

bool tigon_host_free(struct tigon_host *host, void *memory, size_t bytes) {
    return tigon_client_free(host->client, tigon_host_bus_address(host, memory), bytes) == 0;
}

int tigon_host_allocate_pages(struct tigon_host *host, size_t bytes, uint64_t *pages) {
    return tigon_client_allocate_pages(host->client, bytes, pages);
}

uint64_t tigon_host_write_count(const struct tigon_host *host) {
    uint64_t count = 0;
    must(host, tigon_client_write_count(host->client, &count));
    return count;
}

bool tigon_host_poll(struct tigon_host *host, const void *memory, size_t length, uint64_t seen,
                     uint64_t interval_ns, uint64_t timeout_ns) {
    bool written = false;
    must(host, tigon_client_poll_memory(host->client, tigon_host_bus_address(host, memory),
                                        length ? length : 1, seen, interval_ns ? interval_ns : 1,
                                        timeout_ns, &written));
    return written;
}
