/* SPDX-License-Identifier: MIT */
/* What generated C looks at while it runs, where it is built to: indices, references, ranges and
 * the other promises of the spec. By default these macros are the plain expressions and cost
 * nothing.
 *
 * HSM_CHECKED says which kinds are checked: -DHSM_CHECKED all of them,
 * -DHSM_CHECKED='HSM_CHECK_SET(HSM_CHECK_NEVER)' one, several joined by |. What is found goes to
 * HSM_CHECK_FAILED(kind, line), which the generated file defines for its protocol: `line` is one of
 * that file, and its function PREFIX_check_place says where this is in the spec. That macro should
 * not return. Where it does, the first record or element stands in for the one that is not there.
 */
#ifndef FW_RUNTIME_HSM_CHECKS_H
#define FW_RUNTIME_HSM_CHECKS_H

#define HSM_CHECK_INDEX     1 /* of a table, an array or a set of bits: outside */
#define HSM_CHECK_REFERENCE 2 /* none, or outside its pool, where a record is needed */
#define HSM_CHECK_USE       3 /* a record that is free is written, or released again */
#define HSM_CHECK_ROOM      4 /* `create` without a free record */
#define HSM_CHECK_RANGE     5 /* a value outside the range of the place it is stored in */
#define HSM_CHECK_FIELD     6 /* the same of a payload that is built */
#define HSM_CHECK_SHIFT     7 /* by more than 31 */
#define HSM_CHECK_NEVER     8 /* an event in a state in which it cannot come */
#define HSM_CHECK_PROPERTY  9 /* a property of the spec does not hold after an event */
#define HSM_CHECK_KINDS     9

/* For HSM_CHECKED; the lowest bit stands for all, too. */
#define HSM_CHECK_SET(kind) (1 << (kind))
#define HSM_CHECK_ALL       (HSM_CHECK_SET(HSM_CHECK_KINDS + 1) - 2)

#ifndef HSM_CHECKED
#define HSM_CHECKED 0
#endif
#define HSM_CHECKS(kind) (((HSM_CHECKED) & (1 | HSM_CHECK_SET(kind))) != 0)

/* For people: X(kind, name of what is to hold, what does not). */
#define HSM_CHECK_TEXTS(X)                                                                         \
    X(HSM_CHECK_INDEX, "index_in_bounds", "an index outside its array, table or set of bits")      \
    X(HSM_CHECK_REFERENCE, "reference_names_record", "a reference that names no record")           \
    X(HSM_CHECK_USE, "record_in_use", "a record that is free is written or released")              \
    X(HSM_CHECK_ROOM, "pool_exhausted", "no record is free")                                       \
    X(HSM_CHECK_RANGE, "value_in_range", "a value outside the range of its place")                 \
    X(HSM_CHECK_FIELD, "value_in_range", "a value outside the range of its field")                 \
    X(HSM_CHECK_SHIFT, "shift_in_word", "a shift by more than 31")                                 \
    X(HSM_CHECK_NEVER, "never_event", "an event in a state in which it cannot come")               \
    X(HSM_CHECK_PROPERTY, "property", "a property does not hold")

/* A failed check as a word, where there is room for no more: for a port to stop with, for a host to
 * tell apart from other reasons. `place` as PREFIX_check_place gives it: file << 16 | line. */
#define HSM_FAULT(kind, place) (0x80000000u | (uint32_t)(kind) << 24 | ((place)&0xffffffu))
#define HSM_FAULT_KIND(fault)  ((fault) >> 24 & 0x7fu)
#define HSM_FAULT_FILE(fault)  ((fault) >> 16 & 0xffu)
#define HSM_FAULT_LINE(fault)  ((fault)&0xffffu)
#define HSM_IS_FAULT(word)                                                                         \
    ((word) >> 31 != 0 && HSM_FAULT_KIND(word) - 1u < (uint32_t)HSM_CHECK_KINDS)

#define HSM_COUNT(type, array) (sizeof(((type *)0)->array) / sizeof(((type *)0)->array[0]))

#if HSM_CHECKED
#define HSM_FAIL_IF(kind, condition)                                                               \
    do {                                                                                           \
        if (HSM_CHECKS(kind) && __builtin_expect(condition, 0))                                    \
            HSM_CHECK_FAILED(kind, __LINE__);                                                      \
    } while (0)

/* The number itself, where it is below `limit`. */
#define HSM_BELOW(kind, number, limit)                                                             \
    __extension__({                                                                                \
        uint32_t hsm_number_ = (number);                                                           \
        if (HSM_CHECKS(kind) && __builtin_expect(hsm_number_ >= (limit), 0)) {                     \
            HSM_CHECK_FAILED(kind, __LINE__);                                                      \
            hsm_number_ = 0;                                                                       \
        }                                                                                          \
        hsm_number_;                                                                               \
    })
#define HSM_INDEX(index, count) HSM_BELOW(HSM_CHECK_INDEX, index, count)
#define HSM_SHIFT(places)       HSM_BELOW(HSM_CHECK_SHIFT, places, 32u)

/* The reference itself, where it names a record; HSM_USED: one in use. */
#define HSM_REFERENCE(reference, count)                                                            \
    __extension__({                                                                                \
        __typeof__((reference) + 0u) hsm_reference_ = (reference);                                 \
        if (HSM_CHECKS(HSM_CHECK_REFERENCE) &&                                                     \
            __builtin_expect(hsm_reference_ - 1u >= (count), 0)) {                                 \
            HSM_CHECK_FAILED(HSM_CHECK_REFERENCE, __LINE__);                                       \
            hsm_reference_ = 1;                                                                    \
        }                                                                                          \
        (__typeof__(reference))hsm_reference_;                                                     \
    })
#define HSM_USED(reference, count, used)                                                           \
    __extension__({                                                                                \
        const __typeof__(reference) hsm_used_ = HSM_REFERENCE(reference, count);                   \
        HSM_FAIL_IF(HSM_CHECK_USE,                                                                 \
                    ((used)[(hsm_used_ - 1u) >> 5] >> ((hsm_used_ - 1u) & 31u) & 1u) == 0);        \
        hsm_used_;                                                                                 \
    })

/* What a place holds now. */
#define HSM_RANGE(place, low, high)                                                                \
    HSM_FAIL_IF(HSM_CHECK_RANGE, (uint32_t)(place) - (low) > (high) - (low))
#define HSM_FIELD(place, low, high)                                                                \
    HSM_FAIL_IF(HSM_CHECK_FIELD, (uint32_t)(place) - (low) > (high) - (low))
#define HSM_ROOM(used, count) HSM_FAIL_IF(HSM_CHECK_ROOM, !hsm_pool_available(used, count))

/* A property of the spec, by its name; a model asserts it by that name. */
#ifndef HSM_HOLDS
#define HSM_HOLDS(property, condition) HSM_FAIL_IF(HSM_CHECK_PROPERTY, !(condition))
#endif

/* What a property says where its premise holds; a model counts that by `number`. */
#ifndef HSM_PREMISE
#define HSM_PREMISE(number, condition) (condition)
#endif

#else
#define HSM_INDEX(index, count)          (index)
#define HSM_SHIFT(places)                (places)
#define HSM_REFERENCE(reference, count)  (reference)
#define HSM_USED(reference, count, used) (reference)
#define HSM_RANGE(place, low, high)      ((void)0)
#define HSM_FIELD(place, low, high)      ((void)0)
#define HSM_ROOM(used, count)            ((void)0)
#endif

#include <stdint.h>

static inline const char *hsm_check_text(const uint32_t kind) {
#define HSM_TEXT(number, name, text)                                                               \
    if (kind == (number))                                                                          \
        return text;
    HSM_CHECK_TEXTS(HSM_TEXT)
#undef HSM_TEXT
    return "a check failed";
}

static inline const char *hsm_check_name(const uint32_t kind) {
#define HSM_NAME(number, name, text)                                                               \
    if (kind == (number))                                                                          \
        return name;
    HSM_CHECK_TEXTS(HSM_NAME)
#undef HSM_NAME
    return "?";
}

/* In what is no generated file, but uses sets of hsm_support.h. */
#ifndef HSM_CHECK_FAILED
#define HSM_CHECK_FAILED(kind, line) HSM_CHECK_ABORT(kind, __FILE__, line)
#endif

#if __STDC_HOSTED__
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* A word that firmware stopped with, for people; false where it is no failed check of these files
 * of a spec. */
static inline bool hsm_fault_text(const uint32_t fault, const char *const *const files,
                                  const size_t file_count, char *const text, const size_t bytes) {
    if (!HSM_IS_FAULT(fault) || HSM_FAULT_FILE(fault) >= file_count)
        return false;
    (void)snprintf(text, bytes, "%s at %s:%u", hsm_check_text(HSM_FAULT_KIND(fault)),
                   files[HSM_FAULT_FILE(fault)], (unsigned)HSM_FAULT_LINE(fault));
    return true;
}

/* What a failed check comes to where the port has no PREFIX_CHECK_FAILED: HSM_CHECK_ABORT(kind,
 * file, line), with file and line of the spec. */
#if HSM_CHECKED && !defined HSM_CHECK_ABORT
#define HSM_CHECK_ABORT hsm_check_abort
static inline _Noreturn void hsm_check_abort(const uint32_t kind, const char *const file,
                                             const uint32_t line) {
    (void)fprintf(stderr, "%s:%u: %s\n", file, (unsigned)line, hsm_check_text(kind));
    abort();
}
#endif
#endif

#endif
