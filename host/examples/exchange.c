/* SPDX-License-Identifier: MIT */
/* Two programs exchange messages of random sizes, some of each under way at a time, and compare
 * every byte: `exchange BOARD OWN-NODE PEER COUNT`. Both sides know what the other sends, from its
 * node number. */
#include <libemp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { WINDOW = 8, BYTES_LIMIT = 8192, TAG = 7 };

#define TIMEOUT_NS UINT64_C(10000000000)

struct side {
    struct libemp_board *board;
    struct libemp_memory *memory;
    uint8_t *buffer; /* WINDOW places for sends, then as many for receives */
    uint16_t own;
    uint16_t peer;
    unsigned long count;
    unsigned long posted[2]; /* sends, receives */
    unsigned long finished[2];
    libemp_request requests[2 * WINDOW];
};

/* Of message `number` of a node: many small ones, some large. */
static size_t size_of(uint16_t node, unsigned long number) {
    uint32_t mixed = (uint32_t)(number * 2654435761UL + node * 40503UL);
    mixed = (mixed ^ mixed >> 15) * 2246822519U;
    return (mixed >> 8) % ((size_t)BYTES_LIMIT >> mixed % 8);
}

static uint8_t byte_of(uint16_t node, unsigned long number, size_t at) {
    return (uint8_t)((number * 31 + node * 101UL + at * 7) >> 1);
}

static int post(struct side *side, bool receives) {
    const size_t place = side->posted[receives] % WINDOW + (receives ? WINDOW : 0);
    const size_t bytes = receives ? BYTES_LIMIT : size_of(side->own, side->posted[0]);
    const struct libemp_piece piece = {side->memory, place * BYTES_LIMIT, bytes};
    uint8_t *content = side->buffer + place * BYTES_LIMIT;
    for (size_t i = 0; !receives && i < bytes; i++)
        content[i] = byte_of(side->own, side->posted[0], i);
    side->posted[receives]++;
    return receives
               ? libemp_post_receive(side->board, side->peer, TAG, &piece, 1,
                                     &side->requests[place])
               : libemp_post_send(side->board, side->peer, TAG, &piece, 1, &side->requests[place]);
}

/* Receives finish in the order of their posting, because messages come in theirs. */
static int check(struct side *side, size_t place, const struct libemp_completion *completion) {
    const unsigned long number = side->finished[1];
    const uint8_t *content = side->buffer + place * BYTES_LIMIT;
    if (place != WINDOW + number % WINDOW || completion->length != size_of(side->peer, number))
        return -1;
    for (size_t i = 0; i < completion->length; i++)
        if (content[i] != byte_of(side->peer, number, i))
            return -1;
    return 0;
}

static int step(struct side *side) {
    struct libemp_completion completion;
    size_t place;
    /* The oldest receive is looked at first. */
    libemp_request turned[2 * WINDOW];
    const size_t first = WINDOW + side->finished[1] % WINDOW;
    turned[0] = side->requests[first];
    for (size_t i = 0; i < WINDOW; i++)
        turned[1 + i] = side->requests[i];
    const int error =
        libemp_wait_any(side->board, turned, 1 + WINDOW, TIMEOUT_NS, &place, &completion);
    if (error) {
        (void)fprintf(stderr, "exchange: %s\n", libemp_message(side->board));
        return error;
    }
    place = place == 0 ? first : place - 1;
    side->requests[place] = LIBEMP_NO_REQUEST;
    if (place >= WINDOW && check(side, place, &completion)) {
        (void)fprintf(stderr, "exchange: message %lu is not what was sent\n", side->finished[1]);
        return -1;
    }
    side->finished[place >= WINDOW]++;
    return 0;
}

/* A place is free again when its own request has finished. */
static bool may_post(const struct side *side, bool receives) {
    const size_t place = side->posted[receives] % WINDOW + (receives ? WINDOW : 0);
    return side->posted[receives] < side->count && side->requests[place] == LIBEMP_NO_REQUEST;
}

static int run(struct side *side) {
    int error = 0;
    while (!error && (side->finished[0] < side->count || side->finished[1] < side->count)) {
        while (!error && may_post(side, true))
            error = post(side, true);
        while (!error && may_post(side, false))
            error = post(side, false);
        if (!error)
            error = step(side);
    }
    return error;
}

int main(int argc, char **argv) {
    struct libemp_options options;
    static struct side side;
    if (argc != 5) {
        (void)fprintf(stderr, "Usage: exchange BOARD OWN-NODE PEER COUNT\n");
        return 2;
    }
    side.own = (uint16_t)strtoul(argv[2], NULL, 0);
    side.peer = (uint16_t)strtoul(argv[3], NULL, 0);
    side.count = strtoul(argv[4], NULL, 0);
    for (size_t i = 0; i < 2 * WINDOW; i++)
        side.requests[i] = LIBEMP_NO_REQUEST;
    libemp_options_defaults(&options);
    if (libemp_open(&side.board, argv[1], &options)) {
        (void)fprintf(stderr, "exchange: %s cannot be opened\n", argv[1]);
        return 1;
    }
    int error = libemp_attach(side.board);
    if (!error) {
        side.buffer = libemp_allocate(side.board, 2 * WINDOW * BYTES_LIMIT);
        error = side.buffer ? libemp_register(side.board, side.buffer, 2 * WINDOW * BYTES_LIMIT,
                                              &side.memory)
                            : -1;
    }
    if (error)
        (void)fprintf(stderr, "exchange: %s\n", libemp_message(side.board));
    else
        error = run(&side);
    if (!error)
        (void)printf("%lu messages each way, all intact\n", side.count);
    return libemp_close(side.board) || error ? 1 : 0;
}
