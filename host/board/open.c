/* SPDX-License-Identifier: MIT */
/* Opening and closing: names, backends, messages about failures. */
#include "host/board/internal.h"

#include "fw-runtime/hsm_checks.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct board_backend *find_backend(const struct board_options *options,
                                                const char *scheme, size_t length) {
    for (size_t i = 0; options->backends && options->backends[i]; i++) {
        const struct board_backend *backend = options->backends[i];
        if (strlen(backend->scheme) == length && memcmp(backend->scheme, scheme, length) == 0)
            return backend;
    }
    return NULL;
}

int board_open(struct board **board, const char *name, const struct board_options *options) {
    if (!board || !name || !options)
        return -EINVAL;
    /* "sim:0", or letters and then a number: "emp0". */
    const char *colon = strchr(name, ':');
    const size_t scheme = colon ? (size_t)(colon - name) : strcspn(name, "0123456789");
    if (!name[scheme])
        return -EINVAL;
    const struct board_backend *backend = find_backend(options, name, scheme);
    if (!backend)
        return -ENXIO;
    struct board *new = calloc(1, sizeof *new);
    if (!new)
        return -ENOMEM;
    const int error =
        backend->open(options->environment, name + scheme + (colon ? 1 : 0), &new->handle);
    if (error) {
        free(new);
        return error;
    }
    new->backend = backend;
    new->options = *options;
    *board = new;
    return 0;
}

void board_close(struct board *board) {
    /* The scratch page is left to the firmware, which may be writing to it. */
    board->backend->close(board->handle);
    free(board);
}

const char *board_message(const struct board *board) {
    return board->message;
}

void board_set_message(struct board *board, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(board->message, sizeof board->message, format, arguments);
    va_end(arguments);
}

int board_fail_fault(struct board *board, const char *when, uint32_t fault) {
    const char *const *files = board->options.spec_files;
    size_t count = 0;
    char text[96];
    while (files && files[count])
        count++;
    if (!hsm_fault_text(fault, files, count, text, sizeof text))
        return board_fail(board, -EIO, "%s, fault %" PRIu32, when, fault);
    return board_fail(board, -EIO, "%s, fault 0x%08" PRIX32 ": it was built to check, and met %s",
                      when, fault, text);
}

uint64_t board_now_ns(struct board *board) {
    return board->backend->now_ns(board->handle);
}

void board_spend_ns(struct board *board, uint64_t ns) {
    if (ns && board->backend->spend_ns)
        board->backend->spend_ns(board->handle, ns);
}

void board_sleep_ns(struct board *board, uint64_t ns) {
    board->backend->sleep_ns(board->handle, ns);
}

void *board_allocate(struct board *board, size_t bytes) {
    return bytes ? board->backend->allocate(board->handle, bytes) : NULL;
}

void board_free(struct board *board, void *memory, size_t bytes) {
    if (memory)
        board->backend->release(board->handle, memory, bytes);
}

int board_check_process(struct board *board) {
    if (!board->backend->is_foreign || !board->backend->is_foreign(board->handle))
        return 0;
    return board_fail(board, -EACCES,
                      "the board belongs to the process that opened it, and this is a child of it: "
                      "open one here");
}

bool board_keeps_memory(const struct board *board) {
    return board->backend->give_back != NULL;
}

void board_give_back(struct board *board, bool mine, bool left, const uint64_t kept[2]) {
    board->backend->give_back(board->handle, mine, left, kept);
}

int board_pin(struct board *board, const void *address, size_t bytes, uint32_t *pin) {
    return board->backend->pin(board->handle, address, bytes, pin);
}

int board_translate(struct board *board, uint32_t pin, const void *address, size_t count,
                    uint64_t *pages) {
    return board->backend->translate(board->handle, pin, address, count, pages);
}

int board_unpin(struct board *board, uint32_t pin) {
    return board->backend->unpin(board->handle, pin);
}

int board_pin_allocated(struct board *board, const void *address, uint64_t *bus_address) {
    uint64_t page = 0;
    uint32_t pin = 0;
    int error = board_pin(board, address, 1, &pin);
    if (!error)
        error = board_translate(board, pin, address, 1, &page);
    *bus_address = page + (uintptr_t)address % BOARD_PAGE_BYTES;
    return error;
}

void board_run_ahead(struct board *board) {
    if (board->backend->ahead)
        board->backend->ahead->run_ahead(board->handle);
}

void board_catch_up(struct board *board) {
    if (board->backend->ahead)
        board->backend->ahead->catch_up(board->handle);
}

void board_statistics(const struct board *board, struct board_statistics *statistics) {
    *statistics = board->statistics;
}
