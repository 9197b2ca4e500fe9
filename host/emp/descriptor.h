/* SPDX-License-Identifier: MIT */
/* Descriptors as the board reads them (EF26, EF27), and what it may make of them. Pure functions,
 * without libraries: host/driver compiles this file for the kernel, too. */
#ifndef HOST_EMP_DESCRIPTOR_H
#define HOST_EMP_DESCRIPTOR_H

#include "emp/emp_layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    DESCRIPTOR_WORDS = EMP_DESCRIPTOR_BYTES / 4,
    DESCRIPTOR_ANY_SOURCE = UINT16_MAX,
    RUN_LIMIT = 4,      /* a descriptor and up to three continuations */
    CHAIN_FRAGMENTS = 7 /* EQ21 */
};

/* A contiguous part of memory inside one page. */
struct libemp_fragment {
    uint64_t bus_address;
    uint16_t length;
};

struct libemp_header {
    enum emp_direction direction;
    uint16_t peer; /* or DESCRIPTOR_ANY_SOURCE */
    uint64_t tag;
    uint64_t ignored; /* bits of the tag */
    bool peek;
    uint32_t length;
};

/* Has a receive wildcards, or is it a peek? Only where EMP_TAG_BITS is 64. */
bool libemp_has_wildcards(const struct libemp_header *header);

/* Of a descriptor's words. */
uint64_t libemp_decode_tag(const uint32_t words[DESCRIPTOR_WORDS]);

/* The number of descriptors that a message of `fragments` fragments takes. */
size_t libemp_run_length(size_t fragments);

/* The number of words that the board reads of such a message. */
size_t libemp_run_words(const struct libemp_header *header, size_t run);

/* Builds the descriptors in `words`; the NIC owns the first. More than CHAIN_FRAGMENTS fragments
 * need the page `indirect`, at bus address `indirect_address`; otherwise both are unused. Returns
 * the run length. */
size_t libemp_encode(const struct libemp_header *header, const struct libemp_fragment *fragments,
                     size_t count, uint32_t *indirect, uint64_t indirect_address,
                     uint32_t words[RUN_LIMIT * DESCRIPTOR_WORDS]);

/* Can a descriptor hold the bytes of this message itself? Only of a send, EMP_INLINE_LIMIT bytes at
 * most. A message without bytes needs no place for them. */
bool libemp_fits_inline(const struct libemp_header *header);

#if EMP_INLINE_LIMIT
/* Builds the descriptor of such a message, which is header->length `bytes` long. */
void libemp_encode_inline(const struct libemp_header *header, const uint8_t *bytes,
                          uint32_t words[DESCRIPTOR_WORDS]);
#endif

/* What the host remembers of a descriptor that it has posted. */
struct libemp_posted {
    bool receive;
    bool peek;      /* then it is a receive, too, but takes no message */
    bool cancelled; /* cancellation has been requested */
    uint16_t peer;  /* as posted; so are the next two */
    uint64_t tag;
    uint64_t ignored;
    uint32_t length; /* bytes posted */
    uint32_t word;   /* the descriptor's word with the owner, as posted */
};

/* Can the board have made this word of the one that was posted? It keeps what says how the
 * descriptor is to be read, and tells a length of received messages only. */
bool libemp_is_completion(const struct libemp_posted *posted, uint32_t word);

/* Would a receive with wildcards, or a peek, have accepted a message of this source and tag? */
bool libemp_accepts(const struct libemp_posted *posted, uint32_t source, uint64_t tag);

/* -errno value of an ended descriptor's result, 0 for success (libemp_test in libemp.h). */
int libemp_result_error(enum emp_result result);

#ifdef __cplusplus
}
#endif

#endif
