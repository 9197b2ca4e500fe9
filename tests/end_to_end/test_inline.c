/* SPDX-License-Identifier: MIT */
/* Short sends, whose bytes the descriptor holds in the profile `modern`: every length up to what it
 * can hold and beyond, of several pieces, over a wire that loses frames. The program's memory is
 * overwritten as soon as the post has returned, where the board does not read it. */
#include "tests/host/check.h"

#include "emp/emp_layout.h"
#include "tests/end_to_end/exchange.h"
#include "tests/end_to_end/need.h"

#include <errno.h>
#include <string.h>

enum {
    AREA = 64,    /* bytes for a message, and between two areas */
    LENGTHS = 24, /* 0 to 23 */
    SEVERAL = 3 * LENGTHS,
    MANY = 150 * LENGTHS, /* they go round the board's transmit buffer */
    AHEAD = 8
};
_Static_assert(LENGTHS > EMP_INLINE_LIMIT + 1, "also lengths that no descriptor holds");

struct area {
    struct libemp_memory *memory;
    uint8_t *bytes;
};

static size_t length_of(unsigned message) {
    return message * 7 % LENGTHS;
}

static uint8_t byte_of(unsigned message, size_t i) {
    return (uint8_t)(message * 31 + i * 7 + 1);
}

static int make(struct pair_side *side, struct area *area) {
    area->bytes = libemp_allocate(side->board, 4096);
    return area->bytes ? libemp_register(side->board, area->bytes, 4096, &area->memory) : -ENOMEM;
}

/* One to three pieces, of two registrations. */
static size_t divide(const struct area areas[2], unsigned message, struct libemp_piece pieces[3]) {
    const size_t count = 1 + message % 3, length = length_of(message);
    size_t left = length;
    for (size_t i = 0; i < count; i++) {
        const size_t part = i + 1 == count ? left : left / 2;
        pieces[i] = (struct libemp_piece){areas[i % 2].memory,
                                          message % AHEAD * AREA + (i == 2 ? AREA / 2 : i), part};
        left -= part;
    }
    return count;
}

static int post(struct pair_side *side, const struct area areas[2], unsigned message,
                libemp_request *request) {
    struct libemp_piece pieces[3];
    const size_t count = divide(areas, message, pieces);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < pieces[i].length; k++)
            areas[i % 2].bytes[pieces[i].offset + k] = byte_of(message, at++);
    need(libemp_post_send(side->board, side->peer, 5, pieces, count, request) == 0);
    if (length_of(message) <= EMP_INLINE_LIMIT)
        for (size_t i = 0; i < count; i++)
            memset(areas[i % 2].bytes + pieces[i].offset, 0xEE, pieces[i].length);
    return 0;
}

static int send_all(struct pair_side *side, void *argument) {
    const unsigned messages = *(const unsigned *)argument;
    libemp_request requests[AHEAD];
    struct area areas[2];
    for (unsigned i = 0; i < 2; i++)
        need(make(side, &areas[i]) == 0);
    for (unsigned message = 0; message < messages + AHEAD; message++) {
        libemp_request *request = &requests[message % AHEAD];
        struct libemp_completion completion;
        if (message >= AHEAD) {
            need(libemp_wait(side->board, *request, LIBEMP_FOREVER, &completion) == 0);
            need(completion.length == length_of(message - AHEAD));
        }
        if (message < messages && post(side, areas, message, request))
            return -EBADMSG;
    }
    need(libemp_descriptors_free(side->board) == libemp_descriptor_limit());
    return 0;
}

static int receive_all(struct pair_side *side, void *argument) {
    const unsigned messages = *(const unsigned *)argument;
    libemp_request requests[AHEAD];
    struct area area;
    need(make(side, &area) == 0);
    for (unsigned message = 0; message < messages + AHEAD; message++) {
        const size_t offset = message % AHEAD * AREA;
        libemp_request *request = &requests[message % AHEAD];
        struct libemp_completion completion;
        if (message >= AHEAD) {
            const unsigned came = message - AHEAD;
            need(libemp_wait(side->board, *request, LIBEMP_FOREVER, &completion) == 0);
            need(completion.length == length_of(came));
            for (size_t i = 0; i < AREA; i++)
                need(area.bytes[offset + i] == (i < length_of(came) ? byte_of(came, i) : 0));
        }
        if (message < messages) {
            const struct libemp_piece piece = {area.memory, offset, AREA};
            memset(area.bytes + offset, 0, AREA);
            need(libemp_post_receive(side->board, side->peer, 5, &piece, 1, request) == 0);
        }
    }
    return 0;
}

static void inline__every_length(void **state) {
    unsigned many = MANY, several = SEVERAL;
    (void)state;
    exchange_programs(send_all, receive_all, &many, 3, 0);
    for (uint64_t seed = 1; seed <= 4; seed++)
        exchange_programs(send_all, receive_all, &several, seed, 0.2);
}

/* The limit is 0 where no descriptor holds bytes: an empty message is not read either. */
static int send_counted(struct pair_side *side, void *argument) {
    struct tigon_statistics before, after;
    const size_t *limit = argument;
    struct area area;
    need(make(side, &area) == 0);
    for (size_t length = 0; length <= LENGTHS; length++) {
        const struct libemp_piece piece = {area.memory, 0, length};
        libemp_request request;
        tigon_board_statistics(side->hardware, &before);
        need(libemp_post_send(side->board, side->peer, 5, &piece, 1, &request) == 0);
        need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == 0);
        tigon_board_statistics(side->hardware, &after);
        need((after.dma_read.transfers != before.dma_read.transfers) == (length > *limit));
    }
    return 0;
}

static int receive_counted(struct pair_side *side, void *argument) {
    struct area area;
    (void)argument;
    need(make(side, &area) == 0);
    for (size_t length = 0; length <= LENGTHS; length++) {
        const struct libemp_piece piece = {area.memory, 0, LENGTHS};
        libemp_request request;
        need(libemp_post_receive(side->board, side->peer, 5, &piece, 1, &request) == 0);
        need(libemp_wait(side->board, request, LIBEMP_FOREVER, NULL) == 0);
    }
    return 0;
}

static void inline__reads_nothing(void **state) {
    size_t limit = EMP_INLINE_LIMIT;
    (void)state;
    exchange_programs(send_counted, receive_counted, &limit, 1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inline__every_length),
        cmocka_unit_test(inline__reads_nothing),
    };
    return cmocka_run_group_tests_name("inline", tests, NULL, NULL);
}
