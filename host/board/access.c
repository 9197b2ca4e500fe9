/* SPDX-License-Identifier: MIT */
/* Registers and board memory. The 2 kB window is an expensive resource: it is moved only when the
 * wanted word lies outside, and never for the low kilobyte, which has an alias of its own. */
#include "host/board/internal.h"

#include <errno.h>

uint32_t board_get_register(struct board *board, uint32_t offset) {
    board->statistics.reads++;
    return board->backend->read32(board->handle, offset);
}

void board_set_register(struct board *board, uint32_t offset, uint32_t value) {
    board->statistics.writes++;
    board->backend->write32(board->handle, offset, value);
}

/* The host offset under which `address` can be reached now. */
static uint32_t reach(struct board *board, uint32_t address) {
    const uint32_t base = address & ~(uint32_t)(WINDOW_BYTES - 1);
    if (address < BOARD_ALIAS_BYTES)
        return ALIAS_OFFSET + address;
    if (!board->window_known || board->window != base) {
        board_set_register(board, REGISTER_WINDOW_BASE, base);
        board->window = base;
        board->window_known = true;
        board->statistics.window_moves++;
    }
    return WINDOW_OFFSET + (address - base);
}

uint32_t board_get_word(struct board *board, uint32_t address) {
    return board_get_register(board, reach(board, address));
}

/* How many of `count` words, `step` bytes apart, are reached from `offset` on without moving the
 * window. */
static size_t reached(uint32_t address, uint32_t offset, uint32_t step, size_t count) {
    const uint32_t end = address < BOARD_ALIAS_BYTES ? WINDOW_OFFSET : WINDOW_OFFSET + WINDOW_BYTES;
    const size_t now = (end - offset + step - 1) / step;
    return now < count ? now : count;
}

void board_get_words(struct board *board, uint32_t address, uint32_t step, uint32_t *words,
                     size_t count) {
    while (count > 0) {
        const uint32_t offset = reach(board, address);
        const size_t now = reached(address, offset, step, count);
        if (board->backend->read_words) {
            board->statistics.reads += now;
            board->backend->read_words(board->handle, offset, step, words, now);
        } else {
            for (size_t i = 0; i < now; i++)
                words[i] = board_get_register(board, offset + (uint32_t)i * step);
        }
        address += (uint32_t)now * step;
        words += now;
        count -= now;
    }
}

/* What the backend's poll32 does, for one without. */
static uint32_t poll(struct board *board, uint32_t offset, uint32_t mask, uint32_t unchanged,
                     uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    const struct board_backend *backend = board->backend;
    uint64_t left = *turns;
    uint32_t value;
    if (backend->poll32)
        return backend->poll32(board->handle, offset, mask, unchanged, spend_ns, until_ns, turns);
    do {
        board_spend_ns(board, spend_ns);
        value = backend->read32(board->handle, offset);
        left--;
    } while ((value & mask) == unchanged && left && backend->now_ns(board->handle) < until_ns);
    *turns -= left;
    return value;
}

/* What await32 of struct board_ahead does, for a backend without. */
static uint32_t await(struct board *board, uint32_t offset, uint32_t mask, uint32_t unchanged,
                      uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    const struct board_backend *backend = board->backend;
    uint64_t more = *turns - 1;
    if (backend->ahead)
        return backend->ahead->await32(board->handle, offset, mask, unchanged, spend_ns, until_ns,
                                       turns);
    uint32_t value = backend->read32(board->handle, offset);
    if ((value & mask) == unchanged && more && backend->now_ns(board->handle) < until_ns)
        value = poll(board, offset, mask, unchanged, spend_ns, until_ns, &more);
    else
        more = 0;
    *turns = 1 + more;
    return value;
}

uint32_t board_watch_word(struct board *board, uint32_t address, uint32_t unchanged, bool again,
                          uint64_t spend_ns, uint64_t until_ns, uint64_t *turns) {
    const uint32_t value = (again ? poll : await)(board, reach(board, address), UINT32_MAX,
                                                  unchanged, spend_ns, until_ns, turns);
    board->statistics.reads += *turns;
    return value;
}

uint32_t board_watch_memory(struct board *board, const volatile uint32_t *word, uint32_t unchanged,
                            uint64_t spend_ns, uint64_t until_ns) {
    const struct board_backend *backend = board->backend;
    for (;;) {
        const uint64_t seen = backend->poll_memory ? backend->memory_writes(board->handle) : 0;
        const uint32_t value = *word;
        const uint64_t now = board_now_ns(board);
        if (value != unchanged || now >= until_ns)
            return value;
        if (backend->poll_memory)
            backend->poll_memory(board->handle, word, sizeof *word, seen, spend_ns, until_ns - now);
        else
            board_spend_ns(board, spend_ns);
    }
}

void board_set_word(struct board *board, uint32_t address, uint32_t value) {
    board_set_register(board, reach(board, address), value);
}

void board_set_words(struct board *board, uint32_t address, const uint32_t *words, size_t count) {
    while (count > 0) {
        const uint32_t offset = reach(board, address);
        const size_t now = reached(address, offset, 4, count);
        if (board->backend->write_block) {
            board->statistics.bursts++;
            board->backend->write_block(board->handle, offset, words, now);
        } else {
            for (size_t i = 0; i < now; i++)
                board_set_register(board, offset + (uint32_t)i * 4, words[i]);
        }
        address += (uint32_t)now * 4;
        words += now;
        count -= now;
    }
}

bool board_has_memory(uint32_t address, size_t count) {
    return address % 4 == 0 && address <= MEMORY_BYTES && count <= (MEMORY_BYTES - address) / 4;
}

static int check_memory(struct board *board, uint32_t address, size_t count) {
    if (!board_has_memory(address, count))
        return board_fail(board, -EINVAL, "no board memory at 0x%X", address);
    return 0;
}

int board_write_memory(struct board *board, uint32_t address, const uint32_t *words, size_t count) {
    const int error = check_memory(board, address, count);
    if (!error)
        board_set_words(board, address, words, count);
    return error;
}

int board_read_register(struct board *board, uint32_t offset, uint32_t *value) {
    if (offset % 4 != 0 || offset >= ALIAS_OFFSET)
        return board_fail(board, -EINVAL, "no register at 0x%X", offset);
    *value = board_get_register(board, offset);
    return 0;
}

int board_ring(struct board *board, unsigned mailbox, uint32_t value) {
    if (mailbox < 1 || mailbox > 31)
        return board_fail(board, -EINVAL, "no mailbox %u", mailbox);
    board_set_word(board, BOARD_MAILBOXES + 8 * mailbox + 4, value);
    return 0;
}

int board_read_memory(struct board *board, uint32_t address, uint32_t *words, size_t count) {
    const int error = check_memory(board, address, count);
    if (!error)
        board_get_words(board, address, 4, words, count);
    return error;
}
