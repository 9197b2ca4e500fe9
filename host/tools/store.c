/* SPDX-License-Identifier: MIT */
#include "host/tools/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_PREFIX ".emp-"
#define PART_SUFFIX ".part"

static void name_part(const char *name, char part[STORE_PART_BYTES]) {
    struct sha256_ctx hash;
    uint8_t sum[TRANSFER_SUM_BYTES / 2];
    char digits[2 * sizeof sum + 1];
    sha256_init(&hash);
    sha256_update(&hash, strlen(name), (const uint8_t *)name);
    sha256_digest(&hash, sizeof sum, sum);
    for (size_t i = 0; i < sizeof sum; i++)
        (void)snprintf(digits + 2 * i, 3, "%02x", sum[i]);
    (void)snprintf(part, STORE_PART_BYTES, PART_PREFIX "%s" PART_SUFFIX, digits);
}

static bool is_part(const char *name) {
    const size_t digits = TRANSFER_SUM_BYTES;
    return strlen(name) == STORE_PART_BYTES - 1 &&
           strncmp(name, PART_PREFIX, strlen(PART_PREFIX)) == 0 &&
           strspn(name + strlen(PART_PREFIX), "0123456789abcdef") == digits &&
           strcmp(name + strlen(PART_PREFIX) + digits, PART_SUFFIX) == 0;
}

int store_open(struct store *store, const char *directory) {
    *store = (struct store){.directory = -1, .parent = -1, .file = -1};
    if (!directory)
        return 0;
    store->directory = open(directory, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    return store->directory < 0 ? -errno : 0;
}

static void close_file(struct store *store) {
    if (store->parent >= 0) {
        if (store->file >= 0)
            (void)close(store->file);
        (void)close(store->parent);
    }
    store->file = store->parent = -1;
}

/* Nothing of it is no use for another try. */
static void abandon_file(struct store *store) {
    struct stat status;
    if (store->parent >= 0 && store->file >= 0 && fstat(store->file, &status) == 0 &&
        status.st_size == 0)
        (void)unlinkat(store->parent, store->part, 0);
    close_file(store);
}

void store_close(struct store *store) {
    abandon_file(store);
    if (store->directory >= 0)
        (void)close(store->directory);
    store->directory = -1;
}

/* The directory that holds the last component of `path`, to be closed; `*last` is that component.
 * No component may be a link, which could lead out. */
static int open_parent(const struct store *store, char *path, const char **last) {
    int directory = dup(store->directory);
    char *slash;
    while (directory >= 0 && (slash = strchr(path, '/')) != NULL) {
        *slash = 0;
        const int next = openat(directory, path, O_DIRECTORY | O_NOFOLLOW | O_RDONLY | O_CLOEXEC);
        const int error = errno;
        (void)close(directory);
        errno = error;
        directory = next;
        path = slash + 1;
    }
    *last = path;
    return directory < 0 ? -errno : directory;
}

int store_make_directory(struct store *store, char *path, uint32_t mode) {
    const char *last;
    struct stat status;
    if (store->directory < 0)
        return -ENOTDIR;
    const int parent = open_parent(store, path, &last);
    if (parent < 0)
        return parent;
    int error = is_part(last) ? -EINVAL : mkdirat(parent, last, mode | 0700) ? -errno : 0;
    if (error == -EEXIST && fstatat(parent, last, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISDIR(status.st_mode))
        error = 0;
    (void)close(parent);
    return error;
}

/* Is the file that is open the one that has the name, and nothing else? Another program may have
 * given it its final name since. */
static int check_part(const struct store *store, int file) {
    struct stat opened;
    struct stat named;
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return -EBUSY; /* a file system without locks has no protection */
    if (fstat(file, &opened) != 0)
        return -errno;
    if (fstatat(store->parent, store->part, &named, AT_SYMLINK_NOFOLLOW) != 0 ||
        named.st_ino != opened.st_ino || named.st_dev != opened.st_dev)
        return -EAGAIN;
    return S_ISREG(opened.st_mode) && opened.st_nlink == 1 ? 0 : -EEXIST;
}

static int open_part(struct store *store, uint32_t mode) {
    for (;;) {
        const int file =
            openat(store->parent, store->part,
                   O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode | 0600);
        const int error = file < 0 ? -errno : check_part(store, file);
        if (!error) {
            store->file = file;
            return 0;
        }
        if (file >= 0)
            (void)close(file);
        if (error != -EAGAIN)
            return error;
    }
}

/* The content of an open file into the sum, up to so many bytes. -EFBIG: there are more. */
static int take_over(struct store *store, int file, uint64_t limit, uint64_t *offset) {
    static uint8_t bytes[TRANSFER_MESSAGE_BYTES];
    for (;;) {
        const ssize_t count = read(file, bytes, sizeof bytes);
        if (count < 0)
            return -errno;
        if (count == 0)
            return 0;
        if ((uint64_t)count > limit - *offset)
            return -EFBIG;
        sha256_update(&store->hash, (size_t)count, bytes);
        *offset += (uint64_t)count;
    }
}

/* What is there does not belong to it. */
static int begin_anew(struct store *store, uint64_t *offset) {
    *offset = 0;
    sha256_init(&store->hash);
    return ftruncate(store->file, 0) == 0 && lseek(store->file, 0, SEEK_SET) == 0 ? 0 : -errno;
}

/* A file of that size may be what an earlier try has stored. It is read only. */
static int take_whole(struct store *store, uint64_t bytes, uint64_t *offset) {
    const int file =
        openat(store->parent, store->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int error = file < 0 ? -errno : take_over(store, file, bytes, offset);
    if (file >= 0)
        (void)close(file);
    store->whole = !error && *offset == bytes;
    return store->whole ? 0 : begin_anew(store, offset);
}

static int begin_part(struct store *store, const struct transfer_entry *entry, bool resume,
                      uint64_t *offset) {
    struct stat before = {0};
    struct stat part;
    if (is_part(store->name))
        return -EINVAL;
    if (fstatat(store->parent, store->name, &before, AT_SYMLINK_NOFOLLOW) != 0 && errno != ENOENT)
        return -errno;
    if (S_ISDIR(before.st_mode))
        return -EISDIR;
    const bool tried = fstatat(store->parent, store->part, &part, AT_SYMLINK_NOFOLLOW) == 0;
    int error = open_part(store, entry->mode);
    if (error)
        return error;
    if (!resume || entry->kind != TRANSFER_FILE)
        return begin_anew(store, offset);
    if (!tried && S_ISREG(before.st_mode) && (uint64_t)before.st_size == entry->bytes)
        return take_whole(store, entry->bytes, offset);
    error = take_over(store, store->file, entry->bytes, offset);
    return error == -EFBIG ? begin_anew(store, offset) : error;
}

int store_begin(struct store *store, struct transfer_entry *entry, bool resume, uint64_t *offset) {
    const char *last = entry->path;
    abandon_file(store);
    sha256_init(&store->hash);
    store->whole = false;
    *offset = 0;
    if (store->directory >= 0) {
        store->parent = open_parent(store, entry->path, &last);
        if (store->parent < 0)
            return store->parent;
    }
    (void)snprintf(store->name, sizeof store->name, "%s", last);
    name_part(last, store->part);
    if (store->directory < 0) {
        store->file = STDOUT_FILENO;
        return 0;
    }
    const int error = begin_part(store, entry, resume, offset);
    if (error)
        abandon_file(store);
    return error;
}

int store_write(struct store *store, const uint8_t *bytes, size_t count) {
    sha256_update(&store->hash, count, bytes);
    while (count > 0) {
        const ssize_t now = write(store->file, bytes, count);
        if (now < 0 && errno == EINTR && !tool_stopped())
            continue;
        if (now < 0)
            return -errno;
        bytes += now;
        count -= (size_t)now;
    }
    return 0;
}

/* The whole file that was there is not it, or not all of it. The empty part tells the next try so.
 */
static int end_whole(struct store *store, bool equal) {
    struct stat more;
    if (equal && fstat(store->file, &more) == 0 && more.st_size == 0)
        return unlinkat(store->parent, store->part, 0) ? -errno : 0;
    return ftruncate(store->file, 0) ? -errno : -EBADMSG;
}

static int end_part(const struct store *store, bool equal) {
    if (!equal)
        (void)unlinkat(store->parent, store->part, 0);
    return !equal                                                             ? -EBADMSG
           : renameat(store->parent, store->part, store->parent, store->name) ? -errno
                                                                              : 0;
}

int store_end(struct store *store, const uint8_t sum[TRANSFER_SUM_BYTES]) {
    uint8_t found[TRANSFER_SUM_BYTES];
    int error;
    if (store->file < 0)
        return -EBADMSG;
    sha256_digest(&store->hash, sizeof found, found);
    const bool equal = memcmp(found, sum, sizeof found) == 0;
    if (store->parent < 0)
        error = equal ? 0 : -EBADMSG;
    else
        error = store->whole ? end_whole(store, equal) : end_part(store, equal);
    close_file(store);
    return error;
}
