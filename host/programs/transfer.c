/* SPDX-License-Identifier: MIT */
#include "host/programs/transfer.h"

#include <errno.h>
#include <nettle/sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(SHA256_DIGEST_SIZE == TRANSFER_DIGEST_BYTES, "the header names the size");

enum {
    TAG_FILE = 1, /* the first message: what follows */
    TAG_DATA = 2,
    ANNOUNCEMENT_BYTES = 16 + TRANSFER_NAME_BYTES /* size, bytes a message, zeros; then the name */
};

/* Buffers of one side and the requests that use them. */
struct queue {
    struct libemp_memory *memory[TRANSFER_OUTSTANDING_LIMIT];
    uint8_t *buffer[TRANSFER_OUTSTANDING_LIMIT];
    libemp_request request[TRANSFER_OUTSTANDING_LIMIT];
};

static void put64(uint8_t *place, uint64_t value) {
    for (unsigned i = 0; i < 8; i++)
        place[i] = (uint8_t)(value >> (56 - 8 * i));
}

static uint64_t get64(const uint8_t *place) {
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++)
        value = value << 8 | place[i];
    return value;
}

static int make_queue(struct node *node, const struct transfer_options *options,
                      struct queue *queue) {
    int error = 0;
    for (size_t i = 0; i < options->outstanding && !error; i++)
        error = node_buffer(node, options->message_bytes, &queue->buffer[i], &queue->memory[i]);
    return error;
}

static void read_counters(struct node *node, struct transfer_end *end) {
    const struct {
        const char *name;
        uint32_t *value;
    } wanted[] = {{"collections_retransmitted", &end->collections_retransmitted},
                  {"frames_duplicate", &end->frames_duplicate},
                  {"receiver_not_ready", &end->receiver_not_ready}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int index = libemp_find_counter(wanted[i].name);
        if (index < 0 || libemp_counter(node->board, (size_t)index, wanted[i].value))
            *wanted[i].value = 0;
    }
}

/* Sends the announcement and waits until it has arrived. */
static int announce(struct node *node, const struct transfer *transfer) {
    const struct transfer_end *end = &transfer->sender;
    struct libemp_piece piece = {.length = ANNOUNCEMENT_BYTES};
    libemp_request request;
    uint8_t *buffer;
    int error = node_buffer(node, ANNOUNCEMENT_BYTES, &buffer, &piece.memory);
    if (error)
        return error;
    put64(buffer, end->bytes);
    put64(buffer + 8, transfer->options.message_bytes);
    memcpy(buffer + 16, end->name, TRANSFER_NAME_BYTES);
    error = libemp_post_send(node->board, node->peer, TAG_FILE, &piece, 1, &request);
    if (!error)
        error = libemp_wait(node->board, request, LIBEMP_FOREVER, NULL);
    return error ? node_fail(node, error, NULL) : 0;
}

static int send_content(struct node *node, struct transfer *transfer, struct queue *queue,
                        FILE *file) {
    const struct transfer_options *options = &transfer->options;
    struct transfer_end *end = &transfer->sender;
    struct sha256_ctx hash;
    uint64_t read = 0;
    uint64_t arrived = 0;
    uint64_t posted = 0;
    uint64_t finished = 0;
    int error = 0;
    sha256_init(&hash);
    while (!error && arrived < end->bytes) {
        const size_t slot = posted % options->outstanding;
        if (read < end->bytes && posted - finished < options->outstanding) {
            const uint64_t rest = end->bytes - read;
            const struct libemp_piece piece = {
                queue->memory[slot], 0,
                rest < options->message_bytes ? (size_t)rest : options->message_bytes};
            if (fread(queue->buffer[slot], 1, piece.length, file) != piece.length)
                return node_fail(node, -EIO, "the file shrank while it was read");
            sha256_update(&hash, piece.length, queue->buffer[slot]);
            error = libemp_post_send(node->board, node->peer, TAG_DATA, &piece, 1,
                                     &queue->request[slot]);
            read += piece.length;
            posted++;
            continue;
        }
        struct libemp_completion completion;
        error = libemp_wait(node->board, queue->request[finished % options->outstanding],
                            LIBEMP_FOREVER, &completion);
        finished++;
        arrived += completion.length;
        if (!error && options->progress)
            options->progress(arrived, end->bytes);
    }
    if (error)
        return node_fail(node, error, NULL);
    end->messages = posted + 1;
    sha256_digest(&hash, sizeof end->digest, end->digest);
    return 0;
}

static int measure_file(struct node *node, struct transfer_end *end, const char *path, FILE *file) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(end->name, sizeof end->name, "%s", slash ? slash + 1 : path);
    const long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (bytes < 0 || fseek(file, 0, SEEK_SET) != 0)
        return node_fail(node, -ESPIPE, "the file has no size");
    end->bytes = (uint64_t)bytes;
    return 0;
}

int transfer_send(struct node *node, struct transfer *transfer) {
    FILE *file = fopen(transfer->options.file, "rb");
    if (!file)
        return node_fail(node, -errno, strerror(errno));
    struct queue queue;
    int error = measure_file(node, &transfer->sender, transfer->options.file, file);
    if (!error)
        error = make_queue(node, &transfer->options, &queue);
    transfer->sender.start_ns = board_now_ns(libemp_hardware(node->board));
    if (!error)
        error = announce(node, transfer);
    if (!error)
        error = send_content(node, transfer, &queue, file);
    transfer->sender.end_ns = board_now_ns(libemp_hardware(node->board));
    read_counters(node, &transfer->sender);
    (void)fclose(file);
    return error;
}

static int post_buffer(struct node *node, const struct transfer_options *options,
                       struct queue *queue, size_t slot) {
    const struct libemp_piece piece = {queue->memory[slot], 0, options->message_bytes};
    const int error =
        libemp_post_receive(node->board, node->peer, TAG_DATA, &piece, 1, &queue->request[slot]);
    return error ? node_fail(node, error, NULL) : 0;
}

static int receive_announcement(struct node *node, struct transfer *transfer,
                                libemp_request request, const uint8_t *buffer) {
    struct transfer_end *end = &transfer->receiver;
    struct libemp_completion completion;
    const int error = libemp_wait(node->board, request, LIBEMP_FOREVER, &completion);
    if (error)
        return node_fail(node, error, NULL);
    if (completion.length != ANNOUNCEMENT_BYTES ||
        get64(buffer + 8) > transfer->options.message_bytes)
        return node_fail(node, -EPROTO, "the first message announces something else");
    end->bytes = get64(buffer);
    memcpy(end->name, buffer + 16, TRANSFER_NAME_BYTES);
    end->name[TRANSFER_NAME_BYTES - 1] = 0;
    return 0;
}

static int receive_content(struct node *node, struct transfer *transfer, struct queue *queue,
                           FILE *output) {
    const struct transfer_options *options = &transfer->options;
    struct transfer_end *end = &transfer->receiver;
    struct sha256_ctx hash;
    uint64_t received = 0;
    uint64_t messages = 0;
    sha256_init(&hash);
    while (received < end->bytes) {
        const size_t slot = messages % options->outstanding;
        struct libemp_completion completion;
        int error = libemp_wait(node->board, queue->request[slot], LIBEMP_FOREVER, &completion);
        if (error)
            return node_fail(node, error, NULL);
        sha256_update(&hash, completion.length, queue->buffer[slot]);
        if (output &&
            fwrite(queue->buffer[slot], 1, completion.length, output) != completion.length)
            return node_fail(node, -EIO, "the received file cannot be written");
        received += completion.length;
        messages++;
        error = post_buffer(node, options, queue, slot);
        if (error)
            return error;
    }
    end->messages = messages + 1;
    sha256_digest(&hash, sizeof end->digest, end->digest);
    return 0;
}

int transfer_receive(struct node *node, struct transfer *transfer) {
    struct libemp_piece piece = {.length = ANNOUNCEMENT_BYTES};
    struct queue queue;
    libemp_request request;
    uint8_t *buffer;
    FILE *output = NULL;
    /* All receives are posted before the first message can come. */
    int error = node_buffer(node, ANNOUNCEMENT_BYTES, &buffer, &piece.memory);
    if (!error)
        error = make_queue(node, &transfer->options, &queue);
    if (error)
        return error;
    error = libemp_post_receive(node->board, node->peer, TAG_FILE, &piece, 1, &request);
    if (error)
        return node_fail(node, error, NULL);
    for (size_t i = 0; i < transfer->options.outstanding && !error; i++)
        error = post_buffer(node, &transfer->options, &queue, i);
    transfer->receiver.start_ns = board_now_ns(libemp_hardware(node->board));
    if (!error)
        error = receive_announcement(node, transfer, request, buffer);
    if (!error && transfer->options.output) {
        output = fopen(transfer->options.output, "wb");
        if (!output)
            error = node_fail(node, -errno, strerror(errno));
    }
    if (!error)
        error = receive_content(node, transfer, &queue, output);
    if (output && fclose(output) != 0 && !error)
        error = node_fail(node, -EIO, "the received file cannot be written");
    transfer->receiver.end_ns = board_now_ns(libemp_hardware(node->board));
    read_counters(node, &transfer->receiver);
    return error;
}
