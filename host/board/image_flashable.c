/* SPDX-License-Identifier: MIT */
/* Images as they are flashed; image_format.h is the format. A file is used only if every byte of it
 * is as it was written. */
#include "host/board/image_file.h"

#include "host/board/image_format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER = BOARD_IMAGE_HEADER_BYTES, TAIL = BOARD_IMAGE_TAIL_BYTES };

static size_t rounded(size_t bytes) {
    return (bytes + 3) / 4 * 4;
}

static void put(uint8_t *bytes, uint32_t word) {
    for (unsigned i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
}

static uint32_t sum(const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)count);
}

/* ------------------------------------------------------------------------------------------------
 * Reading */

static bool in_memory(uint32_t address) {
    return address >= BOARD_IMAGE_FIRST_ADDRESS && address < BOARD_IMAGE_END_ADDRESS &&
           address % 4 == 0;
}

static int check_header(struct board_image *image, const uint8_t *bytes, size_t count) {
    if (count < HEADER || bytes[3] != 0)
        return image_fail(image, -ENOEXEC,
                          "expected an ELF file or a flashable image, found neither");
    const uint32_t start = image_word(bytes + BOARD_IMAGE_START_OFFSET);
    const uint32_t load = image_word(bytes + BOARD_IMAGE_LOAD_OFFSET);
    if (!in_memory(start) || !in_memory(load))
        return image_fail(image, -ENOEXEC,
                          "expected an ELF file or a flashable image; as the header of one, start "
                          "0x%08" PRIX32 " and load address 0x%08" PRIX32
                          " are not in 0x%X to 0x%X",
                          start, load, BOARD_IMAGE_FIRST_ADDRESS, BOARD_IMAGE_END_ADDRESS - 4);
    return 0;
}

static uint32_t tail_word(const uint8_t *tail, unsigned index) {
    return image_word(tail + 4 * index);
}

static int check_tail(struct board_image *image, const uint8_t *bytes, size_t count) {
    const uint8_t *tail = bytes + (count < TAIL ? 0 : count - TAIL);
    if (count < HEADER + TAIL || tail_word(tail, BOARD_IMAGE_TAIL_MAGIC) != BOARD_IMAGE_MAGIC)
        return image_fail(image, -ENOEXEC,
                          "the trailer is missing: the file is cut short, or is a driver's image "
                          "that was not made here; copy it again, or run make firmware");
    const uint32_t found = sum(bytes, count - 4);
    const uint32_t stated = tail_word(tail, BOARD_IMAGE_TAIL_CRC);
    if (found != stated)
        return image_fail(image, -EBADMSG,
                          "damaged: its bytes have the CRC 0x%08" PRIX32
                          ", the trailer says 0x%08" PRIX32 "; copy it again",
                          found, stated);
    if (tail_word(tail, BOARD_IMAGE_TAIL_FORMAT) != BOARD_IMAGE_FORMAT)
        return image_fail(image, -ENOEXEC,
                          "of format %" PRIu32 ", expected %d; use tools of the image's version",
                          tail_word(tail, BOARD_IMAGE_TAIL_FORMAT), BOARD_IMAGE_FORMAT);
    return 0;
}

/* The sizes in the tail make up the file, and the memory of every board holds the image. */
static int check_sizes(struct board_image *image, const uint8_t *bytes, size_t count) {
    const uint8_t *tail = bytes + count - TAIL;
    const uint64_t payload = tail_word(tail, BOARD_IMAGE_TAIL_PAYLOAD);
    const uint64_t names = tail_word(tail, BOARD_IMAGE_TAIL_NAMES);
    const uint64_t memory = tail_word(tail, BOARD_IMAGE_TAIL_MEMORY);
    const uint64_t load = image_word(bytes + BOARD_IMAGE_LOAD_OFFSET);
    if (payload == 0 || payload % 4 != 0 || tail_word(tail, BOARD_IMAGE_TAIL_RESERVED) != 0 ||
        payload > count || names > count || HEADER + payload + rounded(names) + TAIL != count)
        return image_fail(image, -ENOEXEC,
                          "a file of %zu bytes whose trailer tells of %" PRIu64
                          " bytes of payload and %" PRIu64 " of names",
                          count, payload, names);
    if (load + (count - HEADER) > BOARD_IMAGE_END_ADDRESS || memory > BOARD_IMAGE_END_ADDRESS ||
        memory < load + payload)
        return image_fail(image, -EFBIG,
                          "too large: it needs memory up to 0x%" PRIX64
                          ", and a board has 0x%X at least",
                          memory > load + (count - HEADER) ? memory : load + (count - HEADER),
                          BOARD_IMAGE_END_ADDRESS);
    return 0;
}

int image_read_flashable(struct board_image *image, const uint8_t *bytes, size_t count) {
    struct board_image_information *information = &image->information;
    int error = check_header(image, bytes, count);
    if (!error)
        error = check_tail(image, bytes, count);
    if (!error)
        error = check_sizes(image, bytes, count);
    if (error)
        return error;
    const uint8_t *tail = bytes + count - TAIL;
    const uint32_t payload = tail_word(tail, BOARD_IMAGE_TAIL_PAYLOAD);
    const uint32_t hash = tail_word(tail, BOARD_IMAGE_TAIL_HASH);
    information->flashable = true;
    memcpy(information->version, bytes, sizeof information->version);
    information->crc = tail_word(tail, BOARD_IMAGE_TAIL_CRC);
    information->start = image_word(bytes + BOARD_IMAGE_START_OFFSET);
    error = image_add(image, bytes + HEADER, payload, image_word(bytes + BOARD_IMAGE_LOAD_OFFSET));
    if (!error)
        error = image_check_entry(image);
    if (!error)
        error = image_take_names(image, (const char *)bytes + HEADER + payload,
                                 tail_word(tail, BOARD_IMAGE_TAIL_NAMES));
    if (!error && information->protocol_hash != hash)
        error = image_fail(image, -ENOEXEC, "names and trailer have different numbers of the spec");
    information->memory_end = tail_word(tail, BOARD_IMAGE_TAIL_MEMORY);
    return error;
}

/* ------------------------------------------------------------------------------------------------
 * Writing */

/* Segments at their places; the bytes between them are zero. */
static void put_payload(const struct board_image *image, uint8_t *payload) {
    for (size_t i = 0; i < image->count; i++) {
        const struct board_segment *segment = &image->segments[i];
        for (size_t word = 0; word < segment->words; word++)
            put(payload + (segment->address - image->information.load) + 4 * word,
                segment->content[word]);
    }
}

static void put_all(const struct board_image *image, const uint8_t version[3], uint8_t *file,
                    size_t bytes) {
    const struct board_image_information *information = &image->information;
    uint8_t *tail = file + bytes - TAIL;
    memcpy(file, version, 3);
    put(file + BOARD_IMAGE_START_OFFSET, information->start);
    put(file + BOARD_IMAGE_LOAD_OFFSET, information->load);
    put_payload(image, file + HEADER);
    memcpy(file + HEADER + information->load_bytes, image->names_text, image->names_bytes);
    const uint32_t words[BOARD_IMAGE_TAIL_CRC] = {
        [BOARD_IMAGE_TAIL_MAGIC] = BOARD_IMAGE_MAGIC,
        [BOARD_IMAGE_TAIL_FORMAT] = BOARD_IMAGE_FORMAT,
        [BOARD_IMAGE_TAIL_PAYLOAD] = information->load_bytes,
        [BOARD_IMAGE_TAIL_NAMES] = (uint32_t)image->names_bytes,
        [BOARD_IMAGE_TAIL_MEMORY] = information->memory_end,
        [BOARD_IMAGE_TAIL_HASH] = information->protocol_hash,
    };
    for (unsigned i = 0; i < BOARD_IMAGE_TAIL_CRC; i++)
        put(tail + 4 * i, words[i]);
    put(tail + 4 * BOARD_IMAGE_TAIL_CRC, sum(file, bytes - 4));
}

static int write_file(const char *path, const uint8_t *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return -errno;
    errno = 0;
    const bool written = fwrite(bytes, 1, count, file) == count;
    if ((fclose(file) != 0) | !written)
        return errno ? -errno : -EIO;
    return 0;
}

int board_image_write(const struct board_image *image, const uint8_t version[3], const char *path,
                      char *reason, size_t reason_bytes) {
    const struct board_image_information *information = &image->information;
    const size_t bytes = HEADER + information->load_bytes + rounded(image->names_bytes) + TAIL;
    const uint64_t end = (uint64_t)information->load + (bytes - HEADER);
    const uint64_t memory = information->memory_end > end ? information->memory_end : end;
    if (information->load < BOARD_IMAGE_FIRST_ADDRESS) {
        (void)snprintf(reason, reason_bytes,
                       "the image begins at 0x%" PRIX32 "; a flashable one begins at 0x%X or above",
                       information->load, BOARD_IMAGE_FIRST_ADDRESS);
        return -EINVAL;
    }
    if (memory > BOARD_IMAGE_END_ADDRESS) {
        (void)snprintf(reason, reason_bytes,
                       "too large: it needs memory up to 0x%" PRIX64
                       ", and a board has 0x%X at least",
                       memory, BOARD_IMAGE_END_ADDRESS);
        return -EFBIG;
    }
    uint8_t *file = calloc(1, bytes);
    if (!file) {
        (void)snprintf(reason, reason_bytes, "out of memory");
        return -ENOMEM;
    }
    put_all(image, version, file, bytes);
    const int error = write_file(path, file, bytes);
    if (error)
        (void)snprintf(reason, reason_bytes, "%s: %s", path, strerror(-error));
    free(file);
    return error;
}
