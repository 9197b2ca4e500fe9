/* Frames: see frame.h. The CRC uses eight tables (slicing by 8), because every frame of a run
 * passes here. */
#include "sim/frame.h"

#include <stdlib.h>
#include <string.h>

#include "sim/abort.h"

struct tigon_frame *tigon_frame_take(struct tigon_frame_pool *pool) {
    struct tigon_frame *frame = pool->free;
    if (frame) {
        pool->free = frame->next;
        return frame;
    }
    if (pool->count == pool->capacity) {
        pool->capacity = pool->capacity ? pool->capacity * 2 : 64;
        pool->all = realloc(pool->all, pool->capacity * sizeof(struct tigon_frame *));
    }
    frame = malloc(sizeof *frame);
    if (!pool->all || !frame)
        tigon_abort("out of memory for frames");
    pool->all[pool->count++] = frame;
    frame->event.pending = false;
    return frame;
}

void tigon_frame_release(struct tigon_frame_pool *pool, struct tigon_frame *frame) {
    frame->next = pool->free;
    pool->free = frame;
}

void tigon_frame_pool_free(struct tigon_frame_pool *pool) {
    for (size_t i = 0; i < pool->count; i++)
        free(pool->all[i]);
    free(pool->all);
    memset(pool, 0, sizeof *pool);
}

struct crc_tables {
    uint32_t table[8][256];
};

static const struct crc_tables *tables(void) {
    static struct crc_tables made;
    static bool ready;
    if (__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
        return &made;
    /* Two threads may both come here; they store the same values, so the race is only one of
     * relaxed atomics. */
    for (unsigned slice = 0; slice < 8; slice++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t value = byte;
            for (unsigned bit = 0; bit < 8 * (slice + 1); bit++)
                value = value >> 1 ^ (value & 1 ? 0xEDB88320u : 0);
            __atomic_store_n(&made.table[slice][byte], value, __ATOMIC_RELAXED);
        }
    __atomic_store_n(&ready, true, __ATOMIC_RELEASE);
    return &made;
}

uint32_t tigon_frame_crc(const uint8_t *bytes, size_t length) {
    const struct crc_tables *crc = tables();
    uint32_t value = 0xFFFFFFFFu;
    for (; length >= 8; length -= 8, bytes += 8) {
        const uint32_t low = value ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                                      (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        value = crc->table[7][low & 0xFF] ^ crc->table[6][low >> 8 & 0xFF] ^
                crc->table[5][low >> 16 & 0xFF] ^ crc->table[4][low >> 24] ^
                crc->table[3][bytes[4]] ^ crc->table[2][bytes[5]] ^ crc->table[1][bytes[6]] ^
                crc->table[0][bytes[7]];
    }
    while (length--)
        value = value >> 8 ^ crc->table[0][(value ^ *bytes++) & 0xFF];
    return ~value;
}

void tigon_frame_finish(struct tigon_frame *frame, uint32_t length, bool bad_crc) {
    if (length < TIGON_FRAME_MINIMUM) {
        memset(frame->bytes + length, 0, TIGON_FRAME_MINIMUM - length);
        length = TIGON_FRAME_MINIMUM;
    }
    uint32_t crc = tigon_frame_crc(frame->bytes, length);
    if (bad_crc)
        crc = ~crc;
    for (unsigned i = 0; i < TIGON_FRAME_CRC_BYTES; i++)
        frame->bytes[length + i] = (uint8_t)(crc >> 8 * i);
    frame->length = length + TIGON_FRAME_CRC_BYTES;
    frame->bad_crc = bad_crc;
}
