/* SPDX-License-Identifier: MIT */
/*
 * The host of a node; see host.h.
 */
#include <string.h>

#include "tests/native_port/host.h"

static const uint64_t windows[HOST_WINDOWS] = {HOST_LOW, HOST_ACROSS};

/* -------------------------------------------------------------------------------------- Memory */

#define PIECE_BYTES (HOST_WINDOW_BYTES / 32u)

/* A bit for each piece of a window that has bytes of [first, end), which lies in it, or is empty.
 */
static uint32_t pieces(unsigned window, uint64_t first, uint64_t end) {
    if (first >= end)
        return 0;
    return UINT32_MAX << (first - windows[window]) / PIECE_BYTES &
           UINT32_MAX >> (31 - (end - 1 - windows[window]) / PIECE_BYTES);
}

uint8_t *host_memory(struct host *host, uint64_t address, uint32_t bytes) {
    for (unsigned i = 0; i < HOST_WINDOWS; i++)
        if (address - windows[i] < HOST_WINDOW_BYTES &&
            bytes <= HOST_WINDOW_BYTES - (address - windows[i])) {
            host->dirty[i] = UINT32_MAX;
            return &host->memory[i][address - windows[i]];
        }
    return NULL;
}

static void read_bytes(const struct host *host, uint64_t address, void *to, uint32_t bytes) {
    uint8_t *out = to;
    for (unsigned i = 0; i < HOST_WINDOWS; i++)
        if (address - windows[i] < HOST_WINDOW_BYTES &&
            bytes <= HOST_WINDOW_BYTES - (address - windows[i])) {
            memcpy(out, &host->memory[i][address - windows[i]], bytes);
            return;
        }
    memset(out, 0, bytes);
    for (unsigned i = 0; i < HOST_WINDOWS; i++) {
        uint64_t first = address > windows[i] ? address : windows[i];
        uint64_t end = address + bytes;
        if (end > windows[i] + HOST_WINDOW_BYTES || end < address)
            end = windows[i] + HOST_WINDOW_BYTES;
        if (first < end)
            memcpy(out + (first - address), &host->memory[i][first - windows[i]], end - first);
    }
}

static void write_bytes(struct host *host, uint64_t address, const void *from, uint32_t bytes) {
    const uint8_t *in = from;
    oracle_before_memory(&host->oracle, address, bytes);
    for (unsigned i = 0; i < HOST_WINDOWS; i++) {
        uint64_t first = address > windows[i] ? address : windows[i];
        uint64_t end = address + bytes;
        if (end > windows[i] + HOST_WINDOW_BYTES || end < address)
            end = windows[i] + HOST_WINDOW_BYTES;
        if (first < end)
            memcpy(&host->memory[i][first - windows[i]], in + (first - address), end - first);
        host->dirty[i] |= pieces(i, first, end);
    }
    oracle_after_memory(&host->oracle, address, bytes);
}

void host_write_memory(struct host *host, uint64_t address, const void *from, uint32_t bytes) {
    write_bytes(host, address, from, bytes);
}

static const uint8_t *peek(const void *owner, uint64_t address, uint8_t *copy, uint32_t bytes) {
    const struct host *host = owner;
    for (unsigned i = 0; i < HOST_WINDOWS; i++) {
        uint64_t at = address - windows[i];
        if (at < HOST_WINDOW_BYTES && bytes <= HOST_WINDOW_BYTES - at)
            return host->dirty[i] & pieces(i, address, address + bytes) ? &host->memory[i][at]
                                                                        : NULL;
    }
    read_bytes(host, address, copy, bytes);
    return copy;
}

/* ------------------------------------------------------------------------- What the board calls */

static bool board_reads(void *owner, enum native_transfer transfer, uint64_t address, void *to,
                        uint32_t bytes) {
    struct host *host = owner;
    oracle_transfer(&host->oracle, transfer, address, bytes, true);
    if (transfer == NATIVE_TRANSFER_PAGE) {
        size_t page = (size_t)((unsigned char *)to - host->node->pages) / host->node->page_bytes;
        if (page < host->node->page_count)
            host->pages_read |= 1ull << page;
    }
    read_bytes(host, address, to, bytes);
    return true;
}

static bool board_writes(void *owner, uint64_t address, const void *from, uint32_t bytes) {
    struct host *host = owner;
    oracle_transfer(&host->oracle, NATIVE_TRANSFER_RECEIVE, address, bytes, true);
    write_bytes(host, address, from, bytes);
    if (host->written != NULL)
        host->written(host->frame_owner, address, bytes);
    return true;
}

static void board_queues(void *owner, enum native_transfer transfer, uint64_t address,
                         uint32_t bytes) {
    struct host *host = owner;
    oracle_transfer(&host->oracle, transfer, address, bytes, false);
}

static void board_sends(void *owner, const uint8_t *frame, uint32_t bytes) {
    struct host *host = owner;
    static const uint8_t none[6];
    if (memcmp(frame, none, 6) == 0)
        oracle_finding("a frame to no address", bytes, 0);
    if (host->frame != NULL)
        host->frame(host->frame_owner, frame, bytes);
}

/* --------------------------------------------------------------------------------------- Start */

void host_start(struct host *host, uint32_t epoch, unsigned char *fresh) {
    const struct native_nic *nic = host->node->nic;
    const struct native_surroundings around = {.owner = host,
                                               .host_read = board_reads,
                                               .host_write = board_writes,
                                               .queued = board_queues,
                                               .frame = board_sends};
    struct node_objects objects;
    uint32_t deadline;
    node_start(host->node, host->number, epoch, 0xFFFFF000u /* wraps soon */, &around, &objects);
    host->descriptors = objects.descriptors;
    host->ring = objects.ring;
    host->peers = objects.peers;
    host->parameters = objects.parameters;
    host->counters = objects.counters;
    while (!nic->link_enabled() && nic->alarm(&deadline)) {
        nic->set_clock(deadline);
        (void)nic->deliver(NATIVE_ALARM);
    }
    host->fresh = fresh;
    host->pages_read = 0;
    node_save(host->node, fresh);
    host->oracle.table = host->descriptors;
    host->oracle.peek = peek;
    host->oracle.owner = host;
    host_restart(host);
}

void host_restart(struct host *host) {
    node_restore_pages(host->node, host->fresh, host->pages_read);
    host->pages_read = 0;
    for (unsigned i = 0; i < HOST_WINDOWS; i++) {
        for (; host->dirty[i] != 0; host->dirty[i] &= host->dirty[i] - 1)
            memset(&host->memory[i][(unsigned)__builtin_ctz(host->dirty[i]) * PIECE_BYTES], 0,
                   PIECE_BYTES);
    }
    host->posted = 0;
    oracle_start(&host->oracle);
}

/* ------------------------------------------------------------------------------------ Requests */

void host_write_word(struct host *host, uint32_t word, uint32_t value) {
    word %= ORACLE_TABLE_WORDS;
    oracle_before_word(&host->oracle, word, value);
    host->descriptors[word] = value;
    oracle_after_word(&host->oracle, word);
}

static uint32_t piece_bytes(const struct host_request *request, uint32_t index) {
    return index < request->count ? request->pieces[index].bytes : 0;
}

static uint64_t piece_address(const struct host_request *request, uint32_t index) {
    return index < request->count ? request->pieces[index].address : 0;
}

static void fill_page(struct host *host, const struct host_request *request) {
    uint32_t page[EMP_PAGE_BYTES / 4] = {0};
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t *lengths = &page[2 * EMP_INDIRECT_ENTRIES + i / 2];
        page[2 * i] = (uint32_t)(request->pieces[i].address >> 32);
        page[2 * i + 1] = (uint32_t)request->pieces[i].address;
        *lengths |= request->pieces[i].bytes << (i & 1 ? 0 : 16);
    }
    host_write_memory(host, request->page, page, sizeof page);
}

#if EMP_INLINE_LIMIT
/* What lies behind the last byte is no part of the message. */
static void fill_bytes(struct host *host, uint32_t at, const uint8_t *bytes, uint32_t length) {
    for (uint32_t i = 0; i < EMP_INLINE_LIMIT / 4; i++) {
        uint32_t word = 0xA5A5A5A5u;
        for (uint32_t byte = 4 * i; byte < 4 * i + 4 && byte < length; byte++) {
            uint32_t shift = 24 - 8 * (byte % 4);
            word = (word & ~(0xFFu << shift)) | (uint32_t)bytes[byte] << shift;
        }
        host_write_word(host, at + i, word);
    }
}
#endif

void host_fill(struct host *host, uint32_t descriptor, const struct host_request *request) {
    uint32_t at = descriptor * ORACLE_WORDS;
    uint32_t continuations =
        request->format == EMP_FORMAT_CHAIN && request->count > 1 ? request->count / 2 : 0;
    bool indirect = request->format == EMP_FORMAT_INDIRECT;
    uint64_t address = indirect ? request->page : piece_address(request, 0);
    if (indirect)
        fill_page(host, request);
    for (uint32_t i = 1; i <= continuations; i++) {
        uint32_t next = at + i * ORACLE_WORDS;
        uint64_t first = piece_address(request, 2 * i - 1), second = piece_address(request, 2 * i);
        host_write_word(host, next, (uint32_t)(first >> 32));
        host_write_word(host, next + 1, (uint32_t)first);
        host_write_word(host, next + 2, (uint32_t)(second >> 32));
        host_write_word(host, next + 3, (uint32_t)second);
        host_write_word(host, next + EMP_CONTINUATION_FIRST_LENGTH_WORD,
                        piece_bytes(request, 2 * i - 1) << EMP_CONTINUATION_FIRST_LENGTH_SHIFT |
                            piece_bytes(request, 2 * i));
    }
    host_write_word(host, at + EMP_DESCRIPTOR_ADDRESS_HIGH_WORD, (uint32_t)(address >> 32));
    host_write_word(host, at + EMP_DESCRIPTOR_ADDRESS_LOW_WORD, (uint32_t)address);
    host_write_word(host, at + EMP_DESCRIPTOR_LENGTH_WORD,
                    indirect ? request->count : piece_bytes(request, 0));
#if EMP_TAG_BITS == 64
    host_write_word(host, at + EMP_DESCRIPTOR_PEER_WORD,
                    request->peer << EMP_DESCRIPTOR_PEER_SHIFT | request->wildcards);
    host_write_word(host, at + EMP_DESCRIPTOR_TAG_HIGH_WORD, (uint32_t)(request->tag >> 32));
    host_write_word(host, at + EMP_DESCRIPTOR_TAG_WORD, (uint32_t)request->tag);
    host_write_word(host, at + EMP_DESCRIPTOR_IGNORED_HIGH_WORD,
                    (uint32_t)(request->ignored >> 32));
    host_write_word(host, at + EMP_DESCRIPTOR_IGNORED_WORD, (uint32_t)request->ignored);
#else
    host_write_word(host, at + EMP_DESCRIPTOR_PEER_WORD,
                    request->peer << EMP_DESCRIPTOR_PEER_SHIFT | (uint32_t)request->tag);
#endif
#if EMP_INLINE_LIMIT
    if (request->format == EMP_FORMAT_INLINE && request->bytes != NULL)
        fill_bytes(host, at, request->bytes, request->length);
#endif
    host_write_word(host, at + EMP_DESCRIPTOR_OWNER_WORD,
                    request->length << EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT |
                        continuations << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT |
                        request->format << EMP_DESCRIPTOR_FORMAT_SHIFT |
                        request->direction << EMP_DESCRIPTOR_DIRECTION_SHIFT |
                        (uint32_t)EMP_OWNER_NIC << EMP_DESCRIPTOR_OWNER_SHIFT);
}

void host_enter(struct host *host, uint32_t entry) {
    host->ring[host->posted++ % EMP_POSTING_RING_ENTRIES] = entry;
    host->node->nic->ring(EMP_POSTING_MAILBOX, host->posted);
}

uint32_t host_result(const struct host *host, uint32_t descriptor, uint32_t *length) {
    uint32_t word = host->descriptors[descriptor * ORACLE_WORDS + EMP_DESCRIPTOR_OWNER_WORD];
    *length = word >> EMP_DESCRIPTOR_TOTAL_LENGTH_SHIFT & EMP_DESCRIPTOR_TOTAL_LENGTH_MASK;
    return word >> EMP_DESCRIPTOR_RESULT_SHIFT & EMP_DESCRIPTOR_RESULT_MASK;
}

/* -------------------------------------------------------------------------------------- Events */

/* Checks the actions of the board in one event. It takes one entry of its ring at most. */
static void check(struct host *host, uint32_t taken, uint32_t ignored) {
    uint32_t now = host->node->taken();
    if (now != taken) {
        if (now != (taken + 1) % EMP_POSTING_RING_ENTRIES)
            oracle_finding("several entries taken in one event", taken, now);
        if (host->counters[HOST_IGNORED] == ignored)
            oracle_taken(&host->oracle, host->ring[taken]);
    }
    oracle_completions(&host->oracle);
    if (host->node->nic->stopped() != 0)
        oracle_stopped(&host->oracle, host->node->nic->stopped());
}

bool host_deliver(struct host *host, enum native_event event) {
    uint32_t taken = host->node->taken();
    uint32_t ignored = host->counters[HOST_IGNORED];
    if (!host->node->nic->deliver(event))
        return false;
    check(host, taken, ignored);
    return true;
}

bool host_link(struct host *host, uint32_t event, uint32_t word) {
    uint32_t taken = host->node->taken();
    uint32_t ignored = host->counters[HOST_IGNORED];
    if (!host->node->nic->link(event, word))
        return false;
    check(host, taken, ignored);
    return true;
}

uint32_t host_run(struct host *host, uint32_t late, uint32_t limit) {
    uint32_t count;
    for (count = 0; count < limit; count++) {
        uint32_t waiting = host->node->nic->waiting() & ~late;
        if (waiting == 0 || !host_deliver(host, (enum native_event)__builtin_ctz(waiting)))
            break;
    }
    return count;
}
