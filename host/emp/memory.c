/* SPDX-License-Identifier: MIT */
/* Registered memory, and how a message's pieces become the pages a descriptor names. */
#include "host/emp/internal.h"

#include <errno.h>
#include <stdlib.h>

void *libemp_allocate(struct libemp_board *board, size_t bytes) {
    return board_allocate(board->hardware, bytes);
}

void libemp_free(struct libemp_board *board, void *memory, size_t bytes) {
    board_free(board->hardware, memory, bytes);
}

/* A registration that holds all pages of this memory; NULL: none. */
static struct libemp_memory *find_pinned(struct libemp_board *board, const uint8_t *address,
                                         size_t length) {
    for (struct libemp_memory *memory = board->memories; memory; memory = memory->next)
        if (!memory->pins && (uintptr_t)address >= (uintptr_t)memory->address &&
            (uintptr_t)address - (uintptr_t)memory->address <= memory->length &&
            length <= memory->length - (size_t)(address - memory->address))
            return memory;
    return NULL;
}

/* Bus addresses from the pages' holder, without a system call. */
static void take_pages(struct libemp_memory *new, struct libemp_memory *holder, size_t first) {
    new->pins = holder;
    holder->users++;
    for (size_t i = 0; i < new->pages; i++)
        new->page[i] = holder->page[first + i];
}

/* By the backend, page by page; the first has been translated. */
static int pin_pages(struct libemp_board *board, struct libemp_memory *new) {
    for (size_t i = 1; i < new->pages; i++) {
        const size_t before = i * EMP_PAGE_BYTES - new->in_page;
        const uint8_t *start = new->address + before;
        if (board_translate(board->hardware, start, &new->page[i])) {
            board_unpin(board->hardware, new->address, before);
            return libemp_fail(board, -EFAULT, "the board cannot reach %p", (const void *)start);
        }
    }
    board_spend_ns(board->hardware,
                   board->costs.translate_call_ns + new->pages * board->costs.translate_page_ns);
    return 0;
}

int libemp_register(struct libemp_board *board, void *address, size_t length,
                    struct libemp_memory **memory) {
    uint64_t bus = 0;
    if (!address || !length || !memory || length > SIZE_MAX / 2 ||
        (uintptr_t)address > UINTPTR_MAX - length)
        return libemp_fail(board, -EINVAL, "nothing to register");
    /* A driver that posts does not tell addresses; the offset in a page is that of the address. */
    const bool told = !board->session;
    struct libemp_memory *holder = told ? find_pinned(board, address, length) : NULL;
    if (told && !holder && board_translate(board->hardware, address, &bus))
        return libemp_fail(board, -EFAULT, "the board cannot reach %p", address);

    const size_t offset =
        holder ? holder->in_page + (size_t)((uint8_t *)address - holder->address) : 0;
    const size_t in_page = (!told    ? (uintptr_t)address
                            : holder ? offset
                                     : (size_t)bus) %
                           EMP_PAGE_BYTES;
    const size_t pages = (in_page + length + EMP_PAGE_BYTES - 1) / EMP_PAGE_BYTES;
    struct libemp_memory *new = calloc(1, sizeof *new + pages * sizeof new->page[0]);
    if (!new)
        return libemp_fail(board, -ENOMEM, "no memory for %zu translated pages", pages);
    new->board = board;
    new->address = address;
    new->length = length;
    new->in_page = in_page;
    new->pages = pages;
    new->page[0] = told ? bus - in_page : 0;
    int error = 0;
    if (holder)
        take_pages(new, holder, offset / EMP_PAGE_BYTES);
    else
        error =
            told ? pin_pages(board, new) : session_register(board, address, length, &new->handle);
    if (error) {
        free(new);
        return error;
    }
    new->next = board->memories;
    new->link = &board->memories;
    if (new->next)
        new->next->link = &new->next;
    board->memories = new;
    *memory = new;
    return 0;
}

static void unpin(struct libemp_memory *memory) {
    /* A driver that posts has done so, or does when its file is closed. */
    if (!memory->pins && !memory->board->session)
        board_unpin(memory->board->hardware, memory->address, memory->length);
    free(memory);
}

int libemp_deregister(struct libemp_memory *memory) {
    struct libemp_board *board = memory->board;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT && board->outstanding; i++) {
        const struct libemp_slot *slot = &board->slots[i];
        if (slot->run && (slot->several || slot->memory == memory))
            return libemp_fail(board, -EBUSY, "descriptor %zu still uses the memory", i);
    }
    if (libemp_longs_use(board, memory))
        return libemp_fail(board, -EBUSY, "an unfinished long message uses the memory");
    if (memory->users)
        return libemp_fail(board, -EBUSY, "%zu registrations within it still use its pages",
                           memory->users);
    const int error = board->session ? session_deregister(board, memory->handle) : 0;
    if (error)
        return error;
    if (memory->pins)
        memory->pins->users--;
    else
        board_spend_ns(board->hardware, board->costs.translate_call_ns);
    *memory->link = memory->next;
    if (memory->next)
        memory->next->link = memory->link;
    unpin(memory);
    return 0;
}

void libemp_forget_memories(struct libemp_board *board) {
    struct libemp_memory *next;
    for (struct libemp_memory *memory = board->memories; memory; memory = next) {
        next = memory->next;
        unpin(memory);
    }
    board->memories = NULL;
}

int libemp_cut(struct libemp_board *board, const struct libemp_piece *pieces, size_t count,
               struct libemp_fragment fragments[EMP_INDIRECT_ENTRIES], uint32_t *length) {
    size_t total = 0;
    int used = 0;
    if (count && !pieces)
        return libemp_fail(board, -EINVAL, "no pieces given");
    for (size_t i = 0; i < count; i++) {
        const struct libemp_memory *memory = pieces[i].memory;
        size_t rest = pieces[i].length;
        if (!memory && rest == 0)
            continue;
        if (!memory || memory->board != board)
            return libemp_fail(board, -EINVAL, "piece %zu is not memory of this board", i);
        if (pieces[i].offset > memory->length || rest > memory->length - pieces[i].offset)
            return libemp_fail(board, -EINVAL, "piece %zu reaches beyond its memory", i);
        if (rest > EMP_MESSAGE_LIMIT - total)
            return libemp_fail(board, -EMSGSIZE, "longer than %u bytes", EMP_MESSAGE_LIMIT);
        total += rest;
        for (size_t position = memory->in_page + pieces[i].offset; rest > 0;) {
            const size_t in_page = position % EMP_PAGE_BYTES;
            const size_t here = rest < EMP_PAGE_BYTES - in_page ? rest : EMP_PAGE_BYTES - in_page;
            if (used == EMP_INDIRECT_ENTRIES)
                return libemp_fail(board, -EMSGSIZE, "the pieces touch more than %u pages",
                                   EMP_INDIRECT_ENTRIES);
            fragments[used].bus_address = memory->page[position / EMP_PAGE_BYTES] + in_page;
            fragments[used].length = (uint16_t)here;
            used++;
            position += here;
            rest -= here;
        }
    }
    *length = (uint32_t)total;
    return used;
}
