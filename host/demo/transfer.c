/* SPDX-License-Identifier: MIT */
#include "host/demo/transfer.h"

#include "build/gen/emp/emp_layout.h"

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

uint64_t transfer_frames(uint64_t bytes) {
    if (bytes <= EMP_FIRST_FRAME_PAYLOAD)
        return 1;
    return 1 + (bytes - EMP_FIRST_FRAME_PAYLOAD + EMP_FRAME_PAYLOAD - 1) / EMP_FRAME_PAYLOAD;
}

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

static int make_buffer(struct pair_side *side, size_t bytes, uint8_t **buffer,
                       struct libemp_memory **memory) {
    *buffer = libemp_allocate(side->board, bytes);
    if (!*buffer)
        return pair_fail(side, -ENOMEM, "host memory is used up");
    const int error = libemp_register(side->board, *buffer, bytes, memory);
    return error ? pair_fail(side, error, NULL) : 0;
}

static int make_queue(struct pair_side *side, const struct transfer_options *options,
                      struct queue *queue) {
    int error = 0;
    for (size_t i = 0; i < options->outstanding && !error; i++)
        error = make_buffer(side, options->message_bytes, &queue->buffer[i], &queue->memory[i]);
    return error;
}

static void read_counters(struct pair_side *side, struct transfer_end *end) {
    const struct {
        const char *name;
        uint32_t *value;
    } wanted[] = {{"collections_retransmitted", &end->collections_retransmitted},
                  {"frames_duplicate", &end->frames_duplicate},
                  {"receiver_not_ready", &end->receiver_not_ready}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const int index = libemp_find_counter(wanted[i].name);
        if (index >= 0)
            (void)libemp_counter(side->board, (size_t)index, wanted[i].value);
    }
}

/* Sends the announcement and waits until it has arrived. */
static int announce(struct pair_side *side, const struct transfer *transfer) {
    const struct transfer_end *end = &transfer->sender;
    struct libemp_piece piece = {.length = ANNOUNCEMENT_BYTES};
    libemp_request request;
    uint8_t *buffer;
    int error = make_buffer(side, ANNOUNCEMENT_BYTES, &buffer, &piece.memory);
    if (error)
        return error;
    put64(buffer, end->bytes);
    put64(buffer + 8, transfer->options.message_bytes);
    memcpy(buffer + 16, end->name, TRANSFER_NAME_BYTES);
    error = libemp_post_send(side->board, side->peer, TAG_FILE, &piece, 1, &request);
    if (!error)
        error = libemp_wait(side->board, request, LIBEMP_FOREVER, NULL);
    return error ? pair_fail(side, error, NULL) : 0;
}

static int send_content(struct pair_side *side, struct transfer *transfer, struct queue *queue,
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
                return pair_fail(side, -EIO, "the file shrank while it was read");
            sha256_update(&hash, piece.length, queue->buffer[slot]);
            error = libemp_post_send(side->board, side->peer, TAG_DATA, &piece, 1,
                                     &queue->request[slot]);
            read += piece.length;
            posted++;
            continue;
        }
        struct libemp_completion completion;
        error = libemp_wait(side->board, queue->request[finished % options->outstanding],
                            LIBEMP_FOREVER, &completion);
        finished++;
        arrived += completion.length;
        if (!error && options->progress)
            options->progress(arrived, end->bytes);
    }
    if (error)
        return pair_fail(side, error, NULL);
    end->messages = posted + 1;
    sha256_digest(&hash, sizeof end->digest, end->digest);
    return 0;
}

static int measure_file(struct pair_side *side, struct transfer_end *end, const char *path,
                        FILE *file) {
    const char *slash = strrchr(path, '/');
    (void)snprintf(end->name, sizeof end->name, "%s", slash ? slash + 1 : path);
    const long bytes = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (bytes < 0 || fseek(file, 0, SEEK_SET) != 0)
        return pair_fail(side, -ESPIPE, "the file has no size");
    end->bytes = (uint64_t)bytes;
    return 0;
}

int transfer_send(struct pair_side *side, void *argument) {
    struct transfer *transfer = argument;
    FILE *file = fopen(transfer->options.file, "rb");
    if (!file)
        return pair_fail(side, -errno, strerror(errno));
    struct queue queue;
    int error = measure_file(side, &transfer->sender, transfer->options.file, file);
    if (!error)
        error = make_queue(side, &transfer->options, &queue);
    transfer->sender.start_ns = tigon_host_now_ns(side->host);
    if (!error)
        error = announce(side, transfer);
    if (!error)
        error = send_content(side, transfer, &queue, file);
    transfer->sender.end_ns = tigon_host_now_ns(side->host);
    read_counters(side, &transfer->sender);
    (void)fclose(file);
    return error;
}

static int post_buffer(struct pair_side *side, const struct transfer_options *options,
                       struct queue *queue, size_t slot) {
    const struct libemp_piece piece = {queue->memory[slot], 0, options->message_bytes};
    const int error =
        libemp_post_receive(side->board, side->peer, TAG_DATA, &piece, 1, &queue->request[slot]);
    return error ? pair_fail(side, error, NULL) : 0;
}

static int receive_announcement(struct pair_side *side, struct transfer *transfer,
                                libemp_request request, const uint8_t *buffer) {
    struct transfer_end *end = &transfer->receiver;
    struct libemp_completion completion;
    const int error = libemp_wait(side->board, request, LIBEMP_FOREVER, &completion);
    if (error)
        return pair_fail(side, error, NULL);
    if (completion.length != ANNOUNCEMENT_BYTES ||
        get64(buffer + 8) > transfer->options.message_bytes)
        return pair_fail(side, -EPROTO, "the first message announces something else");
    end->bytes = get64(buffer);
    memcpy(end->name, buffer + 16, TRANSFER_NAME_BYTES);
    end->name[TRANSFER_NAME_BYTES - 1] = 0;
    return 0;
}

static int receive_content(struct pair_side *side, struct transfer *transfer, struct queue *queue,
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
        int error = libemp_wait(side->board, queue->request[slot], LIBEMP_FOREVER, &completion);
        if (error)
            return pair_fail(side, error, NULL);
        sha256_update(&hash, completion.length, queue->buffer[slot]);
        if (output &&
            fwrite(queue->buffer[slot], 1, completion.length, output) != completion.length)
            return pair_fail(side, -EIO, "the received file cannot be written");
        received += completion.length;
        messages++;
        error = post_buffer(side, options, queue, slot);
        if (error)
            return error;
    }
    end->messages = messages + 1;
    sha256_digest(&hash, sizeof end->digest, end->digest);
    return 0;
}

int transfer_receive(struct pair_side *side, void *argument) {
    struct transfer *transfer = argument;
    struct libemp_piece piece = {.length = ANNOUNCEMENT_BYTES};
    struct queue queue;
    libemp_request request;
    uint8_t *buffer;
    FILE *output = NULL;
    /* All receives are posted before the first message can come. */
    int error = make_buffer(side, ANNOUNCEMENT_BYTES, &buffer, &piece.memory);
    if (!error)
        error = make_queue(side, &transfer->options, &queue);
    if (error)
        return error;
    error = libemp_post_receive(side->board, side->peer, TAG_FILE, &piece, 1, &request);
    if (error)
        return pair_fail(side, error, NULL);
    for (size_t i = 0; i < transfer->options.outstanding && !error; i++)
        error = post_buffer(side, &transfer->options, &queue, i);
    transfer->receiver.start_ns = tigon_host_now_ns(side->host);
    if (!error)
        error = receive_announcement(side, transfer, request, buffer);
    if (!error && transfer->options.output) {
        output = fopen(transfer->options.output, "wb");
        if (!output)
            error = pair_fail(side, -errno, strerror(errno));
    }
    if (!error)
        error = receive_content(side, transfer, &queue, output);
    if (output && fclose(output) != 0 && !error)
        error = pair_fail(side, -EIO, "the received file cannot be written");
    transfer->receiver.end_ns = tigon_host_now_ns(side->host);
    read_counters(side, &transfer->receiver);
    return error;
}
