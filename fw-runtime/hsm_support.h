/* SPDX-License-Identifier: MIT */
/* What every generated protocol stands on: verdicts, sets of bits, pools. Plain C11, no library
 * behind it.
 *
 * A set of bits is an array of 32-bit words, bit i in word i / 32; HSM_WORDS(count) is in the
 * generated header. A pool keeps a set of the records in use, so that zeroed memory is an empty
 * pool, and hands out the lowest free record: which one matters, since a checked model must choose
 * the same.
 *
 * A port may define hsm_lowest_bit(word), the index of the lowest bit set in a word that is not 0,
 * before this file is included: machines without a count-trailing-zeros instruction often have
 * something else.
 */
#ifndef FW_RUNTIME_HSM_SUPPORT_H
#define FW_RUNTIME_HSM_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "fw-runtime/hsm_checks.h"

/* Generated code says which one it was made for; it changes when something here changes its
 * meaning. */
#define HSM_SUPPORT_VERSION 2u

/* What came of an event. */
enum hsm_verdict {
    HSM_DONE = 0,    /* handled, even if by ignoring it in the state it met */
    HSM_IGNORED = 1, /* there is no instance it is for: none is found, or the record named is not in
                        use; nothing happened */
    HSM_NO_ROOM =
        2, /* no free record for the instance it creates; nothing happened, offer it again later */
    HSM_REFUSED = 3, /* an argument lies outside its declared range; nothing happened */
};

#ifndef hsm_lowest_bit
#define hsm_lowest_bit(word) ((uint32_t)__builtin_ctz(word))
#endif

static inline uint32_t hsm_minimum(const uint32_t left, const uint32_t right) {
    return left < right ? left : right;
}

static inline uint32_t hsm_maximum(const uint32_t left, const uint32_t right) {
    return left > right ? left : right;
}

/* A word that the host writes, or `initial` where it lies outside lowest .. highest. */
static inline uint32_t hsm_bounded(const uint32_t word, const uint32_t lowest,
                                   const uint32_t highest, const uint32_t initial) {
    return word - lowest <= highest - lowest ? word : initial;
}

/* A function, because compilers warn of comparisons whose outcome they know: this one hangs on a
 * constant that a check may set. */
static inline uint32_t hsm_word(const uint32_t word) {
    return word;
}

/* A function, because gcc warns of comparisons with the complement of a narrow value. */
static inline uint32_t hsm_complement(const uint32_t word) {
    return ~word;
}

/* value * factor for a constant factor, out of shifts, additions and subtractions: for chips
 * without a multiplier, where a compiler that prefers the instruction must not be asked for a
 * product. The digits are those of the non-adjacent form (+1, 0, -1: the fewest terms) of each half
 * of the factor; everything about them folds away.
 */
#define HSM_DIGIT(factor, place)                                                                   \
    ((((factor)*3u & ~(factor)) >> ((place) + 1) & 1u) != 0     ? value << (place)                 \
     : (((factor) & ~((factor)*3u)) >> ((place) + 1) & 1u) != 0 ? 0u - (value << (place))          \
                                                                : 0u)
static inline __attribute__((always_inline)) uint32_t hsm_times_half(const uint32_t value,
                                                                     const uint32_t factor) {
    return HSM_DIGIT(factor, 0) + HSM_DIGIT(factor, 1) + HSM_DIGIT(factor, 2) +
           HSM_DIGIT(factor, 3) + HSM_DIGIT(factor, 4) + HSM_DIGIT(factor, 5) +
           HSM_DIGIT(factor, 6) + HSM_DIGIT(factor, 7) + HSM_DIGIT(factor, 8) +
           HSM_DIGIT(factor, 9) + HSM_DIGIT(factor, 10) + HSM_DIGIT(factor, 11) +
           HSM_DIGIT(factor, 12) + HSM_DIGIT(factor, 13) + HSM_DIGIT(factor, 14) +
           HSM_DIGIT(factor, 15) + HSM_DIGIT(factor, 16);
}

static inline __attribute__((always_inline)) uint32_t hsm_times(const uint32_t value,
                                                                const uint32_t factor) {
    return hsm_times_half(value, factor & 0xffffu) + (hsm_times_half(value, factor >> 16) << 16);
}

/* --- sets; `count` is a constant everywhere, so that one-word sets cost no indexing --- */

static inline bool hsm_has(const uint32_t *const set, const uint32_t count, const uint32_t index) {
    if (count <= 32)
        return (set[0] >> index & 1u) != 0;
    return (set[index >> 5] >> (index & 31u) & 1u) != 0;
}

/* Are the bits first .. first + length - 1 in the set? True for none. length <= 31. */
static inline bool hsm_has_all(const uint32_t *const set, const uint32_t count,
                               const uint32_t first, const uint32_t length) {
    const uint32_t wanted = (1u << length) - 1u;

    if (length == 0)
        return true;
    if (count <= 32)
        return (set[0] >> first & wanted) == wanted;

    const uint32_t word = first >> 5;
    const uint32_t offset = first & 31u;
    uint32_t bits = set[word] >> offset;

    if (offset + length > 32)
        bits |= set[word + 1] << (32u - offset);
    return (bits & wanted) == wanted;
}

static inline void hsm_set(uint32_t *const set, const uint32_t count, const uint32_t index) {
    if (count <= 32)
        set[0] |= 1u << index;
    else
        set[index >> 5] |= 1u << (index & 31u);
}

static inline void hsm_unset(uint32_t *const set, const uint32_t count, const uint32_t index) {
    if (count <= 32)
        set[0] &= ~(1u << index);
    else
        set[index >> 5] &= ~(1u << (index & 31u));
}

static inline void hsm_clear(uint32_t *const set, const uint32_t count) {
    const uint32_t words = (count + 31u) / 32u;
    uint32_t *word = set;

    /* By twelves: large sets are cleared once a message, while the next one waits. */
    for (uint32_t left = words / 12u; left != 0; left--, word += 12) {
        word[0] = 0;
        word[1] = 0;
        word[2] = 0;
        word[3] = 0;
        word[4] = 0;
        word[5] = 0;
        word[6] = 0;
        word[7] = 0;
        word[8] = 0;
        word[9] = 0;
        word[10] = 0;
        word[11] = 0;
    }
    for (uint32_t left = words % 12u; left != 0; left--)
        *word++ = 0;
}

/* Where generated code is checked, the bits it asks for or changes are in their set. */
#if HSM_CHECKED
#define hsm_has(set, count, index)   hsm_has(set, count, HSM_INDEX(index, count))
#define hsm_set(set, count, index)   hsm_set(set, count, HSM_INDEX(index, count))
#define hsm_unset(set, count, index) hsm_unset(set, count, HSM_INDEX(index, count))
#define hsm_has_all(set, count, first, length)                                                     \
    __extension__({                                                                                \
        const uint32_t hsm_first_ = (first);                                                       \
        const uint32_t hsm_length_ = (length);                                                     \
        HSM_FAIL_IF(HSM_CHECK_INDEX,                                                               \
                    hsm_length_ != 0 && (hsm_length_ > 31u || hsm_length_ > (count) ||             \
                                         hsm_first_ > (count)-hsm_length_));                       \
        hsm_has_all(set, count, hsm_first_, hsm_length_);                                          \
    })
#endif

/* A reference to the record of the lowest bit set, 0 when there is none. */
static inline uint32_t hsm_first(const uint32_t *const set, const uint32_t count) {
    for (uint32_t word = 0; word < (count + 31u) / 32u; word++) {
        if (set[word] != 0)
            return word * 32u + hsm_lowest_bit(set[word]) + 1u;
    }
    return 0;
}

/* The same of those behind a reference, which may be 0. */
static inline uint32_t hsm_next(const uint32_t *const set, const uint32_t count,
                                const uint32_t reference) {
    for (uint32_t word = reference >> 5; word < (count + 31u) / 32u; word++) {
        const uint32_t bits = word == reference >> 5 ? set[word] >> (reference & 31u) : set[word];
        const uint32_t first = word == reference >> 5 ? reference : word * 32u;

        if (bits != 0)
            return first + hsm_lowest_bit(bits) + 1u;
    }
    return 0;
}

/* --- pools --- */

/* The bits of word number `word` that stand for records. */
static inline uint32_t hsm_pool_word(const uint32_t count, const uint32_t word) {
    const uint32_t left = count - word * 32u;

    return left >= 32 ? 0xffffffffu : (1u << left) - 1u;
}

static inline bool hsm_pool_available(const uint32_t *const used, const uint32_t count) {
    for (uint32_t word = 0; word < (count + 31u) / 32u; word++) {
        if (used[word] != hsm_pool_word(count, word))
            return true;
    }
    return false;
}

/* A reference to the lowest free record, now in use. There must be one: ask hsm_pool_available
 * first. */
static inline uint32_t hsm_pool_take(uint32_t *const used, const uint32_t count) {
    for (uint32_t word = 0; word < (count + 31u) / 32u; word++) {
        const uint32_t open = ~used[word] & hsm_pool_word(count, word);

        if (open != 0) {
            const uint32_t bit = hsm_lowest_bit(open);

            used[word] |= 1u << bit;
            return word * 32u + bit + 1u;
        }
    }
    /* Else gcc sees a record in front of the pool, and warns. */
    if (count > 32)
        __builtin_unreachable();
    return 0;
}

static inline void hsm_pool_give(uint32_t *const used, const uint32_t reference) {
    used[(reference - 1u) >> 5] &= ~(1u << ((reference - 1u) & 31u));
}

#endif
