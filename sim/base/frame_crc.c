/* SPDX-License-Identifier: MIT */
/*
 * The CRC of Ethernet, through which every frame of a run passes.
 *
 * The bytes are a polynomial over GF(2), the first bit its highest term, and the CRC is its
 * remainder. Eight tables (slicing by 8) do for all machines. Where the processor multiplies such
 * polynomials, the bytes are folded: 128 bits times x^n are replaced by something congruent n bits
 * further on, until 16 bytes are left, and their remainder is found by multiplying with the inverse
 * (Barrett).
 */
#include "sim/base/frame.h"

#include <pthread.h>
#include <stdatomic.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#include <tmmintrin.h>
#include <wmmintrin.h>
#define FOLDING __attribute__((target("pclmul,ssse3")))
#define LANES   4u /* folded side by side: a multiplication takes several cycles */
#endif

#define REFLECTED 0xEDB88320u /* bit 31 is x^0 */

static uint32_t tables[8][256];
static atomic_bool prepared;

static uint32_t times_x(uint32_t value) {
    return value >> 1 ^ (value & 1 ? REFLECTED : 0);
}

#ifdef FOLDING
/* 16 bytes that a load takes as they are. */
struct factors {
    uint64_t low, high;
};

static bool can_fold;
static struct factors by_lanes, by_one; /* for the earlier and the later 64 bits */
static struct factors to_32;            /* moves 32 bits on by 64; zeros add nothing */
static struct factors divisor;          /* the polynomial, and x^64 divided by it, 33 bits each */

/* The factor that moves 64 bits on by `bits`. A product of 64 and 33 reflected bits lies 32 bits
 * further on in a register of 128 than their product as polynomials does, so that much is missing;
 * 33 bits, because with 32 it would be 31. */
static uint64_t factor(unsigned bits) {
    uint32_t value = 0x80000000u; /* 1 */
    for (unsigned i = 32; i < bits; i++)
        value = times_x(value);
    return (uint64_t)value << 1;
}

/* x^64 divided by the polynomial, bit 32 its lowest term. */
static uint64_t quotient(void) {
    uint64_t bits = 0;
    uint32_t value = 0x80000000u; /* 1 */
    for (unsigned i = 0; i < 64; i++) {
        if (value & 1)
            bits |= UINT64_C(1) << (i - 31); /* x^31 at the earliest */
        value = times_x(value);
    }
    return bits;
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
    can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("ssse3");
    by_lanes = (struct factors){factor(LANES * 128 + 64), factor(LANES * 128)};
    by_one = (struct factors){factor(128 + 64), factor(128)};
    to_32 = (struct factors){factor(96), 0};
    divisor = (struct factors){(uint64_t)REFLECTED << 1 | 1u, quotient()};
#endif
    atomic_store_explicit(&prepared, true, memory_order_release);
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
static inline __m128i load(const void *bytes) {
    return _mm_loadu_si128((const __m128i *)bytes);
}

FOLDING static inline __m128i fold(__m128i value, __m128i factors, __m128i next) {
    return _mm_xor_si128(_mm_xor_si128(_mm_clmulepi64_si128(value, factors, 0x00),
                                       _mm_clmulepi64_si128(value, factors, 0x11)),
                         next);
}

/* The remainder of 128 bits times x^32. */
FOLDING static inline uint32_t remainder_of(__m128i value) {
    const __m128i all = load(&divisor), low_32 = _mm_cvtsi32_si128(-1);
    /* 128 bits and 32 zeros to 96, to 64. */
    value =
        _mm_xor_si128(_mm_clmulepi64_si128(value, load(&by_one), 0x10), _mm_srli_si128(value, 8));
    value = _mm_xor_si128(_mm_clmulepi64_si128(_mm_and_si128(value, low_32), load(&to_32), 0x00),
                          _mm_srli_si128(value, 4));
    /* The quotient, and the remainder after quotient times divisor is subtracted. */
    __m128i times = _mm_clmulepi64_si128(_mm_and_si128(value, low_32), all, 0x10);
    times = _mm_clmulepi64_si128(_mm_and_si128(times, low_32), all, 0x00);
    return (uint32_t)((uint64_t)_mm_cvtsi128_si64(_mm_xor_si128(value, times)) >> 32);
}

/* For at least 16 bytes, from the remainder 0xFFFFFFFF. */
FOLDING static uint32_t by_folding(const uint8_t *bytes, size_t length) {
    /* Leading zeros have no effect: the mask of the first block of 16 bytes shifts in as many as
     * are needed for whole blocks. */
    static const uint8_t masks[32] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0,    1,    2,    3,    4,    5,    6,    7,
                                      8,    9,    10,   11,   12,   13,   14,   15};
    const size_t odd = length % 16;
    const uint32_t ones = odd < 4 ? 0xFFFFFFFFu >> 8 * odd : 0; /* that go with the second block */
    const __m128i one = load(&by_one);
    __m128i first =
        _mm_shuffle_epi8(_mm_xor_si128(load(bytes), _mm_cvtsi32_si128(-1)), load(masks + odd));
    bytes += odd;
    first = fold(first, one, _mm_xor_si128(load(bytes), _mm_cvtsi32_si128((int)ones)));
    const uint8_t *const end = bytes + (length - odd);
    bytes += 16;
    if (end - bytes >= (ptrdiff_t)(2 * LANES - 1) * 16) {
        const __m128i lanes = load(&by_lanes);
        __m128i second = load(bytes), third = load(bytes + 16), fourth = load(bytes + 32);
        bytes += (LANES - 1) * 16;
        do {
            first = fold(first, lanes, load(bytes));
            second = fold(second, lanes, load(bytes + 16));
            third = fold(third, lanes, load(bytes + 32));
            fourth = fold(fourth, lanes, load(bytes + 48));
            bytes += LANES * 16;
        } while (end - bytes >= (ptrdiff_t)(LANES * 16));
        first = fold(fold(fold(first, one, second), one, third), one, fourth);
    }
    for (; bytes != end; bytes += 16)
        first = fold(first, one, load(bytes));
    return remainder_of(first);
}
#endif

uint32_t tigon_frame_crc(const uint8_t *bytes, size_t length) {
    if (__builtin_expect(!atomic_load_explicit(&prepared, memory_order_acquire), 0)) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        (void)pthread_once(&once, prepare);
    }
#ifdef FOLDING
    if (can_fold && length >= 16)
        return ~by_folding(bytes, length);
#endif
    return ~by_tables(0xFFFFFFFFu, bytes, length);
}
