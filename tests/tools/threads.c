/* SPDX-License-Identifier: MIT */
/* Threads over libemp, for ThreadSanitizer: `threads IMAGE LEFT RIGHT`. Each board has two threads
 * that share it under a lock, as libemp.h says; the two pairs share nothing. Thread i of one board
 * exchanges messages with thread i of the other. */
#include "host/emp/libemp.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 2, MESSAGES = 40, BYTES = 3000 };

#define LINK_NS UINT64_C(10000000000)

struct side {
    const char *name;
    const char *image;
    uint16_t node;
    struct libemp_board *board;
    pthread_mutex_t lock;
    int error;
};

struct worker {
    struct side *side;
    unsigned index;
    int error;
};

static int start(struct side *side) {
    const uint8_t other[6] = {2, 0x54, 0x47, 0, 0, (uint8_t)(1 - side->node)};
    struct libemp_options options;
    struct board_image *image;
    libemp_options_defaults(&options);
    int error = libemp_open(&side->board, side->name, &options);
    if (!error)
        error = board_image_open(&image, side->image);
    if (error)
        return error;
    error = libemp_start(side->board, image, &(struct board_start_options){.node = side->node});
    board_image_close(image);
    if (!error)
        error = libemp_set_peer(side->board, 1 - side->node, other);
    return error ? error : board_wait_link(libemp_hardware(side->board), LINK_NS);
}

/* The lock is free between two looks, so that the other thread gets on. */
static int wait_for(struct side *side, libemp_request request, struct libemp_completion *found) {
    int error;
    do {
        (void)pthread_mutex_lock(&side->lock);
        error = libemp_test(side->board, request, found);
        (void)pthread_mutex_unlock(&side->lock);
    } while (error == -EAGAIN);
    return error;
}

static uint8_t byte_of(uint16_t node, unsigned index, unsigned number) {
    return (uint8_t)(node * 97 + index * 31 + number);
}

static int exchange(struct side *side, unsigned index, struct libemp_memory *memory,
                    uint8_t *buffer) {
    const struct libemp_piece out = {memory, 0, BYTES};
    const struct libemp_piece in = {memory, BYTES, BYTES};
    const uint16_t peer = 1 - side->node;
    for (unsigned i = 0; i < MESSAGES; i++) {
        struct libemp_completion completion;
        libemp_request receive;
        libemp_request send;
        memset(buffer, byte_of(side->node, index, i), BYTES);
        (void)pthread_mutex_lock(&side->lock);
        int error = libemp_post_receive(side->board, peer, index, &in, 1, &receive);
        if (!error)
            error = libemp_post_send(side->board, peer, index, &out, 1, &send);
        (void)pthread_mutex_unlock(&side->lock);
        if (!error)
            error = wait_for(side, receive, &completion);
        if (!error && (completion.length != BYTES || completion.tag != index))
            error = -EBADMSG;
        for (size_t k = 0; k < BYTES && !error; k++)
            error = buffer[BYTES + k] == byte_of(peer, index, i) ? 0 : -EBADMSG;
        if (!error)
            error = wait_for(side, send, NULL);
        if (error)
            return error;
    }
    return 0;
}

static void *work(void *argument) {
    struct worker *worker = argument;
    struct side *side = worker->side;
    struct libemp_memory *memory = NULL;
    (void)pthread_mutex_lock(&side->lock);
    uint8_t *buffer = libemp_allocate(side->board, 2 * BYTES);
    worker->error = buffer ? libemp_register(side->board, buffer, 2 * BYTES, &memory) : -ENOMEM;
    (void)pthread_mutex_unlock(&side->lock);
    if (!worker->error)
        worker->error = exchange(side, worker->index, memory, buffer);
    return NULL;
}

static void *run(void *argument) {
    struct side *side = argument;
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    side->error = start(side);
    for (unsigned i = 0; i < THREADS && !side->error; i++) {
        workers[i] = (struct worker){.side = side, .index = i};
        if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0)
            return NULL;
    }
    for (unsigned i = 0; i < THREADS && !side->error; i++)
        (void)pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS && !side->error; i++)
        side->error = workers[i].error;
    if (side->error && side->board)
        (void)fprintf(stderr, "%s: %s\n", side->name, libemp_message(side->board));
    if (side->board && libemp_close(side->board))
        libemp_abandon(side->board);
    return NULL;
}

int main(int argc, char **argv) {
    static struct side sides[2];
    pthread_t threads[2];
    if (argc != 4)
        return 2;
    for (uint16_t i = 0; i < 2; i++) {
        sides[i] = (struct side){.name = argv[2 + i], .image = argv[1], .node = i, .error = 1};
        if (pthread_mutex_init(&sides[i].lock, NULL) != 0 ||
            pthread_create(&threads[i], NULL, run, &sides[i]) != 0)
            return 1;
    }
    for (unsigned i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
    return sides[0].error || sides[1].error ? 1 : 0;
}
