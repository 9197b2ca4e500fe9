/*
 * The CRC of Ethernet, through which every frame of a run passes.
 *
 * The bytes are a polynomial over GF(2), the first bit its highest term, and the CRC is its
 * remainder. Eight tables (slicing by 8) do for all machines. Where the processor multiplies such
 * polynomials, the bytes are first folded: 128 bits times x^n are replaced by something congruent n
 * bits further on, until 16 bytes are left for the tables.
 */
#include "sim/frame.h"

#include <pthread.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#include <wmmintrin.h>
#define FOLDING __attribute__((target("pclmul")))
#define LANES   4u /* folded side by side: a multiplication takes several cycles */
#endif

#define REFLECTED 0xEDB88320u /* bit 31 is x^0 */

static uint32_t tables[8][256];

static uint32_t times_x(uint32_t value) {
    return value >> 1 ^ (value & 1 ? REFLECTED : 0);
}

#ifdef FOLDING
static bool can_fold;
static uint64_t by_lanes[2], by_one[2]; /* factors for the earlier and the later 64 bits */

/* The factor that moves 64 bits on by `bits`. A product of 64 and 33 reflected bits lies 32 bits
 * further on in a register of 128 than their product as polynomials does, so that much is missing;
 * 33 bits, because with 32 it would be 31. */
static uint64_t factor(unsigned bits) {
    uint32_t value = 0x80000000u; /* 1 */
    for (unsigned i = 32; i < bits; i++)
        value = times_x(value);
    return (uint64_t)value << 1;
}
#endif

static void prepare(void) {
    for (unsigned slice = 0; slice < 8; slice++)
        for (uint32_t byte = 0; byte < 256; byte++) {
            uint32_t value = byte;
            for (unsigned bit = 0; bit < 8 * (slice + 1); bit++)
                value = times_x(value);
            tables[slice][byte] = value;
        }
#ifdef FOLDING
    can_fold = __builtin_cpu_supports("pclmul") != 0;
    by_lanes[0] = factor(LANES * 128 + 64);
    by_lanes[1] = factor(LANES * 128);
    by_one[0] = factor(128 + 64);
    by_one[1] = factor(128);
#endif
}

/* Goes on from the remainder `value`. */
static uint32_t by_tables(uint32_t value, const uint8_t *bytes, size_t length) {
    for (; length >= 8; length -= 8, bytes += 8) {
        const uint32_t low = value ^ ((uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
                                      (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24);
        value = tables[7][low & 0xFF] ^ tables[6][low >> 8 & 0xFF] ^ tables[5][low >> 16 & 0xFF] ^
                tables[4][low >> 24] ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^
                tables[1][bytes[6]] ^ tables[0][bytes[7]];
    }
    while (length--)
        value = value >> 8 ^ tables[0][(value ^ *bytes++) & 0xFF];
    return value;
}

#ifdef FOLDING
static inline __m128i load(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

FOLDING static inline __m128i fold(__m128i value, __m128i factors, __m128i next) {
    return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(value, factors, 0x00),
                                       _mm_clmulepi64_si128(value, factors, 0x11)),
                         next);
}

/* As by_tables(), for at least 16 bytes. */
FOLDING static uint32_t by_folding(uint32_t value, const uint8_t *bytes, size_t length) {
    const __m128i one = load((const uint8_t *)by_one);
    __m128i first = _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int)value));
    uint8_t left[16];
    if (length >= 2 * LANES * 16) {
        const __m128i lanes = load((const uint8_t *)by_lanes);
        __m128i second = load(bytes + 16), third = load(bytes + 32), fourth = load(bytes + 48);
        for (; length >= 2 * LANES * 16; length -= LANES * 16) {
            bytes += LANES * 16;
            first = fold(first, lanes, load(bytes));
            second = fold(second, lanes, load(bytes + 16));
            third = fold(third, lanes, load(bytes + 32));
            fourth = fold(fourth, lanes, load(bytes + 48));
        }
        first = fold(fold(fold(first, one, second), one, third), one, fourth);
        bytes += (LANES - 1) * 16;
        length -= (LANES - 1) * 16;
    }
    for (; length >= 32; length -= 16) {
        bytes += 16;
        first = fold(first, one, load(bytes));
    }
    _mm_storeu_si128((__m128i *)(void *)left, first);
    return by_tables(by_tables(0, left, sizeof left), bytes + 16, length - 16);
}
#endif

uint32_t tigon_frame_crc(const uint8_t *bytes, size_t length) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, prepare);
#ifdef FOLDING
    if (can_fold && length >= 32)
        return ~by_folding(0xFFFFFFFFu, bytes, length);
#endif
    return ~by_tables(0xFFFFFFFFu, bytes, length);
}
