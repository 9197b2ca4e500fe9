/* SPDX-License-Identifier: MIT */
/*
 * pcapng: a section header, an interface per direction, an enhanced packet block per frame. All
 * blocks are little-endian on every machine, so that the same run gives the same file.
 *
 * Boards run ahead of each other, and a frame is reported when it ends, so frames arrive a little
 * out of order: each is held back until no earlier one can follow.
 */
#include "sim/network/capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/frame.h"

enum {
    BLOCK_SECTION = 0x0A0D0D0A,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 6,
    BYTE_ORDER_MAGIC = 0x1A2B3C4D,
    LINK_ETHERNET = 1,
    OPTION_END = 0,
    OPTION_COMMENT = 1,
    OPTION_INTERFACE_NAME = 2,
    OPTION_APPLICATION = 4, /* of a section */
    OPTION_RESOLUTION = 9,  /* of an interface */
    NANOSECONDS = 9,        /* 10^-9 s */
    TEXT_LIMIT = 256,
    BLOCK_LIMIT = TIGON_FRAME_CAPACITY + TEXT_LIMIT + 64,
};

struct pending {
    struct pending *next; /* the same time or later */
    uint64_t time_ns;
    const char *comment;
    unsigned side;
    size_t length;
    uint8_t bytes[];
};

struct block {
    size_t length;
    uint8_t bytes[BLOCK_LIMIT];
};

struct tigon_capture {
    FILE *file;
    int error; /* the first */
    uint64_t horizon_ns;
    uint64_t newest_ns;
    struct pending *first;
    struct block block; /* not on a stack, which is small in a host's program */
};

static void put(struct block *block, const void *bytes, size_t length) {
    memcpy(block->bytes + block->length, bytes, length);
    block->length += length;
    while (block->length % 4)
        block->bytes[block->length++] = 0;
}

static void put32(struct block *block, uint32_t value) {
    const uint8_t bytes[4] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                              (uint8_t)(value >> 24)};
    put(block, bytes, sizeof bytes);
}

/* Two 16-bit numbers, in their order in the file. */
static void put16(struct block *block, size_t first, size_t second) {
    put32(block, (uint32_t)(first & 0xFFFFu) | (uint32_t)second << 16);
}

static void put_option(struct block *block, unsigned code, const void *bytes, size_t length) {
    put16(block, code, length);
    put(block, bytes, length);
}

static void put_text(struct block *block, unsigned code, const char *text) {
    const size_t length = strlen(text);
    put_option(block, code, text, length < TEXT_LIMIT ? length : TEXT_LIMIT);
}

/* The total length is behind the type and at the end. */
static void begin(struct block *block, uint32_t type) {
    block->length = 0;
    put32(block, type);
    put32(block, 0);
}

static void end(struct tigon_capture *capture) {
    struct block *block = &capture->block;
    const size_t total = block->length + 4;
    block->length = 4;
    put32(block, (uint32_t)total);
    block->length = total - 4;
    put32(block, (uint32_t)total);
    if (!capture->error && fwrite(block->bytes, 1, total, capture->file) != total)
        capture->error = errno ? -errno : -EIO;
}

static void write_section(struct tigon_capture *capture) {
    struct block *block = &capture->block;
    begin(block, BLOCK_SECTION);
    put32(block, BYTE_ORDER_MAGIC);
    put16(block, 1, 0);       /* version */
    put32(block, UINT32_MAX); /* length of the section: not stated, 64 bits */
    put32(block, UINT32_MAX);
    put_text(block, OPTION_APPLICATION, "simulated Tigon2 boards");
    put32(block, OPTION_END);
    end(capture);
}

static void write_interface(struct tigon_capture *capture, const char *from, const char *to) {
    const uint8_t resolution = NANOSECONDS;
    char name[TEXT_LIMIT];
    struct block *block = &capture->block;
    (void)snprintf(name, sizeof name, "%s to %s", from, to);
    begin(block, BLOCK_INTERFACE);
    put16(block, LINK_ETHERNET, 0);
    put32(block, 0); /* frames are whole */
    put_text(block, OPTION_INTERFACE_NAME, name);
    put_option(block, OPTION_RESOLUTION, &resolution, sizeof resolution);
    put32(block, OPTION_END);
    end(capture);
}

static void write_packet(struct tigon_capture *capture, const struct pending *pending) {
    struct block *block = &capture->block;
    begin(block, BLOCK_PACKET);
    put32(block, pending->side); /* interface */
    put32(block, (uint32_t)(pending->time_ns >> 32));
    put32(block, (uint32_t)pending->time_ns);
    put32(block, (uint32_t)pending->length);
    put32(block, (uint32_t)pending->length);
    put(block, pending->bytes, pending->length);
    if (pending->comment) {
        put_text(block, OPTION_COMMENT, pending->comment);
        put32(block, OPTION_END);
    }
    end(capture);
}

/* Writes the frames that no earlier one can follow, or all. */
static void write_pending(struct tigon_capture *capture, bool all) {
    struct pending *pending;
    while ((pending = capture->first) != NULL &&
           (all || pending->time_ns + capture->horizon_ns <= capture->newest_ns)) {
        capture->first = pending->next;
        write_packet(capture, pending);
        free(pending);
    }
}

int tigon_capture_open(struct tigon_capture **capture,
                       const struct tigon_capture_options *options) {
    struct tigon_capture *result = calloc(1, sizeof *result);
    if (!result)
        return -ENOMEM;
    result->horizon_ns = options->horizon_ns;
    result->file = fopen(options->path, "wb");
    if (!result->file) {
        const int error = -errno;
        free(result);
        return error;
    }
    write_section(result);
    for (unsigned side = 0; side < 2; side++)
        write_interface(result, options->end[side], options->end[1 - side]);
    *capture = result;
    return 0;
}

void tigon_capture_frame(struct tigon_capture *capture, const struct tigon_frame_view *frame,
                         const char *comment) {
    struct pending *pending = malloc(sizeof *pending + frame->length);
    struct pending **place = &capture->first;
    if (!pending) {
        if (!capture->error)
            capture->error = -ENOMEM;
        return;
    }
    pending->time_ns = frame->time_ns;
    pending->comment = comment;
    pending->side = frame->from_side;
    pending->length = frame->length;
    memcpy(pending->bytes, frame->bytes, frame->length);
    while (*place && (*place)->time_ns <= pending->time_ns)
        place = &(*place)->next;
    pending->next = *place;
    *place = pending;
    if (frame->time_ns > capture->newest_ns)
        capture->newest_ns = frame->time_ns;
    write_pending(capture, false);
}

int tigon_capture_close(struct tigon_capture *capture) {
    if (!capture)
        return 0;
    write_pending(capture, true);
    if (fclose(capture->file) != 0 && !capture->error)
        capture->error = errno ? -errno : -EIO;
    const int error = capture->error;
    free(capture);
    return error;
}
