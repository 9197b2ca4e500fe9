/* SPDX-License-Identifier: MIT */
/* Where `emp recv` puts files: below one directory, never through a link, and each under a name of
 * its own until its sum agrees. What had the file's name before stays until then.
 *
 * The name of an unfinished file is ".emp-", the first half of the SHA-256 of the file's name, and
 * ".part": so it fits whatever the length of the file's name, and a later try finds it. No file
 * that is received may have such a name, so none can take the place of another. */
#ifndef HOST_TOOLS_STORE_H
#define HOST_TOOLS_STORE_H

#include "host/tools/transfer.h"

#include <nettle/sha2.h>

enum { STORE_PART_BYTES = 5 + TRANSFER_SUM_BYTES + 5 + 1 };

struct store {
    int directory; /* negative: everything goes to standard output */

    /* The file that is being received. */
    int parent; /* the directory it is in; negative: none */
    int file;   /* the part that has come, locked; negative: none */
    bool whole; /* a file of its name and size is there already; the sum will tell whether it is it
                 */
    char name[TRANSFER_PATH_BYTES + 1];
    char part[STORE_PART_BYTES];
    struct sha256_ctx hash;
};

/* NULL: to standard output. 0 or a negative errno value. */
int store_open(struct store *store, const char *directory);
/* Also closes a file that is being received; what there is of it stays for another try. */
void store_close(struct store *store);

/* Makes a directory, or finds it. 0 or a negative errno value. The text of `path` is used up. */
int store_make_directory(struct store *store, char *path, uint32_t mode);

/* Begins a file or stream. With `resume` it appends to the part of the file that has come;
 * `*offset` is the length of that part. 0, or a negative errno value: -EISDIR if a directory has
 * its name, -EINVAL for a name of unfinished files, -EBUSY if another program receives it. The text
 * of the entry's path is used up. */
int store_begin(struct store *store, struct transfer_entry *entry, bool resume, uint64_t *offset);
int store_write(struct store *store, const uint8_t *bytes, size_t count);
/* Gives the file its name if this is its sum. -EBADMSG: it is not, and the next try begins anew. */
int store_end(struct store *store, const uint8_t sum[TRANSFER_SUM_BYTES]);

#endif
