/* SPDX-License-Identifier: MIT */
/* Descriptors as the board reads them (EF26, EF27). Pure functions: numbers in, words out. */
#include "host/emp/descriptor.h"

#include <errno.h>
#include <string.h>

_Static_assert(EMP_INDIRECT_ENTRIES *EMP_INDIRECT_ADDRESS_BYTES +
                       (EMP_INDIRECT_ENTRIES + 1) / 2 * EMP_INDIRECT_LENGTHS_BYTES <=
                   EMP_PAGE_BYTES,
               "addresses and lengths fill one page");

static uint32_t high(uint64_t address) {
    return (uint32_t)(address >> 32);
}

static uint32_t low(uint64_t address) {
    return (uint32_t)address;
}

size_t libemp_run_length(size_t fragments) {
    if (fragments <= 1 || fragments > CHAIN_FRAGMENTS)
        return 1;
    return 1 + fragments / 2;
}

/* What lies behind the word with the owner is read of receives with wildcards and chains only. */
size_t libemp_run_words(const struct libemp_header *header, size_t run) {
    return run > 1 || libemp_has_wildcards(header) ? run * (size_t)DESCRIPTOR_WORDS
                                                   : EMP_DESCRIPTOR_OWNER_WORD + 1;
}

static void encode_continuation(const struct libemp_fragment *fragments, size_t count,
                                uint32_t *words) {
    emp_continuation_set_first_address_high(words, high(fragments[0].bus_address));
    emp_continuation_set_first_address_low(words, low(fragments[0].bus_address));
    emp_continuation_set_first_length(words, fragments[0].length);
    if (count < 2)
        return;
    emp_continuation_set_second_address_high(words, high(fragments[1].bus_address));
    emp_continuation_set_second_address_low(words, low(fragments[1].bus_address));
    emp_continuation_set_second_length(words, fragments[1].length);
}

/* The page is words of the host, which the board's DMA hands over as numbers, not as bytes. */
static void encode_indirect(const struct libemp_fragment *fragments, size_t count, uint32_t *page) {
    const size_t address_words = EMP_INDIRECT_ADDRESS_BYTES / 4;
    const size_t length_words = EMP_INDIRECT_LENGTHS_BYTES / 4;
    for (size_t i = 0; i < count; i++) {
        uint32_t *address = page + i * address_words;
        uint32_t *lengths = page + EMP_INDIRECT_ENTRIES * address_words + i / 2 * length_words;
        emp_indirect_address_set_high(address, high(fragments[i].bus_address));
        emp_indirect_address_set_low(address, low(fragments[i].bus_address));
        if (i % 2 == 0)
            emp_indirect_lengths_set_first(lengths, fragments[i].length);
        else
            emp_indirect_lengths_set_second(lengths, fragments[i].length);
    }
}

bool libemp_has_wildcards(const struct libemp_header *header) {
    return header->peer == DESCRIPTOR_ANY_SOURCE || header->ignored != 0 || header->peek;
}

#if EMP_TAG_BITS == 64
uint64_t libemp_decode_tag(const uint32_t words[DESCRIPTOR_WORDS]) {
    return (uint64_t)emp_descriptor_get_tag_high(words) << 32 | emp_descriptor_get_tag(words);
}

static void encode_matching(const struct libemp_header *header, uint32_t *words) {
    const bool any = header->peer == DESCRIPTOR_ANY_SOURCE;
    emp_descriptor_set_peer(words, any ? 0 : header->peer);
    emp_descriptor_set_wildcards(words, (any ? EMP_WILDCARD_SOURCE : 0) |
                                            (header->ignored != 0 ? EMP_WILDCARD_TAG : 0) |
                                            (header->peek ? EMP_PEEK_ONLY : 0));
    emp_descriptor_set_tag_high(words, high(header->tag));
    emp_descriptor_set_tag(words, low(header->tag));
    emp_descriptor_set_ignored_high(words, high(header->ignored));
    emp_descriptor_set_ignored(words, low(header->ignored));
}
#else
uint64_t libemp_decode_tag(const uint32_t words[DESCRIPTOR_WORDS]) {
    return emp_descriptor_get_tag(words);
}

static void encode_matching(const struct libemp_header *header, uint32_t *words) {
    emp_descriptor_set_peer(words, header->peer);
    emp_descriptor_set_tag(words, (uint32_t)header->tag);
}
#endif

/* All but the words at the beginning. */
static void encode_rest(const struct libemp_header *header, enum emp_format format, size_t run,
                        uint32_t *words) {
    emp_descriptor_set_total_length(words, header->length);
    emp_descriptor_set_owner(words, EMP_OWNER_NIC);
    emp_descriptor_set_direction(words, header->direction);
    emp_descriptor_set_format(words, format);
    emp_descriptor_set_continuations(words, (uint32_t)(run - 1));
    emp_descriptor_set_result(words, EMP_RESULT_PENDING);
    encode_matching(header, words);
}

bool libemp_fits_inline(const struct libemp_header *header) {
    return header->direction == EMP_DIRECTION_SEND && header->length != 0 &&
           header->length <= EMP_INLINE_LIMIT;
}

#if EMP_INLINE_LIMIT
_Static_assert(EMP_INLINE_LIMIT <= EMP_INLINE_DATA_BYTES, "the first words hold all bytes");

void libemp_encode_inline(const struct libemp_header *header, const uint8_t *bytes,
                          uint32_t words[DESCRIPTOR_WORDS]) {
    memset(words, 0, EMP_DESCRIPTOR_BYTES);
    encode_rest(header, EMP_FORMAT_INLINE, 1, words);
    for (uint32_t i = 0; i < header->length; i++)
        words[i / 4] |= (uint32_t)bytes[i] << (24 - 8 * (i % 4));
}
#endif

size_t libemp_encode(const struct libemp_header *header, const struct libemp_fragment *fragments,
                     size_t count, uint32_t *indirect, uint64_t indirect_address,
                     uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS]) {
    const size_t run = libemp_run_length(count);
    uint64_t address = 0;
    uint32_t length = 0;
    enum emp_format format = EMP_FORMAT_SHORT;

    memset(words, 0, run * EMP_DESCRIPTOR_BYTES);
    if (count > CHAIN_FRAGMENTS) {
        format = EMP_FORMAT_INDIRECT;
        address = indirect_address;
        length = (uint32_t)count;
        encode_indirect(fragments, count, indirect);
    } else if (count > 0) {
        format = count > 1 ? EMP_FORMAT_CHAIN : EMP_FORMAT_SHORT;
        address = fragments[0].bus_address;
        length = fragments[0].length;
        for (size_t i = 1; i < run; i++)
            encode_continuation(fragments + 2 * i - 1, count - (2 * i - 1),
                                words + i * DESCRIPTOR_WORDS);
    }
    emp_descriptor_set_address_high(words, high(address));
    emp_descriptor_set_address_low(words, low(address));
    emp_descriptor_set_length(words, length);
    encode_rest(header, format, run, words);
    return run;
}

bool libemp_is_completion(const struct libemp_posted *posted, uint32_t word) {
    static const uint32_t kept = EMP_DESCRIPTOR_DIRECTION_MASK << EMP_DESCRIPTOR_DIRECTION_SHIFT |
                                 EMP_DESCRIPTOR_FORMAT_MASK << EMP_DESCRIPTOR_FORMAT_SHIFT |
                                 EMP_DESCRIPTOR_CONTINUATIONS_MASK
                                     << EMP_DESCRIPTOR_CONTINUATIONS_SHIFT |
                                 EMP_DESCRIPTOR_RESERVED_MASK << EMP_DESCRIPTOR_RESERVED_SHIFT;
    const uint32_t words[DESCRIPTOR_WORDS] = {[EMP_DESCRIPTOR_OWNER_WORD] = word};
    const uint32_t length = emp_descriptor_get_total_length(words);
    if ((word ^ posted->word) & kept || emp_descriptor_get_owner(words) != EMP_OWNER_HOST)
        return false;
    switch (emp_descriptor_get_result(words)) {
    case EMP_RESULT_OK:
        return !posted->peek &&
               (posted->receive ? length <= posted->length : length == posted->length);
    case EMP_RESULT_TRUNCATED:
        return posted->receive && !posted->peek && length > posted->length &&
               length <= EMP_MESSAGE_LIMIT;
    case EMP_RESULT_PEEKED:
        return posted->peek && length <= EMP_MESSAGE_LIMIT;
    case EMP_RESULT_TOO_LONG:
        return !posted->receive && length == 0;
    case EMP_RESULT_BAD:
    case EMP_RESULT_PEER_RESTARTED:
    case EMP_RESULT_PEER_SILENT:
        return length == 0;
    case EMP_RESULT_CANCELLED:
        return posted->cancelled && length == 0;
    default:
        return false;
    }
}

bool libemp_accepts(const struct libemp_posted *posted, uint32_t source, uint64_t tag) {
    return source < EMP_NODE_LIMIT &&
           (posted->peer == DESCRIPTOR_ANY_SOURCE || source == posted->peer) &&
           ((tag ^ posted->tag) & ~posted->ignored) == 0;
}

int libemp_result_error(enum emp_result result) {
    switch (result) {
    case EMP_RESULT_OK:
    case EMP_RESULT_PEEKED:
        return 0;
    case EMP_RESULT_TRUNCATED:
        return -EMSGSIZE;
    case EMP_RESULT_PEER_RESTARTED:
        return -ECONNRESET;
    case EMP_RESULT_PEER_SILENT:
        return -EHOSTUNREACH;
    case EMP_RESULT_CANCELLED:
        return -ECANCELED;
    default: /* EMP_RESULT_BAD, EMP_RESULT_TOO_LONG */
        return -EBADRQC;
    }
}
