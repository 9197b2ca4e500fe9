/* SPDX-License-Identifier: MIT */
/* Registered memory, and how a message's pieces become the pages a descriptor names. */
#include "host/emp/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void *libemp_allocate(struct libemp_board *board, size_t bytes) {
    return board_allocate(board->hardware, bytes);
}

void libemp_free(struct libemp_board *board, void *memory, size_t bytes) {
    board_free(board->hardware, memory, bytes);
}

/* Nothing is remembered of an address: only the kernel knows what is mapped there now. */
int libemp_register(struct libemp_board *board, void *address, size_t length,
                    struct libemp_memory **memory) {
    if (!address || !length || !memory || length > SIZE_MAX / 2 ||
        (uintptr_t)address > UINTPTR_MAX - length)
        return libemp_fail(board, -EINVAL, "nothing to register");
    uint32_t pin = 0;
    int error = board_check_process(board->hardware);
    if (error)
        return error;
    error = board_pin(board->hardware, address, length, &pin);
    if (error)
        return libemp_fail(board, error,
                           error == -ENOMEM ? "%zu bytes at %p are more than may be pinned"
                                            : "the board cannot reach all of %zu bytes at %p",
                           length, address);
    const size_t in_page = (uintptr_t)address % EMP_PAGE_BYTES;
    const size_t pages = (in_page + length + EMP_PAGE_BYTES - 1) / EMP_PAGE_BYTES;
    struct libemp_memory *new = calloc(1, sizeof *new + pages * sizeof new->page[0]);
    if (!new)
        error = libemp_fail(board, -ENOMEM, "no memory for %zu translated pages", pages);
    /* A driver that posts does not tell addresses. */
    else if (!board->session && board_translate(board->hardware, pin, address, pages, new->page))
        error = libemp_fail(board, -EFAULT, "the board's addresses of %p are not known", address);
    if (error) {
        (void)board_unpin(board->hardware, pin);
        free(new);
        return error;
    }
    if (!board->session)
        board_spend_ns(board->hardware,
                       board->costs.translate_call_ns + pages * board->costs.translate_page_ns);
    new->board = board;
    new->address = address;
    new->length = length;
    new->in_page = in_page;
    new->pages = pages;
    new->pin = pin;
    new->next = board->memories;
    new->link = &board->memories;
    if (new->next)
        new->next->link = &new->next;
    board->memories = new;
    *memory = new;
    return 0;
}

int libemp_deregister(struct libemp_memory *memory) {
    struct libemp_board *board = memory->board;
    const int foreign = board_check_process(board->hardware);
    if (foreign)
        return foreign;
    for (size_t i = 0; i < EMP_DESCRIPTOR_LIMIT && board->outstanding; i++) {
        const struct libemp_slot *slot = &board->slots[i];
        if (slot->run && (slot->several || slot->memory == memory))
            return libemp_fail(board, -EBUSY, "descriptor %zu still uses the memory", i);
    }
    if (libemp_longs_use(board, memory))
        return libemp_fail(board, -EBUSY, "an unfinished long message uses the memory");
    if (board->session)
        session_collect(board); /* or the driver takes it for used */
    const int error = board_unpin(board->hardware, memory->pin);
    if (error)
        return libemp_fail(board, error, "the driver: %s", strerror(-error));
    if (!board->session)
        board_spend_ns(board->hardware, board->costs.translate_call_ns);
    *memory->link = memory->next;
    if (memory->next)
        memory->next->link = memory->link;
    free(memory);
    return 0;
}

void libemp_forget_memories(struct libemp_board *board) {
    struct libemp_memory *next;
    for (struct libemp_memory *memory = board->memories; memory; memory = next) {
        next = memory->next;
        if (!board->session) /* else its driver does, when its file is closed */
            (void)board_unpin(board->hardware, memory->pin);
        free(memory);
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
            return libemp_fail(board, -E2BIG, "longer than %u bytes", EMP_MESSAGE_LIMIT);
        total += rest;
        for (size_t position = memory->in_page + pieces[i].offset; rest > 0;) {
            const size_t in_page = position % EMP_PAGE_BYTES;
            const size_t here = rest < EMP_PAGE_BYTES - in_page ? rest : EMP_PAGE_BYTES - in_page;
            if (used == EMP_INDIRECT_ENTRIES)
                return libemp_fail(board, -E2BIG, "the pieces touch more than %u pages",
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
