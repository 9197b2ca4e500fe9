/* SPDX-License-Identifier: MIT */
#include "host/tools/transfer.h"

#include <inttypes.h>
#include <string.h>

enum { MARK = 0x454D5046 /* "EMPF" */, ENTRY_HEADER_BYTES = 24 };

static void put32(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static void put64(uint8_t *bytes, uint64_t number) {
    put32(bytes, (uint32_t)(number >> 32));
    put32(bytes + 4, (uint32_t)number);
}

static uint32_t get32(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static uint64_t get64(const uint8_t *bytes) {
    return (uint64_t)get32(bytes) << 32 | get32(bytes + 4);
}

bool transfer_is_path(const char *path) {
    if (!*path || strlen(path) > TRANSFER_PATH_BYTES)
        return false;
    while (*path) {
        const size_t length = strcspn(path, "/");
        if (length == 0 || (length == 1 && *path == '.') ||
            (length == 2 && memcmp(path, "..", 2) == 0))
            return false;
        path += length;
        if (*path == '/' && *++path == 0)
            return false;
    }
    return true;
}

size_t transfer_encode_entry(const struct transfer_entry *entry, uint8_t *bytes) {
    const size_t length = entry->kind == TRANSFER_SUM ? TRANSFER_SUM_BYTES : strlen(entry->path);
    put32(bytes, MARK);
    put32(bytes + 4, (uint32_t)entry->kind);
    put32(bytes + 8, entry->mode);
    put32(bytes + 12, (uint32_t)length);
    put64(bytes + 16, entry->bytes);
    memcpy(bytes + ENTRY_HEADER_BYTES,
           entry->kind == TRANSFER_SUM ? (const void *)entry->sum : entry->path, length);
    return ENTRY_HEADER_BYTES + length;
}

bool transfer_decode_entry(const uint8_t *bytes, size_t length, struct transfer_entry *entry) {
    if (length < ENTRY_HEADER_BYTES || get32(bytes) != MARK)
        return false;
    const uint32_t kind = get32(bytes + 4);
    const size_t rest = get32(bytes + 12);
    if (kind < TRANSFER_DIRECTORY || kind > TRANSFER_END || rest > TRANSFER_PATH_BYTES ||
        rest != length - ENTRY_HEADER_BYTES)
        return false;
    entry->kind = (enum transfer_kind)kind;
    entry->mode = get32(bytes + 8) & 0777;
    entry->bytes = get64(bytes + 16);
    entry->path[0] = 0;
    if (kind == TRANSFER_END)
        return rest == 0;
    if (kind == TRANSFER_SUM) {
        if (rest != sizeof entry->sum)
            return false;
        memcpy(entry->sum, bytes + ENTRY_HEADER_BYTES, sizeof entry->sum);
        return true;
    }
    memcpy(entry->path, bytes + ENTRY_HEADER_BYTES, rest);
    entry->path[rest] = 0;
    return strlen(entry->path) == rest && transfer_is_path(entry->path);
}

size_t transfer_encode_answer(const struct transfer_answer *answer, uint8_t *bytes) {
    put32(bytes, MARK);
    put32(bytes + 4, (uint32_t)answer->status);
    put64(bytes + 8, answer->offset);
    return TRANSFER_ANSWER_BYTES;
}

bool transfer_decode_answer(const uint8_t *bytes, size_t length, struct transfer_answer *answer) {
    if (length != TRANSFER_ANSWER_BYTES || get32(bytes) != MARK ||
        get32(bytes + 4) > TRANSFER_DIFFERS)
        return false;
    answer->status = (enum transfer_status)get32(bytes + 4);
    answer->offset = get64(bytes + 8);
    return true;
}

void transfer_progress_begin(struct transfer_progress *progress, const char *path, uint64_t total,
                             uint64_t now_ns) {
    progress->path = path;
    progress->done = 0;
    progress->total = total;
    progress->start_ns = now_ns;
    progress->tenths = 0;
}

void transfer_progress_step(struct transfer_progress *progress, uint64_t bytes, uint64_t now_ns) {
    progress->done += bytes;
    const uint64_t scale = progress->total ? progress->total : UINT64_C(1) << 24;
    const unsigned tenths = (unsigned)(progress->done * 10 / scale);
    if (!progress->wanted || tenths == progress->tenths)
        return;
    const double seconds = (double)(now_ns - progress->start_ns) / 1e9;
    progress->tenths = tenths;
    (void)fprintf(stderr, "%s: %" PRIu64 " bytes, %.1f Mb/s\n", progress->path, progress->done,
                  seconds > 0 ? (double)progress->done * 8e-6 / seconds : 0);
}

const char *transfer_progress_text(const struct transfer_progress *progress) {
    static char text[TRANSFER_PATH_BYTES + 64];
    const double done = (double)progress->done / 1e6;
    if (progress->total)
        (void)snprintf(text, sizeof text, "%s, after %.1f of %.1f MB", progress->path, done,
                       (double)progress->total / 1e6);
    else
        (void)snprintf(text, sizeof text, "%s, after %.1f MB", progress->path, done);
    return text;
}
