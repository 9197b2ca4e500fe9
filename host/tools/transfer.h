/* SPDX-License-Identifier: MIT */
/*
 * The messages between `emp send` and `emp recv`.
 *
 * For each directory, file and stream the sender sends an entry (tag TOOL_TAG_ENTRY) and waits for
 * an answer (TOOL_TAG_ANSWER), which says from which byte on it is wanted. The content follows as
 * messages of TRANSFER_MESSAGE_BYTES (TOOL_TAG_CONTENT); the first one that is shorter, maybe
 * empty, is the last. Then an entry with the SHA-256 of all of the content, from its first byte,
 * and the answer that it agrees. An entry of kind TRANSFER_END is the last of all. Words are
 * big-endian.
 */
#ifndef HOST_TOOLS_TRANSFER_H
#define HOST_TOOLS_TRANSFER_H

#include "host/tools/tool.h"

enum {
    TRANSFER_MESSAGE_BYTES = 65536,
    TRANSFER_WINDOW = 4, /* content messages posted and not finished, on either side */
    TRANSFER_PATH_BYTES = 4000,
    TRANSFER_SUM_BYTES = 32,
    TRANSFER_ENTRY_BYTES = 24 + TRANSFER_PATH_BYTES,
    TRANSFER_ANSWER_BYTES = 16
};

enum transfer_kind {
    TRANSFER_DIRECTORY = 1,
    TRANSFER_FILE = 2,
    TRANSFER_STREAM = 3, /* of unknown length */
    TRANSFER_SUM = 4,
    TRANSFER_END = 5
};

struct transfer_entry {
    enum transfer_kind kind;
    uint32_t mode;                      /* permissions */
    uint64_t bytes;                     /* of a file */
    char path[TRANSFER_PATH_BYTES + 1]; /* relative, without "." and ".." */
    uint8_t sum[TRANSFER_SUM_BYTES];    /* of TRANSFER_SUM */
};

enum transfer_status {
    TRANSFER_GO = 0,
    TRANSFER_REFUSED = 1, /* this entry cannot be stored; the next may */
    TRANSFER_DIFFERS = 2  /* the sum does not agree */
};

struct transfer_answer {
    enum transfer_status status;
    uint64_t offset; /* from where on the content is wanted */
};

/* Into and from messages. The encoders return the length; the decoders are false for a message that
 * no `emp` sends, and for a path that leads out of the directory it is meant for. */
size_t transfer_encode_entry(const struct transfer_entry *entry, uint8_t *bytes);
bool transfer_decode_entry(const uint8_t *bytes, size_t length, struct transfer_entry *entry);
size_t transfer_encode_answer(const struct transfer_answer *answer, uint8_t *bytes);
bool transfer_decode_answer(const uint8_t *bytes, size_t length, struct transfer_answer *answer);

/* Progress for people, on standard error. */
struct transfer_progress {
    bool wanted;
    const char *path;
    uint64_t done;
    uint64_t total; /* 0: not known */
    uint64_t start_ns;
    unsigned tenths; /* reported last */
};
void transfer_progress_begin(struct transfer_progress *progress, const char *path, uint64_t total,
                             uint64_t now_ns);
void transfer_progress_step(struct transfer_progress *progress, uint64_t bytes, uint64_t now_ns);
/* "NAME, after 12.5 of 40.0 MB": for a message about a transfer that was cut off. The text is
 * overwritten by the next call. */
const char *transfer_progress_text(const struct transfer_progress *progress);

/* Whether a path leads only down from where it begins, and fits an entry. */
bool transfer_is_path(const char *path);

#endif
