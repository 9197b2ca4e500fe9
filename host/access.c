/* SPDX-License-Identifier: MIT */
/* Registers and board memory. The 2 kB window is an expensive resource: it is moved only when the
 * wanted word lies outside, and never for the low kilobyte, which has an alias of its own. */
#include "host/internal.h"

#include <errno.h>

uint32_t libemp_get_register(struct libemp_board *board, uint32_t offset) {
    board->statistics.reads++;
    return board->backend->read32(board->handle, offset);
}

void libemp_set_register(struct libemp_board *board, uint32_t offset, uint32_t value) {
    board->statistics.writes++;
    board->backend->write32(board->handle, offset, value);
}

/* The host offset under which `address` can be reached now. */
static uint32_t reach(struct libemp_board *board, uint32_t address) {
    const uint32_t base = address & ~(uint32_t)(WINDOW_BYTES - 1);
    if (address < ALIAS_BYTES)
        return ALIAS_OFFSET + address;
    if (!board->window_known || board->window != base) {
        libemp_set_register(board, REGISTER_WINDOW_BASE, base);
        board->window = base;
        board->window_known = true;
        board->statistics.window_moves++;
    }
    return WINDOW_OFFSET + (address - base);
}

uint32_t libemp_get_word(struct libemp_board *board, uint32_t address) {
    return libemp_get_register(board, reach(board, address));
}

uint32_t libemp_watch_word(struct libemp_board *board, uint32_t address, uint32_t unchanged,
                           bool again, uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    uint32_t (*const watch)(void *, uint32_t, uint32_t, uint32_t, uint64_t, uint64_t, uint64_t *) =
        again ? board->backend->poll32 : board->backend->await32;
    const uint32_t value = watch(board->handle, reach(board, address), UINT32_MAX, unchanged,
                                 spend_ns, until_ns, turns);
    board->statistics.reads += *turns;
    return value;
}

void libemp_set_word(struct libemp_board *board, uint32_t address, uint32_t value) {
    libemp_set_register(board, reach(board, address), value);
}

void libemp_set_words(struct libemp_board *board, uint32_t address, const uint32_t *words,
                      size_t count) {
    while (count > 0) {
        const uint32_t offset = reach(board, address);
        const uint32_t end = address < ALIAS_BYTES ? WINDOW_OFFSET : WINDOW_OFFSET + WINDOW_BYTES;
        size_t now = (end - offset) / 4;
        if (now > count)
            now = count;
        board->statistics.bursts++;
        board->backend->write_block(board->handle, offset, words, now);
        address += (uint32_t)now * 4;
        words += now;
        count -= now;
    }
}

static int check_memory(struct libemp_board *board, uint32_t address, size_t count) {
    if (address % 4 != 0 || address > MEMORY_BYTES || count > (MEMORY_BYTES - address) / 4)
        return libemp_fail(board, -EINVAL, "no board memory at 0x%X", address);
    return 0;
}

int libemp_write_memory(struct libemp_board *board, uint32_t address, const uint32_t *words,
                        size_t count) {
    const int error = check_memory(board, address, count);
    if (!error)
        libemp_set_words(board, address, words, count);
    return error;
}

int libemp_ring(struct libemp_board *board, unsigned mailbox, uint32_t value) {
    if (mailbox < 1 || mailbox > 31)
        return libemp_fail(board, -EINVAL, "no mailbox %u", mailbox);
    libemp_set_word(board, LIBEMP_MAILBOXES + 8 * mailbox + 4, value);
    return 0;
}

int libemp_read_memory(struct libemp_board *board, uint32_t address, uint32_t *words,
                       size_t count) {
    const int error = check_memory(board, address, count);
    if (error)
        return error;
    for (size_t i = 0; i < count; i++)
        words[i] = libemp_get_word(board, address + (uint32_t)i * 4);
    return 0;
}
