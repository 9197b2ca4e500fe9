/* SPDX-License-Identifier: MIT */
#include "tests/driver/shared_board.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SCRATCH_BYTES = 64 };

#define NAP_NS    UINT64_C(2000)
#define REAPER_NS UINT64_C(1000000)

static bool covers(uint64_t bus, uint64_t bytes, const struct tigon_transfer *transfer) {
    const uint64_t into = transfer->host_address - bus;
    return into < bytes && transfer->length <= bytes - into;
}

/* The bytes that a program has registered, not the pages around them. */
static bool is_registered(const struct shared_memory *memory,
                          const struct tigon_transfer *transfer) {
    return memory->owner &&
           covers(memory->page[0] + memory->region.in_page, memory->region.bytes, transfer);
}

static bool is_allowed(const struct shared_board *shared, const struct tigon_transfer *transfer) {
    const struct endpoint_table *table = &shared->table;
    if (covers(shared->scratch_bus, SCRATCH_BYTES, transfer))
        return true;
    if (transfer->write && covers(table->ends_bus, ENDPOINT_ENDS_BYTES, transfer))
        return transfer->length == 4;
    for (size_t i = 0; i < shared->memories; i++)
        if (is_registered(&shared->memory[i], transfer))
            return true;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT && !transfer->write; i++)
        if (shared->page[i] && covers(shared->page_bus[i], EMP_PAGE_BYTES, transfer))
            return true;
    return false;
}

static void on_transfer(void *context, const struct tigon_transfer *transfer) {
    struct shared_board *shared = context;
    if (!shared->board || transfer->board != shared->side->hardware || !transfer->length)
        return;
    shared->transfers++;
    if (is_allowed(shared, transfer) || shared->stray++)
        return;
    (void)snprintf(shared->words, sizeof shared->words,
                   "board %u %s %" PRIu32 " bytes at 0x%" PRIX64 ", which nobody has registered",
                   shared->side->index, transfer->write ? "wrote" : "read", transfer->length,
                   transfer->host_address);
}

static uint32_t *page_of(void *context, uint32_t descriptor, uint64_t *bus_address) {
    struct shared_board *shared = context;
    if (!shared->page[descriptor])
        shared->page[descriptor] =
            tigon_host_allocate(shared->side->host, EMP_PAGE_BYTES, &shared->page_bus[descriptor]);
    *bus_address = shared->page_bus[descriptor];
    return shared->page[descriptor];
}

/* What the kernel does when it releases the pages, made visible. */
static void on_drained(void *context, struct endpoint *endpoint) {
    struct shared_board *shared = context;
    shared->drained++;
    for (size_t i = 0; i < shared->memories; i++)
        if (shared->memory[i].owner == endpoint) {
            shared->memory[i].owner = NULL;
            memset(shared->memory[i].bytes, SHARED_POISON, shared->memory[i].region.bytes);
        }
}

static const struct endpoint_operations operations = {.page = page_of, .drained = on_drained};

/* Before the world runs. */
static int watch(struct shared_board *shared, struct pair *pair, unsigned side) {
    const struct tigon_observer observer = {.context = shared, .transfer = on_transfer};
    memset(shared, 0, sizeof *shared);
    shared->side = &pair->side[side];
    return tigon_world_attach(pair->world, &observer);
}

int shared_run(struct shared_board boards[2], const struct pair_options *options, pair_program left,
               void *left_argument, pair_program right, void *right_argument, uint64_t limit_ns) {
    struct pair_options untraced;
    struct pair pair;
    pair_options_defaults(&untraced);
    if (options)
        untraced = *options;
    untraced.trace = "";
    int error = pair_open(&pair, &untraced);
    for (unsigned i = 0; i < 2 && !error; i++)
        error = watch(&boards[i], &pair, i);
    if (!error)
        error = pair_run(&pair, left, left_argument, right, right_argument, limit_ns);
    if (error)
        pair_complain(&pair, stderr);
    for (unsigned i = 0; i < 2; i++) {
        if (boards[i].board && boards[i].stray)
            (void)fprintf(stderr, "%s\n", boards[i].words);
        boards[i].board = NULL;
    }
    pair_close(&pair);
    return error;
}

int shared_open(struct shared_board *shared, struct pair_side *side,
                const struct endpoint_limits *limits) {
    struct board *board = libemp_hardware(side->board);
    uint64_t ends_bus;
    const int error = endpoint_table_initialise(&shared->table, board, &operations, shared, limits);
    void *ends = tigon_host_allocate(side->host, ENDPOINT_ENDS_BYTES, &ends_bus);
    if (error || !ends)
        return error ? error : -ENOMEM;
    endpoint_table_set_ends(&shared->table, ends, ends_bus);
    shared->scratch_bus = (uint64_t)board_control_word(board, BOARD_CONTROL_SCRATCH_HIGH_WORD)
                              << 32 |
                          board_control_word(board, BOARD_CONTROL_SCRATCH_LOW_WORD);
    shared->board = board;
    const int adopted = endpoint_table_adopt(&shared->table);
    uint8_t address[6];
    tigon_board_mac_address(side->pair->side[1 - side->index].hardware, address);
    if (!adopted)
        endpoint_table_set_peer(&shared->table, side->peer, address);
    return adopted;
}

void shared_lock(struct shared_board *shared) {
    while (shared->locked)
        tigon_host_sleep_ns(shared->side->host, 100);
    shared->locked = true;
}

void shared_unlock(struct shared_board *shared) {
    shared->locked = false;
}

struct shared_memory *shared_register(struct shared_board *shared, struct endpoint *endpoint,
                                      size_t in_page, size_t bytes) {
    const size_t pages = (in_page + bytes + EMP_PAGE_BYTES - 1) / EMP_PAGE_BYTES;
    struct shared_memory *memory = &shared->memory[shared->memories];
    if (shared->memories == SHARED_MEMORY_LIMIT || pages > SHARED_PAGES_LIMIT)
        return NULL;
    uint64_t bus;
    uint8_t *start = tigon_host_allocate(shared->side->host, pages * EMP_PAGE_BYTES, &bus);
    if (!start)
        return NULL;
    for (size_t i = 0; i < pages; i++)
        memory->page[i] = bus + i * EMP_PAGE_BYTES;
    memset(start, SHARED_POISON, pages * EMP_PAGE_BYTES);
    memory->bytes = start + in_page;
    memory->region = (struct endpoint_region){
        .bytes = bytes, .in_page = (uint32_t)in_page, .pages = pages, .page = memory->page};
    if (endpoint_add_region(endpoint, &memory->region, &memory->handle))
        return NULL;
    memory->owner = endpoint;
    shared->memories++;
    return memory;
}

int shared_submit(struct shared_board *shared, struct endpoint *endpoint,
                  struct emp_ioctl_entry *entry, const struct emp_ioctl_piece *pieces) {
    shared_lock(shared);
    entry->error = endpoint_submit(endpoint, entry, pieces, board_now_ns(shared->board));
    shared_unlock(shared);
    return entry->error;
}

int shared_post(struct shared_board *shared, struct endpoint *endpoint, uint32_t kind,
                uint32_t peer, uint64_t tag, const struct shared_memory *memory, uint64_t offset,
                uint32_t length, uint32_t *request) {
    const struct emp_ioctl_piece piece = {
        .handle = memory ? memory->handle : 0, .length = length, .offset = offset};
    struct emp_ioctl_entry entry = {
        .kind = kind, .peer = peer, .piece_count = memory ? 1 : 0, .tag = tag};
    const int error = shared_submit(shared, endpoint, &entry, &piece);
    *request = entry.request;
    return error;
}

int shared_wait(struct shared_board *shared, struct endpoint *endpoint, uint32_t request,
                uint64_t timeout_ns, struct emp_ioctl_entry *entry) {
    const struct endpoint_share *share = &shared->table.shares[endpoint->port];
    const uint32_t descriptor = share->first + (request & UINT16_MAX);
    volatile uint32_t *end = endpoint_end(&shared->table, descriptor);
    const uint32_t posted = shared->table.slots[descriptor].posted.word;
    const uint64_t start = board_now_ns(shared->board);
    *entry = (struct emp_ioctl_entry){.kind = EMP_IOCTL_COLLECT, .request = request};
    while (*end == posted) {
        if (board_now_ns(shared->board) - start >= timeout_ns)
            return -ETIMEDOUT;
        tigon_host_sleep_ns(shared->side->host, NAP_NS);
    }
    return shared_submit(shared, endpoint, entry, NULL);
}

int shared_drain(struct shared_board *shared, uint64_t timeout_ns) {
    const uint64_t start = board_now_ns(shared->board);
    for (;;) {
        shared_lock(shared);
        const bool more = endpoint_table_reap(&shared->table, board_now_ns(shared->board));
        shared_unlock(shared);
        if (!more)
            return 0;
        if (board_now_ns(shared->board) - start > timeout_ns)
            return -ETIMEDOUT;
        tigon_host_sleep_ns(shared->side->host, REAPER_NS);
    }
}
